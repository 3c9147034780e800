"""From what a `Recorder` kept to events: parents and children, names, stacks, sums.

Not here: what an event shows (`events.py`), what is kept (`recording.py`).
"""

from __future__ import annotations

import gc
import itertools
from typing import Any

from .events import EventList, FunctionEvent, FunctionEventAvg
from .recording import EVALUATE, NODE, SCOPES, USER, Done, Recorder

STEP = "ProfilerStep#"


def function_events(recorder: Recorder, use_device: str | None = None) -> EventList:
    """The events of a recorder, with their parents, children and dropped companions."""
    collecting = gc.isenabled()
    try:
        gc.disable()  # nothing made here is garbage, and looking for it takes most of the time
        return _function_events(recorder, use_device)
    finally:
        if collecting:
            gc.enable()


def _function_events(recorder: Recorder, use_device: str | None) -> EventList:
    known: dict[int, FunctionEvent] = {}
    forward: dict[int, list[str]] = {}  # stacks of operations, by sequence number
    for d in itertools.starmap(Done, sorted(recorder.done)):  # by id: in the order of starting
        event = known[d.id] = one_event(recorder, d, use_device)
        parent = known.get(d.parent)
        if parent is not None:
            event.cpu_parent = parent
            parent.cpu_children.append(event)
            if parent.scope == SCOPES[EVALUATE] and d.kind == NODE:
                parent.sequence_nr, parent.fwd_thread = event.sequence_nr, event.fwd_thread
        if recorder.stacks and d.sequence >= 0 and d.kind != NODE and event.stack:
            forward.setdefault(d.sequence, event.stack)
    if recorder.stacks:  # of a derivative: where its operation was called
        inside: dict[int, list[str]] = {}
        for event in known.values():  # parents come first
            if event.scope == SCOPES[NODE]:
                event.stack = inside[event.id] = forward.get(event.sequence_nr, [])
            elif event.cpu_parent is not None and event.cpu_parent.id in inside:
                event.stack = inside[event.id] = inside[event.cpu_parent.id]
    first = max(known, default=-1) + 2
    besides = [beside(recorder, b, first + k, use_device) for k, b in enumerate(recorder.besides)]
    return EventList(
        [*known.values(), *besides],
        use_device=use_device,
        profile_memory=recorder.memory,
        with_flops=recorder.flops,
        dropped=[average(recorder, s, use_device) for s in recorder.dropped.values()],
        recorder=recorder,
    )


def one_event(recorder: Recorder, d: Done, use_device: str | None) -> FunctionEvent:
    """A finished frame as an event."""
    shapes, types, numbers = d.shapes or (None, None, None)
    event = FunctionEvent(
        d.id + 1,
        STEP[:-1] + "*" if d.name.startswith(STEP) else d.name,
        1,
        (d.start - recorder.begin) / 1000,
        (d.end - recorder.begin) / 1000,
        fwd_thread=1 if d.kind == NODE else 0,
        input_shapes=shapes,
        stack=[show(*entry) for entry in d.stack] if d.stack else None,
        scope=SCOPES[d.kind],
        use_device=use_device,
        cpu_memory_usage=d.bytes,
        sequence_nr=d.sequence,
        flops=d.flops,
        trace_name=d.name,
        concrete_inputs=numbers,
        is_user_annotation=d.kind == USER,
        input_dtypes=types,
    )
    if d.inner:
        event._inside_us = d.inner / 1000
    if d.bytes:
        event._inside_bytes = d.bytes - d.own_bytes
    return event


def beside(recorder: Recorder, b: Any, number: int, use_device: str | None) -> FunctionEvent:
    """A collective that was carried out: its time is not the recorded thread's own."""
    shapes, types, numbers = b.shapes or (None, None, None)
    event = FunctionEvent(
        number,
        b.name,
        b.thread,
        (b.start - recorder.begin) / 1000,
        (b.end - recorder.begin) / 1000,
        input_shapes=shapes,
        use_device=use_device,
        concrete_inputs=numbers,
        input_dtypes=types,
    )
    event.kwinputs = b.about
    event._inside_us = event.cpu_time_total
    return event


def average(recorder: Recorder, s: Any, use_device: str | None) -> FunctionEventAvg:
    """The totals of dropped events, in the form of an average."""
    first = one_event(recorder, s.first, use_device)
    if s.first.parent >= 0:
        first.cpu_parent = first  # not at the top: all that is left of the event around it
    made = FunctionEventAvg().add(first)
    made.count = s.count
    made.cpu_time_total = s.total / 1000
    made.self_cpu_time_total = (s.total - s.inner) / 1000
    made.cpu_memory_usage = s.bytes
    made.self_cpu_memory_usage = s.own_bytes
    made.flops = s.flops
    return made


def show(code: Any, line: int) -> str:
    """'file.py(12): function'."""
    return f"{code.co_filename}({line}): {code.co_name}"
