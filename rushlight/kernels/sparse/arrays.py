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

    @property
    def dense_dim(self) -> int:
        return len(self.shape) - self.sparse_dim

    @property
    def nnz(self) -> int:
        return len(self.values)

    def with_values(self, values: Any) -> Coo:
        return Coo(self.indices, values, self.shape, self.coalesced)

    def copy(self, order: str = "C") -> Coo:
        return Coo(self.indices.copy(), self.values.copy(), self.shape, self.coalesced)


class Compressed(Stored):
    """Matrices by rows (CSR, BSR) or by columns (CSC, BSC), one or a batch of them.

    Attributes:
        pointers: (*batch, rows + 1) where each row (column) begins among the values of its matrix,
            and where the last one ends.
        others: (*batch, n), the column (row) of each value.
        values: (*batch, n, *block, *dense dimensions).
        shape: all sizes: those of the batch, of the matrix, the dense ones.
        by_row: whether it is CSR or BSR.
        blocked: whether the values are blocks (BSR, BSC), and rows and columns those of blocks.
    """

    __slots__ = ("blocked", "by_row", "others", "pointers")

    def __init__(
        self, pointers: Any, others: Any, values: Any, shape: Any, by_row: bool,
        blocked: bool = False,
    ) -> None:  # fmt: skip
        self.pointers = pointers
        self.others = others
        self.values = values
        self.shape = tuple(shape)
        self.by_row = by_row
        self.blocked = blocked

    @property
    def nnz(self) -> int:
        return int(self.others.shape[-1])

    @property
    def batch_dim(self) -> int:
        return int(self.pointers.ndim - 1)

    @property
    def block(self) -> tuple[int, ...]:
        """The sizes of a block; nothing where single elements are stored."""
        b = self.batch_dim
        return tuple(self.values.shape[b + 1 : b + 3]) if self.blocked else ()

    @property
    def dense_dim(self) -> int:
        return len(self.shape) - self.batch_dim - 2

    @property
    def form(self) -> dict[str, Any]:
        """What `compressed` needs to make an array of this kind."""
        return {
            "by_row": self.by_row, "block": self.block, "batch_dim": self.batch_dim,
            "index": self.pointers.dtype,
        }  # fmt: skip

    def with_values(self, values: Any) -> Compressed:
        held = self.pointers, self.others
        return Compressed(*held, values, self.shape, self.by_row, self.blocked)

    def copy(self, order: str = "C") -> Compressed:
        held = self.pointers.copy(), self.others.copy(), self.values.copy()
        return Compressed(*held, self.shape, self.by_row, self.blocked)

    def entries(self) -> Any:
        """The coordinates (batch and 2, n) of the values, or of the blocks counted in blocks, in
        the order of the values."""
        b = self.batch_dim
        counts = np.diff(self.pointers.astype(INDEX, copy=False), axis=-1)
        n = counts.shape[-1]
        own = np.repeat(np.tile(np.arange(n), counts.size // max(n, 1)), counts.reshape(-1))
        others = self.others.reshape(-1).astype(INDEX, copy=False)
        pair = [own, others] if self.by_row else [others, own]
        if not b:
            return np.stack(pair)
        which = np.repeat(np.arange(math.prod(self.shape[:b])), self.nnz)
        return np.concatenate([places_of(which, self.shape[:b]), pair])

    def grid(self) -> tuple[int, ...]:
        """The sizes of the batch and of the matrix, counted in blocks."""
        b = self.batch_dim
        steps = self.block or (1, 1)
        inner = (n // max(k, 1) for n, k in zip(self.shape[b : b + 2], steps, strict=True))
        return (*self.shape[:b], *inner)

    def places(self) -> Any:
        """The coordinates (batch and 2, n) of the stored elements, in the order of the values."""
        found = self.entries()
        if not self.blocked:
            return found
        b, (k, m) = self.batch_dim, self.block
        found = np.repeat(found[..., None], k * m, -1)  # (batch and 2, blocks, elements of one)
        inner = np.arange(k * m)
        found[b] = found[b] * k + inner // max(m, 1)
        found[b + 1] = found[b + 1] * m + inner % max(m, 1)
        return found.reshape(b + 2, -1)

    def elements(self) -> tuple[int, ...]:
        """The shape (n, *dense dimensions) of the stored elements in one row."""
        dense = self.shape[self.batch_dim + 2 :]
        return (math.prod(self.values.shape[: self.values.ndim - len(dense)]), *dense)


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
    places = a.places()
    in_order = a.by_row and not a.blocked and rises(keys_of(places, a.shape))
    return Coo(places, a.values.reshape(a.elements()), a.shape, bool(in_order))


def rises(keys: Any) -> bool:
    """Whether each number is larger than the one before it."""
    return bool((np.diff(keys) > 0).all())


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
    narrow = values.dtype.kind in "VW" or values.dtype == np.float16
    kind = np.complex64 if values.dtype.kind == "W" else np.float32
    wide = values.astype(kind) if narrow else values
    return np.add.reduceat(wide, begins, axis=0, dtype=wide.dtype).astype(values.dtype, copy=False)


def compressed(coo: Coo, **form: Any) -> Compressed:
    """Matrices by rows or by columns, of the form that `compression` takes."""
    coo = coalesced(coo)
    a, place = compression(coo, **form)
    a.values.reshape(a.elements())[place] = coo.values
    return a


def compression(
    coo: Coo, by_row: bool = True, block: tuple[int, ...] = (), batch_dim: int = 0,
    index: Any = INDEX,
) -> tuple[Compressed, Any]:  # fmt: skip
    """(Matrices of zeros for the coordinates of an array, each of which is there once; where each
    value of the array belongs among the elements of those).

    The first `batch_dim` sparse dimensions become the batch, the next two the matrices.
    """
    b, shape = batch_dim, coo.shape
    batch, dense = shape[:b], shape[b + 2 :]
    rows, cols = coo.indices[b : b + 2]
    k, m = block or (1, 1)
    check_blocks(shape[b : b + 2], block)
    inside = (rows % k) * m + cols % m if block else 0
    own, other = (rows // k, cols // m) if block else (rows, cols)
    n, width = shape[b] // k, shape[b + 1] // m
    if not by_row:
        own, other, n, width = other, own, width, n
    heads = keys_of(coo.indices[:b], batch) * n + own
    keys = heads * max(width, 1) + other
    if rises(keys):
        at = np.arange(len(keys), dtype=INDEX)
    else:
        keys, at = np.unique(keys, return_inverse=True)
    heads, others = np.divmod(keys, max(width, 1))
    pointers, nnz = pointers_of(np.bincount(heads, minlength=math.prod(batch) * n), (*batch, n))
    a = Compressed(
        pointers.astype(index, copy=False),
        others.reshape(*batch, nnz).astype(index, copy=False),
        np.zeros((*batch, nnz, *block, *dense), coo.dtype), shape, by_row, bool(block),
    )  # fmt: skip
    return a, at.reshape(-1) * (k * m) + inside


def check_blocks(matrix: Any, block: Any) -> None:
    """Raise unless a matrix consists of whole blocks."""
    if block and (min(block) < 1 or matrix[0] % block[0] or matrix[1] % block[1]):
        raise RuntimeError(
            f"tensor sparse size ({matrix[0]},{matrix[1]}) must be divisible by given blocksize "
            f"({block[0]},{block[1]})"
        )


def pointers_of(counts: Any, shape: tuple[int, ...]) -> tuple[Any, int]:
    """(Where the rows of matrices begin, of how many values each row has; how many values each
    matrix has, which must be the same for all)."""
    counts = counts.reshape(shape)
    pointers = np.zeros((*shape[:-1], shape[-1] + 1), INDEX)
    np.cumsum(counts, axis=-1, out=pointers[..., 1:])
    ends = pointers[..., -1].reshape(-1)
    if not ends.size:
        return pointers, 0
    if (ends != ends[0]).any():
        raise RuntimeError("Expect the same number of specified elements per batch.")
    return pointers, int(ends[0])


def compressed_of(
    dense: Any, by_row: bool = True, block: tuple[int, ...] = (), dense_dim: int = 0
) -> Compressed:
    """What is not zero of an ndarray (*batch, rows, columns, *dense): elements, or whole blocks."""
    b, shape = dense.ndim - 2 - dense_dim, dense.shape
    grid = dense
    if block:
        check_blocks(shape[b : b + 2], block)
        k, m = block
        split = (shape[b] // k, k, shape[b + 1] // m, m)
        grid = dense.reshape(*shape[:b], *split, *shape[b + 2 :]).swapaxes(b + 1, b + 2)
    there = grid != 0
    if there.ndim > b + 2:
        there = there.any(axis=tuple(range(b + 2, there.ndim)))
    if not by_row:
        there = there.swapaxes(b, b + 1)
    pointers, nnz = pointers_of(np.count_nonzero(there, axis=-1), there.shape[:-1])
    places = np.nonzero(there)
    others = np.ascontiguousarray(places[-1], INDEX).reshape(*shape[:b], nnz)
    if not by_row:
        places = (*places[:-2], places[-1], places[-2])
    values = grid[places].reshape(*shape[:b], nnz, *grid.shape[b + 2 :])
    return Compressed(pointers, others, values, shape, by_row, bool(block))


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
        return compressed(both, **a.form)
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
