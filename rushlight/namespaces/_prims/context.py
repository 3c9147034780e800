"""`torch._prims.context`: a mode in which public functions are `torch._refs`' of the same name."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from rushlight import assembly
from rushlight.ops.core.modes import TorchFunctionMode, methods, methods_key
from rushlight.ops.core.record import Op
from rushlight.tensor import Tensor

from ..overrides import SPACES, resolve_name

__all__ = ["TorchRefsMode", "torch_to_refs_map"]

# Questions about a tensor, which nothing computes.
ATTRIBUTES = ("device", "dtype", "is_sparse", "layout", "ndim", "requires_grad", "shape")


def torch_to_refs_map() -> dict[Any, Any]:
    """Public functions and methods with `torch._refs`' of their name, which they are themselves."""
    return refs_of(methods_key())


@functools.lru_cache(4)
def refs_of(_methods: Any) -> dict[Any, Any]:
    found = {fn: fn for space in SPACES for fn in assembly.namespaces.get(space, {}).values()}
    found.update((fn, fn) for name, fn in methods().items() if not name.startswith("__"))
    return {fn: ref for fn, ref in found.items() if callable(fn) and resolve_name(fn) is not None}


@functools.lru_cache(4)
def questions(_methods: Any) -> frozenset[Any]:
    """What a strict mode lets pass: what asks for a tensor's metadata, and Python's own."""
    getters = [getattr(vars(Tensor)[name], "__get__", None) for name in ATTRIBUTES]
    asked = ("dim", "numel", "size", "storage_offset", "stride", "is_contiguous")
    own = ("__format__", "__repr__", "__getitem__")
    found = methods()
    return frozenset([*getters, *(found[name] for name in (*asked, *own))])


def reference_of_operator(func: Any) -> Any:
    """What `x + y` is told as, an operation as such; None for other functions."""
    return func if isinstance(getattr(func, "op", None), Op) else None


class TorchRefsMode(TorchFunctionMode):
    """A block in which public functions and methods are those of `torch._refs`.

    They are the same functions here, so what is called within them are the references as well.

    Args:
        strict: refuse functions that have no reference; otherwise they run as ever.
        should_fallback_fn: asked `(mode, function, reference, args, kwargs)`; where it says yes the
            function is called instead of its reference.
    """

    def __init__(
        self, strict: bool = False, should_fallback_fn: Callable[..., bool] = lambda *_: False
    ) -> None:
        self.strict = strict
        self.should_fallback_fn = should_fallback_fn

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        reference = torch_to_refs_map().get(func) or reference_of_operator(func)
        if reference is not None:
            if self.should_fallback_fn(self, func, reference, args, kwargs):
                return func(*args, **kwargs)
            return reference(*args, **kwargs)
        if self.strict and func not in questions(methods_key()):
            raise RuntimeError(f"no _refs support for {resolve_name(func) or func}")
        return func(*args, **kwargs)
