"""Several tensors of one and one of several: unbind, split, cat, stack; copies and casts.

Views of one tensor are in `views.py`, which hands these names on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...array_memory import nbytes, storage_offset, strided_view
from ...autograd import door
from ...errors import axis, message
from ...kernels import dense
from ...kernels.meta import MetaArray, contiguous_strides
from ...kernels.reduce.select import add_reduce
from ...kernels.runtime import few
from ...lazy_clones import lazily_cloned
from ..core.record import op, view
from ..core.samples import case, error
from ..core.shapes import given

builtin_sum = sum
concatenate = dense.joined
ALL = slice(None)

# -- several views -------------------------------------------------------------------------------


@view(samples=[case((3, 4)), case((3, 4), dim=1)], outputs=0)
def unbind(input: Any, *, dim: int = 0) -> Any:
    """All slices along `dim`, without that dimension, as a tuple of views.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.unbind(x)
    (tensor([1, 2]), tensor([3, 4]))
    """
    if input.ndim == 0:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    d = axis(dim, input.ndim)
    before = (ALL,) * d
    return tuple([input[(*before, i, ...)] for i in range(input.shape[d])])


@unbind.vjp
def _(g: Any, _y: Any, _x: Any, *, dim: int, shapes: Any) -> Any:
    g = g if isinstance(g, (tuple, list)) else (g,)
    d = dim % len(shapes[0])
    part = tuple(n for i, n in enumerate(shapes[0]) if i != d)
    return stack_known(g, part, d)


def stack_known(gs: Any, part: tuple[int, ...], dim: int) -> Any:
    """Stack gradients, zeros in place of those that are None."""
    if gs[0].__class__ is np.ndarray:
        whole = few.beside(tuple(gs), dim, True)
        if whole is not None:
            return whole
    some = next(g for g in gs if g is not None)
    return stack(*[zeros_of(some, part) if g is None else g for g in gs], dim=dim)


def zeros_of(like: Any, shape: tuple[int, ...]) -> Any:
    if isinstance(like, np.ndarray):
        return np.zeros(shape, like.dtype)
    return like.new_zeros(shape)


@view(
    samples=[case((5, 4), split_size=2), case((5, 4), split_size=(1, 4), dim=0)],
    outputs=0,
    public="",
)
def split(input: Any, *, split_size: Any, dim: int = 0) -> Any:
    """Views of `split_size` slices each along `dim` (the last may be smaller), or of sizes."""
    d = axis(dim, input.ndim, wrap_scalar=False)
    n = input.shape[d]
    if split_size.__class__ is int and split_size > 0 and n:
        before, steps = (ALL,) * d, range(0, n, split_size)
        return tuple([input[(*before, slice(at, at + split_size))] for at in steps])
    out, at = [], 0
    for k in split_sizes(n, split_size):
        out.append(input[(slice(None),) * d + (slice(at, at + k),)])
        at += k
    return tuple(out)


def split_sizes(n: int, split_size: Any) -> list[int]:
    if isinstance(split_size, (tuple, list)):
        if builtin_sum(split_size) != n or any(s < 0 for s in split_size):
            raise RuntimeError(
                f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size "
                f"at this dimension), but got split_sizes={list(split_size)}"
            )
        return list(split_size)
    if split_size < 0 or (split_size == 0 and n != 0):
        raise RuntimeError(
            f"split expects split_size be non-negative, but got split_size={split_size}"
        )
    if n == 0:
        return [0]
    return [min(split_size, n - at) for at in range(0, n, split_size)]


@split.vjp
def _(g: Any, _y: Any, _x: Any, *, split_size: Any, dim: int, shapes: Any) -> Any:
    g = g if isinstance(g, (tuple, list)) else (g,)
    shape = shapes[0]
    d = dim % len(shape)
    if g[0].__class__ is np.ndarray:
        whole = few.beside(tuple(g), d, False)
        if whole is not None:
            return whole
    some = next(v for v in g if v is not None)
    parts = [
        zeros_of(some, (*shape[:d], k, *shape[d + 1 :])) if v is None else v
        for v, k in zip(g, split_sizes(shape[d], split_size), strict=True)
    ]
    return cat(*parts, dim=d)


# -- joining -------------------------------------------------------------------------------------


def cat_error(shapes: Any, d: int) -> RuntimeError:
    first = shapes[0]
    number, size, wanted = next(
        (i, n, m)
        for i, shape in enumerate(shapes)
        for k, (n, m) in enumerate(zip(shape, first, strict=True))
        if k != d and n != m
    )
    return RuntimeError(
        message(
            f"Sizes of tensors must match except in dimension {d}. "
            f"Expected size {wanted} but got size {size} for tensor number {number} in the list.",
            got=" and ".join(map(str, shapes)),
            wanted="equal sizes in every other dimension",
            hint="stack() for a new dimension, or transpose one of them",
        )
    )


@op(
    apart="wholly",
    samples=[case((3, 4), (2, 4)), case((3, 4), (3, 1), (3, 2), dim=1)],
    promote="common",
    low="keep",
    fresh=True,
    numbers=(),
    aliases="concat concatenate",
    public="torch",
    errors=[error(RuntimeError, "Sizes of tensors must match", (3, 4), (2, 5))],
)
def cat(*tensors: Any, dim: int = 0) -> Any:
    """Tensors one after the other along `dim`.

    Their other sizes must be equal, else RuntimeError; types are promoted. An empty tensor of shape
    (0,) counts for nothing.

    >>> x = torch.tensor([[1, 2]])
    >>> torch.cat((x, torch.tensor([[3, 4]])))
    tensor([[1, 2],
            [3, 4]])
    >>> torch.cat((x, x), dim=1)
    tensor([[1, 2, 1, 2]])
    """
    if dim.__class__ is int:
        y = few.joined(tensors, dim)
        if y is not None:
            return y
        try:
            y = concatenate(tensors, axis=dim)
        except ValueError:  # also IndexError's like: what follows knows better
            pass
        else:
            return y if y.flags.c_contiguous else in_order(y, tensors)
    full, d = fitting(tensors, dim)
    return in_order(concatenate(full, axis=d), full)


def in_order(y: Any, parts: Any) -> Any:
    """Joined arrays in row-major memory, as PyTorch's are, unless the channels of all parts are
    innermost; NumPy keeps the order of the parts."""
    if y.flags.c_contiguous:
        return y
    if y.ndim in (4, 5) and all(dense.channels_innermost(a) for a in parts):
        return y if dense.channels_innermost(y) else dense.in_channels_order(y)
    return dense.in_order(y)


def fitting(tensors: Any, dim: int) -> tuple[list[Any], int]:
    """(the tensors that count, the dimension in range), after PyTorch's checks of the shapes."""
    if any(a.ndim == 0 for a in tensors):
        raise RuntimeError(
            "zero-dimensional tensor (at position "
            f"{next(i for i, a in enumerate(tensors) if a.ndim == 0)}) cannot be "
            "concatenated"
        )
    # PyTorch skips empty 1-d tensors
    full = [a for a in tensors if a.shape != (0,)] or list(tensors[:1])
    if full[0].shape == (0,) and dim.__class__ is int:
        return full[:1], 0  # nothing but empty 1-d tensors: PyTorch asks for no dimension then
    d = axis(dim, full[0].ndim)
    rest = {(a.ndim, a.shape[:d] + a.shape[d + 1 :]) for a in full}
    if len(rest) > 1:
        if len({a.ndim for a in full}) > 1:
            raise RuntimeError(
                message(
                    f"Tensors must have same number of dimensions: got {full[0].ndim} and "
                    f"{next(a.ndim for a in full if a.ndim != full[0].ndim)}",
                    got=", ".join(str(tuple(a.shape)) for a in full[:4]),
                    hint="x.unsqueeze(0) of the one with fewer",
                )
            )
        raise cat_error([a.shape for a in full], d)
    return full, d


def joined(*tensors: Any, dim: int = 0) -> MetaArray:
    """The shape of tensors one after the other."""
    full, d = fitting(tensors, dim)
    first = full[0]
    n = builtin_sum(a.shape[d] for a in full)
    return MetaArray((*first.shape[:d], n, *first.shape[d + 1 :]), first.dtype)


cat.shape(joined)


@cat.joint
def _(g: Any, _y: Any, *_tensors: Any, dim: int, shapes: Any, needs: Any) -> Any:
    out, at = [], 0
    d = dim % max(g.ndim, 1)
    for shape, need in zip(shapes, needs, strict=True):
        if shape == (0,) and g.ndim != 1:
            out.append(zeros_of(g, shape) if need else None)
            continue
        n = shape[d]
        out.append(g[(slice(None),) * d + (slice(at, at + n),)] if need else None)
        at += n
    return out


@op(
    apart="wholly",
    samples=[case((3, 4), (3, 4)), case((3, 4), (3, 4), (3, 4), dim=-1)],
    promote="common",
    low="keep",
    fresh=True,
    public="torch",
    numbers=(),
    errors=[error(RuntimeError, "stack expects each tensor to be equal size", (3, 4), (2, 4))],
)
def stack(*tensors: Any, dim: int = 0) -> Any:
    """Tensors of one shape along a new dimension `dim`.

    k tensors of shape (m, n) become (k, m, n), with `dim=-1` (m, n, k).

    >>> a, b = torch.tensor([1, 2]), torch.tensor([3, 4])
    >>> torch.stack((a, b))
    tensor([[1, 2],
            [3, 4]])
    >>> torch.stack((a, b), dim=1)
    tensor([[1, 3],
            [2, 4]])
    """
    first = tensors[0]
    shape = first.shape
    d = axis(dim, first.ndim + 1)
    of_one_shape(tensors)
    if d == 0 and first.ndim and first.flags.c_contiguous:  # without a view of each tensor
        y = few.joined(tensors, 0)
        return (concatenate(tensors) if y is None else y).reshape(len(tensors), *shape)
    y = dense.stacked(tensors, d)
    return y if y.flags.c_contiguous else y.copy("C")


def of_one_shape(tensors: Any) -> None:
    """PyTorch's error when tensors to be stacked differ in shape."""
    first = tensors[0]
    shape = first.shape
    for i, a in enumerate(tensors):
        if a.shape != shape:
            hint = "torch.cat along the dimension that differs, or padding them first"
            if first.ndim and a.ndim and first.shape[1:] == a.shape[1:]:
                hint = "torch.cat, or nn.utils.rnn.pad_sequence, which pads with zeros"
            raise RuntimeError(
                message(
                    f"stack expects each tensor to be equal size, but got {list(first.shape)} at "
                    f"entry 0 and {list(a.shape)} at entry {i}",
                    hint=hint,
                )
            )


def stacked(*tensors: Any, dim: int = 0) -> MetaArray:
    """The shape of tensors along a new dimension."""
    of_one_shape(tensors)
    first = tensors[0]
    d = axis(dim, first.ndim + 1)
    return MetaArray((*first.shape[:d], len(tensors), *first.shape[d:]), first.dtype)


stack.shape(stacked)


@stack.joint
def _(g: Any, _y: Any, *_tensors: Any, dim: int, needs: Any) -> Any:
    d = dim % g.ndim
    return [g[(slice(None),) * d + (i,)] if need else None for i, need in enumerate(needs)]


# -- copies and casts ----------------------------------------------------------------------------


@op(samples=[case((3, 4))], low="keep", fresh=True, public="")
def clone(input: Any, *, order: str = "K") -> Any:
    """A copy, part of the history."""
    if order == "K" and input.__class__ is np.ndarray:
        return dense.copied(input)
    if order == "channels_last":  # the sizes as they are, the channels innermost in memory
        return dense.in_channels_order(input)
    return dense.in_order(input) if order == "C" else input.copy(order)


clone.shape(
    lambda x, *, order="K": MetaArray(
        x.shape, x.dtype, channels_last_strides(x) if order == "channels_last" else None
    )
)


def channels_last_strides(x: Any) -> tuple[int, ...]:
    """Strides in bytes of memory whose innermost dimension are the channels."""
    n, c, *rest = x.shape
    n_stride, *others = contiguous_strides((n, *rest, c), x.dtype.itemsize)
    return (n_stride, others[-1], *others[:-1])


clone.vjp(lambda g, _y, _x: g)


@op(samples=[case((3, 4))], low="keep", fresh=True, public="", node="CloneBackward0")
def copy_with_gaps(input: Any) -> Any:
    """A copy of all the memory of a tensor, seen as the tensor sees its own."""
    strides = tuple([s // input.itemsize for s in input.strides])
    whole = strided_view(input, (nbytes(input) // input.itemsize,), (1,), 0)
    return strided_view(whole.copy(), input.shape, strides, storage_offset(input))


copy_with_gaps.vjp(lambda g, _y, _x: g)
copy_with_gaps.shape(lambda x: MetaArray(x.shape, x.dtype, x.strides))


@op(samples=[case((3, 4))], low="keep", fresh=True, public="torch Tensor")
def _lazy_clone(input: Any) -> Any:
    """A clone that shares the input's memory until one of them is written to
    (`rushlight/lazy_clones.py`).

    >>> x = torch.zeros(2)
    >>> y = torch._lazy_clone(x)
    >>> x.add_(1), y
    (tensor([1., 1.]), tensor([0., 0.]))
    """
    return lazily_cloned(input)


_lazy_clone.vjp(lambda g, _y, _x: g)
_lazy_clone.shape(lambda x: MetaArray(x.shape, x.dtype, x.strides))


@op(
    samples=[case((3, 4), dtype=dtypes.float64)],
    low="keep",
    fresh=True,
    public="",
    node="ToCopyBackward0",
)
def to_copy(input: Any, *, dtype: Any, order: Any = "K") -> Any:
    """The values in another type."""
    if input.dtype.kind in "cW" and not dtype.is_complex:
        input = dense.real_part(input) if dtype.category != dtypes.BOOL else input != 0
    if not isinstance(input, np.ndarray):
        return input.astype(dtype.np)
    if dtype.category <= dtypes.INT and input.dtype.kind in "fV":
        return float_to_int(dense.copied(input) if 0 in input.strides else input, dtype)
    if order in ("K", "C"):
        return (dense.copied if order == "K" else dense.in_order)(input, dtype.np)
    return input.astype(dtype.np, order)


to_copy.shape(lambda x, *, dtype, order="K": MetaArray(x.shape, dtype.np))


def float_to_int(a: Any, dtype: Any) -> Any:
    """Truncation as C does it, without NumPy's warning: what int32 does not hold, NaN too, is its
    least number, of which the narrower types keep the last bits."""
    if dtype is dtypes.bool:
        return dense.copied(a, dtype.np)
    through = np.int64 if dtype is dtypes.uint32 else np.int32
    with np.errstate(invalid="ignore"):
        wide = dense.copied(a, np.float32) if a.dtype.kind == "V" else a
        if dtype.itemsize == 8 or dtype.np == through:
            return dense.copied(wide, dtype.np)
        return dense.copied(dense.copied(wide, through), dtype.np)


to_copy.vjp(lambda g, _y, _x: g)  # the engine casts


@op(
    samples=[case((3, 4), (3, 4)), case((3, 4), (4,))],
    low="keep",
    fresh=True,
    public="",
    node="CopyBackwards",
)
def copy(input: Any, source: Any) -> Any:
    """The values of `source` in the shape and type of `input`."""
    if isinstance(input, MetaArray) or isinstance(source, MetaArray):
        return MetaArray(input.shape, input.dtype)
    if source.dtype.kind in "cW" and input.dtype.kind not in "cbW":
        source = dense.real_part(source)
    if np.broadcast_shapes(input.shape, source.shape) != input.shape:
        raise ValueError("could not broadcast")
    return dense.copied(np.broadcast_to(source, input.shape), input.dtype)


copy.vjp(lambda g, _y, _a, _b: door.nothing(g), lambda g, _y, _a, _b: g)
copy.shape(lambda a, b: MetaArray(a.shape, a.dtype))


@op(samples=[case((3, 4), shape=(3, 1)), case((3, 4), shape=(4,))], fresh=True, public="")
def sum_to_shape(input: Any, *, shape: tuple[int, ...]) -> Any:
    """Sum over the dimensions in which `shape` is smaller: the opposite of expand."""
    extra = input.ndim - len(shape)
    dims = tuple(range(extra)) + tuple(
        i + extra for i, n in enumerate(shape) if n == 1 and input.shape[i + extra] != 1
    )
    return add_reduce(input, dims, True).reshape(shape) if dims else input.reshape(shape).copy()


sum_to_shape.shape(given)


sum_to_shape.vjp(lambda g, _y, _x: g)
