"""Backward through tensors whose class computes for them (`__torch_dispatch__`).

Rules on bare arrays have nobody to ask. So a graph that holds such tensors is run with Tensors for
gradients, as with `create_graph`, but nothing is recorded: what the rules call asks the classes.

Not here: the forward (`ops/core/dispatch.py`), which installs this.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from . import changes, door, engine
from .backward import root_gradient as plain_root
from .function_node import FunctionNode
from .hook_calls import as_tensor
from .node import TensorBase

refusals: list[Any] = []  # a `__torch_dispatch__` that takes over nothing
_taken: dict[type, bool] = {}
plain_run = engine.run


def taken(kind: type) -> bool:
    """Whether a class carries out operations itself."""
    try:
        return _taken[kind]
    except KeyError:
        own = getattr(kind, "__torch_dispatch__", None)
        usual = (door.Tensor.__torch_dispatch__, *refusals)
        found = _taken[kind] = own is not None and own not in usual
        return found


def holds(saved: Any) -> bool:
    """Whether what a node keeps has such tensors in it."""
    if saved.__class__ is not tuple:
        return False
    for s in saved:
        if isinstance(s, TensorBase):
            if taken(s.__class__):
                return True
        elif s.__class__ is door.Kept or (s.__class__ is tuple and holds(s)):
            return True
    return False


def touched(roots: Sequence[Any], grads: Sequence[Any]) -> bool:
    """Whether a graph holds such tensors. Graphs without them compute as if there were none in the
    process: the same bits, the same strides."""
    if any(isinstance(g, TensorBase) for g in grads):
        return True
    if any(hasattr(w, "below_the_tape") for w in door.state.watchers):
        return True  # a TorchDispatchMode
    for node in engine.count(roots):
        if isinstance(node, TensorBase):
            if taken(node.__class__):
                return True
        elif isinstance(node, FunctionNode):
            if node.met_classes:
                return True
        elif holds(node.fn.saved if isinstance(node, changes.CopySlices) else node.saved):
            return True
    return False


def run(
    roots: Sequence[Any],
    grads: Sequence[Any],
    retain_graph: bool,
    create_graph: bool,
    inputs: Sequence[Any] | None = None,
    capture: bool = False,
) -> list[Any]:
    """`engine.run`, with Tensors for gradients where the graph asks for them."""
    tensors = create_graph or touched(roots, grads)
    if tensors:
        grads = [as_tensor(g) for g in grads]
    return plain_run(roots, grads, retain_graph, create_graph, inputs, capture, tensors)


def root_gradient(t: Any, g: Any, create_graph: bool) -> Any:
    """`backward.root_gradient`: for one of these tensors it is one, too."""
    if g is None and taken(t.__class__):
        plain_root(t, g, create_graph)  # for its errors
        from ..ops.create.factories import ones_like

        with door.grad_enabled(False):
            return ones_like(t)
    return plain_root(t, g, create_graph or (g is not None and taken(g.__class__)))


def install() -> None:
    """Stand in the places of the engine's functions."""
    backward: Any = sys.modules[plain_root.__module__]  # the package has a function of that name
    backward.run = run
    backward.root_gradient = root_gradient
