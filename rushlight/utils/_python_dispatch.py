"""Where PyTorch keeps TorchDispatchMode."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..ops.core import modes, overrides
from ..ops.core.modes import TorchDispatchMode

__all__ = ["BaseTorchDispatchMode", "TorchDispatchMode", "is_traceable_wrapper_subclass"]

BaseTorchDispatchMode = TorchDispatchMode


def _get_current_dispatch_mode() -> Any:
    """The innermost mode, or None."""
    return modes.dispatch_stack[-1] if modes.dispatch_stack else None


def _get_current_dispatch_mode_stack() -> list[Any]:
    """The modes, innermost last."""
    return list(modes.dispatch_stack)


@contextmanager
def _disable_current_modes() -> Iterator[list[Any]]:
    """A block without modes, of functions and at the door."""
    with modes.without_any(), overrides.disabled():
        yield []


def is_traceable_wrapper_subclass(t: Any) -> bool:
    """Whether a tensor consists of others that it names (`__tensor_flatten__`)."""
    return hasattr(t, "__tensor_flatten__") and hasattr(type(t), "__tensor_unflatten__")


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """Whether instances of a class consist of tensors that they name."""
    return hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")


def return_and_correct_aliasing(func: Any, args: Any, kwargs: Any, out: Any) -> Any:
    """The result: views share memory here by what computes them."""
    return out
