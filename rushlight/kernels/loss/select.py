"""Losses over classes by machine code, and when that is used.

Every function answers None for what NumPy does. Scores are (N, C, inner), inner = 1 for rows. Not
here: the kernels (`cross_entropy.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..elementwise import select as elementwise
from ..matmul.select import ELEMENTS
from ..softmax.select import NARROW, launch, usable

Array = Any
LEAST = 1 if elementwise.ALWAYS else 2048  # elements from which on a kernel is used


def taken(x: Array, *others: Array | None) -> bool:
    """Whether a kernel takes these scores."""
    return (
        x.ndim == 3
        and (x.shape[2] == 1 or x.shape[2] >= NARROW)
        and x.size > 0
        and usable(x, *others, least=LEAST)
        and x.dtype in ELEMENTS
    )


def run(name: str, scores: Array, **operands: tuple[str, Array | None]) -> None:
    given = [(k, kind, a) for k, (kind, a) in operands.items() if a is not None]
    kinds = tuple([(k, kind) for k, kind, _ in given])
    _, n, inner = scores.shape
    launch("loss", name, scores, n, inner, kinds, [a for _, _, a in given])


def log_sums(x: Array, w: Array | None = None, spread: bool = False) -> Array | None:
    """(2, N, inner) for x (N, C, inner): the largest element of each row, and log sum exp(x - it);
    with `spread` (3, N, inner), the last the sum of w (x - it)."""
    if not taken(x, w):
        return None
    y = np.empty((3 if spread else 2, x.shape[0], x.shape[2]), x.dtype)
    run("log_sums", x, x=("row", x), top=("one", y[0]), log=("one", y[1]),
        all=("one", y[2] if spread else None), w=("line", w if spread else None))  # fmt: skip
    return y


def logsumexp(x: Array) -> Array | None:
    """log sum exp(x) of each row of x (N, C)."""
    if x.ndim != 2 or not taken(x.reshape(*x.shape, 1)):
        return None
    y = np.empty(len(x), x.dtype)
    run("finite_log_sums", x.reshape(*x.shape, 1), x=("row", x), y=("one", y))
    return y


def shares(
    x: Array, sums: Array, scale: Array, less: Array | None, w: Array | None, shape: Any
) -> Array | None:
    """The softmax of each row of x (N, C, inner) times its `scale` (N, inner), given its
    `log_sums`; less `less` (N, inner) times w (C) or 1. The result has the shape given."""
    if not taken(x, sums, scale, less, w):
        return None
    dx = np.empty(shape, x.dtype)  # not a view: a leaf keeps it as its gradient
    run("shares", x, x=("row", x), top=("one", sums[0]), log=("one", sums[1]),
        scale=("one", scale), less=("one", less), w=("line", None if less is None else w),
        dx=("row", dx))  # fmt: skip
    return dx
