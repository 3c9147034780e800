"""Row kernels of losses over classes: the log of a row's sum of exponentials, its gradient.

Bodies for `rows.kernel`. Not here: when they are used (`kernels/loss_native.py`).
"""

from __future__ import annotations

from . import vecmath
from .ir import Value
from .rows import Row


def log_sums(r: Row) -> None:
    """The largest element of each row, and log sum exp(x - it)."""
    f = r.f
    most = r.reduce("max", lambda i: r.load("x", i))
    top = r.wide(most)
    total = r.reduce("add", lambda i: vecmath.exp(f, r.load("x", i) - top))
    r.set_one("top", most)
    r.set_one("log", vecmath.log(f, total))


def finite_log_sums(r: Row) -> None:
    """log sum exp(x) of each row, also where its largest element is infinite."""
    f = r.f
    most = r.reduce("max", lambda i: r.load("x", i))
    most = f.select(f.fabs(most) < float("inf"), most, 0.0)
    top = r.wide(most)
    total = r.reduce("add", lambda i: vecmath.exp(f, r.load("x", i) - top))
    r.set_one("y", vecmath.log(f, total) + most)


def shares(r: Row) -> None:
    """exp((x - top) - log) * scale."""
    f = r.f
    top, less, scale = (r.wide(r.one(k)) for k in ("top", "log", "scale"))

    def write(i: Value) -> None:
        r.store("dx", i, vecmath.exp(f, (r.load("x", i) - top) - less) * scale)

    r.each(write)
