"""`rushlight.compiler.explain`: what a compiled call runs, and why.

    print(explain(step)(x, y))                  the plan, line by line, with the user's lines
    print(explain(step, times=True)(x, y))      and how long each line took
    explain(step)(x, y).svg("step.svg")         the graph as a picture (`picture.py`)

The call is made like any other: its step counts. Not here: how programs run (`arrays.py`,
`native.py`).
"""

from __future__ import annotations

import functools
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..drawn import drawn_as
from .program import GIVEN, HELD, MADE, Effect, Line, Program, Ref, refs

Where = tuple[str, int]
TIMED_CALLS = 5


def explain(fn: Any, *, times: bool = False) -> Callable[..., Explanation]:
    """A function that calls `fn` once, compiled, and returns what there is to know about the call.

    Args:
        fn: a function or a module, compiled or not.
        times: call `fn` ten times more, to measure it and its lines. All of these calls count: a
            training step moves its parameters eleven times.

    >>> import rushlight
    >>> told = explain(lambda x: (2 * x).relu())(rushlight.ones(3))
    >>> [part.program.lines[-1].record.name for part in told.parts]
    ['relu']
    """
    compiled = compiled_of(fn)

    @functools.wraps(compiled.fn, updated=())
    def called(*args: Any, **kw: Any) -> Explanation:
        result = compiled(*args, **kw)
        entry = next((e for e in compiled.entries if e.fits(args, kw)), None)
        if entry is None and compiled.entries:  # what the first call made was read by it
            result = compiled(*args, **kw)
            entry = next((e for e in compiled.entries if e.fits(args, kw)), None)
        found = Explanation(compiled, entry, result)
        if times and entry is not None:
            found.measure(args, kw)
        return found

    return called


def compiled_of(fn: Any) -> Any:
    """The `Compiled` of a function, of a module, or of what `compile` made of one."""
    from ..nn.optimized import OptimizedModule
    from .replay import Compiled

    if isinstance(fn, OptimizedModule):
        fn = fn._compiled
    if isinstance(fn, functools.partial) and isinstance(fn.func, Compiled) and not fn.keywords:
        return Compiled(functools.partial(fn.func.fn, *fn.args))  # a method
    return fn if isinstance(fn, Compiled) else Compiled(fn)


class Part:
    """A program and how it runs: a call has one, and another for a backward that comes later.

    Attributes:
        name: "" or "backward".
        program: what is computed.
        entries: in order, each with `name`, `lines` (numbers), `kind` ("native", "python" or
            "effect"), `why`, `flops`, `bytes`.
        arena_bytes: the block of memory that runs share; None: each line makes its arrays.
        seconds: of each line, one list a call that was measured.
    """

    def __init__(self, name: str, program: Program, run: Any = None) -> None:
        self.name, self.program = name, program
        self.arena_bytes: int | None = getattr(run, "arena_bytes", None)
        known = getattr(run, "entries", None)
        self.entries = [Entry(program, e) for e in known] if known else plain_entries(program)
        self.seconds: list[list[float]] = []

    def text(self) -> list[str]:
        """The plan as lines of text."""
        program, kinds = self.program, Counter(e.kind for e in self.entries)
        native = [e for e in self.entries if e.kind == "native"]
        launches = f"{len(native)} native" if native else "none native"
        told = [
            f"{self.name or 'program'}: {counted(len(program.lines), 'line')}; {launches}, "
            f"{kinds['python']} called from Python, {counted(kinds['effect'], 'effect')}"
        ]
        told.append(f"memory: {memory_text(self)}")
        rows = [["", "kind", "what", "from", "shape", "flops", "moved", *["alone"] * self.timed]]
        for k, e in enumerate(self.entries):
            row = [str(k), e.kind, e.name, e.source, e.shape, count(e.flops), size(e.bytes)]
            rows.append([*row, self.time(e)] if self.timed else row)
        told += aligned(rows)
        if self.timed:
            told.append("(alone: the time of its lines when each is called from Python)")
        why = Counter(f"{e.name}: {e.why}" for e in self.entries if e.kind == "python" and e.why)
        if why:
            told += ["called from Python, because", *[f"  {text}" for text in many(why)]]
        return told

    @property
    def timed(self) -> bool:
        return bool(self.seconds)

    def time(self, entry: Entry) -> str:
        """How long an entry's lines took: the median of the calls."""
        taken = [sum(call[k] for k in entry.lines) for call in self.seconds]
        return duration(float(np.median(taken)))


class Entry:
    """A part of a plan, for people; see `Part`."""

    def __init__(self, program: Program, entry: Any) -> None:
        self.name, self.kind, self.why = entry.name, entry.kind, entry.why
        self.lines: list[int] = list(entry.lines)
        lines = [program.lines[k] for k in self.lines]
        if all(isinstance(line.record, Effect) for line in lines):
            self.kind, self.why = "effect", ""
        self.flops = entry.flops or 0
        self.bytes = entry.bytes or moved(program, lines)
        self.source = source_text([line.where for line in lines])
        self.shape = ", ".join(
            short(program.values[r].example) for line in lines[-1:] for r in line.makes()
        )


def plain_entries(program: Program) -> list[Entry]:
    """Entries of a program that runs line by line."""
    return [Entry(program, Plain(str(line.record.name), [k])) for k, line in
            enumerate(program.lines)]  # fmt: skip


class Plain:
    """A line that is called from Python, in the attributes of `native.Entry`."""

    kind, why, flops, bytes = "python", "", 0, 0

    def __init__(self, name: str, lines: list[int]) -> None:
        self.name, self.lines = name, lines


class Explanation:
    """What there is to know about a call of a compiled function; `str()` is the whole of it.

    Attributes:
        result: what the call returned.
        parts: the programs that ran in its place, each a `Part`; empty: it ran eagerly.
        guards: what was looked at before, in words.
        why: what was not replayed, as (text, (file, line) or None).
        inner: of a function that is split around what cannot be replayed, and of what that calls,
            the explanations of their last calls.
        recompiled: for each further plan, the guard of the one before that failed.
        seconds: of whole calls, where times were asked for.
    """

    def __init__(self, compiled: Any, entry: Any, result: Any = None) -> None:
        self.name = getattr(compiled.fn, "__qualname__", type(compiled.fn).__name__)
        self.result, self.entry, self.compiled = result, entry, compiled
        self.parts: list[Part] = []
        self.guards: list[str] = []
        self.seconds: list[float] = []
        self.why: list[tuple[str, Where | None]] = list(dict.fromkeys(compiled.why))
        self.recompiled: list[str] = list(compiled.recompiled)
        self.inner = [Explanation(c, c.entries[0] if c.entries else None) for c in inner(compiled)]
        if entry is not None:
            self.parts = parts_of(entry)
            self.guards = list(
                dict.fromkeys([*entry.guards.texts.values(), *entry.guards.slow.values()])
            )

    def measure(self, args: Any, kw: Any) -> None:
        """Call the plan some times more: whole, then line by line."""
        entry, part = self.entry, self.parts[0]
        run = entry.run
        try:
            for k in range(2 * TIMED_CALLS):
                line_by_line = k % 2 == 1
                seconds: list[float] = [0.0] * len(part.program.lines)
                entry.run = timed(part.program, seconds) if line_by_line else run
                if not entry.fits(args, kw):
                    break
                begin = time.perf_counter()
                self.result = entry.replay(args, kw)
                if line_by_line:
                    part.seconds.append(seconds)
                else:
                    self.seconds.append(time.perf_counter() - begin)
        finally:
            entry.run = run

    def __str__(self) -> str:
        plans = len(self.compiled.entries)
        how = "runs eagerly" if not self.inner else "runs in parts, some of them eagerly"
        lines = [f"{self.name}: {counted(plans, 'plan') if self.parts else how}"]
        if self.seconds:
            lines[0] += f"; a replay takes {duration(float(np.median(self.seconds)))}"
        for part in self.parts:
            lines += ["", *part.text()]
        if self.why:
            lines += ["", "not replayed:", *[f"  {text}{at(where)}" for text, where in self.why]]
        if self.recompiled:
            lines += ["", "compiled again, because:", *[f"  {text}" for text in self.recompiled]]
        if self.guards:
            lines += ["", f"looked at before each replay ({len(self.guards)}):"]
            lines += [f"  {words}" for words in self.guards]
        for e in self.inner:
            lines += ["", *[f"  {line}".rstrip() for line in str(e).splitlines()]]
        return "\n".join(lines)

    __repr__ = __str__

    _repr_html_ = drawn_as("explanation")

    def all_parts(self) -> list[Part]:
        """The parts, and those of what is inside."""
        return [*self.parts, *[part for e in self.inner for part in e.all_parts()]]

    def dot(self) -> str:
        """The graph in Graphviz's language."""
        from . import picture

        return picture.dot(self.all_parts())

    def svg(self, path: str | os.PathLike[str] | None = None) -> str:
        """The graph as a picture: SVG's text, also written to `path`."""
        from . import picture

        text = picture.svg(self.all_parts())
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return text

    def _repr_svg_(self) -> str:
        return self.svg()


def parts_of(entry: Any) -> list[Part]:
    """The programs of an entry of a compiled function."""
    found = [Part("", entry.program, entry.run)]
    region = getattr(entry, "region", None)
    ways = [w for plan in region.plans for w in plan.ways.values()] if region is not None else ()
    return found + [Part("backward", way.program, way.run) for way in ways]


def inner(compiled: Any) -> list[Any]:
    """What a function is split into: compiled functions and modules of its own."""
    from .replay import Compiled
    from .split import Inner

    driver = compiled.parts
    if isinstance(driver, functools.partial):  # of a method, or of a module's forward
        driver = driver.args[1] if len(driver.args) > 1 else driver.func
    found: list[Any] = []
    for cell in getattr(driver, "__closure__", None) or ():
        value = cell.cell_contents
        of = list(value.known.values()) if isinstance(value, Inner) else [value]
        found += [c for c in of if isinstance(c, Compiled)]
    return found


def timed(program: Program, seconds: list[float]) -> Callable[..., tuple[Any, ...]]:
    """An executor that notes how long each line takes."""
    last = program.last_uses()
    held = {Ref(k): v.example for k, v in enumerate(program.values) if v.kind == HELD}

    def run(*given: Any) -> tuple[Any, ...]:
        known: dict[Any, Any] = {**held, **dict(zip(program.given, given, strict=True))}

        def filled(x: Any) -> Any:
            if x.__class__ is Ref:
                return known[x]
            if x.__class__ in (tuple, list) and refs(x):
                return x.__class__([filled(v) for v in x])
            return x

        def enter(target: Any, value: Any) -> None:
            if target.__class__ is Ref:
                known[target] = value
            elif target is not None:
                for t, v in zip(target, value, strict=True):
                    enter(t, v)

        for k, line in enumerate(program.lines):
            operands = [filled(x) for x in line.operands]
            kw = {name: filled(x) for name, x in line.kw.items()}
            begin = time.perf_counter()
            made = line.record.fn(*operands, **kw)
            seconds[k] = time.perf_counter() - begin
            enter(line.results, made)
            del operands, kw, made
            for r in last.get(k, ()):
                known.pop(r, None)
        return tuple([known[r] for r in program.returns])

    return run


# -- figures and words -----------------------------------------------------------------------------


def nbytes(example: Any) -> int:
    """Bytes of an array, or of what stands for one."""
    shape = getattr(example, "shape", None)
    if shape is None:
        return 0
    total: int = example.dtype.itemsize
    for n in shape:
        total *= n
    return total


def moved(program: Program, lines: Sequence[Line]) -> int:
    """Bytes that lines read and make, what stays among them left out."""
    made = {r for line in lines for r in line.makes()}
    read = {r for line in lines for r in line.reads()} - made
    return sum(nbytes(program.values[r].example) for r in made | read)


def most_alive(program: Program) -> int:
    """Bytes of the values that are made, as many as are needed at the same time."""
    last = program.last_uses()
    alive: dict[Ref, int] = {}
    most = 0
    for k, line in enumerate(program.lines):
        alive.update({r: nbytes(program.values[r].example) for r in line.makes()})
        most = max(most, sum(alive.values()))
        for r in last.get(k, ()):
            alive.pop(r, None)
    return most


def memory_text(part: Part) -> str:
    """The arena, beside what values take that are alive at the same time."""
    values = part.program.values
    held, given = (sum(nbytes(v.example) for v in values if v.kind == kind)
                   for kind in (HELD, GIVEN))  # fmt: skip
    made = sum(nbytes(v.example) for v in values if v.kind == MADE)
    arena = part.arena_bytes
    told = "no arena" if not arena else f"arena {size(arena)}"
    return (
        f"{told}; all that is made {size(made)}, at most {size(most_alive(part.program))} of it "
        f"at once; given {size(given)}, held {size(held)}"
    )


def source_text(wheres: Sequence[Where | None]) -> str:
    """The user's lines that something came from: "net.py:14, 15".

    >>> source_text([("a/net.py", 14), None, ("a/net.py", 15), ("a/net.py", 14)])
    'net.py:14, 15'
    """
    found: dict[str, list[int]] = {}
    for where in wheres:
        if where is not None:
            lines = found.setdefault(os.path.basename(where[0]), [])
            if where[1] not in lines:
                lines.append(where[1])
    return "; ".join(f"{name}:{', '.join(map(str, sorted(ns)))}" for name, ns in found.items())


def at(where: Where | None) -> str:
    return "" if where is None else f" ({where[0]}:{where[1]})"


def short(example: Any) -> str:
    """Type and shape of an array.

    >>> import numpy
    >>> short(numpy.zeros((2, 3), numpy.float32))
    'f32[2, 3]'
    """
    shape = getattr(example, "shape", None)
    if shape is None:
        return type(example).__name__
    kind = str(example.dtype)
    for long, brief in (("float", "f"), ("uint", "u"), ("int", "i"), ("complex", "c")):
        kind = kind.replace(long, brief)
    return f"{kind}[{', '.join(map(str, shape))}]"


def size(n: float) -> str:
    """Bytes in words.

    >>> size(0), size(900), size(2_500_000)
    ('-', '900 B', '2.5 MB')
    """
    return scaled(n, "B") if n else "-"


def count(n: float) -> str:
    return scaled(n, "").strip() if n else "-"


def scaled(n: float, unit: str) -> str:
    for letter in ("", "k", "M", "G"):
        if n < 1000 or letter == "G":
            return f"{n:.3g} {letter}{unit}"
        n /= 1000
    raise AssertionError


def duration(seconds: float) -> str:
    """Seconds in words.

    >>> duration(2e-5), duration(0.25)
    ('20 µs', '250 ms')
    """
    for unit, part in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= part:
            return f"{seconds / part:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def counted(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"


def many(texts: Counter[str]) -> list[str]:
    return [text if n == 1 else f"{text} ({n} times)" for text, n in texts.items()]


def aligned(rows: list[list[str]]) -> list[str]:
    """Rows as a table; figures stand on the right, columns that say nothing are left out."""
    used = [k for k in range(len(rows[0])) if any(row[k] not in ("", "-") for row in rows[1:])]
    widths = {k: max(len(row[k]) for row in rows) for k in used}
    right = [k for k in used if k in (0, 5, 6, 7)]
    return ["  ".join(row[k].rjust(widths[k]) if k in right else row[k].ljust(widths[k])
                      for k in used).rstrip() for row in rows]  # fmt: skip
