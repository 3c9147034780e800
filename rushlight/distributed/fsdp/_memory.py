"""Memory for whole parameters, which is given back to the system while they are spread.

The tape keeps arrays that look at a unit's parameters, views among them, from forward to backward.
So their memory stays where it is, and its pages are handed back (madvise): they cost nothing until
they are written again. Tensors in it count no change when a unit is gathered anew, as they have the
same values again.
"""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np

ALIGN = 64  # bytes between the beginnings of parameters: a cache line
_RELEASES = hasattr(mmap, "MADV_DONTNEED") and hasattr(mmap, "MAP_PRIVATE")


class Memory:
    """So many bytes, which `release()` gives back."""

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes
        self.held = False  # whether something is in it
        size = max(nbytes, 1)
        if _RELEASES:
            self._map = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        else:  # Windows: the pages stay
            self._map = mmap.mmap(-1, size)
        self._bytes = np.frombuffer(self._map, np.uint8)

    def array(self, start: int, shape: tuple[int, ...], dtype: Any) -> Any:
        """The array of this shape and type that begins `start` bytes from here."""
        n = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        return self._bytes[start : start + n].view(dtype).reshape(shape)

    def release(self) -> None:
        """Give the pages back; what stood there is lost."""
        if self.held and _RELEASES:
            self._map.madvise(mmap.MADV_DONTNEED)
        self.held = False


def aligned(nbytes: int) -> int:
    """So many bytes, rounded up to whole cache lines."""
    return -(-nbytes // ALIGN) * ALIGN
