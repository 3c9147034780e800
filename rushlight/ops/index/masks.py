"""Masks, flat positions and rows: masked_fill, masked_select, take, put, nonzero, index_select,
index_add.

gather and scatter are in `gather.py`; indexing with brackets in `getitem.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import changes, door, overlaps
from ...autograd.node import TensorBase
from ...autograd.observe import look
from ...dtypes import type_name
from ...errors import axis, message
from ...kernels import dense, places
from ...kernels.elementwise.where import fill, where
from ...kernels.embedding import select as lookups
from ...kernels.meta import MetaArray
from ...kernels.sparse import select as sums
from ..core.arguments import need_gradients, need_tensor
from ..core.composite import composite
from ..core.numerics import in_place_by
from ..core.publication import write_out
from ..core.record import op
from ..core.samples import arr, bools, case, error, ints, values
from ..core.shapes import given, same
from ..create.arguments import stored
from ..elementwise import formulas as m
from ..shape.public import broadcast_shapes
from ..shape.views import stack
from . import getitem as ix
from .gather import gather, same_type

mask34 = arr((3, 4), dtype="bool")
flat = arr((2, 3), 0, 12, "int64")

# -- masks ---------------------------------------------------------------------------------------


def check_mask(name: str, mask: Any) -> None:
    if mask.dtype.kind != "b":
        raise RuntimeError(
            message(
                f"{name} only supports boolean masks, but got mask with dtype {mask.dtype}",
                hint="mask.bool(), or a comparison such as x > 0",
            )
        )


def masked_shape(x: Any, mask: Any, *_: Any, **__: Any) -> MetaArray:
    """The shapes of the operand and of a mask broadcast."""
    check_mask("masked_fill_", mask)
    return MetaArray(np.broadcast_shapes(x.shape, mask.shape), x.dtype)


@op(
    samples=[case((3, 4), mask34, value=2.0), case((3, 4), arr((4,), dtype="bool"), value=-1)],
    low="keep",
    fresh=True,
    public="",
)
def masked_fill(input: Any, mask: Any, *, value: Any) -> Any:
    """`value` where the mask is True, else the input."""
    check_mask("masked_fill_", mask)
    return dense.in_rows(where(mask, stored(value, input.dtype), input))


def masked_fill_over(input: Any, mask: Any, *, value: Any) -> None:
    """`masked_fill` in memory that may be written to."""
    check_mask("masked_fill_", mask)
    as_large(input, mask)
    fill(input, mask, np.asarray(stored(value, input.dtype)))


def as_large(input: Any, mask: Any) -> None:
    """ValueError where a mask does not broadcast to an array that is written to."""
    if mask.shape != input.shape:
        np.broadcast_to(mask, input.shape)


in_place_by(masked_fill, masked_fill_over, indices=(1,), strided=True)
masked_fill.shape(masked_shape)


masked_fill.vjp(lambda g, _y, _x, mask: masked_fill(g, mask, value=0), None)


def fill_value(input: Any, value: Any) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """(op, further inputs, parameters) of a fill with a number or a 0-d tensor."""
    if isinstance(value, TensorBase):
        if value._a.ndim:
            raise RuntimeError(
                "masked_fill only supports a 0-dimensional value tensor, but got tensor with "
                f"{value._a.ndim} dimension(s)."
            )
        if value._a.__class__ is MetaArray or hasattr(type(value), "value_is_hidden"):
            return masked_put, (value,), {}
        if value._fn is not None:
            stored(value.detach().item(), input._a.dtype)  # type: ignore[attr-defined] # raises
            return masked_put, (value,), {}
        value = value.item()  # type: ignore[attr-defined]
    stored(value, input._a.dtype)  # raises for what does not fit
    return masked_fill, (), {"value": value}


@op(samples=[case((3, 4), mask34, ())], fresh=True, public="", node="MaskedFillBackward1")
def masked_put(input: Any, mask: Any, value: Any) -> Any:
    """A 0-d tensor where the mask is True, else the input."""
    check_mask("masked_fill_", mask)
    return dense.in_rows(where(mask, value.astype(input.dtype), input))


def masked_put_over(input: Any, mask: Any, value: Any) -> None:
    """`masked_put` in memory that may be written to."""
    check_mask("masked_fill_", mask)
    as_large(input, mask)
    fill(input, mask, value.astype(input.dtype))


in_place_by(masked_put, masked_put_over, indices=(1, 2), strided=True)
masked_put.shape(masked_shape)


masked_put.vjp(
    lambda g, _y, _x, mask, _v: masked_fill(g, mask, value=0),
    None,
    lambda g, _y, _x, mask, _v: m.where(mask, g, 0.0),
)


@composite(
    adapt=True,
    name="masked_fill",
    samples=[case((3, 4), bools((3, 4)), 1.5), case((3, 4), bools((4,)), ())],
)
def public_masked_fill(input: Any, mask: Any, value: Any) -> Any:
    """`value` where the mask is True, else the input.

    `mask` is a bool tensor that broadcasts with `input`; `value` a number or a 0-d tensor, in
    tensors of integers cut to a whole number.

    >>> x = torch.tensor([1.0, 2.0, 3.0])
    >>> torch.masked_fill(x, x > 1.5, 0)
    tensor([1., 0., 0.])
    """
    need_tensor("masked_fill", mask, 2, "mask")
    need_gradients(input, value, "value")
    record, more, kw = fill_value(input, value)
    return record.call((input, mask, *more), kw)


@composite(
    adapt=True,
    name="masked_fill_",
    public="Tensor",
    samples=[case((3, 4), bools((3, 4)), 1.5)],
)
def masked_fill_(input: Any, mask: Any, value: Any) -> Any:
    """Writes `value` where the mask is True, in place.

    >>> x = torch.tensor([1.0, 2.0, 3.0])
    >>> x.masked_fill_(x > 1.5, 0)
    tensor([1., 0., 0.])
    """
    record, more, kw = fill_value(input, value)
    overlaps.refuse("masked_fill_", input, (mask,))
    try:
        return changes.apply_inplace(record, input, (mask, *more), kw)
    except RuntimeError:
        from .overlapping import fill_mask_instead

        return fill_mask_instead(input, mask, value)


@composite(apart="wholly", adapt=True, data_dependent=True, samples=[case((3, 4), bools((3, 4)))])
def masked_select(input: Any, mask: Any) -> Any:
    """The elements where the mask is True, one after the other: a new 1-d tensor.

    Both are broadcast. `input[mask]` is the same where the shapes are equal.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.masked_select(x, x > 1)
    tensor([2, 3, 4])
    """
    need_tensor("masked_select", input)
    need_tensor("masked_select", mask, 2, "mask")
    if mask._a.dtype.kind != "b":
        raise RuntimeError(f"masked_select: expected BoolTensor for mask, got {mask.dtype!r}")
    shape = tuple(broadcast_shapes(mask._a.shape, input._a.shape))
    full = input.expand(shape) if tuple(input._a.shape) != shape else input
    over = mask.expand(shape) if tuple(mask._a.shape) != shape else mask
    if not shape:
        full, over = full.reshape(1), over.reshape(1)
    return door.apply(ix.index, (full, over), {})


@op(
    samples=[case((3, 4), mask34, (12,))],
    low="keep",
    fresh=True,
    public="",
    errors=[
        error(RuntimeError, "number of elements of source", (3, 4), arr((3, 4), 1, 2, "bool"), (0,))
    ],
)
def masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    """The first elements of `source` in turn where the mask is True, else the input."""
    check_mask("masked_scatter_", mask)
    same_type("masked_scatter", input, source)
    shape = np.broadcast_shapes(input.shape, mask.shape)
    out = np.array(np.broadcast_to(input, shape))
    scatter_under(out, np.broadcast_to(mask, shape), source)
    return dense.in_rows(out)


def scatter_under(out: Any, over: Any, source: Any) -> None:
    """Write the first elements of `source` where a mask of the array's shape is True."""
    n = int(np.count_nonzero(over))
    if n > source.size:
        raise RuntimeError(
            message(
                "masked_scatter: expected number of elements of source >= number of ones in mask",
                f"{source.size} < {n}",
            )
        )
    out[over] = source.reshape(-1)[:n]


def masked_scatter_over(input: Any, mask: Any, source: Any) -> None:
    """`masked_scatter` in memory that may be written to."""
    check_mask("masked_scatter_", mask)
    same_type("masked_scatter", input, source)
    scatter_under(input, np.broadcast_to(mask, input.shape), source)


in_place_by(masked_scatter, masked_scatter_over, indices=(1,), strided=True)

masked_scatter.shape(masked_shape)


@op(samples=[case((3, 4), mask34, shape=(13,))], low="keep", fresh=True, public="")
def masked_gather(grad: Any, mask: Any, *, shape: Any) -> Any:
    """The elements under a mask, followed by zeros, in `shape`."""
    out = np.zeros(shape, grad.dtype)
    picked = grad[np.broadcast_to(mask, grad.shape)]
    out.reshape(-1)[: picked.size] = picked
    return out


masked_gather.shape(given)


masked_gather.vjp(
    lambda g, _y, x, mask: masked_scatter(x * 0, mask, g),
    None,
)
masked_scatter.vjp(
    lambda g, _y, _x, mask, _s: masked_fill(g, mask, value=0),
    None,
    lambda g, _y, _x, mask, _s, *, shapes: masked_gather(g, mask, shape=shapes[2]),
)


@composite(adapt=True, name="masked_scatter", samples=[case((3, 4), bools((3, 4)), (12,))])
def public_masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    """The elements of `source` in turn where the mask is True, else the input.

    `mask` is a bool tensor that broadcasts with `input`. RuntimeError if `source` has fewer
    elements than the mask has True. The first True gets the first element, wherever it stands.

    >>> x = torch.zeros(4)
    >>> torch.masked_scatter(x, torch.tensor([False, True, False, True]), torch.tensor([1.0, 2.0]))
    tensor([0., 1., 0., 2.])
    """
    return masked_scatter.call((input, mask, source), {})


@composite(
    adapt=True,
    name="masked_scatter_",
    public="Tensor",
    samples=[case((3, 4), bools((3, 4)), (12,))],
)
def masked_scatter_(input: Any, mask: Any, source: Any) -> Any:
    """Writes the elements of `source` in turn where the mask is True, in place.

    >>> torch.zeros(3).masked_scatter_(torch.tensor([False, True, True]), torch.tensor([1.0, 2.0]))
    tensor([0., 1., 2.])
    """
    return changes.apply_inplace(masked_scatter, input, (mask, source), {})


# -- places --------------------------------------------------------------------------------------


@op(
    samples=[case(arr((3, 4), 0, 2, "int64"))],
    fresh=True,
    public="",
    low="keep",
    data_dependent=True,
)
def argwhere(input: Any) -> Any:
    """The indices of non-zero elements, one row each."""
    return (
        places.nonzero(input).T  # a row in memory for each dimension, as PyTorch's lie
        if input.ndim
        else np.zeros((int(input != 0), 0), np.int64)
    )


@composite(
    data_dependent=True,
    samples=[case(ints((3, 4), 2))],
)
def nonzero(input: Any, *, out: Any = None, as_tuple: bool = False) -> Any:
    """The places of the elements that are not zero: int64 (n, input.dim()), one row each.

    In the order of the elements. With `as_tuple=True` one vector for each dimension, which can be
    used as an index: `x[torch.nonzero(x, as_tuple=True)]`. Not on meta tensors: the shape depends
    on the values.

    >>> x = torch.tensor([[0, 5], [6, 0]])
    >>> torch.nonzero(x)
    tensor([[0, 1],
            [1, 0]])
    >>> torch.nonzero(x, as_tuple=True)
    (tensor([0, 1]), tensor([1, 0]))
    """
    need_tensor("nonzero", input)
    if as_tuple:
        if out is not None:
            raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
        full = input.reshape(1) if input._a.ndim == 0 else input
        return tuple(door.apply(argwhere, (full,), {}).unbind(1))
    if isinstance(out, TensorBase) and out._a.dtype != np.int64:
        raise RuntimeError(
            message(
                "nonzero: Expected out tensor to have scalar type Long but got scalar type "
                f"{type_name(dtypes.from_numpy(out._a.dtype))}",
                hint="out=torch.empty(0, dtype=torch.long)",
            )
        )
    found = door.apply(argwhere, (input,), {})
    return found if out is None else write_out("nonzero", out, found)


@composite(adapt=True, name="argwhere", data_dependent=True, samples=[case(ints((3, 4), 2))])
def public_argwhere(input: Any) -> Any:
    """The places of the elements that are not zero: int64 (n, input.dim()), one row each.

    >>> x = torch.tensor([[0, 5], [6, 0]])
    >>> torch.argwhere(x)
    tensor([[0, 1],
            [1, 0]])
    """
    return nonzero(input)


@composite(adapt=True, public="torch", samples=[case(ints((3,), 12), [3, 4])])
def unravel_index(indices: Any, shape: Any) -> Any:
    """The places in a tensor of shape `shape` of positions in it when flattened.

    A tuple with a tensor of the shape of `indices` for each dimension. Positions beyond the end
    raise nothing.

    >>> torch.unravel_index(torch.tensor([1, 5]), (2, 3))
    (tensor([0, 1]), tensor([1, 2]))
    """
    need_tensor("unravel_index", indices, 1, "indices")
    if indices._a.dtype.kind not in "iu":
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype!r}")
    if isinstance(shape, TensorBase) or not hasattr(shape, "__index__"):
        if not isinstance(shape, (tuple, list, str)):  # text is a sequence, of no ints
            raise TypeError(
                f"expected 'shape' to be int or sequence of ints, but got {type(shape)}"
            )
        for n in shape:
            if not hasattr(n, "__index__"):
                raise TypeError(
                    f"expected 'shape' sequence to only contain ints, but got {type(n)}"
                )
    sizes = (int(shape),) if hasattr(shape, "__index__") else tuple(int(n) for n in shape)
    if any(n < 0 for n in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {sizes}")
    if not sizes:
        return ()
    rest, out = indices.long(), []
    for n in reversed(sizes):
        out.append(rest % n)
        rest = rest // n
    return stack.call(tuple(reversed(out)), {"dim": -1}).unbind(-1)


@composite(
    shape=lambda input,
    *,
    size,
    fill_value=-1: MetaArray((size, input.ndim), np.int64),
    adapt=True,
    samples=[case(ints((3, 4), 2), size=5)],
)
def nonzero_static(input: Any, *, size: int, fill_value: int = -1) -> Any:
    """`nonzero` with exactly `size` rows: cut off, or filled up with `fill_value`.

    Its shape does not depend on the values.

    >>> x = torch.tensor([0, 5, 6])
    >>> torch.nonzero_static(x, size=3)
    tensor([[ 1],
            [ 2],
            [-1]])
    """
    need_tensor("nonzero_static", input)
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    found = nonzero(input)._a[:size]
    out = np.full((size, found.shape[1]), fill_value, np.int64)
    out[: len(found)] = found
    return door.wrap(out)


# -- flat positions ------------------------------------------------------------------------------


def wrapped(index: Any, n: int) -> Any:
    """Flat positions with negative ones counted from the end."""
    if index.dtype.kind not in "iu":
        raise RuntimeError(
            message(
                "take(): Expected a long tensor for index",
                got=str(index.dtype),
                hint="index.long()",
            )
        )
    if index.size and (int(index.min()) < -n or int(index.max()) >= n):
        raise IndexError(
            f"out of range: tried to access index {int(index.max())} on a tensor of {n} elements."
        )
    return index


@op(samples=[case((3, 4), flat)], low="keep", fresh=True, public="")
def take(input: Any, index: Any) -> Any:
    """Elements at positions in the flattened tensor."""
    if index.dtype != np.int64:
        raise RuntimeError(
            message(
                "take(): Expected a long tensor for index, but got "
                f"{type_name(dtypes.from_numpy(index.dtype))}",
                hint="index.long()",
            )
        )
    line, places = input.reshape(-1), index.reshape(-1)
    if lookups.by_kernel(line, places, 0):
        out = lookups.elements(line, places, 0, wraps=True)
        if out is not None:
            return out.reshape(index.shape)
    return np.ascontiguousarray(line[wrapped(index, input.size)]).reshape(index.shape)


@op(samples=[case((2, 3), flat, shape=(3, 4))], fresh=True, public="")
def take_backward(grad: Any, index: Any, *, shape: Any) -> Any:
    """Zeros of `shape` with `grad` added at flat positions."""
    out = np.zeros(shape, grad.dtype)
    sums.scatter_add(out.reshape(-1), index.reshape(-1), grad.reshape(-1), 0)
    return out


take_backward.shape(given)


take.vjp(lambda g, _y, _x, index, *, shapes: take_backward(g, index, shape=shapes[0]), None)
take_backward.vjp(lambda g, _y, _g, index: take(g, index), None)
take.shape(lambda x, index: MetaArray(index.shape, x.dtype))


@composite(apart="wholly", adapt=True, name="take", samples=[case((3, 4), ints((2, 3), 12))])
def public_take(input: Any, index: Any) -> Any:
    """The elements at positions in the flattened tensor, in the shape of `index`.

    Negative positions count from the end. IndexError beyond it.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.take(x, torch.tensor([0, -1]))
    tensor([1, 4])
    """
    need_tensor("take", index, 2, "index")
    return take.call((input, index), {})


@op(
    samples=[
        case((3, 4), arr((2, 1), 0, 1, "int64"), (2, 1), accumulate=True),
        case((3, 4), arr((1,), 0, 12, "int64"), (1,)),
    ],
    fresh=True,
    public="",
    low="keep",
)
def put(input: Any, index: Any, source: Any, *, accumulate: bool = False) -> Any:
    """A copy with the elements of `source` at flat positions."""
    check_put(input, index, source)
    out = input.copy("C")
    put_at(out, index, source, accumulate)
    return dense.laid_as(out, input)


def check_put(input: Any, index: Any, source: Any) -> None:
    """What `put_` asks of its operands."""
    same_type("put_", input, source)
    if index.dtype != np.int64:
        raise RuntimeError(
            f"put_(): Expected a long tensor for index, but got {index.dtype} (try index.long())"
        )
    if index.size != source.size:
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got "
            f"source.numel() = {source.size}, index.numel() = {index.size}"
        )


def put_at(out: Any, index: Any, source: Any, accumulate: bool) -> None:
    """Write (or add) `source` at flat positions of an array in rows."""
    line = out.reshape(-1)
    place = wrapped(index, line.size).reshape(-1)
    if accumulate:
        np.add.at(line, place, source.reshape(-1))
    else:
        line[place] = source.reshape(-1)


def put_over(input: Any, index: Any, source: Any, *, accumulate: bool = False) -> None:
    """`put` in memory that may be written to."""
    check_put(input, index, source)
    put_at(input, index, source, accumulate)


in_place_by(put, put_over, indices=(1,))
put.shape(same)


def zeros_of(x: Any) -> Any:
    """Zeros of the same type, also of a narrow one."""
    return np.zeros_like(x) if isinstance(x, np.ndarray) else door.nothing(x)


put.vjp(
    lambda g, _y, _x, index, _s, *, accumulate: (
        g if accumulate else put(g, index, zeros_of(take(g, index)))
    ),
    None,
    lambda g, _y, _x, index, _s, *, shapes: take(g, index).reshape(shapes[2]),
)


@composite(
    adapt=True,
    name="put",
    samples=[case((3, 4), values([1, 5]), (2,)), case((3, 4), values([1, 1]), (2,), True)],
)
def public_put(input: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """A copy with the elements of `source` at positions in the flattened tensor.

    `index` and `source` have the same number of elements. `accumulate`: they are added to what is
    there, where a position is named twice both of them.

    >>> x = torch.zeros(2, 2)
    >>> torch.put(x, torch.tensor([1, -1]), torch.tensor([5.0, 6.0]))
    tensor([[0., 5.],
            [0., 6.]])
    """
    return put.call((input, index, source), {"accumulate": accumulate})


@composite(adapt=True, name="put_", public="Tensor", samples=[case((3, 4), values([1, 5]), (2,))])
def put_(input: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """Writes the elements of `source` at positions in the flattened tensor, in place.

    >>> torch.ones(3).put_(torch.tensor([1, 1]), torch.tensor([5.0, 6.0]), accumulate=True)
    tensor([ 1., 12.,  1.])
    """
    need_tensor("put_", source, 2, "source")
    overlaps.refuse("put_", input, (index, source), wholly=True)
    return changes.apply_inplace(put, input, (index, source), {"accumulate": accumulate})


@composite(
    apart="wholly",
    adapt=True,
    samples=[case((3, 4), ints((3, 2), 4), 1), case((3, 4), ints((5,), 12))],
)
def take_along_dim(input: Any, indices: Any, dim: int | None = None) -> Any:
    """Elements picked along `dim` by an int64 tensor, of the same number of dimensions.

    y[i, j] = input[i, indices[i, j]] for dim=1; the other dimensions broadcast (unlike `gather`).
    Without `dim` positions in the flattened tensor. What `argmax` and `argsort` give fits.

    >>> x = torch.tensor([[1, 3, 2], [9, 7, 8]])
    >>> torch.take_along_dim(x, x.argmax(1, keepdim=True), 1)
    tensor([[3],
            [9]])
    >>> torch.take_along_dim(x, x.argsort(1), 1)
    tensor([[1, 2, 3],
            [7, 8, 9]])
    """
    need_tensor("take_along_dim", input)
    need_tensor("take_along_dim", indices, 2, "indices")
    a, i = input._a.shape, indices._a.shape
    if dim is not None and len(a) != len(i):
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of "
            f"dimensions, but got {len(a)} "
            f"dimensions for input, and {len(i)} dimensions for indices"
        )
    if dim is None and indices._a.dtype == np.int32:
        indices = indices.long()
    if indices._a.dtype != np.int64:
        raise RuntimeError(
            f"torch.take_along_dim(): dtype of indices should be Long but got {indices.dtype!r}"
        )
    if dim is None:
        return gather.call((input.reshape(-1), indices.reshape(-1)), {"dim": 0})
    d = axis(dim, len(a))
    shape = list(broadcast_shapes((*a[:d], 1, *a[d + 1 :]), (*i[:d], 1, *i[d + 1 :])))
    full, picks = list(shape), list(shape)
    full[d], picks[d] = a[d], i[d]
    look("take_along_dim")
    if indices._a.__class__ is np.ndarray and indices._a.size and int(indices._a.min()) < 0:
        indices = m.where(indices < 0, indices + a[d], indices)
    return gather.call((input.expand(full), indices.expand(picks)), {"dim": d})
