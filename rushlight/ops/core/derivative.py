"""The third part of a record: its derivative rules, what they keep, and the class of its nodes.

A rule is a function (g, y, *inputs, **parameters) of the incoming gradient g, the output and the
operands. A name that starts with an underscore says that the value is not needed, so it is not
kept. Rules are written with ops, so they run on arrays (ordinary backward) and on Tensors
(`create_graph`). Parameters that a rule names after `*` are those of the call; `shapes` and `needs`
ask for the operands' shapes and for which of them a gradient is wanted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...autograd.node import TensorBase
from ...kernels import dense
from ...kernels.codegen import expr
from .signature import parameters
from .types import Forward, Rule

ndarray = np.ndarray
PASS: Rule = lambda g, _y, _a, _b: g  # noqa: E731 - the rule of an operand that is added
LAZY: tuple[Any, ...] = ("derived from the formula when first needed",)


class Derivative:
    """The rules of an op.

    Attributes:
        node_name: the class name of its nodes, PyTorch's.
        rules: one rule an input, or one joint rule; `LAZY` before a formula is differentiated; None
            when there is no derivative.
        joint: one rule gives the gradients of all inputs, as a tuple.
        differentiable: places of the outputs that can carry a gradient; None for all.
        holomorphic: for complex values the rule is conj(rule(conj(g), ...)).
        saves: places of the outputs that the rules use (of several outputs).
        copies: the output is saved for speed alone: it is copied when somebody changes it in place.
        keep_y: some rule keeps the output.
        names: the parameters that each rule asks for.
        wants_shapes, wants_needs: some rule asks for `shapes`, `needs`.
    """

    def __init__(
        self,
        node_name: str,
        differentiable: tuple[int, ...] | None = None,
        holomorphic: bool = False,
        saves: tuple[int, ...] | None = None,
        copies: bool = False,
    ) -> None:
        self.node_name = node_name
        self.rules: tuple[Any, ...] | None = None
        self.joint = False
        self.differentiable = differentiable
        self.holomorphic = holomorphic
        self.saves = saves
        self.copies = copies
        self.keep_y = False
        self.names: tuple[tuple[str, ...], ...] = ()
        self.wants_shapes = False
        self.wants_needs = False
        self._keeps: list[tuple[bool, list[bool], bool]] = []
        self._kept: dict[tuple[bool, ...], tuple[bool, ...] | None] = {}

    def take(self, rules: tuple[Any, ...], joint: bool = False) -> None:
        """Read written rules: what each keeps, and which parameters it asks for."""
        self.rules, self.joint = rules, joint
        self._keeps, self._kept = [], {}
        names: list[tuple[str, ...]] = []
        for rule in rules:
            if rule is None:
                self._keeps.append((False, [], False))
                names.append(())
                continue
            tensors, star, statics = parameters(rule)
            flags = [name[0] != "_" for name in tensors]
            keep_y = flags[1] if len(flags) > 1 else False
            self._keeps.append((keep_y, flags[2:], star is not None and star[0] != "_"))
            if "needs" in statics:
                self.wants_needs = True
                statics = tuple(name for name in statics if name != "needs")
            self.wants_shapes = self.wants_shapes or "shapes" in statics
            names.append(statics)
        self.keep_y = any(k[0] for k in self._keeps)
        self.names = tuple(names) if any(names) else ()

    def derive(self, formula: Forward, n: int) -> None:
        """Differentiate a formula of `n` inputs, and see which of them each derivative uses."""
        self.rules = tuple(expr.derive(formula, n))
        keeps = []
        for rule in self.rules:
            used = (
                {node.name for node in expr.order(rule.formula)}
                if isinstance(rule.formula, expr.Expr)
                else set()
            )
            keeps.append((False, [f"x{i}" in used for i in range(n)], False))
        self._keeps = keeps
        self._kept = {}

    def keeps(self, i: int, n: int) -> tuple[bool, ...]:
        """(y, *inputs): what the rule for input `i` of `n` keeps."""
        keep_y, flags, star = self._keeps[0 if self.joint or len(self._keeps) == 1 else i]
        return (keep_y, *flags, *([star] * (n - len(flags))))

    def kept(self, needs: tuple[bool, ...]) -> tuple[bool, ...] | None:
        """(y, *inputs): what is kept when the inputs marked in `needs` require gradients; None for
        nothing."""
        found = self._kept.get(needs, 0)
        if found.__class__ is int:  # not known yet: None is an answer
            wanted = [i for i, need in enumerate(needs) if need]
            if self.joint or len(self._keeps) == 1:
                wanted = wanted[:1]  # one rule: what it keeps for one input, it keeps for all
            rows = [self.keeps(i, len(needs)) for i in wanted]
            marks = tuple(any(column) for column in zip(*rows, strict=True))
            found = self._kept[needs] = marks if any(marks) else None
        return found  # type: ignore[return-value]


def camel(name: str) -> str:
    """`max_pool` -> `MaxPool`."""
    return "".join(p[:1].upper() + p[1:] for p in name.split("_"))


def unwritten(name: str) -> Rule:
    """The rule of an input that has none."""

    def rule(*_args: Any, **_kw: Any) -> Any:
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    return rule


def up(x: Any) -> Any:
    """A value in float32 when its type is narrower."""
    if x.__class__ is ndarray:
        return dense.copied(x, dtypes.wide(x.dtype)) if x.dtype in dtypes.LOW_NP else x
    if isinstance(x, TensorBase):
        if x._a.dtype not in dtypes.LOW_NP:
            return x
        return x.to(dtypes.from_numpy(dtypes.wide(x._a.dtype)))
    if isinstance(x, (tuple, list)):
        return tuple(up(v) for v in x)
    return x


def computed_wide(rule: Rule) -> Rule:
    """A rule whose operands are brought to float32 first (the engine rounds the result back)."""

    def wide(g: Any, *values: Any, **kw: Any) -> Any:
        return rule(up(g), *[up(v) for v in values], **kw)

    return wide


def conj(x: Any) -> Any:
    """A value, or each of several, conjugated if it is complex."""
    if x.__class__ is ndarray or isinstance(x, np.generic):  # arithmetic makes scalars of 0-d ones
        return x.conj() if x.dtype.kind in "cW" else x
    if isinstance(x, TensorBase):
        return x.conj() if x._a.dtype.kind in "cW" else x
    if isinstance(x, (tuple, list)):
        return tuple(conj(v) for v in x)
    return x


def written_conj(x: Any) -> Any:
    """`conj` whose tensors are no views: gradients have no conjugate bit, as in PyTorch."""
    if isinstance(x, TensorBase):
        return x.conj_physical() if x._a.dtype.kind in "cW" else x
    if isinstance(x, tuple):
        return tuple(written_conj(v) for v in x)
    return conj(x)


def conjugated(rule: Rule, _i: int) -> Rule:
    """The rule of a holomorphic op for complex values: conj(rule(conj(g), ...))."""

    def wrapped(g: Any, *values: Any, **kw: Any) -> Any:
        return written_conj(rule(conj(g), *values, **kw))

    return wrapped
