"""The events of a recording: opened, closed, and joined by the values that they give each other.

Not here: what happens when (`observer.py`), what is in memory (`memory.py`) and in numbers
(`numbers.py`).
"""

from __future__ import annotations

import os
import sys
import time
import weakref
from typing import Any

import numpy as np

from ..autograd.node import LEAF, Cut, Extras, Out, TensorBase
from ..autograd.observe import Observer
from ..optim.optimizer import living
from .lines import Lines
from .memory import Memory
from .modules import Modules
from .numbers import Samples, type_name
from .recording import NONE, Event, Optimizer, Parameter, Saved, Step, Unreached, Value
from .rounds import AROUND, Rounds

ndarray = np.ndarray
now = time.perf_counter_ns
LEFT_OUT = -2  # the mark of an event that is not kept
PART = -3  # the mark of what is a part of the open event
KEEPING = ("forward", "backward", "zero_grad", "data")  # phases that operations take over


class Events(Observer):
    """A stack of open events and a list of all of them.

    Args:
        most: how many events are kept.
        ended: called with the number of steps that are over, when one may be.
        marked: whether the program says where steps end.
    """

    def __init__(self, most: int, ended: Any, marked: bool = False) -> None:
        self.events: list[Event] = []
        self.rounds = Rounds(marked)
        self.steps: list[Step] = []  # when it is over
        self.lines = Lines()
        self.modules = Modules()
        self.memory = Memory(self.clock)
        self.samples = Samples()
        self.most = most
        self.ended = ended
        self.unreached: list[Unreached] = []
        self.parameters: list[Parameter] = []
        self.evaluated: list[int] = []
        self.left_out = 0
        self.over = False  # calls that are under way when it ends still tell of their end
        self.lost = 0
        self.busy = False  # what a collection of garbage runs while the look writes is not told
        self.since = 0  # when the look began that is being written
        self.began = now()
        self.open: list[int] = []  # places of open events
        self.within: list[Any] = []  # the modules that are being called
        self.module = NONE
        self._around: list[int] = []  # the modules around it
        self._stepped: set[Any] = set()  # optimisers whose step is over inside an open event
        self.ops: dict[int, Any] = {}  # event: what it computes, for `plans.py`
        self.calls: dict[int, Any] = {}  # event: metadata and parameters of the call
        self.cuts: dict[int, Any] = {}  # event: why its results have no history
        self.loss: dict[int, float] = {}  # event: the number that it gave
        self.optimizers: dict[int, tuple[Any, Optimizer]] = {}
        self.failed = NONE  # the event that an error came from first
        self.functions: set[int] = set()  # calls of an `autograd.Function`
        self._programs = 0  # of a compiled function, when it is called
        self._saved: dict[int, Any] = {}  # event of a node that runs: what it has saved
        self.nodes: dict[int, int] = {}  # number of a node: the event that made it
        self.made: dict[int, tuple[Any, int]] = {}  # array without history: its event
        self._shared: dict[Any, Any] = {}  # metadata of calls, each kept once

    def clock(self) -> int:
        """Nanoseconds since the beginning, without what recording took."""
        return (self.since if self.busy else now()) - self.began - self.lost

    def opened(self, kind: str, name: str, at: int, phase: str = "") -> int:
        """A new event inside the innermost open one."""
        events = self.events
        place = len(events)
        part = len(self.rounds.cuts)
        if place + part + 1 >= self.most:  # steps are events, too
            self.left_out += 1
            return LEFT_OUT
        parent = self.open[-1] if self.open else NONE
        if not phase:
            phase = events[parent].phase if parent != NONE else "other"
            if kind in ("op", "module", "function") and phase not in KEEPING:
                phase = "forward" if phase == "other" or self.within else phase
        event = Event(kind, name, at, NONE, parent, phase, part, self.module)
        if kind != "node":
            event.line, event.inner = self.lines.at(sys._getframe(3))
        events.append(event)
        self.open.append(place)
        return place

    def close(self, place: int, at: int) -> None:
        """End an event, and those inside it that an error has left open."""
        stack = self.open
        if place not in stack:
            return
        while stack[-1] != place:
            self.events[stack.pop()].end = at
        stack.pop()
        self.events[place].end = at

    def top(self) -> Event | None:
        return self.events[self.open[-1]] if self.open else None

    # -- steps ---------------------------------------------------------------------------------

    def step_over(self, optimizers: set[Any], at: int) -> None:
        """Optimisers have made a step; where that is inside a backward or another optimiser's
        step, it is over when that is."""
        self._stepped |= optimizers
        if any(self.events[k].kind in AROUND for k in self.open):
            return
        self.unwind(at)
        self.rounds.cut(len(self.events), at, self._stepped)
        self._stepped = set()
        if self.ended is not None:
            self.ended(self.rounds.count(self._optimizers()))

    def step_marked(self) -> None:
        """The program says that its step is over."""
        at = self.clock()
        self.unwind(at)
        self.rounds.mark(len(self.events), at)
        if self.ended is not None:
            self.ended(self.rounds.count())

    def unwind(self, at: int) -> None:
        """Close everything that is open."""
        if self.open:
            self.close(self.open[0], at)

    def _optimizers(self) -> set[int]:
        """The optimisers that hold parameters of what was seen, or have made a step."""
        known = self.modules.known
        return self.rounds.seen.union(
            [id(o) for o in living() for g in o.param_groups for p in g["params"] if known(p)]
        )

    # -- values --------------------------------------------------------------------------------

    def values(self, x: Any, depth: int = 3) -> list[Value]:
        """The tensors among operands or results."""
        found = []
        for t in x if isinstance(x, (list, tuple)) else (x,):
            if isinstance(t, TensorBase):
                found.append(self.value(t))
            elif depth and isinstance(t, (list, tuple)):
                found += self.values(t, depth - 1)
        return found

    def value(self, t: Any) -> Value:
        """A tensor: its type, its shape, where it comes from."""
        a, fn = t._a, t._fn
        name = ""
        if fn is None or fn is LEAF:
            made = self.made.get(id(a))
            maker = made[1] if made is not None and made[0]() is a else NONE
            name = self.modules.name(t)
        else:
            maker = self.nodes.get((fn.node if fn.__class__ is Out else fn).seq, NONE)
        return Value(type_name(a.dtype), tuple(a.shape), maker, name, fn is not None)

    def remember(self, place: int, out: Any, event: Event, at: int) -> None:
        """Which event made these results, and what they are in memory."""
        for t in out if isinstance(out, (list, tuple)) else (out,):
            if isinstance(t, (list, tuple)):
                self.remember(place, t, event, at)
            if not isinstance(t, TensorBase):
                continue
            a, fn = t._a, t._fn
            if a.__class__ is ndarray:
                before = len(self.memory.blocks)
                if self.memory.met(a, place, event.line, at, "result", event.name) >= before:
                    event.made += a.nbytes
            if fn is None or fn is LEAF:
                if a.__class__ is ndarray:
                    self.made[id(a)] = Reference(a, self.made), place
                cut = t._x.cut if t._x.__class__ is Extras else t._x
                if isinstance(cut, Cut) and place not in self.cuts:
                    self.cuts[place] = cut.why, self.lines.at_offset(cut.code, cut.lasti)
            else:
                node = fn.node if fn.__class__ is Out else fn
                if self.nodes.setdefault(node.seq, place) == place and not event.saved:
                    self.save(node, event, at)
            if a.__class__ is ndarray and a.size == 1 and a.dtype.kind == "f":
                # the first result is the loss, others are for its derivative
                self.loss.setdefault(place, float(a.reshape(())[()]))

    def save(self, node: Any, event: Event, at: int) -> None:
        """What a node keeps."""
        kept = node.saved
        if kept.__class__ is not tuple:
            return
        op = getattr(node, "op", None)
        names = ["result", *(op.inputs if op is not None else ())]
        for k, s in enumerate(kept):
            for v in s if s.__class__ is tuple else (s,):
                if v.__class__.__name__ == "Packed":
                    v = v.value
                a = v._a if isinstance(v, TensorBase) else v
                if a.__class__ is not ndarray:
                    continue
                name = names[k] if k < len(names) else f"x{k - 1}"
                event.saved.append(
                    Saved(name, type_name(a.dtype), tuple(a.shape), a.nbytes, str(k))
                )
                self.memory.met(a, event.parent, event.line, at, "saved for backward",
                                f"{name} of {self.called(event)}")  # fmt: skip

    def called(self, event: Event) -> str:
        """An operation as the user calls it, and where."""
        name = event.name
        if event.parent != NONE and self.events[event.parent].kind == "function":
            name = self.events[event.parent].name
        if event.line == NONE:
            return name
        line = self.lines.lines[event.line]
        return f"{name} at {os.path.basename(line.file)}:{line.number}"


class Reference:
    """A weak reference to an array that takes its entry out of a table when the array dies."""

    __slots__ = ("_ref",)

    def __init__(self, a: Any, table: dict[int, Any]) -> None:
        key = id(a)
        self._ref = weakref.ref(a, lambda _: table.pop(key, None))

    def __call__(self) -> Any:
        return self._ref()
