"""Where PyTorch keeps TorchDispatchMode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..blocks import contextmanager
from ..ops.core import modes, overrides
from ..ops.core.modes import TorchDispatchMode

__all__ = [
    "BaseTorchDispatchMode",
    "TorchDispatchMode",
    "is_traceable_wrapper_subclass",
    "is_traceable_wrapper_subclass_type",
    "return_and_correct_aliasing",
    "transform_subclass",
]

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


def transform_subclass(
    t: Any, callback: Any, outer_size: Any = None, outer_stride: Any = None
) -> Any:
    """A tensor made of others again, of `callback(name, inner)` for each that it names."""
    size = t.size() if outer_size is None else outer_size
    stride = t.stride() if outer_stride is None else outer_stride
    names, about = t.__tensor_flatten__()
    inner = {name: callback(name, getattr(t, name)) for name in names}
    made = type(t).__tensor_unflatten__(inner, about, size, stride)
    if tuple(made.size()) != tuple(size) or tuple(made.stride()) != tuple(stride):
        raise AssertionError(
            f"Expected return value from {type(t)}__tensor_unflatten__() to have shape equal to "
            f"{size} and stride equal to {stride}, but got: {made.shape}, {made.stride()}"
        )
    return made


def return_and_correct_aliasing(func: Any, args: Any, kwargs: Any, out: Any) -> Any:
    """The result as the caller of an operator expects it: a change in place gives the tensor that
    was changed, `out=` what was given; views have the storage of what they are views of."""
    name = func.overloadpacket.__name__
    if name[-1] == "_" and name[:1] != "_":
        return args[0]
    if kwargs and kwargs.get("out") is not None:
        return kwargs["out"]
    return out  # the door gives views their storage (`ops/core/dispatch.py`)
