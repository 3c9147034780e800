"""What PyTorch calls experimental: plain tensors among DTensors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .._dispatch import implicit

__all__ = ["implicit_replication"]


@contextmanager
def implicit_replication() -> Iterator[None]:
    """A block in which plain tensors among DTensors count as replicated: all ranks must have the
    same ones."""
    before, implicit.on = implicit.on, True
    try:
        yield
    finally:
        implicit.on = before
