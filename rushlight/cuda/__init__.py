"""The `torch.cuda` names on a machine without CUDA: questions are answered truthfully, seeding and
waiting are harmless, and using a device raises an error that says what to do."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from typing import Any

from ..device import usable
from ..errors import OutOfMemoryError as OutOfMemoryError


def is_available() -> bool:
    """False: this version computes on the CPU only."""
    return False


def is_initialized() -> bool:
    """False."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """False."""
    return False


def is_tf32_supported() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def current_device() -> int:
    """Raises: there is no device."""
    usable("cuda")
    return 0


def init() -> None:
    """Raises: there is no device."""
    usable("cuda")


def get_device_name(device: Any = None) -> str:
    """Raises: there is no device."""
    usable("cuda")
    return ""


def get_device_properties(device: Any = None) -> Any:
    """Raises: there is no device."""
    return usable("cuda")


get_device_capability = get_device_properties


def set_device(device: Any) -> None:
    """Raises, except for negative numbers, which mean 'leave it' in PyTorch too."""
    if isinstance(device, int) and device < 0:
        return
    usable("cuda")


class device:
    """A context that would select a device; entering it with a real one raises."""

    def __init__(self, device: Any) -> None:
        self.idx = device

    def __enter__(self) -> None:
        if self.idx is not None and not (isinstance(self.idx, int) and self.idx < 0):
            usable("cuda")

    def __exit__(self, *args: object) -> None:
        """Nothing to restore."""


# Seeding and housekeeping are harmless, so that scripts which always call them run.


def manual_seed(seed: int) -> None:
    """Harmless: there is no CUDA generator to seed (as PyTorch does without a device)."""
    int(seed)


manual_seed_all = manual_seed


def seed() -> None:
    """Harmless."""


seed_all = seed


def synchronize(device: Any = None) -> None:
    """Harmless when no device was ever used: everything has been computed already."""


class Stream:
    """Raises when made: work cannot be queued on a device that is not there."""

    def __init__(self, device: Any = None, priority: int = 0) -> None:
        usable("cuda")


@contextlib.contextmanager
def stream(stream: Stream | None) -> Iterator[None]:
    """Harmless: without devices the stream is None, and the block runs as it stands."""
    yield


StreamContext = stream


class Event:
    """Raises when made: there is no device whose work it could mark."""

    def __init__(self, *args: Any, **kw: Any) -> None:
        usable("cuda")


class CUDAGraph(Event):
    """Raises when made: there is no device whose work it could record."""


class graph(Event):
    """Raises when made: there is no device whose work it could record."""


def current_stream(device: Any = None) -> Any:
    """Raises: there is no device."""
    return usable("cuda")


default_stream = mem_get_info = cudart = current_stream


def is_current_stream_capturing() -> bool:
    """False."""
    return False


def get_arch_list() -> list[str]:
    """[]: nothing was compiled for a device."""
    return []


def empty_cache() -> None:
    """Harmless: nothing is cached for a device."""


def ipc_collect() -> None:
    """Harmless."""


def reset_peak_memory_stats(device: Any = None) -> None:
    """Harmless."""


reset_max_memory_allocated = reset_accumulated_memory_stats = reset_peak_memory_stats


def memory_allocated(device: Any = None) -> int:
    """0 bytes on devices that do not exist."""
    return 0


max_memory_allocated = memory_reserved = max_memory_reserved = memory_cached = memory_allocated


def memory_stats(device: Any = None) -> dict[str, Any]:
    """{}: nothing is allocated on devices that do not exist."""
    return {}


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    """A line that says there is no device."""
    return "no CUDA device: no memory is allocated on one"


def get_rng_state(device: Any = "cuda") -> Any:
    """Raises: there is no CUDA generator."""
    return usable("cuda")


def get_rng_state_all() -> list[Any]:
    """[]: no devices."""
    return []


def set_rng_state(new_state: Any, device: Any = "cuda") -> None:
    """Raises: there is no CUDA generator."""
    usable("cuda")


def set_rng_state_all(new_states: Any) -> None:
    """Accepts the empty list that `get_rng_state_all` gives."""
    if list(new_states):
        usable("cuda")


def __getattr__(name: str) -> Any:
    if name in ("amp", "memory", "nvtx", "random"):
        return importlib.import_module(f"{__package__}.{name}")
    if name.endswith("Tensor"):
        return lambda *args, **kw: usable("cuda")
    raise AttributeError(
        f"module 'rushlight.cuda' has no attribute '{name}'\n  got     torch.cuda.{name} on a "
        f"machine without CUDA\n"
        "  try     ask torch.cuda.is_available() first"
    )
