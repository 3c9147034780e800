"""Plans in a notebook: of a kernel family's call, and of a compiled function."""

from __future__ import annotations

from typing import Any

from . import parts

MOST_LINES = 400  # of a compiled program


@parts.shown
def plan(p: Any) -> str | None:
    """The display of a `kernels.plan.Plan`."""
    flops = "" if p.flops is None else f"{p.flops:,} FLOPs"
    facts = [parts.counted(len(p.launches), "launch")]
    facts += [flops, f"{parts.size(p.bytes)} moved"]
    outputs = [
        (k, parts.shape_text(meta.shape), str(meta.dtype)) for k, meta in p.outputs.items()
    ]
    return parts.frame(
        parts.heading(f"plan {p.name}", *facts),
        parts.table(("output", "shape", "type"), outputs),
        parts.folded("every launch with its arguments", parts.text(p.describe())),
    )


@parts.shown
def explanation(e: Any) -> str | None:
    """The display of what `torch.compiler.explain` gives."""
    heading, *_ = str(e).splitlines()
    name, _, rest = heading.partition(": ")
    pieces = [parts.heading(name, rest)]
    for part in e.parts:
        first, memory, *_ = part.text()
        rows = []
        for k, x in enumerate(part.entries[:MOST_LINES]):
            row = [str(k), x.kind, x.name, x.source, x.shape, f"{x.flops:,}", parts.size(x.bytes)]
            rows.append([*row, part.time(x)] if part.timed else row)
        head = ["", "kind", "what", "from", "shape", "FLOPs", "moved", *["alone"] * part.timed]
        more = len(part.entries) - MOST_LINES
        inner = f"<div>{parts.escaped(memory)}</div>" + parts.table(head, rows)
        inner += parts.text(f"... {more} lines more") if more > 0 else ""
        pieces.append(parts.folded(parts.escaped(first), inner, True))
    if e.why:
        pieces.append(listed("not replayed", [words for words, _ in e.why], True))
    if e.recompiled:
        pieces.append(listed("compiled again, because", e.recompiled, True))
    if e.guards:
        pieces.append(listed(f"looked at before each replay ({len(e.guards)})", e.guards))
    pieces.append(parts.folded("as text", parts.text(str(e))))
    return parts.frame(*pieces)


def listed(title: str, lines: list[str], is_open: bool = False) -> str:
    return parts.folded(parts.escaped(title), parts.text("\n".join(lines)), is_open)
