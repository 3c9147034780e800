"""Losses that compare an input with a target of its own shape, element by element.

Each fused loss is one op: formula, reduction and rule. Not here: losses with class indices
(`loss_classes.py`, `loss_entropy.py`), of pairs and triplets of vectors (`loss_pairs.py`), of
sequences (`loss_ctc.py`).
"""

from __future__ import annotations

import math as pymath
import warnings
from typing import Any

import numpy as np

from ..autograd import door
from ..errors import message
from ..kernels import reduce_native
from ..kernels.fused import LEAST, fuse
from ..kernels.reduce_native import Reduction
from ..kernels.sums import add_reduce
from . import math as m
from .activation import log_of_one_plus_exp, sigmoid
from .elementary import sign
from .math import exp, log, maximum, minimum, where
from .record import composite, op
from .samples import arr, case

PAIRS = [case((3, 4), (3, 4), reduction=r) for r in ("mean", "sum", "none")]
REDUCTIONS = ("none", "mean", "sum")

# -- reductions ----------------------------------------------------------------------------------


def reduction_of(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """'mean', 'sum' or 'none', from today's argument or from the two old ones."""
    if size_average is not None or reduce is not None:
        reduction = "none" if reduce is False else "sum" if size_average is False else "mean"
        warnings.warn(
            "size_average and reduce args will be deprecated, "
            f"please use reduction='{reduction}' instead.",
            stacklevel=4,
        )
    elif reduction not in REDUCTIONS:
        if reduction == "elementwise_mean":
            warnings.warn(
                "reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.",
                stacklevel=4,
            )
            return "mean"
        raise ValueError(
            message(
                f"{reduction} is not a valid value for reduction",
                got=repr(reduction),
                wanted="'none', 'mean' or 'sum'",
            )
        )
    return reduction


def reduced(a: Any, reduction: str) -> Any:
    """The loss of each element, their mean or their sum: on arrays."""
    if reduction == "none":
        return a
    total = np.asarray(add_reduce(a, tuple(range(a.ndim))))
    return total if reduction == "sum" else np.true_divide(total, a.dtype.type(a.size))


def losses(formula: Any, name: str) -> Any:
    """The function (*arrays, reduction): the loss of each element, or their mean or sum in one pass
    over the operands where they are large."""
    each = fuse(formula, name)
    fold = Reduction("add", formula, name, finish="over")

    def computed(*args: Any, reduction: str, **kw: Any) -> Any:
        first = args[0]
        if reduction != "none" and first.size >= reduce_native.LEAST:
            size = first.size
            for a in args:
                if a.shape != first.shape:
                    size = pymath.prod(np.broadcast_shapes(*[a.shape for a in args]))
                    break
            y = fold(args, None, False, size if reduction == "mean" else 1, **kw)
            if y is not None:
                return y
        return reduced(each(*args, **kw), reduction)

    return computed


def finished(t: Any, reduction: str) -> Any:
    """The loss of each element, their mean or their sum: on Tensors."""
    return t if reduction == "none" else t.mean() if reduction == "mean" else t.sum()


def share(g: Any, shape: Any, reduction: str) -> Any:
    """The gradient that reaches each element of a reduced loss."""
    return g / max(pymath.prod(shape), 1) if reduction == "mean" else g


def portion(g: Any, shape: Any, reduction: str) -> Any:
    """`share` as an array where g is one, for fused formulas."""
    g = share(g, shape, reduction)
    return np.asarray(g) if isinstance(g, np.generic) else g


def same_size(input: Any, target: Any) -> None:
    """Warn when a loss is about to broadcast, which is seldom meant."""
    if target.shape != input.shape:
        warnings.warn(
            f"Using a target size ({target.size()}) that is different to the input size "
            f"({input.size()}). This will likely lead to incorrect results due to broadcasting. "
            "Please ensure they have the same size.",
            stacklevel=4,
        )


# -- distances of numbers ------------------------------------------------------------------------


square_apart = losses(lambda a, b: (a - b) * (a - b), "square_apart")
apart_by = fuse(lambda a, b, s: (a - b) * s, "apart_by")


@op(samples=PAIRS, promote="common", public="", fresh=True, name="mse_loss")
def squared(input: Any, target: Any, *, reduction: str) -> Any:
    """(x - t)**2."""
    if input.size >= LEAST:
        return square_apart(input, target, reduction=reduction)
    d = input - target
    return reduced(np.multiply(d, d, out=d) if d.ndim else d * d, reduction)


def _squared_slope(g: Any, a: Any, b: Any, reduction: str) -> Any:
    if a.shape == b.shape:
        g = share(g, a.shape, reduction) * 2
        return apart_by(a, b, np.asarray(g) if isinstance(g, np.generic) else g)
    d = a - b
    return d * (share(g, d.shape, reduction) * 2)


squared.vjp(
    lambda g, _y, x, t, *, reduction: _squared_slope(g, x, t, reduction),
    lambda g, _y, x, t, *, reduction: _squared_slope(g, t, x, reduction),
)


def _smooth(a: Any, b: Any, *, beta: float) -> Any:
    d = m.abs(a - b)
    return where(d < beta, d * d * (0.5 / beta), d - 0.5 * beta)


def _huber(a: Any, b: Any, *, delta: float) -> Any:
    d = m.abs(a - b)
    return where(d <= delta, d * d * 0.5, (d - 0.5 * delta) * delta)


def _held(a: Any, b: Any, s: Any, *, unit: float, most: float) -> Any:
    return minimum(maximum((a - b) / unit, -most), most) * s


smooth_apart, huber_apart = losses(_smooth, "smooth_apart"), losses(_huber, "huber_apart")
held_apart = fuse(_held, "held_apart")


@op(samples=[case((3, 4), (3, 4), reduction="mean", beta=0.7)], promote="common", public="",
    fresh=True, name="smooth_l1_loss")  # fmt: skip
def smooth_l1(input: Any, target: Any, *, reduction: str, beta: float) -> Any:
    """d**2 / (2 beta) where d = |x - t| < beta, else d - beta / 2."""
    return smooth_apart(input, target, reduction=reduction, beta=beta)


def _smooth_slope(g: Any, a: Any, b: Any, reduction: str, beta: float) -> Any:
    if a.shape == b.shape:
        return held_apart(a, b, portion(g, a.shape, reduction), unit=beta, most=1.0)
    d = a - b
    return minimum(maximum(d / beta, -1.0), 1.0) * share(g, d.shape, reduction)


smooth_l1.vjp(
    lambda g, _y, x, t, *, reduction, beta: _smooth_slope(g, x, t, reduction, beta),
    lambda g, _y, x, t, *, reduction, beta: _smooth_slope(g, t, x, reduction, beta),
)


@op(samples=[case((3, 4), (3, 4), reduction="mean", delta=0.7)], promote="common", public="",
    fresh=True, name="huber_loss")  # fmt: skip
def huber(input: Any, target: Any, *, reduction: str, delta: float) -> Any:
    """d**2 / 2 where d = |x - t| <= delta, else delta * (d - delta / 2)."""
    return huber_apart(input, target, reduction=reduction, delta=delta)


def _huber_slope(g: Any, a: Any, b: Any, reduction: str, delta: float) -> Any:
    if a.shape == b.shape:
        return held_apart(a, b, portion(g, a.shape, reduction), unit=1.0, most=delta)
    d = a - b
    return minimum(maximum(d, -delta), delta) * share(g, d.shape, reduction)


huber.vjp(
    lambda g, _y, x, t, *, reduction, delta: _huber_slope(g, x, t, reduction, delta),
    lambda g, _y, x, t, *, reduction, delta: _huber_slope(g, t, x, reduction, delta),
)


distance = losses(lambda a, b: m.abs(a - b), "distance")
toward = fuse(lambda a, b, s: sign(a - b) * s, "toward")


def _distance_slope(g: Any, a: Any, b: Any, reduction: str) -> Any:
    if a.__class__ is np.ndarray and a.dtype.kind == "f" and a.shape == b.shape:
        return toward(a, b, portion(g, a.shape, reduction))
    d = a - b
    return m.sgn(d) * share(g, d.shape, reduction)


def distances(reduction: str) -> Any:
    """The record of |x - t|, reduced."""

    def fn(input: Any, target: Any) -> Any:
        if input.size >= LEAST and input.dtype.kind == "f":
            return distance(input, target, reduction=reduction)
        return reduced(np.abs(input - target), reduction)

    fn.__name__ = f"l1_loss_{reduction}"
    fn.__doc__ = f"The {reduction} of |x - t|."
    record = op(samples=[case((3, 4), (3, 4))], promote="common", public="", fresh=True,
                node=f"{reduction.capitalize()}Backward0")(fn)  # fmt: skip
    return record.vjp(
        lambda g, _y, x, t: _distance_slope(g, x, t, reduction),
        lambda g, _y, x, t: -_distance_slope(g, x, t, reduction),
    )


distance_mean, distance_sum = distances("mean"), distances("sum")


@composite(public="nn.functional")
def mse_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Any:
    """(x - t)**2, reduced; with `weight` the mean is divided by the sum of the weights.

    >>> import rushlight as torch
    >>> torch.nn.functional.mse_loss(torch.tensor([1., 2.]), torch.tensor([1., 4.]))
    tensor(2.)
    """
    same_size(input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    if weight is None:
        return squared.call((input, target), {"reduction": reduction})
    _weight_size(input, weight)
    loss = squared.call((input, target), {"reduction": "none"}) * weight
    return loss.sum() / weight.sum() if reduction == "mean" else finished(loss, reduction)


def _weight_size(input: Any, weight: Any) -> None:
    if weight.shape != input.shape:
        raise ValueError(
            message(
                "Weights and input must have the same size.",
                got=f"weight {tuple(weight.shape)}, input {tuple(input.shape)}",
            )
        )


@composite(public="nn.functional")
def l1_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Any:
    """|x - t|, reduced; with `weight` the mean is divided by the sum of the weights."""
    same_size(input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    if weight is None and reduction != "none":
        record = distance_mean if reduction == "mean" else distance_sum
        return record.call((input, target), {})
    loss = (input - target).abs()
    if weight is None:
        return loss
    _weight_size(input, weight)
    loss = loss * weight
    return loss.sum() / weight.sum() if reduction == "mean" else finished(loss, reduction)


@composite(public="nn.functional")
def smooth_l1_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Any:
    """d**2 / (2 beta) where d = |x - t| < beta, else d - beta / 2; reduced.

    Girshick, 2015, arXiv:1504.08083.
    """
    same_size(input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    if beta < 0:
        raise RuntimeError(
            message("smooth_l1_loss does not support negative values for beta.", got=f"{beta}")
        )
    if beta == 0:
        return finished((input - target).abs(), reduction)
    return smooth_l1.call((input, target), {"reduction": reduction, "beta": float(beta)})


@composite(public="nn.functional")
def huber_loss(
    input: Any,
    target: Any,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Any = None,
) -> Any:
    """d**2 / 2 where d = |x - t| <= delta, else delta * (d - delta / 2); reduced."""
    same_size(input, target)
    reduction = reduction_of(None, None, reduction)
    if delta <= 0:
        raise RuntimeError(
            message("huber_loss does not support non-positive values for delta.", got=f"{delta}")
        )
    kw = {"reduction": reduction, "delta": float(delta)}
    if weight is None:
        return huber.call((input, target), kw)
    _weight_size(input, weight)
    loss = huber.call((input, target), {**kw, "reduction": "none"}) * weight
    return finished(loss, reduction)


# -- probabilities -------------------------------------------------------------------------------


def _bce(x: Any, t: Any) -> Any:
    return (t - 1) * maximum(m.log1p(-x), -100.0) - t * maximum(log(x), -100.0)


OUTSIDE = Reduction("any", lambda x: m.bitwise_not(m.bitwise_and(x >= 0, x <= 1)), "outside")
bce_plain = losses(_bce, "bce")
bce_weighted = losses(lambda x, t, w: _bce(x, t) * w, "bce_weighted")
bce_slope = fuse(lambda x, t, s: s * ((x - t) / maximum((1 - x) * x, 1e-12)), "bce_slope")


@op(samples=[case(arr((3, 4), 0.1, 0.9), arr((3, 4), 0.1, 0.9), reduction="mean"),
             case(arr((3, 4), 0.1, 0.9), arr((3, 4), 0, 1), (4,), reduction="sum")],
    promote="common", public="", fresh=True, name="binary_cross_entropy")  # fmt: skip
def bce(input: Any, target: Any, weight: Any = None, *, reduction: str) -> Any:
    """-(t log x + (1 - t) log(1 - x)), the logarithms not below -100."""
    beyond = OUTSIDE((input,), None) if input.size >= reduce_native.LEAST else None
    if (not ((input >= 0) & (input <= 1)).all()) if beyond is None else beyond:
        raise RuntimeError(
            message(
                "all elements of input should be between 0 and 1",
                got=f"values from {input.min():g} to {input.max():g}",
                hint="torch.sigmoid(x) first, or binary_cross_entropy_with_logits(x, target)",
            )
        )
    with np.errstate(all="ignore"):
        if weight is None:
            return bce_plain(input, target, reduction=reduction)
        return bce_weighted(input, target, weight, reduction=reduction)


def weighted(g: Any, weight: Any, shape: Any, reduction: str) -> Any:
    g = portion(g, shape, reduction)
    return g if weight is None else g * weight


bce.vjp(
    lambda g, _y, x, t, w, *, reduction, shapes: bce_slope(
        x, t, weighted(g, w, shapes[0], reduction)
    ),
    lambda g, _y, x, _t, w, *, reduction, shapes: (
        weighted(g, w, shapes[0], reduction)
        * (maximum(log(1 - x), -100.0) - maximum(log(x), -100.0))
    ),
    None,
)


@composite(public="nn.functional")
def binary_cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """-(t log x + (1 - t) log(1 - x)) for probabilities x; the logarithms are not below -100."""
    reduction = reduction_of(size_average, reduce, reduction)
    if target.shape != input.shape:
        raise ValueError(
            message(
                f"Using a target size ({target.size()}) that is different to the input size "
                f"({input.size()}) is deprecated. Please ensure they have the same size.",
                hint="target.view_as(input), or input.squeeze(1)",
            )
        )
    return bce.call((input, target, weight), {"reduction": reduction})


def _logits(x: Any, t: Any) -> Any:
    return m.log1p(exp(-m.abs(x))) + maximum(-x, 0.0) + (1 - t) * x


def _logits_positive(x: Any, t: Any, p: Any) -> Any:
    return (m.log1p(exp(-m.abs(x))) + maximum(-x, 0.0)) * ((p - 1) * t + 1) + (1 - t) * x


logits_plain = losses(_logits, "bce_logits")
logits_weighted = losses(_logits_positive, "bce_logits_weighted")
logits_slope = fuse(lambda x, t, s: (sigmoid(x) - t) * s, "bce_logits_slope")


@op(samples=[case((3, 4), arr((3, 4), 0, 1), reduction="mean"),
             case(arr((3, 4), 90, 99), arr((3, 4), 0, 1), (4,), arr((4,), 1, 2), reduction="sum")],
    promote="common", public="", fresh=True, name="binary_cross_entropy_with_logits")  # fmt: skip
def bce_logits(
    input: Any, target: Any, weight: Any = None, pos_weight: Any = None, *, reduction: str
) -> Any:
    """(1 - t) x + (1 + (pos_weight - 1) t) log(1 + exp(-x))."""
    own = reduction if weight is None else "none"
    if pos_weight is None:
        loss = logits_plain(input, target, reduction=own)
    else:
        loss = logits_weighted(input, target, pos_weight, reduction=own)
    return loss if weight is None else reduced(loss * weight, reduction)


def _logits_slope(g: Any, x: Any, t: Any, w: Any, p: Any, reduction: str) -> Any:
    g = weighted(g, w, x.shape, reduction)
    if p is None:
        return logits_slope(x, t, np.asarray(g) if isinstance(g, np.generic) else g)
    pt = p * t
    return (sigmoid(x) * (pt + 1 - t) - pt) * g


def _logits_target(g: Any, x: Any, w: Any, p: Any, reduction: str) -> Any:
    g = weighted(g, w, x.shape, reduction)
    return g * -x if p is None else g * ((p - 1) * log_of_one_plus_exp(-x) - x)


bce_logits.vjp(
    lambda g, _y, x, t, w, p, *, reduction: _logits_slope(g, x, t, w, p, reduction),
    lambda g, _y, x, _t, w, p, *, reduction: _logits_target(g, x, w, p, reduction),
    None,
    None,
)


@composite(public="nn.functional")
def binary_cross_entropy_with_logits(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Any = None,
) -> Any:
    """`binary_cross_entropy` of sigmoid(x), without overflow.

    Args:
        input: any shape. target: the same shape, values in [0, 1].
        weight: factor of each loss. pos_weight: factor of the positive part, one a class.
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if target.shape != input.shape:
        raise ValueError(
            message(
                f"Target size ({target.size()}) must be the same as input size ({input.size()})",
                hint="target.view_as(input), or input.squeeze(1)",
            )
        )
    return bce_logits.call((input, target, weight, pos_weight), {"reduction": reduction})


@composite(public="nn.functional")
def kl_div(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Any:
    """t (log t - x) for log-probabilities x: the Kullback-Leibler divergence when summed.

    Args:
        reduction: 'batchmean' divides the sum by the batch size: the definition.
        log_target: the target holds log-probabilities too.
    """
    if size_average is None and reduce is None and reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math "
            "definition.'mean' will be changed to behave the same as 'batchmean' in the next major "
            "release.",
            stacklevel=3,
        )
    batch = reduction == "batchmean"
    reduction = reduction_of(size_average, reduce, "sum" if batch else reduction)
    entropy = target.exp() * target if log_target else target.xlogy(target)
    loss = finished(entropy - (target.exp() if log_target else target) * input, reduction)
    return loss / input.shape[0] if batch and input.ndim else loss


@composite(public="nn.functional")
def poisson_nll_loss(
    input: Any,
    target: Any,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """exp(x) - t x (or x - t log(x + eps) without `log_input`): Poisson counts t.

    `full` adds Stirling's approximation of log(t!) where t > 1.
    """
    reduction = reduction_of(size_average, reduce, reduction)
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        t = m.where(target > 1, target, 1)
        stirling = t * t.log() - t + 0.5 * (2 * pymath.pi * t).log()
        loss = loss + m.where(target <= 1, 0.0, stirling)
    return finished(loss, reduction)


@composite(public="nn.functional")
def gaussian_nll_loss(
    input: Any,
    target: Any,
    var: Any,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Any:
    """(log v + (x - t)**2 / v) / 2 with v = max(var, eps); `full` adds log(2 pi) / 2.

    `var` has the input's shape, one dimension less, or 1 in one dimension; or it is a number.
    """
    if isinstance(var, (int, float)):
        var = input.new_full((), float(var)).expand(input.shape)
    if (var.detach()._a < 0).any():
        raise ValueError(message("var has negative entry/entries"))
    if var.shape != input.shape:
        if input.shape[:-1] == var.shape:
            var = var.unsqueeze(-1)
        elif (
            input.ndim != var.ndim
            or sum(b for a, b in zip(input.shape, var.shape, strict=True) if a != b) != 1
        ):
            raise ValueError(
                message(
                    "var is of incorrect size",
                    got=f"{tuple(var.shape)} for input {tuple(input.shape)}",
                    wanted="the input's shape, without the last dimension, or 1 in one dimension",
                )
            )
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not valid")
    with door.grad_enabled(False):
        lift = (eps - var).clamp(min=0)  # the floor does not stop the gradient of var
    var = var + lift
    loss = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        loss = loss + 0.5 * pymath.log(2 * pymath.pi)
    return finished(loss, reduction)


# -- margins -------------------------------------------------------------------------------------


@op(samples=[case((3, 4), (3, 4), reduction="mean"), case((3, 4), (3, 4), reduction="none")],
    promote="common", public="", fresh=True, name="soft_margin_loss")  # fmt: skip
def soft_margin(input: Any, target: Any, *, reduction: str) -> Any:
    """log(1 + exp(-t x))."""
    return reduced(log_of_one_plus_exp(-(input * target)), reduction)


def _soft_margin_slope(g: Any, x: Any, t: Any, reduction: str) -> Any:
    """For x; x and t are interchangeable."""
    z = x * t
    return -(t * sigmoid(-z)) * share(g, z.shape, reduction)


soft_margin.vjp(
    lambda g, _y, x, t, *, reduction: _soft_margin_slope(g, x, t, reduction),
    lambda g, _y, x, t, *, reduction: _soft_margin_slope(g, t, x, reduction),
)


@composite(public="nn.functional")
def soft_margin_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """log(1 + exp(-t x)) for targets 1 and -1."""
    reduction = reduction_of(size_average, reduce, reduction)
    return soft_margin.call((input, target), {"reduction": reduction})


@composite(public="nn.functional")
def hinge_embedding_loss(
    input: Any,
    target: Any,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """x where the target is 1, max(0, margin - x) where it is -1."""
    reduction = reduction_of(size_average, reduce, reduction)
    far = m.where(target == 1, 0.0, (margin - input).clamp(min=0))
    near = m.where(target == -1, 0.0, input)
    return finished(far + near, reduction)


@composite(public="nn.functional")
def multilabel_soft_margin_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """`binary_cross_entropy_with_logits`, averaged over the classes (the last dimension)."""
    reduction = reduction_of(size_average, reduce, reduction)
    loss = bce_logits.call((input, target, None, None), {"reduction": "none"})
    if weight is not None:
        loss = loss * weight
    return finished(loss.mean(-1), reduction)
