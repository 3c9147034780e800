"""Variable: the name tensors with history once had, with `volatile` from before no_grad."""

from __future__ import annotations

import warnings
import weakref
from typing import Any

from . import door, engine, watch
from .node import Cut, TensorBase


class _VariableMeta(type):
    def __instancecheck__(cls, obj: Any) -> bool:
        return isinstance(obj, TensorBase)


class ExecutionEngine:
    """The engine as extensions know it: `Variable._execution_engine.queue_callback(fn)`."""

    @staticmethod
    def queue_callback(fn: Any) -> None:
        """Call `fn()` when the backward in progress ends."""
        if not engine.running():
            raise RuntimeError("Final callbacks can only be installed during backward pass.")
        engine.queue_callback(fn)


class Variable(metaclass=_VariableMeta):
    """`Variable(x, requires_grad=False, volatile=False)`: a tensor over the memory of `x`.

    A volatile tensor makes every result that depends on it volatile: without history, whatever the
    other operands require.

    Tensors have taken over what a Variable was for; new programs write
    `torch.tensor(..., requires_grad=True)`.

    >>> x = torch.autograd.Variable(torch.tensor([3.0]), requires_grad=True)
    >>> (x * x).backward()
    >>> x.grad
    tensor([6.])
    """

    _execution_engine = ExecutionEngine()

    def __new__(
        cls, data: Any = None, requires_grad: bool | None = None, volatile: bool | None = None
    ) -> Any:
        if data is None:
            from ..ops.create.factories import empty

            data = empty(0)
        if not isinstance(data, TensorBase):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        if volatile:
            if requires_grad:
                raise RuntimeError("Variable can't be volatile and require_grad at the same time!")
            t = data.detach()  # type: ignore[attr-defined]
            set_volatile(t, True)
            return t
        t = data.detach()  # type: ignore[attr-defined]
        t._x = None
        if requires_grad:
            t.requires_grad_()
        elif requires_grad is None and data._fn is not None:
            return data
        return t


def is_volatile(t: Any) -> bool:
    """Whether a tensor is volatile."""
    cut = door.cut_of(t._x)
    return cut is not None and cut.why == "volatile"


def set_volatile(t: Any, on: bool) -> None:
    """Make a leaf volatile, or no longer so."""
    if on:
        if t._fn is not None and not t.is_leaf:
            raise RuntimeError("volatile can only be set on leaf variables")
        warnings.warn(
            "volatile was removed from PyTorch (use `with torch.no_grad():` instead); "
            "Rushlight still honours it",
            UserWarning,
            stacklevel=3,
        )
        t._fn = None
        mark(t)
    elif is_volatile(t):
        t._x = None
        forget(id(t))


_living: dict[
    int, Any
] = {}  # weak references to the volatile tensors: while there are any, calls are watched


def mark(t: Any) -> None:
    """Make `t` volatile and watch what becomes of it."""
    t._x = Cut("volatile")
    key = id(t)
    watch.come("volatile")
    _living[key] = weakref.ref(t, lambda _: forget(key))
    if spread not in door.state.watchers:
        door.state.watchers = (spread, *door.state.watchers)


def forget(key: int) -> None:
    """A volatile tensor is gone; with the last one the watching ends."""
    if _living.pop(key, None) is not None and not _living:
        watch.go("volatile")
        door.state.watchers = tuple(w for w in door.state.watchers if w is not spread)


def spread(next_apply: Any, op: Any, inputs: Any, kw: Any) -> Any:
    """The watcher: results of volatile operands are volatile."""
    if not any(isinstance(t, TensorBase) and t._x is not None and is_volatile(t) for t in inputs):
        return next_apply(op, inputs, kw)
    with door.grad_enabled(False):
        out = next_apply(op, inputs, kw)
    for y in out if isinstance(out, tuple) else (out,):
        mark(y)
    return out


TensorBase.volatile = property(  # type: ignore[attr-defined]
    is_volatile,
    set_volatile,
    doc="Whether results computed from this tensor have no history (before no_grad).",
)
