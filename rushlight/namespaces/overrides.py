"""torch.overrides: helpers for classes that implement `__torch_function__`."""

from __future__ import annotations

from typing import Any

from rushlight.ops.core import overrides as _overrides


def has_torch_function(relevant_args: Any) -> bool:
    """Whether one of the arguments takes over public calls."""
    return any(_overrides.special(a) for a in relevant_args)


def handle_torch_function(public_api: Any, relevant_args: Any, *args: Any, **kwargs: Any) -> Any:
    """Let the arguments' classes carry out a call of `public_api`."""
    return _overrides.dispatch(public_api, args, kwargs, relevant_args)


def is_tensor_like(inp: Any) -> bool:
    """Whether an object is a Tensor or implements `__torch_function__`."""
    from rushlight.tensor import Tensor

    return isinstance(inp, Tensor) or hasattr(inp, "__torch_function__")


def resolve_name(f: Any) -> str | None:
    """The name under which a public function is known."""
    return getattr(f, "__name__", None)
