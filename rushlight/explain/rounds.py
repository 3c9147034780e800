"""Which events are a step: a round of the training loop.

A step ends when an optimiser's step is over. Optimisers that take turns share one: the generator's
step does not begin a new one behind the discriminator's, but the discriminator's next step does. So
the end of a step is known when each optimiser of the models that were seen has made its step, or
when one of them is about to make its second one. Backwards before it (gradients that are
accumulated, the closures of LBFGS) are in it, and so are steps that are made inside of other ones,
of a wrapper's optimiser or in a hook of a backward.

What models in eval() do between two steps is a step of neither kind: an evaluation. Whoever calls
`session.step()` says himself where steps end.

While a program runs only the ends of optimisers' steps are noted (`Rounds`); when it is over,
`arrange` puts the events into steps.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, NamedTuple

from .memory import peaks
from .recording import NONE, Event, Step

AROUND = frozenset(["backward", "optimizer", "compiled"])  # no step ends inside of one


class Cut(NamedTuple):
    """An optimiser's step is over, or the program says that a step of its own is."""

    place: int  # of the event behind it
    at: int
    begins: bool  # what it ends is the first part of a round
    marked: bool = False


class Rounds:
    """The cuts of a recording.

    Attributes:
        cuts: they, in order.
        marked: whether the program says where steps end.
        seen: the optimisers that have made a step.
    """

    def __init__(self, marked: bool = False) -> None:
        self.cuts: list[Cut] = []
        self.marked = marked
        self.seen: set[Any] = set()
        self._over = 0  # rounds before the present one
        self._present: set[Any] = set()  # the optimisers that have made a step in this one

    def cut(self, place: int, at: int, optimizers: set[Any]) -> None:
        """These optimisers have made a step."""
        begins = not self._present or not self._present.isdisjoint(optimizers)
        if begins:
            self._over += bool(self._present)
            self._present = set()
        self._present |= optimizers
        self.seen |= optimizers
        self.cuts.append(Cut(place, at, begins))

    def mark(self, place: int, at: int) -> None:
        """The program's own step is over."""
        self.marked = True
        self.cuts.append(Cut(place, at, False, True))

    def again(self, optimizer: Any) -> bool:
        """Whether a step of this optimiser begins a new round."""
        return not self.marked and optimizer in self._present

    def count(self, optimizers: set[Any] | None = None) -> int:
        """How many rounds are over, if these are all the optimisers there are; None: if the next
        one begins."""
        if self.marked:
            return sum([c.marked for c in self.cuts])
        return self._over + bool(self._present and (optimizers is None
                                                    or optimizers <= self._present))  # fmt: skip

    def ends(self) -> list[Cut]:
        """The last cut of each round."""
        if self.marked:
            return [c for c in self.cuts if c.marked]
        return [
            c for k, c in enumerate(self.cuts)
            if k + 1 == len(self.cuts) or self.cuts[k + 1].begins
        ]  # fmt: skip


class Part(NamedTuple):
    """Events that are a step of some kind."""

    kind: str
    first: int
    last: int  # the place behind the last one
    end: int


def arrange(look: Any, at: int) -> list[Step]:
    """Put an event around those of each step, and say of everything in which step it is."""
    events: list[Event] = look.events
    parts: list[Part] = []
    first = 0
    ends = look.rounds.ends()
    for cut in ends:
        parts += split(look, Part("round", first, cut.place, cut.at))
        first = cut.place
    if first < len(events):
        rest = Part("rest" if ends else "round", first, len(events), at)
        parts += split(look, rest) if ends else [rest]
    parts = [p for p in parts if p.first < p.last]
    steps, around, number = [], [], 0
    for k, part in enumerate(parts):
        inside = events[part.first : part.last]
        number += part.kind == "round"
        # between two rounds the program does something, too
        begin = inside[0].begin if not k or part.kind == "rest" else parts[k - 1].end
        name = f"step {number}" if part.kind == "round" else part.kind
        around.append(Event("step", name, begin, part.end, step=k))
        roots = [e.of for e in inside if e.kind == "backward" and e.of in look.loss]
        loss = look.loss[roots[0]] if roots else None
        steps.append(Step(begin, part.end, part.first + k, part.last + k, 0, begin, loss,
                          part.kind, number if part.kind == "round" else 0))  # fmt: skip
    for step, (peak, when) in zip(
        steps, peaks(look.memory.blocks, [(s.begin, s.end) for s in steps]), strict=True
    ):
        step.peak, step.peak_at = peak, when
    move(look, parts, around)
    return steps


def split(look: Any, part: Part) -> list[Part]:
    """An evaluation that comes before a round, and the round.

    It reaches to the end of the last call of a model in eval(), and of what is computed from it; no
    backward is in it, and the round has derivatives of nothing of it.
    """
    events: list[Event] = look.events
    behind = part.first
    for place in look.evaluated:
        if part.first <= place < part.last:
            top = place
            while events[top].parent >= part.first:
                top = events[top].parent
            behind = max(behind, last_inside(events, top, part.last))
    if behind == part.first:
        return [part]
    top = behind
    for k in range(behind, part.last):
        e = events[k]
        if e.kind == "backward" or e.of in range(part.first, behind):
            break
        if e.parent < part.first:
            top = k
        if k >= behind and any(part.first <= v.made_by < behind for v in e.takes):
            behind = last_inside(events, top, part.last)
    before = range(part.first, behind)
    if behind == part.last or any(events[k].kind == "backward" for k in before) or any(
        events[k].of in before for k in range(behind, part.last)
    ):
        return [part]
    return [Part("evaluation", part.first, behind, max(events[k].end for k in before)),
            part._replace(first=behind)]  # fmt: skip


def last_inside(events: list[Event], top: int, most: int) -> int:
    """The place behind the last event inside one."""
    place = top + 1
    while place < most and events[place].parent >= top:
        place += 1
    return place


def move(look: Any, parts: list[Part], around: list[Event]) -> None:
    """Put the events around others in front of them; all that knows an event by its place is
    told."""
    firsts = [p.first for p in parts]

    def at(place: int) -> int:
        return place + bisect_right(firsts, place) if place >= 0 else place

    events: list[Event] = []
    for k, part in enumerate(parts):
        top = len(events)
        events.append(around[k])
        for e in look.events[part.first : part.last]:
            e.step = k
            e.parent = at(e.parent) if e.parent != NONE else top
            e.of = at(e.of)
            for v in (*e.takes, *e.gives):
                v.made_by = at(v.made_by)
            events.append(e)
    look.events[:] = events
    for table in (look.ops, look.calls, look.cuts):
        moved = {at(place): value for place, value in table.items()}
        table.clear()
        table.update(moved)
    look.functions = {at(place) for place in look.functions}
    look.evaluated = [at(place) for place in look.evaluated]
    look.failed = at(look.failed)
    for block in look.memory.blocks:
        block.event = at(block.event)
    look.samples.move(at, events)
