"""The capture behind `torch.compile`, as programs know it: its settings, errors and marks.

Here they are names of `rushlight.compiler`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..compiler import (
    allow_in_graph,
    assume_constant_result,
    disable,
    is_compiling,
    list_backends,
    reset,
    set_stance,
    substitute_in_graph,
)
from ..compiler import compile as _compile
from ..nn.optimized import OptimizedModule
from . import config as config
from . import eval_frame as eval_frame
from . import exc as exc
from . import utils as utils
from .decorators import mark_dynamic, mark_static, mark_static_address, maybe_mark_dynamic

__all__ = [
    "OptimizedModule",
    "allow_in_graph",
    "assume_constant_result",
    "config",
    "disable",
    "disallow_in_graph",
]
__all__ += [
    "exc",
    "explain",
    "forbid_in_graph",
    "graph_break",
    "is_compiling",
    "is_dynamo_supported",
]
__all__ += ["list_backends", "mark_dynamic", "mark_static", "mark_static_address"]
__all__ += ["maybe_mark_dynamic", "optimize", "reset", "run", "set_stance", "substitute_in_graph"]
__all__ += ["utils"]


def disallow_in_graph(fn: Any) -> Any:
    """Let a function run eagerly: what `disable` does. A list or tuple gives a list."""
    if isinstance(fn, (list, tuple)):
        return [disallow_in_graph(one) for one in fn]
    return disable(fn)


def forbid_in_graph(fn: Any) -> Any:
    """Returns `fn`, which says so itself where it must not be captured."""
    if isinstance(fn, (list, tuple)):
        return [forbid_in_graph(one) for one in fn]
    return fn


@disable(reason="torch._dynamo.graph_break() was called")
def graph_break(msg: str = "") -> None:
    """End a plan here; what follows is another one."""


def explain(f: Any, *extra_args: Any, **extra_kwargs: Any) -> Any:
    """A function that calls `f` once and says what became of it, in PyTorch's terms.

    `rushlight.compiler.explain` says more. With arguments it is called with those, as PyTorch's
    older form.
    """
    from .output import explained

    def called(*args: Any, **kw: Any) -> Any:
        return explained(f, args, kw)

    return called(*extra_args, **extra_kwargs) if extra_args or extra_kwargs else called


def is_dynamo_supported() -> bool:
    """True: there is nothing that could be missing."""
    return True


def optimize(
    backend: str | Callable[..., Any] = "inductor",
    *,
    nopython: bool = False,
    dynamic: bool | None = None,
    disable: bool = False,
    **others: Any,
) -> Any:
    """The older spelling of `torch.compile` as a decorator; `nopython` is `fullgraph`."""
    return _compile(backend=backend, fullgraph=nopython, dynamic=dynamic, disable=disable)


def run(fn: Any = None) -> Any:
    """A function that replays the plans that are there and captures nothing new; a decorator
    without `fn`."""
    return run if fn is None else set_stance("eager_on_recompile")(fn)
