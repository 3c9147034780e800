"""The native executor: a program in which neighbouring lines are one call of machine code.

`function(program)` does to the bit what `arrays.function(program)` does. A line whose function is
nothing but launches (`lower_plans.py`) becomes words in a table; all such lines in a row are one
call (`kernels/runtime/replay.py`), and views among them cost nothing. Other lines are called from
Python, in their place.

Arrays that do not outlive a run lie in one block of memory, planned once (`memory.py`); what leaves
the program is made anew in each run. Held arrays are where they are. The addresses of arrays that
come anew are written into the words by the call itself.

A run uses the block, so there is one at a time: whoever comes meanwhile gets `arrays.function`.
Not here: the function itself (`text.py`), what must hold before a program may run (`guards.py`).
"""

from __future__ import annotations

import copy
import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..kernels import index_flag, indices, runtime
from ..kernels.elementwise import axes
from ..kernels.meta import MetaArray
from ..kernels.runtime.workspace import aligned
from ..torch_names import own
from . import arrays as plain
from . import earlier, fuse, row_fronts
from .calls import Call, Lying, Place
from .lower_plans import Lowered, lower, operands
from .memory import planned
from .program import GIVEN, HELD, Effect, Line, Program, Ref
from .spy import Event, Refused
from .text import Text

Array = Any
OURS = __name__.partition(".")[0] + "."  # where functions come from that may be tried out
QUIET = ("gradient", "forget gradient")  # effects that look at no number: see `capture.py`


class Entry:
    """A part of an executor, for people.

    Attributes:
        name: the lines' records.
        lines: their numbers in the program.
        kind: "native" or "python".
        why: why Python calls it.
        flops, bytes: what it costs, where that is known.
    """

    __slots__ = ("bytes", "flops", "kind", "lines", "name", "why")

    def __init__(
        self, name: str, lines: list[int], kind: str, why: str = "", flops: int = 0, bytes: int = 0
    ) -> None:
        self.name, self.lines, self.kind, self.why = name, lines, kind, why
        self.flops, self.bytes = flops, bytes

    def __repr__(self) -> str:
        return f"{self.kind:6} {self.name}" + (f"  ({self.why})" if self.why else "")


class Buffer:
    """Memory that values lie in.

    Attributes:
        kind: "arena", "fresh", "held", "constant", "given" or "made" (by a line that Python calls).
        size: bytes.
        ref: the value whose memory it is, where it is one's own.
        address: where it is, once that is known; of "arena", from the beginning of the block.
        first, last: the lines between which it is needed.
        keeps: buffers that must live as long, since this one may be a part of them.
    """

    __slots__ = ("address", "array", "first", "keeps", "kind", "last", "number", "ref", "size")

    def __init__(
        self, kind: str, size: int = 0, ref: Ref | None = None, array: Array = None
    ) -> None:
        self.kind, self.size, self.ref, self.array = kind, size, ref, array
        self.address = 0 if array is None else array.__array_interface__["data"][0]
        self.number = -1
        self.first, self.last = 1 << 60, -1
        self.keeps: list[Buffer] = []

    def use(self, line: int) -> None:
        self.first, self.last = min(self.first, line), max(self.last, line)
        for other in self.keeps:
            other.use(line)


class Step:
    """A line on its way: how it is run, and where its arrays are."""

    __slots__ = ("buffers", "calls", "line", "lowered", "number", "there", "why")

    def __init__(self, number: int, line: Line) -> None:
        self.number, self.line = number, line
        self.lowered: Lowered | None = None
        self.why = ""
        self.buffers: list[Buffer] = []
        self.calls: list[Call] = []  # their places are numbers of buffers
        self.there: set[Ref] = set()  # results that were values before: operands


def function(
    program: Program, outside: Callable[[], None] | None = None
) -> Callable[..., tuple[Array, ...]]:
    """`run(*given) -> returned`; its attribute `entries` says what it consists of, `arena_bytes`
    how large its block of memory is.

    Args:
        outside: is told when indices were not in the range in which those of the run were that was
            written down. Without it nothing is taken for granted of indices.
    """
    if not runtime.available():
        run: Any = plain.function(program)
        forget(program)
        return described(run, [Entry(str(line.record.name), [k], "python", "no machine code")
                               for k, line in enumerate(program.lines)], 0)  # fmt: skip
    return Build(program, outside).function()


def forget(program: Program) -> None:
    """Let go of what the run that was written down made: only shapes are asked for from now."""
    for value in program.values:
        a = value.example
        if value.kind != HELD and a.__class__ is np.ndarray:
            value.example = MetaArray(a.shape, a.dtype, a.strides)


def described(run: Any, entries: list[Entry], arena: int) -> Any:
    run.entries, run.arena_bytes = entries, arena
    return run


class Build:
    """An executor while it is made."""

    def __init__(self, program: Program, outside: Callable[[], None] | None = None) -> None:
        self.program, self.outside = program, outside
        self.steps = [Step(k, line) for k, line in enumerate(program.lines)]
        self.lies: dict[Ref, tuple[Buffer, Lying]] = {}  # of each array, where it is
        self.buffers: list[Buffer] = []  # those that calls read or write
        self.unsure: set[Ref] = set()  # arrays whose shapes are a matter of numbers
        self.known: dict[Any, Lowered | str] = {}
        self.leaving = self.values_that_leave()
        written = {r for line in program.lines for r in line.writes()}
        changed = [program.values[r].example for r in written]
        self.written = [a for a in changed if isinstance(a, np.ndarray)]
        self.asks: dict[Any, Call] = {}  # what is looked at before a run
        self.flag = np.zeros(1, np.int64)  # which they raise where an index is out of range
        self.flag_buffer = Buffer("constant", 8, None, self.flag)
        examples = [*changed, *(program.values[r].example for r in self.leaving)]
        self.touched = [a for a in examples if isinstance(a, np.ndarray)]

    def values_that_leave(self) -> set[Ref]:
        """Values that outlive a run."""
        program = self.program
        found = {Ref(k) for k, v in enumerate(program.values) if v.fresh} | set(program.returns)
        for line in program.lines:
            if isinstance(line.record, Effect):
                found.update(line.reads())
        return found

    # -- which lines are calls -------------------------------------------------------------------

    def lowered(self, line: Line) -> Lowered:
        """The calls that a line is, seen before for a line like it or found out now."""
        names = operands(line)
        values = [self.program.values[r] for r in names]
        examples = [v.example for v in values]
        if isinstance(line.record, Effect):
            raise Refused("an effect")
        if not ours(line.record.fn):
            raise Refused("not a function of this package")
        if any(not isinstance(a, (np.ndarray, np.generic)) for a in examples):
            raise Refused("an operand is no array")
        if any(r not in self.lies for r in names):
            raise Refused("an operand is a number")
        fixed = [self.lies[r][0].kind == "constant" for r in names]
        key = earlier.key_of(line, names, examples, fixed)
        found = self.known.get(key) or earlier.lines.get(key)
        if found is None:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = lower(line, dict(zip(names, examples, strict=True)), fixed)
            except Refused as e:
                found = str(e)
            except Exception as e:  # whatever the function does not do with copies
                found = f"{type(e).__name__}: {e}"
            self.known[key] = found
            if isinstance(found, Lowered):
                earlier.keep(key, line, found)
        if isinstance(found, str):
            raise Refused(found)
        return found

    def place_values(self) -> None:
        """Walk through the lines: which are calls, and in which memory each array lies."""
        for k, value in enumerate(self.program.values):
            a, ref, held = value.example, Ref(k), value.kind == HELD
            if held and isinstance(a, np.generic):  # a number of the program's own
                a = np.asarray(a)
            if value.kind in (GIVEN, HELD) and a.__class__ is np.ndarray:
                buffer = Buffer(value.kind, a.nbytes, ref, a if held else None)
                self.lies[ref] = buffer, lying(a)
        for step in self.steps:
            try:
                step.lowered = self.lowered(step.line)
                self.place_calls(step, step.lowered)
            except Refused as e:
                step.lowered, step.why = None, str(e)
                self.place_made(step)
            for r in (*step.line.reads(), *step.line.makes()):
                if r in self.lies:
                    self.lies[r][0].use(step.number)
            for b in step.buffers:
                b.use(step.number)

    def place_calls(self, step: Step, lowered: Lowered) -> None:
        names = operands(step.line)
        at = [self.lies[r] for r in names]
        asks = dict([self.ask(names[k], low, high) for k, low, high in lowered.ranges])
        if any(how.place.kind == "constant" and self.changes(r)
               for r, how in zip(step.line.makes(), lowered.results, strict=True)):  # fmt: skip
            lowered = step.lowered = with_copies(lowered)
        temps = [Buffer("arena", n) for n in lowered.temps]
        places = {
            "operand": [(b, how.place.offset) for b, how in at],
            "temp": [(b, 0) for b in temps],
            "constant": [(Buffer("constant", a.nbytes, None, a), 0) for a in lowered.constants],
            "nothing": [(Buffer("constant", 0, None, np.empty(8)), 0)],
        }
        found, there = [], set()
        for ref, how in zip(step.line.makes(), lowered.results, strict=True):
            buffer, start = places[how.place.kind][how.place.number]
            moved = how._replace(place=Place("in", 0, start + how.place.offset))
            if ref in self.lies and (self.lies[ref][0] is not buffer or self.lies[ref][1] != moved):
                raise Refused("a value that is made twice")
            if ref in self.lies:
                there.add(ref)
            elif lowered.calls and buffer.ref is not None:
                raise Refused("a view beside what is computed")
            found.append((ref, (buffer, moved)))
        self.lies.update(found)
        self.asks.update(asks)
        step.buffers, step.there = temps, there

        def resolved(place: Place) -> Place:
            buffer, start = places[place.kind][place.number]
            return self.within(buffer, start + place.offset)

        step.calls = [call.at(resolved) for call in lowered.calls]

    def within(self, buffer: Buffer, offset: int) -> Place:
        """A place in memory that calls read or write."""
        if buffer.number < 0:
            buffer.number = len(self.buffers)
            self.buffers.append(buffer)
        return Place("buffer", buffer.number, offset)

    def ask(self, ref: Ref, low: int, high: int) -> tuple[Any, Call]:
        """The call that looks at indices before each run, so that nobody need do so in it, with
        its key."""
        (buffer, how), example = self.lies[ref], self.program.values[ref].example
        if self.outside is None or not indices.seen(example, low, high):
            raise Refused("Python looks at a number")
        if buffer.kind not in (GIVEN, HELD):
            raise Refused("Python looks at an index that is computed")
        if any(np.may_share_memory(example, a) for a in self.written):
            raise Refused("Python looks at an index that is written to")
        steps = axes.steps_of(how.shape, how.strides, how.dtype.itemsize, how.shape)
        if steps is None:
            raise Refused("indices that are not aligned")
        sizes, (joined,) = axes.axes_of(list(how.shape), [steps])
        if len(sizes) > 2:
            raise Refused("indices that lie in many parts")
        rows, n = [1] * (2 - len(sizes)) + list(sizes)
        apart, step = [0] * (2 - len(joined)) + list(joined)
        kernel = index_flag.flag(index_flag.ELEMENTS[how.dtype])
        words = (rows, n, apart, step, low, high)
        places = (self.within(buffer, how.place.offset), self.within(self.flag_buffer, 0))
        return (places, words), Call(kernel, places, words, ())

    def changes(self, ref: Ref) -> bool:
        """Whether somebody writes to the memory of a value, or keeps it."""
        a = self.program.values[ref].example
        return any(np.may_share_memory(a, b) for b in self.touched)

    def place_made(self, step: Step) -> None:
        """The arrays that come out of a line that Python calls."""
        numerics = getattr(step.line.record, "numerics", None)
        if getattr(numerics, "data_dependent", False) or any(
            r in self.unsure for r in step.line.reads()
        ):
            self.unsure.update(step.line.makes())
            return
        reads = [r for r in operands(step.line) if r in self.lies]
        for ref in step.line.makes():
            a = self.program.values[ref].example
            if ref in self.lies:
                step.there.add(ref)
            if ref in self.lies or a.__class__ is not np.ndarray:
                continue
            buffer = Buffer("made", a.nbytes, ref)
            for r in reads:
                if np.may_share_memory(a, self.program.values[r].example):
                    buffer.keeps.append(self.lies[r][0])
            self.lies[ref] = buffer, lying(a)

    # -- memory ----------------------------------------------------------------------------------

    def settle(self) -> None:
        """Find the memory that leaves the program, and what Python needs."""
        leaving = [self.lies[r][0] for r in self.leaving if r in self.lies]
        while leaving:
            buffer = leaving.pop()
            if buffer.kind == "arena":
                buffer.kind = "fresh"
            leaving += buffer.keeps
        self.needed = set(self.program.returns)
        for step in reversed(self.steps):
            if self.by_python(step):
                self.needed.update(step.line.reads())

    def by_python(self, step: Step) -> bool:
        """Whether a line is called from Python: it is no calls, or it makes for Python a view of
        what comes from outside."""
        return step.lowered is None or any(
            r in self.needed and r not in step.there and self.lies[r][0].ref not in (None, r)
            for r in step.line.makes()
        )

    def segments(self) -> list[tuple[list[Step], list[Step], Step | None]]:
        """The lines in the order in which they run: lines of one native call, effects that only
        keep arrays, and the line that Python calls then."""
        found = []
        pending: list[Step] = []
        later: list[Step] = []
        for step in [*self.steps, None]:
            if step is not None and not self.by_python(step):
                pending.append(step)
            elif step is not None and step.line.record.name in QUIET:
                later.append(step)
            else:
                found.append((pending, later, step))
                pending, later = [], []
        return found

    def plan_memory(self) -> int:
        """Decide where each buffer is; returns the bytes of the block."""
        used = {p.number for step in self.steps for call in step.calls for p in call.places()}
        used |= {self.lies[r][0].number for r in self.needed if r in self.lies}
        own = {id(b): b for step in self.steps for b in step.buffers
               if b.kind == "arena" and b.number in used}  # fmt: skip
        offsets, total = planned([(b.size, b.first, b.last) for b in own.values()])
        self.block = aligned(total)
        start = self.block.__array_interface__["data"][0]
        for buffer, offset in zip(own.values(), offsets, strict=True):
            buffer.address = start + offset
        return total

    # -- the text --------------------------------------------------------------------------------

    def function(self) -> Callable[..., tuple[Array, ...]]:
        self.place_values()
        self.settle()
        self.groups = fuse.fused(self, row_fronts.join)
        arena = self.plan_memory()
        run: Callable[..., tuple[Array, ...]]
        run = described(Text(self).function(), self.entries(), arena)
        self.touched = []
        forget(self.program)
        return run

    def entries(self) -> list[Entry]:
        found = []
        for step in self.steps:
            name, low = str(step.line.record.name), step.lowered
            if low is None:
                found.append(Entry(name, [step.number], "python", step.why))
            elif low.calls and step.number not in self.groups:
                found.append(Entry(name, [step.number], "native", "", low.flops, low.bytes))
            elif step.number in self.groups and self.groups[step.number][0] == step.number:
                steps = [self.steps[k] for k in self.groups[step.number]]
                name = " ".join(str(one.line.record.name) for one in steps)
                flops = sum(one.lowered.flops for one in steps if one.lowered is not None)
                cost = sum(fuse.traffic(call) for one in steps for call in one.calls)
                found.append(Entry(name, [s.number for s in steps], "native", "", flops, cost))
        return found


def with_copies(lowered: Lowered) -> Lowered:
    """The same with copies of constants as results."""
    from . import small

    made = copy.copy(lowered)
    made.temps = list(lowered.temps)
    calls, results = list(lowered.calls), []
    for how in lowered.results:
        if how.place.kind == "constant":
            a = lowered.constants[how.place.number]
            if not a.flags.c_contiguous or how.place.offset:
                raise Refused("a constant that is a part of an array")
            to = how._replace(place=made.temp(a.nbytes))
            calls += small.calls(Event("copy", None, (how,), to), made)
            how = to
        results.append(how)
    made.calls, made.results = tuple(calls), tuple(results)
    return made


def lying(a: Array) -> Lying:
    """How an array lies in memory of its own."""
    return Lying(Place("in", 0), a.shape, a.strides, a.dtype)


def ours(fn: Any) -> bool:
    """Whether a function is the package's own or NumPy's, so that it may be tried out."""
    if isinstance(fn, np.ufunc):
        return True
    while isinstance(fn, functools.partial):
        fn = fn.func
    module = own(getattr(fn, "__module__", None) or "")
    return (module + ".").startswith((OURS, "numpy."))
