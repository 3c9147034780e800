"""Linear algebra under PyTorch's names: norms, systems, factorizations (`ops/linalg*.py`)."""

from __future__ import annotations

from typing import Any

from .derive import namespaces
from .errors import LinAlgError

__all__ = ["LinAlgError", *sorted(namespaces["linalg"])]

globals().update(namespaces["linalg"])


def __getattr__(name: str) -> Any:  # the names come from the op records: a checker cannot see them
    raise AttributeError(f"module 'rushlight.linalg' has no attribute '{name}'")
