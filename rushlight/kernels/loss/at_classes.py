"""Numbers at classes, for compiled steps: nll_loss and its gradient by kernels, with NumPy's bits.

Eager calls index with arrays (`ops/nn/loss_classes.py`), which is quick and looks at the numbers of
the targets. A compiled step must not look: it makes sure before each run that all targets are
classes that count (`indices.within`), and calls these. A number is picked, its sign is turned, and
it is multiplied once: there is no other way to round.

Not here: losses that compute more than that (`cross_entropy.py`), which kernel computes those
(`select.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ..codegen.row_body import row_body
from ..indices import asked
from ..meta import MetaArray
from ..plan import Plan, nbytes
from ..rows import WIDE_ELEMENTS, contiguous, launches, takes
from .select import INT64, Line, all_count, class_dim, line, metas, without

Array = Any
Shape = tuple[int, ...]
TARGET = {"target": "index: the class", "w": "line: weight of each class"}


@row_body({
    "x": "row: log-probabilities", **TARGET, "loss": "one: the loss",
    "factor": "one: the weight of the target's class",
})  # fmt: skip
def nll(r: Any) -> None:
    """loss = -x[t] w[t]."""
    at = r.index("target")
    loss = -r.pick("x", at)
    if r.has("w"):
        w = r.pick("w", at)
        loss = loss * w
        r.set_one("factor", w)
    r.set_one("loss", loss)


@row_body({
    "dx": "row: gradient of x", **TARGET, "g": "one: minus the gradient of each loss",
    "slope": "number: the same where it is one for all",
})  # fmt: skip
def nll_grad(r: Any) -> None:
    """dx = g w[t] at the class, and 0 elsewhere."""
    at = r.index("target")
    value = r.one("g" if r.has("g") else "slope")
    if r.has("w"):
        value = value * r.pick("w", at)
    zero = r.wide(r.number(0.0))
    r.each(lambda i: r.store("dx", i, zero))
    r.put_at("dx", at, value)


@row_body({"factor": "row: the weight of the target's class", **TARGET})
def class_weight(r: Any) -> None:
    """factor = w[t], in rows of one element."""
    w = r.wide(r.pick("w", r.index("target")))
    r.each(lambda i: r.store("factor", i, w))


def plan_of(
    name: str, body: Any, operands: dict[str, Any], outputs: dict[str, MetaArray], dim: int
) -> Plan | None:
    """The plan of a body, which writes those outputs that it calls rows over their whole length;
    None for what kernels do not take as it lies."""
    rows = {k: m for k, m in outputs.items() if body.kinds[k] == "row"}
    x = next(m for k, m in {**rows, **operands}.items() if body.kinds[k] == "row")
    target = operands["target"]
    if x.dtype not in WIDE_ELEMENTS or target.dtype != INT64 or not contiguous(target):
        return None
    if not takes(body, {**rows, **operands}, dim, 1):
        return None
    rest = [k for k in outputs if k not in rows]
    made = launches(body, {**rows, **operands}, rest, dim)
    way = "rows" if math.prod(x.shape[dim + 1 :]) == 1 else "columns"
    size = nbytes(*operands.values(), *outputs.values())
    return Plan(f"{name}.{way}", tuple(operands), outputs, made, bytes=size)


@functools.lru_cache(maxsize=256)
def plan_nll(x: Line, target: Line, w: Line) -> Plan | None:
    """loss and (with weights) factor of x, target and w."""
    operands = metas({"x": x, "target": target, "w": w})
    scores = operands["x"]
    dim = class_dim(scores)
    one = MetaArray(without(scores.shape, dim), scores.dtype)
    outputs = {"loss": one} | ({} if w is None else {"factor": one})
    return plan_of("nll", nll, operands, outputs, dim)


@functools.lru_cache(maxsize=256)
def plan_nll_grad(shape: Shape, dtype: Any, g: Line, target: Line, w: Line) -> Plan | None:
    """dx of g (None where all have one, `slope`), target and w."""
    operands = metas({"g": g, "target": target, "w": w})
    if g is None:
        operands["slope"] = MetaArray((), dtype)
    out = MetaArray(shape, dtype)
    return plan_of("nll_grad", nll_grad, operands, {"dx": out}, class_dim(out))


@functools.lru_cache(maxsize=256)
def plan_class_weight(target: Line, w: Line) -> Plan | None:
    """The factor of each target, in rows of one."""
    operands = metas({"target": target, "w": w})
    shape = (*operands["target"].shape, 1)
    outputs = {"factor": MetaArray(shape, operands["w"].dtype)}
    return plan_of("class_weight", class_weight, operands, outputs, len(shape) - 1)


def given(*arrays: Array | None) -> list[Array]:
    return [a for a in arrays if a is not None]


def losses(
    x: Array, target: Array, w: Array | None, classes: int, ignored: int
) -> tuple[Array, Array | None] | None:
    """-w[t] x[t] and w[t]; None where NumPy computes it, which looks at the targets."""
    if not asked():
        return None
    plan = plan_nll(line(x), line(target), line(w))
    if plan is None or not all_count(target, classes, ignored):
        return None
    found = plan.run(*given(x, target, w))
    return (found, None) if w is None else found


def slopes(
    grad: Array, target: Array, w: Array | None, shape: Shape, mean: bool, ignored: int
) -> Array | None:
    """The gradient of x; None where NumPy computes it, which looks at the targets."""
    if not asked():
        return None
    shape = tuple(shape)
    each = line(MetaArray(grad.shape, grad.dtype)) if grad.ndim else None
    plan = plan_nll_grad(shape, grad.dtype, each, line(target), line(w))
    weighing = plan_class_weight(line(target), line(w)) if mean and w is not None else None
    if plan is None or (mean and w is not None and weighing is None):
        return None
    if not all_count(target, shape[1 if len(shape) > 1 else 0], ignored):
        return None
    g = np.negative(grad)
    if mean:
        total = grad.dtype.type(target.size)
        if weighing is not None:
            total = weighing.run(target, w).reshape(target.shape).sum()
        with np.errstate(all="ignore"):
            g = np.true_divide(g, total)
    g = np.asarray(g)
    if not g.flags.c_contiguous:
        return None
    if each is None:
        return plan.run(*given(target, w), g)
    return plan.run(g, *given(target, w))
