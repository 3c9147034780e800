"""Marks on tensors: which of their sizes are free in a plan, and which are not.

They are attributes of the tensor, under PyTorch's names; `compiler/` reads them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import message

__all__ = ["mark_dynamic", "mark_static", "mark_static_address", "maybe_mark_dynamic"]

Index = int | Sequence[int]


@dataclass(frozen=True)
class _DimRange:
    """A free size, and what it is at least and at most."""

    dim: int
    min: int | None
    max: int | None


def mark_dynamic(
    t: Any,
    index: Index,
    *,
    hint_override: int | None = None,
    min: int | None = None,
    max: int | None = None,
    specialize_on: list[Any] | None = None,
) -> None:
    """Let these sizes of a tensor be free in a plan.

    Args:
        index: a dim, or several.
        min, max: what the size is at least and at most; kept.
        hint_override, specialize_on: accepted.
    """
    for dim in dims(index):
        add(t, "_dynamo_dynamic_indices", dim)
        add(t, "_dynamo_dynamic_range", _DimRange(dim, min, max))


def maybe_mark_dynamic(t: Any, index: Index) -> None:
    """The same, where it can be done."""
    for dim in dims(index):
        add(t, "_dynamo_weak_dynamic_indices", dim)


def mark_static(t: Any, index: Index | None = None) -> Any:
    """Let these sizes of a tensor (all without `index`) be fixed in plans with `dynamic=True`.

    A class of modules may be marked, too, which changes nothing.
    """
    from .. import Tensor, nn

    if not isinstance(t, Tensor):
        if isinstance(t, type) and issubclass(t, nn.Module):
            t._dynamo_marked_static = True  # type: ignore[attr-defined]
            return t
        raise TypeError(f"mark_static expects a tensor/nn.Module class but received {type(t)}")
    for dim in range(t.dim()) if index is None else dims(index):
        add(t, "_dynamo_static_indices", dim)
    return None


def mark_static_address(t: Any, guard: bool = False) -> None:
    """Accepted: a plan asks its operands for their memory each time."""
    from .. import Tensor

    if not isinstance(t, Tensor):
        raise TypeError(f"mark_static_address expects a tensor but received {type(t)}")
    t._dynamo_static_input_type = "guarded" if guard else "unguarded"  # type: ignore[attr-defined]


def dims(index: Any) -> Sequence[int]:
    if isinstance(index, int):
        return (index,)
    if not isinstance(index, (list, tuple)):
        raise AssertionError(
            message("Expected index to be int, list, or tuple", f"{type(index).__name__}")
        )
    return index


def add(t: Any, name: str, value: Any) -> None:
    """Put a value into a set that is an attribute of the tensor."""
    if not hasattr(t, name):
        setattr(t, name, set())
    getattr(t, name).add(value)
    t._has_dynamo_dim_marking = True
