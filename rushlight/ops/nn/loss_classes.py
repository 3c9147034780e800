"""Losses whose targets are classes: nll_loss and the margins of classes.

The class dimension is 1 (0 for an input without a batch). Read next: `cross_entropy.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import door
from ...autograd.refused import check_fixed
from ...dtypes import type_name
from ...errors import message
from ...kernels.loss import at_classes
from ...kernels.loss import select as arrays
from ...kernels.meta import MetaArray
from ..core.accepted import Accepted
from ..core.composite import composite
from ..core.record import op
from ..core.samples import arr, case, error, ints, values
from ..core.shapes import given
from .loss import finished, reduced, reduction_of
from .spatial import check_tensor

CLASSES = arr((5,), 0, 4, "int64")
PLAIN = {"reduction": "mean", "ignore_index": -100}

# -- the negative log-likelihood of class indices ------------------------------------------------


def classes(target: Any, n: int, ignore_index: int) -> tuple[Any, Any]:
    """(targets with 0 in place of ignored ones, which count or None for all); checked."""
    if not 0 <= ignore_index < n:
        codes = target.view(np.uint64) if target.dtype == np.int64 else target
        if not target.size or codes.max() < n:  # as unsigned numbers negative ones are large
            return target, None
    counts = target != ignore_index
    wrong = counts & ((target < 0) | (target >= n))
    if wrong.any():
        raise arrays.no_class(target, n, ignore_index)
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
    d = arrays.class_dim(a)
    return np.take_along_axis(a, np.expand_dims(target, d), d).squeeze(d)


def nll_shape(
    x: Any, target: Any, weight: Any = None, *, reduction: str, ignore_index: int
) -> MetaArray:
    """One number, or one for each target."""
    return MetaArray(target.shape if reduction == "none" else (), x.dtype)


@op(
    autocast="float32",
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
    n, counts = input.shape[arrays.class_dim(input)], None
    found = at_classes.losses(input, target, weight, n, ignore_index)
    if found is not None:
        loss, w = found
        total = loss.dtype.type(loss.size) if w is None else w.sum()
    else:
        target, counts = classes(target, n, ignore_index)
        picked = of_class(input, target) if n else np.zeros(target.shape, input.dtype)
        w, total = factors(target, counts, weight, input.dtype)
        loss = -picked if w is None else -picked * w
    if counts is not None:
        loss = np.where(counts, loss, input.dtype.type(0))
    if reduction != "mean" or (w is None and loss.size):
        return reduced(loss, reduction)
    with np.errstate(all="ignore"):
        return np.true_divide(np.asarray(np.add.reduce(loss, axis=None)), total)


nll.shape(nll_shape)


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
    how = (grad, target, weight, shape, reduction == "mean", ignore_index)
    found = at_classes.slopes(*how)
    if found is not None:
        return found
    out = np.zeros(shape, grad.dtype)
    d = arrays.class_dim(out)
    if not out.size:
        return out
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


nll_backward.shape(given)


nll_backward.vjp(
    lambda g, _y, _g, t, w, *, reduction, ignore_index: nll(
        g, t, w, reduction=reduction, ignore_index=ignore_index
    ),
    None,
    None,
)


def refuse_swapped(input: Any, target: Any) -> None:
    """PyTorch's error for integers as scores, where it is the target that has floats."""
    kind = dtypes.from_numpy(target.dtype)
    if kind.is_floating_point and input.dtype.kind in "iu":
        given = dtypes.from_numpy(input.dtype)
        raise NotImplementedError(
            message(
                f"\"log_softmax_lastdim_kernel_impl\" not implemented for '{type_name(given)}'",
                got=f"an input of {type_name(given)} and a target of {type_name(kind)}",
                wanted="the scores first, then the class indices",
                hint="loss(input, target): these look swapped",
            )
        )


def one_of_one(input: Any, target: Any) -> Any:
    """The target of a single sample (C): also (1) may be said, which is taken as ()."""
    if input._a.ndim != 1 or target._a.ndim != 1 or target._a.dtype.kind not in "iu":
        return target
    if target.shape[0] != 1:
        raise ValueError(
            message(
                f"For 1D input, 1D target must have size 1, but got target size: {target.shape[0]}",
                hint="input.unsqueeze(0)",
            )
        )
    return target.squeeze(0)


def _hint_places(input: tuple[int, ...], target: tuple[int, ...]) -> str | None:
    """What to do where targets are no indices for all places of the input."""
    if len(target) == len(input) and target[1] == 1:
        return "target.squeeze(1)"
    if input[:-1] == target:
        return "scores.movedim(-1, 1), which puts the classes (now last) into dimension 1"
    return None


def check_classes(input: Any, target: Any, weight: Any) -> None:
    """PyTorch's checks of an input against class indices."""
    input, target = input._a, target._a
    kind = dtypes.from_numpy(target.dtype)
    refuse_swapped(input, target)
    if input.ndim < 1:
        raise ValueError(message(f"Expected 1 or more dimensions (got {input.ndim})"))
    if input.ndim != 1 and (target.ndim == 0 or input.shape[0] != target.shape[0]):
        n = target.shape[0] if target.ndim else 0
        raise ValueError(
            message(
                f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({n}).",
                got=f"input {tuple(input.shape)}, target {tuple(target.shape)}",
                wanted="input (N, C, ...) and target (N, ...)",
                hint=None if target.ndim else "target.unsqueeze(0), or targets[i:i + 1]",
            )
        )
    check_fixed(f"nll_loss{'2d' * (input.ndim > 2)}_forward", ("weight", weight))
    if kind not in (dtypes.int64, dtypes.uint8):
        raise RuntimeError(
            message(
                f"expected target dtype to be Long or Byte, but got {type_name(kind)}: "
                f"expected scalar type Long but found {type_name(kind)}",
                got=f"target {tuple(target.shape)} of type {kind!r}, input {tuple(input.shape)}",
                wanted="class indices, or (for cross_entropy) probabilities in the input's shape",
                hint=f"a target of shape {tuple(input.shape)} for probabilities, of "
                f"{(*input.shape[:1], *input.shape[2:])} for indices"
                if kind.is_floating_point and input.ndim == target.ndim
                else "target.long() for class indices",
            )
        )
    d = arrays.class_dim(input)
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
                got=f"input {tuple(input.shape)}, whose dimension 1 is the classes",
                hint=_hint_places(tuple(input.shape), tuple(target.shape)),
            )
        )
    if weight is not None and weight._a.dtype != input.dtype:
        LIKELIHOODS.check(dtypes.from_numpy(input.dtype))
        kinds = [type_name(dtypes.from_numpy(a.dtype)) for a in (input, weight._a)]
        raise RuntimeError(
            message(
                f"expected scalar type {kinds[0]} but found {kinds[1]}",
                got=f"input of type {kinds[0]}, weight of type {kinds[1]}",
                hint="weight.to(input.dtype)",
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


LIKELIHOODS = Accepted("floating: nll_loss_out_frame")
MARGINS = Accepted("floating: multi_margin_loss_cpu_kernel")
SMALLEST = Accepted("floating integral bool: min_all")  # which PyTorch asks of the targets


@composite(
    public="nn.functional",
    constant=(2,),
    samples=[
        case((3, 4), ints((3,), 4)),
        case((3, 4), ints((3,), 4), arr((4,), 0.5, 1), reduction="sum"),
        case((2, 4, 3), ints((2, 3), 4), reduction="none"),
    ],
)
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

    >>> F.nll_loss(torch.tensor([[-1., -2.]]), torch.tensor([1]))
    tensor(2.)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    check_tensor("nll_loss_nd", "target", 2, target)
    target = one_of_one(input, target)
    check_classes(input, target, weight)
    LIKELIHOODS.check(input.dtype)
    kw = {"reduction": reduction, "ignore_index": int(ignore_index)}
    return nll.call((input, target, weight), kw)


# -- margins between classes ---------------------------------------------------------------------


def _margin_shape(
    input: Any, target: Any, *_: Any, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", **kw: Any,
) -> MetaArray:  # fmt: skip
    each = tuple(input.shape[:-1])
    unreduced = reduction_of(size_average, reduce, reduction) == "none"
    return MetaArray(each if unreduced else (), input._a.dtype)


def missed(by: Any, left_out: Any) -> Any:
    """By how much margins are missed: 0, with no slope, where they are kept, met, or NaN."""
    return by.masked_fill(door.wrap(left_out | ~(by._a > 0)), 0.0)


@composite(
    loose="p",
    shape=_margin_shape,
    autocast="float32",
    public="nn.functional",
    samples=[case((3, 4), ints((3,), 4)), case((3, 4), ints((3,), 4), 2, 0.5)],
)
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
    """sum over classes i != t of max(0, margin - x[t] + x[i])**p / C, times weight[t].

    `input` (N, C) or (C,), `target` (N,) or (), class indices; `p` is 1 or 2, `weight` (C,).

    >>> x = torch.tensor([[0.1, 0.2, 0.9]])
    >>> F.multi_margin_loss(x, torch.tensor([2]))
    tensor(0.1667)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    MARGINS.check(input.dtype)
    check_tensor("multi_margin_loss", "target", 2, target)
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
    if target.numel() != n or target.ndim > 1:
        raise RuntimeError(
            message(
                "multi_margin_loss: target tensor should be 1-D with size equal to the number of "
                f"input samples (batch size). Expected target size [{n}], but got "
                f"{list(target.shape)}. Input has shape {list(input.shape)}."
            )
        )
    flat = target.reshape(n)
    t = flat._a
    if t.size and (t.min() < 0 or t.max() >= c):
        raise RuntimeError(message("target out of range", got=f"{t.min()}..{t.max()}",
                                   wanted=f"0 <= target < {c}"))  # fmt: skip
    own = x.gather(1, flat.unsqueeze(1))
    loss = missed(margin - own + x, t[:, None] == np.arange(c))
    if p == 2:
        loss = loss * loss
    if weight is not None:
        loss = loss * weight[flat].unsqueeze(1)
    loss = loss.sum(1) / c
    return finished(loss if input.ndim == 2 or target.ndim else loss.squeeze(0), reduction)


@composite(
    accepts="floating: multilabel_margin_loss_forward_out_frame",
    autocast="float32",
    public="nn.functional",
    shape=_margin_shape,
    samples=[case((2, 3), values([[0, 2, -1], [1, -1, 0]]))],
)
def multilabel_margin_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """sum over targets j and classes i that are none of max(0, 1 - x[t[j]] + x[i]) / C.

    `input` and `target` (N, C) or (C,). A row of `target` lists class indices up to the first -1.

    >>> x = torch.tensor([[0.1, 0.2, 0.9]])
    >>> F.multilabel_margin_loss(x, torch.tensor([[2, -1, 0]]))
    tensor(0.1667)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if input.shape != target.shape:
        raise RuntimeError(
            message(
                f"inconsistent target size: {list(target.shape)} for input of size: "
                f"{list(input.shape)}"
            )
        )
    SMALLEST.check(target.dtype)
    if target._a.dtype != np.int64:
        raise RuntimeError(
            message(
                f"expected scalar type Long but found {type_name(target.dtype)}",
                hint="target.long()",
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
    loss = 1 - own.unsqueeze(2) + x.unsqueeze(1)  # (N, targets, classes)
    loss = missed(loss, ~listed[:, :, None] | is_target[:, None, :])
    loss = loss.sum((1, 2)) / c
    return finished(loss if input.ndim == 2 else loss.squeeze(0), reduction)
