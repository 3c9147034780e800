"""Which parameters a loss reaches, and why not the others; their gradients, without setting any.

Of a loss, its graph is looked at: what leads to a parameter is in it, and where a saved value has
left its history behind there is a note of it. Of a function that computes a loss, all that it does
is recorded, so that for each parameter the operation that cut the chain is known.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

from .. import nn
from ..autograd import door
from ..autograd.holders import frames, named, variables
from ..autograd.node import LEAF, Out, TensorBase
from .advice.reading import number, shape
from .lines import Lines
from .live import names_of, of_user
from .numbers import norm
from .recording import NONE


class Reached:
    """What a loss means for one parameter.

    Attributes:
        name, shape: of the parameter.
        reached: whether the loss leads to it.
        why: if not, why not.
        where, source: the line that cut the chain: "model.py:12" and its text; "" if unknown.
        norm: the Euclidean norm of its gradient.
        nan: whether the gradient has a NaN or Inf.
    """

    def __init__(self, name: str, dims: tuple[int, ...]) -> None:
        self.name, self.shape = name, dims
        self.reached = self.nan = False
        self.why = self.where = self.source = ""
        self.norm = 0.0

    def __str__(self) -> str:
        if not self.reached:
            line = f" at {self.where}: {self.source}" if self.where else ""
            return f"no gradient: {self.why}{line}"
        if self.nan:
            return "NaN or Inf in its gradient"
        return f"{number(self.norm)}" + (" (all of it is 0)" if self.norm == 0 else "")


class Gradients:
    """All parameters; `print` it.

    Attributes:
        rows: what the loss means for each of them.
        cuts: lines at which the history of something in the graph ends, each with its reason.
    """

    def __init__(self, rows: list[Reached], cuts: list[tuple[str, str, str]]) -> None:
        self.rows, self.cuts = rows, cuts

    def __getitem__(self, name: str) -> Reached:
        return next(r for r in self.rows if r.name == name)

    def __str__(self) -> str:
        reached = [r for r in self.rows if r.reached]
        lines = [f"The loss reaches {len(reached)} of {len(self.rows)} parameters"]
        wide = max([len(r.name) for r in self.rows], default=0)
        dims = max([len(shape(r.shape)) for r in self.rows], default=0)
        lines += [f"  {r.name:<{wide}}  {shape(r.shape):<{dims}}  {r}" for r in self.rows]
        if len(reached) < len(self.rows) and self.cuts:
            lines.append("The graph of the loss ends at:")
            lines += [f"  {where}: {source} ({why})" for why, where, source in self.cuts]
        return "\n".join(lines)

    __repr__ = __str__


def gradients(loss: Any, model: nn.Module | None, frame: Any) -> Gradients:
    """Of a loss, or of a function that computes it."""
    if not isinstance(loss, TensorBase):
        return recorded(loss, model)
    lines = Lines()
    leaves, cuts = walked(lines, loss)
    wanted = parameters(model, frame)
    known = {id(p) for p, _ in wanted}
    held = of_user(frame)
    wanted += [(t, held.get(id(t), "a tensor").strip("`")) for t in leaves if id(t) not in known]
    rows = []
    got = differentiated(loss, leaves)
    lines.finish()
    ends = [(why, *told(lines, line)) for why, line in cuts]
    for p, name in wanted:
        row = Reached(name, tuple(p.shape))
        filled(row, p, got.get(id(p)))
        if not row.reached and not row.why:
            row.why = "nothing in the graph of the loss leads to it"
            if len(ends) == 1:
                row.why, row.where, row.source = f"the chain ends with {ends[0][0]}", *ends[0][1:]
        rows.append(row)
    return Gradients(rows, ends)


def filled(row: Reached, p: Any, g: Any) -> None:
    """Put in what is known of a parameter and its gradient."""
    if g is not None:
        row.reached = True
        row.norm = norm(g._a)
        row.nan = not math.isfinite(row.norm)
    elif not p.requires_grad:
        row.why = "it is frozen: its requires_grad is False"


def differentiated(loss: Any, leaves: list[Any]) -> dict[int, Any]:
    """Gradients by the id of their leaf; the graph and `.grad` stay as they are."""
    from ..autograd.backward import grad

    if not leaves:
        return {}
    start = None if loss.numel() == 1 else loss.new_ones(loss.shape)
    found = grad(loss, leaves, start, retain_graph=True, allow_unused=True)
    return {id(t): g for t, g in zip(leaves, found, strict=True) if g is not None}


def walked(lines: Lines, loss: Any) -> tuple[list[Any], list[tuple[str, int]]]:
    """The leaves of a graph, and where the histories of saved values end."""
    leaves: dict[int, Any] = {}
    cuts: dict[tuple[str, int], None] = {}

    def note(t: Any) -> None:
        cut = door.cut_of(t._x)
        if cut is not None:
            cuts[cut.why, lines.at_offset(cut.code, cut.lasti)] = None

    fn = loss._fn
    if fn is None:
        note(loss)
        return [], list(cuts)
    if fn is LEAF:
        return [loss], []
    root = fn.node if fn.__class__ is Out else fn
    seen, queue = {id(root)}, [root]
    while queue:
        n = queue.pop()
        for s in n.saved if n.saved.__class__ is tuple else ():
            if isinstance(s, TensorBase) and s._fn is None:
                note(s)
        for e in n.edges:
            target = e.node if e.__class__ is Out else e
            if target is None or id(target) in seen:
                continue
            seen.add(id(target))
            if target._is_node:
                queue.append(target)
            elif isinstance(target, TensorBase):
                leaves[id(target)] = target
    return list(leaves.values()), list(cuts)


def told(lines: Lines, line: int) -> tuple[str, str]:
    """'model.py:12', and the text of that line."""
    if line == NONE:
        return "", ""
    found = lines.lines[line]
    return f"{os.path.basename(found.file)}:{found.number}", found.text


def parameters(model: nn.Module | None, frame: Any) -> list[tuple[Any, str]]:
    """The parameters of a model, or of all models in the variables of the program."""
    if model is not None:
        return [(p, name) for name, p in model.named_parameters()]
    modules: dict[int, Any] = {}
    for one in frames(frame):
        for values in (variables(one), one.f_globals):
            for value in list(values.values()):
                if issubclass(type(value), nn.Module):
                    modules.update({id(m): m for m in value.modules()})
    names = [n for n in named(list(modules.values())) if n.role == "parameter"]
    called = names_of(names, of_user(frame))
    return [(n.tensor, called[id(n.tensor)]) for n in names]


def recorded(fn: Callable[[], Any], model: nn.Module | None) -> Gradients:
    """Of a function: it is called once, and what it does is recorded."""
    from . import recording

    with recording() as session:
        loss = fn()
        leaves, _ = walked(Lines(), loss)
        got = differentiated(loss, leaves)
        look = session.look
        tensors = {} if look is None else {
            known.name: known.ref() for known in look.modules.tensors() if known.role == "parameter"
        }  # fmt: skip
        resolved = (lambda name: name) if look is None else look.modules.resolver()
    found = session.recording
    whys = {u.name: u for u in found.unreached}
    wanted = None if model is None else {id(p) for p in model.parameters()}
    rows = []
    for name, p in tensors.items():
        if p is None or (wanted is not None and id(p) not in wanted):
            continue
        row = Reached(resolved(name), tuple(p.shape))
        filled(row, p, got.get(id(p)))
        one = whys.get(row.name)
        if not row.reached and one is not None:
            row.why = one.why
            row.where, row.source = told(look.lines, one.line) if look is not None else ("", "")
        elif not row.reached and not row.why:
            row.why = "nothing in the graph of the loss leads to it"
        rows.append(row)
    return Gradients(rows, [])
