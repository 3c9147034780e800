"""Traces: the events of a profile as a file for chrome://tracing, Perfetto or TensorBoard.

JSON in the Trace Event Format. Times are microseconds since `baseTimeNanoseconds`. Arrows lead from
an operation to the node of its derivative (category "fwdbwd").
"""

from __future__ import annotations

import gzip
import io
import json
import os
import socket
import sys
from collections.abc import Iterator
from typing import Any

from ..serialization.atomic import replacing
from .recording import SCOPES, USER


def write_trace(
    path: str | os.PathLike[str], events: Any, metadata: dict[str, Any] | None = None
) -> None:
    """Write the trace of an EventList to `path`, compressed when its name ends in .gz.

    The file takes the place of an older one in one step: it is there whole, or not at all.
    """
    name = os.fspath(path)
    with replacing(path) as file:
        if name.endswith(".gz"):
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                _write(packed, name, events, metadata or {})
        else:
            _write(file, name, events, metadata or {})


def _write(file: Any, name: str, events: Any, metadata: dict[str, Any]) -> None:
    recorder = events._recorder
    head = {
        "schemaVersion": 1,
        "deviceProperties": [],
        **metadata,
        "host_name": socket.gethostname(),
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": 0 if recorder is None else recorder.began_at,
        "traceName": name,
    }
    if events._number_dropped:
        head["events not kept"] = events._number_dropped
    text = io.TextIOWrapper(file, encoding="utf-8", write_through=True)
    text.write(json.dumps(head)[:-1] + ', "traceEvents": [\n')
    separator = ""
    for entry in entries(events):
        text.write(separator + json.dumps(entry))
        separator = ",\n"
    text.write("\n]}\n")
    text.detach()


def entries(events: Any) -> Iterator[dict[str, Any]]:
    """The entries of `traceEvents`, one after the other."""
    recorder = events._recorder
    pid = os.getpid()
    tid = pid if recorder is None else recorder.thread
    program = os.path.basename(sys.executable or "python")
    for kind, where, about in (
        ("process_name", 0, {"name": program}),
        ("process_labels", 0, {"labels": "CPU"}),
        ("process_sort_index", 0, {"sort_index": pid}),
        ("thread_name", tid, {"name": f"thread {tid} ({program})"}),
        ("thread_sort_index", tid, {"sort_index": tid}),
    ):
        yield {"ph": "M", "name": kind, "ts": 0, "pid": pid, "tid": where, "args": about}
    backward = {e.sequence_nr: e for e in events if e.scope == 1 and e.sequence_nr >= 0}
    drawn = 0
    for number, e in enumerate(events):
        start, length = e.time_range.start, e.time_range.elapsed_us()
        args: dict[str, Any] = {"External id": e.id, "Record function id": 0, "Ev Idx": number}
        if e.sequence_nr >= 0:
            args["Sequence number"] = e.sequence_nr
            args["Fwd thread id"] = e.fwd_thread or 0
        if e.input_shapes:
            args["Concrete Inputs"] = e.concrete_inputs
            args["Input type"] = e.input_dtypes
            args["Input Dims"] = e.input_shapes
        if e.stack:
            args["Call stack"] = ";".join(reversed(e.stack))
        if e.cpu_memory_usage:
            args["Bytes allocated"] = e.cpu_memory_usage
        if e.flops:
            args["Flops"] = e.flops
        if e.kwinputs:  # of a collective: how many bytes, among how many
            args.update(e.kwinputs)
        yield {
            "ph": "X",
            "cat": "user_annotation" if e.scope == SCOPES[USER] else "cpu_op",
            "name": e.trace_name,
            "pid": pid,
            "tid": tid if e.thread == 1 else e.thread,
            "ts": round(start, 3),
            "dur": round(length, 3),
            "args": args,
        }
        if e.scope == 0 and e.fwd_thread == 0 and e.sequence_nr in backward:
            end = backward.pop(e.sequence_nr)
            drawn += 1
            arrow = {"id": drawn, "pid": pid, "tid": tid, "cat": "fwdbwd", "name": "fwdbwd"}
            yield {"ph": "s", **arrow, "ts": round(start, 3)}
            yield {"ph": "f", **arrow, "ts": round(end.time_range.start, 3), "bp": "e"}
