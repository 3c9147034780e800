"""Handles of hooks, and hooks that stay behind when a tensor is sent.

`RemovableHandle` itself lives in `autograd/hooks.py`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from ..autograd.hooks import RemovableHandle
from ..autograd.node import Extras

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]

F = TypeVar("F", bound=Callable[..., Any])


def unserializable_hook(f: F) -> F:
    """Mark a hook that may stay behind in silence."""
    f.__torch_unserializable__ = True  # type: ignore[attr-defined]
    return f


def warn_if_has_hooks(tensor: Any) -> None:
    """Warn of every backward hook that will not be sent along with the tensor."""
    extras = tensor._x
    hooks = extras.hooks if extras.__class__ is Extras else None
    for hook in (hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, "
                "you can decorate the function with @torch.utils.hooks.unserializable_hook to "
                "suppress this warning",
                stacklevel=2,
            )
