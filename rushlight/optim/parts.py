"""Tensors of which each process has a part: how optimizers step them and gradients are clipped.

A class says so itself, by `__tensor_parts__`: a `Parts`. DTensor does; nothing else that a class
has, such as an attribute of some name, makes its tensors ones that are stepped by parts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from rushlight.tensor import Tensor


class Parts(Protocol):
    """What a class whose tensors are spread tells of them. Calls that send are made by all."""

    def local(self, t: Any) -> Any:
        """This process's part, in the memory that the tensor has."""

    def local_like(self, g: Any, p: Any) -> Any:
        """This process's part of a gradient, lying as the parameter does."""

    def like(self, part: Any, p: Any) -> Any:
        """The tensor of parts that lie as those of a parameter do."""

    def whole(self, t: Any) -> Any:
        """The whole as a plain tensor, with memory of its own, on each process."""

    def everywhere(self, whole: Any, p: Any) -> Any:
        """A plain tensor that all processes have, as one of the class, beside a parameter."""

    def put(self, t: Any, whole: Any) -> None:
        """Write this process's part of a plain tensor into a tensor."""

    def greatest(self, x: Any, tensors: Sequence[Any]) -> None:
        """Make a plain tensor the greatest of those of the processes that have tensors' parts."""

    def total_norm(self, tensors: Sequence[Any], norm_type: float) -> Any:
        """The norm of all elements of tensors of the class, and of plain ones; no order 0."""


def parts_of(t: Any) -> Parts | None:
    """How a tensor's class wants it to be stepped; None for plain tensors."""
    found: Parts | None = getattr(type(t), "__tensor_parts__", None)
    return found


def local(t: Any) -> Any:
    """This process's part of a tensor: of a plain one, itself."""
    parts = parts_of(t)
    return t if parts is None else parts.local(t)


def whole(t: Any) -> Any:
    """The whole of a tensor that is spread; others, and what is no tensor, as they are."""
    parts = parts_of(t)
    return t if parts is None else parts.whole(t)


def step_whole(p: Any, state: dict[str, Any], step: Callable[[Any, dict[str, Any]], None]) -> None:
    """One step of a parameter whose formula needs all of it: each process makes all of the step.

    Args:
        p: a parameter that is spread, with a gradient.
        state: what is kept of it. What has its shape lies as it does, other tensors with
            dimensions are whole on each process.
        step: called with a plain tensor that has a gradient and with its plain state.
    """
    parts = parts_of(p)
    assert parts is not None
    plain: Tensor = parts.whole(p)
    plain._extras().grad = parts.whole(p.grad)
    held = {k: whole(v) for k, v in state.items()}
    step(plain, held)
    parts.put(p, plain)
    for k, v in held.items():
        old = state.get(k)
        if not isinstance(v, Tensor) or not v.ndim:
            state[k] = v
        elif old is not None and parts_of(old) is not None:
            parts.put(old, v)
        else:
            spread = parts.everywhere(v, p)
            if v.shape == p.shape:
                spread = parts.like(parts.local_like(spread, p), p)
            state[k] = spread
