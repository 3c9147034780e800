"""Lines to launches: what a line's function does with plans, found out by running it.

A line's function is Python around plans of kernels. To know which launches a line is, the function
is run on copies of its operands, and each `Plan.run` on the way is noted:

1. two or three times on memory full of ones or noise, plans without their kernels (`trace.py`):
   the same plans, the same arguments, no number that Python looked at, no byte that changed untold.
   Each array must be an operand, a result or the memory of a plan, or the same in all runs;
2. the function runs on copies of the operands, and the launches that came of 1 on others: the same
   bytes.

What does not pass stays a call from Python. Not here: what NumPy does, as launches (`small.py`);
the words of launches (`calls.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .calls import Call, Lying, Place, run_on
from .copies import Copies, Room, read
from .program import Line, Ref, refs
from .spy import Event, Refused
from .trace import Trace, watched

Array = Any
FILLS = (0xFF, None, None)  # a byte, or noise
LARGE = 1 << 20  # bytes of operands of which there are two tries, not three


class Lowered:
    """A line as calls.

    Attributes:
        calls: their places are ("operand", number in `Line.reads`, bytes), ("temp", number, bytes)
            and ("constant", number, bytes).
        temps: bytes of each array that the calls make or need.
        constants: arrays that they read.
        results: what comes out, in the order of `Line.makes`.
        flops, bytes: what the plans say that they cost.
        ranges: operands that hold indices, with the range that they must be in: (number, first,
            behind the last).
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
        self.ranges: list[tuple[int, int, int]] = []
        self.empties: set[int] = set()  # temps that Python made with nothing in them

    def temp(self, size: int) -> Place:
        """Room for an array."""
        self.temps.append(size)
        return Place("temp", len(self.temps) - 1)

    def constant(self, array: Array) -> Place:
        """Room that holds an array."""
        self.constants.append(array)
        return Place("constant", len(self.constants) - 1)


# -- one line --------------------------------------------------------------------------------------


def substituted(x: Any, arrays: dict[Ref, Any]) -> Any:
    """Operands with arrays in place of their numbers."""
    if x.__class__ is Ref:
        return arrays[x]
    if x.__class__ in (tuple, list):
        return type(x)([substituted(v, arrays) for v in x])
    return x


def perform(line: Line, arrays: dict[Ref, Any]) -> Any:
    """Run a line's function on arrays."""
    kw = {k: substituted(v, arrays) for k, v in line.kw.items()}
    with np.errstate(all="ignore"):
        return line.record.fn(*substituted(line.operands, arrays), **kw)


def made(line: Line, results: Any) -> list[Any]:
    """The arrays that come out, in the order of `Line.makes`."""
    return entered(line.results, results, [])


def entered(to: Any, x: Any, found: list[Any]) -> list[Any]:
    """`found` with what of `x` has a number. (A function inside `made` would know itself, and so
    keep the arrays.)"""
    if to.__class__ is Ref:
        found.append(x)
    elif to is not None:
        for t, v in zip(to, x, strict=True):
            entered(t, v, found)
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
    trace.close()
    return trace, results


def same(a: Trace, b: Trace) -> bool:
    """Whether two runs did the same."""
    return (
        a.plans == b.plans
        and repr(a.scalars) == repr(b.scalars)
        and a.ranges == b.ranges
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
    if line.kw.get("storage_offset") is not None:  # as_strided, which counts from where it begins
        raise Refused("Python looks at the memory around an array")
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
    made.temps = list(trace.sizes)
    made.ranges = list(dict.fromkeys(trace.ranges))
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
