"""The engine: walks the tape backwards, newest node first, and hands gradients on.

It counts how many gradients each node waits for, then runs nodes in the order of their making,
newest first. It alone sums gradients, brings them to the shape and type of what they belong to, and
calls hooks. Gradients are ndarrays; with create_graph they are Tensors, and the same rules record.

Not here: what a node computes (`op_node.OpNode.run`, from the op's rules), shapes and types
(`unbroadcast.py`), hooks (`hook_calls.py`), what becomes of a leaf's gradient (`leaves.py`),
`backward` and `grad` themselves (`backward.py`).
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush, heappushpop
from sys import _getframe, getrefcount, maxsize
from typing import Any

import numpy as np

from ..kernels.elementwise.sums import added
from ..kernels.meta import SparseArray
from ..kernels.runtime import few
from . import door, leaves
from .hook_calls import post_hooks, pre_hooks, tensor_hooks
from .leaves import finish_leaf, shown_leaf
from .node import LEAF, Freed, Node, Out
from .observe import enter, leave, span
from .unbroadcast import cast, fit, fit_other, fitted, total

ndarray = np.ndarray
checks: list[Any] = []  # anomaly mode puts a function here: called as check(node, gradients)


class _Everything:
    """A set of all nodes: with it a run sends sends each through `run_carefully`."""

    def __contains__(self, node: object) -> bool:
        return True


EVERYTHING: Any = _Everything()
twice = [0]  # how many backwards recorded graphs of their own: compiled forwards look at it


class Run:
    """One backward in progress: what waits for gradients, and which nodes are needed."""

    __slots__ = ("__weakref__", "captures", "keeps", "needed", "roots", "slots", "targets")

    def __init__(
        self,
        roots: Any,
        slots: dict[Any, Any],
        needed: Any,
        targets: Any,
        keeps: bool,
        captures: bool,
    ) -> None:
        self.captures = captures  # gradients of the targets, instead of accumulating them
        self.keeps = keeps  # the graph, which may be run again
        self.roots = roots
        self.slots = slots
        self.needed = needed
        self.targets = targets

    def will_reach(self, t: Any) -> bool:
        """Whether a gradient of tensor `t` is going to be computed."""
        e = edge_of(t)
        node = e.node if e.__class__ is Out else e
        return node in self.slots and self.reaches(node)

    def reaches(self, node: Any) -> bool:
        """Whether a gradient is sent to a node or leaf of the graph."""
        return self.needed is None or node in self.needed or id(node) in self.targets

    def order(self) -> list[Any]:
        """The nodes and leaves of the graph in the order in which they are run."""
        waits = {n: slot[WAITS] for n, slot in count(self.roots).items()}
        targets = [e.node if e.__class__ is Out else e for e in self.roots]
        tie = itertools.count()
        ready = [place(n, next(tie)) for n in dict.fromkeys(targets) if not waits[n]]
        heapify(ready)
        found = []
        while ready:
            node = heappop(ready)[2]
            found.append(node)
            for e in node.edges if node._is_node else ():
                target = e.node if e.__class__ is Out else e
                if e is None or not self.reaches(target):
                    continue
                waits[target] -= 1
                if not waits[target]:
                    heappush(ready, place(target, next(tie)))
        return found


def place(node: Any, tie: int) -> tuple[int, int, Any]:
    """Where a node stands among those that are ready: leaves first, then the newest."""
    return (-node.seq if node._is_node else -maxsize, tie, node)


class _Runs(threading.local):
    stack: tuple[Run, ...] = ()
    calling = False  # callbacks, which may queue others
    callbacks: tuple[Any, ...] = ()  # queued by hooks, run when the outermost backward ends


_runs = _Runs()


def current() -> Run:
    """The innermost backward of this thread."""
    return _runs.stack[-1]


def innermost() -> Run | None:
    """The same, or None outside of one."""
    return _runs.stack[-1] if _runs.stack else None


def current_node() -> Node | None:
    """The node that this thread runs: a variable of the innermost `send`, so that the engine need
    not write it down for each."""
    frame: Any = _getframe(1) if _runs.stack else None
    while frame is not None:
        if frame.f_code is send.__code__:
            node = frame.f_locals["node"]
            return node if isinstance(node, Node) else None
        frame = frame.f_back
    return None


def running() -> bool:
    """Whether this thread is inside a backward."""
    return bool(_runs.stack) or _runs.calling


def queue_callback(fn: Any) -> None:
    """Call `fn()` when this thread's outermost backward ends."""
    _runs.callbacks = (*_runs.callbacks, fn)


def run_callbacks() -> None:
    """Call what hooks have queued, and what that queues."""
    _runs.calling = True
    try:
        _call_queued()
    finally:
        _runs.calling = False
        _runs.callbacks = ()


def _call_queued() -> None:
    while _runs.callbacks:
        todo, _runs.callbacks = _runs.callbacks, ()
        for fn in todo:
            fn()


def edge_of(t: Any) -> Any:
    """Where a gradient of tensor `t` goes."""
    if t._v is not None and t._v.seen != t._vc.count:
        door.refresh(t)
    fn = t._fn
    return t if fn is LEAF else fn


def run(
    roots: Sequence[Any],
    grads: Sequence[Any],
    retain_graph: bool,
    create_graph: bool,
    inputs: Sequence[Any] | None = None,
    capture: bool = False,
    tensors: bool = False,
) -> list[Any]:
    """Send `grads` from the edges `roots` through the tape.

    Gradients are Tensors with `create_graph`, or when `tensors` says so. Without `inputs` every
    leaf accumulates into `.grad`. With `inputs` (edges) only the paths to them run; with `capture`
    their gradients are returned, None where no path leads.
    """
    if create_graph:
        twice[0] += 1
        tensors = True
    slots = count(roots)
    state = door.state
    observed = bool(state.observers)  # then nothing takes the short ways that are written out below
    needed: Any = EVERYTHING if observed else None
    targets: dict[int, list[Any]] = {}
    if inputs is not None:
        needed = paths_to(slots, inputs)
        for e in inputs:
            target = e.node if e.__class__ is Out else e
            targets.setdefault(id(target), []).append(e)
            if not capture and target._is_node:
                needed.add(target)  # its hooks run, and so does it
    captured: dict[Any, Any] = {}
    goals = (tensors, targets, captured, capture, inputs)  # what a finished leaf asks for
    freed = None if retain_graph else Freed()
    outer = _runs.stack
    paths = None if inputs is None else needed
    this = Run(roots, slots, paths, targets, retain_graph, capture)
    begun = enter("backward", roots, grads) if observed else None
    before, ended = state.enabled, False
    state.enabled = create_graph  # from here on nothing may be called before the `try`
    _runs.stack = (*outer, this)
    try:
        send(roots, grads, slots, needed, freed, observed, goals)
        ended = True
    finally:
        state.enabled = before
        _runs.stack = outer
        if observed:
            leave("backward", roots, grads, None, begun)
        if not ended and not outer:
            _runs.callbacks = ()  # those of a backward that failed are not for the next one
    if not outer and _runs.callbacks:
        run_callbacks()
    if not capture or inputs is None:
        return []
    return [captured.get((id(e.node), e.nr) if e.__class__ is Out else (id(e), 0)) for e in inputs]


def send(
    roots: Sequence[Any],
    grads: Sequence[Any],
    slots: dict[Any, list[Any]],
    needed: Any,
    freed: Freed | None,
    observed: bool,
    goals: tuple[Any, ...],
) -> None:
    """The nodes of `run`, one after the other.

    In a function of its own: an interrupt that comes where a loop goes back passes by the `finally`
    around that loop (Python 3.12 and later; decision 0047).
    """
    waits, grad, shape, dtype, edges = range(5)  # fields of a slot; local names are quicker
    tensors, targets, captured, capture, _inputs = goals
    array: Any = None if observed else ndarray
    own_gradients = needed is None and not checks  # leaves may keep them as they come
    first = leaves.first_gradient
    ready: list[Any] = []  # heap of (-seq, node); no two nodes have one seq, so none is compared
    finish = shown_leaf if observed else finish_leaf
    evaluate = shown_node if observed else run_carefully
    node: Any
    slot: Any
    for e, g in zip(roots, grads):  # noqa: B905 - made as pairs
        slot = slots.get(e)
        if (
            slot is not None
            and slot[grad] is None
            and g.__class__ is ndarray
            and g.dtype is slot[dtype]
            and g.shape == slot[shape]
        ):
            slot[grad] = g
        else:
            deliver(slots, e, g)
    node = roots[0]
    if len(roots) > 1 or not node._is_node:
        start(roots, slots, ready, finish, goals)
        node = heappop(ready)[1] if ready else None
    quick_run = own_gradients and not tensors and not observed  # nodes may go the way of `step`
    while node is not None:
        if quick_run:
            following = step(node, slots, ready, freed, goals)
            if following is not node:
                node = following
                continue
        slot = slots[node]
        g = slot[grad]
        slot[grad] = None  # so that the array lives no longer than this turn of the loop
        x = node.x
        plain = x is None or x.plain  # no hooks
        if plain and needed is None and g is not None:  # nothing to capture
            try:
                results = node.run(g, tensors)
            except Exception as error:
                blame(node, error)
                raise
            if checks:
                for check in checks:
                    check(node, results)
            if freed is not None and node.saved:
                node.release(freed)
            owned = True
            quick = own_gradients
        else:
            quick = False
            results = evaluate(
                node, g, tensors, needed, targets, captured, capture, freed, observed
            )
            owned = plain and needed is EVERYTHING
        following = None
        own = slot[shape] if node.elementwise else None  # (.shape of an array: a new tuple)
        for edge, r in zip(slot[edges], results):  # noqa: B905 - a Function may give fewer
            if edge is None:
                continue
            slot = slots.get(edge)
            if slot is ALONE:
                if r is None or (quick and r is not g and node.apart and first(edge, r)):
                    continue
                slot = slots[edge] = slot_of_leaf(edge)
            if slot is None:  # an output of several
                if r is not None:
                    deliver(slots, edge, r)
                edge = edge.node
                slot = slots[edge]
            elif r.__class__ is array:  # deliver(), written out: these are the hot lines
                if (own or r.shape) != slot[shape] or r.dtype is not slot[dtype]:
                    r = brought(r, slot, edge)
                if slot[grad] is None:
                    slot[grad] = r
                else:
                    r = slot[grad] = added(slot[grad], r)
            elif r is not None:
                deliver(slots, edge, r)
            left = slot[waits] = slot[waits] - 1
            if left == 0:
                if slot[edges] is not None:
                    if following is None:  # most nodes have one: it need not pass the heap
                        following = edge
                    else:
                        heappush(ready, (-edge.seq, edge))
                elif slot[grad] is not None:
                    total = slot[grad]
                    slot[grad] = None
                    # a sum is not `r`, and `g` may be another edge's or the user's: both are copied
                    mine = owned and total is r and r is not g and new_array(node, r, results)
                    finish(edge, total, mine, *goals)
        if following is None:
            node = heappop(ready)[1] if ready else None
        elif ready:
            node = heappushpop(ready, (-following.seq, following))[1]
        else:
            node = following


def brought(g: Any, slot: list[Any], edge: Any) -> Any:
    """A gradient in the shape and type of what it belongs to."""
    if g.shape != slot[SHAPE]:
        g = fit(g, slot[SHAPE], edge)
    return g if g.dtype is slot[DTYPE] else cast(g, slot[DTYPE])


def new_array(node: Node, r: Any, results: Any) -> bool:
    """Whether a node made this gradient for one edge alone, so that a leaf may keep it without a
    copy."""
    if not node.makes_results:
        return False
    if r.__class__ is not ndarray:
        return isinstance(r, SparseArray) and sum([other is r for other in results]) < 2
    base = r.base
    # A view may be kept if it is all of an array that nobody else knows: `r`, `base` and the
    # parameter of `getrefcount` are three.
    if base is not None and (
        base.__class__ is not ndarray or base.size != r.size or getrefcount(base) != 3
    ):
        return False
    found = 0
    for other in results:
        if other is r:
            found += 1
    return found < 2  # 0: `fit` has made it


# A slot is what the run knows of a node or leaf: a list, because its fields are read for every
# edge. GRAD, SHAPE and DTYPE are lists or tuples for a node with several outputs (which only `Out`
# edges reach); EDGES is None for a leaf. Fields of nodes are copied here because nodes are of many
# classes, which makes reading their attributes several times slower than reading a list.
WAITS, GRAD, SHAPE, DTYPE, EDGES = range(5)
# The slot of a leaf that one gradient is coming to, until it is more than counted: most leaves are
# parameters used once, and all of them share this one. It is never written to.
ALONE: Any = (1, None, None, None, None)


def slot_of_leaf(leaf: Any) -> list[Any]:
    """A slot to write in, for a leaf that had `ALONE`."""
    a = leaf._a
    return [1, None, a.shape, a.dtype, None]


def count(roots: Sequence[Any]) -> dict[Any, list[Any]]:
    """A slot for each node and leaf reachable from `roots`, with how many gradients it will be
    sent."""
    slots: dict[Any, list[Any]] = {}
    stack = []
    for e in roots:
        node: Any = e.node if e.__class__ is Out else e
        if node not in slots:
            if node._is_node:
                slots[node] = [0, None, node.shape, node.dtype, node.edges]
                stack.append(node.edges)
            else:
                slots[node] = [0, None, node._a.shape, node._a.dtype, None]
    walk(slots, stack)
    return slots


def walk_by_python(slots: dict[Any, list[Any]], stack: list[Any]) -> None:
    """Count what is reached by the edges in `stack`. The graph may be thousands of nodes deep, so
    it is walked with a stack of edges of its own."""
    while stack:
        walk_edges(stack.pop(), slots, stack)


def walk_edges(edges: Sequence[Any], slots: dict[Any, list[Any]], stack: list[Any]) -> None:
    """Count what some edges lead to, and put those of what comes for the first time on the
    stack."""
    find, later = slots.get, stack.append
    plain, parameter = door.Tensor, door.Parameter
    for e in edges:
        if e is None:
            continue
        slot = find(e)
        if slot is not None:
            if slot is ALONE:
                slot = slots[e] = slot_of_leaf(e)
            slot[0] += 1
            continue
        kind = e.__class__
        if kind is parameter or kind is plain:  # `_is_node` of many classes is asked slowly
            slots[e] = ALONE
        elif e._is_node:
            parents = e.edges
            slots[e] = [1, None, e.shape, e.dtype, parents]
            later(parents)
        elif kind is not Out:
            slots[e] = [1, None, e._a.shape, e._a.dtype, None]
        elif e.node in slots:
            slots[e.node][0] += 1
        else:
            slots[e.node] = [1, None, e.node.shape, e.node.dtype, e.node.edges]
            later(e.node.edges)


def load() -> None:
    """Put the functions of machine code into their places."""
    global walk, step
    from . import step_code, walk_code

    leaves.load()

    walk = walk_code.function(door.Tensor, door.Parameter, ALONE, walk_edges)
    step = step_code.function({
        "alone": ALONE, "checks": checks, "release": Node.release, "first": leaves.first_gradient,
        "slot_of_leaf": slot_of_leaf, "deliver": deliver, "brought": brought, "added": added,
        "new_array": new_array, "finish": finish_leaf, "heappush": heappush, "heappop": heappop,
        "heappushpop": heappushpop,
    })  # fmt: skip


def never(node: Any, *_given: Any) -> Any:
    """`step` where there is no machine code: the loop of `send` goes on with each node itself."""
    return node


# One node of `send` that has no hooks: its results are handed on, and the one to run next is
# returned, None at the end. It returns the node itself, with nothing done, where it is no such one.
step: Callable[..., Any] = never
walk: Callable[[dict[Any, list[Any]], list[Any]], None] = walk_by_python
few.when_loaded(load)


def start(
    roots: Sequence[Any], slots: dict[Any, Any], ready: list[Any], finish: Any, goals: Any
) -> None:
    """Make ready the roots that wait for nothing; leaves among them are finished at once."""
    for e in dict.fromkeys(roots):
        target = e.node if e.__class__ is Out else e
        slot = slots[target]
        if slot[WAITS] == 0:
            slot[WAITS] = -1  # started: two outputs of one node may be roots
            if target._is_node:
                heappush(ready, (-target.seq, target))
            else:
                finish(target, slot[GRAD], False, *goals)  # the user's own, perhaps


def run_carefully(
    node: Any,
    g: Any,
    tensors: bool,
    needed: Any,
    targets: Any,
    captured: Any,
    capture: bool,
    freed: Any,
    observed: bool,
) -> Any:
    """A node that has hooks, is captured, may not be needed, or is observed."""
    x = node.x
    runs = g is not None and (needed is None or node in needed)
    caught = capture and id(node) in targets
    if not runs and not caught:
        return [None] * len(node.edges)  # off the paths to what is asked for: no hook either
    before = g  # as in PyTorch: a node that also runs is captured before its tensors' hooks
    if x is not None and g is not None:
        if node.n_out > 1:
            before = list(g)
        g = tensor_hooks(node, x, g, tensors)
    if caught:
        found = before if needed is not None and node in needed else g
        for e in targets[id(node)]:
            nr = e.nr if e.__class__ is Out else 0
            captured[id(node), nr] = (
                found if node.n_out == 1 else (found[nr] if found is not None else None)
            )
    if not runs:
        return [None] * len(node.edges)
    if x is not None and x.pre_hooks:
        g = pre_hooks(node, x, g, tensors)
    wanted = (
        None
        if needed is None or needed is EVERYTHING
        else [e is not None and reaches(e, needed, targets) for e in node.edges]
    )
    try:
        results = node.run_shown(g, tensors, wanted) if observed else node.run(g, tensors, wanted)
    except Exception as error:
        blame(node, error)
        raise
    for check in checks:
        check(node, results)
    if x is not None and x.post_hooks:
        results = post_hooks(node, x, g, results, tensors)
    if freed is not None and node.saved:
        node.release(freed)
    return results


def shown_node(node: Any, g: Any, *rest: Any) -> Any:
    """`run_carefully`, announced to observers."""
    if g is None:
        return run_carefully(node, g, *rest)
    return span("node", node, (g,), lambda: run_carefully(node, g, *rest))


def blame(node: Any, error: Exception) -> None:
    """In anomaly mode: show the forward line of the node whose derivative failed."""
    if checks:
        from .anomaly import warn_origin

        warn_origin(node)


def paths_to(slots: dict[Any, Any], inputs: Sequence[Any]) -> set[Any]:
    """Nodes from which one of `inputs` can be reached (they alone must run)."""
    goals = {id(e.node if e.__class__ is Out else e) for e in inputs}
    nodes = [n for n in slots if isinstance(n, Node)]
    nodes.sort(key=lambda n: n.seq)  # parents are older: one pass in the order of making
    found: set[Any] = set()
    for n in nodes:
        for e in n.edges:
            if e is None:
                continue
            target = e.node if e.__class__ is Out else e
            if id(target) in goals or target in found:
                found.add(n)
                break
    return found


def reaches(edge: Any, needed: set[Any], targets: dict[int, Any]) -> bool:
    node = edge.node if edge.__class__ is Out else edge
    return node in needed or id(node) in targets


def deliver(slots: dict[Any, Any], edge: Any, g: Any) -> None:
    """Bring a gradient to the shape and type of what it belongs to and add it there."""
    node, nr = (edge.node, edge.nr) if edge.__class__ is Out else (edge, 0)
    slot = slots[node]
    if edge.__class__ is Out and g.__class__ is ndarray and node.n_out > 1:
        parts = slot[GRAD]  # nearly always there is nothing to be fitted, and it is the first one
        if parts is None:
            parts = slot[GRAD] = [None] * node.n_out
        if parts[nr] is None and g.dtype is slot[DTYPE][nr] and g.shape == slot[SHAPE][nr]:
            parts[nr] = g
            return
    if not isinstance(node, Node):
        shape, dtype = node._a.shape, node._a.dtype
    elif node.n_out == 1:
        shape, dtype = node.shape, node.dtype
    else:
        shape, dtype = node.shape[nr], node.dtype[nr]
    if g.__class__ is ndarray:
        g = fitted(g, shape, dtype, edge)
    else:
        g = fit_other(g, shape, dtype, edge)
    if edge.__class__ is not Out:
        slot[GRAD] = g if slot[GRAD] is None else total(slot[GRAD], g)
    else:
        parts = slot[GRAD]
        if parts is None:
            parts = slot[GRAD] = [None] * node.n_out
        parts[nr] = g if parts[nr] is None else total(parts[nr], g)
