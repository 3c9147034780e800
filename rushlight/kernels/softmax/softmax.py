"""Softmax and log-softmax of rows, and their gradients: bodies for `rows.kernel`.

Not here: when they are used (`select.py`).
"""

from __future__ import annotations

from collections.abc import Callable

from ..codegen import vecmath
from ..codegen.ir import BF16, F16, Value
from ..codegen.rows import Row


def softmax(r: Row) -> None:
    """exp(x - max x) / sum exp(x - max x)."""
    f = r.f
    top = r.wide(r.reduce("max", lambda i: r.load("x", i)))

    def power(i: Value) -> Value:
        return vecmath.exp_below_zero(f, r.load("x", i) - top)

    if r.e in (F16, BF16):  # the row of results is too coarse to hold the powers meanwhile
        total = r.reduce("add", power)
        held: Callable[[Value], Value] = power
    else:

        def keep(i: Value) -> Value:
            y = power(i)
            r.store("y", i, y)
            return y

        total = r.reduce("add", keep)
        held = lambda i: r.load("y", i)  # noqa: E731
    share = r.wide(r.number(1.0) / total)
    r.each(lambda i: r.store("y", i, held(i) * share))


def log_softmax(r: Row) -> None:
    """x - max x - log sum exp(x - max x)."""
    f = r.f
    top = r.wide(r.reduce("max", lambda i: r.load("x", i)))

    def power(i: Value) -> Value:
        r.next("x", i)
        return vecmath.exp_below_zero(f, r.load("x", i) - top)

    total = r.reduce("add", power)
    less = r.wide(vecmath.log(f, total))
    r.each(lambda i: r.store("y", i, (r.load("x", i) - top) - less))


def softmax_grad(r: Row) -> None:
    """g y - y sum(g y)."""
    total = r.wide(r.reduce("add", lambda i: (r.load("g", i), r.load("y", i))))

    def write(i: Value) -> None:
        r.store("dx", i, (r.load("g", i) - total) * r.load("y", i))

    r.each(write)


def log_softmax_grad(r: Row) -> None:
    """g - exp(y) sum(g)."""
    f = r.f
    less = r.wide(-r.reduce("add", lambda i: r.load("g", i)))

    def write(i: Value) -> None:
        power = vecmath.exp_below_zero(f, r.load("y", i))
        r.store("dx", i, f.fma(power, less, r.load("g", i)))

    r.each(write)
