"""`torch.fx`: modules are not captured as graphs. `wrap` marks functions for a capture, which is
harmless; the rest of the names say what is missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import unsupported

FEATURE = "graphs captured from modules (torch.fx)"
HINT = "hooks (module.register_forward_hook) to look at what passes through a module"


def wrap(fn_or_name: str | Callable[..., Any]) -> Any:
    """Returns its argument: functions need no mark where nothing is captured.

    >>> wrap(len) is len
    True
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError(
            "Unsupported type for global function! Must be either a callable or string name"
        )
    return fn_or_name


def has_side_effect(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Returns its argument."""
    return fn


__getattr__, __dir__ = unsupported.module(
    __name__,
    "CodeGen Graph GraphModule Interpreter Node Proxy ProxyableClassMeta Tracer Transformer "
    "replace_pattern symbolic_trace",
    FEATURE,
    HINT,
)
