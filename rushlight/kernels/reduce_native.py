"""Reductions of large arrays in machine code, and when that is used.

`reduced(how, x, dims, keepdims)` answers None for what NumPy does: small arrays, other types and
layouts. The choice looks at types, shapes and layouts alone, and work is cut by shape, so a result
does not depend on the number of threads. Sums of float32 are kept in float64 until the end.

Not here: the kernels (`llvm/reduce.py`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import fused
from .matmul import ELEMENTS

Array = Any
LEAST = 1 if fused.ALWAYS else 131072  # elements from which on a kernel is used
SHORT = 1 if fused.ALWAYS else 16  # elements along memory below which NumPy is quicker
JOIN: dict[str, Any] = {"max": np.maximum, "min": np.minimum}


@functools.lru_cache(maxsize=64)
def kernel(direction: str, how: str, element: str) -> Any:
    from .llvm import reduce

    return reduce.kernel(direction, how, element)


def groups(shape: Sequence[int], dims: Sequence[int]) -> list[tuple[int, bool]]:
    """Neighbouring dims of one fate joined: (size, whether it is reduced)."""
    found: list[tuple[int, bool]] = []
    for d, n in enumerate(shape):
        if n == 1:
            continue
        gone = d in dims
        if found and found[-1][1] == gone:
            found[-1] = (found[-1][0] * n, gone)
        else:
            found.append((n, gone))
    return found


def along(how: str, x: Array, rows: int, n: int) -> Array:
    """Rows of n elements, each to one number: (rows,), sums in float64."""
    from .llvm.reduce import SEGMENT

    element = ELEMENTS[x.dtype]
    segment = SEGMENT[element]
    across = -(-n // segment)
    exact = how not in JOIN
    y = np.empty((rows, across), np.float64 if exact else x.dtype)
    each = max(1, SEGMENT["float"] // min(n, segment))
    fused.jit()[2].ready()
    kernel("along", how, element)(x, y, rows, n, segment, each, -(-rows * across // each))
    return y.reshape(rows) if across == 1 else JOIN.get(how, np.add).reduce(y, axis=1)


def across(how: str, x: Array, count: int, rows: int, n: int) -> Array:
    """A stack of matrices (rows, n), each over its rows: (count, n), sums in float64."""
    from .llvm.reduce import BLOCK, TILE, width_of

    element = ELEMENTS[x.dtype]
    exact = how not in JOIN
    blocks = -(-rows // BLOCK)
    y = np.empty((count, blocks, n), np.float64 if exact else x.dtype)
    tiles = -(-n // (TILE * width_of(element)))
    fused.jit()[2].ready()
    kernel("across", how, element)(x, y, rows, n, BLOCK, count * blocks * tiles)
    return y.reshape(count, n) if blocks == 1 else JOIN.get(how, np.add).reduce(y, axis=1)


def wide(how: str, x: Array, dims: Sequence[int]) -> Array | None:
    """The reduction in the type it was computed in, flat; None when NumPy should do it."""
    if (
        x.__class__ is not np.ndarray
        or x.size < LEAST
        or x.dtype not in ELEMENTS
        or not x.flags.c_contiguous
        or not x.flags.aligned
        or not fused.jit()
    ):
        return None
    found = groups(x.shape, dims)
    shape = [n for n, _ in found]
    fate = "".join("r" if gone else "k" for _, gone in found)
    if fate in ("r", "kr", "rkr"):
        n = shape[-1]
        if n < SHORT:
            return None
        y = along(how, x, x.size // n, n)
        if fate == "rkr":
            y = JOIN.get(how, np.add).reduce(y.reshape(shape[0], shape[1]), axis=0)
        return y
    if fate in ("rk", "krk"):
        rows, n = shape[-2:]
        if n < SHORT or rows < SHORT:
            return None
        return across(how, x, x.size // (rows * n), rows, n)
    return None


def reduced(
    how: str, x: Array, dims: Sequence[int], keepdims: bool = False, over: float | None = None
) -> Array | None:
    """x reduced over `dims` (in range), of x's type; None when NumPy should do it.

    Args:
        how: "add", "squares" (sum of x**2), "sizes" (sum of |x|), "max", "min".
        over: what sums are divided by before they are rounded.
    """
    y = wide(how, x, dims)
    if y is None:
        return None
    if over is not None:
        y = y / over
    shape = [1 if d in dims else n for d, n in enumerate(x.shape) if keepdims or d not in dims]
    with np.errstate(all="ignore"):
        return np.asarray(y.astype(x.dtype, copy=False)).reshape(shape)


def extremes(how: str, ufunc: Any) -> Any:
    """The function (x, dims, keepdims) for the largest or smallest of large arrays and small."""

    def extreme(x: Array, dims: Sequence[int], keepdims: bool = False) -> Array:
        if x.size >= LEAST:
            found = reduced(how, x, dims, keepdims)
            if found is not None:
                return found
        return ufunc.reduce(x, axis=dims, keepdims=keepdims)

    return extreme


def located(how: str, x: Array, d: int) -> tuple[Array, Array] | None:
    """("max" or "min" of x over dim d, the first places): for a dim that is not the last.

    None when NumPy should do it.
    """
    if (
        x.size < LEAST
        or d == x.ndim - 1
        or x.dtype not in ELEMENTS
        or not x.flags.c_contiguous
        or not x.flags.aligned
        or not fused.jit()
    ):
        return None
    count, rows, n = math.prod(x.shape[:d]), x.shape[d], math.prod(x.shape[d + 1 :])
    if n < SHORT or rows >= 1 << 31:
        return None
    from .llvm.reduce import BLOCK, width_of

    element = ELEMENTS[x.dtype]
    block = max(BLOCK, -(-rows // 8))
    blocks = -(-rows // block)
    y = np.empty((count, blocks, n), x.dtype)
    at = np.empty(y.shape, np.int32 if element == "float" else np.int64)
    fused.jit()[2].ready()
    kernel("places", how, element)(
        x, y, at, rows, n, block, count * blocks * -(-n // width_of(element))
    )
    if blocks > 1:
        find = np.argmax if how == "max" else np.argmin
        first = find(y, axis=1)[:, None]
        y, at = np.take_along_axis(y, first, 1), np.take_along_axis(at, first, 1)
    shape = (*x.shape[:d], *x.shape[d + 1 :])
    return y.reshape(shape), at.astype(np.int64, copy=False).reshape(shape)
