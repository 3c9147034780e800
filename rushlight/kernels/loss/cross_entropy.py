"""Losses over classes: the log of a row's sum of exponentials, and its gradient.

Bodies for `rows.kernel` and `rows.column_kernel`. Not here: when they are used
(`select.py`).
"""

from __future__ import annotations

from ..codegen import vecmath
from ..codegen.ir import Value
from ..codegen.rows import Row


def log_sums(r: Row) -> None:
    """The largest element of each row, log sum exp(x - it), and where "all" is wanted also the sum
    of (x - it) * w, or of x - it."""
    f = r.f
    most = r.reduce("max", lambda i: r.load("x", i))
    top = r.wide(most)

    def values(i: Value) -> tuple[Value, ...]:
        r.next("x", i)
        d = r.load("x", i) - top
        power = vecmath.exp_below_zero(f, d)
        if not r.has("all"):
            return (power,)
        return power, d * r.load("w", i) if r.has("w") else d

    found = r.totals(2 if r.has("all") else 1, values)
    r.set_one("top", most)
    r.set_one("log", vecmath.log(f, found[0]))
    if r.has("all"):
        r.set_one("all", found[1])


def finite_log_sums(r: Row) -> None:
    """log sum exp(x) of each row, also where its largest element is infinite."""
    f = r.f
    most = r.reduce("max", lambda i: r.load("x", i))
    most = f.select(f.fabs(most) < float("inf"), most, 0.0)
    top = r.wide(most)
    total = r.reduce("add", lambda i: vecmath.exp(f, r.load("x", i) - top))
    r.set_one("y", vecmath.log(f, total) + most)


def shares(r: Row) -> None:
    """exp((x - top) - log) * scale, less `less` * w or `less` where that is given."""
    f = r.f
    top, log, scale = (r.wide(r.one(k)) for k in ("top", "log", "scale"))
    less = r.wide(r.one("less")) if r.has("less") else None

    def write(i: Value) -> None:
        y = vecmath.exp_below_zero(f, (r.load("x", i) - top) - log) * scale
        if less is not None:
            y = y - (less * r.load("w", i) if r.has("w") else less)
        r.store("dx", i, y)

    r.each(write)
