"""Backwards that come later: programs of the derivatives of what a function has returned.

Right after a capture the engine is sent through the graph that the run has left, with gradients of
ones, for each set of results that may get a gradient; nothing is accumulated. What that program
reads of the forward is returned by the forward's program and kept by the node (`region.py`), as
eager's nodes keep what they save.

A leaf that is used more than once has several edges, so that the engine adds up its gradients in
eager's order. Of results that come of one another (a model that returns logits and loss) each has a
backward that ends where the other one begins.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..autograd import door, engine, steps
from ..autograd.node import Extras, Out
from ..autograd.unbroadcast import add
from ..blocks import contextmanager
from . import early
from .program import GIVEN, MADE, Program, Ref
from .seeing import Unknown
from .writer import Writer

MOST_RESULTS = 3  # with a history: there is a backward program for each set of them


class Recorder(Writer):
    """Writes down a backward; arrays of the forward are given to it.

    Attributes:
        saved: the numbers of the forward's values that it is given, behind the gradients.
        leaves: leaves in the order in which they get their gradients, with how many lines stand
            before that.
        why: what cannot be written down, or None.
    """

    spans = True

    def __init__(self, forward: Any, gradients: list[Any]) -> None:
        super().__init__()
        self.forward = forward
        self.saved: list[Ref] = []
        self.leaves: list[tuple[Any, int]] = []
        self.why: Unknown | None = None
        for g in gradients:
            self.program.given.append(self.value(GIVEN, g, "gradient"))

    def entering(self, kind: str, what: Any, operands: Any) -> Any:
        if kind == "leaf":
            self.leaves.append((what, len(self.program.lines)))

    def performed(
        self, record: Any, arrays: Any, kw: dict[str, Any], results: Any, begun: Any
    ) -> None:
        try:
            line = self.line(record, arrays, kw, results)
            for r in line.writes():
                if self.program.values[r].kind != MADE:
                    raise Unknown("writes to what the forward has saved")
            self.program.lines.append(line)
        except Unknown as error:
            self.why = self.why or Unknown(f"{record.name} {error}")

    def origin(self, a: Any) -> Ref | None:
        """An array of the forward is given to the backward."""
        of = self.forward.number.get(id(a))  # the array itself, unless it has gone since
        if of is None or self.forward.program.values[of].example is not a:
            return None
        self.saved.append(of)
        found = self.value(GIVEN, a, f"%{of:d} of the forward")
        self.program.given.append(found)
        return found


class Way:
    """The backward of one set of results.

    Attributes:
        run: the program's function: gradients, then saved arrays.
        saved: the places of its saved arrays among those of the node.
        returns: for each edge of the node, the place of its gradient in what `run` returns; None.
        owned: whether what comes out is new memory.
        stops: how often gradients leave it while it goes on (`early.py`).
    """

    def __init__(self, program: Program, run: Any, returns: list[int | None], owned: bool) -> None:
        self.program, self.run, self.returns, self.owned = program, run, returns, owned
        self.saved: list[int] = []
        self.stops = 0


class Plan:
    """All that a replay needs to hang a Region behind its results.

    Attributes:
        edges: tensors whose places on the tape are the node's edges, as expressions' values.
        saved: numbers of the forward's values that the node keeps.
        ways: set of results with a gradient (as a tuple of places) to its Way.
    """

    def __init__(
        self, capture: Any, results: list[Any], others: list[Any], returned: list[Any],
        executor: Callable[..., Any],
    ) -> None:  # fmt: skip
        if len(results) > MOST_RESULTS:
            raise Unknown(f"{len(results)} tensors with a history are returned")
        tensors = [t for t, *_ in capture.tensors if t._fn is not None] + others
        edges = [engine.edge_of(t) for t in tensors]
        found: dict[tuple[int, ...], Recorder] = {}
        totals: dict[tuple[int, ...], list[list[Ref]]] = {}
        for n in range(1, len(results) + 1):
            for chosen in itertools.combinations(range(len(results)), n):
                ys = [results[k] for k in chosen]
                with ending_at(tensors):
                    recorder, got = recorded(capture, ys, edges)
                found[chosen] = recorder
                totals[chosen] = [parts(recorder.program, r) for r in got]
        # The engine goes along the edges of a node in their order: hooks of leaves are called as
        # eager calls them, where all results have gradients.
        after = {id(leaf): place for place, (leaf, _) in enumerate(recorder.leaves)}
        order = sorted(range(len(edges)), key=lambda k: after.get(id(tensors[k]), -1))
        tensors = [tensors[k] for k in order]
        totals = {chosen: [total[k] for k in order] for chosen, total in totals.items()}
        # an edge for each contribution, as many as there may be
        most = [max(len(t[k]) for t in totals.values()) for k in range(len(edges))]
        self.tensors = [t for t, n in zip(tensors, most, strict=True) for _ in range(n)]
        self.saved: list[Ref] = []
        self.ways: dict[tuple[int, ...], Way] = {}
        for chosen, recorder in found.items():
            program = recorder.program
            returns: list[int | None] = []
            for of, n in zip(totals[chosen], most, strict=True):
                for k in range(n):
                    if k < len(of):
                        returns.append(len(program.returns))
                        program.returns.append(of[k])
                    else:
                        returns.append(None)
            owned = own_memory(program)
            for r in program.returns:
                program.values[r].fresh = program.values[r].kind == MADE
            values_of = [None if k is None else program.returns[k] for k in returns]
            stops = early.stops(program, recorder.leaves, self.tensors, values_of)
            if stops:
                early.stop(program, stops)
            program.without_dead_lines()
            for r in recorder.saved:
                if r not in self.saved:
                    self.saved.append(r)
            way = Way(program, executor(program), returns, owned)
            way.saved = [self.saved.index(r) for r in recorder.saved]
            way.stops = len(stops)
            self.ways[chosen] = way
        self.shapes = tuple([y._a.shape for y in results])
        self.strides = tuple([np.empty_like(y._a).strides for y in results])
        self.dtypes = tuple([y._a.dtype for y in results])
        # tensors whose memory is saved: changing them afterwards is an error
        values = capture.program.values
        kept = [values[r].example for r in self.saved]
        kept = [a for a in kept if a.__class__ is np.ndarray]
        self.watched = [t for t, *_ in capture.tensors if shares(t, kept)]
        self.kept_outputs = [k for k, t in enumerate(returned) if shares(t, kept)]
        self.others: list[tuple[int, int]] = []  # edges that are other results: (edge, result)
        # Eager's nodes would be used up by a backward, even if all that they keep are numbers.
        self.kept = any(n.saved for y in results for n in history(y, capture.begun))
        self.pure = not any(line.writes() for line in capture.program.lines)


def shares(t: Any, arrays: list[Any]) -> bool:
    """Whether a tensor shares memory with one of some arrays."""
    return any(np.may_share_memory(t._a, a) for a in arrays)


def recorded(capture: Any, ys: list[Any], edges: list[Any]) -> tuple[Recorder, list[Any]]:
    """The backward of some results to all edges, written down; nothing else happens."""
    roots = [engine.edge_of(y) for y in ys]
    gradients = [np.ones_like(y._a) for y in ys]
    recorder = Recorder(capture, gradients)
    if not edges:
        return recorder, []
    with without_hooks(edges):
        try:
            with door.observing(recorder):
                got = engine.run(roots, gradients, True, False, edges, True)
        except RuntimeError as error:
            raise Unknown(f"its backward fails: {str(error).splitlines()[0]}") from None
    if recorder.why is not None:
        raise recorder.why
    return recorder, [None if g is None else recorder.refer(g) for g in got]


@contextmanager
def without_hooks(edges: list[Any]) -> Iterator[None]:
    """For a block, no hooks run on what the edges lead to: they are for the backward around."""
    ends = list({id(n): n for n in map(node_of, edges)}.values())
    nodes = [(n, n.x) for n in ends if n._is_node and n.x is not None]
    leaves = [(t, t._x) for t in ends if not t._is_node and t._x.__class__ is Extras]

    def back() -> None:
        for n, x in nodes:
            n.x = x
        for t, x in leaves:
            t._x = x

    try:
        for n, _ in nodes:
            n.x = None
        for t, x in leaves:
            t._x = Extras(x.cut)
            t._x.inference, t._x.grad = x.inference, x.grad
        yield
    finally:
        try:
            back()
        except BaseException:
            back()
            raise


@contextmanager
def ending_at(results: list[Any]) -> Iterator[None]:
    """For a block, the graph ends at these tensors."""
    found = [node_of(engine.edge_of(y)) for y in results]
    nodes = {id(n): n for n in found if n is not None and n._is_node}.values()
    before = [(n, n.edges) for n in nodes]

    def back() -> None:
        for n, edges in before:
            n.edges = edges

    try:
        for n in nodes:
            n.edges = ()
        yield
    finally:
        try:
            back()
        except BaseException:
            back()
            raise


def groups(results: list[Any]) -> list[list[int]]:
    """Results whose histories meet, before they come to another result, belong together.

    Raises:
        Unknown: where one of such a group has another one in its history.
    """
    between: list[set[int]] = []
    for y in results:
        own = node_of(engine.edge_of(y))
        others = [x for x in results if node_of(engine.edge_of(x)) is not own]
        with ending_at(others):
            ends = {id(node_of(engine.edge_of(x))) for x in others}
            between.append({id(n) for n in history(y)} - ends)
    found: list[list[int]] = []
    for k in range(len(results)):
        meeting = [g for g in found if any(between[k] & between[j] for j in g)]
        found = [g for g in found if g not in meeting]
        found.append(sorted([k, *(j for g in meeting for j in g)]))
    for g in found:
        if any(comes_of(results[a], results[b]) for a in g for b in g if a != b):
            raise Unknown("two tensors are returned of which one has the other in its history")
    found.sort(key=lambda g: max(node_of(engine.edge_of(results[k])).seq for k in g))
    return in_order(results, found)


def in_order(results: list[Any], found: list[list[int]]) -> list[list[int]]:
    """Groups, those first that others come of: the engine runs later nodes before earlier ones.

    Raises:
        Unknown: where two groups come of each other. A group is one node, but its results need not
            have been made at one time.
    """
    waiting, ordered = list(found), []
    while waiting:
        free = [g for g in waiting if not any(
            comes_of(results[a], results[b]) for h in waiting if h is not g for a in g for b in h
        )]  # fmt: skip
        if not free:
            raise Unknown("tensors are returned that come of one another in turns")
        ordered.append(free[0])
        waiting.remove(free[0])
    return ordered


def node_of(edge: Any) -> Any:
    """The node, or the leaf, that an edge leads to."""
    return edge.node if edge.__class__ is Out else edge


def history(y: Any, since: int = 0) -> list[Any]:
    """The nodes behind a tensor that are newer than `since`, the newest first."""
    found: dict[int, Any] = {}
    stack = [node_of(engine.edge_of(y))]
    while stack:
        n = stack.pop()
        if n is not None and n._is_node and id(n) not in found and n.seq > since:
            found[id(n)] = n
            stack += map(node_of, n.edges)
    return sorted(found.values(), key=lambda n: n.seq, reverse=True)  # type: ignore[no-any-return]


def comes_of(y: Any, x: Any) -> bool:
    """Whether a tensor has another one in its history."""
    a, b = node_of(engine.edge_of(y)), node_of(engine.edge_of(x))
    return a is not b and any(n is b for n in history(y))


def parts(program: Program, total: Ref | None) -> list[Ref]:
    """The gradients that the engine has added up for a leaf, in their order."""
    if total is None:
        return []
    for line in program.lines:
        if line.record is add and line.results == total:
            return [*parts(program, line.operands[0]), line.operands[1]]
        if line.record is steps.copy and line.results == total:  # what the engine hands out
            found = parts(program, line.operands[0])
            return found if len(found) > 1 else [total]
    return [total]


def own_memory(program: Program) -> bool:
    """Whether what a program returns is memory of its own, each piece for itself."""
    values = program.values
    arrays = [values[r].example for r in program.returns]
    if any(values[r].kind != MADE for r in program.returns):
        return False
    given = [v.example for v in values if v.kind != MADE and isinstance(v.example, np.ndarray)]
    return not any(
        np.may_share_memory(a, b) for k, a in enumerate(arrays) for b in (*given, *arrays[:k])
    )
