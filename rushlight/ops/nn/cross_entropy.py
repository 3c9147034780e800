"""Cross entropy of scores against class indices, smoothed ones, or class probabilities.

Class indices are one op; probabilities are `log_softmax` and what follows it. Read next:
`softmax.py`.
"""

from __future__ import annotations

import math as pymath
from typing import Any

import numpy as np

from ...autograd import door
from ...dtypes import type_name
from ...errors import axis, message
from ...kernels.codegen import row_body
from ...kernels.loss import select as arrays
from ...kernels.meta import MetaArray
from ..core import overrides
from ..core.accepted import Accepted
from ..core.composite import composite
from ..core.record import op
from ..core.samples import arr, case, ints
from ..elementwise.formulas import exp
from ..reduce.sums import sum as total
from .loss import REDUCTIONS, reduction_of
from .loss_classes import (
    CLASSES,
    check_classes,
    nll_backward,
    one_of_one,
    refuse_swapped,
)
from .softmax import log_softmax
from .spatial import check_tensor

# -- one op for class indices --------------------------------------------------------------------


def entropy(
    input: Any, target: Any, weight: Any = None, *, reduction: str, ignore_index: int,
    smoothing: float,
) -> Any:  # fmt: skip
    """-log softmax(x)[t] times w[t]; and what its gradient needs of each row, and of all.

    With smoothing s each class gets a part of the target: (1 - s) times that, and s / C times the
    sum of -log softmax(x) w over all classes.
    """
    return arrays.cross_entropy(input, target, weight, reduction, ignore_index, smoothing)


def _class_slope(
    g: Any, y: Any, x: Any, t: Any, weight: Any, *, reduction: str, ignore_index: int,
    smoothing: float,
) -> Any:  # fmt: skip
    """g times (softmax(x) sum(q) - q) with q the target over the classes, weighted and smoothed; on
    Tensors by ops that have gradients themselves."""
    g = g[0]
    if not isinstance(x, np.ndarray):
        return _recorded_slope(g, x, t, weight, reduction, ignore_index, smoothing)
    return arrays.cross_entropy_gradient(g, x, t, weight, y[1], reduction, ignore_index, smoothing)


def _recorded_slope(
    g: Any, x: Any, t: Any, weight: Any, reduction: str, ignore_index: int, smoothing: float
) -> Any:
    """The gradient of the log-probabilities, on which x has no influence; then log_softmax's."""
    d, shape = arrays.class_dim(x), tuple(x.shape)
    slope = nll_backward(
        g * (1 - smoothing), t, weight, shape=shape, reduction=reduction, ignore_index=ignore_index
    )
    if smoothing:
        n, counts = shape[d], t != ignore_index
        parts = counts.unsqueeze(d).to(x.dtype) * (-smoothing / n)
        each, sums = g, counts
        if weight is not None:
            parts = parts * _shaped(weight, len(shape), d)
            of_each = weight[t.masked_fill(~counts, 0)]
            sums = of_each * counts
        if reduction == "mean":
            each = g / sums.sum().to(x.dtype)
        slope = slope + parts * (each if reduction != "none" else each.unsqueeze(d))
    logs = log_softmax(x, dim=d)
    return slope - exp(logs) * total(slope, dim=d, keepdim=True)


def _entropy_shape(
    x: Any, t: Any, _weight: Any = None, *, reduction: str, smoothing: float, **_kw: Any
) -> Any:
    loss = MetaArray(t.shape if reduction == "none" else (), x.dtype)
    return loss, arrays.summed(t.shape, row_body.computed(x.dtype), smoothing)


ENTROPY = {"public": "", "fresh": True, "outputs": 2, "differentiable": (0,), "saves": (1,),
           "low": "inside", "autocast": "float32"}  # fmt: skip
EVERY = {"ignore_index": -100, "smoothing": 0.0}
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
INT64 = np.dtype(np.int64)
PIXELS = arr((2, 3), 0, 4, "int64")
WEIGHTS = arr((4,), 0.5, 2)
class_entropy = op(
    name="class_entropy",
    samples=[
        case((5, 4), CLASSES, reduction="mean", **EVERY),
        case((5, 4), CLASSES, WEIGHTS, reduction="none", **EVERY),
        case((2, 4, 3), PIXELS, reduction="sum", **EVERY),
        case((5, 4), CLASSES, WEIGHTS, reduction="mean", ignore_index=1, smoothing=0.0),
    ],
    node="NllLossBackward0",
    **ENTROPY,
)(entropy)
smooth_entropy = op(  # PyTorch adds two losses here
    name="smooth_entropy",
    samples=[
        case((5, 4), CLASSES, reduction="mean", ignore_index=2, smoothing=0.1),
        case((5, 4), CLASSES, WEIGHTS, reduction="mean", ignore_index=1, smoothing=0.3),
        case(
            (2, 4, 3), arr((2, 3), 0, 4, "int64"), reduction="none", ignore_index=1, smoothing=0.5
        ),
    ],
    node="AddBackward0",
    **ENTROPY,
)(entropy)


for _record in (class_entropy, smooth_entropy):
    _record.vjp(_class_slope, None, None)
    _record.shape(_entropy_shape)
    _record.planned(
        lambda x, t, w=None, *, reduction, ignore_index, smoothing: arrays.plan_cross_entropy(
            arrays.line(x), arrays.line(t), arrays.line(w), ignore_index, smoothing, reduction
        )
    )


# -- public --------------------------------------------------------------------------------------


SCORES = Accepted("floating: log_softmax_lastdim_kernel_impl")


@composite(
    public="nn.functional",
    constant=(2,),
    samples=[
        case((3, 4), ints((3,), 4)),
        case((3, 4), ints((3,), 4), label_smoothing=0.1),
        case((3, 4), arr((3, 4), 0, 1), reduction="sum"),
        case((2, 4, 3), ints((2, 3), 4), arr((4,), 0.5, 1)),
    ],
)
def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """-log softmax(x)[t]: from scores x, and class indices or class probabilities t.

    Args:
        input: (C), (N, C) or (N, C, d1, ...), unnormalised.
        target: class indices () , (N) or (N, d1, ...), or probabilities in the input's shape.
        weight: (C), a factor for each class.
        ignore_index: a class index that does not count.
        label_smoothing: the part of the target that is spread evenly over the classes.

    >>> F.cross_entropy(torch.zeros(1, 2), torch.tensor([1]))
    tensor(0.6931)
    """
    if (
        size_average is reduce is weight is None
        and label_smoothing == 0
        and reduction in REDUCTIONS
        and _usual(input, target)
    ):
        how = {"reduction": reduction, "ignore_index": int(ignore_index), "smoothing": 0.0}
        return class_entropy.first((input, target, None), how)
    reduction = reduction_of(size_average, reduce, reduction)
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(
            message(
                f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}",
            )
        )
    check_tensor("cross_entropy_loss", "target", 2, target)
    d = arrays.class_dim(input)
    if target.shape == input.shape:
        if not input.ndim and target.is_floating_point():
            raise IndexError("Dimension specified as 1 but tensor has no dimensions")
        SCORES.check_array(input._a.dtype)
        parts = (input, target, weight, ignore_index, reduction, label_smoothing, d)
        on = door.state.autocast
        if on is not None:
            return on.call("float32", _with_probabilities, parts, {})
        return _with_probabilities(*parts)
    if not input.ndim:
        axis(1, 0)  # raises
    refuse_swapped(input._a, target._a)
    SCORES.check_array(input._a.dtype)
    target = one_of_one(input, target)
    check_classes(input, target, weight)
    kw = {"reduction": reduction, "ignore_index": int(ignore_index)}
    record = smooth_entropy if label_smoothing else class_entropy
    return record.first((input, target, weight), {**kw, "smoothing": float(label_smoothing)})


def _usual(input: Any, target: Any) -> bool:
    """Whether these are plain tensors, scores (N, C) of ordinary floats and classes (N): then
    nothing else is asked."""
    ordinary: Any = overrides.ordinary
    if input.__class__ not in ordinary or target.__class__ not in ordinary:
        return False
    a, t = input._a, target._a
    if a.dtype is not FLOAT32 and a.dtype is not FLOAT64:
        return False
    shape = a.shape
    return len(shape) == 2 and t.shape == shape[:1] and t.dtype == INT64


def _shaped(weight: Any, ndim: int, d: int) -> Any:
    return weight.reshape([-1 if i == d else 1 for i in range(ndim)])


def _with_probabilities(
    input: Any,
    target: Any,
    weight: Any,
    ignore_index: int,
    reduction: str,
    smoothing: float,
    d: int,
) -> Any:
    if not target.is_floating_point():
        raise RuntimeError(
            message(
                "Expected floating point type for target with class probabilities, got "
                f"{type_name(target.dtype)}",
                got=f"input and target of the same shape {tuple(input.shape)}",
                hint="target.float(), or class indices without the class dimension",
            )
        )
    if ignore_index >= 0:
        raise RuntimeError(message("ignore_index is not supported for floating point target"))
    if not input.ndim:
        raise IndexError("Dimension specified as 1 but tensor has no dimensions")
    n = input.shape[d]
    if smoothing:
        target = target * (1 - smoothing) + smoothing / max(n, 1)
    loss = log_softmax.call((input,), {"dim": d}) * target
    if weight is not None:
        loss = loss * _shaped(weight, input.ndim, d)
    if reduction == "mean":
        return -(loss.sum() / (input.numel() // n if n and input.numel() else pymath.nan))
    return -loss.sum() if reduction == "sum" else -loss.sum(d)


@composite(
    public="nn.functional",
    samples=[
        case((3, 5), (4, 5), ints((3,), 4)),
        case((3, 5), (4, 5), ints((3,), 4), linear_bias=arr((4,))),
    ],
)
def linear_cross_entropy(
    input: Any,
    linear_weight: Any,
    target: Any,
    *,
    linear_bias: Any = None,
    weight: Any = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Any:
    """`cross_entropy` of a linear layer's scores.

    Args:
        input: (F) or (N, F). linear_weight: (C, ..., F). linear_bias: (C, ...).
        options: accepted; the scores are computed at once.

    >>> x, weight = torch.eye(2), torch.zeros(3, 2)
    >>> F.linear_cross_entropy(x, weight, torch.tensor([0, 2]))
    tensor(1.0986)
    """
    if not 1 <= input.dim() <= 2:
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.dim()}")
    if linear_weight.dim() < 2:
        raise RuntimeError(
            f"expected linear_weight with dimensionality at least 2, got {linear_weight.dim()}"
        )
    if input.shape[-1] != linear_weight.shape[-1]:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), got "
            f"{input.shape[-1]} and {linear_weight.shape[-1]}, respectively"
        )
    shape = tuple(linear_weight.shape[:-1])
    if linear_bias is not None and tuple(linear_bias.shape) != shape:
        raise RuntimeError(f"expected linear_bias shape {shape}, got {tuple(linear_bias.shape)}")
    if len(shape) > 1 and input.dim() == 1:
        raise RuntimeError(
            "K-dimensional loss defined by linear_weight shape "
            f"{tuple(linear_weight.shape)} requires batched input"
        )
    flat = linear_weight.reshape(pymath.prod(shape), -1)
    scores = input.matmul(flat.t())
    if linear_bias is not None:
        scores = scores + linear_bias.reshape(-1)
    scores = scores.reshape(*input.shape[:-1], *shape)
    if target.shape == scores.shape and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    ignored = -100 if ignore_index is None else ignore_index
    return cross_entropy(scores, target, weight, None, ignored, None, reduction, label_smoothing)
