"""Losses whose targets are classes: nll_loss, cross_entropy, and the margins of classes.

The class dimension is 1 (0 for an input without a batch). Read next: `softmax.py`.
"""

from __future__ import annotations

import math as pymath
from typing import Any

import numpy as np

from .. import dtypes
from ..autograd import door
from ..autograd.views import type_name
from ..errors import message
from ..kernels import loss_native
from ..kernels.rows import usable
from .loss import finished, reduced, reduction_of
from .math import exp
from .record import composite, op
from .reduce import sum as total
from .samples import arr, case, error
from .softmax import log_softmax

CLASSES = arr((5,), 0, 4, "int64")
PLAIN = {"reduction": "mean", "ignore_index": -100}

# -- the negative log-likelihood of class indices ------------------------------------------------


def class_dim(a: Any) -> int:
    return 1 if a.ndim > 1 else 0


def classes(target: Any, n: int, ignore_index: int) -> tuple[Any, Any]:
    """(targets with 0 in place of ignored ones, which count or None for all); checked."""
    if not 0 <= ignore_index < n:
        codes = target.view(np.uint64) if target.dtype == np.int64 else target
        if not target.size or codes.max() < n:  # as unsigned numbers negative ones are large
            return target, None
    counts = target != ignore_index
    wrong = counts & ((target < 0) | (target >= n))
    if wrong.any():
        raise IndexError(
            message(
                f"Target {int(target[wrong].flat[0])} is out of bounds.",
                got=f"targets from {int(target.min())} to {int(target.max())}",
                wanted=f"0 <= target < {n} (the number of classes), or ignore_index={ignore_index}",
                hint="check the labels, or the size of the last layer",
            )
        )
    return np.where(counts, target, 0), counts


def factors(target: Any, counts: Any, weight: Any, dtype: Any) -> tuple[Any, Any]:
    """(factor of each sample or None for 1, their sum)."""
    if weight is not None:
        w = weight[target] if counts is None else weight[target] * counts
        return w, w.sum()
    if counts is None:
        return None, dtype.type(target.size)
    return counts.astype(dtype), dtype.type(np.count_nonzero(counts))


def of_class(a: Any, target: Any) -> Any:
    """The element of each sample that stands at its class."""
    if a.ndim == 2:
        return a[np.arange(len(a)), target]
    d = class_dim(a)
    return np.take_along_axis(a, np.expand_dims(target, d), d).squeeze(d)


@op(
    samples=[
        case((5, 4), CLASSES, **PLAIN),
        case((5, 4), CLASSES, arr((4,), 0.5, 2), reduction="mean", ignore_index=1),
        case((2, 4, 3), arr((2, 3), 0, 4, "int64"), reduction="none", ignore_index=-100),
        case((4,), arr((), 0, 4, "int64"), reduction="sum", ignore_index=-100),
    ],
    errors=[error(IndexError, "is out of bounds", (5, 4), arr((5,), 4, 9, "int64"), **PLAIN)],
    public="",
    fresh=True,
    name="nll_loss",
)
def nll(input: Any, target: Any, weight: Any = None, *, reduction: str, ignore_index: int) -> Any:
    """-w[t] x[t]; the mean is divided by the sum of the w[t]."""
    target, counts = classes(target, input.shape[class_dim(input)], ignore_index)
    picked = of_class(input, target)
    w, total = factors(target, counts, weight, input.dtype)
    loss = -picked if w is None else -picked * w
    if counts is not None:
        loss = np.where(counts, loss, input.dtype.type(0))
    if reduction != "mean" or (w is None and loss.size):
        return reduced(loss, reduction)
    with np.errstate(all="ignore"):
        return np.true_divide(np.asarray(np.add.reduce(loss, axis=None)), total)


def _spread(
    g: Any, _y: Any, _x: Any, t: Any, w: Any, *, reduction: str, ignore_index: int, shapes: Any
) -> Any:
    return nll_backward(g, t, w, shape=shapes[0], reduction=reduction, ignore_index=ignore_index)


nll.vjp(_spread, None, None)


@op(
    samples=[
        case((), CLASSES, shape=(5, 4), **PLAIN),
        case((5,), CLASSES, arr((4,), 0.5, 2), shape=(5, 4), reduction="none", ignore_index=1),
    ],
    public="",
    fresh=True,
    name="nll_loss_backward",
)
def nll_backward(
    grad: Any,
    target: Any,
    weight: Any = None,
    *,
    shape: Any,
    reduction: str,
    ignore_index: int,
) -> Any:
    """The transpose of `nll`: each sample's gradient, put in the place of its class."""
    out = np.zeros(shape, grad.dtype)
    d = class_dim(out)
    target, counts = classes(target, shape[d], ignore_index)
    w, total = factors(target, counts, weight, grad.dtype)
    with np.errstate(all="ignore"):
        g = -grad / total if reduction == "mean" else -grad
    if w is not None:
        g = g * w
    if counts is not None:
        g = np.where(counts, g, 0)
    if out.ndim == 2:
        out[np.arange(len(out)), target] = g
        return out
    g = np.broadcast_to(g, target.shape).astype(grad.dtype, copy=False)
    np.put_along_axis(out, np.expand_dims(target, d), np.expand_dims(g, d), d)
    return out


nll_backward.vjp(
    lambda g, _y, _g, t, w, *, reduction, ignore_index: nll(
        g, t, w, reduction=reduction, ignore_index=ignore_index
    ),
    None,
    None,
)


def check_classes(input: Any, target: Any, weight: Any) -> None:
    """PyTorch's checks of an input against class indices."""
    input, target = input._a, target._a
    if input.ndim < 1:
        raise ValueError(message(f"Expected 1 or more dimensions (got {input.ndim})"))
    if input.ndim != 1 and (target.ndim == 0 or input.shape[0] != target.shape[0]):
        n = target.shape[0] if target.ndim else 1
        raise ValueError(
            message(
                f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({n}).",
                got=f"input {tuple(input.shape)}, target {tuple(target.shape)}",
                wanted="input (N, C, ...) and target (N, ...)",
            )
        )
    kind = dtypes.from_numpy(target.dtype)
    if kind not in (dtypes.int64, dtypes.uint8):
        raise RuntimeError(
            message(
                f"expected target dtype to be Long or Byte, but got {type_name(kind)}: "
                f"expected scalar type Long but found {type_name(kind)}",
                got=f"target {tuple(target.shape)} of type {kind!r}, input {tuple(input.shape)}",
                wanted="class indices, or (for cross_entropy) probabilities in the input's shape",
                hint="target.long() for class indices",
            )
        )
    d = class_dim(input)
    wanted = (*input.shape[:d], *input.shape[d + 1 :])
    if target.shape != wanted:
        if input.ndim <= 2:
            raise RuntimeError(
                message(
                    "0D or 1D target tensor expected, multi-target not supported",
                    got=f"input {tuple(input.shape)}, target {tuple(target.shape)}",
                    wanted=f"target {wanted}",
                    hint="target.squeeze(1), or target.argmax(1) for one-hot targets",
                )
            )
        raise RuntimeError(
            message(
                f"Expected target size {list(wanted)}, got {list(target.shape)} "
                "(only batches of spatial targets supported; size mismatch)",
                got=f"input {tuple(input.shape)}",
            )
        )
    n = input.shape[d]
    if weight is not None and (weight.ndim != 1 or weight.numel() != n):
        raise RuntimeError(
            message(
                f"weight tensor should be defined either for all {n} classes or no classes but "
                f"got weight tensor of shape: {list(weight.shape)}"
            )
        )


@composite(public="nn.functional")
def nll_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """-w[t] x[t] for log-probabilities x and class indices t.

    Args:
        input: (C), (N, C) or (N, C, d1, ...). target: (), (N) or (N, d1, ...), indices.
        weight: (C), a factor for each class; the mean is divided by the sum of the factors.
        ignore_index: a target that does not count.

    >>> import rushlight as torch
    >>> torch.nn.functional.nll_loss(torch.tensor([[-1., -2.]]), torch.tensor([1]))
    tensor(2.)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    check_classes(input, target, weight)
    kw = {"reduction": reduction, "ignore_index": int(ignore_index)}
    return nll.call((input, target, weight), kw)


# -- cross entropy -------------------------------------------------------------------------------


@op(
    samples=[
        case((5, 4), CLASSES, reduction="mean"),
        case((5, 4), CLASSES, reduction="none"),
        case((5, 4), CLASSES, reduction="sum"),
    ],
    public="",
    fresh=True,
    outputs=2,
    differentiable=(0,),
    saves=(1,),
    node="NllLossBackward0",
)
def class_entropy(input: Any, target: Any, *, reduction: str) -> Any:
    """-log softmax(x)[t] of rows x, all of which count, and the log sums its gradient needs."""
    sums = loss_native.log_sums(input)
    if sums is None:
        top = np.maximum.reduce(input, axis=1)
        logs = np.log(np.add.reduce(np.exp(input - top[:, None]), axis=1))
        sums = np.stack([top, logs]).astype(input.dtype, copy=False)
    loss = sums[1] - (of_class(input, target) - sums[0])
    return reduced(loss, reduction), sums


def _class_slope(g: Any, y: Any, x: Any, t: Any, *, reduction: str) -> Any:
    """(softmax(x) - one at t) * g; on Tensors by ops that have gradients themselves."""
    g, sums = g[0], y[1]
    if isinstance(x, np.ndarray):
        scale = np.empty(len(x), x.dtype)
        scale[...] = g / x.dtype.type(len(x)) if reduction == "mean" else g
        dx = loss_native.shares(x, sums, scale)
        if dx is None:
            dx = np.exp((x - sums[0][:, None]) - sums[1][:, None]) * scale[:, None]
        dx[np.arange(len(x)), t] -= scale
        return dx
    slope = nll_backward(g, t, None, shape=tuple(x.shape), reduction=reduction, ignore_index=-100)
    logs = log_softmax(x, dim=1)
    return slope - exp(logs) * total(slope, dim=1, keepdim=True)


class_entropy.vjp(_class_slope, None)


def simple(input: Any, target: Any) -> bool:
    """Whether these are large scores of rows, and classes that all count."""
    x, t = input._a, target._a
    return (
        x.ndim == 2
        and x.size >= loss_native.LEAST
        and x.size > 0
        and t.dtype == np.int64
        and not door.state.watchers
        and input.__class__ is target.__class__
        and usable(x)
        and bool(t.view(np.uint64).max() < x.shape[1])
    )


@composite(public="nn.functional")
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

    >>> import rushlight as torch
    >>> torch.nn.functional.cross_entropy(torch.zeros(1, 2), torch.tensor([1]))
    tensor(0.6931)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(
            message(
                f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}",
            )
        )
    d = class_dim(input)
    if target.shape == input.shape and input.ndim:
        return _with_probabilities(
            input, target, weight, ignore_index, reduction, label_smoothing, d
        )
    check_classes(input, target, weight)
    if weight is None and not label_smoothing and ignore_index < 0 and simple(input, target):
        return class_entropy.call((input, target), {"reduction": reduction})[0]
    logs = log_softmax.call((input,), {"dim": d})
    kw = {"reduction": reduction, "ignore_index": int(ignore_index)}
    loss = nll.call((logs, target, weight), kw)
    if not label_smoothing:
        return loss
    n = input.shape[d]
    smooth = -(logs if weight is None else logs * _shaped(weight, input.ndim, d)).sum(d)
    t, counts = classes(target._a, n, ignore_index)
    if counts is not None:
        smooth = smooth.masked_fill(door.wrap(~counts), 0.0)
    if reduction == "mean":
        w = None if weight is None else weight.detach()._a
        smooth = smooth.sum() / float(factors(t, counts, w, input._a.dtype)[1])
    else:
        smooth = finished(smooth, reduction)
    return (1 - label_smoothing) * loss + smooth * (label_smoothing / n)


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
    n = input.shape[d]
    if smoothing:
        target = target * (1 - smoothing) + smoothing / n
    loss = log_softmax.call((input,), {"dim": d}) * target
    if weight is not None:
        loss = loss * _shaped(weight, input.ndim, d)
    if reduction == "mean":
        return -(loss.sum() / max(input.numel() // n, 1))
    return -loss.sum() if reduction == "sum" else -loss.sum(d)


# -- margins between classes ---------------------------------------------------------------------


@composite(public="nn.functional")
def multi_margin_loss(
    input: Any,
    target: Any,
    p: int = 1,
    margin: float = 1.0,
    weight: Any = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """sum over classes i != t of max(0, margin - x[t] + x[i])**p / C, times weight[t]."""
    reduction = reduction_of(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    x = input.reshape(1, -1) if input.ndim < 2 else input
    if x.ndim != 2 or not x.shape[1]:
        raise RuntimeError(
            message(
                "Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
                f"{list(input.shape)}"
            )
        )
    n, c = x.shape
    if target.numel() != n:
        raise RuntimeError(
            message(
                f"inconsistent target size, expected {n} but got {list(target.shape)}",
                got=f"input {tuple(input.shape)}",
            )
        )
    flat = target.reshape(n)
    t = flat._a
    if t.size and (t.min() < 0 or t.max() >= c):
        raise RuntimeError(message("target out of range", got=f"{t.min()}..{t.max()}",
                                   wanted=f"0 <= target < {c}"))  # fmt: skip
    own = x.gather(1, flat.unsqueeze(1))
    loss = (margin - own + x).clamp(min=0)
    if p == 2:
        loss = loss * loss
    loss = loss.masked_fill(door.wrap(t[:, None] == np.arange(c)), 0.0)
    if weight is not None:
        loss = loss * weight[flat].unsqueeze(1)
    loss = loss.sum(1) / c
    return finished(loss if input.ndim == 2 else loss.squeeze(0), reduction)


@composite(public="nn.functional")
def multilabel_margin_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """sum over targets j and classes i that are none of max(0, 1 - x[t[j]] + x[i]) / C.

    A row of `target` lists class indices up to the first -1.
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if input.shape != target.shape:
        raise RuntimeError(
            message(
                f"inconsistent target size: {list(target.shape)} for input of size: "
                f"{list(input.shape)}"
            )
        )
    x = input.reshape(-1, input.shape[-1] if input.ndim else 1)
    t = target._a.reshape(x.shape)
    n, c = x.shape
    listed = np.logical_and.accumulate(t >= 0, axis=1)
    t = np.where(listed, t, 0)
    if t.size and t.max() >= c:
        raise RuntimeError(message("target out of range", got=f"{t.max()}", wanted=f"below {c}"))
    is_target = np.zeros((n, c), bool)
    rows = np.broadcast_to(np.arange(n)[:, None], t.shape)
    is_target[rows[listed], t[listed]] = True
    own = x.gather(1, door.wrap(t))
    loss = (1 - own.unsqueeze(2) + x.unsqueeze(1)).clamp(min=0)  # (N, targets, classes)
    loss = loss.masked_fill(door.wrap(~listed[:, :, None] | is_target[:, None, :]), 0.0)
    loss = loss.sum((1, 2)) / c
    return finished(loss if input.ndim == 2 else loss.squeeze(0), reduction)


@composite(public="nn.functional")
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
