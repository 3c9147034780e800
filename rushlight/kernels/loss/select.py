"""Losses over classes: which kernel computes them.

Scores are (C), (N, C) or (N, C, ...); targets the same without the classes. Not here: the
mathematics (`cross_entropy.py`), what is added up (`totals.py`), NumPy's arrays (`reference.py`);
of CTC, whose variables are planned below, the mathematics (`ctc.py`) and kernels (`ctc_steps.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ...errors import message
from .. import runtime, tuning
from ..codegen.row_body import computed
from ..indices import asked, within
from ..keys import Plans
from ..meta import MetaArray
from ..plan import Draft, Plan, Reference, nbytes
from ..rows import ELEMENTS, WIDE_ELEMENTS, dense, launches, takes
from ..rows import plan as plan_rows
from ..runtime import few
from . import cross_entropy as bodies
from . import ctc, reference

Array = Any
Shape = tuple[int, ...]
Line = tuple[Any, Shape, Shape] | None
INT64 = np.dtype(np.int64)


def class_dim(a: Any) -> int:
    """Which dimension of scores are the classes."""
    return 1 if a.ndim > 1 else 0


def without(shape: Shape, dim: int) -> Shape:
    return shape[:dim] + shape[dim + 1 :]


def metas(operands: dict[str, Line]) -> dict[str, Any]:
    """Those operands that are there."""
    return {k: MetaArray(m[1], m[0], m[2]) for k, m in operands.items() if m is not None}


def prepared(
    operands: dict[str, MetaArray], dim: int, made: list[Any]
) -> tuple[dict[str, MetaArray], dict[str, str]]:
    """The operands in the types that kernels take, and what the plan calls them."""
    x, names = operands["x"], {}
    wide = computed(x.dtype)
    for k, m in operands.items():
        dtype = {"x": x.dtype, "target": INT64}.get(k, wide)
        names[k] = dense(k, m, dtype, made)
        operands[k] = MetaArray(m.shape, dtype)
    return operands, names


# -- cross entropy -------------------------------------------------------------------------------


def each_sums(smoothing: float) -> int:
    """How many sums a row has (`cross_entropy.SUMS`)."""
    return 3 if smoothing else 2


def summed(shape: Shape, dtype: Any, smoothing: float) -> MetaArray:
    """The sums of all rows, those of each kind side by side, and what a mean is divided by."""
    return MetaArray((each_sums(smoothing) * math.prod(shape) + 1,), dtype)


@functools.lru_cache(maxsize=1024)
def plan_cross_entropy(
    x: Line, target: Line, w: Line, ignored: int, smoothing: float, reduction: str
) -> Plan:
    """status, sums and y of x, target and w: y the loss of each target, their sum or mean; the
    scalar `weights` is the sum of w."""
    operands = metas({"x": x, "target": target, "w": w})
    scores = operands["x"]
    dim, wide = class_dim(scores), computed(scores.dtype)
    shape, c = without(scores.shape, dim), scores.shape[dim]
    body = bodies.smooth_cross_entropy if smoothing else bodies.cross_entropy
    one, joined = MetaArray(shape, wide), reduction != "none"
    sums = summed(shape, wide, smoothing)
    outputs = {"status": MetaArray((2,), INT64), "sums": sums, "loss": one}
    outputs |= {} if w is None else {"factor": one}
    outputs |= {"y": MetaArray((), wide)} if joined else {}
    smooth = {"keep": 1 - smoothing, "share": smoothing / c} if smoothing and c else {}
    made: list[Any] = []
    taken, names = prepared(dict(operands), dim, made)
    way = "numpy"
    if takes(body, taken, dim, tuning.LOSS_LEAST):
        from . import totals

        finish = totals.totalling(ELEMENTS[wide], each_sums(smoothing), w is not None, joined)
        how = {"prepare": totals.counting, "chunks": totals.chunks_unless_wrong, "finish": finish}
        more: dict[str, Any] = {"weights": "weights", **smooth} if smoothing else {}
        more |= {"ignored": ignored, "mean": int(reduction == "mean")}
        made += launches(body, taken, tuple(outputs), dim, more, names, **how)
        way = "rows" if math.prod(scores.shape[dim + 1 :]) == 1 else "columns"
    else:
        given = tuple([k if k in operands else None for k in ("x", "target", "w")])
        made = [Reference(
            reference.losses, (*given, "weights"), tuple(outputs), body=body, dim=dim,
            wanted=tuple([k for k in outputs if k in ("sums", "loss", "factor")]),
            reduction=reduction, ignored=ignored, keep=1 - smoothing,
            share=smoothing / max(1, c),
        )]  # fmt: skip
    return Plan(
        f"cross_entropy.{way}", ("x", "target", "w"), outputs, made, scalars=("weights",),
        returns=("status", "sums", "y" if joined else "loss"),
        flops=6 * scores.size, bytes=nbytes(*operands.values(), *outputs.values()),
    )  # fmt: skip


@functools.lru_cache(maxsize=1024)
def plan_cross_entropy_grad(
    g: Line, x: Line, target: Line, w: Line, ignored: int, smoothing: float, mean: bool = False
) -> Plan:
    """dx of g (None where it is that of the sum, or of the `mean`), x, target, w and sums."""
    operands = metas({"g": g, "x": x, "target": target, "w": w})
    scores = operands["x"]
    dim, wide = class_dim(scores), computed(scores.dtype)
    shape, c = without(scores.shape, dim), scores.shape[dim]
    operands["sums"] = summed(shape, wide, smoothing)
    number, g_is = MetaArray((), wide), "g" if g is not None else "whole" if mean else "slope"
    if g is None:
        operands[g_is] = number
    body = bodies.smooth_cross_entropy_grad if smoothing else bodies.cross_entropy_grad
    outputs = {"dx": MetaArray(scores.shape, scores.dtype)}
    smooth = {"keep": 1 - smoothing, "share": smoothing / c} if smoothing and c else {}
    made: list[Any] = []
    taken, names = prepared(dict(operands), dim, made)
    names |= {} if g_is == "g" else {g_is: "g"}
    way = "numpy"
    if takes(body, taken, dim, tuning.LOSS_LEAST):
        more = {"weights": "weights", **smooth} if smoothing else {}
        how: dict[str, Any] = {}
        if mean:
            from . import totals

            outputs["slope"] = number
            how["prepare"] = totals.dividing(ELEMENTS[wide], each_sums(smoothing))
        more["ignored"] = ignored
        made += launches(body, taken, tuple(outputs), dim, more, names, **how)
        way = "rows" if math.prod(scores.shape[dim + 1 :]) == 1 else "columns"
    else:
        given = ("g", "x", "target", None if w is None else "w", "sums")
        made = [Reference(
            reference.slopes, (*given, "weights"), ("dx",), body=body, dim=dim, g_is=g_is,
            ignored=ignored, keep=1 - smoothing, share=smoothing / max(1, c),
        )]  # fmt: skip
    return Plan(
        f"cross_entropy_grad.{way}", ("g", "x", "target", "w", "sums"), outputs, made,
        scalars=("weights",), returns=("dx",), flops=5 * scores.size,
        bytes=nbytes(*operands.values(), *outputs.values()),
    )  # fmt: skip


def line(a: Array | None) -> Line:
    """The part of a key that stands for an operand that may be missing."""
    return None if a is None else (a.dtype, a.shape, a.strides)


def all_weights(w: Array | None, classes: int, dtype: Any) -> float:
    """The sum of the weights of all classes."""
    return float(classes) if w is None else float(w.astype(computed(dtype), copy=False).sum())


@Plans
def plans_cross_entropy(
    x: Array, target: Array, w: Array | None, ignored: int, smoothing: float, reduction: str
) -> Plan:
    return plan_cross_entropy(line(x), line(target), line(w), ignored, smoothing, reduction)


@Plans
def plans_cross_entropy_grad(
    g: Array | None, x: Array, target: Array, w: Array | None, ignored: int, smoothing: float,
    mean: bool,
) -> Plan:  # fmt: skip
    of = (line(g), line(x), line(target), line(w))
    return plan_cross_entropy_grad(*of, ignored, smoothing, mean)


def cross_entropy(
    x: Array, target: Array, w: Array | None, reduction: str, ignored: int, smoothing: float
) -> tuple[Array, Array]:
    """The losses, their sum or mean; and what the gradient needs of each row and of all.

    Raises IndexError for a target that is no class and not `ignored`.
    """
    dtype, shape = x.dtype, x.shape
    classes = shape[1] if len(shape) > 1 else shape[0]
    if not classes:
        return without_classes(x, target, reduction, ignored, smoothing)
    key = few.layouts(x, target, w, ignored, smoothing, reduction)
    plan = plans_cross_entropy.get(key) or plans_cross_entropy.make(
        key, x, target, w, ignored, smoothing, reduction
    )
    weights = all_weights(w, classes, dtype) if smoothing else 0.0
    status, sums, y = plan.run(x, target, w, weights)
    if not (asked() and all_count(target, classes, ignored)) and status[0]:
        raise no_class(target, classes, ignored)
    return y if y.dtype is dtype or y.dtype == dtype else y.astype(dtype), sums


def without_classes(
    x: Array, target: Array, reduction: str, ignored: int, smoothing: float
) -> tuple[Array, Array]:
    """`cross_entropy` of scores of no class, whose targets are all ignored: nothing counts."""
    if (target != ignored).any():
        raise no_class(target, 0, ignored)
    loss = np.zeros(target.shape if reduction == "none" else (), x.dtype)
    if reduction == "mean":
        loss = np.full((), np.nan, x.dtype)
    sums = summed(target.shape, computed(x.dtype), smoothing)
    return loss, np.zeros(sums.shape, sums.dtype)


def cross_entropy_gradient(
    g: Array, x: Array, target: Array, w: Array | None, sums: Array, reduction: str, ignored: int,
    smoothing: float,
) -> Array:  # fmt: skip
    """The gradient of x, given that of the loss."""
    if not x.size:
        return np.zeros_like(x)
    mean = reduction == "mean"
    if reduction != "none" and g.dtype is not sums.dtype:
        g = np.asarray(g, sums.dtype)
    of_g = g if reduction == "none" else None
    key = few.layouts(of_g, x, target, w, ignored, smoothing, mean)
    plan = plans_cross_entropy_grad.get(key) or plans_cross_entropy_grad.make(
        key, of_g, x, target, w, ignored, smoothing, mean
    )
    weights = all_weights(w, x.shape[class_dim(x)], x.dtype) if smoothing else 0.0
    return plan.run(g, x, target, w, sums, weights)


def all_count(target: Array, classes: int, ignored: int) -> bool:
    """Whether each target is a class that counts, where that can be known without looking: in a
    compiled step, which sees to it before each run. Eager calls count while they compute."""
    return asked() and not 0 <= ignored < classes and within(target, 0, classes)


def no_class(target: Array, classes: int, ignored: int) -> IndexError:
    """The error of targets that are no class."""
    wrong = ((target < 0) | (target >= classes)) & (target != ignored)
    return IndexError(
        message(
            f"Target {int(target[wrong].flat[0])} is out of bounds.",
            got=f"targets from {int(target.min())} to {int(target.max())}",
            wanted=f"0 <= target < {classes} (the number of classes), or ignore_index={ignored}",
            hint="check the labels, or the size of the last layer",
        )
    )


# -- logsumexp -----------------------------------------------------------------------------------


@functools.lru_cache(maxsize=256)
def plan_log_sum_exp(dtype: Any, shape: Shape, strides: Shape) -> Plan:
    """y of x, along its last dimension."""
    y = {"y": MetaArray(shape[:-1], dtype)}
    operands = {"x": MetaArray(shape, dtype, strides)}
    return plan_rows("logsumexp", bodies.log_sum_exp, operands, y, len(shape) - 1,
                     tuning.LOSS_LEAST, flops=4)  # fmt: skip


def logsumexp(x: Array) -> Array | None:
    """log sum exp(x) along the last dimension; None for what other sums compute."""
    if x.size < tuning.LOSS_LEAST or x.dtype.kind != "f" or not x.flags.c_contiguous:
        return None
    plan = plan_log_sum_exp(x.dtype, x.shape, x.strides)
    return None if plan.name.endswith("numpy") else plan.run(x)


# -- connectionist temporal classification -------------------------------------------------------


def ctc_forward(
    x: Array, labels: Array, skip: Array, input_lengths: Array, target_lengths: Array
) -> tuple[Array, Array]:
    """(loss (N), alpha (T, N, S)) of log-probabilities (T, N, C); see `ctc.py`."""
    if not by_ctc_steps(x, labels):
        return ctc.forward(ctc.emissions(x, labels), skip, input_lengths, target_lengths)
    plan = plan_ctc_forward(x.dtype, x.shape, x.strides, labels.shape[1])
    alpha = plan.run(x, labels, minus_infinity(skip, x.dtype), begins(target_lengths, labels, x))
    return ctc.losses(alpha, input_lengths, target_lengths), alpha


def ctc_backward(
    x: Array, alpha: Array, loss: Array, labels: Array, skip: Array, input_lengths: Array,
    target_lengths: Array,
) -> Array:  # fmt: skip
    """(T, N, C): the gradient of each sample's loss."""
    if not by_ctc_steps(x, labels) or not loss.dtype == alpha.dtype == x.dtype:
        emit = ctc.emissions(x, labels)
        return ctc.backward(
            emit, alpha, loss, labels, skip, input_lengths, target_lengths, x.shape[2]
        )
    ahead = np.zeros_like(skip)
    ahead[:, :-2] = skip[:, 2:]
    plan = plan_ctc_backward(x.dtype, x.shape, x.strides, alpha.strides, labels.shape[1])
    return plan.run(
        x, labels, minus_infinity(ahead, x.dtype), ends(target_lengths, labels, x), alpha,
        np.ascontiguousarray(loss), input_lengths.astype(np.int64),
    )  # fmt: skip


def by_ctc_steps(x: Array, labels: Array) -> bool:
    """Whether kernels compute the variables. They would read outside their memory by a label that
    is no class; NumPy says which one that is."""
    known = x.dtype in WIDE_ELEMENTS and x.size > 0 and runtime.available()
    return known and labels.size > 0 and within(labels, 0, x.shape[2])


def minus_infinity(mask: Array, dtype: Any) -> Array:
    """0 where the mask is True, else -inf."""
    return np.where(mask, dtype.type(0), dtype.type(-np.inf))


def begins(lengths: Array, labels: Array, x: Array) -> Array:
    """Where paths begin: in the first blank, or the first label."""
    found = np.full(labels.shape, -np.inf, x.dtype)
    found[:, 0] = 0
    if labels.shape[1] > 1:
        found[lengths > 0, 1] = 0
    return found


def ends(lengths: Array, labels: Array, x: Array) -> Array:
    """Where paths end: in the last blank, or the last label."""
    found, rows = np.full(labels.shape, -np.inf, x.dtype), np.arange(len(lengths))
    found[rows, 2 * lengths] = 0
    some = lengths > 0
    found[rows[some], 2 * lengths[some] - 1] = 0
    return found


@functools.lru_cache(maxsize=256)
def plan_ctc_forward(dtype: Any, shape: tuple[int, ...], strides: tuple[int, ...], s: int) -> Plan:
    """Operands x (T, N, C), labels (N, S), skip and first (N, S); output alpha (T, N, S)."""
    from . import ctc_steps

    t, n, classes = shape
    of_states = MetaArray((n, s), dtype)
    d = Draft({
        "x": MetaArray(shape, dtype, strides), "labels": MetaArray((n, s), INT64),
        "skip": of_states, "first": of_states,
    })  # fmt: skip
    d.launch(
        ctc_steps.kernel("alpha", ELEMENTS[dtype]), x=d.dense("x"), labels="labels", skip="skip",
        first="first", alpha=d.array("alpha", MetaArray((t, n, s), dtype)), steps=t, samples=n,
        classes=classes, states=s,
    )  # fmt: skip
    return d.plan("ctc.alpha", ("alpha",), flops=60 * t * n * s)


@functools.lru_cache(maxsize=256)
def plan_ctc_backward(
    dtype: Any, shape: tuple[int, ...], strides: tuple[int, ...], alpha: tuple[int, ...], s: int
) -> Plan:
    """Operands x (T, N, C), labels (N, S), skip and last (N, S), alpha (T, N, S), loss (N) and
    ends (N); output grad (T, N, C)."""
    from . import ctc_steps

    t, n, classes = shape
    of_states = MetaArray((n, s), dtype)
    d = Draft({
        "x": MetaArray(shape, dtype, strides), "labels": MetaArray((n, s), INT64),
        "skip": of_states, "last": of_states, "alpha": MetaArray((t, n, s), dtype, alpha),
        "loss": MetaArray((n,), dtype), "ends": MetaArray((n,), INT64),
    })  # fmt: skip
    size = dtype.itemsize
    d.launch(
        ctc_steps.kernel("beta", ELEMENTS[dtype]), x=d.dense("x"), labels="labels", skip="skip",
        last="last", alpha=d.dense("alpha"), loss="loss", ends="ends",
        beta=d.room("beta", 2 * n * s * size), there=d.room("there", n * s * size),
        grad=d.array("grad", MetaArray(shape, dtype)), steps=t, samples=n, classes=classes,
        states=s,
    )  # fmt: skip
    return d.plan("ctc.beta", ("grad",), flops=80 * t * n * s)
