"""Sums and softmax of sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes
from ..autograd import door
from ..kernels.sparse import arrays
from ..kernels.sparse.arrays import INDEX, Compressed
from .core import (
    at_places,
    in_form,
    is_sparse,
    like,
    marked,
    ordered,
    recorded,
    refuse,
    values_of,
)
from .shape import wrapped_dim


def dims_of(dim: Any, n: int) -> tuple[int, ...]:
    given = (dim,) if isinstance(dim, (int, np.integer)) else tuple(dim)
    dims = tuple(wrapped_dim(d, n) for d in given)
    if len(set(dims)) != len(dims):
        bad = next(d for d in dims if dims.count(d) > 1)
        raise RuntimeError(f"dim {bad} appears multiple times in the list of dims")
    return dims


def sum_(s: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, **kw: Any) -> Any:
    """`Tensor.sum`: of all, or over some dimensions; a sparse tensor where one is left."""
    dim = kw.get("axis", dim)
    if s._a.__class__ is Compressed and dim is not None and not keepdim:
        raise RuntimeError("reduction operations on CSR tensors with keepdim=False is unsupported")
    if dim is None:
        return all_of(s, dtype)
    return sparse_sum(s, dim, dtype, keepdim)


def all_of(s: Any, dtype: Any) -> Any:
    """The sum of all elements. Its gradient is one for each of them, stored or not."""
    values = door.wrap(s._a.values)
    total = values.sum(dtype=dtype)

    def backward(g: Any) -> Any:
        return g.to(s.dtype).expand(s._a.shape)

    return recorded("SumBackward0", total, (s,), backward)


def sparse_sum(s: Any, dim: Any = None, dtype: Any = None, keepdim: bool = False) -> Any:
    """The sum of all values, or over some dimensions.

    Over all sparse dimensions it is dense; over others it is a sparse tensor of what is left.

    Args:
        dim: a dimension, or several; None: all.
        dtype: of the result.
        keepdim: keep summed dimensions, of size one.

    >>> x = torch.tensor([[0.0, 2.0], [3.0, 4.0]]).to_sparse()
    >>> torch.sparse.sum(x), torch.sparse.sum(x, dim=0).to_dense()
    (tensor(9.), tensor([3., 6.]))
    """
    if not is_sparse(s):
        refuse("_sparse_sum", s)
    source = s._a
    s = ordered(s)
    a = s._a
    values = values_of(s)
    if dtype is None and a.dtype.kind not in "fcVW":
        dtype = dtypes.int64
    if dtype is not None:
        values = values.to(dtype)
    if dim is None:
        return values.sum()
    dims = dims_of(dim, a.ndim)
    if not dims:
        dims = tuple(range(a.ndim))
    inner = [d - a.sparse_dim + 1 for d in dims if d >= a.sparse_dim]
    if inner:
        values = values.sum(inner, keepdim=keepdim)
    outer = [d for d in dims if d < a.sparse_dim]
    shape = [1 if d in dims else n for d, n in enumerate(a.shape) if keepdim or d not in dims]
    if not outer:
        return at_places(a.indices, values, shape, True)
    left = [d for d in range(a.sparse_dim) if d not in outer]
    if not left:
        total = values.sum(0)
        return total.reshape(shape) if keepdim else total
    if keepdim:
        indices = a.indices.copy()
        indices[outer] = 0
    else:
        indices = a.indices[left]
    return in_form(marked(ordered(at_places(indices, values, shape)), False), source)


def normalised(log: bool) -> Any:
    name = "_sparse_log_softmax" if log else "_sparse_softmax"

    def fn(s: Any, dim: int, *, dtype: Any = None) -> Any:
        if not is_sparse(s) or s._a.__class__ is Compressed:
            refuse(name, s)
        dim = wrapped_dim(dim, s.ndim)
        s = ordered(s)
        a = s._a
        values = values_of(s)
        if dtype is not None:
            values = values.to(dtype)
        if values._a.dtype.kind not in "fcVW":
            raise NotImplementedError(
                f'"{"log_" if log else ""}softmax" not implemented for '
                f"'{dtypes.from_numpy(values._a.dtype)!r}'"
            )
        if dim >= a.sparse_dim:
            k = dim - a.sparse_dim + 1
            return like(a, values.log_softmax(k) if log else values.softmax(k))
        return like(a, along(a, values, dim, log))

    fn.__name__ = "log_softmax" if log else "softmax"
    wanted = "-1.3133, -0.3133" if log else "0.2689, 0.7311"
    fn.__doc__ = f"""{fn.__name__} along a dimension; what is not stored counts as minus infinity.

    Args:
        dim: the dimension.
        dtype: of the result.

    >>> x = torch.tensor([[0.0, 2.0, 3.0]]).to_sparse()
    >>> torch.sparse.{fn.__name__}(x, dim=1).values()
    tensor([{wanted}])
    """
    return fn


def along(a: Any, values: Any, dim: int, log: bool) -> Any:
    """Softmax of stored values along a sparse dimension: over those that differ in it alone."""
    others = np.delete(a.indices, dim, 0)
    keys = arrays.keys_of(others, tuple(n for d, n in enumerate(a.shape) if d != dim))
    _, group = np.unique(keys, return_inverse=True)
    group = group.reshape(-1).astype(INDEX, copy=False)
    n = int(group.max()) + 1 if len(group) else 0
    held = values._a
    top = np.full((n, *held.shape[1:]), -np.inf, np.float64)
    np.maximum.at(top, group, held.astype(np.float64))
    top[~np.isfinite(top)] = 0
    at = door.wrap(group)
    shifted = values - door.wrap(top.astype(held.dtype)[group])
    exps = shifted.exp()
    totals = exps.new_zeros((n, *held.shape[1:])).index_add(0, at, exps)
    if log:
        return shifted - totals.log().index_select(0, at)
    return exps / totals.index_select(0, at)


softmax, log_softmax = normalised(False), normalised(True)
