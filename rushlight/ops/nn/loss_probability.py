"""Losses that compare probabilities, logits and signed scores with a target of their own shape.

Not here: distances of numbers, and what reductions of losses share (`loss.py`).
"""

from __future__ import annotations

import math as pymath
import warnings
from typing import Any

import numpy as np

from ...autograd import door
from ...dtypes import type_name
from ...errors import message
from ...kernels.elementwise.formula import fuse
from ...kernels.reduce.select import Reduction
from ...once import users_level
from ..core.accepted import Accepted
from ..core.arguments import need_tensor
from ..core.composite import composite
from ..core.record import op
from ..core.samples import arr, case, values
from ..core.shapes import loss
from ..elementwise import formulas as m
from ..elementwise.activation import log_of_one_plus_exp, sigmoid
from ..elementwise.formulas import exp, log, maximum
from ..shape.public import broadcast_shapes
from .loss import (
    REDUCTIONS,
    finished,
    losses,
    portion,
    reduced,
    reduction_of,
    share,
)

# -- probabilities -------------------------------------------------------------------------------


def _bce(x: Any, t: Any) -> Any:
    return (t - 1) * maximum(m.log1p(-x), -100.0) - t * maximum(log(x), -100.0)


def _outside(x: Any, *, dims: Any, keepdims: bool, over: float) -> Any:
    return np.asarray(not ((x >= 0) & (x <= 1)).all())


OUTSIDE = Reduction("any", lambda x: m.bitwise_not(m.bitwise_and(x >= 0, x <= 1)), "outside",
                    reference=_outside)  # fmt: skip


def _not_probabilities(name: str, x: Any, hint: str) -> RuntimeError:
    what = f"all elements of {name} should be between 0 and 1"
    return RuntimeError(message(what, f"values from {x.min():g} to {x.max():g}", hint=hint))


bce_plain = losses(_bce, "bce")
bce_weighted = losses(lambda x, t, w: _bce(x, t) * w, "bce_weighted")
bce_slope = fuse(lambda x, t, s: s * ((x - t) / maximum((1 - x) * x, 1e-12)), "bce_slope")


@op(autocast="float32",
    samples=[case(arr((3, 4), 0.1, 0.9), arr((3, 4), 0.1, 0.9), reduction="mean"),
             case(arr((3, 4), 0.1, 0.9), arr((3, 4), 0, 1), (4,), reduction="sum")],
    promote="common", public="", fresh=True, name="binary_cross_entropy")  # fmt: skip
def bce(input: Any, target: Any, weight: Any = None, *, reduction: str) -> Any:
    """-(t log x + (1 - t) log(1 - x)), the logarithms not below -100."""
    if OUTSIDE((input,)):
        hint = "torch.sigmoid(x) first, or binary_cross_entropy_with_logits(x, target)"
        raise _not_probabilities("input", input, hint)
    if OUTSIDE((target,)):
        hint = "labels 0 and 1 (or between); cross_entropy where there are more than two classes"
        raise _not_probabilities("target", target, hint)
    with np.errstate(all="ignore"):
        if weight is None:
            return bce_plain(input, target, reduction=reduction)
        return bce_weighted(input, target, weight, reduction=reduction)


bce.shape(loss)


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


@composite(
    accepts="floating: binary_cross_entropy",
    public="nn.functional",
    constant=(2,),
    samples=[
        case(arr((3, 4), 0.1, 0.9), arr((3, 4), 0, 1)),
        case(arr((3, 4), 0.1, 0.9), arr((3, 4), 0, 1), arr((4,), 0.5, 1), reduction="sum"),
    ],
)
def binary_cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """-(t log x + (1 - t) log(1 - x)) for probabilities x; the logarithms are not below -100.

    `target` has the input's shape, values in [0, 1]; `weight` is a factor of each loss and
    broadcasts. RuntimeError for an x outside of [0, 1]. `binary_cross_entropy_with_logits` is more
    exact.

    >>> x, t = torch.tensor([0.5, 0.9]), torch.tensor([1.0, 0.0])
    >>> F.binary_cross_entropy(x, t, reduction="none")
    tensor([0.6931, 2.3026])
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if target.shape != input.shape:
        raise ValueError(
            message(
                f"Using a target size ({target.size()}) that is different to the input size "
                f"({input.size()}) is deprecated. Please ensure they have the same size.",
                hint="target.view_as(input), or input.squeeze(1)",
            )
        )
    kinds = input._a.dtype, target._a.dtype
    if kinds[0] != kinds[1] and (kinds[1].kind in "iub" or max(k.itemsize for k in kinds) == 8):
        raise RuntimeError(
            message(
                f"Found dtype {type_name(target.dtype)} but expected {type_name(input.dtype)}",
                got=f"a target of {target.dtype}",
                hint="target.to(input.dtype)",
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


@op(autocast="float32", samples=[case((3, 4), arr((3, 4), 0, 1), reduction="mean"),
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


bce_logits.shape(loss)


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


@composite(
    accepts="floating: log_sigmoid_cpu",
    public="nn.functional",
    constant=(2,),
    samples=[
        case((3, 4), arr((3, 4), 0, 1)),
        case((3, 4), arr((3, 4), 0, 1), pos_weight=arr((4,), 0.5, 1), reduction="sum"),
    ],
)
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

    >>> x, t = torch.tensor([0.0, 100.0]), torch.tensor([1.0, 0.0])
    >>> F.binary_cross_entropy_with_logits(x, t, reduction="none")
    tensor([  0.6931, 100.0000])
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if target.shape != input.shape:
        raise ValueError(
            message(
                f"Target size ({target.size()}) must be the same as input size ({input.size()})",
                hint="target.view_as(input), or input.squeeze(1)",
            )
        )
    if input._a.dtype.kind in "iub":
        kind = type_name(input.dtype)
        raise NotImplementedError(
            message(
                f"\"log_sigmoid_cpu\" not implemented for '{kind}'",
                got=f"scores of {kind}",
                wanted="floating numbers, before any sigmoid",
                hint="input.float()",
            )
        )
    if (kind := target._a.dtype.kind) in "iub":
        raise RuntimeError(
            message(
                "Subtraction, the `-` operator, with two bool tensors is not supported."
                if kind == "b"
                else f"result type {type_name(input.dtype)} can't be cast to the desired output "
                f"type {type_name(target.dtype)}",
                got=f"a target of {target.dtype}",
                wanted="probabilities, in a floating type",
                hint="target.to(input.dtype)",
            )
        )
    return bce_logits.call((input, target, weight, pos_weight), {"reduction": reduction})


@composite(
    accepts="floating: kl_div: Integral inputs not supported. Complex inputs not supported.",
    autocast="float32",
    public="nn.functional",
    samples=[
        case((3, 4), arr((3, 4), 0.1, 0.9), reduction="batchmean"),
        case((3, 4), (3, 4), reduction="sum", log_target=True),
    ],
)
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

    >>> x, t = torch.tensor([[0.5, 0.5]]).log(), torch.tensor([[0.25, 0.75]])
    >>> F.kl_div(x, t, reduction="batchmean")
    tensor(0.1308)
    """
    need_tensor("kl_div", input)
    need_tensor("kl_div", target, 2, "target")
    if size_average is None and reduce is None and reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math "
            "definition.'mean' will be changed to behave the same as 'batchmean' in the next major "
            "release.",
            stacklevel=users_level(),
        )
    if target._a.dtype.kind in "iubc":
        kind = "Complex" if target._a.dtype.kind in "cW" else "Integral"
        raise RuntimeError(
            message(
                f"kl_div: {kind} inputs not supported.",
                got=f"a target of {target.dtype}",
                hint="target.to(input.dtype)",
            )
        )
    batch = reduction == "batchmean"
    reduction = reduction_of(size_average, reduce, "sum" if batch else reduction)
    entropy = target.exp() * target if log_target else target.xlogy(target)
    loss = finished(entropy - (target.exp() if log_target else target) * input, reduction)
    return loss / input.shape[0] if batch and input.ndim else loss


@composite(
    autocast="float32",
    public="nn.functional",
    samples=[
        case((3, 4), arr((3, 4), 1.5, 5)),
        case(arr((3, 4), 0.5, 2), arr((3, 4), 1.5, 5), False, True),
    ],
)
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

    >>> F.poisson_nll_loss(torch.tensor([0.0, 1.0]), torch.tensor([2.0, 3.0]), reduction="none")
    tensor([ 1.0000, -0.2817])
    """
    need_tensor("poisson_nll_loss", input)
    need_tensor("poisson_nll_loss", target, 2, "target")
    reduction = reduction_of(size_average, reduce, reduction)
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        t = m.where(target > 1, target, 1)
        stirling = t * t.log() - t + 0.5 * (2 * pymath.pi * t).log()
        loss = loss + m.where(target <= 1, 0.0, stirling)
    return finished(loss, reduction)


FLOATS = Accepted("floating: result type Float can't be cast to the desired output type {}")


@composite(
    public="nn.functional",
    samples=[
        case((3, 4), (3, 4), arr((3, 4), 0.5, 1)),
        case((3, 4), (3, 4), arr((3,), 0.5, 1), True),
    ],
)
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

    >>> x, t, var = torch.tensor([0.0]), torch.tensor([2.0]), torch.tensor([4.0])
    >>> F.gaussian_nll_loss(x, t, var)
    tensor(1.1931)
    """
    if isinstance(var, float):
        var = input.new_full((), float(var)).expand(input.shape)
    found = door.resolved(var._a)
    if found.__class__ is np.ndarray and (found < 0).any():
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
    FLOATS.check(input.dtype)
    with door.grad_enabled(False):
        lift = (eps - var).clamp(min=0)  # the floor does not stop the gradient of var
    var = var + lift
    loss = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        loss = loss + 0.5 * pymath.log(2 * pymath.pi)
    return finished(loss, reduction)


# -- margins -------------------------------------------------------------------------------------


@op(autocast="float32",
    samples=[case((3, 4), (3, 4), reduction="mean"), case((3, 4), (3, 4), reduction="none")],
    promote="common", public="", fresh=True, name="soft_margin_loss")  # fmt: skip
def soft_margin(input: Any, target: Any, *, reduction: str) -> Any:
    """log(1 + exp(-t x))."""
    return reduced(log_of_one_plus_exp(-(input * target)), reduction)


soft_margin.shape(loss)


def _soft_margin_slope(g: Any, x: Any, t: Any, reduction: str) -> Any:
    """For x; x and t are interchangeable."""
    z = x * t
    return -(t * sigmoid(-z)) * share(g, z.shape, reduction)


soft_margin.vjp(
    lambda g, _y, x, t, *, reduction: _soft_margin_slope(g, x, t, reduction),
    lambda g, _y, x, t, *, reduction: _soft_margin_slope(g, t, x, reduction),
)


@composite(
    accepts="floating: result type Float can't be cast to the desired output type {}",
    public="nn.functional",
    samples=[
        case((3,), values([1.0, -1.0, 1.0])),
        case((3,), values([1.0, -1.0, 1.0]), reduction="sum"),
    ],
)
def soft_margin_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """log(1 + exp(-t x)) for targets 1 and -1 in the input's shape, reduced.

    >>> F.soft_margin_loss(torch.tensor([0.0, 2.0]), torch.tensor([1.0, -1.0]), reduction="none")
    tensor([0.6931, 2.1269])
    """
    reduction = reduction_of(size_average, reduce, reduction)
    need_tensor("soft_margin_loss", input)
    need_tensor("soft_margin_loss", target, 2, "target")
    shape = input._a.shape
    whole = broadcast_shapes(shape, target._a.shape)
    if whole != shape:
        raise RuntimeError(
            message(
                f"output with shape {list(shape)} doesn't match the broadcast shape {list(whole)}",
                wanted="a target that broadcasts to the input's shape",
            )
        )
    return soft_margin.call((input, target), {"reduction": reduction})


@composite(
    autocast="float32",
    public="nn.functional",
    constant=(1,),
    samples=[
        case((3,), values([1.0, -1.0, 1.0])),
        case((3,), values([1.0, -1.0, 1.0]), 0.5, reduction="none"),
    ],
)
def hinge_embedding_loss(
    input: Any,
    target: Any,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """x where the target is 1, max(0, margin - x) where it is -1; reduced. x is a distance.

    >>> x, t = torch.tensor([0.5, 0.5]), torch.tensor([1, -1])
    >>> F.hinge_embedding_loss(x, t, reduction="none")
    tensor([0.5000, 0.5000])
    """
    need_tensor("hinge_embedding_loss", target, 2, "target")
    reduction = reduction_of(size_average, reduce, reduction)
    away, zero = margin - input, 0.0
    if input._a.dtype.kind in "iub":  # PyTorch computes in the type of the input
        away, zero = (-input + margin).to(input.dtype), input.new_zeros(())
    far = m.where(target == 1, zero, away.clamp(min=0))
    near = m.where(target == -1, zero, input)
    return finished(far + near, reduction)


@composite(
    accepts="floating: log_sigmoid_cpu",
    public="nn.functional",
    samples=[case((2, 3), values([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]]))],
)
def multilabel_soft_margin_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """`binary_cross_entropy_with_logits`, averaged over the classes (the last dimension).

    `input` and `target` (N, C) or (C,), targets 0 or 1; `weight` (C,).

    >>> x, t = torch.tensor([[0.0, 2.0]]), torch.tensor([[1.0, 0.0]])
    >>> F.multilabel_soft_margin_loss(x, t)
    tensor(1.4100)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    need_tensor("log_sigmoid", input)
    loss = bce_logits.call((input, target, None, None), {"reduction": "none"})
    if weight is not None:
        loss = loss * weight
    # over the classes of the input, also where the target broadcasts it to more of them
    if not input._a.ndim:
        raise IndexError("Dimension specified as -1 but tensor has no dimensions")
    return finished(loss.sum(input._a.ndim - 1) / input._a.shape[-1], reduction)
