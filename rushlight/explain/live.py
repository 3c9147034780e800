"""Which tensors are alive now, whose they are, and what holds them.

Found by looking (`autograd/holders.py`); nothing needs to have been recorded. Memory that tensors
share is counted once, by the most telling of them: a parameter before a gradient, before what a
graph has saved, before what a variable holds.
"""

from __future__ import annotations

import os
from typing import Any

from ..autograd.holders import (
    RANK,
    Claim,
    Name,
    alive,
    claims,
    frames,
    held_by_variables,
    maker,
    named,
)
from .advice.reading import percent, several, shape, size
from .lines import USER, Lines, whose
from .recording import NONE

ROWS = 20


class Held:
    """Tensors of one role that one line made, or one holder has.

    Attributes:
        role: one of the roles of a recording.
        where: "train.py:12", or "".
        source: the text of that line.
        holder: "fc1.weight", "`history`, a list of 30", "relu_ at net.py:7".
        count, bytes: how many, and how large.
        largest: shape and type of the largest.
    """

    def __init__(self, role: str, where: str, source: str, holder: str) -> None:
        self.role, self.where, self.source, self.holder = role, where, source, holder
        self.count = self.bytes = 0
        self.largest = ""
        self._most = -1

    def add(self, a: Any) -> None:
        """One more."""
        self.count += 1
        self.bytes += a.nbytes
        if a.nbytes > self._most:
            self._most, self.largest = a.nbytes, f"{shape(a.shape)} {a.dtype.name}"


class Live:
    """The live tensors, grouped; `print` it.

    Attributes:
        rows: the groups, the largest first.
        bytes: of all of them.
        roles: bytes by role.
    """

    def __init__(self, rows: list[Held]) -> None:
        self.rows = sorted(rows, key=lambda r: -r.bytes)
        self.bytes = sum([r.bytes for r in rows])
        self.roles: dict[str, int] = {}
        for r in self.rows:
            self.roles[r.role] = self.roles.get(r.role, 0) + r.bytes

    def __str__(self) -> str:
        count = sum([r.count for r in self.rows])
        lines = [f"{several(count, 'live tensor')}, {size(self.bytes)}"]
        for role, held in sorted(self.roles.items(), key=lambda r: -r[1]):
            lines.append(f"  {percent(held / max(1, self.bytes)):>13} {size(held):>10}  {role}")
        lines.append("the largest:")
        for r in self.rows[:ROWS]:
            times = f"{r.count} x " if r.count > 1 else ""
            made = ""
            if r.where:
                made = "" if r.where in r.holder else f", made at {r.where}"
                made += f": {r.source}"
            lines.append(f"  {size(r.bytes):>10}  {r.role}: {times}{r.largest}, "
                         f"{r.holder or 'held by nobody that is known'}{made}")  # fmt: skip
        rest = self.rows[ROWS:]
        if rest:
            more = size(sum(r.bytes for r in rest))
            lines.append(f"  {more:>10}  {several(len(rest), 'other row')}")
        return "\n".join(lines)

    __repr__ = __str__


def memory(frame: Any) -> Live:
    """What is alive, seen from a frame of the program."""
    lines = Lines()
    found = alive()
    variables = of_user(frame)
    names = named(found.modules)
    called = names_of(names, variables)
    best: dict[int, tuple[int, Claim, str, int]] = {}  # owner: rank, claim, holder, line
    for claim in claims(found, names):
        holder, line = told(claim, called, variables, lines)
        key, rank = id(claim.array), RANK[claim.role]
        known = best.get(key)
        if known is None or rank < known[0] or (rank == known[0] and holder and not known[2]):
            line = line if known is None or line != NONE else known[3]
            best[key] = rank, claim, holder, line
        elif known[3] == NONE and known[1].role in ("result", "other"):
            best[key] = (*known[:3], line)
    rows: dict[tuple[str, str, int], Held] = {}
    texts = lines.finish()
    for _, claim, holder, line in best.values():
        row = claim.role, holder, line
        if row not in rows:
            source = texts[line].text if line != NONE else ""
            rows[row] = Held(claim.role, place(lines, line), source, holder)
        rows[row].add(claim.array)
    return Live(list(rows.values()))


def told(
    claim: Claim, called: dict[int, str], variables: dict[int, str], lines: Lines
) -> tuple[str, int]:
    """Who has memory, and the line that made it, where that is known."""
    who = claim.who
    if claim.role == "saved for backward":
        line = lines.at_offset(who.code, who.lasti)
        return f"saved by {who.name()} at {place(lines, line)}", line
    if claim.role == "optimizer state":
        return f"{claim.key} of {called.get(id(claim.of), 'a parameter')}", NONE
    if claim.role == "gradient":
        of = called.get(id(claim.of)) or variables.get(id(claim.of)) or "a tensor"
        return f"gradient of {of}", NONE
    if claim.role in ("parameter", "buffer"):
        return called[id(who)], NONE
    node = maker(who)
    line = NONE if node is None else lines.at_offset(node.code, node.lasti)
    return variables.get(id(who), called.get(id(who), "")), line


def place(lines: Lines, line: int) -> str:
    """'train.py:12'; "" for no line."""
    if line == NONE:
        return ""
    return f"{os.path.basename(lines.lines[line].file)}:{lines.lines[line].number}"


def names_of(names: list[Name], variables: dict[int, str]) -> dict[int, str]:
    """By id what parameters and buffers are called; with their model's name in front, where there
    are several."""
    several_models = len({id(n.model) for n in names}) > 1
    found = {}
    for n in names:
        model = variables.get(id(n.model), "").strip("`") or type(n.model).__name__
        found[id(n.tensor)] = f"{model}.{n.path}" if several_models else n.path
    return found


def of_user(frame: Any) -> dict[int, str]:
    """By id the variable of the user's own functions that holds a tensor or a module."""
    stack = (f for f in frames(frame) if whose(f.f_code.co_filename) == USER)
    return {
        key: f"`{v.name}`" + (f", a {v.kind} of {v.size}" if v.kind else "")
        for key, v in held_by_variables(stack).items()
    }  # fmt: skip
