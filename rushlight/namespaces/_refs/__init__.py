"""`torch._refs`: where PyTorch keeps its operators written in Python. Here all of them are, so
these are the public functions and methods under their own names, found when they are asked for.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any


def signed(fn: Any) -> Any:
    """A function that says its parameters to who does not look behind wrappers, as PyTorch's test
    tools do not (`inspect.getfullargspec`)."""
    if hasattr(fn, "__wrapped__") and "__signature__" not in vars(fn):
        fn.__signature__ = inspect.signature(fn)
    return fn


def of(place: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module whose names are those of `rushlight.<place>`, or else those of
    methods."""

    def __getattr__(name: str) -> Any:
        torch: Any = importlib.import_module("rushlight")
        homes = [importlib.import_module(f"rushlight.{place}")] if place else [torch, torch.Tensor]
        if not name.startswith("__"):
            for home in homes:
                found = vars(home).get(name)
                if found is not None and callable(found):
                    return signed(found)
        where = f"rushlight._refs{place and '.'}{place}"
        raise AttributeError(f"module '{where}' has no attribute '{name}'")

    return __getattr__


def _broadcast_shapes(*shapes: Any) -> Any:
    """The shape of several broadcast, as a list; None is left out, and stands for none at all."""
    from rushlight.ops.shape.public import broadcast_shapes

    given = [tuple(s) for s in shapes if s is not None]
    return list(broadcast_shapes(*given)) if given else None


__getattr__ = of("")
