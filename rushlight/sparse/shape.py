"""Shapes of sparse tensors: transposing, choosing, joining."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..autograd import door
from ..autograd.node import TensorBase
from ..errors import axis
from ..kernels.sparse.arrays import INDEX, Compressed, Coo, places_of
from .compressed import batch_of
from .core import (
    at_places,
    coo,
    in_form,
    is_sparse,
    joined,
    like,
    marked,
    ordered,
    refuse,
    traceable,
    values_of,
)


def wrapped_dim(dim: int, ndim: int) -> int:
    if not -max(ndim, 1) <= dim < max(ndim, 1):
        axis(dim, ndim)
    return dim % max(ndim, 1)


def broadcast_to(s: Any, size: Any) -> Any:
    """A tensor repeated along new dimensions in front, which are sparse, and those of size 1."""
    size = tuple(int(n) for n in size)
    new = len(size) - s.ndim
    held = (1,) * new + tuple(s.shape)
    if new < 0:
        raise RuntimeError("the requested broadcast shape has fewer dimensions than the input")
    for d, (n, m) in enumerate(zip(held, size, strict=True)):
        if n not in (1, m):
            raise RuntimeError(
                f"The input's length {n} at dimension {d - new} does not broadcast over the "
                f"requested shape of length {m} at dimension {d}: the expanded size of the tensor "
                f"{list(size)} must match the existing size {list(s.shape)}"
            )
    s = traceable(s)
    a = s._a
    k = a.sparse_dim + new
    wide = [d for d in range(k) if held[d] != size[d] or d < new]
    sizes = tuple(size[d] for d in wide)
    times, n = math.prod(sizes), a.nnz
    indices = np.zeros((k, times * n), INDEX)
    indices[new:] = np.tile(a.indices, times)
    indices[wide] = np.repeat(places_of(np.arange(times), sizes), n, 1)
    values = values_of(s)
    if times != 1:
        values = values.index_select(0, door.wrap(np.tile(np.arange(n), times)))
    values = values.expand(times * n, *size[k:])
    return at_places(indices, values, size, a.coalesced and (times == 1 or n < 2))


_sparse_broadcast_to = broadcast_to


def permute(s: Any, *order_of: Any, dims: Any = None) -> Any:
    """The dimensions in another order; sparse ones stay before dense ones."""
    dims = order_of if dims is None else dims
    order = tuple(dims[0]) if len(dims) == 1 and not isinstance(dims[0], int) else tuple(dims)
    n = s.ndim
    if len(order) != n:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the "
            f"length of the desired ordering of dimensions i.e. input.dim() = {n} is not equal to "
            f"len(dims) = {len(order)}"
        )
    first, order = order[:1], tuple(wrapped_dim(d, n) for d in order)
    if len(set(order)) != n:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    if s._a.__class__ is Compressed:
        if order == tuple(range(n)):
            return s
        moved = [d for d in range(n) if order[d] != d]
        if len(moved) != 2:
            refuse("as_strided", s)
        return transpose(s, *moved)
    s = traceable(s)
    k = s._a.sparse_dim
    if any(d >= k for d in order[:k]):
        raise RuntimeError(
            "permute(sparse_coo): transpositions between sparse and dense dimensions are not "
            f"allowed.Got dims = {list(order)} of {k} sparse ones"
        )
    values = values_of(s)
    if order[k:] != tuple(range(k, n)):
        values = values.permute(0, *[d - k + 1 for d in order[k:]])
    shape = tuple(s._a.shape[d] for d in order)
    stays = s._a.coalesced and first in ((), (0,))  # PyTorch's is only then, by that very number
    same = order[:k] == tuple(range(k))
    moved = at_places(s._a.indices[list(order[:k])], values, shape, stays and same)
    return ordered(moved) if stays and not same else moved


def transpose(s: Any, dim0: int, dim1: int) -> Any:
    """Two dimensions swapped."""
    n = s.ndim
    a, b = wrapped_dim(dim0, n), wrapped_dim(dim1, n)
    if s._a.__class__ is Compressed:
        return transpose_compressed(s, a, b)
    if (a < s._a.sparse_dim) != (b < s._a.sparse_dim):
        raise RuntimeError(
            f"transpose: transposed dimensions must be sparse Got sparse_dim: {s._a.sparse_dim}, "
            f"d: {max(a, b)}"
        )
    order = list(range(n))
    if n:
        order[a], order[b] = b, a
    made = permute(s, order)
    return made if s._a.nnz else marked(made, True)


def transpose_compressed(s: Any, a: int, b: int) -> Any:
    """Rows as columns, or two dimensions of the batch swapped."""
    c = s._a
    k = c.batch_dim
    if c.dense_dim:
        raise RuntimeError(
            "transpose(): hybrid sparse compressed tensors with dense dimensions are not supported"
        )
    if a == b:
        return s
    if (a < k) != (b < k):
        raise RuntimeError(
            f"transpose(): can only transpose sparse dimensions ({k}, {k + 1}) with each other, or "
            f"dimensions of the batch, but got {a} and {b}"
        )
    sizes = list(c.shape)
    sizes[a], sizes[b] = sizes[b], sizes[a]
    values = values_of(s)
    if a < k:
        values = values.transpose(a, b)
        own, others = c.pointers.swapaxes(a, b), c.others.swapaxes(a, b)
        return like(Compressed(own, others, values._a, sizes, c.by_row, c.blocked), values)
    if c.blocked:
        values = values.transpose(k + 1, k + 2)
    made = Compressed(c.pointers, c.others, values._a, sizes, not c.by_row, c.blocked)
    return like(made, values)


def t(s: Any) -> Any:
    """The transposed matrix."""
    if s.ndim > 2:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got "
            f"{s.sparse_dim()} sparse and {s.dense_dim()} dense dimensions"
        )
    return transpose(s, 0, 1) if s.ndim == 2 else s


def index_select(s: Any, dim: int, index: Any) -> Any:
    """The slices at some indices of a dimension."""
    dim = wrapped_dim(dim, s.ndim)
    source = s._a
    s = traceable(s)
    a, wanted = s._a, index._a.reshape(-1).astype(INDEX, copy=False)
    n = a.shape[dim] if a.shape else 1
    if wanted.size and (wanted.min() < -n or wanted.max() >= n):
        bad = int(wanted[(wanted < -n) | (wanted >= n)][0])
        raise IndexError(
            f"index_select(): index contains {bad} that is out of range for tensor of size "
            f"{list(a.shape)} at dimension {dim}"
        )
    wanted = np.where(wanted < 0, wanted + n, wanted)
    shape = (*a.shape[:dim], len(wanted), *a.shape[dim + 1 :])
    values = values_of(s)
    if dim >= a.sparse_dim:
        values = values.index_select(dim - a.sparse_dim + 1, door.wrap(wanted))
        return at_places(a.indices, values, shape, a.coalesced)
    order = np.argsort(wanted, kind="stable")  # every stored value meets a run of these
    there = a.indices[dim]
    low = np.searchsorted(wanted[order], there, "left")
    counts = np.searchsorted(wanted[order], there, "right") - low
    source = np.repeat(np.arange(len(there), dtype=INDEX), counts)
    within = np.arange(len(source)) - np.repeat(np.cumsum(counts) - counts, counts)
    target = order[low[source] + within]
    by = np.argsort(target, kind="stable")  # in the order of the result, as PyTorch's
    source, target = source[by], target[by]
    indices = a.indices[:, source]
    indices[dim] = target
    made = at_places(indices, values.index_select(0, door.wrap(source)), shape)
    return in_form(made, source)


def select(s: Any, dim: int, index: int) -> Any:
    """One slice of a dimension, which goes."""
    if not s.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = wrapped_dim(dim, s.ndim)
    if s._a.__class__ is not Compressed:
        s = traceable(s)
    a = s._a
    n = a.shape[dim]
    index = int(index)
    if not -n <= index < n:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(a.shape)} at "
            f"dimension {dim}"
        )
    index %= n
    shape = (*a.shape[:dim], *a.shape[dim + 1 :])
    if a.__class__ is Compressed:
        return select_compressed(s, dim, index)
    values = values_of(s)
    if dim >= a.sparse_dim:
        values = values.select(dim - a.sparse_dim + 1, index)
        return at_places(a.indices, values, shape, a.coalesced)
    here = np.flatnonzero(a.indices[dim] == index)
    values = values.index_select(0, door.wrap(here))
    if a.sparse_dim == 1:  # nothing sparse is left
        return values.sum(0, dtype=values.dtype)
    return at_places(np.delete(a.indices, dim, 0)[:, here], values, shape, a.coalesced)


def select_compressed(s: Any, dim: int, index: int) -> Any:
    """A smaller batch; a row or column by coordinates; a slice of the dense dimensions."""
    a = s._a
    b = a.batch_dim
    if dim < b:
        return batch_of(s, dim, index)
    if dim < b + 2:
        if b:
            raise RuntimeError(
                "select(): selecting sparse dimensions is not supported for batched sparse "
                "compressed tensors."
            )
        return select(coo(s), dim, index)
    values = values_of(s).select(dim - a.ndim, index)
    held = a.pointers, a.others, values._a
    made = Compressed(*held, (*a.shape[:dim], *a.shape[dim + 1 :]), a.by_row, a.blocked)
    return like(made, values)


def narrow_copy(s: Any, dim: int, start: int, length: int) -> Any:
    """A piece of a dimension."""
    if dim >= s.ndim:
        raise RuntimeError(f"Dimension {dim} out of range. Expecting 0 <= dim < {s.ndim}.")
    dim = wrapped_dim(dim, s.ndim)
    s = traceable(s)
    a = s._a
    n = a.shape[dim]
    start = start + n if start < 0 else start
    if not 0 <= start <= n or length < 0 or start + length > n:
        raise RuntimeError(
            f"Invalid range to narrow. range(start, start+length) must be a subset of range(0, {n})"
        )
    shape = (*a.shape[:dim], length, *a.shape[dim + 1 :])
    values = values_of(s)
    if dim >= a.sparse_dim:
        return at_places(
            a.indices, values.narrow(dim - a.sparse_dim + 1, start, length), shape, a.coalesced
        )
    row = a.indices[dim]
    here = np.flatnonzero((row >= start) & (row < start + length))
    indices = a.indices[:, here]
    indices[dim] -= start
    return at_places(indices, values.index_select(0, door.wrap(here)), shape, a.coalesced)


def getitem(s: Any, key: Any) -> Any:
    """`s[1]`, `s[:, 0]`, `s[tensor]`, `s[None]`: what PyTorch does on sparse tensors."""
    keys = key if isinstance(key, tuple) else (key,)
    if sum(k is Ellipsis for k in keys) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    used = sum(k is not None and k is not Ellipsis for k in keys)
    if used > s.ndim:
        raise IndexError(f"too many indices for tensor of dimension {s.ndim}")
    full = slice(None)
    if Ellipsis in [k for k in keys if not isinstance(k, TensorBase)]:
        at = next(i for i, k in enumerate(keys) if k is Ellipsis)
        keys = (*keys[:at], *[full] * (s.ndim - used), *keys[at + 1 :])
    out, dim = s, 0
    for k in keys:
        if isinstance(k, TensorBase) and k.ndim == 0 and k._a.dtype.kind in "iu":
            k = int(k.item())
        if k is None:
            out = unsqueeze(out, dim)
            dim += 1
        elif isinstance(k, (int, np.integer)) and not isinstance(k, bool):
            if is_sparse(out):
                if not -out.shape[dim] <= k < out.shape[dim]:
                    raise IndexError(
                        f"index {k} is out of bounds for dimension {dim} with size {out.shape[dim]}"
                    )
                out = select(out, dim, int(k))
            else:
                out = out.select(dim, int(k))
        elif isinstance(k, slice):
            if k.indices(out.shape[dim]) != (0, out.shape[dim], 1):
                refuse("as_strided", s)
            dim += 1
        elif isinstance(k, (TensorBase, list, np.ndarray)) and len(keys) == 1:
            index = k if isinstance(k, TensorBase) else door.wrap(np.asarray(k))
            if index._a.dtype == bool:
                index = door.wrap(np.flatnonzero(index._a))
            if index.ndim != 1:
                refuse("index.Tensor", s)
            return index_select(s, 0, index)
        else:
            refuse("index.Tensor", s)
    return out


def unsqueeze(s: Any, dim: int) -> Any:
    """A dimension of size 1 more."""
    dim = wrapped_dim(dim, s.ndim + 1)
    s = traceable(s)
    a = s._a
    shape = (*a.shape[:dim], 1, *a.shape[dim:])
    if dim > a.sparse_dim:
        return at_places(
            a.indices, values_of(s).unsqueeze(dim - a.sparse_dim + 1), shape, a.coalesced
        )
    return at_places(np.insert(a.indices, dim, 0, 0), values_of(s), shape)


def squeeze(s: Any, *dim: Any) -> Any:
    """Refused, as by PyTorch."""
    refuse("as_strided", s)


def reshape(s: Any, *shape: Any) -> Any:
    """Refused, as by PyTorch."""
    raise RuntimeError("reshape is not implemented for sparse tensors")


def cat(tensors: Any, dim: int = 0) -> Any:
    """Sparse tensors one after the other along a dimension."""
    tensors = list(tensors)
    first = tensors[0]
    for i, other in enumerate(tensors):
        if not is_sparse(other):
            raise RuntimeError(
                f"Concatenating sparse tensors, but a dense tensor was found at position {i}."
            )
    dim = wrapped_dim(dim, first.ndim)
    held = [traceable(x) for x in tensors]
    k = held[0]._a.sparse_dim
    for i, x in enumerate(held):
        mine, its = list(held[0]._a.shape), list(x._a.shape)
        if len(mine) != len(its) or any(
            a != b for d, (a, b) in enumerate(zip(mine, its, strict=True)) if d != dim
        ):
            raise RuntimeError(
                "All tensors must have the same shape: "
                f"{mine} (except in the concatenating dimension), but found shape: {its} at "
                f"position {i}."
            )
        if x._a.sparse_dim != k:
            raise RuntimeError(
                "All tensors must have the same sparse_dim and dense_dim: "
                f"{k}, {len(mine) - k}, but tensor at position {i} has {x._a.sparse_dim}, "
                f"{len(its) - x._a.sparse_dim}."
            )
    n = sum(x._a.shape[dim] for x in held)
    shape = (*held[0]._a.shape[:dim], n, *held[0]._a.shape[dim + 1 :])
    parts, values, at = [], [], 0
    for x in held:
        indices = x._a.indices
        if dim < k:
            indices = indices.copy()
            indices[dim] += at
        parts.append(indices)
        v = values_of(x)
        if dim >= k:  # dense dimensions: zeros before and after
            width = x._a.shape[dim]
            pads = []
            for w in (at, n - at - width):
                pads.append(v.new_zeros((*v.shape[: dim - k + 1], w, *v.shape[dim - k + 2 :])))
            v = joined([pads[0], v, pads[1]], dim - k + 1)
        values.append(v)
        at += x._a.shape[dim]
    made = at_places(np.concatenate(parts, 1), joined(values), shape)
    return in_form(made, first._a)


def stack(tensors: Any, dim: int = 0) -> Any:
    """Sparse tensors along a new dimension."""
    return cat([unsqueeze(x, dim) for x in tensors], dim)


def resized(s: Any, size: Any, sparse_dim: int, dense_dim: int) -> Any:
    """`sparse_resize_`: other sizes for the same values."""
    a = s._a
    if a.__class__ is not Coo:
        refuse("sparse_resize_", s)
    size = tuple(int(n) for n in size)
    if sparse_dim + dense_dim != len(size):
        raise RuntimeError(
            "'len(size) == sparse_dim + dense_dim' is not satisfied: "
            f"len(size) = {len(size)}, sparse_dim = {sparse_dim}, dense_dim = {dense_dim}"
        )
    if len(a.values):
        if sparse_dim != a.sparse_dim:
            raise RuntimeError(
                f"changing the number of sparse dimensions (from {a.sparse_dim} to {sparse_dim}) "
                "on a non-empty sparse tensor is not supported."
            )
        if dense_dim != a.ndim - a.sparse_dim:
            raise RuntimeError(
                f"changing the number of dense dimensions (from {a.ndim - a.sparse_dim} to "
                f"{dense_dim}) on a non-empty sparse tensor is not supported."
            )
        for kind, part in (("sparse", slice(sparse_dim)), ("dense", slice(sparse_dim, None))):
            if any(n < m for n, m in zip(size[part], a.shape[part], strict=True)):
                raise RuntimeError(
                    f"shrinking the size of {kind} dimensions (from {list(a.shape[part])} to "
                    f"{list(size[part])}) on a non-empty sparse tensor is not supported."
                )
        values = np.zeros((len(a.values), *size[sparse_dim:]), a.dtype)
        values[tuple(slice(0, n) for n in a.values.shape)] = a.values
        s._a = Coo(a.indices, values, size, a.coalesced)
        return s
    return cleared(s, size, sparse_dim, dense_dim)


def cleared(s: Any, size: Any, sparse_dim: int, dense_dim: int) -> Any:
    """`sparse_resize_and_clear_`: other sizes, and no values."""
    size = tuple(int(n) for n in size)
    if sparse_dim + dense_dim != len(size):
        raise RuntimeError(
            "'len(size) == sparse_dim + dense_dim' is not satisfied: "
            f"len(size) = {len(size)}, sparse_dim = {sparse_dim}, dense_dim = {dense_dim}"
        )
    dtype = s._a.dtype
    s._a = Coo(
        np.zeros((sparse_dim, 0), INDEX), np.zeros((0, *size[sparse_dim:]), dtype), size, True
    )
    return s
