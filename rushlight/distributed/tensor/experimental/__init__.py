"""What PyTorch calls experimental: plain tensors among DTensors, functions of their parts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .._dispatch import implicit
from ._func_map import local_map

__all__ = ["implicit_replication", "local_map"]


@contextmanager
def implicit_replication() -> Iterator[None]:
    """A block in which plain tensors among DTensors count as replicated: all ranks must have the
    same ones."""
    before, implicit.on = implicit.on, True
    try:
        yield
    finally:
        implicit.on = before
