"""Rows of a table looked up, and rows summed by their place: the transpose of a lookup.

Large ones go to machine code (`table.py`), which adds in the same order: that of the rows.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..elementwise import select as elementwise
from ..matmul.select import ELEMENTS

LEAST = 1 if elementwise.ALWAYS else 16384  # elements from which on a kernel is used
BANDS = 64  # parts of a table that threads may compute


@functools.lru_cache(maxsize=8)
def native(name: str, element: str) -> Any:
    from . import table as table_kernels

    return table_kernels.kernel(name, element)


def usable(*arrays: np.ndarray) -> bool:
    """Whether these are dense arrays of floats, and there is machine code."""
    dtype = arrays[0].dtype
    return dtype in ELEMENTS and all(
        a.__class__ is np.ndarray and a.dtype == dtype and a.flags.c_contiguous and a.flags.aligned
        for a in arrays
    ) and bool(elementwise.jit())  # fmt: skip


def take(table: np.ndarray, index: np.ndarray) -> np.ndarray:
    """The rows of a table (n, D) at indices (any shape, in range): (*index.shape, D)."""
    count = index.size
    if table.ndim != 2 or count * table.shape[1] < LEAST or not usable(table):
        return table[index]  # type: ignore[no-any-return]
    n, width = table.shape
    places = np.ascontiguousarray(index, np.int64)
    out = np.empty((*index.shape, width), table.dtype)
    each = max(1, 16384 // width)
    elementwise.jit()[2].ready()
    native("take", ELEMENTS[table.dtype])(
        table, places, out, count, n, width, each, -(-count // each)
    )
    return out


def placed(rows: np.ndarray, place: np.ndarray, n: int) -> np.ndarray | None:
    """`sum_rows` by machine code; None for what NumPy does."""
    if rows.ndim != 2 or not place.size or max(rows.size, n * rows.shape[1]) < LEAST:
        return None
    rows = np.ascontiguousarray(rows)
    if not usable(rows):
        return None
    places = np.ascontiguousarray(place, np.int64)
    if places.min() < 0 or places.max() >= n:
        return None
    out = np.empty((n, rows.shape[1]), rows.dtype)
    each = max(1, -(-n // BANDS))
    elementwise.jit()[2].ready()
    links = np.empty(n + len(rows), np.int64)
    native("place", ELEMENTS[rows.dtype])(
        out, places, rows, links, len(rows), n, rows.shape[1], each, -(-n // each)
    )
    return out


def sum_rows(rows: np.ndarray, place: np.ndarray, n: int) -> np.ndarray:
    """(n, D): row i is the sum of the `rows` (K, D) whose `place` (K) is i; zeros where none is.

    Rows of one place are brought together by a stable sort and summed in their order.
    """
    found = placed(rows, place, n)
    if found is not None:
        return found
    out = np.zeros((n, *rows.shape[1:]), rows.dtype)
    if not place.size:
        return out
    order = np.argsort(place, kind="stable")
    ordered = place[order]
    first = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    if first.size == ordered.size:
        out[place] = rows
    else:
        out[ordered[first]] = np.add.reduceat(rows[order], first, axis=0)
    return out


def renormalise(weight: np.ndarray, used: np.ndarray, max_norm: float, norm_type: float) -> None:
    """Shrink the rows `used` of a table whose norm exceeds `max_norm`, in place."""
    rows = weight[used].astype(np.float64)
    norms = np.linalg.norm(rows, norm_type, axis=1)
    long = norms > max_norm
    scale = max_norm / (norms[long] + 1e-7)
    weight[used[long]] = (rows[long] * scale[:, None]).astype(weight.dtype)
