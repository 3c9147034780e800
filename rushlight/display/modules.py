"""Modules and optimisers in a notebook: a tree that unfolds, and the groups of parameters."""

from __future__ import annotations

from typing import Any

from . import parts

MOST_MODULES = 1500  # that a tree shows
MOST_WORDS = 160  # of what a module says of itself


@parts.shown
def module(m: Any) -> str | None:
    """The display of a module."""
    left = [MOST_MODULES]
    inner = inside(m, left)
    if not inner:  # nothing to unfold: a line of text says as much
        return None
    more = [parts.text("... more modules than are shown")] if left[0] <= 0 else []
    facts = [*cost(m), "training" if m.training else "evaluation"]
    return parts.frame(parts.folded(label("", m, facts), inner, True), *more)


def inside(m: Any, left: list[int]) -> str:
    """The parameters, buffers and modules of a module, as HTML."""
    rows = []
    for kind, held in (("", m._parameters), ("buffer", m._buffers)):
        for name, value in held.items():
            if value is not None:
                rows.append((name, *described(value), kind or frozen(value)))
    pieces = [parts.table(("name", "shape", "type", ""), rows)] if rows else []
    for name, child in m._modules.items():
        if child is None:
            continue
        left[0] -= 1
        if left[0] < 0:
            break
        inner = inside(child, left)
        line = label(name, child, cost(child))
        plain = f'<div style="margin-left:14px">{line}</div>'
        pieces.append(parts.folded(line, inner) if inner else plain)
    return "".join(pieces)


def described(value: Any) -> tuple[str, str]:
    """(shape, type) of a parameter; of a lazy module's, what it waits for."""
    try:
        return parts.shape_text(value.shape), str(value.dtype).partition(".")[2]
    except (RuntimeError, ValueError):
        return "waits for the first input", str(value.dtype).partition(".")[2]


def frozen(value: Any) -> str:
    return "" if value.requires_grad else "frozen"


def label(name: str, m: Any, facts: list[str]) -> str:
    """The line of a module: its name, what it prints between its parentheses, and its cost."""
    words = m.extra_repr()
    words = words if len(words) <= MOST_WORDS else words[:MOST_WORDS] + "..."
    before = f'<span style="{parts.QUIET}">({parts.escaped(name)})</span> ' if name else ""
    dot = " · " if facts else ""
    return (
        f"{before}<b>{parts.escaped(m._get_name())}</b>"
        + (f"({parts.escaped(words)})" if words else "")
        + f'<span style="{parts.QUIET}">{dot}{" · ".join(facts)}</span>'
    )


def cost(m: Any) -> list[str]:
    """How many parameters a module has, those that it shares counted once, and their bytes."""
    count = nbytes = 0
    for p in m.parameters():
        try:
            count += p.numel()
            nbytes += p.nbytes
        except (RuntimeError, ValueError):  # of a lazy module, before its first input
            continue
    return [parts.counted(count, "parameter"), parts.size(nbytes)] if count else []


@parts.shown
def optimizer(o: Any) -> str | None:
    """The display of an optimiser: its groups, with what they have in common said once."""
    groups = o.param_groups
    names = sorted({key for group in groups for key in group} - {"params", "param_names"})
    differ = [k for k in names if len({repr(group.get(k)) for group in groups}) > 1]
    same = [k for k in names if k not in differ]
    shown = list(dict.fromkeys([*(k for k in ("lr",) if k in names), *differ]))
    rows = [
        [str(k), f"{len(g['params']):,}", f"{sum(p.numel() for p in g['params']):,}"]
        + [repr(g.get(name)) for name in shown]
        for k, g in enumerate(groups)
    ]
    steps = len(o.state)
    facts = [parts.counted(len(groups), "group")]
    facts.append(f"state of {parts.counted(steps, 'tensor')}" if steps else "no step yet")
    common = "\n".join(f"{k} = {groups[0].get(k)!r}" for k in same if k != "lr")
    return parts.frame(
        parts.heading(type(o).__name__, *facts),
        parts.table(["group", "tensors", "numbers", *shown], rows),
        parts.folded("the same in all groups", parts.text(common)) if common else "",
    )
