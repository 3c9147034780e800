"""Products with sparse matrices: mm, mv, addmm and their relatives.

Which way computes a product is chosen in `kernels/sparse/select.py`. Its gradient to the dense
operand is a product with the transposed matrix, that to the values is sampled from a product of
dense ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import door
from ..autograd.steps import Step
from ..dtypes import type_name
from ..errors import message
from ..kernels.sparse import products as kernel
from ..kernels.sparse import select
from ..kernels.sparse.arrays import Compressed, Coo
from .core import (
    at_places,
    coo,
    dense,
    in_form,
    is_sparse,
    like,
    ordered,
    performed,
    recorded,
    refuse,
    values_of,
)
from .shape import transpose

_times = Step("sparse_mm", select.times_dense, shown="aten::_sparse_mm")
_sampled = Step("sparse_sampled_mm", select.sampled, shown="aten::_sparse_sampled_mm")


def check_matrices(name: str, a: Any, b: Any) -> None:
    """Raise unless (n, k) and (k, m) of one type come."""
    if a.ndim != 2 or b.ndim != 2:
        raise RuntimeError(
            message(
                f"{name}: Expected 2D matrices",
                got=f"{tuple(a.shape)} and {tuple(b.shape)}",
            )
        )
    if a.shape[1] != b.shape[0]:
        if is_sparse(a) and not is_sparse(b):
            raise RuntimeError(
                f"addmm: Argument #3 (dense): Expected dim 0 size {a.shape[1]}, got {b.shape[0]}"
            )
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({a.shape[0]}x{a.shape[1]} and "
            f"{b.shape[0]}x{b.shape[1]})"
        )
    if a.dtype is not b.dtype:
        kinds = [type_name(x.dtype) for x in (a, b)]
        if is_sparse(a) and is_sparse(b):
            raise RuntimeError(f"mat1 dtype {kinds[0]} does not match mat2 dtype {kinds[1]}")
        raise RuntimeError(f"expected scalar type {kinds[0]} but found {kinds[1]}")
    for x in (a, b):
        if is_sparse(x) and x._a.__class__ is Coo and x._a.sparse_dim != 2:
            raise RuntimeError(
                f"{name}: expected a matrix with 2 sparse and 0 dense dimensions, but got "
                f"{x._a.sparse_dim} sparse and {x.ndim - x._a.sparse_dim} dense dimensions"
            )


def mm(a: Any, b: Any, *, out: Any = None) -> Any:
    """The matrix product: sparse of two sparse matrices, dense otherwise."""
    check_matrices("mm", a, b)
    if is_sparse(a) and is_sparse(b):
        return sparse_sparse(a, b)
    if is_sparse(a):
        return sparse_dense(a, b)
    return transpose_dense(sparse_dense(transpose(b, 0, 1), a.t()))


def transpose_dense(t: Any) -> Any:
    return t.t()


def sparse_dense(a: Any, b: Any) -> Any:
    """A sparse matrix times a dense one."""
    stored = a._a
    if stored.__class__ is Compressed and stored.by_row and not stored.blocked:
        found = stored.others, b, stored.shape[0], stored.pointers
        return times(values_of(a), None, *found)
    a = ordered(a) if a._fn is not None else coo(a)
    rows, cols = a._a.indices
    n = a._a.shape[0]
    offset = np.searchsorted(rows, np.arange(n + 1)) if a._a.coalesced else None
    return times(values_of(a), rows, cols, b, n, offset)


def times(values: Any, rows: Any, cols: Any, b: Any, n: int, offset: Any = None) -> Any:
    """The matrix of values (a dense Tensor) at (rows, cols) times a dense Tensor. Where they are in
    the order of rows, `offset` says where those begin; then `rows` may be None."""
    out = door.wrap(performed(_times, values._a, rows, cols, b._a, n=n, offset=offset))

    def backward(g: Any, v: Any, d: Any) -> Any:
        at = kernel.rows_of(offset) if rows is None else rows
        to_values = sampled(g, d, at, cols) if values._fn is not None else None
        to_dense = times(v.conj(), cols, at, g, d.shape[0]) if b._fn is not None else None
        return to_values, to_dense

    return recorded("SparseAddmmBackward0", out, (values, b), backward, values, b)


def sampled(a: Any, b: Any, rows: Any, cols: Any) -> Any:
    """The elements (rows, cols) of a @ b^H."""
    if door.state.enabled and (a._fn is not None or b._fn is not None):
        mine = a.index_select(0, door.wrap(np.asarray(rows, np.int64)))
        its = b.index_select(0, door.wrap(np.asarray(cols, np.int64)))
        return (mine * its.conj()).sum(1)
    return door.wrap(performed(_sampled, a._a, b._a, rows, cols))


def sparse_sparse(a: Any, b: Any) -> Any:
    """The product of two sparse matrices, coalesced."""
    x, y = ordered(a), ordered(b)
    shape = (x._a.shape[0], y._a.shape[1])
    found = kernel.scipy()
    if found is not None and x._fn is None and y._fn is None and x.dtype.np.kind in "fc":
        u, v = (
            found.coo_array((kernel.wide(t._a.values), tuple(t._a.indices)), shape=t._a.shape)
            for t in (x, y)
        )
        c = (u.tocsr() @ v.tocsr()).tocoo()
        indices = np.stack([np.asarray(i, np.int64) for i in (c.row, c.col)])
        values = door.wrap(c.data.astype(x._a.dtype, copy=False))
        return in_form(ordered(at_places(indices, values, shape)), a._a)
    mine, its = kernel.pairs(x._a.indices[1], y._a.indices[0], x._a.shape[1])
    values = values_of(x).index_select(0, door.wrap(mine)) * values_of(y).index_select(
        0, door.wrap(its)
    )
    indices = np.stack([x._a.indices[0, mine], y._a.indices[1, its]])
    return in_form(ordered(at_places(indices, values, shape)), a._a)


def matmul(a: Any, b: Any, *, out: Any = None) -> Any:
    """`@`: matrices, and vectors as PyTorch takes them."""
    if a.ndim == 3 and b.ndim == 3:
        return bmm(a, b)
    if a.ndim == 2 and b.ndim == 1:
        return mv(a, b)
    if a.ndim == 1 and b.ndim == 2 and not is_sparse(a):
        return mv(transpose(b, 0, 1), a)
    if a.ndim == 2 and b.ndim == 2:
        return mm(a, b)
    refuse("matmul", a, b)


def mv(a: Any, b: Any, *, out: Any = None) -> Any:
    """A matrix times a vector."""
    if a.ndim != 2 or b.ndim != 1:
        raise RuntimeError(
            f"mv: two tensor dim should be 2 and 1, but got SparseTensor Dim: {a.ndim} "
            f"Tensor Dim: {b.ndim}"
        )
    if not is_sparse(a) or is_sparse(b):
        refuse("mv", a, b)
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(
            f"mv: expected self.size(-1) == vec.size(-1), got {a.shape[1]} and {b.shape[0]}"
        )
    return mm(a, b.unsqueeze(1)).squeeze(1)


def bmm(a: Any, b: Any, *, out: Any = None) -> Any:
    """A batch of sparse matrices times a batch of dense ones."""
    if not is_sparse(a) or is_sparse(b) or a._a.__class__ is Compressed:
        refuse("bmm", a, b)
    if a.ndim != 3 or b.ndim != 3 or a.shape[0] != b.shape[0] or a.shape[2] != b.shape[1]:
        raise RuntimeError(
            f"bmm: expected (b, n, k) and (b, k, m), but got {tuple(a.shape)} and {tuple(b.shape)}"
        )
    # one matrix whose blocks on the diagonal are those of the batch
    a = ordered(a)
    batch, n, k = a._a.shape
    i = a._a.indices
    flat = times(
        values_of(a), i[0] * n + i[1], i[0] * k + i[2], b.reshape(batch * k, b.shape[2]), batch * n
    )
    return flat.reshape(batch, n, b.shape[2])


def addmm(c: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1, out: Any = None) -> Any:
    """beta * c + alpha * (a @ b)."""
    if not is_sparse(a) and not is_sparse(b):
        refuse("addmm", c, a, b)
    if is_sparse(c) and not (is_sparse(a) and is_sparse(b)):
        raise RuntimeError(
            "addmm_sparse_dense: expected strided result tensor, got tensor with layout "
            f"{'Sparse' if c._a.__class__ is Coo else 'SparseCsr'}"
        )
    product = mm(a, b)
    if alpha != 1:
        product = product * alpha
    if beta == 0 and not is_sparse(c):
        return dense(product) if is_sparse(product) else product
    start = c * beta if beta != 1 else c
    return start + product if is_sparse(c) or not is_sparse(product) else start + dense(product)


def addmv(c: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * c + alpha * (a @ b)."""
    return c * beta + mv(a, b) * alpha


def linear(x: Any, weight: Any, bias: Any = None) -> Any:
    """x @ weight.T + bias, with a sparse weight or a sparse input."""
    if is_sparse(x):
        y = mm(x, weight.t())
    else:
        rows = x.reshape(-1, x.shape[-1])
        y = mm(weight, rows.t()).t().reshape(*x.shape[:-1], weight.shape[0])
    return y if bias is None else y + bias


def smm(a: Any, b: Any) -> Any:
    """The product of a sparse and a dense matrix, as a sparse one."""
    if not is_sparse(a):
        refuse("sspaddmm", a, b)
    if not is_sparse(a):
        refuse("hspmm", a, b)
    rows = np.unique(ordered(a)._a.indices[0])
    product = mm(a, b)
    m = product.shape[1]
    indices = np.stack([np.repeat(rows, m), np.tile(np.arange(m), len(rows))])
    values = product.index_select(0, door.wrap(rows)).reshape(-1)
    return at_places(indices, values, tuple(product.shape), True)


def hspmm(a: Any, b: Any) -> Any:
    """The same as a tensor with one sparse and one dense dimension."""
    if not is_sparse(a):
        refuse("hspmm", a, b)
    rows = np.unique(ordered(a)._a.indices[0])
    product = mm(a, b)
    return at_places(
        rows[None], product.index_select(0, door.wrap(rows)), tuple(product.shape), True
    )


def sspaddmm(c: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * c + alpha * (a @ b), sparse."""
    return c * beta + smm(a, b) * alpha


REDUCTIONS = ("sum", "mean", "amax", "amin")


def reduced(a: Any, b: Any, reduce: str) -> Any:
    """`sparse.mm(csr, dense, reduce)`: each row's products are summed, averaged, or the largest or
    smallest taken; a row without values gives zeros."""
    if reduce not in REDUCTIONS:
        raise ValueError(f"reduce argument must be either sum, mean, amax or amin, got {reduce}")
    if not is_sparse(a) or a._a.__class__ is not Compressed or not a._a.by_row:
        refuse("_sparse_mm_reduce_impl", a, b)
    check_matrices("sparse.mm", a, b)
    rows, cols = a._a.places()
    n = a._a.shape[0]
    counts = np.bincount(rows, minlength=n)
    if reduce in ("sum", "mean"):
        y = times(values_of(a), rows, cols, b, n, a._a.pointers)
        return (
            y
            if reduce == "sum"
            else y / door.wrap(np.maximum(counts, 1)[:, None].astype(y._a.dtype))
        )
    terms = values_of(a).unsqueeze(1) * b.index_select(0, door.wrap(cols.astype(np.int64)))
    t = terms._a
    held = np.flatnonzero(counts)
    y = np.zeros((n, t.shape[1]), np.int64)
    if len(t):
        begins = np.asarray(a._a.pointers, np.int64)[held]
        best = (np.maximum if reduce == "amax" else np.minimum).reduceat(t, begins, axis=0)
        hit = t == np.repeat(best, counts[held], axis=0)
        place = np.where(hit, np.arange(len(t))[:, None], len(t) - 1)
        y[held] = np.minimum.reduceat(place, begins, axis=0)
    else:
        return b.new_zeros((n, b.shape[1]))
    out = terms.gather(0, door.wrap(y))
    return out.masked_fill(door.wrap((counts == 0)[:, None]), 0)


def sampled_addmm(
    c: Any, a: Any, b: Any, *, beta: Any = 1.0, alpha: Any = 1.0, out: Any = None
) -> Any:
    """beta * c + alpha * (a @ b) at the places of the CSR matrix c.

    >>> c = torch.tensor([[1.0, 0.0], [0.0, 1.0]]).to_sparse_csr()
    >>> a = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> torch.sparse.sampled_addmm(c, a, a, beta=0).to_dense()  # the diagonal of a @ a
    tensor([[ 7.,  0.],
            [ 0., 22.]])
    """
    if not is_sparse(c) or c._a.__class__ is not Compressed:
        raise RuntimeError(
            f"Expected self to be a sparse CSR or CSC tensor, but got layout {c.layout!r}"
        )
    rows, cols = c._a.places()
    product = sampled(a, b.t().conj() if b.is_complex() else b.t(), rows, cols)
    return like(c._a, values_of(c) * beta + product * alpha)
