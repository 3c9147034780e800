"""Ordering on arrays: sort, topk, kthvalue, mode, unique, searchsorted, with PyTorch's rules.

NaN counts as the greatest value. Sorting is stable in both directions. Equal values of `mode` give
the last position, `kthvalue` and `median` the position that the stable order gives. Nothing here
knows about Tensors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

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


def argsort(x: Array, dim: int, descending: bool) -> Array:
    """Stable order along dim; NaN last going up and first going down."""
    if not descending:
        return np.argsort(x, axis=dim, kind="stable")
    # reversing before and after keeps equal values in their first-come order
    back = np.argsort(np.flip(x, dim), axis=dim, kind="stable")
    return np.flip(x.shape[dim] - 1 - back, dim)


def topk(x: Array, k: int, dim: int, largest: bool, ordered: bool) -> Array:
    """Positions of the k largest (or smallest) values along dim."""
    n = x.shape[dim]
    if k == n or n <= 64 or k > n // 4:
        return argsort(x, dim, largest).take(np.arange(k), axis=dim)
    if k == 0:
        return np.zeros((*x.shape[:dim], 0, *x.shape[dim + 1 :]), np.int64)
    if largest:
        part = np.argpartition(x, n - k, axis=dim).take(np.arange(n - k, n), axis=dim)
    else:
        part = np.argpartition(x, k - 1, axis=dim).take(np.arange(k), axis=dim)
    if not ordered:
        return part
    part.sort(axis=dim)  # first come first among equals
    inner = argsort(np.take_along_axis(x, part, dim), dim, largest)
    return np.take_along_axis(part, inner, dim)


def kth(x: Array, k: int, dim: int) -> Array:
    """Position of the k-th smallest value (k from 1), with dim kept as size 1."""
    n = x.shape[dim]
    if n > 1000:
        return np.argpartition(x, k - 1, axis=dim).take([k - 1], axis=dim)
    return np.argsort(x, axis=dim, kind="stable").take([k - 1], axis=dim)


def median(x: Array, dim: int, skip_nan: bool) -> Array:
    """Position of the lower median along dim (kept as size 1); a NaN wins unless it is skipped."""
    n = x.shape[dim]
    order = np.argsort(x, axis=dim, kind="stable")
    if x.dtype.kind != "f":
        return order.take([(n - 1) // 2], axis=dim)
    missing = np.isnan(x)
    count = n - missing.sum(axis=dim, keepdims=True)
    skipping = np.maximum(count - 1, 0) // 2
    # the first NaN comes right after the numbers
    place = skipping if skip_nan else np.where(count < n, count, (n - 1) // 2)
    return np.take_along_axis(order, place, dim)


def mode(x: Array, dim: int) -> Array:
    """Position of the most frequent value along dim (the smallest of several), dim kept as size
    1."""
    x = np.moveaxis(x, dim, -1)
    if x.dtype.kind == "f":
        order = np.lexsort((x, ~np.isnan(x)), axis=-1)  # here a NaN counts as the smallest value
    else:
        order = np.argsort(x, axis=-1, kind="stable")
    ordered = np.take_along_axis(x, order, -1)
    n = x.shape[-1]
    # length of the run that ends at each place
    starts = np.ones(x.shape, bool)
    starts[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    first = np.maximum.accumulate(np.where(starts, np.arange(n), 0), axis=-1)
    best = np.argmax(np.arange(n) - first, axis=-1, keepdims=True)
    return np.moveaxis(np.take_along_axis(order, best, -1), -1, dim)


def unique(x: Array) -> tuple[Array, Array, Array]:
    """Sorted values of the flattened array, where each element went, and how often each occurs."""
    values, inverse, counts = np.unique(
        x.reshape(-1), return_inverse=True, return_counts=True, equal_nan=False
    )
    return values, inverse.reshape(x.shape).astype(np.int64), counts.astype(np.int64)


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


def unique_consecutive(x: Array, dim: int | None) -> tuple[Array, Array, Array]:
    """Runs of equal elements (or equal slices along dim), each kept once."""
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
    group = np.cumsum(new) - 1
    counts = np.bincount(group, minlength=0).astype(np.int64) if n else np.zeros(0, np.int64)
    inverse = group.astype(np.int64)
    if flat is not None:
        return flat[new], inverse.reshape(x.shape), counts
    return x.compress(new, axis=dim), inverse, counts


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
