"""Losses over classes: cross entropy, its gradient, logsumexp: bodies that LLVM and NumPy read.

With s the smoothing and C the number of classes, each class gets a part of the target: (1 - s) goes
to the target's class, s / C times the class's weight to every class.

Not here: means and sums of losses (`totals.py`), and which kernel computes a call (`select.py`).
"""

from __future__ import annotations

from typing import Any

from ..codegen.row_body import row_body

IGNORED = {"ignored": "the class index that does not count"}
MEAN = {"mean": "1 where `y` is the mean of the losses, 0 where it is their sum"}
SMOOTHING = {
    "keep": "the part of a target that its class keeps, 1 - s",
    "share": "the part that each class gets, s / C",
    "weights": "the sum of the weights of all classes",
}
OPERANDS = {
    "x": "row: scores",
    "target": "index: the class",
    "w": "line: weight of each class",
}
SUMS = (
    "the largest score, log sum exp(x - it), and with smoothing the sum of w (x - it); behind "
    "those of all rows one number, what a mean is divided by"
)


def log_sums(r: Any, smooth: bool) -> list[Any]:
    """The largest element, log sum exp(x - it), and with smoothing the sum of (x - it) * w, or of
    x - it."""
    most = r.reduce("max", lambda i: r.load("x", i))
    top = r.wide(most)

    def values(i: Any) -> tuple[Any, ...]:
        r.next("x", i)
        d = r.load("x", i) - top
        power = r.exp_below_zero(d)
        if not smooth:
            return (power,)
        return power, d * r.load("w", i) if r.has("w") else d

    total, *others = r.totals(2 if smooth else 1, values)
    return [most, r.log(total), *others]


def target(r: Any) -> tuple[Any, Any]:
    """The class of the target, 0 where it does not count; and whether it counts."""
    t = r.index("target")
    counts = t != r.whole("ignored")
    return r.select(counts, t, 0), counts


def losses(r: Any, smooth: bool) -> None:
    sums = log_sums(r, smooth)
    for k, value in enumerate(sums):
        r.set_one("sums", value, k)
    top, log, *others = sums
    at, counts = target(r)
    loss = log - (r.pick("x", at) - top)
    if r.has("w"):
        w = r.pick("w", at)
        loss = loss * w
        r.set_one("factor", r.select(counts, w, 0.0))
    if smooth:
        spread = log * r.parameter("weights") - others[0]
        loss = loss * r.parameter("keep") + spread * r.parameter("share")
    r.set_one("loss", r.select(counts, loss, 0.0))


def slopes(r: Any, smooth: bool) -> None:
    at, counts = target(r)
    own = r.select(counts, r.one("g" if r.has("g") else "slope"), r.number(0.0))
    top, log = r.one("sums", 0), r.one("sums", 1)
    to_class = own * r.pick("w", at) if r.has("w") else own
    scale, less = to_class, None
    if smooth:
        to_class = to_class * r.parameter("keep")
        less = own * r.parameter("share")
        scale = to_class + less * r.parameter("weights")

    def value(x: Any, top: Any, log: Any, scale: Any, less: Any, w: Any) -> Any:
        y = r.exp_below_zero((x - top) - log) * scale
        return y if less is None else y - (less if w is None else less * w)

    wide: list[Any] = [None if v is None else r.wide(v) for v in (top, log, scale, less)]
    weighted = smooth and r.has("w")

    def write(i: Any) -> None:
        w = r.load("w", i) if weighted else None
        r.store("dx", i, value(r.load("x", i), wide[0], wide[1], wide[2], wide[3], w))

    r.each(write)
    w = r.pick("w", at) if weighted else None
    r.put_at("dx", at, value(r.pick("x", at), top, log, scale, less, w) - to_class)


LOSSES = {
    **OPERANDS,
    "status": "status: how many targets are no class, and how many do not count",
    "sums": f"ones: {SUMS}",
    "loss": "one: the loss",
    "factor": "one: the weight of the target's class",
    "y": "number: the sum or mean of the losses",
}
SLOPES = {
    **OPERANDS,
    "g": "one: gradient of the loss",
    "slope": "number: the same where it is one for all",
    "whole": "number: gradient of the mean of all losses",
    "sums": f"ones: {SUMS}",
    "dx": "row: gradient of x",
}


@row_body(LOSSES, ints=IGNORED | MEAN)
def cross_entropy(r: Any) -> None:
    """loss = -w[t] log softmax(x)[t]."""
    losses(r, False)


@row_body(LOSSES, SMOOTHING, IGNORED | MEAN)
def smooth_cross_entropy(r: Any) -> None:
    """loss = -(1 - s) w[t] log softmax(x)[t] - s / C sum(w log softmax(x))."""
    losses(r, True)


@row_body(SLOPES, ints=IGNORED)
def cross_entropy_grad(r: Any) -> None:
    """dx = g w[t] (softmax(x) - [i = t])."""
    slopes(r, False)


@row_body(SLOPES, SMOOTHING, IGNORED)
def smooth_cross_entropy_grad(r: Any) -> None:
    """dx = g (softmax(x) sum(q) - q) with q = (1 - s) w [i = t] + s / C w."""
    slopes(r, True)


@row_body({"x": "row: scores", "y": "one: the result"})
def log_sum_exp(r: Any) -> None:
    """y = log sum exp(x), also where the largest element is infinite."""
    most = r.reduce("max", lambda i: r.load("x", i))
    most = r.select(r.fabs(most) < float("inf"), most, 0.0)
    top = r.wide(most)
    total = r.reduce("add", lambda i: r.exp(r.load("x", i) - top))
    r.set_one("y", r.log(total) + most)
