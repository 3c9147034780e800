"""The normalisation ops and their gradients; public functions are in `norm.py`.

All of them are y = (x - mean) * rstd * weight + bias with mean and rstd = (var + eps) ** -0.5 taken
over some dimensions of x. An op may be handed the moments that the caller has computed already;
they save its gradient a pass, and are still functions of x: the rules treat them so, and compute
them anew from x where the gradient itself is recorded.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..kernels import norm as arrays
from ..kernels.meta import MetaArray
from . import reduce
from .record import op
from .samples import arr, case
from .spatial import Ints


@op(
    samples=[case((3, 4), dims=(0,)), case((2, 3, 4), dims=(0, 2))],
    public="",
    outputs=2,
    fresh=True,
)
def moments(input: Any, *, dims: Ints) -> Any:
    """Mean and biased variance over `dims`, which stay as 1."""
    return arrays.moments(input, dims)


@moments.vjp
def _(g: Any, _y: Any, x: Any, *, dims: Ints) -> Any:
    count = max(1, math.prod(x.shape[d] for d in dims))
    apart = x - reduce.mean(x, dim=dims, keepdim=True)
    dx = apart * 0.0
    if g[0] is not None:
        dx = dx + g[0] / count
    if g[1] is not None:
        dx = dx + apart * (g[1] * (2.0 / count))
    return dx


@moments.shape
def _(x: Any, *, dims: Ints) -> Any:
    shape = tuple(1 if i in dims else n for i, n in enumerate(x.shape))
    return MetaArray(shape, x.dtype), MetaArray(shape, x.dtype)


def standardize_rule(
    g: Any,
    x: Any,
    w: Any,
    mean: Any,
    var: Any,
    dims: Ints,
    weight_dims: Ints,
    eps: float,
    needs: Any,
) -> Any:
    """Gradients of (x - mean) * rstd * w + b, moments of x over `dims`; w is shaped to broadcast.

    With xh = (x - mean) * rstd and h = g * w:
        dx = rstd * (h - mean(h) - xh * mean(h * xh)),  dw = sum(g * xh),  db = sum(g).
    Those of w and b keep the summed dimensions `weight_dims` as 1.
    """
    if mean is None or x.__class__ is not np.ndarray:
        mean = reduce.mean(x, dim=dims, keepdim=True)
        apart = x - mean
        var = reduce.mean(apart * apart, dim=dims, keepdim=True)
    else:
        apart = x - mean
    rstd = (var + eps) ** -0.5
    xh = apart * rstd
    count = max(1, math.prod(x.shape[d] for d in dims))
    dx = dw = db = None
    together = dims == weight_dims  # the sums for w and b are those that dx needs (batch norm)
    if needs[1] or (together and needs[0]):
        dw = reduce.sum(g * xh, dim=weight_dims, keepdim=True)
    if needs[2] or (together and needs[0]):
        db = reduce.sum(g, dim=weight_dims, keepdim=True)
    if needs[0]:
        if together:
            dx = (g - db / count - xh * (dw / count)) * (rstd if w is None else rstd * w)
        else:
            h = g if w is None else g * w
            mean_h = reduce.mean(h, dim=dims, keepdim=True)
            dx = (h - mean_h - xh * reduce.mean(h * xh, dim=dims, keepdim=True)) * rstd
    return dx, dw, db


def like(d: Any, w: Any) -> Any:
    """A gradient of w or b in the shape of the parameter."""
    return None if d is None or w is None else d.reshape(tuple(w.shape))


def same_shape(x: Any, *_others: Any, **_kw: Any) -> Any:
    return MetaArray(x.shape, x.dtype)


# -- batch norm ----------------------------------------------------------------------------------


def _channels(v: Any, ndim: int) -> Any:
    """(C,) or (1, C, 1, ...) as (1, C, 1, ...)."""
    return None if v is None else v.reshape((1, -1) + (1,) * (ndim - 2))


@op(
    samples=[
        case((4, 3), (3,), (3,), None, None, training=True, eps=1e-5),
        case((2, 3, 4), None, None, None, None, training=True, eps=1e-3),
        case((2, 3, 4), (3,), (3,), (3,), arr((3,), 0.5, 2.0), training=False, eps=1e-5),
    ],
    public="",
    fresh=True,
    node="NativeBatchNormBackward0",
)
def batch_norm_op(
    input: Any,
    weight: Any = None,
    bias: Any = None,
    mean: Any = None,
    var: Any = None,
    *,
    training: bool,
    eps: float,
) -> Any:
    """Normalise each channel: by its own moments when `training`, else by those given."""
    n = input.ndim
    if mean is None:
        mean, var = arrays.moments(input, (0, *range(2, n)))
    w, b, m, v = (_channels(t, n) for t in (weight, bias, mean, var))
    return arrays.scale_shift(input, m, arrays.inverse_std(v, eps), w, b)


@batch_norm_op.joint
def _(
    g: Any,
    _y: Any,
    x: Any,
    weight: Any,
    _bias: Any,
    mean: Any,
    var: Any,
    *,
    needs: Any,
    training: bool,
    eps: float,
) -> Any:
    n = x.ndim
    dims = (0, *range(2, n))
    c = (x.shape[1],)
    w, m, v = (_channels(t, n) for t in (weight, mean, var))
    if training and x.__class__ is np.ndarray and mean is not None and math.prod(x.shape[2:]) >= 16:
        # The formula of `standardize_rule`, block by block.
        shape = (x.shape[0], x.shape[1], -1)
        rstd = arrays.inverse_std(var, eps).reshape(c)
        parts = (g.reshape(shape), x.reshape(shape), mean.reshape(c), rstd, weight)
        dx, dw, db = arrays.standardize_channels_gradient(*parts, needs[:3])
        return None if dx is None else dx.reshape(x.shape), dw, db, None, None
    if training:
        dx, dw, db = standardize_rule(g, x, w, m, v, dims, dims, eps, needs)
        flat = (d if d is None else d.reshape(c) for d in (dw, db))
        return (dx, *flat, None, None)
    rstd = (v + eps) ** -0.5
    scale = rstd if w is None else rstd * w
    xh = (x - m) * rstd
    dw = reduce.sum(g * xh, dim=dims) if needs[1] or needs[4] else None
    db = reduce.sum(g, dim=dims) if needs[2] or needs[3] else None
    dm: Any = None if db is None else -db
    dm = (dm * scale.reshape(c)).reshape(tuple(mean.shape)) if needs[3] else None
    dv = (dw * (scale * rstd).reshape(c) * -0.5).reshape(tuple(var.shape)) if needs[4] else None
    return g * scale if needs[0] else None, dw, db, dm, dv


batch_norm_op.shape(same_shape)

# -- layer norm ----------------------------------------------------------------------------------


@op(
    samples=[
        case((3, 4), (4,), (4,), dims=(1,), eps=1e-5),
        case((2, 3, 4), (3, 4), None, dims=(1, 2), eps=1e-3),
        case((2, 3), dims=(1,), eps=1e-5),
    ],
    public="",
    fresh=True,
    node="NativeLayerNormBackward0",
)
def layer_norm_op(
    input: Any,
    weight: Any = None,
    bias: Any = None,
    mean: Any = None,
    var: Any = None,
    *,
    dims: Ints,
    eps: float,
) -> Any:
    """Normalise over the last dimensions `dims`; weight and bias have their shape."""
    if mean is None:
        mean, var = arrays.moments(input, dims)
    rstd = arrays.inverse_std(var, eps)
    length = math.prod(input.shape[dims[0] :])
    if not input.size:
        return arrays.center_scale(input, mean, rstd, weight, bias)
    rows = (input.reshape(-1, length), mean.reshape(-1, 1), rstd.reshape(-1, 1))
    params = (None if p is None else p.reshape(length) for p in (weight, bias))
    return arrays.standardize_rows(*rows, *params).reshape(input.shape)


@layer_norm_op.joint
def _(
    g: Any,
    _y: Any,
    x: Any,
    weight: Any,
    bias: Any,
    mean: Any,
    var: Any,
    *,
    needs: Any,
    dims: Ints,
    eps: float,
) -> Any:
    if x.__class__ is np.ndarray and mean is not None and x.size:
        # The formula of `standardize_rule`, block by block.
        length = math.prod(x.shape[dims[0] :])
        rstd = arrays.inverse_std(var, eps).reshape(-1, 1)
        rows = (g.reshape(-1, length), x.reshape(-1, length), mean.reshape(-1, 1), rstd)
        w = None if weight is None else weight.reshape(length)
        dx, dw, db = arrays.standardize_rows_gradient(*rows, w, needs[:3])
        return (
            None if dx is None else dx.reshape(x.shape),
            like(dw, weight),
            like(db, bias),
            None,
            None,
        )
    lead = tuple(range(dims[0]))
    if not lead:  # one group, so no sum: as if there were a leading dimension of size 1
        one = (1, *x.shape)
        shifted = tuple(d + 1 for d in dims)
        m, v = (None if t is None else t.reshape((1, *t.shape)) for t in (mean, var))
        dx, dw, db = standardize_rule(
            g.reshape(one), x.reshape(one), weight, m, v, shifted, (0,), eps, needs
        )
        dx = None if dx is None else dx.reshape(tuple(x.shape))
    else:
        dx, dw, db = standardize_rule(g, x, weight, mean, var, dims, lead, eps, needs)
    return dx, like(dw, weight), like(db, bias), None, None


layer_norm_op.shape(same_shape)

# -- group norm ----------------------------------------------------------------------------------


@op(
    samples=[
        case((2, 4, 3), (4,), (4,), groups=2, eps=1e-5),
        case((2, 3, 2, 3), None, (3,), groups=3, eps=1e-3),
        case((3, 4), (4,), None, groups=1, eps=1e-5),
    ],
    public="",
    fresh=True,
    node="NativeGroupNormBackward0",
)
def group_norm_op(
    input: Any,
    weight: Any = None,
    bias: Any = None,
    mean: Any = None,
    var: Any = None,
    *,
    groups: int,
    eps: float,
) -> Any:
    """Normalise each sample's groups of channels; moments are (N, groups, 1, 1)."""
    x = input.reshape(_grouped(input.shape, groups))
    if mean is None:
        mean, var = arrays.moments(x, (2, 3))
    w, b = (None if t is None else t.reshape(1, groups, -1, 1) for t in (weight, bias))
    if not input.size:
        return np.zeros_like(input)
    return arrays.scale_shift(x, mean, arrays.inverse_std(var, eps), w, b).reshape(input.shape)


def _grouped(shape: Any, groups: int) -> Ints:
    """(N, C, *) as (N, groups, C / groups, positions)."""
    return (shape[0], groups, shape[1] // groups, math.prod(shape[2:]))


@group_norm_op.joint
def _(
    g: Any,
    _y: Any,
    x: Any,
    weight: Any,
    bias: Any,
    mean: Any,
    var: Any,
    *,
    needs: Any,
    groups: int,
    eps: float,
) -> Any:
    shape = _grouped(x.shape, groups)
    w = None if weight is None else weight.reshape((1, groups, shape[2], 1))
    parts = (g.reshape(shape), x.reshape(shape), w, mean, var)
    dx, dw, db = standardize_rule(*parts, (2, 3), (0, 3), eps, needs)
    dx = None if dx is None else dx.reshape(tuple(x.shape))
    return dx, like(dw, weight), like(db, bias), None, None


group_norm_op.shape(same_shape)

# -- RMS norm ------------------------------------------------------------------------------------


@op(
    samples=[case((3, 4), (4,), dims=(1,), eps=1e-5), case((2, 3, 4), dims=(1, 2), eps=1e-3)],
    public="",
    fresh=True,
    node="FusedRmsNormBackward0",
)
def rms_norm_op(input: Any, weight: Any = None, *, dims: Ints, eps: float) -> Any:
    """x / sqrt(mean(x ** 2) + eps) * weight over the last dimensions `dims`."""
    square = np.mean(np.square(input), axis=dims, keepdims=True)
    y = input * arrays.inverse_std(square, eps)
    if weight is not None:
        y *= weight
    return y


@rms_norm_op.joint
def _(g: Any, _y: Any, x: Any, weight: Any, *, needs: Any, dims: Ints, eps: float) -> Any:
    r = (reduce.mean(x * x, dim=dims, keepdim=True) + eps) ** -0.5
    xh = x * r
    h = g if weight is None else g * weight
    dx = (h - xh * reduce.mean(h * xh, dim=dims, keepdim=True)) * r if needs[0] else None
    dw = None
    if needs[1]:
        lead = tuple(range(dims[0]))
        dw = reduce.sum(g * xh, dim=lead) if lead else g * xh
    return dx, dw


rms_norm_op.shape(same_shape)
