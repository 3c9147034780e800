"""The arithmetic that the old and the new weight norm share."""

from __future__ import annotations

from typing import Any


def norm_except_dim(v: Any, pow: int = 2, dim: int = 0) -> Any:
    """The norm over all dimensions but `dim`, which keeps its size; -1 means over all."""
    if dim == -1:
        return v.norm(pow)
    others = tuple(d for d in range(v.ndim) if d != dim % v.ndim)
    return v.norm(pow, dim=others, keepdim=True) if others else v.abs()


def weight_norm(v: Any, g: Any, dim: int = 0) -> Any:
    """g · v / ‖v‖."""
    return v * (g / norm_except_dim(v, 2, dim))
