"""Normalisations by machine code, and when that is used.

Every function answers None for what NumPy does: small arrays, other types and layouts. The choice
looks at types, shapes and layouts alone. Not here: the NumPy form, which is the reference
(`reference.py`); the kernels (`layer_norm.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ..elementwise import select as elementwise
from ..matmul.select import ELEMENTS
from ..softmax.select import LEAST, NARROW, ROW_ELEMENTS, computed, launch, usable

Array = Any
Shape = tuple[int, ...]
PARTS = 32  # chunks that the rows of a gradient are cut into, as long as they have
MOST_ROWS = 256  # rows of a chunk at most: sums of more lose digits
SHORT = 8  # elements of a channel of an image below which NumPy is quicker, but for one
BLOCK = 4096  # elements whose sum is gathered in the type of the data
CHUNK = 16384  # elements of a chunk of channels


@functools.lru_cache(maxsize=256)
def kernel(which: str, *key: Any) -> Any:
    from . import batch_norm, layer_norm

    return getattr(layer_norm if which.startswith("row") else batch_norm, which)(*key)


FORWARD: dict[Any, Any] = {}  # kernels of rows, by what they are given
BACKWARD: dict[Any, Any] = {}


def named(**arrays: Array | None) -> tuple[tuple[str, ...], list[Array]]:
    """Names and values of those that are not None."""
    given = {k: a for k, a in arrays.items() if a is not None}
    return tuple(given), list(given.values())


# -- rows ----------------------------------------------------------------------------------------


def rows(
    x: Array, length: int, w: Array | None, b: Array | None, eps: float, centred: bool
) -> tuple[Array, Array | None, Array] | None:
    """y, mean and rstd of the rows of `length` elements of x; no mean of those not `centred`."""
    if not usable(x, w, b):
        return None
    count, wide = x.size // length, computed(x.dtype)
    y, rstd = np.empty(x.shape, x.dtype), np.empty(count, wide)
    mean = np.empty(count, wide) if centred else None
    each = max(1, CHUNK // length)
    elementwise.jit()[2].ready()
    key = (x.dtype, w is None, b is None, centred)
    call = FORWARD.get(key)
    if call is None:
        names, _ = named(x=x, w=w, b=b, y=y, mean=mean, rstd=rstd)
        call = FORWARD[key] = kernel("row_forward", ROW_ELEMENTS[x.dtype], names)
    arrays = [a for a in (x, w, b, y, mean, rstd) if a is not None]
    call(*arrays, length, count, each, eps, -(-count // each))
    return y, mean, rstd


def rows_grad(
    g: Array, x: Array, length: int, w: Array | None, mean: Array | None, rstd: Array,
    needs: tuple[bool, bool, bool],
) -> tuple[Array | None, Array | None, Array | None] | None:  # fmt: skip
    """Gradients by x, w (length) and b (length)."""
    if not usable(x, w) or g.dtype != x.dtype:
        return None
    g = np.ascontiguousarray(g)
    count, wide = x.size // length, computed(x.dtype)
    each = min(MOST_ROWS, -(-count // PARTS))
    chunks = -(-count // each)
    dx = np.empty(x.shape, x.dtype) if needs[0] else None
    dw, db = (np.empty((chunks, length), wide) if need else None for need in needs[1:])
    elementwise.jit()[2].ready()
    key = (x.dtype, w is None, mean is None, needs)
    call = BACKWARD.get(key)
    if call is None:
        names, _ = named(g=g, x=x, w=w, mean=mean, rstd=rstd, dx=dx, dw=dw, db=db)
        call = BACKWARD[key] = kernel("row_backward", ROW_ELEMENTS[x.dtype], names)
    arrays = [a for a in (g, x, w, mean, rstd, dx, dw, db) if a is not None]
    call(*arrays, length, count, each, chunks)
    return dx, None if dw is None else dw[0].copy(), None if db is None else db[0].copy()


# -- channels: x (N, C, ...) ---------------------------------------------------------------------


def channels(
    x: Array, w: Array | None, b: Array | None, mean: Array, var: Array, eps: float, training: bool
) -> Array | None:
    """Each channel normalised by `mean` and `var` (C), which are computed when `training`."""
    if not usable(x, w, b, mean, var):
        return None
    y = np.empty(x.shape, x.dtype)
    names, arrays = named(x=x, w=w, b=b, mean=mean, var=var, y=y)
    return y if channel_call(x, names, arrays, eps, training, False) else None


def channels_grad(
    g: Array, x: Array, w: Array | None, mean: Array, var: Array, eps: float, training: bool,
    need_x: bool,
) -> tuple[Array | None, Array, Array] | None:  # fmt: skip
    """Gradients by x, w and b."""
    if not usable(x, w, mean, var) or g.dtype != x.dtype:
        return None
    g = np.ascontiguousarray(g)
    dx = np.empty(x.shape, x.dtype) if need_x else None
    dw, db = np.empty(x.shape[1], mean.dtype), np.empty(x.shape[1], mean.dtype)
    names, arrays = named(g=g, x=x, w=w, mean=mean, var=var, dx=dx, dw=dw, db=db)
    return (dx, dw, db) if channel_call(x, names, arrays, eps, training, True) else None


def channel_call(
    x: Array, names: tuple[str, ...], arrays: list[Array], eps: float, training: bool, back: bool
) -> bool:
    """Run a kernel of channels; False where their parts are too short for it."""
    n, c = x.shape[:2]
    length = math.prod(x.shape[2:])
    if length < SHORT and length != 1:
        return False
    e = ROW_ELEMENTS[x.dtype]
    call = kernel("channel_kernel", e, names, training, length == 1, back)
    if length == 1:
        each = kernel("columns_together", e)
        block = BLOCK // 8
    else:
        each = max(1, CHUNK // (n * length))
        block = max(1, BLOCK // length)
    elementwise.jit()[2].ready()
    call(*arrays, length, n, c, each, block, n * length, eps, -(-c // each))
    return True


# -- groups of channels of each sample -----------------------------------------------------------


def groups(
    x: Array, number: int, w: Array | None, b: Array | None, eps: float
) -> tuple[Array, Array, Array] | None:
    """y, and mean and variance of each group, (N * number,)."""
    if not usable(x, w, b):
        return None
    count, wide = x.shape[0] * number, computed(x.dtype)
    y, mean, var = np.empty(x.shape, x.dtype), np.empty(count, wide), np.empty(count, wide)
    names, arrays = named(x=x, w=w, b=b, mean=mean, var=var, y=y)
    return (y, mean, var) if group_call(x, number, names, arrays, eps, False) else None


def groups_grad(
    g: Array, x: Array, number: int, w: Array | None, mean: Array, var: Array, eps: float,
    needs: tuple[bool, bool, bool],
) -> tuple[Array | None, Array | None, Array | None] | None:  # fmt: skip
    """Gradients by x, w and b (C)."""
    if not usable(x, w, mean, var) or g.dtype != x.dtype:
        return None
    g = np.ascontiguousarray(g)
    dx = np.empty(x.shape, x.dtype) if needs[0] else None
    dw, db = (np.empty(x.shape[:2], mean.dtype) if need else None for need in needs[1:])
    names, arrays = named(g=g, x=x, w=w, mean=mean, var=var, dx=dx, dw=dw, db=db)
    if not group_call(x, number, names, arrays, eps, True):
        return None
    return dx, None if dw is None else dw[0].copy(), None if db is None else db[0].copy()


def group_call(
    x: Array, number: int, names: tuple[str, ...], arrays: list[Array], eps: float, back: bool
) -> bool:
    """Run a kernel of groups; False where channels are too short."""
    n, c = x.shape[:2]
    length, inside = math.prod(x.shape[2:]), c // number
    if length < SHORT:
        return False
    call = kernel("group_kernel", ROW_ELEMENTS[x.dtype], names, back)
    each = max(1, CHUNK // (inside * length))
    block = max(1, BLOCK // length)
    elementwise.jit()[2].ready()
    call(*arrays, length, inside, n * number, number, each, block, inside * length, eps,
         -(-n * number // each))  # fmt: skip
    return True


# -- the length of a row made 1 ------------------------------------------------------------------


def unit(x: Array, dim: int, eps: float, stops: bool) -> tuple[Array, Array] | None:
    """x / max(norm, eps) along a dimension, and the norm, which keeps the dimension as 1."""
    x = np.ascontiguousarray(x) if x.size >= LEAST else x
    inner = math.prod(x.shape[dim + 1 :])
    if not usable(x) or x.dtype not in ELEMENTS or 1 < inner < NARROW:
        return None
    shape = (*x.shape[:dim], 1, *x.shape[dim + 1 :])
    y, norm, how = (
        np.empty(x.shape, x.dtype),
        np.empty(shape, x.dtype),
        np.array([eps, stops], x.dtype),
    )
    kinds = (("x", "row"), ("how", "line"), ("norm", "one"), ("y", "row"))
    launch("norm", "unit", x, x.shape[dim], inner, kinds, [x, how, norm, y])
    return y, norm


def unit_grad(g: Array, x: Array, norm: Array, dim: int, eps: float, stops: bool) -> Array | None:
    """The gradient of `unit`, given its norm."""
    inner = math.prod(x.shape[dim + 1 :])
    if x.size < LEAST or g.dtype != x.dtype or x.dtype not in ELEMENTS or 1 < inner < NARROW:
        return None
    g, x, norm = (np.ascontiguousarray(a) for a in (g, x, norm))
    if not usable(x):
        return None
    dx, how = np.empty(x.shape, x.dtype), np.array([eps, stops], x.dtype)
    kinds = (("g", "row"), ("x", "row"), ("how", "line"), ("norm", "one"), ("dx", "row"))
    launch("norm", "unit_grad", x, x.shape[dim], inner, kinds, [g, x, how, norm, dx])
    return dx
