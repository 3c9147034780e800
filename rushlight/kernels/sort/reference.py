"""Ordering on arrays: sort, topk, kthvalue, mode, unique, searchsorted, with PyTorch's rules.

NaN counts as the greatest value. Sorting is stable in both directions. Equal values of `mode` give
the last position, `kthvalue` and `median` the position that the stable order gives. Nothing here
knows about Tensors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import tuning
from ..runtime import few as steps

__all__ = [
    "argsort",
    "kth",
    "median",
    "mode",
    "searchsorted",
    "topk",
    "unique",
    "unique_consecutive",
    "unique_rows",
]

Array = np.ndarray[Any, Any]

LOW_32 = (1 << 32) - 1
LAST = np.int32(2**31 - 1)


def packed(x: Array, descending: bool = False, nan_first: bool = False) -> Array | None:
    """x along its last axis as int64 numbers, all different, whose order is the stable order of x.

    The upper half is the element as a whole number of the same order, the lower one its position:
    NumPy sorts and partitions such numbers with vector instructions, and ties need no care. None
    for elements that 32 bits cannot order.
    """
    n = x.shape[-1]
    if x.size < tuning.SORT_MANY or not n or n >= LAST:
        return None
    y = np.empty(x.shape, np.int64)
    if x.dtype == np.float32:
        bits = np.add(x, np.float32(0), order="C").view(np.int32)  # -0 becomes 0
        key = bits >> 31
        key &= LAST
        key ^= bits  # negative numbers in reverse
        missing = np.isnan(x)
        if missing.any():
            key[missing] = ~LAST if nan_first else LAST
        np.copyto(y, key)
    elif (x.dtype.kind in "iub" and x.dtype.itemsize < 4) or x.dtype == np.int32:
        np.copyto(y, x)
    elif x.dtype == np.int64:
        low, high = int(x.min()), int(x.max())
        if high - low > LOW_32:
            return None
        np.subtract(x, low + (1 << 31), out=y)
    else:
        return None
    if descending:
        np.invert(y, out=y)
    y <<= 32
    y |= np.arange(n)
    return y


def place(y: Array) -> Array:
    """The positions in packed numbers, which are overwritten."""
    y &= LOW_32
    return y


def chosen(x: Array, index: Array, dim: int) -> Array:
    """x at places along dim."""
    if (values := steps.gathered(x, index, dim)) is not None:
        return values  # type: ignore[no-any-return]
    if dim == x.ndim - 1 and x.flags.c_contiguous and x.size >= tuning.SORT_MANY:
        n = x.shape[-1]
        starts = np.arange(0, x.size, n).reshape(*x.shape[:-1], 1)
        return x.reshape(-1).take(index + starts if x.ndim > 1 else index)
    return np.take_along_axis(x, index, dim)


def innermost(x: Array, dim: int) -> Array:
    """x with a dimension as the last one (moveaxis takes 2 µs to find that it is)."""
    return x if dim == x.ndim - 1 else np.moveaxis(x, dim, -1)


def put_back(y: Array, dim: int) -> Array:
    """The last dimension where it was."""
    return y if dim == y.ndim - 1 else np.moveaxis(y, -1, dim)


def argsort(x: Array, dim: int, descending: bool) -> Array:
    """Stable order along dim; NaN last going up and first going down."""
    y = packed(innermost(x, dim), descending)
    if y is not None:
        y.sort(axis=-1)
        return put_back(place(y), dim)
    if not descending:
        return np.argsort(x, axis=dim, kind="stable")
    if x.dtype.kind in "biu":
        return np.argsort(~x, axis=dim, kind="stable")
    if x.dtype.kind == "f" and not np.isnan(x).any():
        return np.argsort(-x, axis=dim, kind="stable")
    # reversing before and after keeps equal values in their first-come order
    back = np.argsort(np.flip(x, dim), axis=dim, kind="stable")
    return np.flip(x.shape[dim] - 1 - back, dim)


def topk(x: Array, k: int, dim: int, largest: bool, ordered: bool) -> Array:
    """Positions of the k largest (or smallest) values along dim."""
    n = x.shape[dim]
    if k == 0:
        return np.zeros((*x.shape[:dim], 0, *x.shape[dim + 1 :]), np.int64)
    if ordered and dim == x.ndim - 1 and (ranked := steps.ranked(x, k, largest)) is not None:
        return ranked  # type: ignore[no-any-return]
    found = few(innermost(x, dim), k, largest) if k <= n // tuning.SORT_FEW else None
    if found is not None:
        return put_back(found, dim)
    y = packed(innermost(x, dim), largest)
    if y is not None:
        if k < n:
            y.partition(k - 1, axis=-1)
            y = y[..., :k].copy()
        if ordered:
            y.sort(axis=-1)
        return put_back(place(y), dim)
    if k == n or n <= 64 or k > n // 4:
        return argsort(x, dim, largest).take(np.arange(k), axis=dim)
    if largest:
        part = np.argpartition(x, n - k, axis=dim).take(np.arange(n - k, n), axis=dim)
    else:
        part = np.argpartition(x, k - 1, axis=dim).take(np.arange(k), axis=dim)
    if not ordered:
        return part
    part.sort(axis=dim)  # first come first among equals
    inner = argsort(np.take_along_axis(x, part, dim), dim, largest)
    return np.take_along_axis(part, inner, dim)


def few(x: Array, k: int, largest: bool) -> Array | None:
    """Positions of the k largest along the last axis in order, found by the value of the k-th.

    None where other elements equal it, or NaN is among them.
    """
    if x.dtype not in (np.float32, np.float64) or x.size < tuning.SORT_FEW_LEAST:
        return None
    n = x.shape[-1]
    where = n - k if largest else k - 1
    bound = np.partition(x, where, axis=-1)[..., where : where + 1]
    hit = np.flatnonzero(x >= bound if largest else x <= bound)
    rows = x.size // n
    if hit.size != rows * k:
        return None
    row, index = np.divmod(hit.reshape(rows, k), n)
    if rows * k and not (row == np.arange(rows)[:, None]).all():
        return None
    index = index.reshape(*x.shape[:-1], k)
    return np.take_along_axis(index, argsort(np.take_along_axis(x, index, -1), -1, largest), -1)


def kth(x: Array, k: int, dim: int) -> Array:
    """Position of the k-th smallest value (k from 1), with dim kept as size 1."""
    y = packed(np.moveaxis(x, dim, -1))
    if y is not None:
        y.partition(k - 1, axis=-1)
        return np.moveaxis(place(y[..., k - 1 : k].copy()), -1, dim)
    n = x.shape[dim]
    if n > 1000:
        return np.argpartition(x, k - 1, axis=dim).take([k - 1], axis=dim)
    return np.argsort(x, axis=dim, kind="stable").take([k - 1], axis=dim)


def median(x: Array, dim: int, skip_nan: bool) -> Array:
    """Position of the lower median along dim (kept as size 1); a NaN wins unless it is skipped."""
    n = x.shape[dim]
    middle = (n - 1) // 2
    if x.dtype.kind != "f":
        return kth(x, middle + 1, dim)
    missing = np.isnan(x)
    if not missing.any():
        return kth(x, middle + 1, dim)
    if not skip_nan:
        first = np.argmax(missing, axis=dim, keepdims=True)
        return np.where(missing.any(axis=dim, keepdims=True), first, kth(x, middle + 1, dim))
    count = n - missing.sum(axis=dim, keepdims=True)
    return np.take_along_axis(argsort(x, dim, False), np.maximum(count - 1, 0) // 2, dim)


def mode(x: Array, dim: int) -> Array:
    """Position of the most frequent value along dim (the smallest of several), dim kept as size
    1."""
    x = np.moveaxis(x, dim, -1)
    y = packed(x, nan_first=True)
    if y is not None:
        y.sort(axis=-1)
        order = place(y)
    elif x.dtype.kind == "f":
        order = np.lexsort((x, ~np.isnan(x)), axis=-1)  # here a NaN counts as the smallest value
    else:
        order = np.argsort(x, axis=-1, kind="stable")
    ordered = chosen(x, order, -1 % x.ndim)
    n = x.shape[-1]
    # length of the run that ends at each place
    starts = np.ones(x.shape, bool)
    starts[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    first = np.maximum.accumulate(np.where(starts, np.arange(n), 0), axis=-1)
    best = np.argmax(np.arange(n) - first, axis=-1, keepdims=True)
    return np.moveaxis(np.take_along_axis(order, best, -1), -1, dim)


def unique(x: Array, places: bool = True) -> tuple[Array, Array | None, Array]:
    """Sorted values of the flattened array, where each element went (None unless `places`), and how
    often each occurs."""
    if x.dtype.kind in "iub" and x.size:
        low = x.min()
        if int(x.max()) - int(low) < x.size:
            return counted(x, low, places)
    listed: Any = np.unique  # whose types know of no flag that is a variable
    found = listed(x.reshape(-1), return_inverse=places, return_counts=True, equal_nan=False)
    values, counts = found[0], found[-1].astype(np.int64)
    return values, found[1].reshape(x.shape).astype(np.int64) if places else None, counts


def counted(x: Array, low: Any, places: bool) -> tuple[Array, Array | None, Array]:
    """`unique` of whole numbers of a narrow range from `low` on: by counting, without sorting."""
    wide = x.reshape(-1)
    if x.dtype == np.uint64:
        wide = (wide - low).astype(np.int64)
    else:
        wide = wide.astype(np.int64, copy=False)
        if low:
            wide = wide - np.int64(low)
    counts = np.bincount(wide)
    there = counts > 0
    found = np.flatnonzero(there)
    values = found.astype(x.dtype) + low if x.dtype == np.uint64 else found + np.int64(low)
    inverse = (np.cumsum(there) - 1).take(wide).reshape(x.shape) if places else None
    return values.astype(x.dtype), inverse, counts[found].astype(np.int64, copy=False)


def unique_rows(x: Array, dim: int) -> tuple[Array, Array, Array]:
    """The distinct slices of x along dim in lexical order."""
    if x.shape[dim] == 0:
        empty = np.zeros(0, np.int64)
        return x.copy(), empty, empty
    rows = np.moveaxis(x, dim, 0).reshape(x.shape[dim], x.size // max(x.shape[dim], 1))
    order = np.lexsort(rows.T[::-1]) if rows.shape[1] else np.arange(len(rows))
    ordered = rows[order]
    new = np.ones(len(rows), bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    group = np.cumsum(new) - 1
    inverse = np.empty(len(rows), np.int64)
    inverse[order] = group
    counts = np.bincount(group).astype(np.int64)
    return x.take(order[new], axis=dim), inverse, counts


def unique_consecutive(
    x: Array, dim: int | None, inverse: bool = True
) -> tuple[Array, Array | None, Array]:  # fmt: skip
    """Runs of equal elements (or equal slices along dim), each kept once; of which run each element
    is (None without `inverse`), and how long the runs are."""
    if dim is None:
        flat = x.reshape(-1)
        different = flat[1:] != flat[:-1]
    else:
        rows = np.moveaxis(x, dim, 0).reshape(x.shape[dim], x.size // max(x.shape[dim], 1))
        different = (rows[1:] != rows[:-1]).any(axis=1)
        flat = None
    n = x.size if dim is None else x.shape[dim]
    new = np.ones(n, bool)
    new[1:] = different
    begins = np.flatnonzero(new)
    counts = np.diff(begins, append=n)
    run = np.cumsum(new) - 1 if inverse else None
    if flat is not None:
        return flat[begins], None if run is None else run.reshape(x.shape), counts
    return x.take(begins, axis=dim), run, counts


def searchsorted(sequence: Array, values: Array, right: bool, sorter: Array | None) -> Array:
    """Insertion places that keep each row of sequence sorted; rows are matched with rows of
    values."""
    side: Any = "right" if right else "left"
    common = np.result_type(sequence, values)
    if sorter is not None:
        sequence = np.take_along_axis(sequence, sorter, -1)
    sequence, values = sequence.astype(common, copy=False), values.astype(common, copy=False)
    if sequence.ndim == 1:
        return np.asarray(np.searchsorted(sequence, values, side=side)).astype(np.int64)
    out = np.empty(values.shape, np.int64)
    for place in np.ndindex(sequence.shape[:-1]):
        out[place] = np.searchsorted(sequence[place], values[place], side=side)
    return out
