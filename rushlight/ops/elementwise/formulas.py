"""Arithmetic and elementary functions in one place: what other themes write their formulas with.

Declared in `arithmetic.py`, `elementary.py`, `signs.py`, `rounding.py`. Here they also become the
operators of formulas (`kernels/codegen/expr.py`).
"""

from __future__ import annotations

from ...kernels.codegen import expr
from .arithmetic import (
    add_plain,
    bitwise_and,
    bitwise_not,
    bitwise_or,
    eq,
    ge,
    gt,
    le,
    logical_and,
    logical_or,
    lt,
    maximum,
    minimum,
    mul,
    ne,
    neg,
    no_bools,
    nothing,
    one_and_zero,
    ones_in,
    only,
    sub_plain,
    true_div,
    where,
    zero_like,
)
from .elementary import cos, exp, exp2, expm1, log, log1p, pow, sin, sqrt, tanh
from .rounding import round
from .signs import abs, isfinite, sgn

__all__ = [
    "abs",
    "add_plain",
    "bitwise_and",
    "bitwise_not",
    "cos",
    "exp",
    "exp2",
    "expm1",
    "isfinite",
    "log",
    "log1p",
    "logical_and",
    "logical_or",
    "maximum",
    "minimum",
    "mul",
    "no_bools",
    "nothing",
    "one_and_zero",
    "ones_in",
    "only",
    "pow",
    "round",
    "sgn",
    "sin",
    "sqrt",
    "sub_plain",
    "tanh",
    "true_div",
    "where",
    "zero_like",
]

expr.bind_operators(
    {
        "add": add_plain,
        "sub": sub_plain,
        "mul": mul,
        "div": true_div,
        "neg": neg,
        "pow": pow,
        "lt": lt,
        "le": le,
        "gt": gt,
        "ge": ge,
        "eq": eq,
        "ne": ne,
        "bitwise_and": bitwise_and,
        "bitwise_or": bitwise_or,
        "bitwise_not": bitwise_not,
    }
)
