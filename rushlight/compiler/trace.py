"""One trial run of a line's function: which plans it runs on which arrays, what NumPy does.

A `Trace` stands for `Plan.run` while the function runs, in this thread alone: a plan computes
nothing, its arrays are filled, its launches are written down with a place for each array. What
NumPy does is told by the arrays themselves (`spy.py`).

Not here: which runs there are and what they must agree on (`lower_plans.py`).
"""

from __future__ import annotations

import ctypes
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..blocks import contextmanager
from ..kernels import index_flag, indices
from ..kernels.codegen import tensor_lists
from ..kernels.launch import Launch, Reference, Series, View
from ..kernels.plan import Plan
from .calls import Call, Lying, Place, Words
from .copies import Copies, fill, read, span
from .spy import EMPTY, INSTEAD, Event, Refused, Spy, bare, spied

Array = Any
MAKERS = ("empty", "zeros", "ones", "full")  # NumPy's functions that make arrays
MOST_KEPT = 1 << 22  # bytes of an array of Python's that may be a constant of a plan

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
    lists: Any = tensor_lists
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

    own_gather = lists.gather

    @functools.wraps(own_gather)
    def gathering(*how: Any) -> Any:
        fill_table = own_gather(*how)

        def gathered(arrays: list[Any], table: Any) -> Any:
            bare(table)[...] = 0  # words that nobody fills are the same in each run
            total = fill_table([bare(a) for a in arrays], bare(table))
            if type(table) is Spy:
                trace.told(table)
            return total

        return gathered

    def back() -> None:
        global _watcher
        lists.gather = own_gather
        for name, own in before.items():
            setattr(numpy, name, own)
        _class.run = _slot
        _watcher = None

    with _swapping:
        before = {name: getattr(np, name) for name in (*INSTEAD, *MAKERS)}
        try:
            _watcher = mine, run
            _class.run = property(_get, _slot.__set__)
            for name, instead in INSTEAD.items():
                setattr(numpy, name, instead)
            for name in MAKERS:
                setattr(numpy, name, telling(before[name]))
            lists.gather = gathering
            with indices.answered(trace.within):
                yield
        finally:
            try:
                back()
            except BaseException:
                back()
                raise


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
        return ctypes.string_at(self.low, self.high - self.low)

    def bits_of(self, parts: set[tuple[int, int]]) -> list[bytes]:
        """The bytes of some parts, as they were when it was first seen."""
        lead = self.base - self.low
        return [self.bits[lead + first : lead + last] for first, last in sorted(parts)]


class Trace:
    """One run of a line's function with plans that compute nothing, on arrays that tell.

    Attributes:
        work: what was done, in order: calls, and what NumPy did, with places for arrays.
        temps: memory that was made on the way; `sizes`: its bytes.
        others: arrays of Python's own.
        ranges: what was asked of indices: (operand, the first that is in range, the one behind the
            last).
    """

    def __init__(self, copies: Copies, byte: int | None) -> None:
        self.byte = byte
        self.work: list[Call | Event] = []
        self.plans: list[Plan] = []
        self.scalars: list[Any] = []
        self.temps: list[Any] = []
        self.sizes: list[int] = []
        self.constants: list[Any] = []
        self.known: list[tuple[int, int, Place]] = []  # first and last address, what is there
        self.others: list[Other] = []
        self.empties: dict[tuple[int, int], Any] = {}  # arrays of Python's with nothing in them
        self.written: set[int] = set()  # which of those are written
        self.ranges: list[tuple[int, int, int]] = []
        self.copies = copies
        self.shadows: list[tuple[int, int, Any]] = []  # what is in memory, as far as was told
        for k, a in enumerate(copies.arrays):
            self.know(a, Place("operand", k), True)
        for room in copies.rooms:
            self.shade(room.begin, room.begin + room.size)

    def shade(self, low: int, high: int) -> None:
        self.shadows.append((low, high, ctypes.string_at(low, high - low)))

    def changed(self) -> bool:
        """Whether memory was written without being told."""
        return any(
            ctypes.string_at(low, high - low) != bits for low, high, bits in self.shadows
        )

    def close(self) -> None:
        """Let the memory go: arrays that tell know their trace, so it would stay for a while."""
        self.temps, self.shadows, self.empties = [], [], {}

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
            self.work.append(called(launch, at, scalars))
        found = tuple([arrays[k] for k in plan.returns])
        return None if not found else found[0] if len(found) == 1 else found

    def within(self, index: Any, low: int, high: int) -> bool:
        """Stands for `indices.within`: it holds, for it will be looked at before each run."""
        if (index.__class__ is np.ndarray and type(index) is not Spy) or index.known:
            return indices.seen(bare(index), low, high)
        place = self.place(index)
        if place.__class__ is not Place or place.kind != "operand":
            raise Refused("Python looks at a number")
        kept = self.copies.kept[place.number]
        if place.offset or kept.nbytes != index.nbytes or kept.dtype not in index_flag.ELEMENTS:
            raise Refused("Python looks at a part of an array")
        if not indices.seen(kept, low, high):
            raise Refused("an index is out of range")
        self.ranges.append((place.number, low, high))
        return True

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
        self.told(event.out)
        self.work.append(event._replace(arrays=operands, out=out))

    def told(self, a: Array) -> None:
        """What an array holds now is known of."""
        low, high = span(a)
        for k, (first, last, bits) in enumerate(self.shadows):
            if first <= low < high <= last:
                if bits.__class__ is bytes:
                    bits = bytearray(bits)
                    self.shadows[k] = first, last, bits
                bits[low - first : high - first] = ctypes.string_at(low, high - low)

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
        low, high = span(a)
        self.sizes.append(high - low)
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
        for word in bare(a).tolist():
            place = starts.get(word)
            found.append(int(word) if place is None else place)
        return tuple(found) if any(w.__class__ is Place for w in found) else None


def called(launch: Launch | Series, at: dict[str, Any], scalars: dict[str, Any]) -> Call:
    """A launch as a call, or a series of them."""
    if isinstance(launch, Series):
        return called_series(launch, at)
    arrays: list[Any] = []
    for a in launch.arrays:
        if isinstance(a, tuple):
            arrays.append(at[a[0]].moved(a[1]))
        else:
            arrays.append(None if a is None else at.get(a))
    ints = tuple([int(scalars[v] if isinstance(v, str) else v) for v in launch.ints])
    floats = tuple([float(scalars[v] if isinstance(v, str) else v) for v in launch.floats])
    return Call(launch.kernel, tuple(arrays), ints, floats)


def called_series(launch: Series, at: dict[str, Any]) -> Call:
    """A series as one call, with its tables as words of the call's own."""
    from ..kernels.runtime import series

    tables = [tuple(words.tolist()) for words in launch.tables]
    arrays = [at.get(name) for name in launch.arrays]
    kernel = series.kernel(len(arrays))
    return Call(kernel, (*tables, *arrays), (len(launch.shares),), ())
