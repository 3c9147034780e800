"""What programs ask of the core of automatic differentiation, `torch._C._autograd`."""

from __future__ import annotations

import itertools
import weakref
from typing import Any

from rushlight.autograd import engine, forward_ad, grad_mode, graph, views
from rushlight.autograd.grad_mode import is_grad_enabled as is_grad_enabled
from rushlight.autograd.node import AccumulateGrad, Node, accumulator
from rushlight.autograd.profiler import kineto_available as kineto_available
from rushlight.autograd.saved import SavedTensor as SavedTensor
from rushlight.errors import message


def _saved_tensors_hooks_is_enabled() -> bool:
    """Whether `saved_tensors_hooks` may be used here."""
    return not graph._forbidden


def _saved_tensors_hooks_disable(error_message: str, fail_if_non_empty: bool = True) -> None:
    """Make the use of `saved_tensors_hooks` an error that says this."""
    graph._forbidden.append(error_message)


def _saved_tensors_hooks_enable() -> None:
    """Allow `saved_tensors_hooks` again."""
    graph._forbidden.clear()


def _unsafe_set_version_counter(tensors: Any, versions: Any) -> None:
    """Give tensors these versions, as if they had not been changed since."""
    one = not isinstance(tensors, (tuple, list))
    for t, n in zip((tensors,) if one else tensors, (versions,) if one else versions, strict=True):
        if n < 0:
            raise RuntimeError(f"Cannot set a version_counter to a value below 0: {n}")
        views.cell(t).count = n


def _get_current_graph_task_keep_graph() -> bool:
    """Whether the backward that runs now keeps its graph; True outside of one."""
    return not engine.running() or engine.current().keeps


_numbers: weakref.WeakKeyDictionary[engine.Run, int] = weakref.WeakKeyDictionary()
_count = itertools.count()


def _current_graph_task_id() -> int:
    """A number of the backward that runs now, in the order in which it is asked for; -1 outside of
    one."""
    backward = engine.innermost()
    if backward is None:
        return -1
    if backward not in _numbers:
        _numbers[backward] = next(_count)
    return _numbers[backward]


def _will_engine_execute_node(node: Any) -> bool:
    """Whether the backward that runs now is going to run `node`."""
    if not isinstance(node, Node):
        raise RuntimeError(
            message(
                "_will_engine_execute_node expects an grad_fn",
                got=type(node).__name__,
                hint="x.grad_fn, or torch.autograd.graph.get_gradient_edge(x).node",
            )
        )
    run = running("_will_engine_execute_node")
    target = node.variable if isinstance(node, AccumulateGrad) else node
    if run.captures and id(target) in run.targets and target is not node:
        raise RuntimeError(
            message(
                "A leaf node was passed to _will_engine_execute_node but we are currently running "
                "autograd.grad(). This is currently not supported.",
                hint="backward(inputs=...), or ask for a node that is not a leaf's",
            )
        )
    return target in run.slots and run.reaches(target)


def running(name: str) -> engine.Run:
    """The innermost backward; RuntimeError outside of one."""
    run = engine.innermost()
    if run is None:
        raise RuntimeError(
            message(
                f"{name} should only be called during the backward pass",
                hint="a hook of a tensor or of a node",
            )
        )
    return run


def _current_autograd_node() -> Any:
    """The node that the backward of this thread runs now; None outside of one."""
    return engine.current_node()


def _current_graph_task_execution_order() -> list[Any]:
    """The nodes that the backward of this thread runs, in their order."""
    run = running("_current_graph_task_execution_order")
    if grad_mode.is_multithreading_enabled():
        raise RuntimeError(
            message(
                "get_current_graph_task_execution_order expects the current backward to be "
                "executed with multithreading disabled",
                hint="with torch.autograd.set_multithreading_enabled(False): ...",
            )
        )
    return [n if n._is_node else accumulator(n) for n in run.order()]


_cached: dict[int, Any] | None = None  # weak references to tensors, by their id


def _set_cached_tensors_enabled(enabled: bool) -> None:
    """Whether tensors are noted as cached; switched off, all are forgotten."""
    global _cached
    _cached = {} if enabled else None


def _add_cached_tensor(t: Any) -> None:
    """Note that something keeps this tensor for later calls."""
    if _cached is not None:
        _cached[id(t)] = weakref.ref(t)


def _remove_cached_tensor(t: Any) -> None:
    """It is no longer kept."""
    if _cached is not None:
        _cached.pop(id(t), None)


def _is_cached_tensor(t: Any) -> bool:
    """Whether something keeps this tensor for later calls."""
    ref = None if _cached is None else _cached.get(id(t))
    return ref is not None and ref() is t


def _set_fwd_grad_enabled(mode: bool) -> None:
    """Switch forward mode's tangents on or off."""
    forward_ad._set_fwd_grad_enabled(mode)


class _WeakTensorRef:
    """A tensor that may go while this stays."""

    def __init__(self, t: Any) -> None:
        self._ref = weakref.ref(t)

    def expired(self) -> bool:
        """Whether the tensor is gone."""
        return self._ref() is None
