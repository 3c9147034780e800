"""Which tensors are alive now, whose they are, and what holds them.

Found among the objects that Python's garbage collector knows; nothing needs to have been recorded.
Memory that tensors share is counted once, by the most telling of them: a parameter before a
gradient, before what a graph has saved, before what a variable holds.
"""

from __future__ import annotations

import gc
import os
from typing import Any

import numpy as np

from .. import nn
from ..autograd.node import LEAF, Node, Out, TensorBase
from ..optim.optimizer import Optimizer
from ..storage import root
from .advice.reading import percent, several, shape, size
from .lines import USER, Lines, whose
from .memory import RANK
from .recording import NONE

ndarray = np.ndarray
ROWS = 20
DEPTH = 3  # of lists in variables


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
    objects = gc.get_objects()
    # (`isinstance` asks for `__class__`, and objects that stand for others may do anything there)
    tensors = [o for o in objects if issubclass(type(o), TensorBase)]
    modules = [o for o in objects if issubclass(type(o), nn.Module)]
    optimizers = [o for o in objects if issubclass(type(o), Optimizer)]
    nodes = [o for o in objects if issubclass(type(o), Node)]
    del objects
    variables = held_by_variables(frame)
    best: dict[int, tuple[int, Any, str, str, int]] = {}  # owner: rank, array, role, holder, line

    def claim(a: Any, role: str, holder: str, line: int = NONE) -> None:
        if a.__class__ is not ndarray:
            return
        a = root(a)
        rank = RANK[role]
        known = best.get(id(a))
        if known is None or rank < known[0] or (rank == known[0] and holder and not known[3]):
            line = line if known is None or line != NONE else known[4]
            best[id(a)] = rank, a, role, holder, line
        elif known[4] == NONE and known[2] in ("result", "other"):
            best[id(a)] = (*known[:4], line)

    named = names_of(modules, variables)
    for t, name, role in named:
        claim(t._a, role, name)
        if t.grad is not None:
            claim(t.grad._a, "gradient", f"gradient of {name}")
    called = {id(t): name for t, name, _ in named}
    for optimizer in optimizers:
        for p, state in optimizer.state.items():
            of = called.get(id(p), "a parameter")
            for key, value in state.items() if isinstance(state, dict) else ():
                if isinstance(value, TensorBase):
                    claim(value._a, "optimizer state", f"{key} of {of}")
    for node in nodes:
        line = lines.at_offset(node.code, node.lasti)
        for s in node.saved if node.saved.__class__ is tuple else ():
            a = s._a if isinstance(s, TensorBase) else s
            claim(a, "saved for backward", f"saved by {node.name()} at {place(lines, line)}", line)
    for t in tensors:
        holder = variables.get(id(t), called.get(id(t), ""))
        claim(t._a, "result" if t._fn not in (None, LEAF) else "other", holder, made_at(lines, t))
        grad = getattr(t._x, "grad", None)
        if grad is not None and id(t) not in called:
            claim(grad._a, "gradient", f"gradient of {holder or 'a tensor'}")
    rows: dict[tuple[str, str, int], Held] = {}
    texts = lines.finish()
    for _, a, role, holder, line in best.values():
        key = role, holder, line
        if key not in rows:
            source = texts[line].text if line != NONE else ""
            rows[key] = Held(role, place(lines, line), source, holder)
        rows[key].add(a)
    return Live(list(rows.values()))


def place(lines: Lines, line: int) -> str:
    """'train.py:12'; "" for no line."""
    if line == NONE:
        return ""
    return f"{os.path.basename(lines.lines[line].file)}:{lines.lines[line].number}"


def made_at(lines: Lines, t: Any) -> int:
    """The line that made a tensor, where it is known."""
    fn = t._fn
    if fn is not None and fn is not LEAF:
        node = fn.node if fn.__class__ is Out else fn
        return lines.at_offset(node.code, node.lasti)
    cut = t._x.cut if hasattr(t._x, "cut") else t._x
    code = getattr(cut, "code", None)
    return NONE if code is None else lines.at_offset(code, cut.lasti)


def names_of(
    modules: list[Any], variables: dict[int, str]
) -> list[tuple[Any, str, str]]:
    """Parameters and buffers of all models: each, its name, and which of the two."""
    inside = {id(c) for m in modules for c in m.children()}
    models = [m for m in modules if id(m) not in inside and any(True for _ in m.parameters())]
    found = []
    for model in models:
        before = ""
        if len(models) > 1:
            before = variables.get(id(model), "").strip("`") or type(model).__name__
            before += "."
        found += [(p, before + name, "parameter") for name, p in model.named_parameters()]
        found += [(b, before + name, "buffer") for name, b in model.named_buffers()]
    return found


def held_by_variables(frame: Any) -> dict[int, str]:
    """By id the variable of the program that holds a tensor or a module, through lists, tuples and
    dictionaries."""
    found: dict[int, str] = {}

    def take(value: Any, name: str, depth: int) -> None:
        if isinstance(value, (TensorBase, nn.Module)):
            found.setdefault(id(value), name)
        elif depth and isinstance(value, (list, tuple, dict)) and value:
            kind = type(value).__name__
            inner = f"{name}, a {kind} of {len(value)}" if depth == DEPTH else name
            for v in list(value.values() if isinstance(value, dict) else value):
                take(v, inner, depth - 1)

    while frame is not None:
        if whose(frame.f_code.co_filename) == USER:
            for names in (frame.f_locals, frame.f_globals):
                for name, value in list(names.items()):
                    if not name.startswith("__"):
                        take(value, f"`{name}`", DEPTH)
        frame = frame.f_back
    return found
