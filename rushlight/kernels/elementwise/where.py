"""Choosing between two arrays by a mask.

`np.where` branches on every element: on a mask without pattern it takes ten times as long as an
addition. Of many elements a kernel chooses, a vector at a time. Of some, the mask becomes all ones
or all zeros and is and-ed with the bits. Either way every value, NaN and infinity too, comes
through unchanged.
"""

from __future__ import annotations

import contextlib
import functools
import types
from typing import Any

import numpy as np

from .. import runtime, tuning
from .formula import Formula

_BITS: dict[Any, Any] = {
    np.dtype(np.float32): np.dtype(np.int32),
    np.dtype(np.float64): np.dtype(np.int64),
    np.dtype(np.int32): np.dtype(np.int32),
    np.dtype(np.int64): np.dtype(np.int64),
}


def where(mask: Any, a: Any, b: Any) -> Any:
    """`np.where(mask, a, b)` for a bool array and arrays or numbers."""
    if mask.__class__ is not np.ndarray or mask.size < tuning.WHERE_SMALL:
        return _by_numpy(mask, a, b)
    bits = None
    with contextlib.suppress(np.exceptions.DTypePromotionError):
        bits = _BITS.get(dtype := np.result_type(a, b))
    if bits is None:
        return _by_numpy(mask, a, b)
    a, b = np.asarray(a, dtype), np.asarray(b, dtype)
    if max(mask.size, a.size, b.size) >= tuning.ELEMENTWISE_LEAST and runtime.available():
        return CHOICE(mask, a, b)
    return by_bits(mask, a, b)


def by_bits(mask: Any, a: Any, b: Any) -> Any:
    """Arrays of one type by bit operations."""
    dtype, bits = a.dtype, _BITS[a.dtype]
    if b.ndim == 0 and not b.view(bits):
        return _and(np.negative(mask.view(np.int8)), a, bits)
    if a.ndim == 0 and not a.view(bits):
        return _and(np.subtract(mask.view(np.int8), np.int8(1)), b, bits)
    b = b.view(bits)
    y = np.bitwise_xor(a.view(bits), b)
    wide = np.negative(mask.view(np.int8)).astype(bits)
    y = y & wide if y.ndim < wide.ndim or y.shape != wide.shape else np.bitwise_and(y, wide, out=y)
    np.bitwise_xor(y, b, out=y)
    return y.view(dtype)


_WHERE = types.SimpleNamespace(name="where")  # the step of a formula that is called so
CHOICE = Formula(lambda mask, a, b: mask.trace.call(_WHERE, (mask, a, b)), "where", by_bits)


FILL = Formula(
    lambda a, mask, value: a.trace.call(_WHERE, (mask, value, a)),
    "masked_fill",
    lambda a, mask, value: by_bits(mask, value, a),
)


def fill(a: Any, mask: Any, value: Any) -> None:
    """`a[mask] = value` for a bool array that broadcasts to a, and one number of its type (0-d).

    NumPy looks at the mask number by number; where about half of it is True that takes twenty times
    as long as a kernel, which writes all of a anew.
    """
    if a.size < tuning.MASKED_FILL_LEAST and mask.shape == a.shape:
        a[mask] = value  # (`copyto` takes longer to begin)
    elif a.size < tuning.MASKED_FILL_LEAST or a.dtype not in _BITS or not a.flags.c_contiguous:
        np.copyto(a, value, where=mask)
    else:
        FILL.into(FILL.reference, a, mask, value)


def fill_number(a: Any, mask: Any, number: float) -> None:
    """`a[mask] = number` for a bool array of a's first dimensions."""
    if a.size < tuning.MASKED_FILL_LEAST:
        a[mask] = number
    else:
        over = mask.reshape(mask.shape + (1,) * (a.ndim - mask.ndim))
        fill(a, over, np.asarray(number, a.dtype))


def lower_triangle(n: int, m: int, k: int) -> Any:
    """`np.tri(n, m, k, bool)`, True up to the k-th diagonal; to be read only."""
    return _kept_triangle(n, m, k) if n * m <= tuning.TRIANGLE_KEPT else np.tri(n, m, k, bool)


@functools.lru_cache(maxsize=64)
def _kept_triangle(n: int, m: int, k: int) -> Any:
    mask = np.tri(n, m, k, bool)
    mask.flags.writeable = False
    return mask


def _by_numpy(mask: Any, a: Any, b: Any) -> Any:
    try:
        return np.where(mask, a, b)
    except np.exceptions.DTypePromotionError:  # complex32 and a number of Python's
        dtype = next(x.dtype for x in (a, b) if hasattr(x, "dtype"))
        return np.where(mask, np.asarray(a, dtype), np.asarray(b, dtype))


def _and(mask: Any, a: Any, bits: Any) -> Any:
    """The bits of `a` where `mask` is -1, zero where it is 0."""
    wide = mask.astype(bits)
    source = a.view(bits)
    if source.shape == wide.shape:
        return np.bitwise_and(wide, source, out=wide).view(a.dtype)
    return np.bitwise_and(wide, source).view(a.dtype)
