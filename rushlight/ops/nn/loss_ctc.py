"""ctc_loss: sequences whose alignment with the input is unknown. Read next:
`kernels/loss/ctc.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd import door
from ...autograd.node import TensorBase
from ...errors import axis, message
from ...kernels.loss import ctc as kernel
from ...kernels.loss import select
from ...kernels.meta import MetaArray
from ..core.composite import composite
from ..core.record import op
from ..core.samples import arr, case, values
from .loss import finished, reduction_of

Lengths = tuple[int, ...]


def _split(targets: Any, lengths: Lengths) -> list[Any]:
    """The labels of each sample, from padded rows or one after the other."""
    if targets.ndim == 2:
        return [row[:n] for row, n in zip(targets, lengths, strict=True)]
    ends = np.cumsum(lengths)
    return [targets[end - n : end] for end, n in zip(ends, lengths, strict=True)]


_SAMPLE = {"input_lengths": (5, 4), "target_lengths": (2, 1), "blank": 0}


def ctc_shape(
    log_probs: Any, targets: Any, *, input_lengths: Lengths, target_lengths: Lengths, blank: int
) -> tuple[MetaArray, MetaArray]:
    """The shapes of the losses and of the forward variables."""
    steps, n, _ = log_probs.shape
    states = 2 * max(target_lengths, default=0) + 1
    return MetaArray((n,), log_probs.dtype), MetaArray((steps, n, states), log_probs.dtype)


@op(
    samples=[
        case(arr((5, 2, 4), -3, -0.5), arr((2, 2), 1, 4, "int64"), **_SAMPLE),
        case(arr((5, 2, 4), -3, -0.5), arr((3,), 1, 4, "int64"), **_SAMPLE),
    ],
    public="",
    fresh=True,
    outputs=2,
    differentiable=(0,),
    saves=(0, 1),
    once=True,
    name="ctc_loss",
)
def ctc(
    log_probs: Any,
    targets: Any,
    *,
    input_lengths: Lengths,
    target_lengths: Lengths,
    blank: int,
) -> Any:
    """(-log of the probability of all alignments (N), the forward variables)."""
    labels, skip = kernel.states(_split(targets, target_lengths), blank)
    inputs, lengths = np.asarray(input_lengths), np.asarray(target_lengths)
    return select.ctc_forward(log_probs, labels, skip, inputs, lengths)


ctc.shape(ctc_shape)


@ctc.joint
def _(
    g: Any,
    y: Any,
    log_probs: Any,
    targets: Any,
    *,
    input_lengths: Lengths,
    target_lengths: Lengths,
    blank: int,
) -> Any:
    kw = {"input_lengths": input_lengths, "target_lengths": target_lengths, "blank": blank}
    return ctc_backward(g[0], log_probs, targets, y[0], y[1], **kw), None


@op(
    samples=[
        case(
            (2,),
            arr((5, 2, 4), -3, -0.5),
            arr((2, 2), 1, 4, "int64"),
            arr((2,), 1, 4),
            arr((5, 2, 5), -6, -1),
            **_SAMPLE,
        )
    ],
    public="",
    fresh=True,
    name="ctc_loss_backward",
)
def ctc_backward(
    grad: Any,
    log_probs: Any,
    targets: Any,
    loss: Any,
    alpha: Any,
    *,
    input_lengths: Lengths,
    target_lengths: Lengths,
    blank: int,
) -> Any:
    """The gradient of `ctc` for the log-probabilities."""
    labels, skip = kernel.states(_split(targets, target_lengths), blank)
    inputs, lengths = np.asarray(input_lengths), np.asarray(target_lengths)
    parts = select.ctc_backward(log_probs, alpha, loss, labels, skip, inputs, lengths)
    with np.errstate(invalid="ignore"):
        out = parts * grad[None, :, None]
    out[:, (grad == 0) & ~np.isfinite(loss)] = 0  # what zero_infinity took out
    return out


ctc_backward.shape(lambda g, log_probs, *_, **__: MetaArray(log_probs.shape, log_probs.dtype))


ctc_backward.vjp(None, None, None, None, None)


def _loss_shape(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0,
    reduction: str = "mean", zero_infinity: bool = False,
) -> MetaArray:  # fmt: skip
    each = (log_probs.shape[1],) if log_probs.ndim == 3 else ()
    return MetaArray(each if reduction == "none" else (), log_probs._a.dtype)


@composite(
    accepts="floating: ctc_loss_cpu",
    autocast="float32",
    public="nn.functional",
    name="ctc_loss",
    shape=_loss_shape,
    samples=[
        case((5, 2, 4), values([[1, 2], [3, 1]]), values([5, 4]), values([2, 1])),
        case((5, 2, 4), values([[1, 2], [3, 1]]), values([5, 4]), values([2, 1]), reduction="sum"),
    ],
)
def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Any:
    """-log of the probability of `targets` over all alignments with the input.

    Args:
        log_probs: (T, N, C) or (T, C), from log_softmax. The gradient is that of the loss for
            each log-probability as it stands.
        targets: (N, S) padded, (S) for one sample, or all labels one after the other.
        input_lengths, target_lengths: (N).
        blank: the class of "no label".
        reduction: 'mean' divides each loss by its target length first.
        zero_infinity: losses of targets that do not fit count 0.

    Graves et al., 2006, ICML.

    >>> log_probs = torch.full((2, 1, 3), 1 / 3).log()  # 2 times, 3 classes, all alike
    >>> lengths = torch.tensor([2]), torch.tensor([1])
    >>> F.ctc_loss(log_probs, torch.tensor([[1]]), *lengths)  # 3 of 9 paths: aa, a-, -a
    tensor(1.0986)
    """
    reduction = reduction_of(None, None, reduction)
    axis(1, log_probs.ndim)
    if log_probs.ndim not in (2, 3):
        raise RuntimeError(
            message(
                "log_probs must be 3-D (T, N, C) or 2-D (T, C)", got=f"{tuple(log_probs.shape)}"
            )
        )
    single = log_probs.ndim == 2
    x = log_probs.unsqueeze(1) if single else log_probs
    for name, given in (("input", input_lengths), ("target", target_lengths)):
        if hasattr(given, "_a") and given._a.dtype.kind not in "iu":
            raise RuntimeError(message(f"{name}_lengths must be integral", got=repr(given.dtype)))
    inputs, lengths = _lengths(input_lengths), _lengths(target_lengths)
    steps, n, c = x.shape
    _check(targets, inputs, lengths, steps, n, c, blank)
    if single and targets.ndim == 1:
        targets = targets.unsqueeze(0)
    kw = {"input_lengths": inputs, "target_lengths": lengths, "blank": blank}
    loss = ctc.call((x, targets.detach()), kw)[0]
    if zero_infinity:
        loss = loss.masked_fill(loss == float("inf"), 0.0)
    if reduction == "mean":
        divisor = np.maximum(np.asarray(lengths), 1).astype(x._a.dtype)
        return (loss / door.wrap(divisor)).mean()
    return finished(loss.squeeze(0) if single else loss, reduction)


def _lengths(value: Any) -> Lengths:
    if isinstance(value, TensorBase):
        value = value._a.reshape(-1).tolist()
    return tuple(int(n) for n in value)


def _check(
    targets: Any, inputs: Lengths, lengths: Lengths, steps: int, n: int, c: int, blank: int
) -> None:
    def fail(what: str, got: str | None = None) -> None:
        raise RuntimeError(message(what, got=got))

    if not 0 <= blank < c:
        fail("blank must be in label range", f"blank={blank}, {c} classes")
    if len(inputs) != n:
        fail(f"input_lengths must be of size batch_size, got {len(inputs)} for {n}")
    if len(lengths) != n:
        fail(f"target_lengths must be of size batch_size, got {len(lengths)} for {n}")
    for length in inputs:
        if length < 0:
            fail(f"Expected input_lengths to have value at least 0, but got value {length}")
        if length > steps:
            fail(f"Expected input_lengths to have value at most {steps}, but got value {length}")
    if any(length < 0 for length in lengths):
        fail(f"Expected target_lengths to have value at least 0, but got value {min(lengths)}")
    if not 1 <= targets.ndim <= 2:
        fail(f"Expected 1 to 2 dimensions, but got {targets.ndim}-dimensional tensor for targets")
    if targets.ndim == 2 and len(targets) != n:
        fail(f"Expected tensor to have size {n} at dimension 0, but got {len(targets)} for targets")
    room = targets.shape[-1] if targets.ndim == 2 or n == 1 else sum(lengths)
    if targets.ndim == 2 and max(lengths, default=0) > room:
        fail(
            f"Expected tensor to have size at least {max(lengths)} at dimension 1, but got size "
            f"{room} for targets"
        )
    if targets.ndim == 1 and targets.shape[0] < sum(lengths):
        fail(
            f"Expected tensor to have size {sum(lengths)} at dimension 0, but got size "
            f"{targets.shape[0]} for targets"
        )
