"""A recording as compressed text: tables by column, which `data.js` unpacks.

A list of dataclasses becomes one list for each field, as numbers of one kind beside each other
compress well; times are differences. What is not a number in JSON (NaN, infinities) travels as the
string that JavaScript's `Number` reads. Not here: where the text stands in the page (`write.py`).
"""

from __future__ import annotations

import base64
import dataclasses
import gzip
import json
import math
from collections.abc import Sequence
from typing import Any

from ..recording import Recording


def pack(recording: Recording) -> str:
    """The text that stands in the page: base64 of gzip of JSON."""
    text = json.dumps(packed(recording), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # No time in the header: the same recording gives the same file.
    return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), mtime=0)).decode("ascii")


def packed(recording: Recording) -> dict[str, Any]:
    """The recording's JSON, its lists as columns."""
    types: dict[tuple[str, tuple[int, ...]], int] = {}

    def type_of(thing: Any) -> int:
        return types.setdefault((thing.dtype, tuple(thing.shape)), len(types))

    out: dict[str, Any] = {}
    for name in (f.name for f in dataclasses.fields(recording)):
        value = getattr(recording, name)
        if isinstance(value, list) and name != "evaluated":  # lists of dataclasses, but for this
            value = columns(value)
        elif dataclasses.is_dataclass(value):
            value = dataclasses.asdict(value)  # type: ignore[arg-type]
        out[name] = plain(value)
    events = out["events"]
    if events:
        for part in ("takes", "gives"):
            events[part] = [
                [[type_of(v), v.made_by, int(v.grad), *([v.name] if v.name else [])] for v in vs]
                for vs in (getattr(e, part) for e in recording.events)
            ]
        events["saved"] = [
            [[type_of(s), s.name, s.bytes, s.why] for s in e.saved] for e in recording.events
        ]
        events["end"] = [e.end - e.begin for e in recording.events]
        events["begin"] = differences([e.begin for e in recording.events])
    if out["blocks"]:
        out["blocks"]["born"] = differences([b.born for b in recording.blocks])
    out["types"] = [[dtype, list(shape)] for dtype, shape in types]
    return out


def columns(rows: Sequence[Any]) -> dict[str, list[Any]]:
    """One list for each field; none of what stands in lists of its own (see `packed`)."""
    if not rows:
        return {}
    return {
        f.name: [getattr(row, f.name) for row in rows]
        for f in dataclasses.fields(rows[0])
        if f.name not in ("takes", "gives", "saved")
    }


def differences(values: Sequence[int]) -> list[int]:
    return [b - a for a, b in zip([0, *values], values, strict=False)]


def plain(value: Any) -> Any:
    """The same with floats that JSON has, of four digits or as many as a number above 1e4 needs."""
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        return float(f"{value:.5g}")
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        if value and all(type(v) is int or type(v) is str for v in value):
            return value  # columns of a hundred thousand
        return [plain(v) for v in value]
    return value
