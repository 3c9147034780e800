"""Copies, casts, moves between devices, memory formats; and in-place filling."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import changes, door, overlaps, steps, views
from ...autograd.node import TensorBase
from ...device import META, device, usable
from ...errors import message
from ...kernels import dense
from ...kernels.dense import channels_innermost
from ...kernels.meta import MetaArray
from ...kernels.runtime import few
from ...layout import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    memory_format,
    preserve_format,
)
from ..core.composite import composite
from ..core.numerics import in_place_by
from ..core.record import op
from ..core.samples import arr, case, error, ints
from ..create.arguments import fits_plainly, stored
from . import views as s


def cast(t: Any, dtype: Any, copy: bool = False) -> Any:
    """The tensor in another dtype; itself when it has it and no copy is asked."""
    if t._a.dtype == dtype.np:
        return door.apply(s.clone, (t,), {}) if copy else t
    if t._a.dtype.kind in "cW" and not dtype.is_complex and dtype is not dtypes.bool:
        import warnings

        warnings.warn(
            "Casting complex values to real discards the imaginary part", UserWarning, stacklevel=4
        )
    if t._v is not None and t._v.made and not (dtype.is_floating_point or dtype.is_complex):
        with door.grad_enabled(False):  # the view's history, which may be refused, is not asked for
            return door.apply(s.to_copy, (t,), {"dtype": dtype})
    return door.apply(s.to_copy, (t,), {"dtype": dtype})


@composite(
    public="Tensor",
    samples=[case((2, 3), dtypes.float32), case((2, 3), dtype=dtypes.int64)],
)
def to(
    input: Any,
    *args: Any,
    dtype: Any = None,
    device: Any = None,
    non_blocking: bool = False,
    copy: bool = False,
    memory_format: Any = None,
    other: Any = None,
) -> Any:
    """The tensor in another dtype, on another device, or in another memory format.

    `x.to(dtype)`, `x.to(device)`, `x.to(device, dtype)`, `x.to(other)` for the dtype and device of
    another tensor. Where nothing changes it is the tensor itself, unless `copy=True`. Gradients
    flow back in the original dtype. Devices here are "cpu" and "meta" (shapes without values).
    `non_blocking` is taken and changes nothing.

    >>> x = torch.tensor([1.7, -1.7])
    >>> x.to(torch.int64)
    tensor([ 1, -1])
    >>> x.to("cpu") is x
    True
    """
    flags = [a for a in args if isinstance(a, bool)]  # non_blocking, copy
    copy = copy or (len(flags) > 1 and flags[1])
    for a in args:
        if a.__class__ is dtypes.dtype or a.__class__ is type:
            dtype = dtypes.of(a)
        elif isinstance(a, TensorBase):
            other = a
        elif isinstance(a, bool) or a is None:
            continue
        elif isinstance(a, (str, int)) or hasattr(a, "type"):
            device = a
        elif isinstance(a, dtypes.dtype):
            dtype = dtypes.of(a)  # one that no array holds: this says so
        else:
            raise TypeError(
                f"to() received an invalid combination of arguments - got {type(a).__name__}"
            )
    if other is not None:
        dtype, device = other.dtype, other.device
    return move(input, device, dtype, copy, memory_format)


def move(t: Any, where: Any, dtype: Any, copy: bool = False, memory_format: Any = None) -> Any:
    """Carry out `to`."""
    if dtype is not None:
        dtype = dtypes.of(dtype)
    if where is not None:
        target = usable(where)
        if target is META and t._a.__class__ is not MetaArray:
            return door.wrap(MetaArray(t._a.shape, dtype.np if dtype else t._a.dtype))
        if target is not META and t._a.__class__ is MetaArray:
            raise NotImplementedError(
                message(
                    "Cannot copy out of meta tensor; no data!",
                    hint="torch.empty_like(x, device='cpu'), or module.to_empty(device='cpu')",
                )
            )
    out = t
    if dtype is not None:
        out = cast(t, dtype, copy)
    elif copy:
        out = door.apply(s.clone, (t,), {})
    return out if memory_format is None else in_format(out, memory_format)


def in_format(t: Any, memory_format: Any) -> Any:
    """The tensor in a memory format, itself where it is or where the format is its own."""
    if memory_format is preserve_format:
        return t
    a = t._a
    if memory_format is not contiguous_format and is_laid_out(a, memory_format):
        if a.__class__ is np.ndarray and not channels_innermost(a):  # steps that say otherwise
            return door.apply(s.clone, (t,), {"order": "channels_last"})
        return t
    return contiguous(t, memory_format=memory_format)


def in_format_of(y: Any, *sources: Any) -> Any:
    """A result with its channels innermost in memory if those of an operand are.

    Kernels compute rows of pixels; PyTorch's layers hand on the format that they are given, and
    programs count on the strides.
    """
    ndim = y._a.ndim
    if ndim not in (4, 5):
        return y
    fmt = channels_last if ndim == 4 else channels_last_3d
    for t in sources:
        a = t._a
        if a.__class__ is np.ndarray and a.ndim == ndim and channels_innermost(a):
            return in_format(y, fmt)
    return y


def laid_as(y: Any, *operands: Any) -> Any:
    """A result, or each of several, as `in_format_of` has it; operands may be no tensors."""
    for t in operands:
        if isinstance(t, TensorBase):
            a = t._a
            if a.__class__ is np.ndarray and a.ndim > 3 and a.strides[1] <= a.strides[-1]:
                if isinstance(y, tuple):
                    return type(y)(in_format_of(part, t) for part in y)
                return in_format_of(y, *operands)
    return y


def keeps_format(fn: Any) -> Any:
    """A decorator: results lie in memory as the first operand does (`laid_as`)."""

    @functools.wraps(fn)
    def shown(*args: Any, **kw: Any) -> Any:
        return laid_as(fn(*args, **kw), args[0] if args else kw.get("input"))

    return shown


def about(dtype: Any) -> str:
    """What a cast to a type does to numbers that it does not have."""
    if dtype is dtypes.bool:
        return "True is whatever is not zero."
    if dtype.is_complex:
        return "Real numbers get the imaginary part 0."
    if dtype.is_floating_point:
        return "Of complex numbers the real part stays, with a warning."
    return "Fractions are cut off towards zero, and what is too large wraps round."


def caster(name: str, dtype: Any) -> Any:
    def method(input: Any, memory_format: Any = None) -> Any:
        out = cast(input, dtype)
        return out if memory_format is None else in_format(out, memory_format)

    method.__name__ = name
    method.__doc__ = f"""The tensor as {dtype!r}; itself if it is that already.

    {about(dtype)} The same as `x.to({dtype!r})`.

    >>> x = torch.tensor([0, 1], dtype=torch.int8)
    >>> x.{name}().dtype
    {dtype!r}
    """
    samples = [case(arr((2, 3), 0, 9)), case(ints((2, 3)))]
    return composite(method, public="Tensor", samples=samples)


for _name, _d in {
    "float": dtypes.float32,
    "double": dtypes.float64,
    "half": dtypes.float16,
    "bfloat16": dtypes.bfloat16,
    "long": dtypes.int64,
    "int": dtypes.int32,
    "short": dtypes.int16,
    "char": dtypes.int8,
    "byte": dtypes.uint8,
    "bool": dtypes.bool,
    "chalf": dtypes.complex32,
    "cfloat": dtypes.complex64,
    "cdouble": dtypes.complex128,
}.items():
    caster(_name, _d)


@composite(public="Tensor", samples=[case((2, 3), ints((2,)))])
def type_as(input: Any, other: Any) -> Any:
    """The tensor in the dtype, and on the device, of another.

    >>> torch.tensor([1, 2]).type_as(torch.tensor(0.5))
    tensor([1., 2.])
    """
    return move(input, other.device, other.dtype)


@composite(public="Tensor", data_dependent=True, samples=[case((2, 3))])
def cpu(input: Any, memory_format: Any = None) -> Any:
    """The tensor on the CPU: itself, where all tensors with values are.

    >>> x = torch.tensor([1.0])
    >>> x.cpu() is x
    True
    """
    return move(input, "cpu", None, memory_format=memory_format)


@composite(public="Tensor", samples=[error(RuntimeError, "CUDA", (2, 3))])
def cuda(
    input: Any, device: Any = None, non_blocking: bool = False, memory_format: Any = None
) -> Any:
    """Raises: there is no CUDA here. Ask `torch.cuda.is_available()` first.

    >>> torch.zeros(1).cuda()
    Traceback (most recent call last):
        ...
    RuntimeError: device 'cuda' is not available: Torch not compiled with...
    """
    where = usable("cuda" if device is None else device)
    return move(input, where, None, memory_format=memory_format)  # the CPU stands in for one


@composite(
    public="torch Tensor",
    samples=[case((2, 3)), case((2, 3), memory_format=contiguous_format)],
)
def clone(input: Any, *, memory_format: Any = None) -> Any:
    """A copy of the tensor, part of the graph: gradients flow through it to the tensor.

    `memory_format`: how the copy lies in memory; by default as the tensor does if that has no gaps.
    For a copy without history: `x.detach().clone()`.

    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> y = torch.clone(x)
    >>> y.sum().backward()
    >>> x.grad
    tensor([1., 1.])
    """
    if memory_format is contiguous_format:
        return door.apply(s.clone, (input,), {"order": "C"})
    out = door.apply(s.clone, (input,), {})
    return (
        out
        if memory_format in (None, preserve_format)
        else contiguous(out, memory_format=memory_format)
    )


def channel_order(ndim: int, fmt: Any) -> tuple[int, ...]:
    if fmt is channels_last and ndim == 4:
        return (0, 2, 3, 1)
    if fmt is channels_last_3d and ndim == 5:
        return (0, 2, 3, 4, 1)
    raise RuntimeError(
        f"required rank {4 if fmt is channels_last else 5} tensor to use {fmt!r} format"
    )


def is_laid_out(a: Any, fmt: Any) -> bool:
    """Whether an array has the strides of a memory format."""
    if fmt is contiguous_format:
        return (
            bool(a.flags.c_contiguous)
            if a.__class__ is np.ndarray
            else a.strides == MetaArray(a.shape, a.dtype).strides
        )
    if a.ndim not in (4, 5) or (fmt is channels_last) != (a.ndim == 4):
        return False
    order = channel_order(a.ndim, fmt)
    step = a.itemsize
    for d in reversed(order):
        if a.shape[d] != 1 and a.strides[d] != step:
            return False
        step *= a.shape[d]
    return True


@composite(public="Tensor", layout=True, samples=[case((2, 3))])
def is_contiguous(input: Any, memory_format: Any = contiguous_format) -> bool:
    """Whether the elements lie in memory one after the other in the order of the (given) format.

    >>> x = torch.zeros(2, 3)
    >>> x.is_contiguous(), x.t().is_contiguous()
    (True, False)
    """
    return is_laid_out(input._a, memory_format)


@composite(public="Tensor", samples=[case((2, 3))])
def contiguous(input: Any, memory_format: Any = contiguous_format) -> Any:
    """The tensor itself if its elements lie in memory in order and without gaps, else such a copy.

    `memory_format`: `torch.contiguous_format` (row-major), `torch.channels_last` (4-d) or
    `torch.channels_last_3d` (5-d).

    >>> x = torch.zeros(2, 3).t()
    >>> x.stride(), x.contiguous().stride()
    ((1, 3), (2, 1))
    """
    if is_laid_out(input._a, memory_format):
        return input
    if memory_format is contiguous_format:
        return door.apply(s.clone, (input,), {"order": "C"})
    channel_order(input._a.ndim, memory_format)  # raises for another number of dimensions
    return door.apply(s.clone, (input,), {"order": "channels_last"})


# -- in place ------------------------------------------------------------------------------------


@op(samples=[case((3, 4), value=2.0)], public="torch", low="keep", fresh=True, inplace=False)
def fill(input: Any, *, value: Any) -> Any:
    """A tensor of the input's shape and dtype filled with `value`.

    >>> x = torch.zeros(2)
    >>> torch.fill(x, 2.5)
    tensor([2.5000, 2.5000])
    """
    if input.__class__ is MetaArray:
        return MetaArray(input.shape, input.dtype)
    made = dense.empty_like(input)
    made[...] = stored(value, made.dtype) if isinstance(value, complex) else value
    return made


fill.vjp(lambda g, _y, _x: door.nothing(g))
changes.constant = fill
fill.shape(lambda x, value: MetaArray(x.shape, x.dtype))


@op(samples=[case((3, 4))], public="", low="keep", fresh=True, node="ZeroBackward0")
def zero(input: Any) -> Any:
    """Zeros of the input's shape and dtype."""
    made = dense.empty_like(input)
    zero_over(made)
    return made


def zero_over(input: Any) -> None:
    """`zero` in memory that may be written to."""
    plain = input.dtype is door.F32 or input.dtype is door.F64
    input.fill(0 if plain else np.zeros((), input.dtype))


in_place_by(zero, zero_over)
zero.vjp(lambda g, _y, _x: door.nothing(g))
zero.shape(lambda x: MetaArray(x.shape, x.dtype))


@composite(public="Tensor", name="fill_", samples=[case((2, 3), 1.5), case((2, 3), ())])
def fill_(input: Any, value: Any) -> Any:
    """Fills the tensor with one value (a number or a 0-d tensor), in place.

    >>> torch.empty(2, 2).fill_(7)
    tensor([[7., 7.],
            [7., 7.]])
    """
    if value.__class__ is int or value.__class__ is float:
        return filled(input, value)
    if isinstance(value, TensorBase):
        if value._a.ndim:
            raise RuntimeError(
                "fill_ only supports 0-dimension value tensor but got tensor with "
                f"{value._a.ndim} dimensions."
            )
        changes.refuse_made(input, "fill_", (value,))
        if value._v is not None:
            value = value.clone()  # it may be one of the elements that are written to
        return copy_(input, value)
    return filled_slowly(input, value)


@composite(public="torch Tensor", name="zero_", into=(zero,), samples=[case((2, 3))])
def zero_(input: Any) -> Any:
    """Fills the tensor with zeros, in place.

    >>> torch.ones(3).zero_()
    tensor([0., 0., 0.])
    """
    return filled(input, 0, zero)


def filled(input: Any, value: int | float, record: Any = fill) -> Any:
    """`input`, of which all elements are a number now, by a record."""
    if not changes.changeable(input):
        return filled_slowly(input, value, record)
    a = input._a
    if door.state.observers:  # (a compiler takes a scalar for one, and no array)
        door.perform(steps.fill, (a,), {"value": stored(value, a.dtype)[()]})
    else:
        a.fill(value if fits_plainly(value, a.dtype) else stored(value, a.dtype))
    changes.all_changed((input,), record.inplace_name)
    return input


def filled_slowly(input: Any, value: Any, record: Any = fill) -> Any:
    """`filled` with any number, of tensors with a history, views and others."""
    v = input._v
    if input._a.__class__ is np.ndarray:
        value = stored(value, input._a.dtype)
    bare = input._fn is None and (v is None or v.base._fn is None) and not changes.change_watchers
    if bare and input._a.__class__ is np.ndarray:
        changes.check_inplace(input, record.inplace_name, same=True)
        door.perform(steps.store, (input._a,), {"value": value})
        c = views.cell(input)
        c.bump(record.inplace_name)
        if v is not None:
            v.seen = c.count
        return input
    value = value.item() if isinstance(value, np.ndarray) else value
    return changes.apply_inplace(record, input, (), {"value": value} if record is fill else {})


@steps.step(outputs=0, mutates=(0,))
def assign(into: np.ndarray, source: np.ndarray) -> None:
    """The values of an array of another shape or type, as PyTorch converts them."""
    if source.dtype.kind in "cW" and into.dtype.kind not in "cbW":
        source = dense.real_part(source)
    if into.dtype.kind in "iub" and source.dtype.kind in "fV":
        source = s.float_to_int(source, dtypes.from_numpy(into.dtype))
    dense.copy_into(into, source)


@composite(public="Tensor", name="copy_", samples=[case((2, 3), (3,)), case((2, 3), ints((2, 1)))])
def copy_(input: Any, other: Any, non_blocking: bool = False) -> Any:
    """Copies the values of `other` into this tensor, in place: broadcast and cast to its dtype.

    Gradients flow back to `other`. RuntimeError if `other` does not broadcast to the tensor's
    shape.

    >>> torch.zeros(2, 2).copy_(torch.tensor([1, 2]))
    tensor([[1., 2.],
            [1., 2.]])
    """
    if (
        isinstance(other, TensorBase)
        and other._a.__class__ is np.ndarray
        and other._a.dtype is input._a.dtype
        and other._a.shape == input._a.shape
        and (other._fn is None or not door.state.enabled)
        and changes.changeable(input)
    ):
        if input._v is not None or other._v is not None:
            overlaps.refuse("copy_", input, (other,))
        if door.perform is not door.bare_perform or not few.assigned(input._a, other._a):
            door.perform(assign, (input._a, other._a), {})
        changes.all_changed((input,), "copy_")
        return input
    if isinstance(other, (bool, int, float, complex, np.generic)):
        other = door.wrap(np.asarray(other))
    if not isinstance(other, TensorBase):
        raise TypeError(
            f"copy_(): argument 'other' (position 1) must be Tensor, not {type(other).__name__}"
        )
    if other._a.shape != input._a.shape:
        try:
            fits = np.broadcast_shapes(other._a.shape, input._a.shape) == tuple(input._a.shape)
        except ValueError:
            fits = False
        if not fits:
            raise RuntimeError(
                message(
                    f"The size of tensor a ({list(input._a.shape)}) must match the size of tensor "
                    f"b ({list(other._a.shape)})",
                    got=f"copy_ of shape {tuple(other._a.shape)} into {tuple(input._a.shape)}",
                    wanted="a source that broadcasts to the tensor's shape",
                )
            )
    if other._a.__class__ is MetaArray and input._a.__class__ is not MetaArray:
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    if (
        not (door.state.enabled and views.needs_grad((input, other)))
        and input._a.__class__ is np.ndarray
        and not changes.change_watchers
    ):
        changes.check_inplace(input, "copy_")
        overlaps.refuse("copy_", input, (other,))
        door.perform(assign, (input._a, door.resolved(other._a)), {})
        views.cell(input).bump("copy_")
        return input
    overlaps.refuse("copy_", input, (other,))
    return changes.apply_inplace(s.copy, input, (other,), {})


_ = (device, memory_format)
