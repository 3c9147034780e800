"""The capture behind `torch.compile`, which does not take place: its settings are accepted.

Programs set `torch._dynamo.config.suppress_errors` and the like before they compile.
"""

from __future__ import annotations

from typing import Any

from ..compiler import (
    allow_in_graph,
    assume_constant_result,
    disable,
    is_compiling,
    list_backends,
    reset,
)
from ..nn.optimized import OptimizedModule
from . import config as config

__all__ = [
    "OptimizedModule",
    "allow_in_graph",
    "assume_constant_result",
    "config",
    "disable",
    "disallow_in_graph",
]
__all__ += ["graph_break", "is_compiling", "list_backends", "mark_dynamic", "mark_static"]
__all__ += ["optimize", "reset"]

disallow_in_graph = forbid_in_graph = allow_in_graph


def graph_break(msg: str = "") -> None:
    """There is no graph to break."""


def mark_dynamic(*args: Any, **kw: Any) -> None:
    """No shape is assumed to stay as it is."""


mark_static = maybe_mark_dynamic = mark_dynamic


def optimize(*args: Any, **kw: Any) -> Any:
    """The older spelling of `torch.compile` as a decorator: returns what it is given."""
    return lambda fn: fn
