"""Losses that compare an input with a target of its own shape, element by element.

Each fused loss is one op: formula, reduction and rule. Not here: losses with class indices
(`loss_classes.py`, `cross_entropy.py`), of probabilities and margins (`loss_probability.py`), of
pairs and triplets of vectors (`loss_pairs.py`), of sequences (`loss_ctc.py`).
"""

from __future__ import annotations

import math as pymath
import warnings
from typing import Any

import numpy as np

from ...errors import message
from ...kernels.elementwise.formula import fuse
from ...kernels.reduce.select import Reduction, add_all
from ..core.composite import composite
from ..core.record import op
from ..core.samples import arr, case
from ..core.shapes import broadcast, loss, scalar
from ..elementwise import formulas as m
from ..elementwise.formulas import maximum, minimum, where
from ..elementwise.signs import sign
from ..shape.public import broadcast_shapes

PAIRS = [case((3, 4), (3, 4), reduction=r) for r in ("mean", "sum", "none")]
REDUCTIONS = ("none", "mean", "sum")

# -- reductions ----------------------------------------------------------------------------------


def reduction_of(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """'mean', 'sum' or 'none', from today's argument or from the two old ones."""
    if size_average is not None or reduce is not None:
        averaged, reduced = (True if v is None else bool(v) for v in (size_average, reduce))
        reduction = "none" if not reduced else "mean" if averaged else "sum"
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
    total = add_all(a)
    return total if reduction == "sum" else np.true_divide(total, a.dtype.type(a.size))


def losses(formula: Any, name: str, numpy: Any = None) -> Any:
    """The function (*arrays, reduction): the loss of each element, or their mean or sum in one pass
    over the operands where they are large. `numpy` computes the formula where that is quicker."""
    each = fuse(formula if numpy is None else numpy, name, formula, alone=False)

    def reference(*args: Any, dims: Any, keepdims: bool, over: float, **kw: Any) -> Any:
        return reduced(each(*args, **kw), "sum" if over == 1 else "mean")

    fold = Reduction("add", formula, name, finish="over", reference=reference)

    def computed(*args: Any, reduction: str, **kw: Any) -> Any:
        if reduction == "none":
            return each(*args, **kw)
        size = 1
        if reduction == "mean":
            size = args[0].size
            for a in args:
                if a.shape != args[0].shape:
                    size = pymath.prod(np.broadcast_shapes(*[a.shape for a in args]))
                    break
        return fold(args, None, False, size, **kw)

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


def _square(a: Any, b: Any) -> Any:
    """The square of a difference, which NumPy computes once."""
    d = a - b
    return np.multiply(d, d, out=d) if d.ndim else d * d


square_apart = losses(lambda a, b: (a - b) * (a - b), "square_apart", _square)
apart_by = fuse(lambda a, b, s: (a - b) * s, "apart_by")


@op(autocast="float32", samples=PAIRS, promote="common", public="", fresh=True, name="mse_loss",
    accepts="floating: mse_cpu")  # fmt: skip
def squared(input: Any, target: Any, *, reduction: str) -> Any:
    """(x - t)**2."""
    return square_apart(input, target, reduction=reduction)


squared.shape(loss)


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


@op(autocast="float32",
    samples=[case((3, 4), (3, 4), reduction="mean", beta=0.7)], promote="common", public="",
    fresh=True, name="smooth_l1_loss", accepts="floating: smooth_l1_cpu")  # fmt: skip
def smooth_l1(input: Any, target: Any, *, reduction: str, beta: float) -> Any:
    """d**2 / (2 beta) where d = |x - t| < beta, else d - beta / 2."""
    return smooth_apart(input, target, reduction=reduction, beta=beta)


smooth_l1.shape(loss)


def _smooth_slope(g: Any, a: Any, b: Any, reduction: str, beta: float) -> Any:
    if a.shape == b.shape:
        return held_apart(a, b, portion(g, a.shape, reduction), unit=beta, most=1.0)
    d = a - b
    return minimum(maximum(d / beta, -1.0), 1.0) * share(g, d.shape, reduction)


smooth_l1.vjp(
    lambda g, _y, x, t, *, reduction, beta: _smooth_slope(g, x, t, reduction, beta),
    lambda g, _y, x, t, *, reduction, beta: _smooth_slope(g, t, x, reduction, beta),
)


@op(autocast="float32",
    samples=[case((3, 4), (3, 4), reduction="mean", delta=0.7)], promote="common", public="",
    fresh=True, name="huber_loss", accepts="floating: huber_cpu")  # fmt: skip
def huber(input: Any, target: Any, *, reduction: str, delta: float) -> Any:
    """d**2 / 2 where d = |x - t| <= delta, else delta * (d - delta / 2)."""
    return huber_apart(input, target, reduction=reduction, delta=delta)


huber.shape(loss)


def _huber_slope(g: Any, a: Any, b: Any, reduction: str, delta: float) -> Any:
    if a.shape == b.shape:
        return held_apart(a, b, portion(g, a.shape, reduction), unit=1.0, most=delta)
    d = a - b
    return minimum(maximum(d, -delta), delta) * share(g, d.shape, reduction)


huber.vjp(
    lambda g, _y, x, t, *, reduction, delta: _huber_slope(g, x, t, reduction, delta),
    lambda g, _y, x, t, *, reduction, delta: _huber_slope(g, t, x, reduction, delta),
)


distance = losses(lambda a, b: m.abs(a - b), "distance", lambda a, b: np.abs(a - b))
toward = fuse(lambda a, b, s: sign(a - b) * s, "toward")


def _distance_slope(g: Any, a: Any, b: Any, reduction: str) -> Any:
    if a.__class__ is np.ndarray and a.dtype.kind == "f" and a.shape == b.shape:
        return toward(a, b, portion(g, a.shape, reduction))
    d = a - b
    return m.sgn(d) * share(g, d.shape, reduction)


def distances(reduction: str) -> Any:
    """The record of |x - t|, reduced."""

    def fn(input: Any, target: Any) -> Any:
        return distance(input, target, reduction=reduction)

    fn.__name__ = f"l1_loss_{reduction}"
    fn.__doc__ = f"The {reduction} of |x - t|."
    record = op(samples=[case((3, 4), (3, 4))], promote="common", public="", fresh=True,
                node=f"{reduction.capitalize()}Backward0")(fn)  # fmt: skip
    record.shape(lambda x, t: scalar(broadcast(x, t)))
    return record.vjp(
        lambda g, _y, x, t: _distance_slope(g, x, t, reduction),
        lambda g, _y, x, t: -_distance_slope(g, x, t, reduction),
    )


distance_mean, distance_sum = distances("mean"), distances("sum")


@composite(
    public="nn.functional",
    samples=[
        case((3, 4), (3, 4)),
        case((3, 4), (3, 4), reduction="none"),
        case((3, 4), (3, 4), reduction="sum", weight=arr((3, 4), 0.5, 1)),
    ],
)
def mse_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Any:
    """(x - t)**2, reduced; with `weight` the mean is divided by the sum of the weights.

    `reduction` is "mean", "sum" or "none" (the result has the shape of the operands). Operands of
    different shapes broadcast, with a warning.

    >>> x, t = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0])
    >>> F.mse_loss(x, t)
    tensor(2.)
    >>> F.mse_loss(x, t, reduction="none")
    tensor([0., 4.])
    """
    same_size(input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    if weight is None:
        return squared.call((input, target), {"reduction": reduction})
    broadcast_shapes(input._a.shape, target._a.shape)
    weight_size(input, weight)
    kinds = input._a.dtype.kind + target._a.dtype.kind
    exact = "c" in kinds or kinds.strip("iub") == ""  # which PyTorch's kernel does not see here
    apart = (input - target) ** 2 if exact else squared.call((input, target), {"reduction": "none"})
    loss = apart * weight
    return loss.sum() / weight.sum() if reduction == "mean" else finished(loss, reduction)


def weight_size(input: Any, weight: Any) -> None:
    if weight.shape != input.shape:
        raise ValueError(
            message(
                "Weights and input must have the same size.",
                got=f"weight {tuple(weight.shape)}, input {tuple(input.shape)}",
            )
        )


@composite(
    autocast="float32",
    public="nn.functional",
    samples=[
        case((3, 4), (3, 4)),
        case((3, 4), (3, 4), reduction="none"),
        case((3, 4), (3, 4), reduction="sum"),
    ],
)
def l1_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Any:
    """|x - t|, reduced; with `weight` the mean is divided by the sum of the weights.

    `reduction` is "mean", "sum" or "none" (the result has the shape of the operands).

    >>> x, t = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0])
    >>> F.l1_loss(x, t)
    tensor(1.)
    >>> F.l1_loss(x, t, reduction="none")
    tensor([0., 2.])
    """
    same_size(input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    kinds = input._a.dtype.kind + target._a.dtype.kind
    exact = kinds[0] in "iu" and kinds[1] in "iu"
    if weight is None and reduction != "none" and not exact and "b" not in kinds:
        record = distance_mean if reduction == "mean" else distance_sum
        return record.call((input, target), {})
    loss = (input - target).abs()
    if weight is None:
        return finished(loss, reduction)
    weight_size(input, weight)
    loss = loss * weight
    return loss.sum() / weight.sum() if reduction == "mean" else finished(loss, reduction)


@composite(
    public="nn.functional",
    samples=[case((3, 4), (3, 4)), case((3, 4), (3, 4), reduction="sum", beta=0.5)],
)
def smooth_l1_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Any:
    """d**2 / (2 beta) where d = |x - t| < beta, else d - beta / 2; reduced.

    With `beta=0` it is `l1_loss`. Girshick, 2015, arXiv:1504.08083.

    >>> x, t = torch.tensor([0.0, 0.0]), torch.tensor([0.5, 3.0])
    >>> F.smooth_l1_loss(x, t, reduction="none")
    tensor([0.1250, 2.5000])
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


@composite(
    public="nn.functional",
    samples=[case((3, 4), (3, 4)), case((3, 4), (3, 4), "none", 0.5)],
)
def huber_loss(
    input: Any,
    target: Any,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Any = None,
) -> Any:
    """d**2 / 2 where d = |x - t| <= delta, else delta * (d - delta / 2); reduced.

    It is `delta` times `smooth_l1_loss` with beta=delta.

    >>> x, t = torch.tensor([0.0, 0.0]), torch.tensor([0.5, 3.0])
    >>> F.huber_loss(x, t, reduction="none", delta=2.0)
    tensor([0.1250, 4.0000])
    """
    same_size(input, target)
    reduction = reduction_of(None, None, reduction)
    if delta <= 0:
        raise RuntimeError(
            message("huber_loss does not support non-positive values for delta.", got=f"{delta}")
        )
    kw = {"reduction": reduction, "delta": float(delta)}
    if weight is None:
        return huber.call((input, target), kw)
    weight_size(input, weight)
    loss = huber.call((input, target), {**kw, "reduction": "none"}) * weight
    return finished(loss, reduction)
