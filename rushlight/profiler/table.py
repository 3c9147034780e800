"""The table of a profile, in PyTorch's layout to the character.

Columns appear when there is something to show in them: memory, shapes, source lines, operations.
"""

from __future__ import annotations

import math
from typing import Any

WIDTH = 12
SPACE = "  "
SCALES = ("FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs")


def format_time(us: float, unit: str | None = None) -> str:
    """Microseconds with a fitting unit, or the given one: 1.235ms."""
    if unit == "s" or (unit is None and us >= 1e6):
        return f"{us / 1e6:.3f}s"
    if unit == "ms" or (unit is None and us >= 1e3):
        return f"{us / 1e3:.3f}ms"
    return f"{us:.3f}us"


def format_share(us: float, total: float) -> str:
    """A part of the whole in percent."""
    return "NaN" if total == 0 else f"{us * 100.0 / total:.2f}%"


def format_memory(n: int) -> str:
    """Bytes with a fitting unit: 1.50 KB."""
    for unit, size in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if abs(n) >= size:
            return f"{n / size:.2f} {unit}"
    return f"{n} B"


def build_table(
    events: Any,
    sort_by: str | None = None,
    header: str | None = None,
    row_limit: int = 100,
    max_src_column_width: int | None = 75,
    max_name_column_width: int | None = 55,
    max_shapes_column_width: int | None = 80,
    with_flops: bool = False,
    profile_memory: bool = False,
    top_level_events_only: bool = False,
    time_unit: str | None = None,
    dropped: int = 0,
) -> str:
    """The text of `EventList.table`."""
    if not events:
        return ""
    if time_unit not in ("s", "ms", "us"):
        time_unit = None
    rows = list(events)
    if sort_by is not None:
        by = sort_by
        for device in ("cuda", "xpu", "privateuse1"):
            by = by.replace(device, "device")
        rows.sort(key=lambda e: getattr(e, by), reverse=True)
    total = sum(e.self_cpu_time_total for e in (*rows, *getattr(events, "_dropped", ())))

    def limited(width: int, limit: int | None) -> int:
        return width if limit is None else min(width, limit)

    name_width = limited(max(len(e.key) for e in rows) + 4, max_name_column_width)
    columns = [("Name", name_width, ">")]
    columns += [
        (name, WIDTH, ">")
        for name in ("Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg")
    ]
    if profile_memory:
        columns += [("CPU Mem", WIDTH, ">"), ("Self CPU Mem", WIDTH, ">")]
    columns.append(("# of Calls", WIDTH, ">"))
    has_shapes = any(e.input_shapes for e in rows)
    shapes_width = 0
    if has_shapes:
        widest = max(len(str(e.input_shapes)) for e in rows)
        shapes_width = limited(widest + 4, max_shapes_column_width)
        columns.append(("Input Shapes", shapes_width, ">"))
    entries = [entry for e in rows for entry in e.stack or ()]
    source_width = 0
    if entries:
        source_width = limited(max(map(len, entries)) + 4, max_src_column_width)
        columns.append(("Source Location", source_width, "<"))
    scale = 1.0
    counted = [e.flops for e in rows if e.flops and e.flops > 0] if with_flops else []
    if counted:
        thousands = max(0, min(int(math.log10(min(counted)) / 3), len(SCALES) - 1))
        scale = 10.0 ** (-3 * thousands)
        columns.append((f"Total {SCALES[thousands]}", WIDTH, ">"))
        # PyTorch lists the headings of source and operations in this order and fills the two in
        # the opposite one; here each stands under its own.

    def line(values: list[str]) -> str:
        cells = zip(values, columns, strict=True)
        return "".join(f"{v: {way}{width}}{SPACE}" for v, (_, width, way) in cells)

    whole = sum(width + len(SPACE) for _, width, _ in columns) - len(SPACE)
    rule = "".join("-" * width + SPACE for _, width, _ in columns)
    out = []
    if header is not None:
        out += ["=" * whole, header]
    if top_level_events_only:
        out += ["=" * whole, "This report only display top-level ops statistics"]
    out += [rule, line([name for name, _, _ in columns]), rule]
    shown = 0
    for e in rows:
        if shown == row_limit:
            break
        if top_level_events_only and e.cpu_parent is not None:
            continue
        shown += 1
        values = [
            shortened(e.key, max_name_column_width),
            format_share(e.self_cpu_time_total, total),
            format_time(e.self_cpu_time_total, time_unit),
            format_share(e.cpu_time_total, total),
            format_time(e.cpu_time_total, time_unit),
            format_time(e.cpu_time, time_unit),
        ]
        if profile_memory:
            values += [format_memory(e.cpu_memory_usage), format_memory(e.self_cpu_memory_usage)]
        values.append(str(e.count))
        if has_shapes:
            values.append(str(e.input_shapes)[:shapes_width])
        stack = e.stack or []
        if entries:
            values.append(tail(stack[0], source_width) if stack else "")
        if counted:
            values.append(f"{e.flops * scale:8.3f}" if e.flops and e.flops > 0 else "--")
        out.append(line(values))
        if entries:
            place = [name for name, _, _ in columns].index("Source Location")
            for entry in (*stack[1:], ""):
                cells = [""] * len(columns)
                cells[place] = tail(entry, source_width)
                out.append(line(cells))
    out += [rule, f"Self CPU time total: {format_time(total, time_unit)}"]
    if dropped:
        out.append(
            f"Events beyond the buffer's limit: {dropped} (in the sums, but not kept one by one; "
            "max_events= raises the limit)"
        )
    return "\n".join(out) + "\n"


def shortened(name: str, width: int | None) -> str:
    """A name that fits into its column."""
    if width is not None and len(name) >= width - 3:
        return name[: width - 3] + "..."
    return name


def tail(path: str, width: int) -> str:
    """The end of a source line that is too long."""
    if len(path) <= width:
        return path
    path = path[len(path) - width :]
    return "..." + path[3:] if len(path) > 3 else path
