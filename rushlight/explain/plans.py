"""What records say of the operations of a recording: formula, derivative, plan, what it costs.

Asked once for each record and each set of shapes, when the recording is over.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import math
import os
import textwrap
from typing import Any

from ..kernels.codegen.expr import Expr
from ..kernels.launch import Launch, Series
from ..kernels.meta import MetaArray
from ..ops.core.composite import Composite
from ..ops.core.record import Op
from ..show import formula as formula_of
from ..show import plan_of, source, what_computes
from .recording import NONE, Event, Plan, Record, Value

_HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
REFUSALS = (TypeError, ValueError, AttributeError, IndexError, KeyError, RuntimeError,
            NotImplementedError, ZeroDivisionError)  # fmt: skip
MOST_LINES = 300  # of a program that are shown
# Of the gradients of these, each costs what the forward costs.
PRODUCTS = ("convolution", "conv", "matmul", "linear", "mm", "bmm", "addmm", "baddbmm", "einsum",
            "attention", "bilinear", "lstm", "gru", "rnn")  # fmt: skip


class Asked:
    """Records and plans, as they are asked for.

    Attributes:
        records, plans: those of the recording.
    """

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.plans: list[Plan] = []
        self._records: dict[int, int] = {}
        self._plans: dict[int, int] = {}
        self._texts: dict[str, int] = {}
        self._why: dict[tuple[int, int], str] = {}

    def fill(self, events: list[Event], ops: dict[int, Any], calls: dict[int, Any]) -> None:
        """Give events their records, plans and costs."""
        for place, what in ops.items():
            event = events[place]
            if event.kind == "compiled":
                event.plan = self.program(what)
                continue
            event.record = self.record(what)
            if not isinstance(what, Op):
                continue
            for s in event.saved:
                s.why = self.why(what, int(s.why))
            call = calls.get(place)
            if call is not None:
                event.plan = self.plan(call)
            if what.view:
                continue  # it reads and writes nothing
            if event.plan != NONE:
                plan = self.plans[event.plan]
                event.flops, event.bytes = plan.flops, plan.bytes
            if not event.bytes:
                event.bytes = sum(map(size, (*event.takes, *event.gives)))
        for event in events:
            if event.kind == "leaf":  # the first gradient stays where it is
                added = len(event.takes) > 1
                event.bytes = sum(map(size, (*event.takes, *event.gives))) if added else 0
            if event.kind == "node" and event.of != NONE:
                of = events[event.of]
                event.record = of.record
                if event.made:  # others hand their gradient on, or a view of it
                    event.bytes = sum(map(size, (*event.takes, *event.gives)))
                    event.bytes += sum([s.bytes for s in of.saved])
                    event.flops = flops_of_node(event, of)

    def record(self, what: Any) -> int:
        """The record of an operation, a composite or a Function."""
        found = self._records.get(id(what))
        if found is None:
            found = self._records[id(what)] = len(self.records)
            self.records.append(told(what))
        return found

    def plan(self, call: Any) -> int:
        """The plan of a call, as it is kept by the observer."""
        found = self._plans.get(id(call))
        if found is None:
            found = self._plans[id(call)] = self._ask(*call)
        return found

    def _ask(self, op: Any, metas: Any, kw: dict[str, Any]) -> int:
        operands = tuple([
            MetaArray(m[0], m[1], m[2]) if m.__class__ is tuple else m for m in metas
        ])  # fmt: skip
        try:
            plan = plan_of(op, operands, {**op.defaults, **kw})
            kernels: list[Any] = []
            for launch in plan.launches:
                if isinstance(launch, (Launch, Series)):
                    kernels += launch.launches if isinstance(launch, Series) else [launch]
            text = f"{what_computes(op, plan, kernels, operands)}\n{plan.describe()}"
        except REFUSALS:  # a plan wants numbers, or knows no such operand
            return NONE
        found = self._texts.get(text)
        if found is None:
            found = self._texts[text] = len(self.plans)
            flops = plan.flops
            if flops is None or (not flops and op.kind == "elementwise"):
                flops = sum([math.prod(m.shape) for m in plan.outputs.values()])
            self.plans.append(Plan(text, flops, plan.bytes))
        return found

    def program(self, program: Any) -> int:
        """The lines of a compiled program, as a plan."""
        found = self._plans.get(id(program))
        if found is None:
            lines = repr(program).splitlines()
            more = [f"... {len(lines) - MOST_LINES} lines more"] if len(lines) > MOST_LINES else []
            found = self._plans[id(program)] = len(self.plans)
            self.plans.append(Plan("\n".join([*lines[:MOST_LINES], *more]), 0, 0))
        return found

    def why(self, op: Any, place: int) -> str:
        """The line of the derivative that reads what is saved at a place."""
        key = id(op), place
        if key not in self._why:
            self._why[key] = self._reader(op, place)
        return self._why[key]

    def _reader(self, op: Any, place: int) -> str:
        try:
            rules = op.get_rules() or ()
            names = ["y", *op.inputs]
            name = names[place] if place < len(names) else names[-1]
            for k, rule in enumerate(rules):
                keeps = op.keeps(k, max(len(op.inputs), place))
                if rule is None or place >= len(keeps) or not keeps[place]:
                    continue
                if hasattr(rule, "formula"):
                    return f"d/d{op.inputs[k]} = {rule.formula}"
                return reading(rule, place, name)
        except REFUSALS:
            pass
        return ""


def reading(rule: Any, place: int, name: str) -> str:
    """The line of a rule that reads its parameter at `place` (0 is the gradient)."""
    code = getattr(rule, "__code__", None)
    if code is not None and place + 1 < code.co_argcount:
        name = code.co_varnames[place + 1]
    try:
        text = textwrap.dedent(inspect.getsource(rule)).strip().rstrip(",")
    except (OSError, TypeError):
        return ""
    tree = parsed(text)
    if tree is None:
        return text.splitlines()[0].strip()
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda):
            given = [a.arg for a in node.args.args]
            if name in given and name in names_in(node.body):
                return f"lambda {', '.join(given)}: {ast.unparse(node.body)}"
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    for names in (values_in, names_in):  # rather what reads the numbers than what reads the shape
        for function in functions:
            for statement in function.body:
                if name in names(statement):
                    return first_reading(statement, name, names)
    return text.splitlines()[0].strip()


def parsed(text: str) -> ast.Module | None:
    """The tree of a rule's source, of which the end may be missing; None for what is no Python."""
    for more in ("", ")", "))", "\n    pass"):
        with contextlib.suppress(SyntaxError):
            return ast.parse(text + more)
    return None


def names_in(node: ast.AST) -> set[str]:
    """The names that a piece of source reads."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def values_in(node: ast.AST) -> set[str]:
    """The names of which it reads more than shape and type."""
    outer = {
        id(n.value) for n in ast.walk(node)
        if isinstance(n, ast.Attribute) and n.attr in ("shape", "ndim", "dtype", "size")
    }  # fmt: skip
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and id(n) not in outer}


def first_reading(statement: ast.stmt, name: str, names: Any) -> str:
    """The line of a statement that reads a name, of a block the first one in it."""
    for inner in [s for f in ("body", "orelse") for s in getattr(statement, f, ())]:
        if name in names(inner):
            return first_reading(inner, name, names)
    return ast.unparse(statement).splitlines()[0]


def told(what: Any) -> Record:
    """What a record says."""
    if isinstance(what, Op):
        derivative = "none"
        with contextlib.suppress(*REFUSALS):
            derivative = derivative_of(what)
        file, number = what.declared
        name, doc, formula = what.name, what.__doc__, formula_of(what) or ""
    else:
        fn = what.fn if isinstance(what, Composite) else what
        while hasattr(fn, "__wrapped__"):
            fn = fn.__wrapped__
        code = getattr(fn, "__code__", None) or getattr(
            getattr(fn, "forward", None), "__code__", None
        )
        file, number = (code.co_filename, code.co_firstlineno) if code is not None else ("", 0)
        name = what.name if isinstance(what, Composite) else what.__name__
        doc, formula, derivative = fn.__doc__, "", "of the operations it is made of"
    summary = (doc or "").strip().split("\n\n")[0].replace("\n", " ")
    return Record(name, " ".join(summary.split()), formula, derivative,
                  f"{file.removeprefix(_HOME)}:{number}" if file else "")  # fmt: skip


def derivative_of(op: Any) -> str:
    """The rules of a record as text."""
    rules = op.get_rules()
    if rules is None:
        return "none"
    if rules and hasattr(rules[0], "formula"):
        return "\n".join([
            f"{name}: {rule.formula if isinstance(rule.formula, Expr) else 0}"
            for name, rule in zip(op.inputs, rules, strict=False)
        ])  # fmt: skip
    texts = [source(rule) for rule in rules if rule is not None]
    return "\n".join(dict.fromkeys(texts))


def size(v: Value) -> int:
    """Bytes of a value."""
    from .. import dtypes

    kind = getattr(dtypes, v.dtype, None)
    each: int = kind.itemsize if kind is not None else 8
    return math.prod(v.shape) * each


def flops_of_node(event: Event, of: Event) -> int:
    """What a derivative costs: each gradient of a product as much as the product, each of another
    operation as many as it has elements."""
    if of.flops and any(word in of.name for word in PRODUCTS):
        return of.flops * min(2, max(1, len([v for v in event.gives if len(v.shape) > 1])))
    return sum([math.prod(v.shape) for v in event.gives])


