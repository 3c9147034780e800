"""torch.overrides: helpers for classes that implement `__torch_function__`."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Hashable
from typing import Any

from rushlight import assembly
from rushlight.ops.core import modes
from rushlight.ops.core import overrides as _overrides
from rushlight.ops.core.composite import composites

# Namespaces of public functions; "Tensor" has the methods.
SPACES = ("torch", "nn.functional", "Tensor", "linalg", "fft", "special")


def has_torch_function(relevant_args: Any) -> bool:
    """Whether one of the arguments takes over public calls.

    >>> class Logged:
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         return func.__name__
    >>> torch.overrides.has_torch_function((Logged(),))
    True
    >>> torch.overrides.has_torch_function((torch.ones(1),))
    False
    """
    return any(_overrides.special(a) for a in relevant_args)


def has_torch_function_unary(argument: Any, /) -> bool:
    """`has_torch_function` of one argument.

    >>> torch.overrides.has_torch_function_unary(torch.ones(1))
    False
    """
    return _overrides.special(argument)


def has_torch_function_variadic(*arguments: Any) -> bool:
    """`has_torch_function` of all that is given.

    >>> torch.overrides.has_torch_function_variadic(torch.ones(1), 2)
    False
    """
    return any(map(_overrides.special, arguments))


def handle_torch_function(public_api: Any, relevant_args: Any, *args: Any, **kwargs: Any) -> Any:
    """Let the arguments' classes carry out a call of `public_api`.

    Args:
        public_api: the function that was called.
        relevant_args: arguments whose classes are asked.
        args, kwargs: of the call.

    Raises:
        TypeError: none of the classes takes it.

    >>> from rushlight.overrides import handle_torch_function, has_torch_function
    >>> class Logged:
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         return f"{func.__name__}, taken over"
    >>> def scale(x, factor):
    ...     if has_torch_function((x,)):
    ...         return handle_torch_function(scale, (x,), x, factor)
    ...     return x * factor
    >>> scale(Logged(), 2), scale(torch.ones(1), 2)
    ('scale, taken over', tensor([2.]))
    """
    return _overrides.dispatch(public_api, args, kwargs, relevant_args)


def is_tensor_like(inp: Any) -> bool:
    """Whether an object is a Tensor or implements `__torch_function__`.

    >>> torch.overrides.is_tensor_like(torch.ones(1)), torch.overrides.is_tensor_like([1.0])
    (True, False)
    """
    from rushlight.tensor import Tensor

    return isinstance(inp, Tensor) or hasattr(inp, "__torch_function__")


def resolve_name(f: Any) -> str | None:
    """The name under which a public function is known; None for any other.

    >>> torch.overrides.resolve_name(torch.add), torch.overrides.resolve_name(torch.Tensor.add)
    ('torch.add', 'torch.Tensor.add')
    >>> print(torch.overrides.resolve_name(len))
    None
    """
    return _names(modes.methods_key()).get(f) if isinstance(f, Hashable) else None


@functools.lru_cache(4)
def _names(_methods: Any) -> dict[Any, str]:
    """What functions are called, with PyTorch's name in front."""
    found: dict[Any, str] = {}
    for space in SPACES:
        for name, fn in assembly.namespaces.get(space, {}).items():
            if callable(fn):
                whole = ".".join(dict.fromkeys(("torch", space, name)))
                found.setdefault(fn, whole)
    for name, fn in modes.methods().items():
        if callable(fn) and not re.match("_[^_]", name):
            found.setdefault(fn, f"torch.Tensor.{name}")
    return found


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
    """Whether a function is a method of Tensor, or the getter of a property.

    >>> torch.overrides.is_tensor_method_or_property(torch.Tensor.add)
    True
    >>> torch.overrides.is_tensor_method_or_property(torch.add)
    False
    """
    from rushlight.tensor import Tensor

    name = getattr(func, "__name__", "")
    return name == "__get__" or getattr(Tensor, name, None) is func


def get_ignored_functions() -> set[Any]:
    """Functions that never ask the classes of their arguments: those that look at none.

    >>> torch.zeros in torch.overrides.get_ignored_functions()
    True
    """
    return {c.fn for c in composites.values() if not hasattr(c.fn, "published")}


@functools.cache
def get_overridable_functions() -> dict[Any, list[Any]]:
    """Public functions that ask the classes of their arguments, by namespace.

    >>> torch.add in torch.overrides.get_overridable_functions()[torch]
    True
    """
    import rushlight

    found: dict[Any, list[Any]] = {}
    for name in SPACES:
        where = rushlight if name == "torch" else operator.attrgetter(name)(rushlight)
        functions = assembly.namespaces.get(name, {}).values()
        found[where] = [fn for fn in functions if callable(fn)]
    return found


def get_testing_overrides() -> dict[Any, Any]:
    """For each function that can be overridden, one that takes any arguments and returns -1.

    PyTorch's have the parameters of what they stand for.

    >>> stand_in = torch.overrides.get_testing_overrides()[torch.add]
    >>> stand_in(torch.ones(1), 2)
    -1
    """
    return {
        fn: (lambda *args, **kw: -1)
        for functions in get_overridable_functions().values()
        for fn in functions
    }


def redispatch_torch_function(fn: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """Call a function as if no class took it over.

    >>> class Logged(torch.Tensor):
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         print(func.__name__)
    ...         return torch.overrides.redispatch_torch_function(func, types, args, kwargs)
    >>> _ = torch.add(torch.ones(1).as_subclass(Logged), 1)
    add
    """
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
