"""Expr: a scalar formula as data, and its derivative.

The formula of an elementwise op is traced by calling it on `Expr` variables. An Expr node is an op
record applied to other nodes; ops that carry a written rule stay whole. The derivative applies
those same rules to Expr nodes (reverse mode), so there is one text for arrays, Tensors and
formulas.

Not here: machine code (that reads the same nodes). Read next: `ops/core/record.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# Operator name -> op record; filled by ops/elementwise/formulas.py.
_arithmetic: dict[str, Any] = {}


def bind_operators(table: dict[str, Any]) -> None:
    """Say which op records stand behind + - * / ** and the comparisons."""
    _arithmetic.update(table)


class Expr:
    """`op(*args)`, a named variable, or a number. Equal nodes are one object within a `Trace`."""

    __slots__ = ("args", "name", "op", "trace")

    def __init__(self, trace: Trace, op: Any, args: tuple[Any, ...], name: str = "") -> None:
        self.trace = trace
        self.op = op
        self.args = args
        self.name = name

    def __repr__(self) -> str:
        if self.op is None:
            return self.name
        return f"{self.op.name}({', '.join(map(repr, self.args))})"

    def __add__(self, other: Any) -> Any:
        if is_number(other, 0):
            return self
        return self.trace.call(_arithmetic["add"], (self, other))

    def __radd__(self, other: Any) -> Any:
        return self if is_number(other, 0) else self.trace.call(_arithmetic["add"], (other, self))

    def __sub__(self, other: Any) -> Any:
        return self if is_number(other, 0) else self.trace.call(_arithmetic["sub"], (self, other))

    def __rsub__(self, other: Any) -> Any:
        return self.trace.call(_arithmetic["sub"], (other, self))

    def __mul__(self, other: Any) -> Any:
        return self if is_number(other, 1) else self.trace.call(_arithmetic["mul"], (self, other))

    def __rmul__(self, other: Any) -> Any:
        return self if is_number(other, 1) else self.trace.call(_arithmetic["mul"], (other, self))

    def __truediv__(self, other: Any) -> Any:
        return self if is_number(other, 1) else self.trace.call(_arithmetic["div"], (self, other))

    def __rtruediv__(self, other: Any) -> Any:
        return self.trace.call(_arithmetic["div"], (other, self))

    def __pow__(self, other: Any) -> Any:
        return self.trace.call(_arithmetic["pow"], (self, other))

    def __rpow__(self, other: Any) -> Any:
        return self.trace.call(_arithmetic["pow"], (other, self))

    def __neg__(self) -> Any:
        return self.trace.call(_arithmetic["neg"], (self,))

    def __lt__(self, other: Any) -> Any:
        return self.trace.call(_arithmetic["lt"], (self, other))

    def __le__(self, other: Any) -> Any:
        return self.trace.call(_arithmetic["le"], (self, other))

    def __gt__(self, other: Any) -> Any:
        return self.trace.call(_arithmetic["gt"], (self, other))

    def __ge__(self, other: Any) -> Any:
        return self.trace.call(_arithmetic["ge"], (self, other))

    def __eq__(self, other: object) -> Any:
        return self.trace.call(_arithmetic["eq"], (self, other))

    def __ne__(self, other: object) -> Any:
        return self.trace.call(_arithmetic["ne"], (self, other))

    def __and__(self, other: Any) -> Any:
        return self.trace.call(_arithmetic["bitwise_and"], (self, other))

    def __or__(self, other: Any) -> Any:
        return self.trace.call(_arithmetic["bitwise_or"], (self, other))

    def __invert__(self) -> Any:
        return self.trace.call(_arithmetic["bitwise_not"], (self,))

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise TypeError("a formula cannot branch on a value: use where(condition, a, b)")


def is_number(x: Any, value: float) -> bool:
    return isinstance(x, (int, float)) and x == value


class Trace:
    """One formula being written: variables, and each distinct node once (common subexpressions)."""

    def __init__(self) -> None:
        self.nodes: dict[Any, Expr] = {}

    def variable(self, name: str) -> Expr:
        return Expr(self, None, (), name)

    def call(self, op: Any, args: tuple[Any, ...]) -> Expr:
        key = (id(op), tuple(id(a) if isinstance(a, Expr) else (type(a), a) for a in args))
        found = self.nodes.get(key)
        if found is None:
            found = self.nodes[key] = Expr(self, op, args)
        return found


def order(root: Expr) -> list[Expr]:
    """All nodes below `root`, arguments before their users."""
    out: list[Expr] = []
    seen: set[int] = set()
    stack: list[tuple[Expr, bool]] = [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            out.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((a, False) for a in reversed(node.args) if isinstance(a, Expr))
    return out


def derive(fn: Callable[..., Any], n: int) -> list[Callable[..., Any]]:
    """Rules (g, y, *inputs) -> gradient of each input of the elementwise formula `fn`."""
    trace = Trace()
    variables = [trace.variable(f"x{i}") for i in range(n)]
    root = fn(*variables)
    g = trace.variable("g")
    gradients: dict[int, Any] = {id(root): g}
    for node in reversed(order(root)):
        if node.op is None or id(node) not in gradients:
            continue
        rules = node.op.rules
        if rules is None:  # comparisons and the like: no gradient
            continue
        for rule, arg in zip(rules, node.args, strict=True):
            if isinstance(arg, Expr) and depends(arg, variables):
                part = rule(gradients[id(node)], node, *node.args)
                before = gradients.get(id(arg))
                gradients[id(arg)] = part if before is None else before + part
    return [evaluator(gradients.get(id(v)), g, variables) for v in variables]


def depends(node: Expr, variables: list[Expr]) -> bool:
    return any(n is v for n in order(node) for v in variables)


def evaluator(root: Any, g: Expr, variables: list[Expr]) -> Callable[..., Any]:
    """A rule that computes the formula `root` on arrays or Tensors."""
    nodes = order(root) if isinstance(root, Expr) else []

    def rule(g_value: Any, _y: Any, *inputs: Any) -> Any:
        if not isinstance(root, Expr):
            return g_value * 0.0
        values: dict[int, Any] = {id(g): g_value}
        values.update((id(v), x) for v, x in zip(variables, inputs, strict=True))
        for node in nodes:
            if node.op is not None:
                values[id(node)] = node.op(
                    *(values[id(a)] if isinstance(a, Expr) else a for a in node.args)
                )
        return values[id(root)]

    rule.formula = root  # type: ignore[attr-defined]
    return rule
