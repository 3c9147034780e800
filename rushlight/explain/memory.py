"""Memory: which arrays are born and die, and whose they are.

An array that owns its memory is a `Block`: it is met when an event gives it or takes it, and a weak
reference tells of its death. What tensors are for is known later than when they are made: a
parameter from its module, a gradient from its leaf, the rest from what asked for it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ..array_memory import root
from ..autograd.holders import RANK
from ..autograd.node import TensorBase
from .numbers import type_name
from .recording import NONE, Block

ndarray = np.ndarray
LEAST = 512  # bytes: smaller arrays are not followed
MOST = 400_000  # blocks


class _Life(weakref.ref):  # type: ignore[type-arg]
    """A weak reference that knows the block."""

    __slots__ = ("key", "place")
    key: int
    place: int


class Memory:
    """The blocks of a recording.

    Attributes:
        blocks: all of them, in the order in which they were met.
        live: bytes of those that live.
    """

    def __init__(self, clock: Callable[[], int]) -> None:
        self.blocks: list[Block] = []
        self.clock = clock
        self.live = 0
        self.open = True
        self._now = 0  # of the last birth or death: times stand in the order of what happened
        self._alive: dict[int, _Life] = {}
        self._died = self._end  # one object for all references

    def find(self, a: Any) -> int:
        """The block of an array, or NONE."""
        a = root(a)
        found = self._alive.get(id(a))
        return found.place if found is not None else NONE

    def met(
        self, a: Any, event: int, line: int, at: int, role: str = "other", name: str = ""
    ) -> int:
        """An array is given by an event (or, with event NONE, is there already)."""
        if a.__class__ is not ndarray:
            return NONE
        shape, dtype = a.shape, a.dtype
        a = root(a)
        key = id(a)
        known = self._alive.get(key)
        if known is not None:
            if role != "other":
                self.call(known.place, role, name)
            return known.place
        size = a.nbytes
        if size < LEAST or len(self.blocks) >= MOST:
            return NONE
        place = len(self.blocks)
        if event != NONE:
            at = self._now = max(at, self._now + 1)
        self.blocks.append(
            Block(size, at, NONE, event, line, role, name, type_name(dtype), tuple(shape))
        )
        life = _Life(a, self._died)
        life.key, life.place = key, place
        self._alive[key] = life
        self.live += size
        return place

    def call(self, place: int, role: str, name: str) -> None:
        """Say what a block is for, unless something more exact is known."""
        block = self.blocks[place]
        if RANK[role] < RANK[block.role] or not (block.name or role == "other"):
            block.role, block.name = role, name

    def _end(self, life: Any) -> None:
        if not self.open:
            return
        self._alive.pop(life.key, None)
        block = self.blocks[life.place]
        block.died = self._now = max(self.clock(), self._now + 1)
        self.live -= block.bytes

    def close(self) -> None:
        """Listen no more."""
        self.open = False
        self._alive.clear()


def peaks(blocks: list[Block], spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """For each span of time the most bytes that lived in it, and when; spans stand in order."""
    changes = [(b.born, b.bytes) for b in blocks]
    changes += [(b.died, -b.bytes) for b in blocks if b.died != NONE]
    changes.sort(key=lambda c: c[0])
    found, live, k = [], 0, 0
    for begin, end in spans:
        while k < len(changes) and changes[k][0] <= begin:
            live += changes[k][1]
            k += 1
        most, at = live, begin
        while k < len(changes) and changes[k][0] <= end:
            live += changes[k][1]
            if live > most:
                most, at = live, changes[k][0]
            k += 1
        found.append((most, at))
    return found


def tensors(x: Any, depth: int = 4) -> list[Any]:
    """The tensors in a nest of lists, tuples and dictionaries."""
    if isinstance(x, TensorBase):
        return [x]
    if depth and isinstance(x, (list, tuple)):
        return [t for v in x for t in tensors(v, depth - 1)]
    if depth and isinstance(x, dict):
        return [t for v in x.values() for t in tensors(v, depth - 1)]
    return []


def arrays(x: Any) -> list[Any]:
    """Their arrays."""
    return [t._a for t in tensors(x) if t._a.__class__ is ndarray]
