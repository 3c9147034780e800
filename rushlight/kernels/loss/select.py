"""Losses over classes: which kernel computes them, and the means and sums of what they give.

Scores are (C), (N, C) or (N, C, ...); targets the same without the classes. Not here: the
mathematics (`cross_entropy.py`), NumPy's arrays (`reference.py`), CTC (`ctc.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ...errors import message
from .. import tuning
from ..codegen.row_body import computed
from ..indices import asked, within
from ..meta import MetaArray
from ..plan import Plan, Reference, nbytes
from ..reduce.reference import add_reduce
from ..rows import dense, launches, takes
from ..rows import plan as plan_rows
from . import cross_entropy as bodies
from . import reference

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


def counting(f: Any, args: dict[str, Any]) -> None:
    """Written before the chunks: how many targets are no class, and how many do not count."""
    from ..codegen.ir import I64

    target = args["target"].of(I64)
    wrong, skipped = f.var(f.const(I64, 0)), f.var(f.const(I64, 0))
    with f.range(args["numbers"]) as i:
        t = target[i]
        skip = t == args["ignored"]
        no_class = f.compare("ge", t, args["n"], unsigned=True)  # negative numbers are large
        bad = no_class & ~skip
        wrong.set(wrong.get() + f.convert(bad, I64))
        skipped.set(skipped.get() + f.convert(skip, I64))
    status = args["status"].of(I64)
    status[0] = wrong.get()
    status[1] = skipped.get()


def chunks_unless_wrong(f: Any, args: dict[str, Any]) -> Any:
    """No chunk where a target is no class: nothing is read at it."""
    from ..codegen.ir import I64

    return f.select(args["status"].of(I64)[0] == 0, args["chunks"], 0)


# -- cross entropy -------------------------------------------------------------------------------


@functools.lru_cache(maxsize=1024)
def plan_cross_entropy(
    x: Line, target: Line, w: Line, ignored: int, smoothing: float
) -> Plan:
    """status, sums, loss and (with weights) factor of x, target and w; the scalar `weights` is the
    sum of w."""
    operands = metas({"x": x, "target": target, "w": w})
    scores = operands["x"]
    dim, wide = class_dim(scores), computed(scores.dtype)
    shape, c = without(scores.shape, dim), scores.shape[dim]
    body = bodies.smooth_cross_entropy if smoothing else bodies.cross_entropy
    one = MetaArray(shape, wide)
    outputs = {"status": MetaArray((2,), INT64),
               "sums": MetaArray((3 if smoothing else 2, *shape), wide), "loss": one}  # fmt: skip
    outputs |= {} if w is None else {"factor": one}
    smooth = {"keep": 1 - smoothing, "share": smoothing / c} if smoothing and c else {}
    made: list[Any] = []
    taken, names = prepared(dict(operands), dim, made)
    way = "numpy"
    if takes(body, taken, dim, tuning.LOSS_LEAST):
        how = {"prepare": counting, "chunks": chunks_unless_wrong}
        more: dict[str, Any] = {"weights": "weights", **smooth} if smoothing else {}
        more["ignored"] = ignored
        made += launches(body, taken, tuple(outputs), dim, more, names, **how)
        way = "rows" if math.prod(scores.shape[dim + 1 :]) == 1 else "columns"
    else:
        given = tuple([k if k in operands else None for k in ("x", "target", "w")])
        made = [Reference(
            reference.losses, (*given, "weights"), tuple(outputs), body=body, dim=dim,
            wanted=tuple(outputs), ignored=ignored, keep=1 - smoothing,
            share=smoothing / max(1, c),
        )]  # fmt: skip
    return Plan(
        f"cross_entropy.{way}", ("x", "target", "w"), outputs, made, scalars=("weights",),
        flops=6 * scores.size, bytes=nbytes(*operands.values(), *outputs.values()),
    )  # fmt: skip


@functools.lru_cache(maxsize=1024)
def plan_cross_entropy_grad(
    g: Line, x: Line, target: Line, w: Line, ignored: int, smoothing: float
) -> Plan:
    """dx of g (None where all have one, `slope`), x, target, w and sums."""
    operands = metas({"g": g, "x": x, "target": target, "w": w})
    scores = operands["x"]
    dim, wide = class_dim(scores), computed(scores.dtype)
    shape, c = without(scores.shape, dim), scores.shape[dim]
    operands["sums"] = MetaArray((3 if smoothing else 2, *shape), wide)
    if g is None:
        operands["slope"] = MetaArray((), wide)
    body = bodies.smooth_cross_entropy_grad if smoothing else bodies.cross_entropy_grad
    outputs = {"dx": MetaArray(scores.shape, scores.dtype)}
    smooth = {"keep": 1 - smoothing, "share": smoothing / c} if smoothing and c else {}
    made: list[Any] = []
    taken, names = prepared(dict(operands), dim, made)
    way = "numpy"
    if takes(body, taken, dim, tuning.LOSS_LEAST):
        more = {"weights": "weights", **smooth} if smoothing else {}
        made += launches(body, taken, ("dx",), dim, {**more, "ignored": ignored}, names)
        way = "rows" if math.prod(scores.shape[dim + 1 :]) == 1 else "columns"
    else:
        read = ("g", "x", "target", "w", "sums", "slope")
        given = tuple([k if k in operands else None for k in read])
        made = [Reference(
            reference.slopes, (*given, "weights"), ("dx",), body=body, dim=dim, ignored=ignored,
            keep=1 - smoothing, share=smoothing / max(1, c),
        )]  # fmt: skip
    return Plan(
        f"cross_entropy_grad.{way}", ("g", "slope", "x", "target", "w", "sums"), outputs, made,
        scalars=("weights",), flops=5 * scores.size,
        bytes=nbytes(*operands.values(), *outputs.values()),
    )  # fmt: skip


def line(a: Array | None) -> Line:
    """The part of a key that stands for an operand that may be missing."""
    return None if a is None else (a.dtype, a.shape, a.strides)


def all_weights(w: Array | None, classes: int, dtype: Any) -> float:
    """The sum of the weights of all classes."""
    return float(classes) if w is None else float(w.astype(computed(dtype), copy=False).sum())


def cross_entropy(
    x: Array, target: Array, w: Array | None, reduction: str, ignored: int, smoothing: float
) -> tuple[Array, Array, Array]:
    """The losses, their sum or mean; what the gradient needs of each row; what a mean is divided
    by.

    Raises IndexError for a target that is no class and not `ignored`.
    """
    if not x.shape[class_dim(x)]:
        return without_classes(x, target, reduction, ignored, smoothing)
    plan = plan_cross_entropy(
        (x.dtype, x.shape, x.strides), (target.dtype, target.shape, target.strides), line(w),
        ignored, smoothing,
    )  # fmt: skip
    weights = all_weights(w, x.shape[class_dim(x)], x.dtype) if smoothing else 0.0
    skipped = 0
    status, sums, loss, *factor = plan.run(x, target, w, weights)
    if not all_count(target, x.shape[class_dim(x)], ignored):
        if status[0]:
            raise no_class(target, x.shape[class_dim(x)], ignored)
        skipped = int(status[1])
    total = factor[0].sum() if factor else loss.dtype.type(loss.size - skipped)
    if reduction == "none":
        found = loss
    elif reduction == "sum" or (not skipped and not factor and loss.size):
        found = np.asarray(add_reduce(loss, tuple(range(loss.ndim))))
        if reduction == "mean":
            found = np.true_divide(found, total)
    else:
        with np.errstate(all="ignore"):
            found = np.true_divide(np.asarray(np.add.reduce(loss, axis=None)), total)
    found = np.asarray(found)
    return found if found.dtype == x.dtype else found.astype(x.dtype), sums, np.asarray(total)


def without_classes(
    x: Array, target: Array, reduction: str, ignored: int, smoothing: float
) -> tuple[Array, Array, Array]:
    """`cross_entropy` of scores of no class, whose targets are all ignored: nothing counts."""
    if (target != ignored).any():
        raise no_class(target, 0, ignored)
    loss = np.zeros(target.shape if reduction == "none" else (), x.dtype)
    if reduction == "mean":
        loss = np.full((), np.nan, x.dtype)
    wide = computed(x.dtype)
    return loss, np.zeros((3 if smoothing else 2, *target.shape), wide), np.zeros((), wide)


def cross_entropy_gradient(
    g: Array, x: Array, target: Array, w: Array | None, sums: Array, total: Array, reduction: str,
    ignored: int, smoothing: float,
) -> Array:  # fmt: skip
    """The gradient of x, given that of the loss."""
    if not x.size:
        return np.zeros_like(x)
    key = ((x.dtype, x.shape, x.strides), (target.dtype, target.shape, target.strides), line(w),
           ignored, smoothing)  # fmt: skip
    weights = all_weights(w, x.shape[class_dim(x)], x.dtype) if smoothing else 0.0
    if reduction == "none":
        return plan_cross_entropy_grad(line(g), *key).run(g, None, x, target, w, sums, weights)
    slope = g if g.dtype is total.dtype else np.asarray(g, total.dtype)
    if reduction == "mean":
        if w is None and total:  # a count of at least one: nothing that NumPy would warn of
            slope = np.asarray(np.true_divide(slope, total))
        else:
            with np.errstate(all="ignore"):
                slope = np.asarray(np.true_divide(slope, total))
    plan = plan_cross_entropy_grad(None, *key)
    return plan.run(None, slope, x, target, w, sums, weights)


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

