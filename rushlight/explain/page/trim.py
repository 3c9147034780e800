"""Of a long recording only some steps are put into the page whole, so that it stays small and opens
at once: the last ones, the first, and the one in which something broke. Of the others, what a step
is (time, peak, loss) stays.

Not here: what is kept while a step runs (`../observer.py`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from ..recording import NONE, Event, Recording, Step

MOST = 25_000  # events that a page holds, but for a single step that has more


def trimmed(recording: Recording, most: int = MOST) -> Recording:
    """The recording, or a smaller one with the steps that a page shows; `recording` stays."""
    events = recording.events
    if len(events) <= most:
        return recording
    kept = chosen(recording, most)
    if recording.steps:
        spans = [(s.first, s.last + 1) for s in (recording.steps[i] for i in sorted(kept))]
    else:
        spans = [(0, most)]
    places: dict[int, int] = {NONE: NONE}
    for begin, end in spans:
        for i in range(begin, end):
            places[i] = len(places) - 1

    def at(place: int) -> int:
        return places.get(place, NONE)

    def moved(rows: Iterable[Any]) -> list[Any]:
        return [dataclasses.replace(row, event=at(row.event)) for row in rows]

    times = [(events[begin].begin, max(e.end for e in events[begin:end])) for begin, end in spans]
    steps = [
        dataclasses.replace(s, first=at(s.first), last=at(s.last)) if i in kept
        else dataclasses.replace(s, first=NONE, last=NONE)
        for i, s in enumerate(recording.steps)
    ]  # fmt: skip
    blocks = [
        b for b in recording.blocks
        if any(b.born <= end and (b.died == NONE or b.died >= begin) for begin, end in times)
    ]  # fmt: skip
    numbers = [n for n in recording.numbers if n.step in kept or not recording.steps]
    return dataclasses.replace(
        recording,
        events=[event(events[i], at) for begin, end in spans for i in range(begin, end)],
        steps=steps,
        blocks=moved(blocks),
        numbers=moved(numbers),
        broken=recording.broken and moved([recording.broken])[0],
        unreached=moved(recording.unreached),
        findings=moved(recording.findings),
        evaluated=[at(k) for k in recording.evaluated if k in places],
        failed=at(recording.failed),
        left_out=recording.left_out + len(events) - len(places) + 1,
    )


def chosen(recording: Recording, most: int) -> set[int]:
    """Places of the steps that a page holds whole."""
    steps = recording.steps
    made = [e.step for e in recording.events if e.kind == "optimizer"]
    last = max(made, default=len(steps) - 1)  # the step that a page shows at first
    wanted = [last, 0, *range(len(steps) - 1, 0, -1)]
    if recording.broken is not None and 0 <= recording.broken.step < len(steps):
        wanted.insert(0, recording.broken.step)
    kept: set[int] = set()
    room = most
    for i in wanted:
        if i in kept or not 0 <= i < len(steps):
            continue
        size = length(steps[i])
        if size > room and len(kept) > 1:
            break
        kept.add(i)
        room -= size
    return kept


def length(step: Step) -> int:
    return step.last + 1 - step.first


def event(e: Event, at: Any) -> Event:
    """An event with its references moved."""
    return dataclasses.replace(
        e,
        parent=at(e.parent),
        of=at(e.of),
        takes=[dataclasses.replace(v, made_by=at(v.made_by)) for v in e.takes],
        gives=[dataclasses.replace(v, made_by=at(v.made_by)) for v in e.gives],
    )
