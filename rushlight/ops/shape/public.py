"""The public shape functions: view, reshape, flatten, expand and their relatives.

Most hand over to a view record of `views.py`. Dimensions in another order are in `transpose.py`,
views in place in `in_place_views.py`, reordering (flip, roll, tile, meshgrid) in `reorder.py`.
"""

from __future__ import annotations

import math as pymath
from operator import index
from typing import Any, NoReturn

import numpy as np

from ... import dtypes
from ...array_memory import storage_offset
from ...autograd import door, specialize, views
from ...autograd.node import TensorBase
from ...dtypes import type_name
from ...errors import axis, message
from ...kernels.meta import MetaArray
from ...size import Size
from ..core.arguments import named, need_tensor, sizes
from ..core.composite import composite
from ..core.record import view
from ..core.samples import case
from . import views as s

# -- reshaping -----------------------------------------------------------------------------------


@view(samples=[case((3, 4), dtype=dtypes.int64)], public="")
def view_dtype(input: Any, *, dtype: Any) -> Any:
    """The same bytes read as another type."""
    a, new = input, dtype.np
    if a.__class__ is MetaArray or a.itemsize == new.itemsize:
        return a.view(new)
    kinds = f"{type_name(dtypes.from_numpy(a.dtype))} as {type_name(dtype)}"
    if a.ndim == 0:
        raise RuntimeError(f"self.dim() cannot be 0 to view {kinds} (different element sizes)")

    def refuse(what: str, wanted: str, got: int) -> NoReturn:
        raise RuntimeError(
            f"self.{what} must be {wanted} to view {kinds} (different element sizes), but got {got}"
        )

    inserted = a.shape[-1] == 1 and a.strides[-1] == 0  # by NumPy, whose step says nothing
    if a.size and a.strides[-1] != a.itemsize and not inserted:
        refuse("stride(-1)", "1", a.strides[-1] // a.itemsize)
    if new.itemsize > a.itemsize:
        ratio = new.itemsize // a.itemsize
        if a.shape[-1] % ratio:
            refuse("size(-1)", f"divisible by {ratio}", a.shape[-1])
        if a.size:
            start = storage_offset(a)
            if start % ratio:
                refuse("storage_offset()", f"divisible by {ratio}", start)
            for i, step in enumerate(a.strides[:-1]):
                if step % new.itemsize:
                    refuse(f"stride({i})", f"divisible by {ratio}", step // a.itemsize)
    if not a.size:  # whose strides mean nothing
        return np.empty((*a.shape[:-1], a.shape[-1] * a.itemsize // new.itemsize), new)
    return a.view(new)


@view_dtype.bits
def _(input: Any, *, dtype: Any) -> Any:
    what = "conjugate view tensors" if input.conj else "tensors with negative bit set"
    raise RuntimeError(
        message(
            f"torch.Tensor.view is not supported for {what} when converting to a different dtype.",
            hint="x.resolve_conj().view(dtype)" if input.conj else "x.resolve_neg().view(dtype)",
        )
    )


@composite(
    public="Tensor",
    name="view",
    typed=True,
    layout=True,
    entry=s.view_as_shape,
    attempt=s.view_at_once,
    samples=[case((2, 6), 3, 4), case((2, 6), [3, -1]), case((2, 6), dtypes.int64)],
)
def view_(input: Any, *shape: Any, dtype: Any = None, size: Any = None) -> Any:
    """The same memory with another shape, or read as another dtype: nothing is copied.

    `view(*shape)`: sizes whose product is the number of elements; one of them may be -1 and is
    then computed. The strides must allow it (a transposed tensor's seldom do), else RuntimeError:
    `reshape` copies instead. `view(dtype)`: the bytes as they are under another type; where the
    element's size changes, the last dimension grows or shrinks with it.

    >>> x = torch.arange(6)
    >>> x.view(2, -1)
    tensor([[0, 1, 2],
            [3, 4, 5]])
    >>> torch.tensor([1.0, -2.0]).view(torch.int32)
    tensor([ 1065353216, -1073741824], dtype=torch.int32)
    """
    if shape and (isinstance(shape[0], dtypes.dtype) or shape[0].__class__ is type):
        dtype = shape[0]
    if dtype is not None:
        y = door.apply(view_dtype, (input,), {"dtype": dtypes.of(dtype)})
        if isinstance(y, TensorBase):  # no differentiable view: it has the memory and its version
            y._v = None
            if y._fn is None:  # an inference tensor where it is made, not where its memory was
                y._x = door.first_cut([] if input._x is None else [input._x])
        return y
    if not shape:
        if size is None:
            raise TypeError('view() missing 1 required positional arguments: "size"')
        shape = (tuple(size),)
    return door.apply(s.view_as_shape, (input,), {"shape": sizes(shape, "view")})


@composite(public="Tensor", layout=True, samples=[case((2, 6), (3, 4))])
def view_as(input: Any, other: Any) -> Any:
    """`x.view(other.shape)`: the same memory in the shape of another tensor.

    >>> torch.arange(4).view_as(torch.zeros(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    return door.apply(s.view_as_shape, (input,), {"shape": tuple(other._a.shape)})


def reshaped(t: Any, shape: tuple[int, ...]) -> Any:
    """A view where strides allow it, else a copy."""
    return laid(t, s.infer_size(shape, t._a.size))


def laid(t: Any, want: tuple[int, ...]) -> Any:
    """`reshaped` for sizes that are known to fit."""
    a = t._a
    meta = a.__class__ is not np.ndarray
    if meta or not a.flags.c_contiguous:
        try:
            (a.standin() if meta else a).reshape(want, copy=False)
        except ValueError:
            return door.apply(s.reshape_copy, (t,), {"shape": want})
    return door.apply(s.view_as_shape, (t,), {"shape": want})


@composite(adapt=True, public="torch", samples=[case((2, 6), [3, -1])])
def reshape(input: Any, shape: Any) -> Any:
    """The tensor with another shape: a view where the strides allow it, else a copy.

    One size may be -1 and is computed from the others. RuntimeError if the number of elements
    differs.

    >>> x = torch.arange(4)
    >>> torch.reshape(x, (2, 2))
    tensor([[0, 1],
            [2, 3]])
    >>> torch.reshape(x, (-1, 1)).shape
    torch.Size([4, 1])
    """
    need_tensor("reshape", input)
    return reshaped(input, sizes((shape,), "reshape", "shape"))


@composite(
    public="Tensor",
    name="reshape",
    entry=s.view_as_shape,
    attempt=s.view_at_once,
    samples=[case((2, 6), 3, -1), case((2, 6), [4, 3])],
)
def reshape_method(input: Any, *shape: Any, **kw: Any) -> Any:
    """The tensor with another shape: a view where the strides allow it, else a copy.

    The sizes are given one by one or as a tuple; one may be -1 and is computed from the others.

    >>> x = torch.arange(6)
    >>> x.reshape(2, -1)
    tensor([[0, 1, 2],
            [3, 4, 5]])
    >>> x.reshape(4, 2)
    Traceback (most recent call last):
        ...
    RuntimeError: shape '[4, 2]' is invalid for input of size 6...
    """
    if not shape and not kw:
        raise TypeError('reshape() missing 1 required positional arguments: "shape"')
    return reshaped(input, sizes(named(shape, kw, "shape"), "reshape", "shape"))


@composite(public="Tensor", samples=[case((2, 6), (3, 4))])
def reshape_as(input: Any, other: Any) -> Any:
    """`x.reshape(other.shape)`: the shape of another tensor, as a view or a copy.

    >>> torch.arange(4).reshape_as(torch.zeros(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    return reshaped(input, tuple(other._a.shape))


@composite(adapt=True, samples=[case((2, 3, 4)), case((2, 3, 4), 1)])
def flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """The dimensions from `start_dim` to `end_dim` as one; all of them by default.

    A view where the strides allow it, else a copy. `flatten(x, 1)` keeps the batch dimension:
    (n, c, h, w) becomes (n, c * h * w). A tensor without dimensions becomes (1,).

    >>> x = torch.zeros(2, 3, 4)
    >>> torch.flatten(x).shape
    torch.Size([24])
    >>> torch.flatten(x, 1).shape
    torch.Size([2, 12])
    """
    if input.__class__ in specialize.plain and start_dim == 0 and end_dim == -1:
        a = input._a
        if a.__class__ is np.ndarray and a.ndim > 1 and a.flags.c_contiguous:
            return door.apply(s.view_as_shape, (input,), {"shape": (a.size,)})
    need_tensor("flatten", input)
    shape = input._a.shape
    first, last = axis(start_dim, len(shape)), axis(end_dim, len(shape))
    if not shape:
        return reshaped(input, (1,))
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if first == last:
        return input
    n = pymath.prod(shape[first : last + 1])
    return laid(input, (*shape[:first], n, *shape[last + 1 :]))


@composite(adapt=True, samples=[case((2, 6), 1, [2, -1])])
def unflatten(input: Any, dim: int, sizes: Any) -> Any:
    """A view in which dimension `dim` is divided into several of the given sizes (one may be -1).

    The opposite of `flatten`. RuntimeError if the sizes do not multiply up to the dimension's.

    >>> x = torch.arange(6)
    >>> torch.unflatten(x, 0, (2, -1))
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """
    shape = input._a.shape
    d = axis(dim, len(shape))
    sizes = tuple(int(n) for n in sizes)
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    if not shape:
        raise RuntimeError("unflatten: a tensor without dimensions has none to divide")
    if -1 not in sizes and pymath.prod(sizes) != shape[d]:
        raise RuntimeError(
            message(
                f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim "
                f"{d} ({shape[d]}) in the input tensor"
            )
        )
    if -1 in sizes:
        try:
            sizes = s.infer_size(sizes, shape[d])
        except RuntimeError:
            raise RuntimeError(
                f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim "
                f"{d} ({shape[d]}) in the input tensor"
            ) from None
    return door.apply(s.view_as_shape, (input,), {"shape": (*shape[:d], *sizes, *shape[d + 1 :])})


@composite(adapt=True, samples=[case((2, 3))])
def ravel(input: Any) -> Any:
    """All elements in one dimension: the tensor's own memory if it is contiguous, else a copy.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.ravel(x)
    tensor([1, 2, 3, 4])
    """
    return reshaped(input.contiguous(), (-1,)) if input._a.size else reshaped(input, (0,))


# -- expanding -----------------------------------------------------------------------------------


@composite(
    public="Tensor",
    name="expand",
    entry=s.expand,
    samples=[case((2, 1), 2, 3), case((1, 3), [2, -1])],
)
def expand_method(input: Any, *sizes_: Any, size: Any = None, implicit: bool = False) -> Any:
    """A view in which dimensions of size 1 are repeated without being copied.

    Dimensions may be added in front; -1 keeps a size. All copies are one place in memory, so
    clone before writing into them.

    >>> x = torch.tensor([[1], [2]])
    >>> x.expand(-1, 3)
    tensor([[1, 1, 1],
            [2, 2, 2]])
    >>> x.expand(2, 3).stride()
    (1, 0)
    """
    if not sizes_ and size is None:
        raise TypeError('expand() missing 1 required positional arguments: "size"')
    return door.apply(
        s.expand, (input,), {"shape": sizes(sizes_ if size is None else (tuple(size),), "expand")}
    )


@composite(public="Tensor", samples=[case((2, 1), (2, 3))])
def expand_as(input: Any, other: Any) -> Any:
    """`x.expand(other.shape)`: repeated to the shape of another tensor, without a copy.

    >>> torch.tensor([1, 2]).expand_as(torch.zeros(2, 2))
    tensor([[1, 2],
            [1, 2]])
    """
    return door.apply(s.expand, (input,), {"shape": tuple(other._a.shape)})


@composite(adapt=True, samples=[case((2, 1), [2, 3])])
def broadcast_to(input: Any, size: Any) -> Any:
    """A view with the shape `size`: missing leading dimensions are added, sizes of 1 are repeated.

    Nothing is copied. RuntimeError where a size is neither 1 nor the one asked for.

    >>> x = torch.tensor([1, 2, 3])
    >>> torch.broadcast_to(x, (2, 3))
    tensor([[1, 2, 3],
            [1, 2, 3]])
    """
    return door.apply(s.expand, (input,), {"shape": sizes((size,), "broadcast_to")})


@composite(public="torch", dispatch=False, samples=[case([2, 1], [3])])
def broadcast_shapes(*shapes: Any) -> Any:
    """The shape to which tensors of these shapes broadcast.

    Shapes are compared from the last dimension on; sizes must be equal or 1. RuntimeError else.

    >>> torch.broadcast_shapes((2, 1), (3,), (1, 1, 1))
    torch.Size([1, 2, 3])
    """
    for n in shapes:
        if not isinstance(n, (int, tuple, list)):
            raise RuntimeError(
                "Input shapes should be of type ints, a tuple of ints, or a list of ints, got "
                f"{n}"
            )
    full = [(int(n),) if isinstance(n, int) else tuple(map(index, n)) for n in shapes]
    if any(k < 0 for shape in full for k in shape):
        raise ValueError(
            message(
                "Attempting to broadcast a dimension with negative length!",
                got=" and ".join(map(str, full)),
            )
        )
    try:
        return Size(np.broadcast_shapes(*full))
    except ValueError:
        raise RuntimeError(
            message(
                "Shape mismatch: objects cannot be broadcast to a single shape",
                got=" and ".join(map(str, full)),
                wanted="sizes that are equal or 1, compared from the last dimension on",
            )
        ) from None


@composite(public="torch", samples=[case((2, 1), (3,))])
def broadcast_tensors(*tensors: Any) -> Any:
    """All tensors as views of the shape that they have in common when broadcast.

    >>> a, b = torch.broadcast_tensors(torch.tensor([[1], [2]]), torch.tensor([3, 4, 5]))
    >>> a
    tensor([[1, 1, 1],
            [2, 2, 2]])
    >>> b.shape
    torch.Size([2, 3])
    """
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    for i, t in enumerate(tensors):
        if not isinstance(t, TensorBase):
            raise TypeError(
                f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}"
            )
    shape = tuple(broadcast_shapes(*[t._a.shape for t in tensors]))
    return tuple(
        t if t._a.shape == shape else door.apply(s.expand, (t,), {"shape": shape}) for t in tensors
    )


@composite(public="Tensor", samples=[case((2, 3), 1, 3), case((2, 3), [2, 1])])
def sum_to_size(input: Any, *size: Any) -> Any:
    """Sums over the dimensions in which `size` is 1 or missing: the opposite of `expand`.

    >>> torch.ones(2, 3).sum_to_size(1, 3)
    tensor([[2., 2., 2.]])
    """
    if not size:
        raise TypeError('sum_to_size() missing 1 required positional arguments: "size"')
    want = sizes(size, "sum_to_size")
    shape = input._a.shape
    extra = len(shape) - len(want)
    if extra < 0 or any(n not in (1, shape[i + extra]) for i, n in enumerate(want)):
        raise RuntimeError(f"size {{{list(want)}}} is not expandable to size {{{list(shape)}}}.")
    if (tuple(want) != tuple(shape) or not shape) and input._a.dtype.kind in "iub":
        input = input.long()
    return (
        input
        if tuple(want) == tuple(shape)
        else door.apply(s.sum_to_shape, (input,), {"shape": want})
    )


def strided_args(t: Any, size: Any, stride: Any, storage_offset: Any) -> dict[str, Any]:
    laid = (s.element_strides(t), s.storage_start(t))
    for place, (name, given) in enumerate((("size", size), ("stride", stride)), 2):
        if isinstance(given, int):
            raise TypeError(
                f"as_strided(): argument '{name}' (position {place}) must be tuple of ints, not "
                f"{type(given).__name__}"
            )
    size, stride = sizes((size,), "as_strided"), sizes((stride,), "as_strided", "stride")
    for within in slices:
        storage_offset = within(t, size, stride, storage_offset)
    return {"size": size, "stride": stride, "storage_offset": storage_offset, "laid": laid}


slices: list[Any] = []  # vmap puts a function here, which counts the offset from its slice


@composite(
    adapt=True,
    layout=True,
    samples=[case((2, 6), [2, 2], [1, 3]), case((2, 6), [3], [2], 1)],
)
def as_strided(input: Any, size: Any, stride: Any, storage_offset: int | None = None) -> Any:
    """A view of the tensor's storage with these sizes and strides, from `storage_offset` on.

    Element (i, j) is the one at `storage_offset + i * stride[0] + j * stride[1]`; strides and
    offset count elements, not bytes. Without an offset the tensor's own is used. Elements may be
    seen more than once; gradients are then added. RuntimeError if it reaches beyond the storage.

    >>> x = torch.arange(6)
    >>> torch.as_strided(x, (4, 3), (1, 1))
    tensor([[0, 1, 2],
            [1, 2, 3],
            [2, 3, 4],
            [3, 4, 5]])
    """
    y = door.apply(s.as_strided, (input,), strided_args(input, size, stride, storage_offset))
    if input._v is not None and y._v is not None:
        views.over_base(y)
    return y
