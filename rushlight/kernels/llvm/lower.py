"""From formulas to instructions: what each op of a formula is in machine code.

`written(root, variables)` makes, of an `Expr`, the function that `elementwise.kernel` calls to
write one vector. Ops that are not in the table and have a formula of their own are replaced by it.

Not here: the formulas (`rushlight/ops/`), which are named in the table by the names of their ops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..expr import Expr, Trace, order
from . import vecmath
from .ir import FLOATS, I1, Function, Value, element, with_element


class NoKernel(Exception):
    """This formula cannot be machine code; NumPy computes it."""


def maximum(f: Function, a: Value, b: Value) -> Value:
    """NaN if one is."""
    return f.select((a > b) | (a != a), a, b)


def minimum(f: Function, a: Value, b: Value) -> Value:
    return f.select((a < b) | (a != a), a, b)


def where(f: Function, condition: Value, a: Value, b: Value) -> Value:
    return f.select(condition, a, b)


def sign(f: Function, x: Value) -> Value:
    """-1, 0 or 1; 0 for NaN."""
    return f.select(x > 0.0, 1.0, f.select(x < 0.0, f.const(x.type, -1.0), 0.0))


def power(f: Function, a: Value, b: Any) -> Value:
    """a**b; whole and half exponents that are constants become products and roots."""
    if isinstance(b, Value):
        return vecmath.pow(f, a, b)
    if b == 0.5:
        return f.sqrt(a)
    if b in (1, 2, 3):
        return {1: a, 2: a * a, 3: a * a * a}[int(b)]
    if b in (-1, -2):
        return 1.0 / (a if b == -1 else a * a)
    return vecmath.pow(f, a, f.const(a.type, float(b)))


def rounded(name: str) -> Callable[..., Value]:
    return lambda f, x: f.same(name, x)


def infinite(f: Function, x: Value) -> Value:
    return f.fabs(x) == float("inf")


def finite(f: Function, x: Value) -> Value:
    return f.fabs(x) < float("inf")


TABLE: dict[str, Callable[..., Value]] = {
    "add": lambda f, a, b: a + b,
    "sub": lambda f, a, b: a - b,
    "mul": lambda f, a, b: a * b,
    "div": lambda f, a, b: a / b,
    "neg": lambda f, a: -a,
    "pow": power,
    "eq": lambda f, a, b: f.compare("eq", a, b),
    "ne": lambda f, a, b: f.compare("ne", a, b),
    "lt": lambda f, a, b: f.compare("lt", a, b),
    "le": lambda f, a, b: f.compare("le", a, b),
    "gt": lambda f, a, b: f.compare("gt", a, b),
    "ge": lambda f, a, b: f.compare("ge", a, b),
    "bitwise_and": lambda f, a, b: a & b,
    "bitwise_or": lambda f, a, b: a | b,
    "bitwise_xor": lambda f, a, b: a ^ b,
    "bitwise_not": lambda f, a: ~a,
    "logical_not": lambda f, a: ~a,
    "maximum": maximum,
    "minimum": minimum,
    "where": where,
    "abs": vecmath.fabs,
    "sqrt": vecmath.sqrt,
    "sign": sign,
    "floor": rounded("floor"),
    "ceil": rounded("ceil"),
    "trunc": rounded("trunc"),
    "isnan": lambda f, x: x != x,
    "isinf": infinite,
    "isfinite": finite,
    "copysign": vecmath.copysign,
    **{
        name: getattr(vecmath, name)
        for name in (
            "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin",
            "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "sigmoid",
            "erf", "erfc",
        )
    },
}  # fmt: skip
WANT_BOOLEANS = {"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "logical_not"}
KEEP_NUMBERS = {"pow"}  # writers that look at a constant operand


def expanded(root: Any, trace: Trace) -> Any:
    """The formula with every op outside the table replaced by its own formula."""
    if not isinstance(root, Expr):
        return root
    done: dict[int, Any] = {}
    for node in order(root):
        if node.op is None:
            done[id(node)] = node
            continue
        args = tuple(done[id(a)] if isinstance(a, Expr) else a for a in node.args)
        if node.op.name in TABLE:
            done[id(node)] = trace.call(node.op, args)
        elif getattr(node.op, "ufunc", 0) is None:
            done[id(node)] = expanded(node.op.formula(*args), trace)
        else:
            raise NoKernel(node.op.name)
    return done[id(root)]


def written(root: Expr, variables: Sequence[Expr]) -> Callable[..., list[Value]]:
    """The function that writes `root`, given a vector for each variable."""
    nodes = order(root)

    def write(f: Function, *values: Value) -> list[Value]:
        floats = next(v.type for v in values if element(v.type) in FLOATS)
        made: dict[int, Value] = {id(x): v for x, v in zip(variables, values, strict=True)}
        for node in nodes:
            if node.op is None:
                continue
            name = node.op.name
            args: list[Any] = []
            for i, a in enumerate(node.args):
                if isinstance(a, Expr):
                    args.append(made[id(a)])
                elif name in KEEP_NUMBERS and i == 1:
                    args.append(a)
                elif isinstance(a, (bool, int, float)):
                    args.append(f.const(floats, a))
                else:
                    raise NoKernel(f"{name} of {a!r}")
            booleans = [v for v in args if isinstance(v, Value) and element(v.type) == I1]
            if bool(booleans) != (name in WANT_BOOLEANS) and name != "where":
                args = [as_float(f, v, floats) for v in args]
                if name in WANT_BOOLEANS:
                    raise NoKernel(f"{name} of numbers")
            elif name == "where":
                args[1:] = [as_float(f, v, floats) for v in args[1:]]
                if element(args[0].type) != I1:
                    args[0] = f.compare("ne", args[0], 0.0)
            made[id(node)] = TABLE[name](f, *args)
        return [made[id(root)]]

    return write


def as_float(f: Function, v: Any, type_: str) -> Any:
    """A boolean as 0 or 1."""
    if isinstance(v, Value) and element(v.type) == I1:
        return f.convert(v, element(with_element(v.type, element(type_))))
    return v
