"""Programs as pictures: Graphviz's language, and SVG laid out here.

A box is an entry of a plan. Boxes stand in layers, each below all that it needs; in a layer they
stand near what they are given. `explain.py` has the figures.
"""

from __future__ import annotations

from html import escape
from typing import Any

from .program import Effect, Program

COLOURS = {"native": "#d9ead3", "python": "#fff2cc", "effect": "#f4cccc", "value": "#e8eaf6"}
WIDE, HIGH, GAP, STEP = 7, 34, 18, 64  # of a letter, of a box, between boxes, from layer to layer
SWEEPS = 6


class Box:
    """A box of the picture.

    Attributes:
        lines: the texts in it, the first one large.
        kind: names its colour.
        title: what is shown when the pointer is over it.
        below: the numbers of the boxes that it is given something by.
    """

    def __init__(self, lines: list[str], kind: str, title: str) -> None:
        self.lines, self.kind, self.title = lines, kind, title
        self.below: dict[int, str] = {}  # number of the box to what comes from it
        self.layer, self.x = 0, 0.0
        self.width = max(60, WIDE * max(map(len, lines)) + 16)


def boxes(part: Any) -> list[Box]:
    """The boxes of a program: what it is given and holds, its entries, and what it returns."""
    from .explain import short

    program: Program = part.program
    found: list[Box] = []
    maker: dict[int, int] = {}  # of a value, the box that it comes from or was last changed in
    barrier = -1  # the box that all later ones stand below
    for e in part.entries:
        lines = [program.lines[k] for k in e.lines]
        made = {r for line in lines for r in line.makes()}
        reads = {r: None for line in lines for r in line.reads() if r not in made or r in maker}
        for r in reads:
            if r not in maker:
                value = program.values[r]
                maker[r] = len(found)
                note = value.note or value.kind
                found.append(Box([note, short(value.example)], "value", f"{value.kind} %{r}"))
        told = [e.name if len(e.name) < 40 else e.name[:37] + "..."]
        told += [text for text in (e.source,) if text]
        title = "\n".join([*(repr(line) for line in lines), *[f"because {e.why}"] * bool(e.why)])
        box = Box(told, e.kind, title)
        number = len(found)
        for r in reads:
            box.below.setdefault(maker[r], short(program.values[r].example))
        alone = all(isinstance(line.record, Effect) and not line.operands for line in lines)
        deepest = max((b.layer for b in found), default=-1)
        box.layer = 1 + max((found[k].layer for k in box.below), default=-1)
        if alone:  # what it needs and changes is not seen, so it comes after all and before all
            box.layer, barrier = deepest + 1, number
        elif barrier >= 0:
            box.layer = max(box.layer, found[barrier].layer + 1)
        found.append(box)
        for line in lines:
            for r in (*line.makes(), *line.writes()):
                maker[r] = number
    for r in program.returns:
        if r in maker:
            box = Box(["result", short(program.values[r].example)], "value", f"returns %{r}")
            box.below[maker[r]] = short(program.values[r].example)
            box.layer = found[maker[r]].layer + 1
            found.append(box)
    for k, box in enumerate(found):  # what is held stands right above where it is used
        users = [b.layer for b in found if k in b.below]
        if box.kind == "value" and not box.below and users:
            box.layer = max(0, min(users) - 1)
    return found


def dot(parts: list[Any]) -> str:
    """Graphviz's text of the graphs.

    >>> print(dot([]))
    digraph plan {
      node [shape=box, style=filled, fontname=sans, fontsize=10];
    }
    """
    text = ["digraph plan {", "  node [shape=box, style=filled, fontname=sans, fontsize=10];"]
    for n, part in enumerate(parts):
        for k, box in enumerate(boxes(part)):
            label = r"\n".join(quoted(line) for line in box.lines)
            text.append(f'  n{n}_{k} [label="{label}", fillcolor="{COLOURS[box.kind]}", '
                        f'tooltip="{quoted(box.title)}"];')  # fmt: skip
            text += [f'  n{n}_{j} -> n{n}_{k} [label="{quoted(what)}", fontsize=8];'
                     for j, what in box.below.items()]  # fmt: skip
    return "\n".join([*text, "}"])


def quoted(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


# -- the layout ------------------------------------------------------------------------------------


def layers_of(found: list[Box]) -> list[list[Box]]:
    """Boxes by layer, ordered so that few lines cross: each goes to the middle of its neighbours,
    downwards and upwards in turn (Sugiyama et al., 1981)."""
    rows: list[list[Box]] = [[] for _ in range(1 + max((b.layer for b in found), default=-1))]
    for box in found:
        rows[box.layer].append(box)
    rows = [row for row in rows if row]
    above = {id(b): [found[k] for k in b.below] for b in found}
    beneath: dict[int, list[Box]] = {id(b): [] for b in found}
    for b in found:
        for other in above[id(b)]:
            beneath[id(other)].append(b)
    place(rows)
    for k in range(SWEEPS):
        neighbours, order = (above, rows) if k % 2 == 0 else (beneath, rows[::-1])
        for row in order:
            wished = {
                id(b): sum(n.x for n in near) / len(near) if (near := neighbours[id(b)]) else b.x
                for b in row
            }
            row.sort(key=lambda b: wished[id(b)])
            left = float("-inf")
            for b in row:
                b.x = max(wished[id(b)], left + b.width / 2)
                left = b.x + b.width / 2 + GAP
    least = min((b.x - b.width / 2 for b in found), default=0.0)
    for b in found:
        b.x += GAP - least
    return rows


def place(rows: list[list[Box]]) -> None:
    """A first place for each box: side by side, each layer in the middle."""
    for row in rows:
        x = -sum(b.width + GAP for b in row) / 2
        for b in row:
            b.x = x + b.width / 2
            x += b.width + GAP


def svg(parts: list[Any]) -> str:
    """The picture of the graphs, one below the other; it needs nothing but a browser."""
    body: list[str] = []
    top, wide = GAP, 200.0
    for part in parts:
        found = boxes(part)
        rows = layers_of(found)
        if part.name:
            body.append(f'<text x="{GAP}" y="{top + 12}" font-size="14">{escape(part.name)}</text>')
            top += 24
        y = {id(b): top + k * STEP for k, row in enumerate(rows) for b in row}
        for b in found:
            for k in b.below:
                body.append(line(found[k], y[id(found[k])], b, y[id(b)], b.below[k]))
        body += [drawn(b, y[id(b)]) for b in found]
        wide = max([wide, *[b.x + b.width / 2 + GAP for b in found]])
        top += len(rows) * STEP
    legend = "".join(
        f'<rect x="{GAP + 90 * k}" y="{top}" width="12" height="12" fill="{colour}" stroke="#999"/>'
        f'<text x="{GAP + 90 * k + 17}" y="{top + 10}">{kind}</text>'
        for k, (kind, colour) in enumerate(COLOURS.items())
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{max(wide, 400):.0f}" '
        f'height="{top + 30:.0f}" font-family="sans-serif" font-size="11">\n'
        '<rect width="100%" height="100%" fill="white"/>\n'
        + "\n".join([*body, legend])
        + "\n</svg>\n"
    )


def line(a: Box, y: float, b: Box, to: float, what: str) -> str:
    """A curve from the lower edge of a box to the upper edge of another."""
    begin, middle = y + HIGH, (y + HIGH + to) / 2
    return (
        f'<path d="M{a.x:.1f} {begin:.1f} C{a.x:.1f} {middle:.1f} {b.x:.1f} {middle:.1f} '
        f'{b.x:.1f} {to:.1f}" fill="none" stroke="#888"><title>{escape(what)}</title></path>'
    )


def drawn(b: Box, y: float) -> str:
    """A box with its texts."""
    texts = "".join(
        f'<text x="{b.x:.1f}" y="{y + 14 + 13 * k:.1f}" text-anchor="middle"'
        f"{' fill=' + chr(34) + '#666' + chr(34) if k else ''}>{escape(text)}</text>"
        for k, text in enumerate(b.lines)
    )
    return (
        f'<g><title>{escape(b.title)}</title><rect x="{b.x - b.width / 2:.1f}" y="{y:.1f}" '
        f'width="{b.width}" height="{HIGH}" rx="4" fill="{COLOURS[b.kind]}" stroke="#999"/>'
        f"{texts}</g>"
    )
