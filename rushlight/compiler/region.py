"""Regions: the nodes of compiled forwards whose backward comes later, from outside.

Tensors with a history that a compiled function returns, such as a model's output, get a `Region` as
their place in the caller's graph. It keeps what the backward's program reads and runs it when
gradients come; with `create_graph` the forward runs once more, eagerly.

Not here: how these programs are found (`backwards.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd import door, engine
from ..autograd.node import (
    LEAF,
    Cell,
    Freed,
    Node,
    Out,
    freed_error,
    inplace_error,
    tick,
    user_line,
)
from ..errors import message
from . import early
from .backwards import Plan, ending_at, groups, history, without_hooks
from .program import MADE, Program
from .seeing import Unknown


def laid_out(g: Any, strides: tuple[int, ...]) -> Any:
    """A copy of an array that lies in another way."""
    found = np.ndarray(g.shape, g.dtype, None, 0, strides)
    found[...] = g
    return found


class Regions:
    """The regions of one program.

    Attributes:
        plans: a plan for each, those first that others come of.
    """

    def __init__(
        self, capture: Any, results: list[Any], returned: list[Any],
        executor: Callable[..., Any], program: Program,
    ) -> None:  # fmt: skip
        if engine.twice[0]:
            raise Unknown("results have a history, and this program differentiates twice")
        capture.reads.guards.space["twice"] = engine.twice
        capture.reads.guards.add("not twice[0]", "nobody differentiates twice")
        self.plans: list[Any] = []
        known = capture.reads.tensors
        found = groups(results)
        self.places = found
        self.saved: list[list[int]] = []
        names, watched = [], []
        quiet: list[Any] = []
        reached: set[int] = set()
        for g in found:
            others = [results[k] for k in range(len(results)) if k not in g]
            plan = Plan(capture, [results[k] for k in g], others, returned, executor)
            self.plans.append(plan)
            places = []
            for r in plan.saved:
                if program.values[r].kind == MADE:
                    program.values[r].fresh = True
                places.append(len(program.returns))
                program.returns.append(r)
            self.saved.append(places)
            numbers = {id(t): k for k, t in enumerate(results)}
            names.append(", ".join(
                f"ys[{numbers[id(t)]}]" if id(t) in numbers else known[id(t)][1]
                for t in plan.tensors
            ))  # fmt: skip
            plan.others = [(i, numbers[id(t)]) for i, t in enumerate(plan.tensors)
                           if id(t) in numbers]  # fmt: skip
            watched.append(", ".join(known[id(t)][1] for t in plan.watched))
            if not any(way.stops for way in plan.ways.values()):
                quiet += [t for t in plan.tensors if t._fn is LEAF and id(t) in known
                          and early.unheard([t])]  # fmt: skip
            # Eager would add up the gradients of all in the order of their nodes.
            mine = {id(t) for t in plan.tensors}
            if mine & reached:
                raise Unknown("several results are returned whose gradients meet")
            reached |= mine
            del plan.tensors, plan.watched
        space = capture.reads.guards.space
        if quiet:  # a DistributedDataParallel that comes later wants a plan with stops
            capture.reads.guards.space["unheard"] = early.unheard
            leaves = ", ".join(dict.fromkeys(known[id(t)][1] for t in quiet))
            words = "nobody waits for gradients"
            capture.reads.guards.add(f"unheard([{leaves}])", words, slow=True)
        self.edges = [eval(f"lambda args, kw, ys: [{n}]", space) for n in names]
        self.watched = [eval(f"lambda args, kw: [{n}]", space) for n in watched]

    def attach(
        self, ys: list[Any], made: list[Any], returned: tuple[Any, ...], args: Any, kw: Any,
        again: Any,
    ) -> None:  # fmt: skip
        """Hang the regions behind the results of a replay; `made` are all of its tensors."""
        for k, plan in enumerate(self.plans):
            own = [ys[j] for j in self.places[k]]
            saved = tuple([returned[j] for j in self.saved[k]])
            tensors, watched = self.edges[k](args, kw, ys), self.watched[k](args, kw)
            kept = [made[j] for j in plan.kept_outputs]
            attach(plan, own, saved, tensors, watched, kept, (again, args, kw, self.places[k]))


class Region(Node):
    """The node of a compiled forward."""

    __slots__ = ("again", "cells", "n_out", "plan", "tensors")
    plan: Plan
    again: tuple[Any, ...]  # what runs the forward once more
    cells: list[tuple[Any, Cell | None]]  # tensors whose values are saved, and their versions
    tensors: list[Any]  # to whose places on the tape the edges lead

    def name(self) -> str:
        """PyTorch's name of such a node."""
        return "CompiledFunctionBackward"

    def run(self, g: Any, tensors: bool, wanted: Any = None) -> Any:
        plan = self.plan
        saved = self.saved
        if saved.__class__ is Freed:
            raise freed_error(self, saved)
        for t, cell in self.cells:
            cell = t._vc if cell is None else cell
            if cell is not None and cell.stamp > self.seq:
                raise inplace_error(self, t._a.shape, cell)
        given = [g] if self.n_out == 1 else g
        chosen = tuple([k for k, v in enumerate(given) if v is not None])
        if tensors:
            return self.run_eagerly(chosen, [given[k] for k in chosen])
        way = plan.ways[chosen]
        gs = [given[k] for k in chosen]
        for i, k in enumerate(chosen):
            if gs[i].strides != plan.strides[k]:  # programs know where each number lies
                gs[i] = laid_out(gs[i], plan.strides[k])
        if not way.stops:
            found = way.run(*gs, *[saved[k] for k in way.saved])
            if not way.owned:
                found = [np.array(a) for a in found]
            return [None if k is None else found[k] for k in way.returns]
        sink = early.sink(self, way.owned)
        found = way.run(*gs, *[saved[k] for k in way.saved], sink)
        returned = [None if k is None else found[k] for k in way.returns]
        for k in () if sink is None else sink.taken:
            returned[k] = None
        if not way.owned:
            returned = [None if a is None else np.array(a) for a in returned]
        return returned

    run_shown = run

    def run_eagerly(self, chosen: tuple[int, ...], given: list[Any]) -> Any:
        """The same with a graph of its own (create_graph): the forward runs once more."""
        fn, args, kw, places = self.again
        if not self.plan.pure:
            raise RuntimeError(
                message(
                    "create_graph: the backward of a compiled function that draws random numbers "
                    "or changes buffers cannot be differentiated",
                    got=f"{self.name()}, made at {self.line()}",
                    hint="torch.compiler.disable for this function, or compile the whole step",
                )
            )
        begun = tick()
        with door.grad_enabled(True):
            every = fn(args, kw)
        ys = [every[k] for k in places]
        # Their place among other nodes is this one's: gradients are added up in that order.
        nodes = list({id(n): n for y in ys for n in history(y, begun)}.values())
        nodes.sort(key=lambda n: n.seq)
        for k, n in enumerate(nodes):
            n.seq = self.seq - 1 + (k + 1) / (len(nodes) + 1)
        tensors = list(self.tensors)
        for i, k in self.plan.others:
            tensors[i] = every[k]
        edges = [engine.edge_of(t) for t in tensors]
        unique = list({id(e): e for e in edges}.values())
        roots = [engine.edge_of(ys[k]) for k in chosen]
        with ending_at(tensors), without_hooks(edges):
            got = engine.run(roots, given, True, True, unique, True)
        by_edge = {id(e): g for e, g in zip(unique, got, strict=True)}
        return [by_edge.pop(id(e), None) for e in edges]


def attach(plan: Plan, ys: list[Any], saved: tuple[Any, ...], tensors: list[Any],
           watched: list[Any], kept: list[Any], again: Any) -> None:  # fmt: skip
    """Hang a Region behind the results of a replay."""
    node: Any = object.__new__(Region)
    node.plan, node.kw, node.x = plan, None, None
    node.saved = saved or (None,) * plan.kept
    node.edges = tuple([engine.edge_of(t) for t in tensors])
    node.tensors, node.again = tensors, again
    node.seq = tick()
    node.code, node.lasti = user_line()
    node.n_out = len(ys)
    if len(ys) == 1:
        node.shape, node.dtype = plan.shapes[0], plan.dtypes[0]
        ys[0]._fn = node
    else:
        node.shape, node.dtype = plan.shapes, plan.dtypes
        for k, y in enumerate(ys):
            y._fn = Out(node, k)
    cells = [(t, None) for t in watched]
    for t in kept:
        if t._vc is None:
            t._vc = Cell()
        cells.append((t, t._vc))
    node.cells = cells
