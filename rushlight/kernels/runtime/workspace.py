"""Workspace: memory that a kernel needs while it runs, kept for the next one of the same thread."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

MOST_KEPT = 1 << 23  # bytes; more than that is given back, for it is rarely needed


class _Kept(threading.local):
    room: Any = None


kept = _Kept()


def workspace(nbytes: int) -> Any:
    """At least `nbytes` bytes that begin at a cache line; whoever asks next gets the same."""
    room = kept.room
    if room is None or room.nbytes < nbytes:
        room = aligned(nbytes)
        if nbytes <= MOST_KEPT:
            kept.room = room
    return room


def release() -> None:
    """Let this thread's workspace go."""
    kept.room = None


def aligned(nbytes: int) -> Any:
    """Bytes of one's own that begin at a cache line."""
    raw = np.empty(nbytes + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + nbytes]
