"""What generated code calls `fx_pytree`: arguments taken apart by the form that they must have."""

from __future__ import annotations

from typing import Any

from ..utils._pytree import tree_flatten

__all__ = ["tree_flatten_spec"]


def tree_flatten_spec(pytree: Any, spec: Any) -> list[Any]:
    """The leaves of a tree of the form `spec`. Raises RuntimeError for another form."""
    leaves, form = tree_flatten(pytree)
    if form.num_leaves != spec.num_leaves:
        raise RuntimeError(f"Node arity mismatch; expected {spec}, but got {form}.")
    return leaves
