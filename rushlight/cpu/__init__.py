"""`torch.cpu`: the CPU asked as if it were an accelerator."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..kernels import memory

__all__ = ["Stream", "StreamContext", "current_device", "current_stream", "device_count"]
__all__ += ["empty_cache"]
__all__ += ["is_available", "is_initialized", "set_device", "stream", "synchronize"]


class Stream:
    """The order of the program; there is no other on a CPU."""

    def __init__(self, priority: int = -1) -> None:
        self.priority = priority

    def wait_stream(self, stream: Any) -> None:
        """Nothing to wait for."""

    record_event = wait_event = wait_stream


def empty_cache() -> None:
    """Give memory that was freed and kept for later results back to the system."""
    memory.trim()


def is_available() -> bool:
    """True."""
    return True


is_initialized = is_available


def synchronize(device: Any = None) -> None:
    """Nothing to wait for: an operation has finished when it returns."""


def current_stream(device: Any = None) -> Stream:
    """The one stream."""
    return _stream


_stream = Stream()


@contextlib.contextmanager
def stream(stream: Stream | None) -> Iterator[None]:
    """The block runs as it stands."""
    yield


StreamContext = stream


def device_count() -> int:
    """1, however many cores it has."""
    return 1


def current_device() -> str:
    """ "cpu"."""
    return "cpu"


def set_device(device: Any) -> None:
    """Nothing to choose from."""
