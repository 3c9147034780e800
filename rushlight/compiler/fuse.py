"""Neighbouring formulas about one element as one kernel.

Calls that compute each element of arrays of one length become one call whose formula is made of
theirs: what one writes and the next one reads stays in registers, and what nobody else reads is
never written. Each step is rounded as before, for its formula is the same; no bit changes.

Only calls that follow each other are joined, whose arrays are the same ones from end to end or do
not meet at all. A call over rows that follows, and reads what they compute, takes them into its own
kernel (`row_fronts.py`). Not here: how a formula becomes instructions
(`kernels/codegen/lower.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernels.codegen import lower
from ..kernels.codegen.expr import Expr, Trace, order
from ..kernels.codegen.interface import Kernel
from ..kernels.elementwise import contiguous, lowered
from .calls import Call, Place

if TYPE_CHECKING:
    from .native import Build, Step

MOST_CALLS, MOST_ARRAYS = 24, 14  # of one kernel
WIDTHS = {"float": 4, "double": 8, "i8": 1, "half": 2, "bfloat": 2, "i64": 8, "i32": 4, "i16": 2,
          "s8": 1, "u8": 1}  # fmt: skip


class Part:
    """A call of a formula: its arrays are (place, bytes, kind)."""

    def __init__(self, step: Step, call: Call, number: int) -> None:
        self.step, self.call, self.number = step, call, number
        self.formula = call.kernel.formula
        given = [(e, kind) for e, kind in self.formula.operands if kind != "number"]
        self.n = call.ints[0]
        self.inputs: list[tuple[Place, int, str]] = []
        places: list[Any] = list(call.arrays)
        for place, (e, kind) in zip(places, given, strict=False):
            size = WIDTHS[e] * (self.n if kind == "array" else 1)
            self.inputs.append((place, size, kind))
        self.output: Place = places[-1]
        self.size = self.formula.out.itemsize * self.n

    def numbers(self) -> list[float | int]:
        """The numbers of the formula, in the order of its variables."""
        names = self.call.kernel.interface
        ints = dict(zip(names.ints, self.call.ints, strict=True))
        floats = dict(zip(names.floats, self.call.floats, strict=True))
        given = ints | floats  # type: ignore[operator]
        kinds = [e for e, kind in self.formula.operands if kind == "number"]
        return [given[f"c{k}"] for k in range(len(kinds))]


def part_of(step: Step, call: Call, number: int) -> Part | None:
    """A call as a part of a group; None for what is no formula of elements."""
    made = call.kernel.formula
    if made is None or not made.variables or any(a.__class__ is not Place for a in call.arrays):
        return None
    own = lowered.ELEMENTS.get(made.out)
    if made.compute not in ("float", "double", "i1") or (
        made.out != np.dtype(bool) and own != made.compute
    ):  # (what is rounded in memory would have to be rounded here, too)
        return None
    if "far" in call.kernel.key:
        return None
    if any(e not in (own, made.compute, "i8") for e, kind in made.operands if kind != "number"):
        return None
    return Part(step, call, number)


def meets(a: Place, size: int, b: Place, other: int) -> bool:
    """Whether two stretches of memory share bytes."""
    return a.number == b.number and a.offset < b.offset + other and b.offset < a.offset + size


class Group:
    """Parts that become one kernel.

    Attributes:
        behind: the call over rows right behind them, with its line and its number.
    """

    def __init__(self, part: Part) -> None:
        self.parts = [part]
        self.behind: tuple[Step, Call, int] | None = None

    def takes(self, part: Part) -> bool:
        """Whether a part can join: its arrays are those of the others, or lie elsewhere."""
        if part.n != self.parts[0].n or len(self.parts) >= MOST_CALLS:
            return False
        kinds = {p.formula.compute for p in (*self.parts, part)} - {"i1"}
        if len(kinds) > 1:
            return False
        for p in self.parts:
            for place, size, kind in part.inputs:
                if meets(place, size, p.output, p.size) and not (
                    place == p.output and size == p.size and (kind == "array" or part.n == 1)
                    and types_of(part, place) == {p.formula.out}
                ):  # fmt: skip
                    return False
            for place, size, kind in p.inputs:
                if meets(part.output, part.size, place, size) and not (
                    place == part.output and size == part.size and (kind == "array" or part.n == 1)
                ):  # fmt: skip
                    return False
            if meets(part.output, part.size, p.output, p.size) and not (
                part.output == p.output and part.size == p.size
            ):
                return False
        arrays = {(i[0], i[2]) for p in (*self.parts, part) for i in p.inputs}
        return len(arrays) + len({p.output for p in (*self.parts, part)}) <= 2 * MOST_ARRAYS


def types_of(part: Part, place: Place) -> set[Any]:
    """The types that a part reads a place as."""
    named = {v: k for k, v in lowered.ELEMENTS.items()}
    given = [e for e, kind in part.formula.operands if kind != "number"]
    return {named[e] for (p, _, _), e in zip(part.inputs, given, strict=True) if p == place}


def fused(build: Build, join_rows: Callable[..., bool]) -> dict[int, list[int]]:
    """Join what can be joined; line to the lines whose kernel it shares. `join_rows` joins a group
    with the call over rows behind it (`row_fronts.join`)."""
    numbered = 0
    readers: dict[int, list[tuple[int, Any]]] = {}  # buffer to the calls that use it
    groups: list[Group] = []
    for steps, _, _ in build.segments():
        open_group: Group | None = None
        for step in steps:
            for call in step.calls:
                numbered += 1
                for place in call.places():
                    readers.setdefault(place.number, []).append((numbered, call))
                part = part_of(step, call, numbered)
                if part is None:
                    if open_group is not None and call.kernel.rows is not None:
                        open_group.behind = step, call, numbered
                    open_group = None
                elif open_group is not None and open_group.takes(part):
                    open_group.parts.append(part)
                else:
                    open_group = Group(part)
                    groups.append(open_group)
    outside = {id(build.lies[r][0]) for r in build.needed if r in build.lies}
    shared: dict[int, list[int]] = {}
    for group in groups:
        lines = {p.step.number for p in group.parts}
        if group.behind is not None and join_rows(build, group, readers, outside):
            lines.add(group.behind[0].number)
        elif len(group.parts) == 1 or not join(build, group, readers, outside):
            continue
        known = sorted({k for line in lines for k in shared.get(line, [line])})
        shared.update(dict.fromkeys(known, known))
    return {k: v for k, v in shared.items() if len(v) > 1}


def join(build: Build, group: Group, readers: dict[int, Any], outside: set[int]) -> bool:
    """Put one call in the place of a group's calls."""
    parts = group.parts
    kept = parts_kept(build, parts, readers, outside, {p.number for p in parts})
    if not kept:
        return False
    call = composed(parts, kept)
    if call is None:
        return False
    replace(build, [(p.step, p.call) for p in parts], call)
    return True


def parts_kept(
    build: Build, parts: Sequence[Part], readers: dict[int, Any], outside: set[int],
    mine: set[int],
) -> list[Part]:  # fmt: skip
    """The parts whose results somebody reads who is not among the calls `mine`."""
    kept: list[Part] = []
    for k, part in enumerate(parts):
        if any(p.output == part.output for p in parts[k + 1 :]):
            continue  # written over by another one
        buffer = build.buffers[part.output.number]
        if buffer.kind != "arena" or id(buffer) in outside or any(
            number > part.number and number not in mine for number, _ in readers[buffer.number]
        ):  # fmt: skip
            kept.append(part)
    return kept


def replace(build: Build, calls: Sequence[tuple[Step, Call]], made: Call) -> None:
    """Put one call in the place of some, where the last of them was."""
    first, last = calls[0][0].number, calls[-1][0].number
    for step, call in calls:
        for place in call.places():
            build.buffers[place.number].use(first)
            build.buffers[place.number].use(last)
        own = [made] if call is calls[-1][1] else []
        step.calls = [d for c in step.calls for d in (own if c is call else [c])]


class Formulas:
    """What some parts compute as one formula.

    Attributes:
        arrays: (place, type in memory, kind) of each array that is read, and its variable.
        numbers: (variable, type, value) of each number.
        results: for each part, by its number, what it computes.
        compute: the type that it is computed in.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        trace = Trace()
        self.arrays: dict[tuple[Place, str, str], Expr] = {}
        self.numbers: list[tuple[Expr, str, Any]] = []
        self.results: dict[int, Any] = {}
        self.compute = next((p.formula.compute for p in parts if p.formula.compute != "i1"), "i1")
        now: dict[Place, Any] = {}  # what is in memory that was written on the way
        for part in parts:
            values = iter(part.inputs)
            given = iter(part.numbers())
            bound: dict[int, Any] = {}
            formula = part.formula
            for variable, (e, kind) in zip(formula.variables, formula.operands, strict=True):
                if kind == "number":
                    bound[id(variable)] = trace.variable(f"c{len(self.numbers)}")
                    self.numbers.append((bound[id(variable)], e, next(given)))
                    continue
                place = next(values)[0]
                if place in now:
                    bound[id(variable)] = now[place]
                    continue
                kind = "array" if kind == "array" or part.n == 1 else "one"
                if (place, e, kind) not in self.arrays:
                    self.arrays[place, e, kind] = trace.variable(f"x{len(self.arrays)}")
                bound[id(variable)] = self.arrays[place, e, kind]
            for node in order(formula.root):
                if node.op is not None:
                    args = tuple([bound[id(a)] if isinstance(a, Expr) else a for a in node.args])
                    bound[id(node)] = trace.call(node.op, args)
            self.results[part.number] = now[part.output] = bound[id(formula.root)]

    @property
    def operands(self) -> list[tuple[str, str]]:
        """(type in memory, "array", "one" or "number") of each variable."""
        return [(e, kind) for _, e, kind in self.arrays] + [(e, "number") for _, e, _ in
                                                            self.numbers]  # fmt: skip

    @property
    def variables(self) -> list[Expr]:
        return [*self.arrays.values(), *[x for x, _, _ in self.numbers]]

    def nodes(self, kept: Sequence[Part]) -> list[Expr]:
        """The steps that lead to the results of some parts."""
        nodes: list[Expr] = []
        known = {id(v) for v in self.variables}
        for part in kept:
            for node in order(self.results[part.number]):
                if id(node) not in known:
                    known.add(id(node))
                    nodes.append(node)
        return nodes

    def written(self, kept: Sequence[Part]) -> tuple[str, Any]:
        """The steps as text, and what writes them for one vector."""
        results = [self.results[p.number] for p in kept]
        nodes, variables, compute = self.nodes(kept), self.variables, self.compute

        def write(f: Any, *values: Any) -> list[Any]:
            from ..kernels.codegen.ir import element, lanes, vector

            width = max(lanes(v.type) for v in values)
            wide = vector(compute, width)
            made: dict[int, Any] = {id(x): v for x, v in zip(variables, values, strict=True)}
            for node in nodes:
                args = [made[id(a)] if isinstance(a, Expr) else a for a in node.args]
                made[id(node)] = lower.step(f, node.op.name, args, wide)
            found = []
            for root in results:
                y = made[id(root)]
                bit = element(y.type) == "i1" and lanes(y.type) == width
                found.append(y if bit else lower.brought(f, y, wide))
            return found

        return text_of(nodes, results, variables), write


def composed(parts: Sequence[Part], kept: Sequence[Part]) -> Call | None:
    """One call of all formulas, which writes the results of some."""
    made = Formulas(parts)
    outs = [lowered.ELEMENTS[p.formula.out] for p in kept]
    kernel = kernel_of(made, kept, outs)
    if kernel is None:
        return None
    n = parts[0].n
    each = contiguous.share_of(n)
    words: dict[str, Any] = {"n": n, "each": each, "chunks": -(-n // each)}
    words |= {f"c{k}": v for k, (_, _, v) in enumerate(made.numbers)}
    places = (*[place for place, _, _ in made.arrays], *[p.output for p in kept])
    names = kernel.interface
    return Call(kernel, places, tuple([int(words[k]) for k in names.ints]),
                tuple([float(words[k]) for k in names.floats]))  # fmt: skip


def kernel_of(made: Formulas, kept: Sequence[Part], outs: list[str]) -> Kernel | None:
    """The kernel of several formulas; None where one has no machine code."""
    text, write = made.written(kept)
    kernel = contiguous.kernel(("fused", text), write, made.operands, outs)
    kernel.width = width_of(made, outs)
    try:
        return kernel if kernel.addresses else None
    except lower.NoKernel:
        return None


def width_of(made: Formulas, outs: Sequence[str]) -> int:
    """Bytes that formulas read and write for an element."""
    read = sum(WIDTHS[e] for e, kind in made.operands if kind == "array")
    return read + sum(WIDTHS[e] for e in outs)


def text_of(nodes: Sequence[Expr], results: Sequence[Any], variables: Sequence[Expr]) -> str:
    """Formulas step by step: what a kernel of them depends on."""
    names = {id(v): v.name for v in variables}
    lines: list[str] = []
    for node in nodes:
        args = [names[id(a)] if isinstance(a, Expr) else repr(a) for a in node.args]
        names[id(node)] = f"t{len(lines)}"
        lines.append(f"{names[id(node)]} = {node.op.name}({', '.join(args)})")
    return "; ".join([*lines, f"return {', '.join(names[id(r)] for r in results)}"])


def traffic(call: Call) -> int:
    """Bytes that a call of formulas reads and writes; 0 for other calls."""
    kernel = call.kernel
    if not kernel.width:
        return 0
    if kernel.formula is None and "rows" in kernel.interface.ints:  # with rows behind it
        words = dict(zip(kernel.interface.ints, call.ints, strict=True))
        return kernel.width * words["n"] * words["rows"]
    return kernel.width * call.ints[0]
