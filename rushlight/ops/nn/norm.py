"""The normalisation ops and their gradients; public ones are in `batch_norm.py`, `norm_public.py`.

All of them are y = (x - mean) * rstd * weight + bias with mean and rstd = (var + eps) ** -0.5 taken
over some dimensions of x. Beside y they give the moments (as PyTorch's `native_layer_norm` and its
like do), which save the gradient a pass; they carry no gradient themselves. The rules compute them
anew from x where the gradient itself is recorded.

float16 and bfloat16 are computed in float32 by the array functions (`kernels/norm/reference.py`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...autograd import door
from ...autograd.node import TensorBase
from ...kernels import dense
from ...kernels.codegen import row_body
from ...kernels.meta import MetaArray
from ...kernels.norm import reference
from ...kernels.norm import select as arrays
from ..core.derivative import up
from ..core.record import op
from ..core.samples import arr, case
from ..reduce import sums
from .spatial import Ints

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
MOMENTS = {"public": "", "fresh": True, "outputs": 3, "differentiable": (0,), "saves": (1, 2),
           "low": "inside"}  # fmt: skip


def standardize_rule(
    g: Any, x: Any, w: Any, dims: Ints, weight_dims: Ints, eps: float, needs: Any
) -> Any:
    """Gradients of (x - mean) * rstd * w + b, moments of x over `dims`; w is shaped to broadcast.

    With xh = (x - mean) * rstd and h = g * w:
        dx = rstd * (h - mean(h) - xh * mean(h * xh)),  dw = sum(g * xh),  db = sum(g).
    Those of w and b keep the summed dimensions `weight_dims` as 1.
    """
    g, x, w = up(g), up(x), up(w)
    apart = x - sums.mean(x, dim=dims, keepdim=True)
    rstd = (sums.mean(apart * apart, dim=dims, keepdim=True) + eps) ** -0.5
    xh = apart * rstd
    count = max(1, math.prod(x.shape[d] for d in dims))
    dx = dw = db = None
    together = dims == weight_dims  # the sums for w and b are those that dx needs (batch norm)
    if needs[1] or (together and needs[0]):
        dw = sums.sum(g * xh, dim=weight_dims, keepdim=True)
    if needs[2] or (together and needs[0]):
        db = sums.sum(g, dim=weight_dims, keepdim=True)
    if needs[0]:
        if together:
            dx = (g - db / count - xh * (dw / count)) * (rstd if w is None else rstd * w)
        else:
            h = g if w is None else g * w
            mean_h = sums.mean(h, dim=dims, keepdim=True)
            dx = (h - mean_h - xh * sums.mean(h * xh, dim=dims, keepdim=True)) * rstd
    return dx, dw, db


def like(d: Any, w: Any) -> Any:
    """A gradient of w or b in the shape of the parameter."""
    if d is None or w is None:
        return None
    if d.__class__ is np.ndarray and d.shape == w.shape:
        return d
    return d.reshape(tuple(w.shape))


def in_shape(d: Any, shape: Any, wanted: bool) -> Any:
    """A gradient of b, of which nothing else is kept: it may be changed before backward."""
    return d.reshape(tuple(shape)) if wanted and d is not None else None


def with_moments(x: Any, count: int) -> Any:
    """The shapes of a result and its moments."""
    number = MetaArray((count,), row_body.computed(x.dtype))
    return MetaArray(x.shape, x.dtype), number, number


# -- batch norm ----------------------------------------------------------------------------------


def _channels(v: Any, ndim: int) -> Any:
    """(C,) as (1, C, 1, ...)."""
    return None if v is None else v.reshape((1, -1) + (1,) * (ndim - 2))


def lying(y: Any, x: Any, dense_too: bool = False) -> Any:
    """A result in rows, but for images whose channels are innermost: so is that of these. By their
    steps alone, or also where they lie so without gaps, which differs for a row of one element."""
    if x.flags.c_contiguous or not 3 < y.ndim < 6:
        return dense.in_rows(y)
    if dense.channels_innermost(x) or (dense_too and channels_last(x)):
        return y if channels_last(y) else dense.in_channels_order(y)
    return dense.in_rows(y)


def channels_last(a: Any) -> bool:
    """Whether an array lies without gaps, its channels (dimension 1) innermost."""
    return bool(np.moveaxis(a, 1, -1).flags.c_contiguous)


@op(
    samples=[
        case((4, 3), (3,), (3,), eps=1e-5),
        case((2, 3, 4), None, None, eps=1e-3),
        case((2, 3, 2, 5), (3,), None, eps=1e-3),
    ],
    node="NativeBatchNormBackward0",
    **MOMENTS,
)
def batch_norm_op(input: Any, weight: Any = None, bias: Any = None, *, eps: float) -> Any:
    """Each channel normalised by its own moments; with mean and variance, (C,)."""
    found = arrays.channels(input, weight, bias, None, None, eps)
    if input.flags.c_contiguous and found[0].flags.c_contiguous:
        return found
    return (lying(found[0], input, True), *found[1:])


@batch_norm_op.joint
def _(g: Any, y: Any, x: Any, weight: Any, _bias: Any, *, needs: Any, eps: float) -> Any:
    g = g[0]
    if x.__class__ is np.ndarray:
        _, mean, var = y
        dx, dw, db = arrays.channels_gradient(g, x, weight, mean, var, eps, True, needs[0])
        return dx, like(dw, weight), db
    dims, c = (0, *range(2, x.ndim)), (x.shape[1],)
    dx, dw, db = standardize_rule(g, x, _channels(weight, x.ndim), dims, dims, eps, needs)
    return (dx, *(d if d is None else d.reshape(c) for d in (dw, db)))


batch_norm_op.planned(
    lambda x, w=None, b=None, *, eps: arrays.plan_channels(*arrays.key(x, w, b, None, None), eps)
)
batch_norm_op.shape(lambda x, *_w, **_kw: with_moments(x, x.shape[1]))


@op(
    samples=[
        case((2, 3, 4), (3,), (3,), (3,), arr((3,), 0.5, 2.0), eps=1e-5),
        case((2, 3), None, None, (3,), arr((3,), 0.5, 2.0), eps=1e-5),
    ],
    public="",
    fresh=True,
    low="inside",
    node="NativeBatchNormBackward0",
)
def batch_norm_eval(
    input: Any, weight: Any = None, bias: Any = None, mean: Any = None, var: Any = None,
    *, eps: float,
) -> Any:  # fmt: skip
    """Each channel normalised by the moments given."""
    return lying(arrays.channels(input, weight, bias, mean, var, eps)[0], input, True)


@batch_norm_eval.joint
def _(
    g: Any, _y: Any, x: Any, weight: Any, _bias: Any, mean: Any, var: Any,
    *, needs: Any, eps: float,
) -> Any:  # fmt: skip
    n, c = x.ndim, (x.shape[1],)
    dims = (0, *range(2, n))
    if x.__class__ is np.ndarray and not (needs[3] or needs[4]):
        found = arrays.channels_gradient(g, x, weight, mean, var, eps, False, needs[0])
        return (found[0], like(found[1], weight), found[2], None, None)
    w, m, v = (up(_channels(t, n)) for t in (weight, mean, var))
    g, x = up(g), up(x)
    rstd = (v + eps) ** -0.5
    scale = rstd if w is None else rstd * w
    xh = (x - m) * rstd
    dw = sums.sum(g * xh, dim=dims) if needs[1] or needs[4] else None
    db = sums.sum(g, dim=dims) if needs[2] or needs[3] else None
    dm: Any = None if db is None else -db
    dm = (dm * scale.reshape(c)).reshape(tuple(mean.shape)) if needs[3] else None
    dv = (dw * (scale * rstd).reshape(c) * -0.5).reshape(tuple(var.shape)) if needs[4] else None
    return g * scale if needs[0] else None, dw, db, dm, dv


batch_norm_eval.planned(
    lambda x, w, b, mean, var, *, eps: arrays.plan_channels(*arrays.key(x, w, b, mean, var), eps)
)
batch_norm_eval.shape(lambda x, *_others, **_kw: MetaArray(x.shape, x.dtype))

# -- layer norm ----------------------------------------------------------------------------------


@op(
    samples=[
        case((3, 4), (4,), (4,), dims=(1,), eps=1e-5),
        case((2, 3, 4), (3, 4), None, dims=(1, 2), eps=1e-3),
        case((2, 3), dims=(1,), eps=1e-5),
    ],
    node="NativeLayerNormBackward0",
    **MOMENTS,
)
def layer_norm_op(
    input: Any, weight: Any = None, bias: Any = None, *, dims: Ints, eps: float
) -> Any:
    """Rows normalised over the last dimensions `dims`, with mean and rstd of each row; weight and
    bias have the shape of these dimensions."""
    length = input.shape[-1] if len(dims) == 1 else length_of(input, dims)
    return arrays.rows(input, length, weight, bias, eps)


def length_of(x: Any, dims: Ints) -> int:
    """Elements of a row."""
    shape = x.shape
    return shape[-1] if len(dims) == 1 else math.prod(shape[dims[0] :])


@layer_norm_op.joint
def _(
    g: Any, y: Any, x: Any, weight: Any, _bias: Any, *, needs: Any, dims: Ints, eps: float
) -> Any:
    g = g[0]
    if x.__class__ is np.ndarray:
        _, mean, rstd = y
        if len(dims) == 1:
            return arrays.rows_gradient(g, x, x.shape[-1], weight, mean, rstd, needs)
        dx, dw, db = arrays.rows_gradient(g, x, length_of(x, dims), weight, mean, rstd, needs)
        return dx, like(dw, weight), in_shape(db, x.shape[dims[0] :], needs[2])
    if dims[0]:
        lead = tuple(range(dims[0]))
        dx, dw, db = standardize_rule(g, x, weight, dims, lead, eps, needs)
    else:  # one group, so no sum: as if there were a leading dimension of size 1
        one = (1, *x.shape)
        shifted = tuple(d + 1 for d in dims)
        parts = (g.reshape(one), x.reshape(one), weight)
        dx, dw, db = standardize_rule(*parts, shifted, (0,), eps, needs)
        dx = None if dx is None else dx.reshape(tuple(x.shape))
    return dx, like(dw, weight), in_shape(db, x.shape[dims[0] :], needs[2])


layer_norm_op.planned(
    lambda x, w=None, b=None, *, dims, eps: arrays.plan_rows(
        *arrays.key(x), length_of(x, dims), arrays.line(w), arrays.line(b), eps, True
    )
)
layer_norm_op.shape(lambda x, *_w, dims, eps: with_moments(x, math.prod(x.shape[: dims[0]])))

# -- group norm ----------------------------------------------------------------------------------


@op(
    samples=[
        case((2, 4, 3), (4,), (4,), groups=2, eps=1e-5),
        case((2, 3, 2, 3), None, (3,), groups=3, eps=1e-3),
        case((3, 4), (4,), None, groups=1, eps=1e-5),
    ],
    node="NativeGroupNormBackward0",
    **MOMENTS,
)
def group_norm_op(
    input: Any, weight: Any = None, bias: Any = None, *, groups: int, eps: float
) -> Any:
    """Each sample's groups of channels normalised; with mean and variance, (N * groups,)."""
    y, *moments = arrays.groups(input, groups, weight, bias, eps)
    return (lying(y, input), *moments)


@group_norm_op.joint
def _(
    g: Any, y: Any, x: Any, weight: Any, _bias: Any, *, needs: Any, groups: int, eps: float
) -> Any:
    g = g[0]
    if x.__class__ is np.ndarray:
        return arrays.groups_gradient(g, x, groups, weight, y[1], y[2], eps, needs)
    shape = reference.grouped(x.shape, groups)
    w = None if weight is None else weight.reshape((1, groups, shape[2], 1))
    dx, dw, db = standardize_rule(g.reshape(shape), x.reshape(shape), w, (2, 3), (0, 3), eps, needs)
    db = in_shape(db, x.shape[1:2], needs[2])
    return None if dx is None else dx.reshape(tuple(x.shape)), like(dw, weight), db


group_norm_op.planned(
    lambda x, w=None, b=None, *, groups, eps: arrays.plan_groups(
        *arrays.key(x), groups, arrays.line(w), arrays.line(b), eps
    )
)
group_norm_op.shape(lambda x, *_w, groups, eps: with_moments(x, x.shape[0] * groups))

# -- RMS norm ------------------------------------------------------------------------------------


@op(
    samples=[case((3, 4), (4,), dims=(1,), eps=1e-5), case((2, 3, 4), dims=(1, 2), eps=1e-3)],
    node="FusedRmsNormBackward0",
    **(MOMENTS | {"outputs": 2, "saves": (1,)}),
)
def rms_norm_op(input: Any, weight: Any = None, *, dims: Ints, eps: float) -> Any:
    """x / sqrt(mean(x ** 2) + eps) * weight over the last dimensions `dims`; with the factor."""
    y, _, rstd = arrays.rows(input, length_of(input, dims), weight, None, eps, False)
    images = input.ndim > 3 and (input.dtype == np.float32 or channels_last(input))
    return lying(y, input) if images else y, rstd


@rms_norm_op.joint
def _(g: Any, y: Any, x: Any, weight: Any, *, needs: Any, dims: Ints, eps: float) -> Any:
    g = g[0]
    if x.__class__ is np.ndarray:
        three = (*needs, False)
        found = arrays.rows_gradient(g, x, length_of(x, dims), weight, None, y[1], three)
        return found[0], like(found[1], weight)
    g, x, w = up(g), up(x), up(weight)
    r = (sums.mean(x * x, dim=dims, keepdim=True) + eps) ** -0.5
    xh = x * r
    h = g if w is None else g * w
    dx = (h - xh * sums.mean(h * xh, dim=dims, keepdim=True)) * r if needs[0] else None
    dw = None
    if needs[1]:
        lead = tuple(range(dims[0]))
        dw = sums.sum(g * xh, dim=lead) if lead else g * xh
    return dx, dw


rms_norm_op.planned(
    lambda x, w=None, *, dims, eps: arrays.plan_rows(
        *arrays.key(x), length_of(x, dims), arrays.line(w), None, eps, False
    )
)
rms_norm_op.shape(lambda x, *_w, dims, eps: with_moments(x, math.prod(x.shape[: dims[0]]))[:2])

# -- the length of a row made 1 ------------------------------------------------------------------


@op(
    samples=[
        case((3, 4), dim=1, eps=1e-12, stops=True),
        case((2, 3, 4), dim=0, eps=1e-8, stops=False),
        case(arr((3, 4), 0.01, 0.02), dim=1, eps=0.5, stops=True),
    ],
    public="",
    fresh=True,
    outputs=2,
    differentiable=(0,),
    saves=(1,),
    node="DivBackward0",
)
def unit(input: Any, *, dim: int, eps: float, stops: bool) -> Any:
    """x / max(|x|, eps) along a dimension, and |x|.

    Where |x| < eps the floor passes no gradient to it when it `stops` (as in `normalize`), else all
    (as in `cosine_similarity`, where PyTorch lifts the length without recording it).
    """
    return arrays.unit(input, dim, eps, stops)


@unit.joint
def _(g: Any, y: Any, x: Any, *, dim: int, eps: float, stops: bool) -> Any:
    g, norm = g[0], y[1]
    if x.__class__ is np.ndarray:
        return (arrays.unit_gradient(g, x, norm, dim, eps, stops),)
    # What it decides does not change with x. (In Tensors all of it: their class may compute.)
    known = norm.detach() if isinstance(norm, TensorBase) else door.wrap(norm)
    held, none = known < eps, known == 0
    lift = (eps - known).masked_fill(~held, 0.0)
    apart = none.to(known.dtype)  # a root of 0 has no derivative
    norm = (sums.sum(x * x, dim=dim, keepdim=True) + apart) ** 0.5
    length = norm + (lift - apart)
    passes = ~(none | held) if stops else ~none
    if stops:  # what is held is eps whatever x is
        length = norm * (~held).to(known.dtype) + held.to(known.dtype) * eps
    along = sums.sum(g * x, dim=dim, keepdim=True) / (length * length * norm)
    return (g / length - x * (along * passes.to(known.dtype)),)


unit.planned(
    lambda x, *, dim, eps, stops: arrays.plan_unit(*arrays.key(x), dim, eps, stops)
)


@unit.shape
def _(x: Any, *, dim: int, eps: float, stops: bool) -> Any:
    shape = (*x.shape[:dim], 1, *x.shape[dim + 1 :])
    return MetaArray(x.shape, x.dtype), MetaArray(shape, x.dtype)


def units(x: Any, dim: Any, eps: float, stops: bool) -> Any:
    """Rows of a float tensor divided by their lengths; None for other types and several dims."""
    dtype = x._a.dtype
    if dtype is not F32 and dtype is not F64:
        return None
    if dim.__class__ is not int or not -x._a.ndim <= dim < x._a.ndim:
        return None
    kw = {"dim": dim % x._a.ndim, "eps": float(eps), "stops": stops}
    return unit.first((x,), kw)
