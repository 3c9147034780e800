"""Softmax and normalisations row by row in machine code, and when that is used.

Every function answers None for what NumPy does: small arrays, other types and layouts, short rows.
The choice looks at types, shapes and layouts alone.

Not here: the kernels (`llvm/rows.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from . import fused
from .matmul import ELEMENTS

Array = Any
LEAST = 1 if fused.ALWAYS else 2048  # elements from which on a kernel is used
SHORT = 1 if fused.ALWAYS else 24  # elements of a channel of an image below which NumPy is quicker


@functools.lru_cache(maxsize=512)
def kernel(name: str, element: str, kinds: tuple[tuple[str, str], ...]) -> Any:
    from .llvm import rows

    return rows.kernel(getattr(rows, name), element, dict(kinds))


def run(name: str, n: int, rows: int, operands: dict[str, tuple[str, Any]], period: int = 1) -> int:
    """Call a row kernel; operands are (kind, array), those that are None left out. Returns the rows
    of a chunk."""
    from .llvm.rows import rows_in_chunk

    given = {k: v for k, v in operands.items() if v[1] is not None}
    dtype = next(v[1].dtype for v in given.values())
    call = kernel(name, ELEMENTS[dtype], tuple((k, v[0]) for k, v in given.items()))
    each = rows_in_chunk(n)
    fused.jit()[2].ready()
    call(*[v[1] for v in given.values()], n, rows, period, each)
    return each


def usable(*arrays: Any, least: int | None = None) -> bool:
    """Whether these are contiguous arrays of one float type, large enough."""
    first = arrays[0]
    if first.__class__ is not np.ndarray or first.size < (LEAST if least is None else least):
        return False
    dtype = first.dtype
    if dtype not in ELEMENTS:
        return False
    for a in arrays:
        if a is not None and (
            a.__class__ is not np.ndarray or a.dtype != dtype or not a.flags.c_contiguous
        ):
            return False
    return bool(fused.jit())


# -- softmax -------------------------------------------------------------------------------------


def _along(name: str, out: str, dim: int, **given: Array) -> Array | None:
    first = next(iter(given.values()))
    if first.__class__ is not np.ndarray or dim not in (-1, first.ndim - 1):
        return None
    if not usable(*given.values()) or not first.size:
        return None
    y = np.empty_like(first)
    n = first.shape[-1]
    run(name, n, first.size // n, {**{k: ("row", v) for k, v in given.items()}, out: ("row", y)})
    return y


def softmax(x: Array, dim: int) -> Array | None:
    """exp(x) / sum(exp(x)) along the last dimension."""
    return _along("softmax", "y", dim, x=x)


def log_softmax(x: Array, dim: int) -> Array | None:
    """x - log(sum(exp(x))) along the last dimension."""
    return _along("log_softmax", "y", dim, x=x)


def softmax_grad(g: Array, y: Array, dim: int) -> Array | None:
    """The gradient of softmax, given its result y."""
    return _along("softmax_grad", "dx", dim, g=g, y=y)


def log_softmax_grad(g: Array, y: Array, dim: int) -> Array | None:
    """The gradient of log_softmax, given its result y."""
    return _along("log_softmax_grad", "dx", dim, g=g, y=y)


# -- rows with moments of their own --------------------------------------------------------------


def row_moments(x: Array) -> tuple[Array, Array] | None:
    """Mean and biased variance of each row of x (R, n), as (R,)."""
    if not usable(x):
        return None
    rows, n = x.shape
    mean, var = np.empty(rows, x.dtype), np.empty(rows, x.dtype)
    run("sums", n, rows, {"x": ("row", x), "sum": ("one", mean)})
    mean /= n
    run("squares", n, rows, {"x": ("row", x), "mean": ("one", mean), "sum": ("one", var)})
    var /= n
    return mean, var


def standardize(
    x: Array, mean: Array, rstd: Array, w: Array | None, b: Array | None
) -> Array | None:
    """(x - mean) * rstd * w + b for rows x (R, n), moments (R, 1), parameters (n,)."""
    if not usable(x, mean, rstd, w, b):
        return None
    y = np.empty_like(x)
    rows, n = x.shape
    run("standardize", n, rows, {"x": ("row", x), "mean": ("one", mean), "rstd": ("one", rstd),
                                 "w": ("line", w), "b": ("line", b), "y": ("row", y)})  # fmt: skip
    return y


def standardize_grad(
    g: Array, x: Array, mean: Array, rstd: Array, w: Array | None, needs: tuple[bool, bool, bool]
) -> tuple[Array | None, Array | None, Array | None] | None:
    """Gradients of `standardize` by x, w and b."""
    from .llvm.rows import rows_in_chunk

    if x.__class__ is not np.ndarray or not usable(x, mean, rstd, w):
        return None
    g = np.ascontiguousarray(g)
    if g.dtype != x.dtype:
        return None
    rows, n = x.shape
    chunks = -(-rows // rows_in_chunk(n))
    dx = np.empty_like(x) if needs[0] else None
    dw = np.empty((chunks, n), x.dtype) if needs[1] else None
    db = np.empty((chunks, n), x.dtype) if needs[2] else None
    moments = {"mean": ("one", mean), "rstd": ("one", rstd)}
    results = {"dx": ("row", dx), "dw": ("partial", dw), "db": ("partial", db)}
    given = {"g": ("row", g), "x": ("row", x), "w": ("line", w)}
    run("standardize_grad", n, rows, {**given, **moments, **results})
    return dx, None if dw is None else dw.sum(0), None if db is None else db.sum(0)


# -- channels: x (N, C, ...) ---------------------------------------------------------------------


def _lines(x: Array) -> tuple[int, int, int] | None:
    """(images, channels, elements of a channel of an image) where they are rows for a kernel."""
    if x.ndim < 3 or not x.size:
        return None
    n, c, length = x.shape[0], x.shape[1], math.prod(x.shape[2:])
    return (n, c, length) if length >= SHORT else None


def channel_moments(x: Array) -> tuple[Array, Array] | None:
    """Mean and biased variance of each channel, as (C,)."""
    shape = _lines(x)
    if shape is None or not usable(x):
        return None
    n, c, length = shape
    total = np.empty((n, c), x.dtype)
    run("sums", length, n * c, {"x": ("row", x), "sum": ("one", total)})
    count = x.dtype.type(n * length)
    mean = np.asarray(total.sum(0) / count)
    run("squares", length, n * c,
        {"x": ("row", x), "mean": ("period", mean), "sum": ("one", total)}, c)  # fmt: skip
    return mean, np.asarray(total.sum(0) / count)


def channel_scale_shift(x: Array, scale: Array, shift: Array) -> Array | None:
    """x * scale + shift, a number for each channel."""
    shape = _lines(x)
    if shape is None or not usable(x, scale, shift):
        return None
    n, c, length = shape
    y = np.empty_like(x)
    run("scale_shift", length, n * c, {"x": ("row", x), "scale": ("period", scale),
                                       "shift": ("period", shift), "y": ("row", y)}, c)  # fmt: skip
    return y


def channel_grad(
    g: Array, x: Array, mean: Array, rstd: Array, w: Array | None, need_x: bool
) -> tuple[Array | None, Array, Array] | None:
    """Gradients of (x - mean) * rstd * w + b by x, w and b; moments and parameters (C,)."""
    shape = _lines(x)
    if shape is None or not usable(x, g, mean, rstd, w):
        return None
    n, c, length = shape
    parts = np.empty((2, n, c), x.dtype)
    moments = {"mean": ("period", mean), "rstd": ("period", rstd)}
    given = {"g": ("row", g), "x": ("row", x), **moments}
    run("products", length, n * c, {**given, "dw": ("one", parts[0]), "db": ("one", parts[1])}, c)
    dw, db = parts.sum(1)
    if not need_x:
        return None, dw, db
    count = x.dtype.type(n * length)
    dx = np.empty_like(x)
    scale = rstd if w is None else rstd * w
    numbers = {"along": dw / count, "level": db / count, "scale": scale}
    given |= {name: ("period", values) for name, values in numbers.items()}
    run("channels_grad", length, n * c, {**given, "dx": ("row", dx)}, c)
    return dx, dw, db
