"""`torch._refs`: where PyTorch keeps its operators written in Python. Here all of them are, so
these are the public functions and methods under their own names, found when they are asked for.
What PyTorch has in this place alone is in `further.py`.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any


def signed(fn: Any) -> Any:
    """A function that says its parameters to who does not look behind wrappers, as PyTorch's test
    tools do not (`inspect.getfullargspec`)."""
    if hasattr(fn, "__wrapped__") and "__signature__" not in vars(fn):
        fn.__signature__ = inspect.signature(fn)
    return fn


def of(place: str, further: str = "", names: str = "") -> Callable[[str], Any]:
    """The `__getattr__` of a module whose names are those of `rushlight.<place>` (those of the
    package: and of methods), and of the module `further` beside it; `names` are its `__all__`, by
    default all operators."""

    def homes() -> list[Any]:
        torch: Any = importlib.import_module("rushlight")
        own = [importlib.import_module(f"rushlight._refs.{further}")] if further else []
        if not place:
            return [*own, torch, torch.Tensor]
        return [*own, importlib.import_module(f"rushlight.{place}")]

    def __getattr__(name: str) -> Any:
        if name == "__all__":
            return sorted(names.split() or public(place or "torch", further))
        if not name.startswith("__"):
            for home in homes():
                # (of a class its own attributes; modules also have names that are read when asked)
                own = vars(home).get(name)
                found = own if isinstance(home, type) else getattr(home, name, None)
                if found is not None and callable(found):
                    return signed(found)
        where = f"rushlight._refs{place and '.'}{place}"
        raise AttributeError(f"module '{where}' has no attribute '{name}'")

    return __getattr__


def public(place: str, further: str = "") -> set[str]:
    """The names of the operators of a namespace; those of `torch` are those of methods as well."""
    torch: Any = importlib.import_module("rushlight")
    found = {n: fn for n, fn in torch.assembly.namespaces.get(place, {}).items() if callable(fn)}
    if place == "torch":
        found |= {n: fn for n, fn in vars(torch.Tensor).items() if isinstance(fn, FunctionType)}
        found |= {n: n for n, where in torch._FROM.items() if where.startswith("ops.")}
    if further:
        found |= dict.fromkeys(importlib.import_module(f"rushlight._refs.{further}").__all__)
    return {n for n in found if n[0] != "_"}


def _broadcast_shapes(*shapes: Any) -> Any:
    """The shape of several broadcast, as a list; None is left out, and stands for none at all."""
    from rushlight.ops.shape.public import broadcast_shapes

    given = [tuple(s) for s in shapes if s is not None]
    return list(broadcast_shapes(*given)) if given else None


__getattr__ = of("", "further")
