"""Arrays of which only some elements are stored: coordinates (COO) and compressed rows or columns.

They stand in `Tensor._a` where an ndarray does otherwise, and in the engine as gradients. They know
their shape and type, can be copied, cast and added, and refuse to become an ndarray unasked.

Not here: products (`products.py`); what Tensors can do with them (`rushlight/sparse`).
"""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np

from ..meta import MetaArray, SparseArray

INDEX = np.dtype(np.int64)


class Stored(SparseArray):
    """What both kinds have: a shape, and the values that are stored."""

    __slots__ = ("shape", "values")
    base = flags = None
    values: Any
    shape: tuple[int, ...]

    @property
    def dtype(self) -> Any:
        return self.values.dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        return int(self.values.dtype.itemsize)

    @property
    def strides(self) -> tuple[int, ...]:
        return (0,) * len(self.shape)

    @property
    def real(self) -> Any:
        return self.with_values(self.values.real)

    def with_values(self, values: Any) -> Any:
        """The same places with other values."""
        raise NotImplementedError

    def astype(self, dtype: Any) -> Any:
        return self.with_values(self.values.astype(dtype))

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise NotImplementedError("a sparse array does not become an ndarray unasked")

    def __len__(self) -> int:
        return self.shape[0]

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Stored):
            return total(self, other)
        if isinstance(other, np.ndarray):
            return added(other, self)
        return NotImplemented

    __radd__ = __add__


class Coo(Stored):
    """Values at coordinates.

    Attributes:
        indices: (sparse dimensions, n), int64.
        values: (n, *dense dimensions).
        shape: all sizes, the sparse dimensions first.
        coalesced: the coordinates are in order, each of them once.
    """

    __slots__ = ("coalesced", "indices")

    def __init__(self, indices: Any, values: Any, shape: Any, coalesced: bool = False) -> None:
        self.indices = indices
        self.values = values
        self.shape = tuple(shape)
        self.coalesced = coalesced

    @property
    def sparse_dim(self) -> int:
        return int(self.indices.shape[0])

    def with_values(self, values: Any) -> Coo:
        return Coo(self.indices, values, self.shape, self.coalesced)

    def copy(self, order: str = "C") -> Coo:
        return Coo(self.indices.copy(), self.values.copy(), self.shape, self.coalesced)


class Compressed(Stored):
    """A matrix by rows (CSR) or by columns (CSC).

    Attributes:
        by_row: whether it is CSR.
        pointers: where each row (column) begins in the values, and where the last one ends.
        others: the column (row) of each value.
    """

    __slots__ = ("by_row", "others", "pointers")

    def __init__(self, pointers: Any, others: Any, values: Any, shape: Any, by_row: bool) -> None:
        self.pointers = pointers
        self.others = others
        self.values = values
        self.shape = tuple(shape)
        self.by_row = by_row

    def with_values(self, values: Any) -> Compressed:
        return Compressed(self.pointers, self.others, values, self.shape, self.by_row)

    def copy(self, order: str = "C") -> Compressed:
        return Compressed(
            self.pointers.copy(), self.others.copy(), self.values.copy(), self.shape, self.by_row
        )

    def places(self) -> Any:
        """The coordinates (2, n) of the values, in the order of the values."""
        counts = np.diff(self.pointers)
        own = np.repeat(np.arange(len(counts), dtype=INDEX), counts)
        others = self.others.astype(INDEX, copy=False)
        return np.stack([own, others] if self.by_row else [others, own])


# -- between the kinds ---------------------------------------------------------------------------


def keys_of(indices: Any, shape: tuple[int, ...]) -> Any:
    """Coordinates as single numbers, in the order of the rows of the matrix."""
    keys = np.zeros(indices.shape[1], INDEX)
    for row, n in zip(indices, shape, strict=False):
        keys *= n
        keys += row
    return keys


def places_of(keys: Any, shape: tuple[int, ...]) -> Any:
    """The coordinates (dimensions, n) that `keys_of` made numbers of."""
    out = np.empty((len(shape), len(keys)), INDEX)
    for d in range(len(shape) - 1, -1, -1):
        n = max(shape[d], 1)
        keys, out[d] = np.divmod(keys, n)
    return out


def coo_of(a: Any) -> Coo:
    """Any sparse array by coordinates."""
    if a.__class__ is Coo:
        return a  # type: ignore[no-any-return]
    return Coo(a.places(), a.values, a.shape, bool(a.by_row) and in_order(a))


def in_order(a: Compressed) -> bool:
    """Whether the columns of each row rise."""
    falls = np.diff(a.others) <= 0
    starts = a.pointers[1:-1]
    starts = starts[(starts > 0) & (starts < len(a.others))]
    falls[starts - 1] = False
    return not bool(falls.any())


def groups(coo: Coo) -> tuple[Any, Any, Any]:
    """(the order that sorts the coordinates, where each new one begins there, the new ones)."""
    sparse = coo.shape[: coo.sparse_dim]
    keys = keys_of(coo.indices, sparse)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = np.ones(len(keys), bool)
    first[1:] = keys[1:] != keys[:-1]
    begins = np.flatnonzero(first)
    return order, begins, coo.indices.take(order[begins], 1)


def coalesced(coo: Coo) -> Coo:
    """The same array with its coordinates in order, each once: equal ones are added up."""
    if coo.coalesced:
        return coo
    order, begins, indices = groups(coo)
    values = coo.values[order]
    if len(begins) != len(order):
        values = summed(values, begins)
    return Coo(indices, values, coo.shape, True)


def summed(values: Any, begins: Any) -> Any:
    """Sums of runs of rows; narrow types are added in float32, truth values by "or"."""
    if values.dtype == bool:
        return np.logical_or.reduceat(values, begins, axis=0)
    narrow = values.dtype.kind == "V" or values.dtype == np.float16
    wide = values.astype(np.float32) if narrow else values
    return np.add.reduceat(wide, begins, axis=0, dtype=wide.dtype).astype(values.dtype, copy=False)


def compressed(coo: Coo, by_row: bool = True) -> Compressed:
    """A matrix by rows or by columns."""
    coo = coalesced(coo)
    own, others = coo.indices if by_row else coo.indices[::-1]
    values = coo.values
    if not by_row:
        order = np.argsort(own, kind="stable")
        own, others, values = own[order], others[order], values[order]
    n = coo.shape[0 if by_row else 1]
    return Compressed(pointers_of(own, n), np.ascontiguousarray(others), values, coo.shape, by_row)


def pointers_of(rows: Any, n: int) -> Any:
    """Where each of `n` rows begins, of row numbers in order."""
    out = np.zeros(n + 1, INDEX)
    np.cumsum(np.bincount(rows, minlength=n), out=out[1:])
    return out


def added(dense: Any, sparse: Any, scale: Any = None) -> Any:
    """An ndarray plus a sparse array (times a number)."""
    coo = coalesced(coo_of(sparse))
    values = coo.values if scale is None else coo.values * scale
    kind = np.result_type(dense.dtype, values.dtype) if dense.dtype != values.dtype else dense.dtype
    out = dense.astype(kind)
    if coo.sparse_dim:
        places = tuple(coo.indices)
        out[places] = (out[places] + values).astype(kind, copy=False)
    elif len(values):
        out = (out + values.sum(0, dtype=values.dtype)).astype(kind)
    return out


def dense_of(a: Any) -> Any:
    """All elements as an ndarray."""
    coo = coalesced(coo_of(a))
    out = np.zeros(coo.shape, coo.dtype)
    if not coo.sparse_dim:
        return coo.values[0].copy() if len(coo.values) else out
    out[tuple(coo.indices)] = coo.values
    return out


def total(a: Any, b: Any) -> Any:
    """The sum of two sparse arrays, in the layout of the first."""
    x, y = coo_of(a), coo_of(b)
    if x.sparse_dim != y.sparse_dim:
        return Coo(*parts_of(dense_of(x) + dense_of(y), x.sparse_dim), x.shape, True)
    both = Coo(
        np.concatenate([x.indices, y.indices], 1), np.concatenate([x.values, y.values]), x.shape
    )
    if a.__class__ is Compressed:
        return compressed(both, a.by_row)
    return coalesced(both) if x.coalesced and y.coalesced else both


def parts_of(dense: Any, sparse_dim: int) -> tuple[Any, Any]:
    """(indices, values) of what is not zero; with fewer sparse dimensions, of whole slices."""
    there = dense != 0
    if sparse_dim < dense.ndim:
        there = there.any(axis=tuple(range(sparse_dim, dense.ndim)))
    if not sparse_dim:
        return np.zeros((0, int(there.any())), INDEX), dense[None][: int(there.any())].copy()
    places = np.nonzero(there)
    return np.stack(places).astype(INDEX, copy=False), dense[places]


def looked_up(coo: Coo, indices: Any) -> tuple[Any, Any]:
    """(where coordinates are among those of an array, whether they are there at all)."""
    sparse = coo.shape[: coo.sparse_dim]
    keys, wanted = keys_of(coo.indices, sparse), keys_of(indices, sparse)
    if not len(keys):
        return np.zeros(len(wanted), INDEX), np.zeros(len(wanted), bool)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return at, keys[at] == wanted


__all__ = ["Compressed", "Coo", "MetaArray", "Stored"]
