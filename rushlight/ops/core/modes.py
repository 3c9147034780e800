"""Modes: objects that take over all calls of a block, asked before any class of an operand is.

`TorchFunctionMode` sees public functions as they are called; `TorchDispatchMode` sees operations at
the door, below composites, as operators of `torch.ops.aten`. While a mode of the first kind is
active no call takes a short way: the sets of classes that do are empty, and functions that look at
no operand (factories) are swapped, so calls outside of such blocks pay nothing.

Both belong to the thread that entered them. Not here: classes that take over calls of their own
instances (`overrides.py`).
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ...autograd import door, watch
from . import overrides
from .composite import composites

__all__ = ["TorchDispatchMode", "TorchFunctionMode"]


class TorchFunctionMode:
    """Takes over public functions in a block.

    Subclasses write `__torch_function__(self, func, types, args=(), kwargs=None)`, which calls
    `func(*args, **(kwargs or {}))` where the call is to go on. Modes may be entered within each
    other: the innermost is asked first, and is not asked about what it calls itself.
    """

    inner: TorchFunctionMode

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:  # pragma: no cover
        raise NotImplementedError

    def __enter__(self) -> Any:
        enter(self)
        return self

    def __exit__(self, *error: Any) -> None:
        leave()

    @classmethod
    def push(cls, *args: Any, **kw: Any) -> Any:
        """The older spelling of `cls()`."""
        return cls(*args, **kw)


def enter(mode: Any) -> None:
    """Let a mode take over from now on."""
    if not overrides.modes:
        swap_factories(True)
    watch.set_general(1)
    overrides.set_modes(1)
    overrides.state.stack = (*overrides.state.stack, mode)


def leave() -> Any:
    """Send the innermost mode away."""
    stack = overrides.state.stack
    overrides.state.stack = stack[:-1]
    overrides.set_modes(-1)
    watch.set_general(-1)
    if not overrides.modes:
        swap_factories(False)
    return stack[-1]


swapped: dict[str, Any] = {}


def swap_factories(on: bool) -> None:
    """Let `torch.empty` and its like ask modes, or no longer."""
    torch = vars(sys.modules[__name__.partition(".")[0]])
    if not on:
        torch.update(swapped)
        swapped.clear()
        return
    for c in composites.values():
        if "torch" in c.public and not hasattr(c.fn, "published"):
            for name in c.publication.names(c.name):
                if torch.get(name) is c.fn:
                    swapped[name] = c.fn
                    torch[name] = asking(c.fn)


def asking(fn: Any) -> Callable[..., Any]:
    """A function that looks at no operand, but asks modes."""

    @functools.wraps(fn)
    def public(*args: Any, **kw: Any) -> Any:
        if overrides.state.stack:
            return overrides.dispatch(fn, args, kw, ())
        return fn(*args, **kw)

    return public


class TorchDispatchMode:
    """Takes over operations in a block, below composites.

    Subclasses write `__torch_dispatch__(self, func, types, args=(), kwargs=None)`; `func` is an
    operator such as `torch.ops.aten.add.Tensor`. Derivatives are recorded by what `func` does when
    it is called, not before: here the tape is part of the door.
    """

    _standing: tuple[Any, ...] = ()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:  # pragma: no cover
        raise NotImplementedError

    def _stand(self, next_apply: Any, op: Any, inputs: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        from importlib import import_module

        operators: Any = import_module(f"{__name__.partition('.')[0]}._ops")
        args = (list(inputs),) if op.variadic else inputs
        types = tuple({type(t): None for t in inputs if isinstance(t, door.TensorBase)})
        return self.__torch_dispatch__(operators.Bound(op, next_apply), types, args, kw)

    def __enter__(self) -> Any:
        stand = self._stand
        self._standing = (*self._standing, stand)
        watch.watch(stand)
        dispatch_stack.append(self)
        return self

    def __exit__(self, *error: Any) -> None:
        dispatch_stack.remove(self)
        *before, stand = self._standing
        self._standing = tuple(before)
        watch.unwatch(stand)

    @classmethod
    def push(cls, *args: Any, **kw: Any) -> Any:
        """The older spelling of `cls()`."""
        return cls(*args, **kw)

    @classmethod
    def is_infra_mode(cls) -> bool:
        """False: none of ours belongs to a compiler."""
        return False


dispatch_stack: list[TorchDispatchMode] = []


@contextmanager
def without_modes() -> Iterator[None]:
    """A block in which no mode is asked: `torch._C.DisableTorchFunction`."""
    before = overrides.state.stack
    overrides.state.stack = ()
    try:
        yield
    finally:
        overrides.state.stack = before
