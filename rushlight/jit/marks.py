"""Marks for the script compiler that programs put on functions and types. None changes anything."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar

__all__ = ["Attribute", "Final", "annotate", "export", "ignore", "interface", "is_scripting"]
__all__ += ["is_tracing", "isinstance", "script_if_tracing", "script_method", "unused"]

F = TypeVar("F", bound=Callable[..., Any])


class Attribute(NamedTuple):
    """A value with the type that a script should give it.

    >>> limit = torch.jit.Attribute(0.5, float)
    >>> limit.value, limit.type
    (0.5, <class 'float'>)

    >>> limit = torch.jit.Attribute(0.5, float)
    >>> limit.value, limit.type
    (0.5, <class 'float'>)
    """

    value: Any
    type: Any


def is_scripting() -> bool:
    """False: nothing is compiled.

    >>> def f(x):
    ...     return x if torch.jit.is_scripting() else x * 2
    >>> torch.jit.script(f)(torch.ones(1)) if torch.jit.is_scripting() else f(torch.ones(1))
    tensor([2.])
    """
    return False


def is_tracing() -> bool:
    """False: nothing is recorded, also inside `trace`.

    >>> torch.jit.is_tracing()
    False
    """
    return False


def annotate(the_type: Any, the_value: Any) -> Any:
    """The value.

    >>> annotate(list[int], [])
    []
    """
    return the_value


def isinstance(obj: Any, target_type: Any) -> bool:
    """Python's isinstance; generic types are asked without their parameters.

    >>> isinstance([1], list[int]), isinstance({}, (list[int], tuple))
    (True, False)
    """
    given = target_type if builtins.isinstance(target_type, tuple) else (target_type,)
    kinds: Any = tuple(getattr(kind, "__origin__", kind) for kind in given)
    return builtins.isinstance(obj, kinds)


def ignore(drop: Any = False, **kw: Any) -> Any:
    """Returns the function; `ignore(drop=True)` is a decorator that does.

    >>> ignore(len) is len, ignore(drop=True)(len) is len
    (True, True)
    """
    return drop if callable(drop) else (lambda fn: fn)


def export(fn: F) -> F:
    """Returns the function. So do `unused`, `interface`, `script_method` and `script_if_tracing`.

    >>> @torch.jit.export
    ... def double(x: int) -> int:
    ...     return 2 * x
    >>> double(21)
    42
    """
    return fn


unused = interface = script_method = script_if_tracing = export
_overload = _overload_method = export  # marks on signatures that a script compiler tells apart
