"""Views and movement: view, permute, expand, slices, cat and their like; copies and casts.

A view op returns a NumPy view of its input; the door makes the result share storage, version and
history.
Indexing with tensors is in `index/getitem.py`; more of the family (flip, roll, tile, ...) in
`reorder.py`.
"""

from __future__ import annotations

import math as pymath
from typing import Any

import numpy as np

from ...autograd import views as links
from ...errors import axes, axis, message
from ...kernels import dense
from ...kernels.meta import MetaArray
from ...kernels.runtime import few
from ...kernels.strided import view_with
from ..core.record import op, view
from ..core.samples import case, error
from ..core.shapes import given

ALL = slice(None)
as_strided_array = np.lib.stride_tricks.as_strided

# -- reshaping -----------------------------------------------------------------------------------


def infer_size(shape: Any, numel: int) -> tuple[int, ...]:
    """A shape with its -1 filled in; RuntimeError when the elements do not fit."""
    known, open_at = 1, -1
    for i, n in enumerate(shape):
        if n.__class__ is int and n >= 0:
            known *= n
        elif n == -1 and open_at < 0:
            open_at = i
        else:
            break
    else:
        if open_at < 0 and known == numel:
            return tuple(shape)
        if open_at >= 0 and known and numel % known == 0:
            return (*shape[:open_at], numel // known, *shape[open_at + 1 :])
    return infer_size_slowly(shape, numel)


def infer_size_slowly(shape: Any, numel: int) -> tuple[int, ...]:
    """`infer_size` for what is no plain shape, with the errors."""
    for i, n in enumerate(shape):
        if not hasattr(n, "__index__"):  # of a float int() would make a size
            name = type(n).__name__
            raise TypeError(
                message(
                    f"argument 'size' failed to unpack the object at pos {i + 1} with error "
                    f'"type must be tuple of ints,but got {name}"',
                    got=f"{tuple(shape)}",
                    wanted="whole numbers",
                    hint="// in place of /, or int(n)" if name == "float" else None,
                )
            )
    shape = tuple(n.__index__() for n in shape)
    unknown = [i for i, n in enumerate(shape) if n == -1]
    if len(unknown) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if any(n < -1 for n in shape):
        raise RuntimeError(f"invalid shape dimension {min(shape)}")
    if unknown:
        known = pymath.prod(n for n in shape if n != -1)
        if known == 0:
            if numel == 0:
                raise RuntimeError(
                    f"cannot reshape tensor of 0 elements into shape {list(shape)} because the "
                    "unspecified dimension size -1 can be any value and is ambiguous"
                )
        elif numel % known == 0:
            i = unknown[0]
            return (*shape[:i], numel // known, *shape[i + 1 :])
    elif pymath.prod(shape) == numel:
        return shape
    raise RuntimeError(
        message(
            f"shape '{list(shape)}' is invalid for input of size {numel}",
            got=f"{numel} elements",
            wanted="a shape whose product is that number (one size may be -1)",
            hint="look at x.shape just before; flatten(1) keeps the batch dimension",
        )
    )


@view(
    samples=[case((3, 4), shape=(2, 6)), case((3, 4), shape=(-1,)), case((1,), shape=())],
    errors=[error(RuntimeError, "is invalid for input of size", (3, 4), shape=(5, 2))],
    varargs=True,
    public="",
    node="ViewBackward0",
)
def view_as_shape(input: Any, *, shape: tuple[int, ...]) -> Any:
    """The same memory with another shape; RuntimeError when strides do not allow it."""
    out = view_at_once(input, shape=shape)
    if out is not None:
        return out
    sizes = infer_size(shape, input.size)
    if input.flags.c_contiguous:
        return input.reshape(sizes)
    try:
        return input.reshape(sizes, copy=False)
    except ValueError:
        raise RuntimeError(
            message(
                "view size is not compatible with input tensor's size and stride (at least one "
                "dimension spans across two contiguous subspaces). Use .reshape(...) instead.",
                got=f"shape {tuple(input.shape)} with strides {element_strides(input)} -> {sizes}",
                hint="x.reshape(...), which copies when it must; or x.contiguous().view(...)",
            )
        ) from None


view_as_shape.vjp(lambda g, _y, _x, *, shapes: g.reshape(shapes[0]))


def view_at_once(input: Any, *, shape: tuple[int, ...]) -> Any:
    """What `view_as_shape` gives where nothing needs to be said or asked, else None."""
    out = few.reshaped(input, shape)
    if out is None and input.flags.c_contiguous:
        try:
            out = input.reshape(shape)
        except (ValueError, TypeError):  # the slow way says what is wrong
            return None
        if out.shape != shape and min(shape) != -1:  # NumPy takes any negative size for -1
            return None
    return out


@op(samples=[case((3, 4), shape=(2, 6))], public="", node="ViewBackward0", low="keep")
def reshape_copy(input: Any, *, shape: tuple[int, ...]) -> Any:
    """A contiguous copy with another shape (what `reshape` does when no view is possible)."""
    if not input.flags.c_contiguous:
        input = dense.in_order(input)
    return input.reshape(infer_size(shape, input.size))


reshape_copy.shape(lambda x, *, shape: MetaArray(infer_size(shape, x.size), x.dtype))


reshape_copy.vjp(lambda g, _y, _x, *, shapes: g.reshape(shapes[0]))


@view(
    samples=[case((3, 4), dims=(1, 0)), case((2, 3, 4), dims=(-1, 0, 1))],
    varargs=True,
    errors=[error(RuntimeError, "number of dimensions", (3, 4), dims=(0,))],
)
def permute(input: Any, *, dims: tuple[int, ...]) -> Any:
    """A view with its dimensions in the order `dims`: dimension i of the result is `dims[i]` of x.

    RuntimeError unless each dimension is named once.

    >>> x = torch.zeros(2, 3, 4)
    >>> torch.permute(x, (2, 0, 1)).shape
    torch.Size([4, 2, 3])
    """
    if len(dims) != input.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the "
            "length of the desired "
            f"ordering of dimensions i.e. input.dim() = {input.ndim} is not equal to len(dims) = "
            f"{len(dims)}"
        )
    try:
        return input.transpose(dims)
    except ValueError:  # what follows knows which dims may be negative, and what is wrong
        pass
    return input.transpose(axes(dims, input.ndim))


@permute.vjp
def _(g: Any, _y: Any, _x: Any, *, dims: Any) -> Any:
    n = len(dims)
    back = [0] * n
    for i, d in enumerate(dims):
        back[d % n if n else 0] = i
    return permute(g, dims=tuple(back))


@view(
    samples=[case((3, 4), dim0=0, dim1=1), case((2, 3, 4), dim0=-1, dim1=0)],
    aliases="swapaxes swapdims",
    errors=[error(IndexError, "Dimension out of range", (3, 4), dim0=0, dim1=2)],
    inplace=False,
)
def transpose(input: Any, *, dim0: int, dim1: int) -> Any:
    """A view with dimensions `dim0` and `dim1` exchanged.

    >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
    >>> torch.transpose(x, 0, 1)
    tensor([[1, 4],
            [2, 5],
            [3, 6]])
    """
    n = input.ndim
    if dim0.__class__ is int is dim1.__class__ and -n <= dim0 < n and -n <= dim1 < n:
        return input.swapaxes(dim0, dim1)
    if n == 0:
        axis(dim0, 0), axis(dim1, 0)
        return input.reshape(())
    return input.swapaxes(axis(dim0, n), axis(dim1, n))


@transpose.vjp
def _(g: Any, _y: Any, _x: Any, *, dim0: int, dim1: int) -> Any:
    if g.__class__ is np.ndarray and g.ndim:  # which has been asked by the op already
        return g.swapaxes(dim0, dim1)
    return transpose(g, dim0=dim0, dim1=dim1)


@view(
    samples=[case((3, 4)), case((3,))],
    errors=[error(RuntimeError, "expects a tensor with <= 2 dimensions", (2, 3, 4))],
)
def t(input: Any) -> Any:
    """The transpose of a matrix, as a view; vectors and numbers as they are.

    RuntimeError for more than two dimensions: use `x.mT`.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.t(x)
    tensor([[1, 3],
            [2, 4]])
    """
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return input.T if input.ndim == 2 else input[...]


t.vjp(lambda g, _y, _x: t(g))


@view(
    samples=[case((3, 1), shape=(3, 4)), case((3,), shape=(2, 3)), case((3, 1), shape=(-1, 2))],
    varargs=True,
    public="",
    errors=[error(RuntimeError, "must match the existing size", (3, 4), shape=(3, 5))],
)
def expand(input: Any, *, shape: tuple[int, ...]) -> Any:
    """A view in which dimensions of size 1 are repeated without copying; -1 keeps a size."""
    out = few.expanded(input, shape)
    if out is not None:
        return out
    shape = tuple(shape)
    extra = len(shape) - input.ndim
    if extra < 0:
        raise RuntimeError(
            f"expand(torch.Tensor{{{list(input.shape)}}}, size={list(shape)}): the number of "
            "sizes provided "
            f"({len(shape)}) must be greater or equal to the number of dimensions in the tensor "
            f"({input.ndim})"
        )
    sizes, strides = [], []
    for i, n in enumerate(shape):
        old = input.shape[i - extra] if i >= extra else 1
        if n == -1:
            if i < extra:
                raise RuntimeError(
                    "expand: The expanded size of the tensor (-1) isn't allowed in a leading, "
                    f"non-existing dimension {i}"
                )
            n = old
        if old != n and (old != 1 or n < 0):
            raise RuntimeError(
                message(
                    f"The expanded size of the tensor ({n}) must match the existing size ({old}) "
                    f"at non-singleton dimension {i}.  Target sizes: {list(shape)}.  Tensor sizes: "
                    f"{list(input.shape)}",
                    wanted="sizes that are equal, or 1 in the tensor",
                )
            )
        sizes.append(n)
        strides.append(input.strides[i - extra] if i >= extra and old == n else 0)
    if input.size == 0 or 0 in sizes:
        return view_with(input, tuple(sizes), (0,) * len(sizes))  # without memory, so writeable
    return view_with(input, tuple(sizes), tuple(strides))


expand.vjp(lambda g, _y, _x: g)  # the engine sums down to the input's shape


@view(
    samples=[
        case((3, 1)),
        case((1, 3, 1), dim=0),
        case((3, 4), dim=1),
        case((1, 3, 1), dim=(0, 2)),
    ],
    inplace=False,
)
def squeeze(input: Any, *, dim: Any = None) -> Any:
    """A view without the dimensions of size 1: all of them, or those of `dim` whose size is 1.

    `dim` is a number or a tuple. Without it a batch of one loses its batch dimension too.

    >>> x = torch.zeros(1, 3, 1)
    >>> torch.squeeze(x).shape
    torch.Size([3])
    >>> torch.squeeze(x, 0).shape
    torch.Size([3, 1])
    """
    dims = range(input.ndim) if dim is None else axes(dim, input.ndim)
    shape = input.shape
    return input[tuple([0 if n == 1 and i in dims else ALL for i, n in enumerate(shape)] + [...])]


squeeze.vjp(lambda g, _y, _x, *, shapes: g.reshape(shapes[0]))


@view(
    samples=[case((3, 4), dim=0), case((3, 4), dim=-1)],
    inplace=False,
    errors=[error(IndexError, "Dimension out of range", (3, 4), dim=3)],
)
def unsqueeze(input: Any, *, dim: int) -> Any:
    """A view with a new dimension of size 1 at `dim`, from -n - 1 to n for n dimensions.

    >>> x = torch.tensor([1, 2])
    >>> torch.unsqueeze(x, 1)
    tensor([[1],
            [2]])
    """
    at = axis(dim, input.ndim + 1)
    return input[None] if at == 0 else input[(ALL,) * at + (None,)]


unsqueeze.vjp(lambda g, _y, _x, *, shapes: g.reshape(shapes[0]))

# -- parts ---------------------------------------------------------------------------------------


@view(
    samples=[case((3, 4), dim=0, index=1), case((3, 4), dim=1, index=-1)],
    errors=[error(IndexError, "out of range", (3, 4), dim=0, index=3)],
)
def select(input: Any, *, dim: int, index: int) -> Any:
    """The view at position `index` of `dim`, without that dimension: x[:, index] for dim=1.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.select(x, 1, 0)
    tensor([1, 3])
    """
    if index.__class__ is bool or index.__class__ is float:  # to NumPy: a mask, or no index
        kind = type(index).__name__
        raise TypeError(
            message(
                f"select(): argument 'index' (position 2) must be int, not {kind}",
                hint=f"x[{index}] takes a mask" if kind == "bool" else "int(index)",
            )
        )
    if dim == 0 and input.ndim:
        try:
            return input[index, ...]
        except IndexError:  # what follows says it in PyTorch's words
            pass
    if input.ndim == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    d = axis(dim, input.ndim)
    n = input.shape[d]
    if not -n <= index < n:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input.shape)} at "
            f"dimension {d}"
        )
    return input[index, ...] if d == 0 else input[(ALL,) * d + (index, ...)]


select.vjp(
    lambda g, _y, _x, *, dim, index, shapes: select_backward(
        g, shape=shapes[0], dim=dim, index=index
    )
)


@op(samples=[case((4,), shape=(3, 4), dim=0, index=1)], public="", low="keep", fresh=True)
def select_backward(grad: Any, *, shape: Any, dim: int, index: int) -> Any:
    """Zeros of `shape` with `grad` at position `index` of `dim`."""
    out = np.zeros(shape, grad.dtype)
    out[(slice(None),) * (dim % len(shape)) + (index,)] = grad
    return out


select_backward.shape(given)


select_backward.vjp(lambda g, _y, _x, *, dim, index: select(g, dim=dim, index=index))


@view(
    samples=[case((5, 4), dim=0, start=1, end=5, step=2), case((5, 4), dim=1, start=-3)],
    name="slice",
    public="",
)
def slice_(input: Any, *, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    """The view of positions start, start + step, ... before end of dimension `dim`."""
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    if dim == 0 and input.ndim:
        return input[start:end:step]
    d = axis(dim, input.ndim)
    return input[(ALL,) * d + (slice(start, end, step),)]


slice_.vjp(
    lambda g, _y, _x, *, dim, start, end, step, shapes: slice_backward(
        g, shape=shapes[0], dim=dim, start=start, end=end, step=step
    )
)


@op(
    samples=[case((2, 4), shape=(5, 4), dim=0, start=1, end=5, step=2)],
    public="",
    low="keep",
    fresh=True,
)
def slice_backward(grad: Any, *, shape: Any, dim: int, start: Any, end: Any, step: int) -> Any:
    """Zeros of `shape` with `grad` at a slice of `dim`."""
    out = np.zeros(shape, grad.dtype)
    out[(slice(None),) * (dim % len(shape)) + (slice(start, end, step),)] = grad
    return out


slice_backward.shape(given)


slice_backward.vjp(
    lambda g, _y, _x, *, dim, start, end, step: slice_(g, dim=dim, start=start, end=end, step=step)
)


@view(samples=[case((3, 4)), case((3, 4), offset=1), case((2, 3, 4), dim1=0, dim2=2)])
def diagonal(input: Any, *, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """A view of a diagonal of two dimensions: elements (i, i + offset), as the last dimension.

    `input` (*, m, n) gives (*, min(m, n)) for `offset=0`. Positive offsets are above the main
    diagonal. By default the first two dimensions are meant: `dim1=0`, `dim2=1`
    (`torch.linalg.diagonal`: the last two).

    >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
    >>> torch.diagonal(x)
    tensor([1, 5])
    >>> torch.diagonal(x, 1)
    tensor([2, 6])
    """
    d1, d2 = axis(dim1, input.ndim), axis(dim2, input.ndim)
    if d1 == d2:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    shape, strides = [*input.shape], [*input.strides]
    n, k, step = shape[d1], shape[d2], strides[d1] + strides[d2]
    length = max(0, min(n, k - offset) if offset >= 0 else min(n + offset, k))
    for d in (max(d1, d2), min(d1, d2)):
        del shape[d], strides[d]
    shape.append(length)
    strides.append(step)
    if 0 in shape:
        return input.reshape(-1)[:0].reshape(shape)
    if offset:
        start = [slice(None)] * input.ndim
        start[d1], start[d2] = slice(max(0, -offset), None), slice(max(0, offset), None)
        input = input[tuple(start)]
    return view_with(input, tuple(shape), tuple(strides))


diagonal.vjp(
    lambda g, _y, _x, *, offset, dim1, dim2, shapes: diagonal_backward(
        g, shape=shapes[0], offset=offset, dim1=dim1, dim2=dim2
    )
)


@op(samples=[case((3,), shape=(3, 4), offset=1, dim1=0, dim2=1)], public="", low="keep", fresh=True)
def diagonal_backward(grad: Any, *, shape: Any, offset: int, dim1: int, dim2: int) -> Any:
    """Zeros of `shape` with `grad` on a diagonal."""
    out = np.zeros(shape, grad.dtype)
    diagonal.fn(out, offset=offset, dim1=dim1, dim2=dim2)[...] = grad
    return out


diagonal_backward.shape(given)


diagonal_backward.vjp(
    lambda g, _y, _x, *, offset, dim1, dim2: diagonal(g, offset=offset, dim1=dim1, dim2=dim2)
)


@view(samples=[case((3, 7), dimension=1, size=3, step=2)], public="Tensor")
def unfold(input: Any, *, dimension: int, size: int, step: int) -> Any:
    """A view of windows of `size` every `step` along a dimension; a window is the last dimension.

    The dimension, of size n, becomes (n - size) // step + 1. Windows may overlap.

    >>> torch.arange(6).unfold(0, 3, 2)
    tensor([[0, 1, 2],
            [2, 3, 4]])
    """
    d = axis(dimension, input.ndim)
    n = input.shape[d] if input.ndim else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > n:
        raise RuntimeError(f"maximum size for tensor at dimension {d} is {n} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if input.ndim == 0:
        return input.reshape(1)[:size]
    shape = (*input.shape[:d], (n - size) // step + 1, *input.shape[d + 1 :], size)
    strides = (
        *input.strides[:d],
        input.strides[d] * step,
        *input.strides[d + 1 :],
        input.strides[d],
    )
    return view_with(input, shape, strides)


unfold.vjp(
    lambda g, _y, _x, *, dimension, size, step, shapes: unfold_backward(
        g, shape=shapes[0], dimension=dimension, size=size, step=step
    )
)


@op(samples=[case((3, 3, 3), shape=(3, 7), dimension=1, size=3, step=2)], public="", fresh=True)
def unfold_backward(grad: Any, *, shape: Any, dimension: int, size: int, step: int) -> Any:
    """Windows added back to where they came from."""
    out = np.zeros(shape, grad.dtype)
    if not shape:
        return np.asarray(grad.sum())
    windows = unfold.fn(out, dimension=dimension, size=size, step=step)
    for k in range(size):  # each k touches an element at most once
        windows[..., k] += grad[..., k]
    return out


unfold_backward.shape(given)


unfold_backward.vjp(
    lambda g, _y, _x, *, dimension, size, step: unfold(g, dimension=dimension, size=size, step=step)
)


@view(samples=[case((3, 4), size=(2, 2), stride=(4, 1), storage_offset=1)], layout=True, public="")
def as_strided(
    input: Any, *, size: Any, stride: Any, storage_offset: Any = None, laid: Any = None
) -> Any:
    """A view of the storage with these sizes and strides (in elements), from `storage_offset` on.

    `laid` is the input's own (strides, storage offset), which the derivative needs.
    """
    from ...array_memory import strided_view

    return strided_view(input, tuple(size), tuple(stride), storage_offset)


links.as_strided = as_strided
as_strided.shape(
    lambda x, size, stride, storage_offset=None, laid=None: MetaArray(
        size, x.dtype, tuple(n * x.dtype.itemsize for n in stride)
    )
)


@as_strided.vjp
def _(
    g: Any, _y: Any, _x: Any, *, size: Any, stride: Any, storage_offset: Any, laid: Any, shapes: Any
) -> Any:
    strides, base = laid or (MetaArray(shapes[0], np.int8).strides, 0)
    return as_strided_backward(
        g,
        shape=shapes[0],
        strides=strides,
        base=base,
        size=size,
        stride=stride,
        storage_offset=storage_offset,
    )


def array_of(x: Any) -> Any:
    return x if isinstance(x, (np.ndarray, MetaArray)) else x._a


def element_strides(x: Any) -> tuple[int, ...]:
    a = array_of(x)
    return tuple(s // a.itemsize for s in a.strides)


def storage_start(x: Any) -> int:
    from ...array_memory import storage_offset

    return storage_offset(array_of(x))


@op(
    samples=[
        case(
            (2, 2),
            shape=(3, 4),
            strides=(4, 1),
            base=0,
            size=(2, 2),
            stride=(4, 1),
            storage_offset=1,
        )
    ],
    public="",
    fresh=True,
    layout=True,
)
def as_strided_backward(
    grad: Any, *, shape: Any, strides: Any, base: int, size: Any, stride: Any, storage_offset: Any
) -> Any:
    """Add each element of `grad` to the storage place it was read from, and read the input from
    there.
    """
    at = base if storage_offset is None else storage_offset
    end = 1 + max(
        at + builtin_sum((n - 1) * s for n, s in zip(size, stride, strict=True))
        if 0 not in size
        else 0,
        base + builtin_sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
        if 0 not in shape
        else 0,
    )
    memory = np.zeros(end, grad.dtype)
    place = places(size, stride, at)
    np.add.at(memory, place, grad)
    own = places(shape, strides, base)
    if own.size != len(np.unique(own)):  # expanded: its elements share what their one place got
        count = np.zeros(end, grad.dtype)
        np.add.at(count, own, 1)
        memory /= np.maximum(count.real, 1)
    return memory[own]


as_strided_backward.shape(given)


def places(size: Any, stride: Any, start: int) -> Any:
    """Storage position of each element."""
    out = np.asarray(start)
    for n, s in zip(size, stride, strict=True):
        out = out[..., None] + np.arange(n) * s
    return out


builtin_sum = sum
as_strided_backward.vjp(
    lambda g, _y, _x, *, strides, base, size, stride, storage_offset: read_strided(
        g, strides=strides, base=base, size=size, stride=stride, storage_offset=storage_offset
    )
)


@op(
    samples=[case((3, 4), strides=(4, 1), base=0, size=(2, 2), stride=(4, 1), storage_offset=1)],
    public="",
    fresh=True,
)
def read_strided(
    input: Any, *, strides: Any, base: int, size: Any, stride: Any, storage_offset: Any
) -> Any:
    """`as_strided` of a tensor laid into memory with given strides."""
    at = base if storage_offset is None else storage_offset
    where_from = places(input.shape, strides, base)
    place = places(size, stride, at)
    memory = np.zeros(
        1 + max(int(where_from.max(initial=0)), int(place.max(initial=0))), input.dtype
    )
    np.add.at(memory, where_from, input)
    if where_from.size != len(np.unique(where_from)):
        count = np.zeros(memory.shape, np.int64)
        np.add.at(count, where_from, 1)
        memory /= np.maximum(count, 1)
    return memory[place]


read_strided.shape(lambda x, *, size, **_: MetaArray(size, x.dtype))


read_strided.vjp(
    lambda g, _y, _x, *, strides, base, size, stride, storage_offset, shapes: as_strided_backward(
        g,
        shape=shapes[0],
        strides=strides,
        base=base,
        size=size,
        stride=stride,
        storage_offset=storage_offset,
    )
)


from .join import (  # noqa: E402, F401 - needs the names above
    cat,
    clone,
    copy,
    float_to_int,
    split,
    stack,
    sum_to_shape,
    to_copy,
    unbind,
)
