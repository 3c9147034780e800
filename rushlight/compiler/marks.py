"""What programs tell the compiler about functions: run this one eagerly, this one is known, ...

A mark never changes what a function computes. Not here: `compile` itself (`api.py`).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import MethodType
from typing import Any

from ..errors import message
from . import state

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "disable",
    "innermost",
    "nested_compile_region",
    "substitute_in_graph",
    "wrap_numpy",
]


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Let a function, a method, a module or the calls of a class run eagerly inside compiled code.

    The code around it is still captured. What comes back calls `fn` (a class is changed in place,
    a module comes back inside another one); without `fn`, a decorator.

    Args:
        recursive: accepted; what `fn` calls runs eagerly either way, unless it is compiled itself.
        reason: what is said where `fn` keeps a whole from being captured.

    >>> @disable(reason="it counts its calls")
    ... def double(x):
    ...     return 2 * x
    >>> double(4), double.__name__
    (8, 'double')
    """
    if fn is None:
        return functools.partial(disable, recursive=recursive, reason=reason)
    fn = innermost(fn)
    if not callable(fn):
        raise AssertionError(
            message("torch.compiler.disable: fn must be callable", f"{type(fn).__name__}")
        )
    from ..nn import Module

    if isinstance(fn, Module):
        from ..nn.optimized import OptimizedModule

        return OptimizedModule(fn, functools.partial(marked, recursive=recursive, reason=reason))
    if isinstance(fn, type):
        for name in ("__init__", "__call__", *["forward"] * issubclass(fn, Module)):
            if name != "__call__" or not issubclass(fn, Module):
                setattr(fn, name, disable(getattr(fn, name), recursive, reason=reason))
        return fn

    return marked(fn, recursive, reason)


def marked(fn: Any, recursive: bool, reason: str | None) -> Any:
    """A function that calls `fn`, a function or a module, and says that it is not captured."""

    @functools.wraps(fn, updated=() if hasattr(fn, "forward") else functools.WRAPPER_UPDATES)
    def eager(*args: Any, **kw: Any) -> Any:
        capturing = state.capturing
        if not capturing.active:
            return fn(*args, **kw)
        capturing.active = False
        try:
            return fn(*args, **kw)
        finally:
            capturing.active = True

    found: Any = eager
    found._rushlight_disable = found._torchdynamo_disable = True
    found._torchdynamo_disable_msg = reason
    found._torchdynamo_disable_recursive = recursive
    found._torchdynamo_orig_callable = fn
    return found


def innermost(fn: Any) -> Any:
    """What compiled and disabled functions wrap."""
    if isinstance(fn, MethodType):  # whose attributes are its function's
        return MethodType(innermost(fn.__func__), fn.__self__)
    while (inner := getattr(fn, "__dict__", {}).get("_torchdynamo_orig_callable")) is not None:
        if getattr(fn, "__wrapped__", inner) is not inner:
            break  # another decorator, which copied the attribute
        fn = inner
    return fn


def allow_in_graph(fn: Any) -> Any:
    """Returns `fn`: functions whose calls are seen by their computations need no permission.

    A list or tuple of functions gives a list. Raises AssertionError for what cannot be called.

    >>> @torch.compiler.allow_in_graph
    ... def double(x):
    ...     return x * 2
    >>> torch.compile(lambda x: double(x) + 1)(torch.ones(2))
    tensor([3., 3.])
    """
    if isinstance(fn, (list, tuple)):
        return [allow_in_graph(one) for one in fn]
    if not callable(fn):
        raise AssertionError("allow_in_graph expects a callable")
    return fn


def assume_constant_result(fn: Any) -> Any:
    """Mark a function whose result is the same each time: a plan keeps the first one.

    >>> @torch.compiler.assume_constant_result
    ... def size():
    ...     return 3
    >>> torch.compile(lambda x: x * size())(torch.ones(2))
    tensor([3., 3.])
    """
    fn._dynamo_marked_constant = True
    return fn


def wrap_numpy(fn: Any) -> Any:
    """A function on NumPy's arrays as one on tensors.

    >>> import numpy, rushlight
    >>> wrap_numpy(numpy.cumsum)(rushlight.ones(2))
    tensor([1., 2.])
    """

    @functools.wraps(fn)
    def on_tensors(*args: Any, **kw: Any) -> Any:
        import numpy as np

        from .. import Tensor, from_numpy
        from ..utils._pytree import tree_map_only as map_only

        given = map_only(Tensor, lambda x: x.numpy(), (args, kw))
        found = fn(*given[0], **given[1])
        return map_only(np.ndarray, from_numpy, found)

    return on_tensors


def nested_compile_region(
    fn: Any = None, is_pure: bool = False, options: Any = None, **others: Any
) -> Any:
    """Returns `fn`; a decorator without it. Every plan is one region.

    >>> @torch.compiler.nested_compile_region
    ... def layer(x):
    ...     return torch.relu(x)
    >>> torch.compile(lambda x: layer(layer(x)))(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return fn if fn is not None else nested_compile_region


def substitute_in_graph(
    original_fn: Any,
    *,
    can_constant_fold_through: bool = False,
    skip_signature_check: bool = False,
    is_embedded_type: bool = False,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Tell of a function that could be captured in place of `original_fn`, which is what runs.

    Raises TypeError where one of the two is no function or their signatures differ, as PyTorch.

    >>> def original(x):
    ...     return x + 1
    >>> @torch.compiler.substitute_in_graph(original)
    ... def traceable(x):
    ...     return x + 1
    >>> original(torch.ones(1))
    tensor([2.])
    """
    if not callable(original_fn) or (isinstance(original_fn, type) and not is_embedded_type):
        raise TypeError(f"substitute_in_graph expects a function but got {type(original_fn)!r}")
    if is_embedded_type and not isinstance(original_fn, type):
        raise TypeError(f"substitute_in_graph expects a class but got {type(original_fn)!r}")

    def decorate(traceable_fn: Callable[..., Any]) -> Callable[..., Any]:
        if not inspect.isfunction(traceable_fn):
            raise TypeError(
                f"@substitute_in_graph(...) expects a function but got {type(traceable_fn)!r}"
            )
        if not skip_signature_check:
            check_signatures(original_fn, traceable_fn)

        @functools.wraps(traceable_fn)
        def original(*args: Any, **kw: Any) -> Any:
            return original_fn(*args, **kw)

        return original

    return decorate


def check_signatures(original: Callable[..., Any], other: Callable[..., Any]) -> None:
    """Raise TypeError where parameters or defaults differ; `*args, **kw` fits all."""
    try:
        first, second = inspect.signature(original), inspect.signature(other)
    except ValueError:  # built-in functions without one
        return

    def known(signature: inspect.Signature) -> tuple[Any, ...]:
        named = [
            p
            for p in signature.parameters.values()
            if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        ]
        order = tuple(p.name for p in named if p.kind is not p.KEYWORD_ONLY)
        return order, {p.name: p.default for p in named}

    anything = known(inspect.signature(lambda *args, **kw: None))
    if known(first) != known(second) and anything not in (known(first), known(second)):
        raise TypeError(f"Signature mismatch between {original} and {other}: {first} != {second}")
