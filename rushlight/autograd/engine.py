"""The engine: walks the tape backwards, newest node first, and hands gradients on.

It counts how many gradients each node waits for, then runs nodes in the order of their making,
newest first. It alone sums gradients, brings them to the shape and type of what they belong to, and
calls hooks. Gradients are ndarrays; with create_graph they are Tensors, and the same rules record.

Not here: what a node computes (`door.OpNode.run`, from the op's rules).
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from heapq import heappop, heappush, heappushpop
from typing import Any

import numpy as np

from ..errors import message
from ..kernels.strided import expanded
from . import door
from .node import LEAF, AccumulateGrad, Cut, Extras, Freed, GradientEdge, Node, Out, TensorBase, show_line

ndarray = np.ndarray
checks: list[Any] = []  # anomaly mode puts a function here: called as check(node, gradients)


class Run:
    """One backward in progress: what waits for gradients, and which nodes are needed."""

    __slots__ = ("needed", "slots", "targets")

    def __init__(self, slots: dict[Any, Any], needed: Any, targets: Any) -> None:
        self.slots = slots
        self.needed = needed
        self.targets = targets

    def will_reach(self, t: Any) -> bool:
        """Whether a gradient of tensor `t` is going to be computed."""
        e = edge_of(t)
        node = e.node if e.__class__ is Out else e
        if node not in self.slots:
            return False
        return self.needed is None or node in self.needed or id(node) in self.targets


class _Runs(threading.local):
    stack: tuple[Run, ...] = ()
    callbacks: tuple[Any, ...] = ()  # queued by hooks, run when the outermost backward ends


_runs = _Runs()


def current() -> Run:
    """The innermost backward of this thread."""
    return _runs.stack[-1]


def running() -> bool:
    """Whether this thread is inside a backward."""
    return bool(_runs.stack)


def queue_callback(fn: Any) -> None:
    """Call `fn()` when this thread's outermost backward ends."""
    _runs.callbacks = (*_runs.callbacks, fn)


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
) -> list[Any]:
    """Send `grads` from the edges `roots` through the tape.

    Without `inputs` every leaf accumulates into `.grad`. With `inputs` (edges) only the paths to them
    run; with `capture` their gradients are returned, None where no path leads.
    """
    waits, grad, shape, dtype = WAITS, GRAD, SHAPE, DTYPE  # local names are quicker
    slots = count(roots)
    needed = None if inputs is None else paths_to(slots, inputs)
    targets: dict[int, list[Any]] = {}
    for e in inputs or ():
        targets.setdefault(id(e.node if e.__class__ is Out else e), []).append(e)
    captured: dict[Any, Any] = {}
    ready: list[Any] = []  # heap of (-seq, node)
    freed = None if retain_graph else Freed()
    state = door.state
    before = state.enabled
    state.enabled = create_graph
    _runs.stack = (*_runs.stack, Run(slots, needed, targets))

    def finish(leaf: Any, total: Any, mine: bool) -> None:
        finish_leaf(leaf, total, mine, create_graph, targets, captured, capture, inputs)

    node: Any = roots
    try:
        for e, g in zip(roots, grads, strict=True):
            deliver(slots, e, g)
        for target in dict.fromkeys(e.node if e.__class__ is Out else e for e in roots):
            slot = slots[target]
            if slot[WAITS] == 0:
                if isinstance(target, Node):
                    heappush(ready, (-target.seq, target))
                else:
                    finish(target, slot[GRAD], False)  # the user's own, perhaps
        node = heappop(ready)[1] if ready else None
        while node is not None:
            slot = slots[node]
            g = slot[grad]
            slot[grad] = None
            x = node.x
            if x is None and needed is None and g is not None:  # the usual node: no hooks, nothing to capture
                try:
                    results = node.run(g, create_graph)
                except Exception as error:
                    blame(node, error)
                    raise
                if checks:
                    for check in checks:
                        check(node, results)
                if freed is not None and node.saved:
                    node.release(freed)
                owned = True
            else:
                results = run_watched(node, g, create_graph, needed, targets, captured, capture, freed)
                owned = False
            following = None
            own_shape = node.shape if node.elementwise else None  # (an array's .shape makes a tuple)
            for edge, r in zip(node.edges, results):  # noqa: B905 - a Function may give fewer
                if edge is None:
                    continue
                slot = slots.get(edge)
                if slot is None:  # an output of several
                    if r is not None:
                        deliver(slots, edge, r)
                    edge = edge.node
                    slot = slots[edge]
                elif r.__class__ is ndarray:  # deliver(), written out: these are the hot lines
                    if (own_shape or r.shape) != slot[shape]:
                        r = fit(r, slot[shape], edge)
                    if r.dtype is not slot[dtype]:
                        r = cast(r, slot[dtype])
                    old = slot[grad]
                    if old is None:
                        slot[grad] = r
                    else:
                        r = old + r
                        slot[grad] = r if r.__class__ is ndarray else np.asarray(r)
                elif r is not None:
                    deliver(slots, edge, r)
                left = slot[waits] = slot[waits] - 1
                if left == 0:
                    if isinstance(edge, Node):
                        if following is None:
                            following = edge
                        else:
                            heappush(ready, (-edge.seq, edge))
                    elif slot[grad] is not None:
                        total = slot[grad]
                        slot[grad] = None
                        mine = owned and total is r and r is not g and new_array(node, r, results)
                        finish(edge, total, mine)
            if following is None:
                node = heappop(ready)[1] if ready else None
            elif ready:
                node = heappushpop(ready, (-following.seq, following))[1]
            else:
                node = following
    finally:
        state.enabled = before
        _runs.stack = _runs.stack[:-1]
        if node is not None and not _runs.stack:  # an error left the loop
            _runs.callbacks = ()
    if _runs.callbacks and not _runs.stack:
        todo, _runs.callbacks = _runs.callbacks, ()
        for fn in todo:
            fn()
    if not capture or inputs is None:
        return []
    return [captured.get((id(e.node), e.nr) if e.__class__ is Out else (id(e), 0)) for e in inputs]


def new_array(node: Node, r: Any, results: Any) -> bool:
    """Whether a node made this gradient for one edge alone, so that a leaf may keep it without a copy."""
    if r.__class__ is not ndarray or r.base is not None or not node.makes_results:
        return False
    return len(results) < 2 or sum(other is r for other in results) == 1


# A slot is what the run knows of a node or leaf: a list, because its fields are read for every edge.
# GRAD, SHAPE and DTYPE are lists or tuples for a node with several outputs (which only `Out` edges reach).
WAITS, GRAD, SHAPE, DTYPE = range(4)


def count(roots: Sequence[Any]) -> dict[Any, list[Any]]:
    """A slot for each node and leaf reachable from `roots`, with how many gradients it will be sent."""
    slots: dict[Any, list[Any]] = {}
    stack = []
    for e in roots:
        node = e.node if e.__class__ is Out else e
        if node not in slots:
            if isinstance(node, Node):
                slots[node] = [0, None, node.shape, node.dtype]
                stack.append(node)
            else:
                slots[node] = [0, None, node._a.shape, node._a.dtype]
    while stack:
        for e in stack.pop().edges:
            if e is None:
                continue
            slot = slots.get(e)
            if slot is None and e.__class__ is Out:
                e = e.node
                slot = slots.get(e)
            if slot is not None:
                slot[0] += 1
            elif isinstance(e, Node):
                slots[e] = [1, None, e.shape, e.dtype]
                stack.append(e)
            else:
                slots[e] = [1, None, e._a.shape, e._a.dtype]
    return slots


def run_watched(
    node: Any, g: Any, create_graph: bool, needed: Any, targets: Any, captured: Any, capture: bool, freed: Any
) -> Any:
    """A node that has hooks, is captured, or may not be needed."""
    x = node.x
    before = g  # as in PyTorch: a node that also runs is captured before its tensors' hooks
    if x is not None and g is not None:
        if node.n_out > 1:
            before = list(g)
        g = tensor_hooks(node, x, g, create_graph)
    if capture and id(node) in targets:
        found = before if needed is not None and node in needed else g
        for e in targets[id(node)]:
            nr = e.nr if e.__class__ is Out else 0
            captured[id(node), nr] = found if node.n_out == 1 else (found[nr] if found is not None else None)
    if g is None or (needed is not None and node not in needed):
        return [None] * len(node.edges)
    if x is not None and x.pre_hooks:
        g = pre_hooks(node, x, g, create_graph)
    wanted = None if needed is None else [e is not None and reaches(e, needed, targets) for e in node.edges]
    try:
        results = node.run(g, create_graph, wanted)
    except Exception as error:
        blame(node, error)
        raise
    for check in checks:
        check(node, results)
    if x is not None and x.post_hooks:
        results = post_hooks(node, x, g, results, create_graph)
    if freed is not None and node.saved:
        node.release(freed)
    return results


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
    if not isinstance(node, Node):
        shape, dtype = node._a.shape, node._a.dtype
    elif node.n_out == 1:
        shape, dtype = node.shape, node.dtype
    else:
        shape, dtype = node.shape[nr], node.dtype[nr]
    if g.__class__ is ndarray:
        if g.shape != shape:
            g = fit(g, shape, edge)
        if g.dtype != dtype:
            g = cast(g, dtype)
    else:
        g = fit_other(g, shape, dtype, edge)
    if edge.__class__ is not Out:
        slot[GRAD] = g if slot[GRAD] is None else total(slot[GRAD], g)
    else:
        parts = slot[GRAD]
        if parts is None:
            parts = slot[GRAD] = [None] * node.n_out
        parts[nr] = g if parts[nr] is None else total(parts[nr], g)


def total(a: Any, b: Any) -> Any:
    """The sum of two gradients (0-d sums stay arrays)."""
    c = a + b
    return c if c.__class__ is ndarray or isinstance(c, TensorBase) else np.asarray(c)


def fit(g: Any, shape: tuple[int, ...], edge: Any) -> Any:
    """Undo broadcasting: sum over the dimensions that were expanded, or expand what a reduction left."""
    if g.size == 0 or 0 in shape:  # broadcast to or from no elements: nothing arrives
        return np.zeros(shape, g.dtype)
    if g.size < size_of(shape):
        try:
            return expanded(g, shape)
        except ValueError:
            raise wrong_shape(g, shape, edge) from None
    extra = g.ndim - len(shape)
    dims = tuple(range(extra)) + tuple(
        i + extra for i, n in enumerate(shape) if n == 1 and g.shape[i + extra] != 1
    ) if extra >= 0 else ()
    if extra < 0 or any(n not in (1, g.shape[i + extra]) for i, n in enumerate(shape)):
        if g.size == size_of(shape) and extra < 0:
            return g.reshape(shape)
        raise wrong_shape(g, shape, edge)
    return np.add.reduce(g, axis=dims, keepdims=True).reshape(shape) if dims else g.reshape(shape)


def wrong_shape(g: Any, shape: Any, edge: Any) -> RuntimeError:
    node = edge.node if edge.__class__ is Out else edge
    where = f"{node.name()} at {node.line()}" if isinstance(node, Node) else "a leaf"
    return RuntimeError(
        message(
            "a derivative returned an invalid gradient: "
            f"got {list(g.shape)} but expected shape compatible with {list(shape)}",
            got=f"a gradient of shape {tuple(g.shape)} for {where}",
            wanted=f"the shape of the value, {tuple(shape)}, or one that broadcasts to it",
        )
    )


def size_of(shape: tuple[int, ...]) -> int:
    n = 1
    for s in shape:
        n *= s
    return n


def cast(g: Any, dtype: Any) -> Any:
    """A gradient in the type of its value; the imaginary part goes when the value is real."""
    if g.dtype == dtype:
        return g
    if g.dtype.kind == "c" and dtype.kind != "c":
        g = g.real
    return g.astype(dtype)


def fit_other(g: Any, shape: tuple[int, ...], dtype: Any, edge: Any) -> Any:
    """`fit` and `cast` for Tensors (recorded) and for NumPy scalars."""
    if not isinstance(g, TensorBase):
        g = np.asarray(g)
        if g.shape != shape:
            g = fit(g, shape, edge)
        return g if g.dtype == dtype else cast(g, dtype)
    if g._a.shape != shape:
        g = fit_tensor(g, shape, edge)
    if g._a.dtype != dtype:
        g = cast_tensor(g, dtype)
    return g


def fit_tensor(g: Any, shape: tuple[int, ...], edge: Any) -> Any:
    if g._a.size == 0 or 0 in shape:
        return g.new_zeros(shape)
    if g._a.size < size_of(shape):
        return g.expand(shape)
    extra = g._a.ndim - len(shape)
    if extra < 0 or any(n not in (1, g._a.shape[i + extra]) for i, n in enumerate(shape)):
        if extra < 0 and g._a.size == size_of(shape):
            return g.reshape(shape)
        raise wrong_shape(g._a, shape, edge)
    return g.sum_to_size(shape)


def cast_tensor(g: Any, dtype: Any) -> Any:
    from ..dtypes import from_numpy

    if g._a.dtype.kind == "c" and dtype.kind != "c":
        g = g.real
    return g.to(from_numpy(dtype))


# -- leaves --------------------------------------------------------------------------------------


def finish_leaf(
    leaf: Any, g: Any, owned: bool, tensors: bool, targets: Any, captured: Any, capture: bool, inputs: Any
) -> None:
    """A leaf has its whole gradient: run its hooks, then keep or capture it."""
    x = leaf._x
    if x.__class__ is Extras:
        if x.hooks:
            g = run_hooks(x.hooks, g, tensors)
            owned = False
        node = None if x.accumulator is None else x.accumulator()
        if node is not None and node.x is not None and node.x.pre_hooks:
            g = pre_hooks(node, node.x, g, tensors)
            owned = False
    if inputs is not None:
        if id(leaf) not in targets:
            return
        if capture:
            captured[id(leaf), 0] = g if owned or g is None or tensors else g.copy()
            return
    if g is None:
        return
    accumulate(leaf, g, tensors, owned)
    x = leaf._x
    if x.post_hooks:
        with door.grad_enabled(tensors):
            for fn in list(x.post_hooks.values()):
                fn(leaf)
    node = None if x.accumulator is None else x.accumulator()
    if node is not None and node.x is not None and node.x.post_hooks:
        for fn in list(node.x.post_hooks.values()):
            fn((), (as_tensor(g),))


def accumulate(leaf: Any, g: Any, tensors: bool, owned: bool = False) -> None:
    """Add `g` into `leaf.grad`; the first gradient is copied unless nobody else can hold it."""
    x = door.extras(leaf)
    old = x.grad
    if isinstance(g, TensorBase):
        if tensors:
            x.grad = (g.clone() if g._fn is None else g) if old is None else old + g
            return
        g = g._a
        owned = False
    if g.shape != leaf._a.shape:
        g = fit(g, leaf._a.shape, leaf)
    if g.dtype != leaf._a.dtype:
        g = cast(g, leaf._a.dtype)
    if old is None:
        if g.__class__ is ndarray and (not owned or g.strides != leaf._a.strides):
            like = leaf._a
            own = np.empty_like(like) if like.__class__ is ndarray else np.empty(g.shape, g.dtype)
            np.copyto(own, g)
            g = own
        x.grad = door.wrap(g)
    elif old._fn is not None:
        x.grad = door.wrap(old._a + g)
    elif g.__class__ is ndarray:
        np.add(old._a, g, out=old._a)
        if old._vc is not None:
            old._vc.bump("backward")


# -- hooks ---------------------------------------------------------------------------------------


def as_tensor(g: Any) -> Any:
    return g if g is None or isinstance(g, TensorBase) else door.wrap(g)


def back(g: Any, tensors: bool) -> Any:
    """A hook's result in the engine's own form."""
    if g is None or tensors:
        return g
    return g._a if isinstance(g, TensorBase) else g


def run_hooks(hooks: dict[int, Any], g: Any, tensors: bool) -> Any:
    """Tensor hooks in the order of their registration; each may replace the gradient."""
    if g is None:
        return None
    t = as_tensor(g)
    for fn in list(hooks.values()):
        got = fn(t)
        if got is not None:
            if not isinstance(got, TensorBase):
                raise TypeError(f"expected Tensor, but hook returned '{type(got).__name__}'")
            if got._a.shape != t._a.shape:
                raise RuntimeError(
                    message(
                        "hook '" + getattr(fn, "__name__", "?") + "' has changed the size of value",
                        got=f"{tuple(got._a.shape)}",
                        wanted=f"{tuple(t._a.shape)}",
                    )
                )
            t = got
    return back(t, tensors)


def tensor_hooks(node: Node, x: Any, g: Any, tensors: bool) -> Any:
    """Hooks and retain_grad of the tensors that are this node's outputs."""
    if x.tensor_hooks:
        for nr, hooks in list(x.tensor_hooks.items()):
            if node.n_out == 1:
                g = run_hooks(hooks, g, tensors)
            else:
                g[nr] = run_hooks(hooks, g[nr], tensors)
    if x.retains:
        for nr, ref in list(x.retains.items()):
            t = ref()
            got = g if node.n_out == 1 else g[nr]
            if t is not None and got is not None:
                e = door.extras(t)
                new = got if tensors else door.wrap(got.copy())
                e.grad = new if e.grad is None else e.grad + new
    return g


def pre_hooks(node: Node, x: Any, g: Any, tensors: bool) -> Any:
    single = node.n_out == 1
    gs = (as_tensor(g),) if single else tuple(as_tensor(v) for v in g)
    for fn in list(x.pre_hooks.values()):
        got = fn(gs)
        if got is not None:
            gs = tuple(got) if isinstance(got, (tuple, list)) else (got,)
    return back(gs[0], tensors) if single else [back(v, tensors) for v in gs]


def post_hooks(node: Node, x: Any, g: Any, results: Any, tensors: bool) -> Any:
    outs = (as_tensor(g),) if node.n_out == 1 else tuple(as_tensor(v) for v in g)
    seen = node.visible()
    ins = tuple(as_tensor(r if r is None or isinstance(r, TensorBase) else np.asarray(r)) for r in (results[i] for i in seen))
    for fn in list(x.post_hooks.values()):
        got = fn(ins, outs)
        if got is not None:
            ins = tuple(got) if isinstance(got, (tuple, list)) else (got,)
    out = [None] * len(results)
    for i, v in zip(seen, ins, strict=True):
        out[i] = back(v, tensors)
    return out


# -- entrances -----------------------------------------------------------------------------------


def call_node(node: Node, grads: tuple[Any, ...]) -> Any:
    """`node(*grads)` by hand: recorded when grad mode is on and something needs it."""
    if node.x is not None and node.x.pre_hooks:
        for fn in list(node.x.pre_hooks.values()):
            got = fn(grads)
            if got is not None:
                grads = tuple(got) if isinstance(got, (tuple, list)) else (got,)
    gs = list(grads)
    results = node.run(gs[0] if node.n_out == 1 else gs, door.state.enabled) if door.state.enabled else node.run(
        back(gs[0], False) if node.n_out == 1 else [back(v, False) for v in gs], False
    )
    if isinstance(node, Node) and not node.edges:
        return None
    out = []
    for e, r in zip(node.edges, results, strict=False):
        if r is None or e is None:
            out.append(as_tensor(r))
            continue
        target, nr = (e.node, e.nr) if e.__class__ is Out else (e, 0)
        if isinstance(target, Node):
            shape = target.shape if target.n_out == 1 else target.shape[nr]
            dtype = target.dtype if target.n_out == 1 else target.dtype[nr]
        else:
            shape, dtype = target._a.shape, target._a.dtype
        out.append(as_tensor(fit_other(r, shape, dtype, e)))
    out = [out[i] for i in node.visible()]
    if node.x is not None and node.x.post_hooks:
        for fn in list(node.x.post_hooks.values()):
            got = fn(tuple(out), grads)
            if got is not None:
                out = list(got) if isinstance(got, (tuple, list)) else [got]
    return out[0] if len(out) == 1 else tuple(out)


def no_grad_error(t: Any, nr: int) -> RuntimeError:
    """backward() of something without history: say what cut the chain."""
    x = t._x
    cut = x if x.__class__ is Cut else getattr(x, "cut", None)
    if cut is not None:
        why = f"the history ended with {cut.why} at {show_line(cut.code, cut.lasti)}"
        hint = {
            "no_grad": "move that computation out of the torch.no_grad() block",
            "inference_mode": "move that computation out of torch.inference_mode()",
            "detach": "leave out that detach() (or .data, .item(), .numpy()) on the way to the loss",
        }.get(cut.why, "keep the values floating point on the way to the loss")
    else:
        why = "it was computed only from tensors with requires_grad=False"
        hint = "requires_grad_() on the tensors you want gradients of; are the parameters frozen?"
    return RuntimeError(
        message(
            f"element {nr} of tensors does not require grad and does not have a grad_fn",
            got=f"a tensor of shape {tuple(t._a.shape)}; {why}",
            wanted="a result of operations on at least one tensor that requires grad",
            hint=hint,
        )
    )


def root_gradient(t: Any, g: Any, create_graph: bool) -> Any:
    """The gradient to start with: ones for a scalar, the user's (checked) otherwise."""
    a = t._a
    if g is None:
        if a.size != 1:
            raise RuntimeError(
                message(
                    "grad can be implicitly created only for scalar outputs",
                    got=f"a tensor of shape {tuple(a.shape)}",
                    wanted="one element, or an explicit gradient of the same shape",
                    hint="loss.mean().backward() or loss.sum().backward()",
                )
            )
        if a.dtype.kind not in "fV":
            raise RuntimeError(
                f"grad can be implicitly created only for real scalar outputs but got {door.dtypes.from_numpy(a.dtype)!r}"
            )
        one = np.ones(a.shape, a.dtype)
        return door.wrap(one) if create_graph else one
    if not isinstance(g, TensorBase):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
    if g._a.shape != a.shape:
        raise RuntimeError(
            message(
                f"Mismatch in shape: grad_output[0] has a shape of {list(g._a.shape)} and output[0] has a shape of "
                f"{list(a.shape)}.",
                got=f"a gradient of shape {tuple(g._a.shape)}",
                wanted=f"{tuple(a.shape)}, the shape of the output",
            )
        )
    if (g._a.dtype.kind == "c") != (a.dtype.kind == "c"):
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            f"grad_output[0] has a dtype of {g.dtype!r} and output[0] has a dtype of {t.dtype!r}."
        )
    return g if create_graph else g._a


def count_error(ts: Any, gs: Any) -> RuntimeError:
    return RuntimeError(
        message(
            f"got {len(ts)} tensors and {len(gs)} gradients",
            wanted="one gradient (or None, for a scalar) for each tensor",
        )
    )


def sequence(x: Any) -> tuple[Any, ...]:
    """A tensor, a GradientEdge, or several of them, as a tuple of tensors."""
    if isinstance(x, TensorBase):
        return (x,)
    if x.__class__ is GradientEdge:
        return (standin(x),)
    return tuple(standin(v) if v.__class__ is GradientEdge else v for v in x)


def standin(edge: GradientEdge) -> Any:
    """A tensor without values at a place in the graph."""
    node, nr = edge
    if isinstance(node, AccumulateGrad):
        return node.variable
    shape, dtype = (node.shape, node.dtype) if node.n_out == 1 else (node.shape[nr], node.dtype[nr])
    t = door.wrap(np.broadcast_to(np.zeros((), dtype), shape))
    t._fn = Out(node, nr) if node.n_out > 1 else node
    return t


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
    retain_variables: bool | None = None,
) -> None:
    """Add the gradients of `tensors` with respect to the graph's leaves into their `.grad`.

    Computes sum_k grad_tensors[k]^T J_k, the vector-Jacobian product.

    Args:
        tensors: one Tensor or several, each with a history.
        grad_tensors: gradients of the same shapes; None for scalars.
        retain_graph: keep saved values for another backward (default: `create_graph`).
        create_graph: record the derivative's own graph, for higher derivatives.
        inputs: only these leaves (or tensors) get gradients.

    Raises:
        RuntimeError: no history, a freed graph, a saved value changed in place, a non-scalar root.
    """
    if grad_variables is not None:
        import warnings

        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError("`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`.")
        grad_tensors = grad_variables
    if retain_variables is not None:
        retain_graph = retain_variables
    if inputs is not None:
        inputs = sequence(inputs)
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    ts = sequence(tensors)
    gs: tuple[Any, ...] = (None,) * len(ts) if grad_tensors is None else sequence(grad_tensors)
    if len(ts) != len(gs):
        raise count_error(ts, gs)
    keep = create_graph if retain_graph is None else retain_graph
    roots = []
    start = []
    for i, (t, g) in enumerate(zip(ts, gs, strict=True)):
        if t._fn is None:
            raise no_grad_error(t, i)
        start.append(root_gradient(t, g, create_graph))
        roots.append(edge_of(t))
    if inputs is None:
        run(roots, start, keep, create_graph)
        return
    edges = []
    for t in inputs:
        if t._fn is None:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
        edges.append(edge_of(t))
    others = [t for t in inputs if t._fn is not LEAF]
    if not others:
        run(roots, start, keep, create_graph, edges)
        return
    for t, g in zip(inputs, run(roots, start, keep, create_graph, edges, capture=True), strict=True):
        if g is not None:
            accumulate(t, g, create_graph)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """Gradients of `outputs` with respect to `inputs`, returned instead of accumulated.

    Args:
        outputs, inputs: a Tensor or several.
        grad_outputs: the vector of the vector-Jacobian product; None for scalars.
        allow_unused: give None for an input the outputs do not depend on (else an error).
        is_grads_batched: the first dimension of `grad_outputs` is a batch of vectors.
        materialize_grads: zeros in place of None.

    Raises:
        RuntimeError: an input is unused, or does not require a gradient; see `backward`.
    """
    import warnings

    outs, ins = sequence(outputs), sequence(inputs)
    if materialize_grads:
        if allow_unused is False:
            raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.")
        allow_unused = True
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for other "
            "parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    gs: tuple[Any, ...] = (None,) * len(outs) if grad_outputs is None else sequence(grad_outputs)
    if len(outs) != len(gs):
        raise count_error(outs, gs)
    keep = create_graph if retain_graph is None else retain_graph
    if is_grads_batched:
        return batched(outs, ins, gs, keep, create_graph, bool(allow_unused), materialize_grads)
    roots, start = [], []
    for i, (t, g) in enumerate(zip(outs, gs, strict=True)):
        if t._fn is None:
            raise no_grad_error(t, i)
        start.append(root_gradient(t, g, create_graph))
        roots.append(edge_of(t))
    edges = []
    for t in ins:
        if t._fn is None:
            raise RuntimeError(
                message(
                    "One of the differentiated Tensors does not require grad",
                    got=f"an input of shape {tuple(t._a.shape)} with requires_grad=False",
                    hint="x.requires_grad_() before the computation",
                )
            )
        edges.append(edge_of(t))
    got = [as_tensor(g) for g in run(roots, start, keep, create_graph, edges, capture=True)]
    if not allow_unused and any(g is None for g in got):
        unused = [i for i, g in enumerate(got) if g is None]
        raise RuntimeError(
            message(
                "One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True if "
                "this is the desired behavior.",
                got=f"input number {unused[0]} has no path from the outputs",
                hint="allow_unused=True gives None for it; materialize_grads=True gives zeros",
            )
        )
    if materialize_grads:
        got = [zeros_like(t, create_graph) if g is None else g for t, g in zip(ins, got, strict=True)]
    return tuple(got)


def batched(
    outs: Any, ins: Any, gs: Any, keep: bool, create_graph: bool, allow_unused: bool, materialize: bool
) -> tuple[Any, ...]:
    """`grad` for each vector of a batch (first dimension of every grad_output), stacked."""
    sizes = {g._a.shape[0] for g in gs if g is not None}
    if len(sizes) != 1:
        raise ValueError("is_grads_batched=True needs grad_outputs with one common first dimension")
    n = sizes.pop()
    rows = []
    for i in range(n):
        picked = [None if g is None else g[i] for g in gs]
        rows.append(
            grad(outs, ins, picked, keep or i < n - 1, create_graph, True, allow_unused, False, materialize)
        )
    from ..ops.shape import stack

    if not rows:
        return tuple(door.wrap(np.zeros((0, *t._a.shape), t._a.dtype)) for t in ins)
    return tuple(None if c[0] is None else stack(*c, dim=0) for c in zip(*rows, strict=True))


def zeros_like(t: Any, requires_grad: bool) -> Any:
    """What an unused input gets with materialize_grads."""
    zeros = door.wrap(np.zeros(t._a.shape, t._a.dtype))
    return zeros.requires_grad_() if requires_grad else zeros
