"""Many arrays at once: their common norm, a factor for all, a limit for all.

Gradient clipping and the unscaling of gradients are made of these. Each is one call of machine code
over all arrays (`codegen/tensor_lists.py`); small ones, and whatever is not dense float32 or
float64, take NumPy's way, array by array. Nothing here knows a Tensor.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..elementwise import select as elementwise

# Elements, of all together, from which on machine code is used.
LEAST = 1 if elementwise.ALWAYS else 1024
COPY_LEAST = (
    1 if elementwise.ALWAYS else 1 << 18
)  # elements from which on two threads copy sooner than one
NOTHING = np.empty(0)
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
NORMS = {1.0: "add", 2.0: "square", math.inf: "max"}

Arrays = Sequence[np.ndarray]


def plain(arrays: Arrays) -> Any:
    """The dtype of all arrays when that is float32 or float64; None: NumPy and its like decide."""
    dtype = arrays[0].dtype if arrays and arrays[0].__class__ is np.ndarray else None
    if dtype not in FLOATS:
        return None
    same = all([a.__class__ is np.ndarray and a.dtype == dtype for a in arrays])
    return dtype if same else None


def norm(arrays: Arrays, order: float) -> float | None:
    """The norm of order 1, 2 or inf of all elements together, summed in float64; None for another
    order, for mixed types, and where it is not defined."""
    dtype = plain(arrays)
    if dtype is None or order not in NORMS:
        return None
    sizes = [a.size for a in arrays]
    total = sum(sizes)
    if total == 0 or (order == math.inf and 0 in sizes):
        return None
    if total < LEAST:
        with np.errstate(all="ignore"):
            flat = np.concatenate([a.ravel() for a in arrays]).astype(np.float64)
            if order == 2:
                return math.sqrt(float(np.dot(flat, flat)))
            np.abs(flat, flat)
            return float(flat.max() if order == math.inf else flat.sum())
    if not elementwise.jit():
        return None
    parts = np.empty(_chunks(total))
    if not _run("norm", dtype, arrays, parts, NORMS[order]):
        return None
    if order == math.inf:
        return float(parts.max())
    with np.errstate(all="ignore"):
        found = float(parts.sum())
    return math.sqrt(found) if order == 2 else found


def finite(arrays: Arrays) -> bool:
    """Whether no element is infinite or NaN."""
    found = norm(arrays, math.inf)
    if found is not None:
        return math.isfinite(found)
    return all([bool(np.isfinite(a).all()) for a in arrays])


def scale(arrays: Arrays, factor: Any) -> None:
    """Multiply all elements by a number, in place."""
    if not _in_place("scale", arrays, [factor]):
        with np.errstate(all="ignore"):
            for a in arrays:
                np.multiply(a, np.asarray(factor, a.dtype), out=a)


def limit(arrays: Arrays, low: float, high: float) -> None:
    """Bring all elements into [low, high], in place; NaN stays."""
    if not _in_place("limit", arrays, [low, high]):
        with np.errstate(all="ignore"):
            for a in arrays:
                np.minimum(np.maximum(a, low, out=a), high, out=a)


def copy(into: np.ndarray, source: np.ndarray) -> None:
    """Copy an array of the same shape, by several threads where that pays."""
    if (
        source.size >= COPY_LEAST
        and plain([into, source]) is not None
        and into.shape == source.shape
        and not np.may_share_memory(into, source)
        and elementwise.jit()
        and _run("copy", into.dtype, [into, source], NOTHING)
    ):
        return
    np.copyto(into, source, casting="unsafe")


def _in_place(name: str, arrays: Arrays, numbers: list[Any]) -> bool:
    dtype = plain(arrays)
    if dtype is None or sum([a.size for a in arrays]) < LEAST or not elementwise.jit():
        return False
    with np.errstate(all="ignore"):
        given = np.array(numbers, dtype)
    return _run(name, dtype, arrays, given)


def _chunks(total: int) -> int:
    share = elementwise.jit()[0].share_of(total)
    return -(-total // int(share))


def _run(name: str, dtype: Any, arrays: Arrays, numbers: np.ndarray, *more: str) -> bool:
    """Call a kernel; False when one of the arrays is not for it."""
    elementwise.jit()[2].ready()
    table = np.empty(2 * (len(arrays) + 1), np.int64)
    done: bool = _kernel(name, elementwise.ELEMENTS[dtype], *more)(list(arrays), numbers, table)
    return done


@functools.cache
def _kernel(*what: str) -> Any:
    from . import norm_scale as kernels

    return kernels.kernel(*what)
