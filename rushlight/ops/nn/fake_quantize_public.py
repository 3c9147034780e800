"""Fake quantization: PyTorch's functions, and checks in front of the records in `fake_quantize`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import door
from ...autograd.changes import all_changed, changeable
from ...autograd.node import TensorBase
from ...autograd.refused import check_fixed
from ...dtypes import type_name
from ...errors import axis as place
from ...errors import message
from ...kernels.meta import MetaArray
from ..core.arguments import need_tensor
from ..core.composite import composite
from ..core.samples import arr, case, error, ints, values
from . import fake_quantize as records

LEARNED = "torch._fake_quantize_learnable_per_..._affine"  # has gradients of scales and zero points


def ints32(shape: tuple[int, ...]) -> arr:
    """Zero points as the channels' forms take them."""
    return arr(shape, 0, 3, "int32")


# -- checks ----------------------------------------------------------------------------------------


def check_range(quant_min: int, quant_max: int) -> None:
    """RuntimeError unless there is a number in the range."""
    if quant_min > quant_max:
        raise RuntimeError(
            message(
                "`quant_min` should be less than or equal to `quant_max`.",
                got=f"quant_min={quant_min}, quant_max={quant_max}",
            )
        )


def outside(zero_point: Any, quant_min: int, quant_max: int) -> RuntimeError:
    """The error of a zero point that is no number of the range."""
    return RuntimeError(
        message(
            "`zero_point` must be between `quant_min` and `quant_max`.",
            got=f"zero_point={zero_point}",
            wanted=f"{quant_min} to {quant_max}",
        )
    )


def check_channels(input: Any, scale: Any, zero_point: Any, axis: int, by_sign: bool) -> None:
    """What every form with a scale a channel asks of its arguments; `by_sign`: of `axis` first."""
    if scale.dtype not in (dtypes.float32, dtypes.bfloat16):
        found = type_name(scale.dtype)
        raise RuntimeError(message(f"Scale must be Float or BFloat16, found {found}"))
    if not by_sign and zero_point.dtype not in (dtypes.int32, dtypes.float32, dtypes.float16):
        found = type_name(zero_point.dtype)
        hint = "zero_point.int()"
        text = f"Zero-point must be Int32, Float or Half, found {found}"
        raise RuntimeError(message(text, hint=hint))
    for name, v in (("scale", scale), ("zero point", zero_point)):
        if v.ndim != 1:
            raise RuntimeError(message(f"{name} should be a 1-D tensor", got=tuple(v.shape)))
    got = f"scale {tuple(scale.shape)}, zero_point {tuple(zero_point.shape)}"
    if len(scale) != len(zero_point):
        raise RuntimeError(
            message("scale and zero-point need to have the same dimensions", got=got)
        )
    if not input.ndim:
        raise IndexError(f"Dimension specified as {axis} but tensor has no dimensions")
    if len(scale) != input.shape[place(axis, input.ndim)]:
        text = "dimensions of scale and zero-point are not consistent with input tensor"
        got += f", input {tuple(input.shape)}, axis={axis}"
        raise RuntimeError(message(text, got, "one of each a channel: input.shape[axis]"))


def check_zero_points(zero_point: Any, quant_min: int, quant_max: int) -> None:
    """RuntimeError unless whole ones are numbers of the range."""
    zero = zero_point._a
    if zero.__class__ is np.ndarray and zero.dtype.kind == "i":
        if not zero.size:
            raise RuntimeError(
                "min(): Expected reduction dim to be specified for input.numel() == 0. Specify "
                "the reduction dim with the 'dim' argument."
            )
        if zero.min() < quant_min or zero.max() > quant_max:
            raise outside(zero.tolist(), quant_min, quant_max)


def check_axis(input: Any, axis: int) -> None:
    """RuntimeError for a negative axis, of which PyTorch has none here."""
    if axis < 0:
        raise RuntimeError(
            message(
                "`axis` must be between 0 and number of dimensions of input",
                got=f"axis={axis}, input {tuple(input.shape)}",
                hint=f"axis={axis + input.ndim}" if axis + input.ndim >= 0 else None,
            )
        )


def in_words(values: tuple[Any, ...]) -> str:
    """The kinds of arguments, as PyTorch lists them."""
    return ", ".join("Tensor" if isinstance(v, TensorBase) else type(v).__name__ for v in values)


def as_number(v: Any, whole: bool) -> Any:
    """The number that an argument is; None where PyTorch takes it for none."""
    if isinstance(v, TensorBase):
        if v._a.ndim or v._fn is not None or (whole and v._a.dtype.kind not in "iu"):
            return None
        return v.item()
    if whole:
        return None if isinstance(v, bool) or not hasattr(v, "__index__") else v.__index__()
    real = hasattr(v, "__float__") or hasattr(v, "__index__")
    return float(v) if real and not isinstance(v, complex) else None


@composite(
    public="torch",
    smooth=False,
    samples=[
        case((3, 4), 0.1, 0, -8, 7),
        case((2, 3), arr((1,), 0.1, 0.2), ints((1,), 3), 0, 15),
        error(RuntimeError, "zero_point` must be between", (3,), 0.1, 9, -8, 7),
        error(RuntimeError, "should be less than or equal", (3,), 0.1, 0, 7, -8),
        error(TypeError, "invalid combination of arguments", (3,), 0.1, 0.5, -8, 7),
    ],
)
def fake_quantize_per_tensor_affine(
    input: Any, scale: Any, zero_point: Any, quant_min: int, quant_max: int
) -> Any:
    """The values that numbers quantized by one scale and zero point would have, as floats.

    y = (clamp(round(x / scale) + zero_point, quant_min, quant_max) - zero_point) * scale

    Gradients go through unchanged where the clamp does not act, and are 0 elsewhere.

    Args:
        input: of any shape and any type of floats, which the result has as well.
        scale: a number, or a tensor of one element.
        zero_point: a whole number from quant_min to quant_max, or a tensor of one element.
        quant_min, quant_max: the range of the quantized numbers: -128 and 127, 0 and 255.

    Raises RuntimeError for an empty range and a zero point beyond it.

    >>> x = torch.tensor([-0.3, 0.04, 0.26, 9.0], requires_grad=True)
    >>> y = torch.fake_quantize_per_tensor_affine(x, 0.1, 0, 0, 15)
    >>> y.detach()
    tensor([0.0000, 0.0000, 0.3000, 1.5000])
    >>> y.sum().backward(); x.grad
    tensor([0., 1., 1., 0.])
    """
    name = "fake_quantize_per_tensor_affine"
    if all(isinstance(v, TensorBase) for v in (input, scale, zero_point)):
        fixed = (("scale", scale), ("zero_point", zero_point))
        check_fixed(records.one_scale.name, *fixed, hint=LEARNED)
        for v in (scale, zero_point):
            if v._a.size != 1:
                raise RuntimeError(
                    message(f"a Tensor with {v._a.size} elements cannot be converted to Scalar")
                )
        check_range(quant_min, quant_max)
        how = {"axis": -1, "enabled": True, "quant_min": quant_min, "quant_max": quant_max}
        return records.one_scale.call((input, scale, zero_point), how)[0]
    step, zero = as_number(scale, False), as_number(zero_point, True)
    if step is None or zero is None or not isinstance(input, TensorBase):
        given = in_words((input, scale, zero_point, quant_min, quant_max))
        raise TypeError(
            message(
                f"{name}() received an invalid combination of arguments - got ({given})",
                wanted="(Tensor input, Tensor scale, Tensor zero_point, int quant_min, int "
                "quant_max)\n(Tensor input, float scale, int zero_point, int quant_min, int "
                "quant_max)",
            )
        )
    check_range(quant_min, quant_max)
    if not quant_min <= zero <= quant_max:
        raise outside(zero, quant_min, quant_max)
    how = {"scale": step, "zero_point": zero, "quant_min": quant_min, "quant_max": quant_max}
    return records.fake_quantize_per_tensor_affine_cachemask.call((input,), how)[0]


@composite(
    public="torch",
    smooth=False,
    samples=[
        case((3, 4), arr((4,), 0.1, 0.2, "float32"), ints32((4,)), 1, -8, 7),
        error(
            RuntimeError, "between 0 and number of dim", (3, 4), arr((4,), 0.1, 0.2, "float32"),
            ints32((4,)), -1, -8, 7
        ),
        error(
            RuntimeError, "not consistent with input", (3, 4), arr((4,), 0.1, 0.2, "float32"),
            ints32((4,)), 0, -8, 7
        ),
    ],
)  # fmt: skip
def fake_quantize_per_channel_affine(
    input: Any, scale: Any, zero_point: Any, axis: int, quant_min: int, quant_max: int
) -> Any:
    """`fake_quantize_per_tensor_affine` with one scale and zero point for each channel.

    Args:
        input: of any shape and any type of floats, which the result has as well.
        scale: (C,) of float32 or bfloat16, where C is the size of dimension `axis`.
        zero_point: (C,) of int32, float32 or float16; whole ones within the range.
        axis: the dimension of the channels, not negative.
        quant_min, quant_max: the range of the quantized numbers.

    Raises RuntimeError for other types and shapes, an empty range, zero points beyond it.

    >>> x = torch.tensor([[0.26, 0.26], [9.0, -9.0]])
    >>> scale, zero = torch.tensor([0.1, 0.2]), torch.zeros(2, dtype=torch.int32)
    >>> torch.fake_quantize_per_channel_affine(x, scale, zero, 1, -8, 7)
    tensor([[ 0.3000,  0.2000],
            [ 0.7000, -1.6000]])
    """
    name = "fake_quantize_per_channel_affine"
    for i, argument in ((1, "input"), (2, "scale"), (3, "zero_point")):
        need_tensor(name, (input, scale, zero_point)[i - 1], i, argument)
    fixed = (("scale", scale), ("zero_point", zero_point))
    check_fixed(records.scales.name, *fixed, hint=LEARNED)
    return by_channels(records.scales, input, scale, zero_point, axis, quant_min, quant_max)


def by_channels(
    record: Any, input: Any, scale: Any, zero_point: Any, axis: int, quant_min: int, quant_max: int
) -> Any:
    """Either form with a scale a channel, after the checks that they share."""
    check_channels(input, scale, zero_point, axis, by_sign=False)
    check_range(quant_min, quant_max)
    check_zero_points(zero_point, quant_min, quant_max)
    check_axis(input, axis)
    how = {"axis": axis, "enabled": True, "quant_min": quant_min, "quant_max": quant_max}
    return record.call((input, scale, zero_point), how)[0]


@composite(
    public="torch", smooth=False, once=True,
    samples=[case((3, 4), arr((1,), 0.1, 0.2), arr((1,), 0, 3), -8, 7, 0.5)],
)  # fmt: skip
def _fake_quantize_learnable_per_tensor_affine(
    input: Any, scale: Any, zero_point: Any, quant_min: int, quant_max: int,
    grad_factor: float = 1.0
) -> Any:  # fmt: skip
    """Fake quantization by a scale and zero point (1,) that are learned: they have gradients, which
    `grad_factor` multiplies.

    >>> x, scale = torch.tensor([0.26, 9.0]), torch.tensor([0.1], requires_grad=True)
    >>> y = torch._fake_quantize_learnable_per_tensor_affine(x, scale, torch.zeros(1), -8, 7)
    >>> y.sum().backward(); scale.grad
    tensor([7.4000])
    """
    name = "_fake_quantize_learnable_per_tensor_affine"
    for i, argument in ((1, "input"), (2, "scale"), (3, "zero_point")):
        need_tensor(name, (input, scale, zero_point)[i - 1], i, argument)
    for v in (scale, zero_point):
        if not v.ndim:
            raise IndexError("select() cannot be applied to a 0-dim tensor.")
        if not v._a.size:
            raise IndexError("select(): index 0 out of range for tensor of size [0] at dimension 0")
    check_range(quant_min, quant_max)
    how = {"quant_min": quant_min, "quant_max": quant_max, "grad_factor": float(grad_factor)}
    return records.learn_one.call((input, scale, zero_point), {"axis": -1, **how})


@composite(
    public="torch", smooth=False, once=True,
    samples=[case((3, 4), arr((4,), 0.1, 0.2, "float32"), arr((4,), 0, 3), 1, -8, 7, 0.5)],
)  # fmt: skip
def _fake_quantize_learnable_per_channel_affine(
    input: Any, scale: Any, zero_point: Any, axis: int, quant_min: int, quant_max: int,
    grad_factor: float = 1.0
) -> Any:  # fmt: skip
    """The same with a scale and zero point for each channel, both (C,).

    >>> x, scale = torch.tensor([[0.26, 9.0]]), torch.tensor([0.1, 0.2], requires_grad=True)
    >>> zero = torch.zeros(2)
    >>> y = torch._fake_quantize_learnable_per_channel_affine(x, scale, zero, 1, -8, 7)
    >>> y.sum().backward(); scale.grad
    tensor([0.4000, 7.0000])
    """
    name = "_fake_quantize_learnable_per_channel_affine"
    for i, argument in ((1, "input"), (2, "scale"), (3, "zero_point")):
        need_tensor(name, (input, scale, zero_point)[i - 1], i, argument)
    if zero_point.is_complex() or zero_point.dtype is dtypes.bool:
        found = type_name(zero_point.dtype)
        raise NotImplementedError(message(f"\"round_vml_cpu\" not implemented for '{found}'"))
    check_channels(input, scale, zero_point, axis, by_sign=True)
    check_range(quant_min, quant_max)
    check_axis(input, axis)
    how = {"quant_min": quant_min, "quant_max": quant_max, "grad_factor": float(grad_factor)}
    return records.learn_channels.call((input, scale, zero_point), {"axis": axis, **how})


# -- observing and faking at once ------------------------------------------------------------------


def stand_in(input: Any, *_: Any, **__: Any) -> MetaArray:
    return MetaArray(input._a.shape, input._a.dtype)


@composite(
    public="torch", smooth=False, shape=stand_in,
    samples=[
        case(
            arr((3, 4), dtype="float32"), ints((1,), 1), ints((1,), 2, 1), values(-1.0, "float32"),
            values(2.0, "float32"), values([0.2], "float32"), values([5], "int32"),
            0.01, 0, 15, -1,
        )
    ],
)  # fmt: skip
def fused_moving_avg_obs_fake_quant(
    input: Any,
    observer_on: Any,
    fake_quant_on: Any,
    running_min: Any,
    running_max: Any,
    scale: Any,
    zero_point: Any,
    averaging_const: float,
    quant_min: int,
    quant_max: int,
    ch_axis: int,
    per_row_fake_quant: bool = False,
    symmetric_quant: bool = False,
) -> Any:
    """Observe the range of `input`, choose a scale and zero point by it, and fake-quantize.

    Args:
        input: float32, of any shape.
        observer_on, fake_quant_on: tensors of one number: whether either is done.
        running_min, running_max: the range so far, inf and -inf before the first call; changed in
            place, old + averaging_const * (new - old).
        scale, zero_point: changed in place when faking.
        quant_min, quant_max: the range of the quantized numbers.
        ch_axis, per_row_fake_quant: one range for each row of dimension 0, which `ch_axis` must be.
        symmetric_quant: the zero point is the middle of the range.

    >>> low, high = torch.tensor(torch.inf), torch.tensor(-torch.inf)
    >>> scale, zero, on = torch.ones(1), torch.zeros(1, dtype=torch.int32), torch.tensor([1])
    >>> x = torch.tensor([-1.0, 0.3, 2.0])
    >>> torch.fused_moving_avg_obs_fake_quant(x, on, on, low, high, scale, zero, 0.01, 0, 15, -1)
    tensor([-1.0000,  0.4000,  2.0000])
    >>> low, high, scale, zero
    (tensor(-1.), tensor(2.), tensor([0.2000]), tensor([5], dtype=torch.int32))
    """
    name = "fused_moving_avg_obs_fake_quant"
    tensors = {
        "input": input, "observer_on": observer_on, "fake_quant_on": fake_quant_on,
        "running_min": running_min, "running_max": running_max, "scale": scale,
        "zero_point": zero_point,
    }  # fmt: skip
    for i, (argument, t) in enumerate(tensors.items(), 1):
        need_tensor(name, t, i, argument)
    if not input._a.size:
        return input.clone()
    if ch_axis >= input.ndim > 0:
        raise RuntimeError(
            message(
                f"Error in {name}_cpu: ch_axis must be < self.dim()",
                got=f"ch_axis={ch_axis}, input {tuple(input.shape)}",
            )
        )
    if per_row_fake_quant and ch_axis != 0:
        raise RuntimeError(
            message(
                f"Per-channel FakeQuant in {name} is only supported on axis == 0",
                got=f"ch_axis={ch_axis}",
            )
        )
    changed = [(n, t) for n, t in tensors.items() if n != "input"]
    check_fixed("_fused_moving_avg_obs_fq_helper", *changed, hint=LEARNED)
    rows = input.shape[0] if per_row_fake_quant else 0
    observing, on = bool(observer_on.item()), bool(fake_quant_on.item())
    check_observed(tensors, observing, on, rows)
    with door.grad_enabled(False):
        if rows and not running_min.numel():  # the buffers of an observer that has seen nothing
            running_min.resize_(rows).fill_(np.inf)
            running_max.resize_(rows).fill_(-np.inf)
            scale.resize_(rows)
            zero_point.resize_(rows)
        if observing:
            given = {"part": averaging_const, "rows": rows}
            written(records.follow, (input, running_min, running_max), 1, given)
        if on:
            span = {"quant_min": quant_min, "quant_max": quant_max, "symmetric": symmetric_quant}
            written(records.choose, (running_min, running_max, scale, zero_point), 2, span)
            check_range(quant_min, quant_max)
    if on and rows:
        check_channels(input, scale, zero_point, 0, by_sign=True)
        check_zero_points(zero_point, quant_min, quant_max)
    kw = {"axis": 0 if rows else -1, "quant_min": quant_min, "quant_max": quant_max}
    return records.observed.call((input, scale, zero_point), {"enabled": on, **kw})[0]


def check_observed(tensors: dict[str, Any], observing: bool, on: bool, rows: int) -> None:
    """What `fused_moving_avg_obs_fake_quant` asks, before it changes anything."""
    input = tensors["input"]
    kind = type_name(input.dtype)
    if observing and input.is_complex():
        raise NotImplementedError(message(f"\"aminmax_cpu\" not implemented for '{kind}'"))
    for name in ("input", "running_min", "running_max") if observing else ():
        if tensors[name].dtype is not dtypes.float32:
            found = type_name(tensors[name].dtype)
            text = f"expected scalar type Float but found {found}"
            raise RuntimeError(message(text, hint=f"{name}.float()"))
    if on and not input.is_floating_point():
        kernel = '"fake_quantize_tensor_cachemask_kernel_type_handling"'
        text = f"{kernel} not implemented for '{kind}'"
        raise NotImplementedError(message(text, hint="input.float()"))
    count = tensors["scale"].numel()
    if on and not rows and count != 1:
        raise RuntimeError(
            message(
                f"a Tensor with {count} elements cannot be converted to Scalar",
                got=f"scale {tuple(tensors['scale'].shape)}",
                wanted="one number, or per_row_fake_quant=True",
            )
        )


def written(step: Any, tensors: Any, first: int, how: dict[str, Any]) -> None:
    """Perform a step that writes to the tensors from the `first` on: where they lie if that is
    possible, else into copies."""
    changed = tensors[first:]
    if all([changeable(t) for t in changed]):
        door.perform(step, tuple([t._a for t in tensors]), how)
        all_changed(changed, "copy_")
        return
    copies = [t.detach().clone() for t in changed]
    door.perform(step, tuple([t._a for t in (*tensors[:first], *copies)]), how)
    for t, copy in zip(changed, copies, strict=True):
        t.copy_(copy)
