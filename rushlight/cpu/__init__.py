"""`torch.cpu`: the CPU asked as if it were an accelerator.

The questions about memory are those of `torch.cuda`. They know the arrays that were made since the
allocator began (`kernels/runtime/memory.py`): with the first kernel, or the first question. Where
it is not in use (no LLVM, RUSHLIGHT_JIT=0, RUSHLIGHT_MEMORY_CACHE=0, not Linux) all answers are 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..blocks import contextmanager
from ..device import usable
from ..errors import message
from ..kernels.runtime import memory

__all__ = ["Stream", "StreamContext", "current_device", "current_stream", "device_count"]
__all__ += ["empty_cache", "max_memory_allocated", "max_memory_reserved", "memory_allocated"]
__all__ += ["memory_reserved", "memory_stats", "memory_summary", "reset_peak_memory_stats"]
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


def _counts(device: Any) -> dict[str, int]:
    if usable(device).type != "cpu":
        raise ValueError(
            message(f"the memory of device '{device}' is not counted here", wanted="the CPU")
        )
    return memory.counts()


def memory_allocated(device: Any = None) -> int:
    """Bytes of the arrays that live."""
    return _counts(device)["allocated"]


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes that lived at one time, since the start or `reset_peak_memory_stats`."""
    return _counts(device)["allocated_peak"]


def memory_reserved(device: Any = None) -> int:
    """Bytes held for arrays: in use, or kept for later ones."""
    return _counts(device)["reserved"]


def max_memory_reserved(device: Any = None) -> int:
    """The most bytes held at one time, since the start or `reset_peak_memory_stats`."""
    return _counts(device)["reserved_peak"]


def reset_peak_memory_stats(device: Any = None) -> None:
    """Let both peaks begin at what is in use now."""
    _counts(device)
    memory.reset_peaks()


def memory_stats(device: Any = None) -> dict[str, int]:
    """What the allocator has counted, by the names of `torch.cuda.memory_stats`.

    "large_pool" are arrays above 256 KiB; "inactive" is what is kept for later ones,
    "num_reused" how many took such memory, "returned_bytes" what went back to the system.
    """
    c = _counts(device)
    return {
        "allocated_bytes.all.current": c["allocated"],
        "allocated_bytes.all.peak": c["allocated_peak"],
        "allocated_bytes.large_pool.current": c["large"],
        "allocated_bytes.small_pool.current": c["allocated"] - c["large"],
        "allocation.large_pool.allocated": c["allocations"],
        "inactive_bytes.all.current": c["kept"],
        "max_inactive_bytes": c["kept_at_most"],
        "num_reused": c["reuses"],
        "reserved_bytes.all.current": c["reserved"],
        "reserved_bytes.all.peak": c["reserved_peak"],
        "returned_bytes": c["returned"],
    }


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    """The counts as a table; `abbreviated` leaves out those of large arrays and of the cache."""
    c = _counts(device)
    rows = [
        ("allocated memory", c["allocated"], c["allocated_peak"]),
        ("reserved memory", c["reserved"], c["reserved_peak"]),
    ]
    more = [
        ("in arrays above 256 KiB", c["large"]),
        ("kept for later arrays", c["kept"]),
        ("kept at most", c["kept_at_most"]),
        ("returned to the system", c["returned"]),
    ]
    lines = [f"{'memory of the CPU':<26}{'now':>14}{'peak':>14}"]
    lines += [f"{name:<26}{_shown(now):>14}{_shown(peak):>14}" for name, now, peak in rows]
    if not abbreviated:
        lines += [f"{name:<26}{_shown(value):>14}" for name, value in more]
        lines.append(f"{'large arrays made':<26}{c['allocations']:>14,}")
        lines.append(f"{'of them in kept memory':<26}{c['reuses']:>14,}")
    return "\n".join(lines)


def _shown(value: int) -> str:
    return f"{value / 2**20:,.1f} MiB"


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


@contextmanager
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
