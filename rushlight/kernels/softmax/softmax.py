"""Softmax and log-softmax of rows, and their gradients: bodies that LLVM and NumPy read.

Not here: when which of them computes a call (`select.py`).
"""

from __future__ import annotations

from typing import Any

from ..codegen.row_body import row_body


@row_body(
    {"x": "row: scores", "y": "row: the result"}, fronts={"x": "y"}, writes=("y",),
)  # fmt: skip
def softmax(r: Any) -> None:
    """y = exp(x - max x) / sum exp(x - max x)."""
    top = r.wide(r.reduce("max", lambda i: r.load("x", i)))

    def power(i: Any) -> Any:
        return r.exp_below_zero(r.load("x", i) - top)

    def keep(i: Any) -> Any:
        y = power(i)
        r.store("y", i, y)
        return y

    if r.narrow:  # the row of results is too coarse to hold the powers meanwhile
        share = r.divider(r.reduce("add", power))
        r.each(lambda i: r.store("y", i, share(power(i))))
    else:
        share = r.divider(r.reduce("add", keep))
        r.each(lambda i: r.store("y", i, share(r.load("y", i))))


@row_body(
    {"x": "row: scores", "y": "row: the result"}, fronts={"x": "y"}, writes=("y",),
)  # fmt: skip
def log_softmax(r: Any) -> None:
    """y = x - max x - log sum exp(x - max x)."""
    top = r.wide(r.reduce("max", lambda i: r.load("x", i)))

    def power(i: Any) -> Any:
        r.next("x", i)
        return r.exp_below_zero(r.load("x", i) - top)

    less = r.wide(r.log(r.reduce("add", power)))
    r.each(lambda i: r.store("y", i, (r.load("x", i) - top) - less))


@row_body(
    {"g": "row: gradient of y", "y": "row: softmax(x)", "dx": "row: gradient of x"},
    fronts={"g": "dx", "y": None}, writes=("dx",),
)  # fmt: skip
def softmax_grad(r: Any) -> None:
    """dx = g y - y sum(g y)."""
    total = r.wide(r.reduce("add", lambda i: (r.load("g", i), r.load("y", i))))
    r.each(lambda i: r.store("dx", i, (r.load("g", i) - total) * r.load("y", i)))


@row_body(
    {"g": "row: gradient of y", "y": "row: log_softmax(x)", "dx": "row: gradient of x"},
    fronts={"g": "dx", "y": None}, writes=("dx",),
)  # fmt: skip
def log_softmax_grad(r: Any) -> None:
    """dx = g - exp(y) sum(g)."""
    less = r.wide(-r.reduce("add", lambda i: r.load("g", i)))

    def write(i: Any) -> None:
        r.store("dx", i, r.fma(r.exp_below_zero(r.load("y", i)), less, r.load("g", i)))

    r.each(write)
