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
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..kernels.launch import Launch, Reference, Series, View
from ..kernels.plan import Plan
from .calls import Call, Lying, Place, Words, run_on
from .program import Line, Ref, refs

Array = Any
FILLS = (0x00, 0xFF, None, None)  # a byte, or noise
MOST_KEPT = 1 << 22  # bytes of an array of Python's that may be a constant of a plan


class Refused(Exception):
    """This line is not launches alone; says why."""


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
        self.calls, self.temps, self.constants = tuple(calls), list(temps), list(constants)
        self.results, self.flops, self.bytes = tuple(results), flops, bytes
        self.formula: Any = None  # of one that is a formula about one element: see `small.py`


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
        return np.empty(0, np.uint8)
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

    def __init__(self, arrays: Sequence[Array]) -> None:
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
        self.boolean = {id(r) for r, a in zip(self.room_of, arrays, strict=True) if a.dtype == bool}

    def load(self) -> None:
        """Copy what the arrays hold now."""
        for room in self.rooms:
            room.bytes[...] = read(room.low, room.low + room.size)

    def fill(self, byte: int | None) -> None:
        for room in self.rooms:
            fill(room.bytes, byte, id(room) in self.boolean)

    def bytes(self) -> list[bytes]:
        return [room.bytes.tobytes() for room in self.rooms]


_noise = np.random.default_rng(0)


def fill(room: Array, byte: int | None, boolean: bool) -> None:
    """Fill bytes with one, or with noise; `boolean` ones with 0 and 1."""
    room[...] = _noise.integers(0, 256, room.size, np.uint8) if byte is None else byte
    if boolean:
        room &= 1


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
def watched(fn: Callable[..., Any]) -> Iterator[None]:
    """Let `fn(plan, *arguments)` stand for this thread's `plan.run(*arguments)`."""
    global _watcher
    with _swapping:
        _watcher = threading.get_ident(), fn
        _class.run = property(_get, _slot.__set__)
        try:
            yield
        finally:
            _class.run = _slot
            _watcher = None


def native_only(plan: Plan, *given: Any) -> Any:
    """Run a plan of kernels; refuse one of NumPy."""
    for launch in plan.launches:
        if isinstance(launch, Reference):
            raise Refused(f"{plan.name}: {launch.describe()[0]}")
    return _slot.__get__(plan, Plan)(*given)


class Other:
    """An array of Python's own that a plan is given, with all the memory behind it.

    Places in it are told from where it was first seen: that address, not the one where NumPy's
    memory begins, is a multiple of 64 where a kernel wants one.
    """

    def __init__(self, a: Array) -> None:
        root = a
        while isinstance(root.base, np.ndarray):
            root = root.base
        self.root, self.base = root, span(a)[0]
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
    """One run of a line's function with plans that compute nothing."""

    def __init__(self, arrays: Sequence[Array], byte: int | None) -> None:
        self.byte = byte
        self.filled: list[tuple[Any, bytes]] = []  # results of plans, as they were handed out
        self.calls: list[Call] = []
        self.plans: list[Plan] = []
        self.scalars: list[Any] = []
        self.temps: list[Any] = []  # memory of the plans
        self.constants: list[Any] = []
        self.known: list[tuple[int, int, Place]] = []  # first and last address, what is there
        self.others: list[Other] = []
        self.written: set[int] = set()  # which of those a plan writes
        for k, a in enumerate(arrays):
            self.know(a, Place("operand", k), True)

    def know(self, a: Array, place: Place, data: bool = False) -> None:
        low, high = span(a)
        at = a.__array_interface__["data"][0] if data else low
        self.known.append((low, high, place.moved(low - at)))

    def place(self, a: Any) -> Any:
        """What an array is: a Place, or the words of a list of arrays."""
        if a.__class__ is not np.ndarray:
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
            if a is not None:
                at[name] = self.place(a)
                if name in plan.mutates and at[name].__class__ is Place:
                    self.write(at[name])
        views = {v.name: v for v in plan.launches if isinstance(v, View)}
        for name, meta in plan.outputs.items():
            if name in views:
                continue
            made = np.ndarray(meta.shape, meta.dtype, None, 0, meta.strides)
            room = read(*span(made))
            fill(room, self.byte, meta.dtype == bool)
            self.filled.append((room, room.tobytes()))
            arrays[name] = made
            at[name] = self.temp(made)
        for name, size in plan.workspace.items():
            at[name] = self.temp(np.empty(size, np.uint8))
        for name, a in plan.constants.items():
            at[name] = Place("constant", len(self.constants))
            self.constants.append(a)
        for launch in plan.launches:
            if isinstance(launch, Reference):
                raise Refused(f"{plan.name}: {launch.describe()[0]}")
            if isinstance(launch, View):
                meta = launch.meta
                arrays[launch.name] = np.ndarray(
                    meta.shape, meta.dtype, arrays[launch.of], launch.offset, meta.strides
                )
                at[launch.name] = at[launch.of].moved(launch.offset)
                continue
            for one in launch.launches if isinstance(launch, Series) else (launch,):
                self.calls.append(called(one, at, scalars))
        found = tuple([arrays[k] for k in plan.returns])
        return None if not found else found[0] if len(found) == 1 else found

    def temp(self, a: Array) -> Place:
        place = Place("temp", len(self.temps))
        self.temps.append(a)
        self.know(a, place)
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
    trace = Trace(copies.arrays, byte)
    before = copies.bytes()
    with watched(trace.run):
        found = made(line, perform(line, dict(zip(names, copies.arrays, strict=True))))
    if copies.bytes() != before:
        raise Refused("Python writes to an operand")
    if any(room.tobytes() != bits for room, bits in trace.filled):
        raise Refused("Python writes to what a plan made")
    results = [Lying(trace.place(a), a.shape, a.strides, a.dtype) for a in found]
    if any(other.now() != other.bits for other in trace.others):
        raise Refused("Python writes to an array of its own")
    return trace, results


def same(a: Trace, b: Trace) -> bool:
    """Whether two runs did the same."""
    return (
        a.plans == b.plans
        and repr(a.scalars) == repr(b.scalars)
        and a.written == b.written
        and len(a.others) == len(b.others)
        and len(a.calls) == len(b.calls)
        and all(
            x.kernel is y.kernel and x.arrays == y.arrays and x.ints == y.ints
            and repr(x.floats) == repr(y.floats)
            for x, y in zip(a.calls, b.calls, strict=True)
        )
    )  # fmt: skip


def lower(line: Line, examples: dict[Ref, Array]) -> Lowered:
    """A line as calls.

    Args:
        examples: an array for each value that it reads, in the order of `Line.reads`.

    Raises:
        Refused: it is more than launches, or might be.
    """
    names, arrays = list(examples), list(examples.values())
    copies = Copies(arrays)
    copies.load()
    seen = 0

    def count(plan: Plan, *given: Any) -> Any:
        nonlocal seen
        seen += 1
        return native_only(plan, *given)

    with watched(count):
        found = made(line, perform(line, dict(zip(names, copies.arrays, strict=True))))
    if any(a.__class__ is not np.ndarray for a in found):
        raise Refused("a result is a number")
    if not seen and not all(any(np.may_share_memory(a, b) for b in copies.arrays) for a in found):
        raise Refused("NumPy")
    bits = [a.tobytes() for a in found]
    after = copies.bytes()
    runs = [traced(line, names, copies, byte) for byte in FILLS]
    (trace, results), others = runs[0], runs[1:]
    for other, lying in others:
        if lying != results or not same(trace, other):
            raise Refused("Python looks at numbers")
    lowered = assembled([r for r, _ in runs], results)
    copies.load()
    check(lowered, copies, found, bits, after)
    return lowered


def assembled(runs: list[Trace], results: list[Lying]) -> Lowered:
    """The calls, with a place for each array of Python's."""
    trace = runs[0]
    temps = [span(a)[1] - span(a)[0] for a in trace.temps]
    constants = list(trace.constants)
    where: dict[int, Place] = {}
    for k, other in enumerate(trace.others):
        lead = other.base - other.low
        if k in trace.written:
            before = -(-lead // 64) * 64
            where[k] = Place("temp", len(temps), before)
            temps.append(before + other.high - other.base)
            continue
        bits = other.bits_of(other.seen)
        if any(run.others[k].bits_of(other.seen) != bits for run in runs):
            raise Refused("NumPy computes in between")
        where[k] = Place("constant", len(constants), lead)
        constants.append(other.root)

    def move(place: Place) -> Place:
        return where[place.number].moved(place.offset) if place.kind == "other" else place

    lying = [r._replace(place=move(r.place)) for r in results]
    flops = sum(plan.flops or 0 for plan in trace.plans)
    cost = sum(plan.bytes for plan in trace.plans)
    return Lowered([c.at(move) for c in trace.calls], temps, constants, lying, flops, cost)


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

    if lowered.calls:
        run_on(lowered.calls, address)
    if copies.bytes() != after:
        raise Refused("the launches write other bytes")
    for lying, a, wanted in zip(lowered.results, found, bits, strict=True):
        if lying.shape != a.shape or lying.strides != a.strides or lying.dtype != a.dtype:
            raise Refused("the launches make another array")
        if not a.size:
            continue
        at = address(lying.place)
        one = np.lib.stride_tricks.as_strided(
            read(at, at + a.itemsize).view(a.dtype), a.shape, a.strides
        )
        if one.tobytes() != wanted:
            raise Refused("the launches make other bytes")


def operands(line: Line) -> list[Ref]:
    """The values that a line reads, each once."""
    return list(dict.fromkeys(refs((line.operands, tuple(line.kw.values())))))
