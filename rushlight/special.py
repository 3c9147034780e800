"""Special functions under PyTorch's names. Computed in `ops/special.py`."""

from __future__ import annotations

from typing import Any

from .derive import namespaces

__all__ = [*sorted(namespaces["special"])]

globals().update(namespaces["special"])


def __getattr__(name: str) -> Any:  # the names come from the op records: a checker cannot see them
    raise AttributeError(f"module 'rushlight.special' has no attribute '{name}'")
