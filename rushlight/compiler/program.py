"""A program: what one run computed on arrays, line by line, with numbers in place of arrays.

    line    record.fn(*operands, **parameters) -> results

Every array of the run is a `Value` with a number, and a line refers to it by a `Ref`. A value is
one of three: *given* anew to each run (an argument), *held* by the program (a parameter's array, a
generator of random numbers, a constant: the same object each time), or *made* by a line.

A program is what the executors run: `arrays.py` line by line, `native.py` as machine code. Not
here: where it is written down (`capture.py`), what is looked at before it may run (`guards.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

GIVEN, HELD, MADE = "given", "held", "made"


class Ref(int):
    """The number of a value."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"%{int(self)}"


class Value:
    """An array of a program.

    Attributes:
        kind: GIVEN, HELD or MADE.
        example: the array of the run that was written down. Of a held value it is the array itself
            (or another object, such as a generator); of the others it tells shape, type, strides.
        line: the number of the line that made it; -1.
        note: what people call it: "argument 0", "parameter weight".
        fresh: it leaves the program (it is returned, or an effect keeps it), so each run makes a
            new array for it.
    """

    __slots__ = ("example", "fresh", "kind", "line", "note")

    def __init__(self, kind: str, example: Any, line: int = -1, note: str = "") -> None:
        self.kind, self.example, self.line, self.note = kind, example, line, note
        self.fresh = False

    def __repr__(self) -> str:
        a = self.example
        shape = getattr(a, "shape", None)
        what = type(a).__name__ if shape is None else f"{a.dtype}{list(shape)}"
        return f"{self.kind} {what}{' ' * bool(self.note)}{self.note}"


class Line:
    """One computation.

    Attributes:
        record: an operation, a derivative rule or a `Step` (`autograd/steps.py`): whatever
            `door.perform` takes.
        operands: a tuple of Refs, numbers and None; of tuples and lists of them, too.
        kw: its parameters; a Ref may be one (a generator).
        results: a Ref, None (nobody looks at it, or nothing comes out), or a tuple of them.
        where: (file, line number) of the user's code, or None.
    """

    __slots__ = ("kw", "operands", "record", "results", "where")

    def __init__(
        self, record: Any, operands: tuple[Any, ...], kw: dict[str, Any], results: Any,
        where: tuple[str, int] | None = None,
    ) -> None:  # fmt: skip
        self.record, self.operands, self.kw, self.results = record, operands, kw, results
        self.where = where

    def reads(self) -> Iterator[Ref]:
        """The values that it is given."""
        yield from refs((self.operands, tuple(self.kw.values())))

    def makes(self) -> Iterator[Ref]:
        """The values that come out."""
        yield from refs(self.results)

    def writes(self) -> list[Ref]:
        """The values that it changes in place."""
        found = []
        for place in self.record.written(self.operands, self.kw):
            found += refs(self.operands[place] if isinstance(place, int) else self.kw.get(place))
        return found

    def __repr__(self) -> str:
        given = ", ".join([*map(repr, self.operands), *(f"{k}={v!r}" for k, v in self.kw.items())])
        made = f"{self.results!r} = " if any(True for _ in self.makes()) else ""
        return f"{made}{self.record.name}({given})"


class Effect:
    """What a line does beside computing, as its record: `fn(*arrays)` runs each time, in order.

    `fn` may keep the arrays that it is given, so they are made anew in each run.

    Attributes:
        optimizer: the optimiser whose step it is, or None.
    """

    outputs = 0
    view = False

    def __init__(self, name: str, fn: Any, optimizer: Any = None) -> None:
        self.name, self.fn, self.optimizer = name, fn, optimizer

    def __repr__(self) -> str:
        return f"<effect {self.name}>"

    def written(self, arrays: Any, kw: dict[str, Any]) -> tuple[int | str, ...]:
        return ()


class Program:
    """Lines over values.

    Attributes:
        values: all of them, by number.
        given: the numbers of the values that a run is given, in order.
        lines: what is computed, in order.
        returns: the numbers of the values that a run gives back, in order.
    """

    __slots__ = ("given", "lines", "returns", "values")

    def __init__(self) -> None:
        self.values: list[Value] = []
        self.given: list[Ref] = []
        self.lines: list[Line] = []
        self.returns: list[Ref] = []

    def __repr__(self) -> str:
        lines = [f"program of {len(self.lines)} lines"]
        for k, value in enumerate(self.values):
            if value.kind != MADE:
                lines.append(f"  %{k}: {value!r}")
        lines += [f"  {line!r}" for line in self.lines]
        return "\n".join([*lines, f"  return {self.returns!r}"])

    def without_dead_lines(self) -> None:
        """Take out lines whose results nobody reads and that change nothing."""
        wanted = set(self.returns)
        kept = []
        for line in reversed(self.lines):
            effect = isinstance(line.record, Effect) or bool(line.writes())
            if effect or any(r in wanted for r in line.makes()):
                wanted.update(line.reads())
                kept.append(line)
        self.lines = kept[::-1]
        for k, line in enumerate(self.lines):
            for r in line.makes():
                self.values[r].line = k

    def last_uses(self) -> dict[int, list[Ref]]:
        """For each line, the made values that no later line reads and that are not returned."""
        seen = set(self.returns)
        found: dict[int, list[Ref]] = {}
        for k in reversed(range(len(self.lines))):
            line = self.lines[k]
            for r in (*line.reads(), *line.makes()):
                if r not in seen and self.values[r].kind == MADE:
                    seen.add(r)
                    found.setdefault(k, []).append(r)
        return found


def refs(x: Any) -> list[Ref]:
    """All Refs in nested tuples and lists."""
    if x.__class__ is Ref:
        return [x]
    if isinstance(x, (tuple, list)):
        return [r for v in x for r in refs(v)]
    return []
