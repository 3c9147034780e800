"""Long recordings: which steps a page holds, and that references still lead to what they led to."""

from __future__ import annotations

import dataclasses

from rushlight.explain.page.trim import chosen, length, trimmed
from rushlight.explain.recording import NONE, Broken, Finding, Recording, Unreached

from . import handmade


def test_a_short_recording_stays_as_it_is() -> None:
    recording = handmade.mnist(3)
    assert trimmed(recording) is recording


def test_the_last_steps_the_first_and_the_broken_one() -> None:
    recording = handmade.mnist(20)
    size = length(recording.steps[0])
    assert chosen(recording, 5 * size) == {0, 16, 17, 18, 19}
    recording.broken = Broken(recording.steps[7].first, 7, "forward", "NaN", "output", True)
    assert chosen(recording, 5 * size) == {0, 7, 17, 18, 19}
    assert chosen(recording, 1) == {7, 19}  # one that is too large is shown none the less


def same(a: Recording, i: int, b: Recording, k: int) -> bool:
    """Whether two events are the same but for their references."""
    none = {"parent": NONE, "of": NONE, "takes": [], "gives": []}
    return dataclasses.replace(a.events[i], **none) == dataclasses.replace(b.events[k], **none)


def test_references_lead_to_the_same_things() -> None:
    recording = handmade.mnist(20)
    step = recording.steps[18]
    inside, outside = step.first + 5, recording.steps[4].first + 5
    recording.broken = Broken(inside, 18, "forward", "Inf", "output", True)
    recording.unreached = [Unreached("a", "", event=inside), Unreached("b", "", event=outside)]
    recording.findings = [Finding("item", "", "", event=inside), Finding("item", "", "")]
    recording.events[inside].takes[0].made_by = outside
    before = dataclasses.replace(recording)
    found = trimmed(recording, 5 * length(step))
    assert recording == before  # a copy was made

    places = []
    for old, new in zip(recording.steps, found.steps, strict=True):
        assert (new.begin, new.end, new.peak, new.loss) == (old.begin, old.end, old.peak, old.loss)
        if new.first == NONE:
            assert new.last == NONE
            continue
        places += range(old.first, old.last + 1)
        assert length(new) == length(old)
        assert same(recording, old.first, found, new.first)
        assert same(recording, old.last, found, new.last)
    back = dict(enumerate(places))
    assert len(found.events) == len(places)
    assert found.left_out == len(recording.events) - len(places)

    for k, event in enumerate(found.events):
        old = recording.events[back[k]]
        assert same(recording, back[k], found, k)
        for mine, its in ((event.parent, old.parent), (event.of, old.of)):
            assert mine == NONE if its == NONE else back[mine] == its
        for value, was in zip([*event.takes, *event.gives], [*old.takes, *old.gives], strict=True):
            if value.made_by == NONE:
                assert was.made_by not in places
            else:
                assert back[value.made_by] == was.made_by
    assert found.broken is not None
    assert back[found.broken.event] == inside
    assert [u.event == NONE for u in found.unreached] == [False, True]
    assert back[found.findings[0].event] == inside
    assert {n.step for n in found.numbers} == {i for i, s in enumerate(found.steps) if s.first >= 0}
    for n in found.numbers:
        assert found.events[n.event].step == n.step


def test_memory_that_no_kept_step_saw_is_left_out() -> None:
    recording = handmade.mnist(20)
    found = trimmed(recording, 3 * length(recording.steps[0]))
    first, last = recording.steps[0], recording.steps[-1]
    kept = [(b.born, b.died, b.bytes, b.name) for b in found.blocks]
    for b in recording.blocks:
        seen = any(
            b.born <= s.end and (b.died == NONE or b.died >= s.begin) for s in (first, last)
        )
        if seen:
            assert (b.born, b.died, b.bytes, b.name) in kept
    assert len(found.blocks) < len(recording.blocks)


def test_without_steps_the_beginning_is_kept() -> None:
    recording = handmade.mnist(20)
    recording.steps = []
    found = trimmed(recording, 500)
    assert len(found.events) == 500
    assert found.left_out == len(recording.events) - 500
    assert len(found.numbers) == len(recording.numbers)
