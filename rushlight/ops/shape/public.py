"""The public shape functions: view, reshape, flatten, expand, movedim and their relatives.

Most hand over to a view record of `views.py`. Reordering (flip, roll, tile, meshgrid) is in
`reorder.py`.
"""

from __future__ import annotations

import math as pymath
from operator import index
from typing import Any, NoReturn

import numpy as np

from ... import dtypes
from ...array_memory import storage_offset
from ...autograd import changes, door, specialize, views
from ...autograd.node import LEAF, TensorBase
from ...dtypes import type_name
from ...errors import axis, message
from ...kernels.meta import MetaArray
from ...size import Size
from ..core import described
from ..core.arguments import named, need_tensor, sizes
from ..core.composite import attribute, composite
from ..core.record import view
from ..core.samples import Case, case, cplx
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
    rows=False,
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


@composite(
    public="torch Tensor",
    name="as_strided_",
    layout=True,
    samples=[case((2, 6), [2, 2], [1, 3])],
)
def as_strided_(input: Any, size: Any, stride: Any, storage_offset: int | None = None) -> Any:
    """In place: the tensor itself gets these sizes and strides over its storage (see `as_strided`).

    >>> torch.arange(6).as_strided_((2, 2), (1, 3))
    tensor([[0, 3],
            [1, 4]])
    """
    changes.check_inplace(input, "as_strided_", same=True)
    y = seen(s.as_strided, input, strided_args(input, size, stride, storage_offset))
    return become(input, y, "as_strided_")


# -- in-place view forms -------------------------------------------------------------------------


def inplace_view(record: Any, name: str, example: tuple[str, str], *samples: Case) -> Any:
    """squeeze_, t_, ...: this very tensor takes the shape of its view. `example`: a shape before
    the call, and the call and the shape after it."""

    def method(input: Any, *args: Any, **kw: Any) -> Any:
        _, kw = record.bind((input, *args), kw)
        if not views.overlaps_itself(input._a):  # nothing is written, so an expanded tensor may
            changes.check_inplace(input, name + "_")
        known = input._v is None and input._vc is not None and input._fn is not LEAF
        if known:  # views of this tensor may exist, which count from its present shape
            base = door.wrap(input._a)
            base._fn, base._vc = input._fn, input._vc
            input._v = views.View(base, (), input._vc.count, "")
        return become(input, seen(record, input, kw), name + "_")

    method.__name__ = name + "_"
    method.__doc__ = described.inplace_doc(record.__doc__, record.name)
    method.base = record  # type: ignore[attr-defined] # whose parameters it has
    composite(method, public="Tensor", name=name + "_", samples=samples)
    return method


def seen(record: Any, t: Any, kw: dict[str, Any]) -> Any:
    """The view that `t` is about to become, with `t`'s history also where nothing is recorded: no
    value changes, and without it `t` would be a result that came from nowhere."""
    if t._fn is None or t._fn is LEAF or door.state.enabled:
        return door.apply(record, (t,), kw)
    with door.grad_enabled(True):
        return door.apply(record, (t,), kw)


def become(t: Any, y: Any, name: str) -> Any:
    """Let the tensor `t` be what its view `y` is."""
    base = t._v
    t._a = y._a
    if t._fn is not None and (t._fn is not LEAF or y._fn is not None):
        t._fn = y._fn
    t._v = y._v if base is not None else None
    views.cell(t).bump(name)
    if t._v is not None:
        t._v.seen = t._vc.count
    return t


inplace_view(
    s.squeeze, "squeeze", ("1, 3", "squeeze_() -> [3]"), case((2, 1, 3)), case((2, 1, 3), 1)
)
inplace_view(
    s.unsqueeze, "unsqueeze", ("2, 3", "unsqueeze_(1) -> [2, 1, 3]"), case((2, 3), 1)
)
inplace_view(
    s.t, "t", ("2, 3", "t_() -> [3, 2]"), case((2, 3)), case((3,))
)
inplace_view(
    s.transpose, "transpose", ("2, 3, 4", "transpose_(0, 2) -> [4, 3, 2]"), case((2, 3, 4), 0, 2)
)
inplace_view(
    s.transpose, "swapaxes", ("2, 3, 4", "swapaxes_(0, 2) -> [4, 3, 2]"), case((2, 3, 4), 0, 2)
)
inplace_view(
    s.transpose, "swapdims", ("2, 3, 4", "swapdims_(0, 2) -> [4, 3, 2]"), case((2, 3, 4), 0, 2)
)

# -- moving dimensions ---------------------------------------------------------------------------


@composite(
    adapt=True,
    aliases="moveaxis",
    samples=[case((2, 3, 4), 0, 2), case((2, 3, 4), [0, 1], [2, 0])],
)
def movedim(input: Any, source: Any, destination: Any) -> Any:
    """A view with the dimensions `source` moved to the places `destination`; the others keep order.

    Both are a number or a tuple of the same length.

    >>> x = torch.zeros(2, 3, 4)
    >>> torch.movedim(x, 0, -1).shape
    torch.Size([3, 4, 2])
    >>> torch.movedim(x, (0, 1), (1, 2)).shape
    torch.Size([4, 2, 3])
    """
    n = input._a.ndim
    if source.__class__ is int and destination.__class__ is int and n:
        order, to = [*range(n)], axis(destination, n)
        order.insert(to, order.pop(axis(source, n)))
        return door.apply(s.permute, (input,), {"dims": tuple(order)})
    src = (source,) if isinstance(source, int) else tuple(source)
    dst = (destination,) if isinstance(destination, int) else tuple(destination)
    if len(src) != len(dst):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(src)} dims) should "
            f"contain the same number of dims as destination ({list(dst)} dims)"
        )
    given = src, dst
    src, dst = tuple(axis(d, n) for d in src), tuple(axis(d, n) for d in dst)
    for dims, what, asked in ((src, "source", given[0]), (dst, "destination", given[1])):
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{what}` ({list(asked)})")
    if n == 0:
        return door.apply(s.view_as_shape, (input,), {"shape": ()})
    order = [d for d in range(n) if d not in src]
    for to, d in sorted(zip(dst, src, strict=True)):
        order.insert(to, d)
    return door.apply(s.permute, (input,), {"dims": tuple(order)})


@composite(
    public="Tensor",
    name="permute",
    entry=s.permute,
    rows=False,
    samples=[case((2, 3, 4), 2, 0, 1), case((2, 3, 4), [1, 0, 2])],
)
def permute_method(input: Any, *dims: Any, **kw: Any) -> Any:
    """A view with its dimensions in the order `dims`: dimension i of the result is `dims[i]` of x.

    >>> x = torch.zeros(2, 3, 4)
    >>> x.permute(2, 0, 1).shape
    torch.Size([4, 2, 3])
    """
    if not dims and not kw:
        raise TypeError('permute() missing 1 required positional arguments: "dims"')
    return door.apply(
        s.permute, (input,), {"dims": sizes(named(dims, kw, "dims"), "permute", "dims")}
    )


@composite(adapt=True, samples=[case((2, 3)), case(cplx((2, 3)))])
def adjoint(input: Any) -> Any:
    """The conjugate transpose of the last two dimensions: y[..., i, j] = conj(x[..., j, i]).

    `input` (*, m, n), the result (*, n, m), a view.

    >>> x = torch.tensor([[1.0 + 1.0j, 2.0]])
    >>> torch.adjoint(x)
    tensor([[1.-1.j],
            [2.-0.j]])
    """
    if input._a.ndim == 0:
        return of_a_number(input, "adjoint()").conj()
    if input._a.ndim < 2:
        raise RuntimeError(
            "tensor.adjoint() is only supported on matrices or batches of matrices. Got "
            f"{input._a.ndim}-D tensor."
        )
    return input.transpose(-2, -1).conj()


def flipped(t: Any) -> Any:
    """`x.T`: all dimensions in reverse order, a view; of a matrix its transpose.

    Of other than 2-d tensors deprecated, with a warning: use `x.mT` or `permute`.

    >>> torch.tensor([[1, 2], [3, 4]]).T
    tensor([[1, 3],
            [2, 4]])
    """
    n = t._a.ndim
    if n not in (0, 2):
        import warnings

        warnings.warn(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is "
            "deprecated and it will throw "
            "an error in a future release. Consider `x.mT` to transpose batches of matrices or "
            "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
            UserWarning,
            stacklevel=2,
        )
    return door.apply(s.permute, (t,), {"dims": tuple(range(n - 1, -1, -1))})


def of_a_number(t: Any, name: str) -> Any:
    """What `x.mT` of a 0-d tensor is: itself, with PyTorch's warning."""
    import warnings

    warnings.warn(
        f"Tensor.{name} is deprecated on 0-D tensors. This function is the identity in these "
        "cases.",
        UserWarning,
        stacklevel=3,
    )
    return t


def matrix(t: Any) -> Any:
    """`x.mT`: the last two dimensions exchanged, of each matrix (*, m, n) of a batch; a view.

    >>> torch.zeros(5, 2, 3).mT.shape
    torch.Size([5, 3, 2])
    """
    if t._a.ndim == 0:
        return of_a_number(t, "mT")
    if t._a.ndim < 2:
        raise RuntimeError(
            f"tensor.mT is only supported on matrices or batches of matrices. Got {t._a.ndim}-D "
            "tensor."
        )
    return door.apply(s.transpose, (t,), {"dim0": -2, "dim1": -1})


def adjoint_matrix(t: Any) -> Any:
    """`x.mH`: the conjugate transpose of each matrix (*, m, n) of a batch.

    >>> torch.zeros(5, 2, 3).mH.shape
    torch.Size([5, 3, 2])
    """
    if t._a.ndim == 0:
        return of_a_number(t, "mH").conj()
    if t._a.ndim < 2:
        raise RuntimeError(
            f"tensor.mH is only supported on matrices or batches of matrices. Got {t._a.ndim}-D "
            "tensor."
        )
    return adjoint(t)


def hermitian(t: Any) -> Any:
    """`x.H`: the conjugate transpose of a matrix, for real numbers the same as `x.T`.

    >>> torch.tensor([[1.0j, 2.0]]).H
    tensor([[0.-1.j],
            [2.-0.j]])
    """
    if t._a.ndim not in (0, 2):
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {t._a.ndim}-D tensor."
            + (" For batches of matrices, consider using tensor.mH" if t._a.ndim > 2 else "")
        )
    return (flipped(t) if t._a.ndim else of_a_number(t, "H")).conj()


for _name, _fn in {"T": flipped, "mT": matrix, "mH": adjoint_matrix, "H": hermitian}.items():
    attribute(_fn, _name, samples=[case((2, 3)), case(cplx((3, 2)))])
