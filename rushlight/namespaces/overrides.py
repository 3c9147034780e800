"""torch.overrides: helpers for classes that implement `__torch_function__`."""

from __future__ import annotations

import functools
from typing import Any

from rushlight import assembly
from rushlight.ops.core import overrides as _overrides
from rushlight.ops.core.composite import composites


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


def _get_current_function_mode() -> Any:
    """The innermost TorchFunctionMode of this thread, or None."""
    stack = _get_current_function_mode_stack()
    return stack[-1] if stack else None


def _get_current_function_mode_stack() -> list[Any]:
    """The TorchFunctionModes of this thread, innermost last."""
    from rushlight.ops.core import modes

    return list(modes.function_modes())


def wrap_torch_function(dispatcher: Any) -> Any:
    """A decorator: classes of the arguments that `dispatcher` returns may take over the function.

    >>> wrap_torch_function(lambda x: (x,))(lambda x: x + 1)(1)
    2
    """

    def decorate(fn: Any) -> Any:
        @functools.wraps(fn)
        def public(*args: Any, **kw: Any) -> Any:
            relevant = dispatcher(*args, **kw)
            if has_torch_function(relevant):
                return handle_torch_function(public, relevant, *args, **kw)
            return fn(*args, **kw)

        return public

    return decorate


def is_tensor_method_or_property(func: Any) -> bool:
    """Whether a function is a method of Tensor, or the getter of a property."""
    from rushlight.tensor import Tensor

    name = getattr(func, "__name__", "")
    return name == "__get__" or getattr(Tensor, name, None) is func


def get_ignored_functions() -> set[Any]:
    """Functions that never ask the classes of their arguments: those that look at none."""
    return {c.fn for c in composites.values() if not hasattr(c.fn, "published")}


@functools.cache
def get_overridable_functions() -> dict[Any, list[Any]]:
    """Public functions that ask the classes of their arguments, by namespace."""
    import rushlight

    found: dict[Any, list[Any]] = {}
    for name, where in (("torch", rushlight), ("nn.functional", rushlight.nn.functional),
                        ("Tensor", rushlight.Tensor), ("linalg", rushlight.linalg),
                        ("fft", rushlight.fft), ("special", rushlight.special)):  # fmt: skip
        functions = assembly.namespaces.get(name, {}).values()
        found[where] = [fn for fn in functions if callable(fn)]
    return found


def get_testing_overrides() -> dict[Any, Any]:
    """For each function that can be overridden, one of the same arguments that returns -1."""
    return {
        fn: (lambda *args, **kw: -1)
        for functions in get_overridable_functions().values()
        for fn in functions
    }


def redispatch_torch_function(fn: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """Call a function as if no class took it over."""
    with _overrides.disabled():
        return fn(*args, **(kwargs or {}))


def __getattr__(name: str) -> Any:
    """Modes are loaded when they are used."""
    if name in ("TorchFunctionMode", "BaseTorchFunctionMode"):
        from rushlight.ops.core import modes

        return modes.TorchFunctionMode
    if name in ("enable_reentrant_dispatch", "_pop_mode_temporarily"):
        from rushlight.ops.core import modes

        return modes.without_modes
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
