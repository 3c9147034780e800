"""How the profiler sees: as an observer at the door, who makes frames of what is announced.

Nothing in the package asks whether it is profiled, and the profiler puts nothing in place of
anything. A `Watch` is one of the observers of its thread (`autograd/observe.py`): it is told of
calls on tensors, composites, nodes of the graph, steps of optimisers, and of each computation on
arrays.

Read next: `recording.py` for what `enter` and `leave` do, `names.py` for what events are called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd.node import LEAF, Out, TensorBase
from ..autograd.observe import Observer, observe, unobserve
from ..ops.core.record import Op
from . import flops as counting
from .names import composite_name, op_name
from .recording import (
    BYTES,
    COMPOSITE,
    EVALUATE,
    KIND,
    NAME,
    NODE,
    OP,
    SEQUENCE,
    SHAPES,
    USER,
    Recorder,
    local,
    now,
)

ndarray = np.ndarray


def begin(recorder: Recorder) -> Watch:
    """Let a recorder of this thread see everything; what is returned is for `finish`."""
    watch = Watch(recorder)
    observe(watch)
    return watch


def finish(watch: Watch) -> None:
    """The opposite of `begin`."""
    unobserve(watch)


class Watch(Observer):
    """Makes frames of what happens in the recorded thread."""

    parts = spans = True

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._enter: dict[str, Callable[..., Any]] = {
            "op": self._enter_op,
            "inplace": self._enter_inplace,
            "composite": self._enter_composite,
            "function": self._enter_function,
            "node": self._enter_node,
            "leaf": self._enter_leaf,
            "backward": self._enter_backward,
            "optimizer": self._enter_named,
            "zero_grad": self._enter_named,
            "loader": self._enter_named,
            "collective": self._enter_collective,
        }
        self._leave: dict[str, Callable[..., None]] = {
            "op": self._leave_op,
            "inplace": self._leave_inplace,
            "composite": self._leave_composite,
            "function": self._leave_function,
            "node": self._leave_node,
            "backward": self._leave_backward,
        }

    def entering(self, kind: str, what: Any, operands: Any) -> Any:
        """Open a frame; None when nothing of it is shown."""
        if local.recorder is not self.recorder:  # stopped, or resting while another one records
            return None
        return self._enter[kind](kind, what, operands)

    def leaving(self, kind: str, what: Any, operands: Any, results: Any, begun: Any) -> None:
        """Close the frame."""
        if begun is None:
            return
        leave = self._leave.get(kind)
        if leave is None:
            self.recorder.leave(begun, now())
        else:
            leave(what, operands, results, begun)

    def _top(self) -> Any:
        frames = self.recorder.open
        return frames[-1] if frames else None

    # -- computations on arrays ----------------------------------------------------------------

    def performing(self, record: Any, arrays: Any, kw: dict[str, Any]) -> Any:
        """Operations that derivatives are made of, and those steps that have a name to show."""
        if local.recorder is not self.recorder:
            return None
        top = self._top()
        if record.__class__ is Op:
            if top is None or top[KIND] != NODE or not any(a.__class__ is ndarray for a in arrays):
                return None
            name = op_name(record)
        else:
            name = record.shown
            if not name or (top is not None and (top[KIND] == OP or is_again(top, name))):
                return None
        return self.recorder.enter(name, OP, arrays)

    def performed(
        self, record: Any, arrays: Any, kw: dict[str, Any], results: Any, begun: Any
    ) -> None:
        """Close the frame of a computation."""
        if begun is not None:
            end = now()
            memory = self.recorder.memory and not record.view
            self.recorder.leave(begun, end, made_by(results, tuple(arrays)) if memory else 0)

    # -- operations ----------------------------------------------------------------------------

    def _enter_op(self, kind: str, op: Any, inputs: Any) -> Any:
        name = op_name(op)
        top = self._top()
        if top is not None:
            if top[KIND] == OP:
                return None  # a part of what is shown already
            if is_again(top, name):
                return (top,)  # the very thing that is shown already
        return self.recorder.enter(name, OP, inputs)

    def _leave_op(self, op: Any, inputs: Any, out: Any, frame: Any) -> None:
        if frame.__class__ is tuple:
            frame[0][SEQUENCE] = sequence(out)
            return
        end = now()
        recorder = self.recorder
        frame[SEQUENCE] = sequence(out)
        fresh = made(out) if recorder.memory and not op.view else 0
        flops = counting.count(frame[NAME], frame[SHAPES][0], out) if recorder.flops else 0
        recorder.leave(frame, end, fresh, flops)

    def _enter_inplace(self, kind: str, op: Any, inputs: Any) -> Any:
        name = op_name(op) + "_"
        top = self._top()
        if top is not None:
            if top[KIND] == OP:
                return None
            if is_again(top, name):
                top[KIND] = OP  # from here on the computation itself, which is not shown
                return (top,)
        return self.recorder.enter(name, OP, inputs)

    def _leave_inplace(self, op: Any, inputs: Any, out: Any, frame: Any) -> None:
        if frame.__class__ is tuple:
            frame[0][SEQUENCE] = sequence(inputs[0])
            return
        end = now()
        frame[SEQUENCE] = sequence(inputs[0])
        self.recorder.leave(frame, end)

    def _enter_composite(self, kind: str, public: Any, args: Any) -> Any:
        composite = getattr(public, "composite", None)
        name = "" if composite is None else composite_name(composite)
        top = self._top()
        if not name or (top is not None and (top[KIND] == OP or is_again(top, name))):
            return None
        return self.recorder.enter(name, COMPOSITE, args)

    def _leave_composite(self, public: Any, args: Any, out: Any, frame: Any) -> None:
        end = now()
        recorder = self.recorder
        fresh = made_by(out, args) if recorder.memory and not frame[BYTES] else 0
        flops = counting.count(frame[NAME], frame[SHAPES][0], out) if recorder.flops else 0
        recorder.leave(frame, end, fresh, flops)

    def _enter_function(self, kind: str, cls: Any, args: Any) -> Any:
        return self.recorder.enter(cls.__name__, COMPOSITE, args)

    def _leave_function(self, cls: Any, args: Any, out: Any, frame: Any) -> None:
        end = now()
        frame[SEQUENCE] = sequence(out)
        self.recorder.leave(frame, end)

    # -- backward ------------------------------------------------------------------------------

    def _enter_backward(self, kind: str, roots: Any, grads: Any) -> Any:
        return len(self.recorder.open)

    def _leave_backward(self, roots: Any, grads: Any, out: Any, depth: int) -> None:
        self.recorder.unwind(depth)  # no frame of its own is left open

    def _enter_node(self, kind: str, node: Any, operands: Any) -> Any:
        """Two frames, as in PyTorch: the node's own, and around it the engine's, which lasts until
        the next node begins and so contains the adding up of gradients."""
        recorder = self.recorder
        recorder.end_evaluation()
        name = node.name()
        recorder.enter("autograd::engine::evaluate_function: " + name, EVALUATE)
        return recorder.enter(name, NODE, operands)

    def _leave_node(self, node: Any, operands: Any, results: Any, frame: Any) -> None:
        end = now()
        recorder = self.recorder
        fresh = 0
        if recorder.memory and results is not None:
            fresh = max(0, made_by(results, operands) - frame[BYTES])
        frame[SEQUENCE] = node.seq
        recorder.leave(frame, end, fresh)
        if results is None:
            recorder.end_evaluation()

    def _enter_leaf(self, kind: str, leaf: Any, operands: Any) -> Any:
        """A leaf keeps its gradient, PyTorch's AccumulateGrad; captured ones are not shown."""
        if operands[1]:
            return None
        recorder = self.recorder
        recorder.end_evaluation()
        name = "torch::autograd::AccumulateGrad"
        around = recorder.enter("autograd::engine::evaluate_function: " + name, EVALUATE)
        recorder.enter(name, NODE, operands[:1])
        return around

    # -- optimisers and loaders ----------------------------------------------------------------

    def _enter_named(self, kind: str, what: Any, operands: Any) -> Any:
        return self.recorder.enter(SPANS[kind].format(type(what).__name__), USER)


    # -- several processes ---------------------------------------------------------------------

    def _enter_collective(self, kind: str, call: Any, tensors: Any) -> Any:
        """The call; when it was carried out, maybe later and by another thread, comes aside."""
        call.watched = self.recorder.aside
        return self.recorder.enter(COLLECTIVES.get(call.name, f"c10d::{call.name}"), OP, tensors)


# What PyTorch's events of collectives are called.
COLLECTIVES = {
    "all_reduce": "c10d::allreduce_",
    "broadcast": "c10d::broadcast_",
    "reduce": "c10d::reduce_",
    "all_gather": "c10d::allgather_",
    "gather": "c10d::gather_",
    "scatter": "c10d::scatter_",
    "reduce_scatter": "c10d::reduce_scatter_",
    "all_to_all": "c10d::alltoall_",
    "barrier": "c10d::barrier",
}
SPANS = {
    "optimizer": "Optimizer.step#{}.step",
    "zero_grad": "Optimizer.zero_grad#{}.zero_grad",
    "loader": "enumerate(DataLoader)#{}.__next__",
}


def is_again(top: Any, name: str) -> bool:
    """Whether a frame shows what is about to happen already: a function that calls itself, or the
    operation of its own name."""
    return bool(top[KIND] == COMPOSITE and top[NAME] == name)


def sequence(out: Any) -> int:
    """The number of the node that made a result, which joins operation and derivative."""
    if out.__class__ is tuple and out:
        out = out[0]
    fn = out._fn if isinstance(out, TensorBase) else None
    if fn is None or fn is LEAF:
        return -1
    seq: int = (fn.node if fn.__class__ is Out else fn).seq
    return seq


def made(out: Any) -> int:
    """Bytes of the arrays of results."""
    if isinstance(out, TensorBase):
        return out._a.nbytes if out._a.__class__ is ndarray else 0
    if isinstance(out, tuple):
        return sum(made(t) for t in out)
    return 0


def made_by(out: Any, given: tuple[Any, ...]) -> int:
    """As `made`, without what shares the memory of something given."""
    if isinstance(out, TensorBase):
        out = out._a
    if out.__class__ is ndarray:
        owner = out if out.base is None else out.base
        for x in given:
            a = x._a if isinstance(x, TensorBase) else x
            if a.__class__ is ndarray and (a is owner or a.base is owner):
                return 0
        size: int = out.nbytes
        return size
    if isinstance(out, (tuple, list)):
        return sum(made_by(t, given) for t in out)
    return 0
