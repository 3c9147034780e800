"""A recording as advice reads it: steps, durations, what is inside what, how things are said."""

from __future__ import annotations

import functools
import math
import os
import statistics
from collections.abc import Iterable, Iterator, Sequence

from ..recording import NONE, Event, Numbers, Recording, Step


class Reading:
    """What several advices ask of a recording.

    Attributes:
        recording: the recording itself.
        events: its events.
        whole: the rounds of the training loop; without an optimiser the whole recording is one.
        typical: the steps that times are taken of: without the first one, in which code is
            compiled and things are built, where there are others.
    """

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.events = recording.events
        self.whole: list[Step] = (
            [s for s in recording.steps if s.kind == "round"] or recording.steps
        )
        self.typical: list[Step] = self.whole[1:] or self.whole

    # -- places --------------------------------------------------------------------------------

    def where(self, line: int) -> str:
        """'train.py:12'; "" for no line."""
        if line == NONE:
            return ""
        found = self.recording.lines[line]
        return f"{os.path.basename(found.file)}:{found.number}"

    def at(self, line: int) -> str:
        """' at train.py:12', or ""."""
        return f" at {self.where(line)}" if line != NONE else ""

    def source(self, line: int) -> str:
        """The text of a line."""
        return "" if line == NONE else self.recording.lines[line].text

    def module(self, place: int) -> str:
        """'layer1.conv (Conv2d)'."""
        if place == NONE:
            return ""
        m = self.recording.modules[place]
        label = m.path or m.name
        return f"{label} ({m.kind})" if label else m.kind

    def root(self, module: int) -> int:
        """The outermost module around one."""
        modules = self.recording.modules
        while module != NONE and modules[module].parent != NONE:
            module = modules[module].parent
        return module

    def above(self, event: Event) -> Iterator[Event]:
        """The events around one, from the inside out."""
        while event.parent != NONE:
            event = self.events[event.parent]
            yield event

    @functools.cached_property
    def ends(self) -> list[int]:
        """For each event the place behind the last one inside it."""
        ends = list(range(1, len(self.events) + 1))
        for k in range(len(self.events) - 1, -1, -1):
            parent = self.events[k].parent
            if parent != NONE:
                ends[parent] = max(ends[parent], ends[k])
        return ends

    def inside(self, place: int) -> range:
        """The places of the events inside one."""
        return range(place + 1, self.ends[place])

    def step(self, place: int) -> str:
        """'step 2', 'the evaluation before step 3', 'what came after the last step'."""
        steps = self.recording.steps
        if steps[place].kind == "rest":
            return "what came after the last step"
        if steps[place].kind == "round":
            return f"step {steps[place].number}"
        after = next((s.number for s in steps[place:] if s.number), 0)
        return f"the evaluation before step {after}" if after else "the evaluation"

    def of_step(self, step: Step) -> range:
        """The places of a step's events."""
        return range(step.first, max(step.first, step.last) + 1)

    @functools.cached_property
    def derived(self) -> set[int]:
        """The operations whose derivative ran."""
        return {e.of for e in self.events if e.kind == "node" and e.of != NONE}

    # -- times ---------------------------------------------------------------------------------

    @functools.cached_property
    def step_time(self) -> float:
        """Nanoseconds of a step."""
        return median([s.end - s.begin for s in self.typical])

    @functools.cached_property
    def usual(self) -> Step | None:
        """The typical step of the median time, which text and page show."""
        ordered = sorted(self.typical, key=lambda s: s.end - s.begin)
        return ordered[(len(ordered) - 1) // 2] if ordered else None

    @functools.cached_property
    def own(self) -> list[int]:
        """For each event its time without that of the events inside it."""
        own = [e.end - e.begin for e in self.events]
        for e in self.events:
            if e.parent != NONE:
                own[e.parent] -= e.end - e.begin
        return own

    def share(self, ns: float) -> float:
        """The share of a step's time."""
        return ns / self.step_time if self.step_time else 0.0

    def of_time(self, ns: float) -> str:
        """'0.8 ms of 3.1 ms a step'."""
        return f"{duration(ns)} of {duration(self.step_time)} a step"

    # -- memory --------------------------------------------------------------------------------

    @functools.cached_property
    def peak(self) -> Step | None:
        """The step with the highest peak."""
        return max(self.recording.steps, key=lambda s: s.peak, default=None)

    def of_peak(self, count: float) -> str:
        """'140 MB of 310 MB at the peak'."""
        most = self.peak.peak if self.peak else 0
        return f"{size(count)} of {size(most)} at the peak"

    # -- numbers -------------------------------------------------------------------------------

    def numbers(self, what: str) -> dict[str, list[Numbers]]:
        """By name, in the order of the steps."""
        found: dict[str, list[Numbers]] = {}
        for n in self.recording.numbers:
            if n.what == what:
                found.setdefault(n.name, []).append(n)
        return found

    @functools.cached_property
    def held(self) -> set[str]:
        """Names of the parameters that some optimiser holds."""
        return {name for o in self.recording.optimizers for name in o.parameters}

    @functools.cached_property
    def training(self) -> bool:
        """Whether an optimiser made a step."""
        return any(o.steps for o in self.recording.optimizers)


def length(n: Numbers) -> float:
    """The Euclidean norm of a tensor, by its sample."""
    return math.sqrt(math.prod(n.shape) * (n.mean * n.mean + n.spread * n.spread))


def median(values: Sequence[float]) -> float:
    """The one in the middle, the smaller one of two; 0 of none."""
    return statistics.median_low(values) if values else 0.0


def duration(ns: float) -> str:
    """'3.1 ms'."""
    for unit, name in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if ns >= unit:
            return f"{ns / unit:.3g} {name}"
    return f"{ns:.0f} ns"


def size(count: float) -> str:
    """'140 MB'."""
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "KB")):
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count:.0f} bytes"


def percent(share: float) -> str:
    """'12 %'."""
    return f"{100 * share:.0f} %" if share >= 0.01 else "less than 1 %"


def number(x: float) -> str:
    """'0.0625', '42,600', '1.2e+17'."""
    return f"{float(f'{x:.3g}'):,.0f}" if 1000 <= abs(x) < 1e7 else f"{x:.3g}"


def several(count: int, one: str, many: str = "") -> str:
    """'1 graph', '3 graphs'."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def names(found: Iterable[str], most: int = 4) -> str:
    """'a, b and c', 'a, b, c, d and 12 others'."""
    known = list(found)
    if len(known) > most + 1:
        known = [*known[:most], f"{len(known) - most} others"]
    if len(known) < 2:
        return "".join(known)
    return ", ".join(known[:-1]) + " and " + known[-1]


def shape(dims: Sequence[int]) -> str:
    """'64x3'."""
    return "x".join(map(str, dims)) or "one number"
