"""Fake quantization: the values that quantized numbers would have, computed in floating point.

    y = (clamp(round(x / scale) + zero_point, quant_min, quant_max) - zero_point) * scale

Rounding has no derivative, so gradients go straight through where the clamp does not act
(Bengio, Léonard and Courville, 2013, arXiv:1308.3432); the learnable forms have gradients of scale
and zero point too (Esser et al., 2020, arXiv:1902.08153; Jain et al., 2020, arXiv:1903.08066).
No tensor here is quantized. Public functions are in `fake_quantize_public.py`, modules that use
them while they train in `rushlight/ao/`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd.steps import step
from ...kernels.meta import MetaArray
from ..core.record import op
from ..core.samples import arr, case, ints

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
ONE = np.float32(1)
FLOATS = "floating: fake_quantize_{}_cachemask_{}type_handling"
PER_TENSOR = FLOATS.format("tensor", "kernel_")
PER_CHANNEL = FLOATS.format("channel", "cpu_")
SMALLEST = float(np.float32(6.1e-5))  # scales below it are brought up to it



# -- arithmetic on arrays --------------------------------------------------------------------------


def faked(
    x: Any, scale: Any, zero_point: Any, low: int, high: int, exact: Any = None
) -> tuple[Any, Any]:
    """(the values, which of them lie in the range), for a scale and zero point that broadcast.

    The reciprocal of the scale is a float32 whatever `x` is. A zero point that is whole is added to
    what was rounded. `exact`: the type of the last product, if it is not that of the computation.
    """
    wide = F64 if x.dtype == F64 else F32
    scale = np.asarray(scale, F32)
    zero = np.asarray(zero_point)
    whole, some = zero.dtype.kind in "iu", zero.any()
    with np.errstate(all="ignore"):
        inverse = np.asarray(ONE / scale, wide)
        if whole:
            q = np.asarray(np.multiply(x, inverse, dtype=wide))
            np.rint(q, out=q)
            if some:
                q += zero.astype(wide)
        else:  # in double: PyTorch's machine code rounds the product and the sum once, to `wide`
            q = np.multiply(x, inverse, dtype=F64) + zero
            q = np.asarray(np.rint(q.astype(wide)))
        inside = np.asarray((q >= low) & (q <= high))
        y = cut(q, low, high)
        if exact is not None and not (whole and x.dtype == F32):  # where both are the same
            y = y.astype(exact, copy=False)
        if some:
            y -= zero.astype(y.dtype)
        y *= scale.astype(y.dtype)
    return y.astype(x.dtype, copy=False), inside


def cut(q: Any, low: int, high: int) -> Any:
    """Numbers of steps within the range, in their memory; NaN is the lower end, inf the upper one.
    (By channels PyTorch makes it the lower one, since no int64 holds it.)"""
    return np.fmin(np.fmax(q, q.dtype.type(low), out=q), q.dtype.type(high), out=q)


def along(v: Any, x: Any, dim: int) -> Any:
    """One value a channel in a shape that broadcasts with `x`."""
    return v.reshape([-1 if d == dim else 1 for d in range(x.ndim)])


def one_of(v: Any) -> Any:
    """The element of an array that has one."""
    return np.asarray(v).reshape(-1)[0]


# -- records ---------------------------------------------------------------------------------------

RANGE = {"quant_min": -8, "quant_max": 7}


def masked(x: Any, *_: Any, **__: Any) -> tuple[MetaArray, MetaArray]:
    """The shape of (values, mask)."""
    return MetaArray(x.shape, x.dtype), MetaArray(x.shape, np.dtype(bool))


@op(
    public="", low="own", fresh=True, outputs=2, differentiable=(0,), saves=(1,), smooth=False,
    accepts=PER_TENSOR, samples=[case((3, 4), scale=0.1, zero_point=1, **RANGE)],
)  # fmt: skip
def fake_quantize_per_tensor_affine_cachemask(
    input: Any, *, scale: float, zero_point: int, quant_min: int, quant_max: int
) -> Any:
    """(fake-quantized values, mask) for one scale and zero point, which are numbers."""
    return faked(input, np.float32(scale), zero_point, quant_min, quant_max, F32)


fake_quantize_per_tensor_affine_cachemask.shape(masked)
fake_quantize_per_tensor_affine_cachemask.vjp(lambda g, y, _x: g[0] * y[1])


def by_tensors(name: str, node: str, accepts: str | None, axis: int) -> Any:
    """Declare a form whose scale and zero point are tensors, of one element (`axis` -1) or one a
    channel, with a switch. Gradients pass where the mask is."""

    def fn(
        input: Any, scale: Any, zero_point: Any, *, axis: int, enabled: bool, quant_min: int,
        quant_max: int
    ) -> Any:  # fmt: skip
        if not enabled:
            return input.copy(), np.ones(input.shape, bool)
        if axis < 0:
            zero = int(one_of(zero_point))
            return faked(input, np.float32(one_of(scale)), zero, quant_min, quant_max, F32)
        scale, zero_point = along(scale, input, axis), along(zero_point, input, axis)
        return faked(input, scale, zero_point, quant_min, quant_max, F64)

    fn.__name__, fn.__doc__ = name, f"What `torch.{name}` computes on arrays, and the mask."
    n = 1 if axis < 0 else 4
    sample = case((3, 4), arr((n,), 0.1, 0.2), ints((n,), 3), axis=axis, enabled=True, **RANGE)
    made = op(
        public="", low="own", fresh=True, outputs=2, differentiable=(0,), saves=(1,), smooth=False,
        node=node, accepts=accepts, samples=[sample], constant=(1, 2),
    )(fn)  # fmt: skip
    return made.shape(masked).vjp(lambda g, y, _x, _s, _z: g[0] * y[1], None, None)


one_scale = by_tensors(
    "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
    "FakeQuantizePerTensorAffineCachemaskTensorQparamsBackward0", PER_TENSOR, -1,
)  # fmt: skip
scales = by_tensors(
    "fake_quantize_per_channel_affine_cachemask",
    "FakeQuantizePerChannelAffineCachemaskBackward0", PER_CHANNEL, 1,
)  # fmt: skip
observed = by_tensors(
    "_fused_moving_avg_obs_fq_helper", "FusedMovingAvgObsFqHelperBackward0", None, -1
)


# -- scale and zero point that are learned ---------------------------------------------------------


def bounded(zero_point: Any, low: int, high: int) -> Any:
    """Zero points as the whole numbers of the range that are nearest."""
    return np.clip(np.rint(np.asarray(zero_point, F64)), low, high).astype(np.int64)


def learned(
    input: Any, scale: Any, zero_point: Any, *, axis: int, quant_min: int, quant_max: int,
    grad_factor: float
) -> Any:  # fmt: skip
    """Fake quantization by a scale and zero point (a channel, if `axis` is not -1) that are
    learned; `grad_factor` multiplies their gradients."""
    zero = bounded(zero_point, quant_min, quant_max)
    if axis < 0:
        scale, zero = np.float32(one_of(scale)), int(one_of(zero))
        return faked(input, scale, zero, quant_min, quant_max, F32)[0]
    scale, zero = along(scale, input, axis), along(zero, input, axis)
    return faked(input, scale, zero, quant_min, quant_max, F64)[0]


def learned_backward(
    grad: Any, input: Any, scale: Any, zero_point: Any, *, axis: int, quant_min: int,
    quant_max: int, grad_factor: float
) -> Any:  # fmt: skip
    """The gradients of `learned` for its three tensors.

    Below the range y is (quant_min - zero) * scale, above it (quant_max - zero) * scale, so their
    derivatives by the scale are the factors; within it y - x is a rounding error that grows with
    the scale.
    """
    if axis < 0:  # PyTorch rounds here otherwise than forward: half up
        zero = np.trunc(np.float32(one_of(zero_point)) + np.float32(0.5))
        zero, step = np.clip(zero, quant_min, quant_max), np.float32(one_of(scale))
    else:
        zero = along(bounded(zero_point, quant_min, quant_max), input, axis)
        step = along(np.asarray(scale, F32), input, axis)
    with np.errstate(all="ignore"):
        inverse = np.float32(1) / step
        zero = np.asarray(zero, F64)
        q = np.multiply(input, inverse, dtype=F64) + zero
        q = np.rint(q.astype(F64 if input.dtype == F64 else F32)).astype(F64)
        inside = (q >= quant_min) & (q <= quant_max)
        end = cut(np.asarray(q), quant_min, quant_max) - zero
        rounding = np.multiply(end * step - input, inverse, dtype=F64)
        by_scale = np.where(inside, rounding, end) * grad * grad_factor
        by_zero = np.where(inside, 0.0, -np.asarray(step, F64) * grad * grad_factor)
    others = None if axis < 0 else tuple(d for d in range(input.ndim) if d != axis)
    return (
        np.where(inside, grad, grad.dtype.type(0)),
        by_scale.sum(others).reshape(scale.shape if axis >= 0 else 1).astype(scale.dtype),
        by_zero.sum(others).reshape(zero_point.shape if axis >= 0 else 1).astype(zero_point.dtype),
    )


def learnable(kind: str, accepts: str, axis: int) -> Any:
    """Declare both for one kind of scale."""
    n = 1 if axis < 0 else 4
    how = {"axis": axis, "grad_factor": 1.0, **RANGE}
    parts = (arr((n,), 0.1, 0.2), arr((n,), 0, 3))
    common = {"public": "", "low": "own", "fresh": True, "smooth": False}
    name = f"_fake_quantize_learnable_per_{kind}_affine"
    node = f"FakeQuantizeLearnablePer{kind.title()}AffineBackward0"
    forward = op(
        name=name + "_values",  # the public function has other parameters
        node=node, accepts=accepts, once=True, samples=[case((3, 4), *parts, **how)], **common,
    )(learned)  # fmt: skip
    backward = op(
        name=name + "_backward", outputs=3, samples=[case((3, 4), (3, 4), *parts, **how)], **common
    )(learned_backward)

    def rule(
        g: Any, _y: Any, input: Any, scale: Any, zero_point: Any, *, axis: int, quant_min: int,
        quant_max: int, grad_factor: float
    ) -> Any:  # fmt: skip
        how = {"quant_min": quant_min, "quant_max": quant_max, "grad_factor": grad_factor}
        return backward(g, input, scale, zero_point, axis=axis, **how)

    def shapes(_g: Any, *inputs: Any, **_: Any) -> tuple[MetaArray, ...]:
        return tuple(MetaArray(v.shape, v.dtype) for v in inputs)

    backward.shape(shapes).vjp(None, None, None, None)
    return forward.shape(lambda x, *_, **__: MetaArray(x.shape, x.dtype)).joint(rule)


learn_one = learnable("tensor", PER_TENSOR, -1)
learn_channels = learnable("channel", PER_CHANNEL, 1)

# -- the range that an observer saw --------------------------------------------------------------


@step(outputs=0, mutates=(1, 2))
def follow(x: Any, low: Any, high: Any, *, part: float, rows: int) -> None:
    """Move a range (of each row) towards that of `x`; where it is infinite it becomes that."""
    x, axis = (x.reshape(rows, -1), 1) if rows else (x, None)
    for end, new in ((low, x.min(axis=axis)), (high, x.max(axis=axis))):
        with np.errstate(invalid="ignore"):
            moved = end + F32.type(part) * (new - end)
        end[...] = np.where(np.isinf(end), new, moved)


@step(outputs=0, mutates=(2, 3))
def choose(
    low: Any, high: Any, scale: Any, zero_point: Any, *, quant_min: int, quant_max: int,
    symmetric: bool
) -> None:  # fmt: skip
    """Write the scale and zero point of a range (of each row), computed in double.

    The range is widened to have 0, which must be a quantized number; the zero point is counted from
    the end of the range that is represented with the smaller error. `symmetric`: the zero point is
    the middle of the quantized range if there are values on both sides of 0.
    """
    low, high = low.astype(F64), high.astype(F64)
    steps = quant_max - quant_min
    with np.errstate(all="ignore"):
        both = (low < 0) & (high > 0) & symmetric
        if symmetric and steps > 1:
            half = steps // 2
            widest = np.maximum(np.abs(low / (half + 1)), np.abs(high / half))
            low = np.where(both, -widest * (half + 1), low)
            high = np.where(both, widest * half, high)
        low, high = np.minimum(low, 0.0), np.maximum(high, 0.0)
        found = (high - low) / steps
        narrow = np.asarray(found, F32)
        found = np.where((narrow == 0) | np.isinf(1 / narrow), 0.1, found)
        small = found < SMALLEST
        if small.any():
            more = np.where(small, SMALLEST / found, 1.0)
            low, high, found = low * more, high * more, np.where(small, SMALLEST, found)
        low, high = low / found, high / found
        better = abs(quant_min) - low < abs(quant_max) + high
        zero = np.where(better, quant_min - low, quant_max - high)
        if symmetric:
            zero = np.where(both, int((quant_min + quant_max) / 2), zero)
        zero = np.minimum(np.maximum(np.rint(zero), quant_min), quant_max)
    scale[...] = found.reshape(scale.shape)
    zero_point[...] = np.where(np.isnan(zero), -(2.0**31), zero).reshape(zero_point.shape)
