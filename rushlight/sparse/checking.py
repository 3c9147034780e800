"""What `gradcheck` varies in a sparse tensor, and what it reads from its gradient."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..kernels.sparse import arrays
from ..kernels.sparse.arrays import Coo
from .core import is_sparse, picked, wrap


def varied(x: Any, masked: bool) -> Any:
    """A leaf of the same numbers whose `_a.values` may be written to: all elements are stored, or
    with `masked` those that are stored in `x`."""
    a = x._a.copy() if masked else specified(x._a)
    return wrap(a, type(x))._require_grad()


def specified(a: Any) -> Any:
    """A sparse array in which all elements are stored."""
    dense = arrays.dense_of(a)
    if a.__class__ is Coo:
        k = a.sparse_dim
        n = math.prod(a.shape[:k])
        places = arrays.places_of(np.arange(n), a.shape[:k])
        return Coo(places, dense.reshape(n, *a.shape[k:]), a.shape, True)
    there = np.ones(a.shape, bool)
    full = arrays.compressed_of(there, a.by_row, a.block, a.dense_dim)
    return full.with_values(dense[tuple(full.places())].reshape(full.values.shape))


def flat(g: Any, a: Any) -> Any:
    """A gradient, sparse or dense, at the places of a sparse array: its numbers in a row."""
    return np.asarray(picked(g.detach(), a)._a).reshape(-1)


def dense_flat(g: Any) -> Any:
    """A sparse gradient of a dense tensor: all its numbers in a row."""
    return arrays.dense_of(g._a).reshape(-1) if is_sparse(g) else np.asarray(g._a).reshape(-1)
