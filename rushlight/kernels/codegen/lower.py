"""From formulas to instructions: what each op of a formula is in machine code.

`written(root, variables)` makes, of an `Expr`, the function that `elementwise/` calls to write one
vector. Ops that are not in the table and have a formula of their own are replaced by it.

Not here: the formulas (`rushlight/ops/`), which are named in the table by the names of their ops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import quotients, vecmath, vecspecial
from .expr import Expr, Trace, order
from .ir import F64, FLOATS, I1, I32, I64, Function, Value, element, lanes, vector


class NoKernel(Exception):
    """This formula cannot be machine code; NumPy computes it."""


def maximum(f: Function, a: Value, b: Value) -> Value:
    """NaN if one is."""
    return f.select((a > b) | (a != a), a, b)


def minimum(f: Function, a: Value, b: Value) -> Value:
    return f.select((a < b) | (a != a), a, b)


def fmax(f: Function, a: Value, b: Value) -> Value:
    """NaN only if both are."""
    return f.select((a >= b) | (b != b), a, b)


def fmin(f: Function, a: Value, b: Value) -> Value:
    return f.select((a <= b) | (b != b), a, b)


def magnitude(f: Function, x: Value) -> Value:
    if element(x.type) in FLOATS:
        return f.fabs(x)
    return f.select(x < 0, 0 - x, x)


def where(f: Function, condition: Value, a: Value, b: Value) -> Value:
    return f.select(condition, a, b)


def sign(f: Function, x: Value) -> Value:
    """-1, 0 or 1; 0 for NaN."""
    return f.select(x > 0, f.const(x.type, 1), f.select(x < 0, f.const(x.type, -1), 0))


def power(f: Function, a: Value, b: Any) -> Value:
    """a**b; whole and half exponents that are constants become products and roots."""
    if isinstance(b, Value):
        return vecmath.pow(f, a, b)
    if b in (0.5, -0.5):
        return f.sqrt(a) if b == 0.5 else 1.0 / f.sqrt(a)
    if b in (1, 2, 3):
        return {1: a, 2: a * a, 3: a * a * a}[int(b)]
    if b in (-1, -2):
        return 1.0 / (a if b == -1 else a * a)
    return vecmath.pow(f, a, f.const(a.type, float(b)))


def rounded(name: str) -> Callable[..., Value]:
    return lambda f, x: f.same(name, x)


def hypot(f: Function, a: Value, b: Value) -> Value:
    """Of float32 by way of float64, where no square overflows; float64 is NumPy's."""
    if element(a.type) == F64:
        raise NoKernel("hypot in float64")
    wide = [f.convert(x, F64) for x in (a, b)]
    y = f.convert(f.sqrt(wide[0] * wide[0] + wide[1] * wide[1]), element(a.type))
    return f.select(infinite(f, a) | infinite(f, b), float("inf"), y)  # whatever the other one is


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
    "logical_and": lambda f, a, b: a & b,
    "logical_or": lambda f, a, b: a | b,
    "logical_xor": lambda f, a, b: a ^ b,
    "logical_not": lambda f, a: ~a,
    "maximum": maximum,
    "minimum": minimum,
    "fmax": fmax,
    "fmin": fmin,
    "where": where,
    "abs": magnitude,
    "sqrt": vecmath.sqrt,
    "sign": sign,
    "floor": rounded("floor"),
    "ceil": rounded("ceil"),
    "trunc": rounded("trunc"),
    "round": rounded("rint"),
    "fmod": quotients.fmod,
    "remainder": quotients.remainder,
    "floor_divide": quotients.floor_divide,
    "trunc_divide": quotients.trunc_divide,
    "hypot": hypot,
    "isnan": lambda f, x: x != x,
    "isinf": infinite,
    "isfinite": finite,
    "copysign": vecmath.copysign,
}
# Those of many instructions and constants.
FUNCTIONS: dict[str, Callable[..., Value]] = {
    **{
        name: getattr(vecmath, name)
        for name in (
            "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "sinh",
            "cosh", "tanh", "sigmoid", "erf", "erfc", "logaddexp", "logaddexp2",
        )
    },
    **{
        name: getattr(vecspecial, name)
        for name in (
            "asin", "acos", "atan", "atan2", "asinh", "acosh", "atanh", "erfinv", "lgamma",
            "digamma", "entr", "xlogy", "xlog1py",
        )
    },
}  # fmt: skip
TABLE |= FUNCTIONS
COMPARISONS = {"eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite"}
LOGICAL = {"logical_and", "logical_or", "logical_xor", "logical_not"}
BITWISE = {"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"}
OF_INTEGERS = {"add", "sub", "mul", "neg", "maximum", "minimum", "fmax", "fmin", "abs", "sign",
               "where", "eq", "ne", "lt", "le", "gt", "ge", *LOGICAL, *BITWISE}  # fmt: skip
OF_BOOLEANS = {"eq", "ne", "where", *LOGICAL, *BITWISE}


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


def written(
    root: Expr, variables: Sequence[Expr], compute: str | None = None
) -> Callable[..., list[Value]]:
    """The function that writes `root` given the variables, computed in the type `compute`, or in
    that of the first one that is a float.

    A variable is a vector or, where it is one number for all elements, a number of 64 bits. What is
    made of numbers alone is computed once, in 64 bits, as Python would compute it.
    """
    nodes = order(root)

    def write(f: Function, *values: Value) -> list[Value]:
        width = max(lanes(v.type) for v in values)
        kind = compute or next(e for v in values if (e := element(v.type)) in FLOATS)
        wide = vector(kind, width)
        made: dict[int, Value] = {id(x): v for x, v in zip(variables, values, strict=True)}
        for node in nodes:
            if node.op is not None:
                args = [made[id(a)] if isinstance(a, Expr) else a for a in node.args]
                made[id(node)] = step(f, node.op.name, args, wide)
        y = made[id(root)]
        return [y if element(y.type) == I1 and lanes(y.type) == width else brought(f, y, wide)]

    return write


def step(f: Function, name: str, args: list[Any], wide: str) -> Value:
    """One node: its operands are brought to one type, then its instructions are written."""
    number = not any(isinstance(a, Value) and lanes(a.type) > 1 for a in args)
    if number and lanes(wide) > 1:  # of numbers alone
        known = [element(a.type) for a in args if isinstance(a, Value)]
        if name == "where" or any(e == I1 for e in known):
            raise NoKernel(f"{name} of numbers")
        wide = element(I64 if element(wide) in (I32, I64) else F64)
    booleans = [is_bit(a) for a in args if isinstance(a, Value)]
    compute = element(wide)
    if name in LOGICAL:
        bits = [a if is_bit(a) else f.compare("ne", brought(f, a, wide), 0) for a in args]
        return TABLE[name](f, *bits)
    if name == "where":
        condition = args[0] if is_bit(args[0]) else f.compare("ne", brought(f, args[0], wide), 0)
        if all(is_bit(a) for a in args[1:]):
            return where(f, condition, *args[1:])
        return where(f, condition, *[brought(f, a, wide) for a in args[1:]])
    if all(booleans) and len(booleans) == len(args):
        if name in OF_BOOLEANS:
            return TABLE[name](f, *args)
        if compute == I1:
            raise NoKernel(f"{name} of booleans")
    if compute == I1 or (compute not in FLOATS and name not in OF_INTEGERS):
        raise NoKernel(f"{name} in integers")
    if name in BITWISE and compute in FLOATS:
        raise NoKernel(f"{name} of floats")
    if name == "pow" and not isinstance(args[1], Value):
        return power(f, brought(f, args[0], wide), args[1])
    return TABLE[name](f, *[brought(f, a, wide) for a in args])


def is_bit(v: Any) -> bool:
    return isinstance(v, Value) and element(v.type) == I1


def brought(f: Function, v: Any, wide: str) -> Value:
    """A value or a number as a vector of the type that is computed in."""
    if not isinstance(v, Value):
        if not isinstance(v, (bool, int, float)):
            raise NoKernel(f"a formula with {v!r}")
        if element(wide) not in FLOATS and v != int(v):
            raise NoKernel(f"{v!r} among integers")
        return f.const(wide, v)
    if element(v.type) in FLOATS and element(wide) not in FLOATS:
        raise NoKernel("a float among integers")
    v = f.convert(v, element(wide))
    return f.splat(v, lanes(wide)) if lanes(v.type) < lanes(wide) else v


def is_boolean(root: Expr, booleans: set[str]) -> bool:
    """Whether a formula's value is true or false, given the names of variables that are."""
    if root.op is None:
        return root.name in booleans
    name = root.op.name
    if name in COMPARISONS or name in LOGICAL:
        return True
    if name in BITWISE or name == "where":
        return all(
            isinstance(a, Expr) and is_boolean(a, booleans) for a in root.args[name == "where" :]
        )
    return False
