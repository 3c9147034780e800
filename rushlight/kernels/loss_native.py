"""Losses over classes, row by row in machine code, and when that is used.

Every function answers None for what NumPy does. Not here: the kernels (`llvm/loss.py`).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from . import fused
from .matmul import ELEMENTS
from .rows import ELEMENTS_OF_CHUNK, usable

Array = Any
LEAST = 1 if fused.ALWAYS else 8192  # elements from which on a kernel is used


@functools.lru_cache(maxsize=16)
def kernel(name: str, element: str, names: tuple[tuple[str, str], ...]) -> Any:
    from .llvm import loss, rows

    return rows.kernel(getattr(loss, name), element, dict(names))


def run(name: str, x: Array, kinds: dict[str, tuple[str, Any]]) -> None:
    rows, n = x.shape
    names = tuple((k, kind) for k, (kind, _) in kinds.items())
    fused.jit()[2].ready()
    each = max(1, ELEMENTS_OF_CHUNK // n)
    kernel(name, ELEMENTS[x.dtype], names)(
        *[a for _, a in kinds.values()], n, rows, 1, each, -(-rows // each)
    )


def log_sums(x: Array) -> Array | None:
    """(2, N) for x (N, C): the largest element of each row, and log sum exp(x - it)."""
    if x.ndim != 2 or not x.size or not usable(x, least=LEAST):
        return None
    y = np.empty((2, len(x)), x.dtype)
    run("log_sums", x, {"x": ("row", x), "top": ("one", y[0]), "log": ("one", y[1])})
    return y


def logsumexp(x: Array) -> Array | None:
    """log sum exp(x) of each row of x (N, C)."""
    if x.ndim != 2 or not x.size or not usable(x, least=LEAST):
        return None
    y = np.empty(len(x), x.dtype)
    run("finite_log_sums", x, {"x": ("row", x), "y": ("one", y)})
    return y


def shares(x: Array, sums: Array, scale: Array) -> Array | None:
    """The softmax of each row of x (N, C) times its `scale` (N), given its `log_sums`."""
    if not usable(x, sums, scale, least=LEAST):
        return None
    dx = np.empty_like(x)
    run("shares", x, {"x": ("row", x), "top": ("one", sums[0]), "log": ("one", sums[1]),
                      "scale": ("one", scale), "dx": ("row", dx)})  # fmt: skip
    return dx
