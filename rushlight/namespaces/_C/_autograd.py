"""What programs ask of the core of automatic differentiation, `torch._C._autograd`."""

from __future__ import annotations

import itertools
import weakref
from typing import Any

from rushlight.autograd import engine, forward_ad, graph, views
from rushlight.autograd.grad_mode import is_grad_enabled as is_grad_enabled
from rushlight.autograd.profiler import kineto_available as kineto_available
from rushlight.autograd.saved import SavedTensor as SavedTensor


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
    if not engine.running():
        raise RuntimeError(
            "_get_graph_exec_info: expects to be called during the backward pass\n"
            "  try     a hook of a tensor or of a node"
        )
    run = engine.current()
    target = getattr(node, "variable", node)
    if target not in run.slots:
        return False
    return run.needed is None or target in run.needed or id(target) in run.targets


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
