"""Memory for trying lines out: copies of operands, full of their numbers or of noise.

Not here: what is tried out (`trace.py`, `lower_plans.py`).
"""

from __future__ import annotations

import ctypes
import functools
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .spy import EMPTY, spied

if TYPE_CHECKING:
    from .trace import Trace

Array = Any


def span(a: Array) -> tuple[int, int]:
    """The addresses of an array's first byte and behind its last one."""
    low = high = a.__array_interface__["data"][0]
    if not a.size:
        return low, low
    if a.flags.c_contiguous:
        return low, low + a.nbytes
    for n, step in zip(a.shape, a.strides, strict=True):
        if step > 0:
            high += (n - 1) * step
        else:
            low += (n - 1) * step
    return low, high + a.itemsize


def read(low: int, high: int) -> Array:
    """The bytes at some addresses, as an array."""
    if low == high:
        return EMPTY(0, np.uint8)
    size = high - low
    there: Any = (ctypes.c_uint8 * size).from_address(low)
    return np.ndarray(size, np.uint8, there)


class Room:
    """Memory of one's own that stands for a stretch of addresses, as far into a cache line."""

    def __init__(self, low: int, high: int) -> None:
        self.low, self.size = low, high - low
        raw: Any = np.empty(self.size + 128, np.uint8)
        start = (low - raw.ctypes.data) % 64
        # A root of its own: what a function finds around it is not what is around an operand.
        there: Any = (ctypes.c_uint8 * self.size).from_buffer(raw, start)
        self.bytes = np.ndarray(self.size, np.uint8, there)
        self.begin = self.bytes.ctypes.data

    def view(self, a: Array) -> Array:
        """What stands for an array of the stretch."""
        at = a.__array_interface__["data"][0] - self.low
        if not a.size:
            return np.empty(a.shape, a.dtype)
        return np.ndarray(a.shape, a.dtype, self.bytes, at, a.strides)


class Copies:
    """Memory like that of some arrays: those that share memory share it here, too."""

    def __init__(self, examples: Sequence[Array], fixed: Sequence[bool]) -> None:
        self.fixed = fixed
        self.scalars = [not isinstance(a, np.ndarray) for a in examples]
        self.kept = arrays = [np.asarray(a) for a in examples]
        spans = sorted((*span(a), k) for k, a in enumerate(arrays))
        self.rooms: list[Room] = []
        self.room_of: list[Room] = [None] * len(arrays)  # type: ignore[list-item]
        group: list[int] = []
        low = high = -1
        for first, last, k in [*spans, (1 << 63, 1 << 63, -1)]:
            if group and first >= high:
                room = Room(low, high)
                self.rooms.append(room)
                for member in group:
                    self.room_of[member] = room
                group = []
            if not group:
                low, high = first, last
            group.append(k)
            high = max(high, last)
        self.arrays = [r.view(a) for r, a in zip(self.room_of, arrays, strict=True)]
        for mine, a in zip(self.arrays, arrays, strict=True):
            if not a.flags.writeable:
                mine.flags.writeable = False
        self.constant = {id(r) for r, known in zip(self.room_of, fixed, strict=True) if known}
        self.boolean = {id(r) for r, a in zip(self.room_of, arrays, strict=True) if a.dtype == bool}

    def given(self) -> list[Any]:
        """The operands of a function: the arrays, and scalars where they are."""
        return [a[()] if k else a for k, a in zip(self.scalars, self.arrays, strict=True)]

    def spies(self, trace: Trace) -> list[Any]:
        """The same as spies."""
        found: list[Any] = []
        for scalar, known, a in zip(self.scalars, self.fixed, self.arrays, strict=True):
            spy = spied(a, trace, known)
            spy.scalar = scalar
            found.append(spy)
        return found

    def load(self) -> None:
        """Copy what the arrays hold now."""
        for room in self.rooms:
            room.bytes[...] = read(room.low, room.low + room.size)

    def fill(self, byte: int | None) -> None:
        for room in self.rooms:
            if id(room) in self.constant:
                room.bytes[...] = read(room.low, room.low + room.size)
            else:
                fill(room.bytes, byte, id(room) in self.boolean)

    def bytes(self) -> list[bytes]:
        return [room.bytes.tobytes() for room in self.rooms]


_noise = random.Random(0)


def fill(room: Array, byte: int | None, boolean: bool) -> None:
    """Fill bytes with one, or with noise; `boolean` ones with 0 and 1."""
    if byte is None:
        scatter(room)
    else:
        room[...] = byte
    if boolean:
        room &= 1


def scatter(room: Array) -> None:
    """Fill bytes with noise: one block of it, over and over, from somewhere on. Its length is a
    prime, so it looks different in each row of an array."""
    block, at = noise_block(), 0
    start = _noise.randrange(block.size)
    while at < room.size:
        part = block[start : start + room.size - at]
        room[at : at + part.size] = part
        at, start = at + part.size, 0


@functools.cache
def noise_block() -> Array:
    return np.frombuffer(_noise.randbytes(1_048_583), np.uint8)
