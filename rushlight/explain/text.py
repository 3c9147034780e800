"""A recording for the terminal: overview, findings, where time and memory go.

`python -m rushlight explain --text` prints it. Tables that need no recording are in `summary.py`,
`live.py` (memory) and `reach.py` (gradients).
"""

from __future__ import annotations

import textwrap

from .advice.reading import Reading, duration, percent, several, size
from .recording import NONE, Event, Recording

WIDTH = 100
TOP = 12  # rows of a table
PYTHON = ("", "Python between operations", NONE)
BETWEEN = ("step", "module", "function", "backward")  # whose own time is Python between operations


def text(recording: Recording) -> str:
    """What a recording tells, on some screens of a terminal."""
    reading = Reading(recording)
    parts = [overview(reading), findings(reading), time(reading), memory(reading)]
    return "\n\n".join(part for part in parts if part) + "\n"


def overview(reading: Reading) -> str:
    """What was run, and how long and how large its steps are."""
    r = reading.recording
    machine = r.machine
    lines = [r.program or "(no program)"]
    lines.append(
        f"  Rushlight {r.version}, {r.began}, {machine.name}: {several(machine.threads, 'thread')} "
        f"on {several(machine.cores, 'core')}"
    )
    if r.steps:
        whole = reading.whole
        about = f"  {several(len(whole), 'step')}, {duration(reading.step_time)} each"
        if len(whole) > 1:
            about += f" (the first {duration(whole[0].end - whole[0].begin)})"
        if reading.peak:
            about += f", {size(reading.peak.peak)} of tensors at the peak"
        lines.append(about)
        losses = [f"{s.loss:.4g}" for s in reading.whole if s.loss is not None]
        if losses:
            lines.append("  loss " + ", ".join(losses))
    if r.parameters:
        count = sum([product(p.shape) for p in r.parameters])
        lines.append(f"  {several(count, 'parameter')} in {several(len(r.parameters), 'tensor')}")
    if r.error:
        lines.append("  ended with " + r.error.partition("\n")[0])
    if r.left_out:
        lines.append(f"  {several(r.left_out, 'event')} more were not kept")
    return "\n".join(line if len(line) <= WIDTH else textwrap.fill(
        line, WIDTH, subsequent_indent="    ") for line in lines)  # fmt: skip


def product(shape: tuple[int, ...]) -> int:
    """How many elements a shape has."""
    n = 1
    for d in shape:
        n *= d
    return n


def findings(reading: Reading) -> str:
    """The advice, what matters most first."""
    found = reading.recording.findings
    if not found:
        return "Findings\n  None: nothing that is known to go wrong was seen."
    lines = ["Findings"]
    for k, f in enumerate(found, 1):
        lines += wrapped(f.title, f"{k:3}  ", "     ")
        if f.line != NONE:
            line = reading.recording.lines[f.line]
            lines += wrapped(f"{reading.where(f.line)}: {line.text}", "     ", "       ")
        if f.gain:
            how = "measured" if f.measured else "computed"
            lines += wrapped(f"gain: {f.gain} ({how})", "     ", "       ")
        lines += wrapped(f.text, "     ", "     ")
    return "\n".join(lines)


def wrapped(words: str, first: str, rest: str) -> list[str]:
    """Lines of a text, broken between words alone."""
    return textwrap.wrap(words, WIDTH, initial_indent=first, subsequent_indent=rest,
                         break_long_words=False, break_on_hyphens=False)  # fmt: skip


class Row:
    """What one operation at one line takes in a step."""

    __slots__ = ("calls", "flops", "ns")

    def __init__(self) -> None:
        self.ns = self.calls = self.flops = 0


def called(e: Event) -> str:
    """What an event is called in a table."""
    if e.kind == "loader":
        return "DataLoader"
    return f"adding to {e.name}.grad" if e.kind == "leaf" else e.name


def time(reading: Reading) -> str:
    """Where the time of a step goes: by operation, or derivative, and line."""
    step = reading.usual
    if step is None:
        return ""
    rows: dict[tuple[str, str, int], Row] = {}
    for k in reading.of_step(step):
        e = reading.events[k]
        key = PYTHON if e.kind in BETWEEN else (e.phase, called(e), e.line)
        row = rows.setdefault(key, Row())
        row.ns += reading.own[k]
        row.calls += e.kind not in BETWEEN
        row.flops += e.flops
    table = [(row.ns, row.calls, row.flops, *key) for key, row in rows.items()]
    table.sort(key=lambda row: -row[0])
    which = reading.step(reading.recording.steps.index(step))
    lines = [f"Time of a step, {duration(step.end - step.begin)} ({which})"]
    for ns, calls, flops, phase, name, line in table[:TOP]:
        rate = f"{flops / ns:.0f} GFLOP/s" if ns and flops > ns else ""
        times = f"{calls} x" if calls else ""
        lines.append(
            f"  {percent(reading.share(ns)):>13} {duration(ns):>8} {times:>7}  "
            f"{name:30} {phase:10} {reading.where(line):20} {rate}".rstrip()
        )
    rest = table[TOP:]
    if rest:
        ns = sum([row[0] for row in rest])
        lines.append(f"  {percent(reading.share(ns)):>13} {duration(ns):>8}"
                     f"          {several(len(rest), 'other row')}")  # fmt: skip
    return "\n".join(lines)


def memory(reading: Reading) -> str:
    """What was held when memory was highest, by role and by holder."""
    step = reading.peak
    if step is None or not step.peak:
        return ""
    at = step.peak_at
    roles: dict[str, int] = {}
    holders: dict[tuple[str, str, int], list[int]] = {}
    for b in reading.recording.blocks:
        if b.born > at or NONE != b.died <= at:
            continue
        roles[b.role] = roles.get(b.role, 0) + b.bytes
        row = holders.setdefault((b.role, b.name, b.line), [0, 0])
        row[0] += b.bytes
        row[1] += 1
    which = reading.step(reading.recording.steps.index(step))
    lines = [f"Memory at the peak, {size(step.peak)} ({which})"]
    for role, count in sorted(roles.items(), key=lambda r: -r[1]):
        lines.append(f"  {percent(count / step.peak):>13} {size(count):>8}  {role}")
    lines.append("  the largest:")
    largest = sorted(holders.items(), key=lambda h: -h[1][0])
    for (role, name, line), (count, tensors) in largest[:TOP]:
        times = f"{tensors} x " if tensors > 1 else ""
        where = reading.where(line)
        where = "" if where and where in name else f" {where}"
        kind = f" ({role})" if name and role not in name else ""
        share = f"  {percent(count / step.peak):>13} {size(count):>8}"
        lines.append(f"{share}  {times}{name or role}{kind}{where}")
    return "\n".join(lines)
