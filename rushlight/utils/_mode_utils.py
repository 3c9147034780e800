"""Where PyTorch keeps what its modes share."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any

from ..ops.core import dispatch

__all__ = ["all_same_mode", "no_dispatch"]


def no_dispatch() -> AbstractContextManager[None]:
    """A block in which no class computes for its tensors: they are shapes without data."""
    return dispatch.disabled()


def all_same_mode(modes: Iterable[Any]) -> bool:
    """Whether there are no two different modes."""
    found = list(modes)
    return all(m == found[0] for m in found)
