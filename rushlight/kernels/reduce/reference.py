"""Reductions by NumPy: right for every type and layout.

NumPy adds pairwise along the axis that is contiguous in memory, but one after the other along an
outer axis: long outer axes of narrow floats are summed in blocks here, so that the error does not
grow with their length. float16 and bfloat16 are computed in float32 and rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from .. import tuning

Array = Any
NP: Any = np  # NumPy's stubs do not know `keepdims` as a variable
NARROW = (np.dtype(np.float32), np.dtype(np.complex64))
LOW = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16))
UFUNCS: dict[str, Any] = {
    "add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum, "any": np.logical_or,
}  # fmt: skip


def add_reduce(x: Array, axes: Any, keepdims: bool = False) -> Array:
    """`np.add.reduce`; float32 over long leading axes of a contiguous array block by block."""
    if x.dtype in NARROW and axes.__class__ is tuple and axes and x.ndim > len(axes):
        if x.flags.c_contiguous:
            y = leading(x, axes)
        elif x.flags.f_contiguous:  # the same from the other end
            y = leading(x.T, tuple(x.ndim - 1 - d for d in axes))
            y = None if y is None else y.T
        else:
            y = None
        if y is not None:
            return np.expand_dims(y, axes) if keepdims else y
    return NP.add.reduce(x, axis=axes, keepdims=keepdims)


def leading(x: Array, axes: tuple[int, ...]) -> Array | None:
    """The sum over long leading axes of a contiguous array; None for others."""
    k = len(axes)
    n = math.prod(x.shape[:k])
    if n < 4 * tuning.NARROW_SUM_BLOCK or not x.size or sorted(axes) != list(range(k)):
        return None
    return blocks(x.reshape(n, -1)).reshape(x.shape[k:])


def blocks(x: Array) -> Array:
    """The sum over the first axis of a matrix: of blocks of rows, then of their sums."""
    block = tuning.NARROW_SUM_BLOCK
    while len(x) >= 4 * block:
        n = len(x) // block * block
        sums = np.add.reduce(x[:n].reshape(-1, block, x.shape[1]), axis=1)
        if n < len(x):
            sums[-1] += np.add.reduce(x[n:], axis=0)
        x = sums
    return np.add.reduce(x, axis=0)


def of(how: str, formula: Callable[..., Any] | None, finish: str, out: Any) -> Callable[..., Array]:
    """The reference of a reduction that has none of its own: the formula of whole arrays, then the
    ufunc's `reduce`."""

    def reduced(*arrays: Array, dims: Any, keepdims: bool, over: float, **kw: Any) -> Array:
        low = arrays[0].dtype if arrays[0].dtype in LOW else None
        given = [a.astype(np.float32) if a.dtype in LOW else a for a in arrays]
        with np.errstate(all="ignore"):
            x = given[0] if formula is None else formula(*given, **kw)
            if out is not None and how == "add":
                x = x.astype(out)
            if how == "add" and x.dtype.kind in "fc":
                y = add_reduce(x, dims, keepdims)
            else:
                y = UFUNCS[how].reduce(x, axis=dims, keepdims=keepdims)
            if "over" in finish:
                y = y / y.dtype.type(over)
            if "root" in finish:
                y = np.sqrt(y)
            if "not" in finish:
                y = ~y
        y = np.asarray(y)
        return y.astype(low) if low is not None and y.dtype == np.float32 else y

    return reduced


# -- running into reductions of several steps ----------------------------------------------------


def finite(x: Array) -> Array:
    """x, with 0 for what is not finite: a largest element that can be subtracted."""
    return np.where(np.isfinite(x), x, x.dtype.type(0))


def log_added(total: Array, top: Array) -> Array:
    """log(total) + top, of a sum of exponentials whose largest was subtracted."""
    return np.log(total) + top
