"""Gradients that leave a backward's program while it goes on.

DistributedDataParallel reduces gradients in buckets. Where the program of a compiled module's
backward has made the last gradient of a bucket, it stops for a call of Python, an effect, that
sends the gradients which are ready to their leaves, as the engine does behind a node. The leaves'
hooks begin the reduction, and the program goes on meanwhile.

A hook that wants this has an attribute `fills(leaves)`: the places in this order of leaves at which
it has something to begin. Other hooks, which may do what they like, are called behind the program.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import door, engine, leaves
from ..autograd.node import Extras
from .program import GIVEN, Effect, Line, Program, Ref, Value

NAME = "gradients are ready"


class Stop:
    """A place in a program where gradients leave it.

    Attributes:
        leaves: for each leaf, the places of its gradients among the edges of the node.
        line: how many lines stand before it.
        operands: the gradients' values, leaf by leaf.
    """

    __slots__ = ("leaves", "line", "operands")

    def __init__(self, leaves: list[list[int]], line: int, operands: list[Ref]) -> None:
        self.leaves, self.line, self.operands = leaves, line, operands


def listening(leaf: Any) -> list[Any]:
    """The hooks of a leaf that want its gradient as soon as it is there."""
    x = leaf._x
    if leaf._is_node or x.__class__ is not Extras or not x.post_hooks:
        return []
    return [fn for fn in x.post_hooks.values() if hasattr(fn, "fills")]


def stopping(leaves: list[Any]) -> set[int]:
    """The places in an order of leaves behind which a program should stop; not behind the last one,
    where it ends anyway."""
    found: set[int] = set()
    asked = set()
    for leaf in leaves:
        for fn in listening(leaf):
            if fn.of not in asked:
                asked.add(fn.of)
                found.update(fn.fills(leaves))
    return found - {len(leaves) - 1}


def unheard(leaves: list[Any]) -> bool:
    """Whether no hook listens to any of some leaves: what a program without stops relies on."""
    return not any(listening(leaf) for leaf in leaves)


def stops(
    program: Program, ready: list[tuple[Any, int]], tensors: list[Any], returns: list[Any]
) -> list[Stop]:
    """Where a program has to stop.

    Args:
        ready: leaves in the order in which the engine came to them, with how many lines had been
            written by then.
        tensors, returns: of the edges of the node: what they lead to, the values of the gradients.
    """
    places: dict[int, list[int]] = {}
    for k, t in enumerate(tensors):
        places.setdefault(id(t), []).append(k)
    ready = [(leaf, line) for leaf, line in ready if id(leaf) in places and listening(leaf)]
    ends = stopping([leaf for leaf, _ in ready])
    if not ends:
        return []
    maker = {r: k for k, line in enumerate(program.lines) for r in line.makes()}
    found: list[Stop] = []
    leaves: list[list[int]] = []
    operands: list[Ref] = []
    last = 0
    for n, (leaf, line) in enumerate(ready):
        own = [k for k in places[id(leaf)] if returns[k] is not None]
        mine = [returns[k] for k in own]
        last = max([last, line, *(maker.get(r, -1) + 1 for r in mine)])
        leaves.append(own)
        operands += mine
        if n in ends:
            found.append(Stop(leaves, last, operands))
            leaves, operands = [], []
    return found


def stop(program: Program, found: list[Stop]) -> None:
    """Write the stops into a program, which gets one more argument: `sent(stop, gradients)`, or
    None where all gradients are returned only."""
    sink = Ref(len(program.values))
    program.values.append(Value(GIVEN, object(), note="who takes gradients"))
    program.given.append(sink)
    for one in reversed(found):
        line = Line(Effect(NAME, sending(one)), (sink, *one.operands), {}, None)
        program.lines.insert(one.line, line)


def sending(one: Stop) -> Any:
    """The effect of a stop."""

    def send(sink: Any, *gradients: Any) -> None:
        if sink is not None:
            sink(one, gradients)

    return send


class Sink:
    """Takes gradients out of a run of a backward's program, and gives them to their leaves.

    Attributes:
        taken: the edges whose gradients have arrived.
    """

    def __init__(self, node: Any, slots: Any, owned: bool) -> None:
        self.edges, self.slots, self.owned = node.edges, slots, owned
        self.taken: list[int] = []
        self.finish = leaves.shown_leaf if door.state.observers else leaves.finish_leaf

    def __call__(self, one: Stop, gradients: Any) -> None:
        at = 0
        for places in one.leaves:
            mine = gradients[at : at + len(places)]
            at += len(places)
            leaf = self.edges[places[0]]
            slot = self.slots[leaf]
            if slot is engine.ALONE:
                slot = self.slots[leaf] = engine.slot_of_leaf(leaf)
            if slot[engine.WAITS] != sum([e is leaf for e in self.edges]):
                continue  # another node has a gradient for it, too
            alone = len(mine) == 1 and slot[engine.GRAD] is None
            for g in mine:
                engine.deliver(self.slots, leaf, g if self.owned else np.array(g))
            total = slot[engine.GRAD]
            slot[engine.GRAD] = None
            self.taken += places
            self.finish(leaf, total, alone and is_whole(total), False, {}, {}, False, None)


def is_whole(a: Any) -> bool:
    """Whether an array is all of the memory that it looks at."""
    return a.base is None or a.base.nbytes == a.nbytes


def sink(node: Any, owned: bool) -> Sink | None:
    """Who takes gradients of a node in this backward; None where they are not for leaves alone, or
    where somebody looks at all of them."""
    run = engine.innermost()
    if run is None or run.needed is not None or run.captures or node.x is not None:
        return None
    return None if engine.checks else Sink(node, run.slots, owned)
