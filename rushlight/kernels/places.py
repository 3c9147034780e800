"""Where the elements are that are not zero, and those elements.

NumPy finds the places in several dimensions one element after the other, 6 ns each; in one
dimension it takes a sixteenth of that, and the coordinates are made of these numbers at once.

Not here: a choice between two arrays (`elementwise/where.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import dense, tuning

Array = Any


def nonzero(a: Array) -> Array:
    """The coordinates of elements that are not zero, int64 (dims, n), as `np.array(np.nonzero(a))`
    has them."""
    if a.ndim < 2 or a.size < tuning.PLACES_LEAST:
        return np.array(np.nonzero(a))
    flat = np.flatnonzero(dense.rows(a if a.dtype.kind == "b" else a != 0))
    found = np.empty((a.ndim, flat.size), np.int64)
    for d in range(a.ndim - 1, 0, -1):
        n = a.shape[d]
        before = np.floor_divide(flat, n)
        np.multiply(before, -n, out=found[d])
        found[d] += flat
        flat = before
    found[0] = flat
    return found


def selected(a: Array, mask: Array) -> Array:
    """`a[mask]` of a mask of the same shape, of several dimensions: the elements in one."""
    if a.size < tuning.PLACES_LEAST:
        return a[mask]
    return dense.rows(a).reshape(-1).take(np.flatnonzero(dense.rows(mask)))
