"""Lines to launches: what a line's function does with plans, found out by running it.

A line's function is Python around plans of kernels. To know which launches a line is, the function
is run on copies of its operands, and each `Plan.run` on the way is noted:

1. once for real: no plan may have a launch of NumPy;
2. some times on memory full of zeros, ones or noise, plans without their kernels: the same plans,
   the same arguments, no number that Python looked at, no byte that Python changed. Each array must
   be one of the operands, a result or the memory of a plan, or what is the same in all runs;
3. the launches that came of it are run on other copies of the operands: the same bytes as in 1.

What does not pass stays a call from Python. Not here: small arrays, which NumPy computes
(`small.py`); the words of launches (`calls.py`).
"""

from __future__ import annotations

import functools
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..kernels.launch import Launch, Reference, Series, View
from ..kernels.plan import Plan
from .calls import Call, Lying, Place, Words, run_on
from .program import Line, Ref, refs
from .spy import EMPTY, INSTEAD, Event, Refused, Spy, bare, spied

Array = Any
FILLS = (0xFF, None, None)  # a byte, or noise
LARGE = 1 << 20  # bytes of operands of which there are two tries, not three
MAKERS = ("empty", "zeros", "ones", "full")  # NumPy's functions that make arrays
MOST_KEPT = 1 << 22  # bytes of an array of Python's that may be a constant of a plan


class Lowered:
    """A line as calls.

    Attributes:
        calls: their places are ("operand", number in `Line.reads`, bytes), ("temp", number, bytes)
            and ("constant", number, bytes).
        temps: bytes of each array that the calls make or need.
        constants: arrays that they read.
        results: what comes out, in the order of `Line.makes`.
        flops, bytes: what the plans say that they cost.
    """

    def __init__(
        self,
        calls: Sequence[Call] = (),
        temps: Sequence[int] = (),
        constants: Sequence[Array] = (),
        results: Sequence[Lying] = (),
        flops: int = 0,
        bytes: int = 0,
    ) -> None:
        self.calls: tuple[Call, ...] = tuple(calls)
        self.temps, self.constants = list(temps), list(constants)
        self.results: tuple[Lying, ...] = tuple(results)
        self.flops, self.bytes = flops, bytes
        self.empties: set[int] = set()  # temps that Python made with nothing in them

    def temp(self, size: int) -> Place:
        """Room for an array."""
        self.temps.append(size)
        return Place("temp", len(self.temps) - 1)

    def constant(self, array: Array) -> Place:
        """Room that holds an array."""
        self.constants.append(array)
        return Place("constant", len(self.constants) - 1)


# -- memory ----------------------------------------------------------------------------------------


def span(a: Array) -> tuple[int, int]:
    """The addresses of an array's first byte and behind its last one."""
    low = high = a.__array_interface__["data"][0]
    if not a.size:
        return low, low
    for n, step in zip(a.shape, a.strides, strict=True):
        if step > 0:
            high += (n - 1) * step
        else:
            low += (n - 1) * step
    return low, high + a.itemsize


def read(low: int, high: int) -> Array:
    """The bytes at some addresses, as an array."""
    import ctypes

    if low == high:
        return EMPTY(0, np.uint8)
    return np.ctypeslib.as_array((ctypes.c_uint8 * (high - low)).from_address(low))


class Room:
    """Memory of one's own that stands for a stretch of addresses, as far into a cache line."""

    def __init__(self, low: int, high: int) -> None:
        self.low, self.size = low, high - low
        raw = np.empty(self.size + 128, np.uint8)
        start = (low - raw.ctypes.data) % 64
        self.bytes = raw[start : start + self.size]
        self.begin = self.bytes.ctypes.data

    def view(self, a: Array) -> Array:
        """What stands for an array of the stretch."""
        at = a.__array_interface__["data"][0] - self.low
        if not a.size:
            return np.empty(a.shape, a.dtype)
        return np.ndarray(a.shape, a.dtype, self.bytes, at, a.strides)


class Copies:
    """Memory like that of some arrays: those that share memory share it here, too."""

    def __init__(self, examples: Sequence[Array], fixed: Sequence[bool]) -> None:
        self.fixed = fixed
        self.scalars = [not isinstance(a, np.ndarray) for a in examples]
        self.kept = arrays = [np.asarray(a) for a in examples]
        spans = sorted((*span(a), k) for k, a in enumerate(arrays))
        self.rooms: list[Room] = []
        self.room_of: list[Room] = [None] * len(arrays)  # type: ignore[list-item]
        group: list[int] = []
        low = high = -1
        for first, last, k in [*spans, (1 << 63, 1 << 63, -1)]:
            if group and first >= high:
                room = Room(low, high)
                self.rooms.append(room)
                for member in group:
                    self.room_of[member] = room
                group = []
            if not group:
                low, high = first, last
            group.append(k)
            high = max(high, last)
        self.arrays = [r.view(a) for r, a in zip(self.room_of, arrays, strict=True)]
        for mine, a in zip(self.arrays, arrays, strict=True):
            if not a.flags.writeable:
                mine.flags.writeable = False
        self.constant = {id(r) for r, known in zip(self.room_of, fixed, strict=True) if known}
        self.boolean = {id(r) for r, a in zip(self.room_of, arrays, strict=True) if a.dtype == bool}

    def given(self) -> list[Any]:
        """The operands of a function: the arrays, and scalars where they are."""
        return [a[()] if k else a for k, a in zip(self.scalars, self.arrays, strict=True)]

    def spies(self, trace: Trace) -> list[Any]:
        """The same as spies."""
        found: list[Any] = []
        for scalar, known, a in zip(self.scalars, self.fixed, self.arrays, strict=True):
            spy = spied(a, trace, known)
            spy.scalar = scalar
            found.append(spy)
        return found

    def load(self) -> None:
        """Copy what the arrays hold now."""
        for room in self.rooms:
            room.bytes[...] = read(room.low, room.low + room.size)

    def fill(self, byte: int | None) -> None:
        for room in self.rooms:
            if id(room) in self.constant:
                room.bytes[...] = read(room.low, room.low + room.size)
            else:
                fill(room.bytes, byte, id(room) in self.boolean)

    def bytes(self) -> list[bytes]:
        return [room.bytes.tobytes() for room in self.rooms]


_noise = random.Random(0)


def fill(room: Array, byte: int | None, boolean: bool) -> None:
    """Fill bytes with one, or with noise; `boolean` ones with 0 and 1."""
    if byte is None:
        scatter(room)
    else:
        room[...] = byte
    if boolean:
        room &= 1


def scatter(room: Array) -> None:
    """Fill bytes with noise: one block of it, over and over, from somewhere on. Its length is a
    prime, so it looks different in each row of an array."""
    block, at = noise_block(), 0
    start = _noise.randrange(block.size)
    while at < room.size:
        part = block[start : start + room.size - at]
        room[at : at + part.size] = part
        at, start = at + part.size, 0


@functools.cache
def noise_block() -> Array:
    return np.frombuffer(_noise.randbytes(1_048_583), np.uint8)


# -- watching plans --------------------------------------------------------------------------------

_class: Any = Plan  # whose slot `run` is swapped for a property
_slot: Any = _class.run
_swapping = threading.Lock()
_watcher: Any = None  # (thread, what is called with plan and arguments)


def _get(plan: Plan) -> Callable[..., Any]:
    if _watcher is not None and _watcher[0] == threading.get_ident():
        return functools.partial(_watcher[1], plan)
    return _slot.__get__(plan, Plan)  # type: ignore[no-any-return]


@contextmanager
def watched(trace: Trace) -> Iterator[None]:
    """Let `trace` see this thread's plans, instead of running them, and NumPy's functions that no
    array can take over."""
    global _watcher
    numpy: Any = np
    mine, run = threading.get_ident(), trace.run

    def telling(fn: Any) -> Any:
        def make(*how: Any, **more: Any) -> Any:
            here = _watcher is not None and _watcher[1] is run
            if not here or threading.get_ident() != mine:
                return fn(*how, **more)
            if any(type(x) is Spy for x in (*how, *more.values())):
                raise Refused(f"NumPy: {fn.__name__} of an array's number")
            made = fn(*how, **more)
            if made.__class__ is not np.ndarray or made.dtype.hasobject:
                return made
            return trace.made_empty(made) if fn is EMPTY else trace.made_full(made)

        return make

    with _swapping:
        _watcher = mine, run
        before = {name: getattr(np, name) for name in (*INSTEAD, *MAKERS)}
        _class.run = property(_get, _slot.__set__)
        try:
            for name, instead in INSTEAD.items():
                setattr(numpy, name, instead)
            for name in MAKERS:
                setattr(numpy, name, telling(before[name]))
            yield
        finally:
            for name, own in before.items():
                setattr(numpy, name, own)
            _class.run = _slot
            _watcher = None


class Other:
    """An array of Python's own that a plan is given, with all the memory behind it.

    Places in it are told from where it was first seen: that address, not the one where NumPy's
    memory begins, is a multiple of 64 where a kernel wants one.
    """

    def __init__(self, a: Array) -> None:
        root = a
        while isinstance(root.base, np.ndarray):
            root = root.base
        self.root, self.base, self.empty = root, span(a)[0], False
        self.low, self.high = span(root)
        if self.high - self.low > MOST_KEPT or root.dtype.hasobject:
            raise Refused("a large array of Python's")
        self.bits = self.now()
        self.seen: set[tuple[int, int]] = set()

    def now(self) -> bytes:
        return read(self.low, self.high).tobytes()

    def bits_of(self, parts: set[tuple[int, int]]) -> list[bytes]:
        """The bytes of some parts, as they were when it was first seen."""
        lead = self.base - self.low
        return [self.bits[lead + first : lead + last] for first, last in sorted(parts)]


class Trace:
    """One run of a line's function with plans that compute nothing, on arrays that tell.

    Attributes:
        work: what was done, in order: calls, and what NumPy did, with places for arrays.
        temps: memory that was made on the way.
        others: arrays of Python's own.
    """

    def __init__(self, copies: Copies, byte: int | None) -> None:
        self.byte = byte
        self.work: list[Call | Event] = []
        self.plans: list[Plan] = []
        self.scalars: list[Any] = []
        self.temps: list[Any] = []
        self.constants: list[Any] = []
        self.known: list[tuple[int, int, Place]] = []  # first and last address, what is there
        self.others: list[Other] = []
        self.empties: dict[tuple[int, int], Any] = {}  # arrays of Python's with nothing in them
        self.written: set[int] = set()  # which of those are written
        self.shadows: list[tuple[int, int, Any]] = []  # what is in memory, as far as was told
        for k, a in enumerate(copies.arrays):
            self.know(a, Place("operand", k), True)
        for room in copies.rooms:
            self.shade(room.begin, room.begin + room.size)

    def shade(self, low: int, high: int) -> None:
        self.shadows.append((low, high, read(low, high).copy()))

    def changed(self) -> bool:
        """Whether memory was written without being told."""
        return any((read(low, high) != bits).any() for low, high, bits in self.shadows)

    def know(self, a: Array, place: Place, data: bool = False) -> None:
        low, high = span(a)
        at = a.__array_interface__["data"][0] if data else low
        self.known.append((low, high, place.moved(low - at)))

    def place(self, a: Any) -> Any:
        """What an array is: a Place, or the words of a list of arrays."""
        if a.__class__ is not np.ndarray and type(a) is not Spy:
            raise Refused(f"a plan is given a {type(a).__name__}")
        low, high = span(a)
        at = a.__array_interface__["data"][0]
        if low == high:
            return Place("nothing", 0)
        for first, last, place in self.known:
            if first <= low and high <= last:
                found = place.moved(at - first)
                if found.kind == "other":
                    base = self.others[found.number].base
                    self.others[found.number].seen.add((low - base, high - base))
                return found
        words = self.table(a)
        if words is not None:
            return words
        other = Other(a)
        other.empty = (other.low, other.high) in self.empties
        place = Place("other", len(self.others))
        self.others.append(other)
        other.seen.add((low - other.base, high - other.base))
        self.known.append((other.low, other.high, place.moved(other.low - other.base)))
        return place.moved(at - other.base)

    def run(self, plan: Plan, *given: Any) -> Any:
        """Stands for `plan.run`."""
        self.plans.append(plan)
        arrays = dict(zip(plan.operands, given, strict=False))
        scalars = dict(zip(plan.scalars, given[len(plan.operands) :], strict=True))
        self.scalars.append([(type(v), v) for v in scalars.values()])
        at: dict[str, Any] = {}
        for name, a in arrays.items():
            if isinstance(a, np.ndarray):
                at[name] = self.place(a)
                if name in plan.mutates and at[name].__class__ is Place:
                    self.write(at[name])
        others = {v.name for v in plan.launches if isinstance(v, View)}
        seen = set(plan.returns) | {v.of for v in plan.launches if isinstance(v, View)}
        for launch in plan.launches:
            if isinstance(launch, Reference):
                others.update(launch.results)
                seen.update(plan.outputs, plan.workspace)
        for name, meta in plan.outputs.items():
            if name in others:
                continue
            made = np.ndarray(meta.shape, meta.dtype, None, 0, meta.strides)
            if name in seen:  # by Python
                fill(read(*span(made)), self.byte, meta.dtype == bool)
            arrays[name] = spied(made, self)
            at[name] = self.temp(made, name in seen)
        for name, size in plan.workspace.items():
            room = EMPTY(size, np.uint8)
            arrays[name], at[name] = spied(room, self), self.temp(room, name in seen)
        for name, a in plan.constants.items():
            arrays[name] = a
            at[name] = Place("constant", len(self.constants))
            self.constants.append(a)
        for launch in plan.launches:
            if isinstance(launch, Reference):
                values = [None if k is None else scalars[k] if k in scalars else arrays[k]
                          for k in launch.arrays]  # fmt: skip
                found = launch.fn(*values, **launch.parameters)
                several = launch.results if len(launch.results) > 1 else ()
                for name, a in zip(several or launch.results, found if several else [found],
                                   strict=False):  # fmt: skip
                    arrays[name] = a
                    if isinstance(a, np.ndarray):
                        at[name] = self.place(a)
                        if at[name].__class__ is Place:
                            self.write(at[name])  # launches behind it may
                continue
            if isinstance(launch, View):
                meta = launch.meta
                arrays[launch.name] = spied(np.ndarray(
                    meta.shape, meta.dtype, bare(arrays[launch.of]), launch.offset, meta.strides
                ), self)  # fmt: skip
                at[launch.name] = at[launch.of].moved(launch.offset)
                continue
            for one in launch.launches if isinstance(launch, Series) else (launch,):
                self.work.append(called(one, at, scalars))
        found = tuple([arrays[k] for k in plan.returns])
        return None if not found else found[0] if len(found) == 1 else found

    def event(self, event: Event) -> None:
        """NumPy did something."""
        operands = tuple([self.lying(a) if isinstance(a, np.ndarray) else a for a in event.arrays])
        low, high = span(event.out)
        if low != high and not any(first <= low and high <= last for first, last, _ in self.known):
            root = event.out
            while isinstance(root.base, np.ndarray):
                root = root.base
            if span(root) not in self.empties:  # NumPy made it just now
                self.temp(root)
        out = self.lying(event.out)
        self.write(out.place)
        for first, last, bits in self.shadows:
            if first <= low and high <= last:
                bits[low - first : high - first] = read(low, high)
        self.work.append(event._replace(arrays=operands, out=out))

    def made_empty(self, a: Array) -> Any:
        """Python made an array with nothing in it."""
        self.empties[span(a)] = a
        fill(read(*span(a)), None, a.dtype == bool)  # so that each byte that is written shows
        self.shade(*span(a))
        return spied(a, self)

    def made_full(self, a: Array) -> Any:
        """Python made an array that is the same each time."""
        self.place(a)
        self.shade(*span(a))
        return spied(a, self)

    def lying(self, a: Array) -> Lying:
        place = self.place(a)
        if place.__class__ is not Place:
            raise Refused("a list of arrays is computed with")
        return Lying(place, a.shape, a.strides, a.dtype)

    def temp(self, a: Array, seen: bool = True) -> Place:
        """Memory that is made on the way, which Python may have `seen`."""
        place = Place("temp", len(self.temps))
        self.temps.append(a)
        self.know(a, place)
        if seen:
            self.shade(*span(a))
        return place

    def write(self, place: Place) -> None:
        if place.kind == "other":
            self.written.add(place.number)

    def table(self, a: Any) -> Words | None:
        """The words of a list of arrays, if that is what an array is (`tensor_lists.gather`)."""
        if a.__class__ is not np.ndarray or a.dtype != np.int64 or a.ndim != 1:
            return None
        starts = {first: place for first, last, place in self.known if first < last}
        found: list[Place | int] = []
        for word in a.tolist():
            place = starts.get(word)
            found.append(int(word) if place is None else place)
        return tuple(found) if any(w.__class__ is Place for w in found) else None


def called(launch: Launch, at: dict[str, Any], scalars: dict[str, Any]) -> Call:
    """A launch as a call."""
    arrays: list[Any] = []
    for a in launch.arrays:
        if isinstance(a, tuple):
            arrays.append(at[a[0]].moved(a[1]))
        else:
            arrays.append(None if a is None else at.get(a))
    ints = tuple([int(scalars[v] if isinstance(v, str) else v) for v in launch.ints])
    floats = tuple([float(scalars[v] if isinstance(v, str) else v) for v in launch.floats])
    return Call(launch.kernel, tuple(arrays), ints, floats)


# -- one line --------------------------------------------------------------------------------------


def substituted(x: Any, arrays: dict[Ref, Any]) -> Any:
    """Operands with arrays in place of their numbers."""
    if x.__class__ is Ref:
        return arrays[x]
    if isinstance(x, (tuple, list)):
        return type(x)([substituted(v, arrays) for v in x])
    return x


def perform(line: Line, arrays: dict[Ref, Any]) -> Any:
    """Run a line's function on arrays."""
    kw = {k: substituted(v, arrays) for k, v in line.kw.items()}
    with np.errstate(all="ignore"):
        return line.record.fn(*substituted(line.operands, arrays), **kw)


def made(line: Line, results: Any) -> list[Any]:
    """The arrays that come out, in the order of `Line.makes`."""
    found: list[Any] = []

    def walk(to: Any, x: Any) -> None:
        if to.__class__ is Ref:
            found.append(x)
        elif to is not None:
            for t, v in zip(to, x, strict=True):
                walk(t, v)

    walk(line.results, results)
    return found


def traced(
    line: Line, names: Sequence[Ref], copies: Copies, byte: int | None
) -> tuple[Trace, list[Any]]:
    """A run on memory full of one byte or of noise: the trace and where the results lie."""
    copies.fill(byte)
    trace = Trace(copies, byte)
    with watched(trace):
        found = made(line, perform(line, dict(zip(names, copies.spies(trace), strict=True))))
    if not all(isinstance(a, np.ndarray) for a in found):
        raise Refused("a result is a number")
    results = [trace.lying(a) for a in found]
    if trace.changed():
        raise Refused("Python writes to an array")
    if any(other.now() != other.bits for k, other in enumerate(trace.others)
           if k not in trace.written and not other.empty):  # fmt: skip
        raise Refused("Python writes to an array of its own")
    return trace, results


def same(a: Trace, b: Trace) -> bool:
    """Whether two runs did the same."""
    return (
        a.plans == b.plans
        and repr(a.scalars) == repr(b.scalars)
        and a.written == b.written
        and len(a.others) == len(b.others)
        and len(a.work) == len(b.work)
        and all(repr(x) == repr(y) for x, y in zip(a.work, b.work, strict=True))
    )


def lower(line: Line, examples: dict[Ref, Array], fixed: Sequence[bool]) -> Lowered:
    """A line as calls.

    Args:
        examples: an array or a scalar for each value that it reads, in the order of `Line.reads`.
        fixed: which of them are the same in each run.

    Raises:
        Refused: it is more than launches, or might be.
    """
    names = list(examples)
    copies = Copies(list(examples.values()), fixed)
    large = sum(room.size for room in copies.rooms) > LARGE
    runs = [traced(line, names, copies, byte) for byte in FILLS[large:]]
    trace, results = runs[0]
    for other, lying in runs[1:]:
        if lying != results or not same(trace, other):
            raise Refused("Python looks at numbers")
    lowered = assembled([r for r, _ in runs], results)
    copies.load()
    found = made(line, perform(line, dict(zip(names, copies.given(), strict=True))))
    bits, after = [a.tobytes() for a in found], copies.bytes()
    copies.load()
    check(lowered, copies, found, bits, after)
    return lowered


def assembled(runs: list[Trace], results: list[Lying]) -> Lowered:
    """The calls, with a place for each array of Python's."""
    from . import small

    trace = runs[0]
    made = Lowered()
    made.temps = [span(a)[1] - span(a)[0] for a in trace.temps]
    made.constants = list(trace.constants)
    where: dict[int, Place] = {}
    calls: list[Call] = []
    for k, other in enumerate(trace.others):
        lead = other.base - other.low
        bits = other.bits_of(other.seen)
        known = all(run.others[k].bits_of(other.seen) == bits for run in runs)
        known = known and not other.empty
        if k in trace.written or other.empty:
            before = -(-lead // 64) * 64
            where[k] = made.temp(before + other.high - other.base).moved(before)
            if other.empty:
                made.empties.add(where[k].number)
            if known:  # it holds something, such as zeros
                for part, (first, _) in zip(bits, sorted(other.seen), strict=True):
                    start = np.frombuffer(part, np.uint8)
                    how = Lying(made.constant(start), start.shape, (1,), start.dtype)
                    to = how._replace(place=where[k].moved(first))
                    calls += small.calls(Event("copy", None, (how,), to), made)
            continue
        if not known and not other.empty:
            raise Refused("NumPy computes in between")
        where[k] = Place("constant", len(made.constants), lead)
        made.constants.append(other.root)

    def move(place: Place) -> Place:
        return where[place.number].moved(place.offset) if place.kind == "other" else place

    for one in trace.work:
        if isinstance(one, Call):
            calls.append(one.at(move))
        else:
            arrays = [a._replace(place=move(a.place)) if isinstance(a, Lying) else a
                      for a in one.arrays]  # fmt: skip
            out = one.out._replace(place=move(one.out.place))
            calls += small.calls(one._replace(arrays=tuple(arrays), out=out), made)
    made.calls = tuple(calls)
    made.results = tuple([r._replace(place=move(r.place)) for r in results])
    made.flops = sum(plan.flops or 0 for plan in trace.plans)
    made.bytes = sum(plan.bytes for plan in trace.plans)
    return made


def check(
    lowered: Lowered, copies: Copies, found: list[Array], bits: list[bytes], after: list[bytes]
) -> None:
    """Run the calls and compare their bytes with what the function made."""
    temps = [Room(0, size) for size in lowered.temps]
    for room in temps:
        room.bytes[...] = 0xFF  # NaN: whatever reads it shows
    starts = {
        "operand": [a.__array_interface__["data"][0] for a in copies.arrays],
        "temp": [room.begin for room in temps],
        "constant": [a.__array_interface__["data"][0] for a in lowered.constants],
        "nothing": [0],
    }

    def address(place: Place) -> int:
        return int(starts[place.kind][place.number]) + place.offset

    constants = [a.tobytes() for a in lowered.constants]
    if lowered.calls:
        run_on(lowered.calls, address)
    if copies.bytes() != after:
        raise Refused("the launches write other bytes")
    if [a.tobytes() for a in lowered.constants] != constants:
        raise Refused("the launches write to a constant")
    for lying, a, wanted in zip(lowered.results, found, bits, strict=True):
        if lying.shape != a.shape or lying.strides != a.strides or lying.dtype != a.dtype:
            raise Refused("the launches make another array")
        if not a.size or is_empty(lowered, lying.place):
            continue
        at = address(lying.place)
        one = np.lib.stride_tricks.as_strided(
            read(at, at + a.itemsize).view(a.dtype), a.shape, a.strides
        )
        if one.tobytes() != wanted:
            raise Refused("the launches make other bytes")


def is_empty(lowered: Lowered, place: Place) -> bool:
    """Whether nothing was written to a place yet."""
    return place.kind == "temp" and place.number in lowered.empties and not any(
        place[:2] == p[:2] for call in lowered.calls for p in call.places()
    )  # fmt: skip


def operands(line: Line) -> list[Ref]:
    """The values that a line reads, each once."""
    return list(dict.fromkeys(refs((line.operands, tuple(line.kw.values())))))
