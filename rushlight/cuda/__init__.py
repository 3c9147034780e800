"""The `torch.cuda` names on a machine without CUDA: questions are answered truthfully, seeding and
waiting are harmless, and using a device raises an error that says what to do. Where the CPU stands
in for a device (`python -m rushlight --cuda-as-cpu`, decision 0044), using one is harmless too."""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator
from typing import Any

from ..blocks import contextmanager
from ..config import current
from ..device import usable
from ..errors import OutOfMemoryError as OutOfMemoryError
from ..errors import message


def is_available() -> bool:
    """False: this version computes on the CPU only. So the usual choice of a device gives the CPU.

    >>> device = "cuda" if torch.cuda.is_available() else "cpu"
    >>> torch.zeros(2, device=device).device
    device(type='cpu')
    """
    return False


# Reversible layers ask this before they keep the random state of devices.
_initialized = False


def _is_in_bad_fork() -> bool:
    return False


def _lazy_init() -> None:
    usable("cuda")


def is_initialized() -> bool:
    """False: no driver is ever started.

    >>> torch.cuda.is_initialized()
    False
    """
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """False: there is no device. On the CPU bfloat16 works (`torch.bfloat16`).

    >>> torch.cuda.is_bf16_supported()
    False
    """
    return False


def is_tf32_supported() -> bool:
    """False: there is no device. `torch.set_float32_matmul_precision` is what speeds up the CPU.

    >>> torch.cuda.is_tf32_supported()
    False
    """
    return False


def device_count() -> int:
    """0: the number of devices.

    >>> torch.cuda.device_count()
    0
    """
    return 0


def current_device() -> int:
    """Raises: there is no device.

    Raises:
        RuntimeError: always; ask `is_available()` first.

    >>> torch.cuda.current_device() if torch.cuda.is_available() else "no device"
    'no device'
    """
    usable("cuda")
    return 0


def init() -> None:
    """Raises: there is no device.

    >>> if torch.cuda.is_available():
    ...     torch.cuda.init()
    """
    usable("cuda")


def get_device_name(device: Any = None) -> str:
    """Raises: there is no device.

    >>> [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
    []
    """
    usable("cuda")
    return "CPU in place of a CUDA device"


def get_device_properties(device: Any = None) -> Any:
    """Raises: there is no device. (`get_device_capability` is this function, too.)

    >>> [torch.cuda.get_device_properties(i) for i in range(torch.cuda.device_count())]
    []
    """
    _no_counterpart("get_device_properties")


get_device_capability = get_device_properties


def set_device(device: Any) -> None:
    """Raises, except for negative numbers, which mean 'leave it' in PyTorch too.

    >>> torch.cuda.set_device(-1)
    """
    if isinstance(device, int) and device < 0:
        return
    usable("cuda")


class device:
    """A context that would select a device; entering it with a real one raises.

    Args:
        device: a number, a name or a `torch.device`; None and negative numbers mean 'leave it'.

    >>> with torch.cuda.device(-1):
    ...     print(torch.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, device: Any) -> None:
        self.idx = device

    def __enter__(self) -> None:
        if self.idx is not None and not (isinstance(self.idx, int) and self.idx < 0):
            usable("cuda")

    def __exit__(self, *args: object) -> None:
        """Nothing to restore."""


# Seeding and housekeeping are harmless, so that scripts which always call them run.


def manual_seed(seed: int) -> None:
    """Harmless: there is no CUDA generator to seed (as PyTorch does without a device).

    >>> torch.cuda.manual_seed(0)
    >>> torch.cuda.manual_seed_all(0)
    """
    int(seed)


manual_seed_all = manual_seed


def seed() -> None:
    """Harmless: there is no CUDA generator to seed.

    >>> torch.cuda.seed()
    >>> torch.cuda.seed_all()
    """


seed_all = seed


def synchronize(device: Any = None) -> None:
    """Harmless when no device was ever used: everything has been computed already.

    PyTorch built for CUDA raises where it finds no device; here scripts that time their steps run.

    >>> torch.cuda.synchronize()
    """


class Stream:
    """Raises when made: work cannot be queued on a device that is not there.

    >>> stream = torch.cuda.Stream() if torch.cuda.is_available() else None
    >>> with torch.cuda.stream(stream):
    ...     print(torch.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, device: Any = None, priority: int = 0) -> None:
        usable("cuda")

    # Where the CPU stands in, every call has ended when it returns: there is nothing to wait for.

    def query(self) -> bool:
        """True: nothing is left to be done."""
        return True

    def synchronize(self) -> None:
        """Nothing to wait for."""

    def wait_stream(self, stream: Any) -> None:
        """Nothing to wait for."""

    def wait_event(self, event: Any) -> None:
        """Nothing to wait for."""

    def record_event(self, event: Any = None) -> Any:
        """The event, or a new one, recorded."""
        event = Event() if event is None else event
        event.record()
        return event


@contextmanager
def stream(stream: Stream | None) -> Iterator[None]:
    """Harmless: without devices the stream is None, and the block runs as it stands.

    >>> with torch.cuda.stream(None):
    ...     print(torch.ones(2))
    tensor([1., 1.])
    """
    yield


StreamContext = stream


class Event:
    """Raises when made: there is no device whose work it could mark. On the CPU every call has
    ended when it returns; `time.perf_counter()` around it is its time.

    >>> event = torch.cuda.Event() if torch.cuda.is_available() else None
    >>> print(event)
    None
    """

    def __init__(self, *args: Any, **kw: Any) -> None:
        usable("cuda")
        self._at: float | None = None

    # Where the CPU stands in, an event is the moment at which it was recorded.

    def record(self, stream: Any = None) -> None:
        """Take the time."""
        self._at = time.perf_counter()

    def elapsed_time(self, end_event: Any) -> float:
        """Milliseconds from this event to the other."""
        if self._at is None or end_event._at is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return float((end_event._at - self._at) * 1e3)

    def query(self) -> bool:
        """True: nothing is left to be done."""
        return True

    def synchronize(self) -> None:
        """Nothing to wait for."""

    def wait(self, stream: Any = None) -> None:
        """Nothing to wait for."""


class _Absent:
    """What has no counterpart on the CPU, and raises wherever it is made."""

    def __init__(self, *args: Any, **kw: Any) -> None:
        _no_counterpart(type(self).__name__)


def _no_counterpart(name: str) -> None:
    if current.cuda_as_cpu:
        raise NotImplementedError(
            message(
                f"torch.cuda.{name} needs a CUDA device",
                got="--cuda-as-cpu, where the CPU stands in for one",
                wanted="calls that have a counterpart on the CPU",
                hint="leaving the call out",
            )
        )
    usable("cuda")


class CUDAGraph(_Absent):
    """Raises when made: there is no device whose work it could record. `torch.compile` is what
    makes one launch of many operations here.

    >>> recorded = torch.cuda.CUDAGraph() if torch.cuda.is_available() else None
    >>> print(recorded)
    None
    """


class graph(_Absent):
    """Raises when made: there is no device whose work it could record. See `CUDAGraph`.

    >>> recording = torch.cuda.graph(None) if torch.cuda.is_available() else None
    >>> print(recording)
    None
    """


def current_stream(device: Any = None) -> Any:
    """Raises: there is no device. (`default_stream` is this function, too.)

    >>> torch.cuda.current_stream() if torch.cuda.is_available() else "no stream"
    'no stream'
    """
    return Stream()


default_stream = current_stream


def mem_get_info(device: Any = None) -> Any:
    """Raises: there is no device. (`cudart` is this function, too.)

    >>> torch.cuda.mem_get_info() if torch.cuda.is_available() else "no memory"
    'no memory'
    """
    _no_counterpart("mem_get_info")


cudart = mem_get_info


def is_current_stream_capturing() -> bool:
    """False: there is no stream.

    >>> torch.cuda.is_current_stream_capturing()
    False
    """
    return False


def get_arch_list() -> list[str]:
    """[]: nothing was compiled for a device.

    >>> torch.cuda.get_arch_list()
    []
    """
    return []


def empty_cache() -> None:
    """Harmless: nothing is cached for a device.

    >>> torch.cuda.empty_cache()
    """


def ipc_collect() -> None:
    """Harmless: no memory of a device is shared with other processes.

    >>> torch.cuda.ipc_collect()
    """


def reset_peak_memory_stats(device: Any = None) -> None:
    """Harmless: nothing is counted.

    >>> torch.cuda.reset_peak_memory_stats()
    """


reset_max_memory_allocated = reset_accumulated_memory_stats = reset_peak_memory_stats


def memory_allocated(device: Any = None) -> int:
    """0 bytes on devices that do not exist. So are `memory_reserved` and the largest of both.

    >>> torch.cuda.memory_allocated(), torch.cuda.max_memory_reserved()
    (0, 0)
    """
    return 0


max_memory_allocated = memory_reserved = max_memory_reserved = memory_cached = memory_allocated


def memory_stats(device: Any = None) -> dict[str, Any]:
    """{}: nothing is allocated on devices that do not exist.

    >>> dict(torch.cuda.memory_stats())
    {}
    """
    return {}


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    """A line that says there is no device. `torch.explain.memory()` tells of the CPU's memory.

    >>> torch.cuda.memory_summary()
    'no CUDA device: no memory is allocated on one'
    """
    return "no CUDA device: no memory is allocated on one"


def get_rng_state(device: Any = "cuda") -> Any:
    """Raises: there is no CUDA generator. `torch.get_rng_state()` is the CPU's.

    >>> torch.cuda.get_rng_state() if torch.cuda.is_available() else "no generator"
    'no generator'
    """
    usable("cuda")
    from ..random import get_rng_state

    return get_rng_state()


def get_rng_state_all() -> list[Any]:
    """[]: one state for each device, of which there is none.

    >>> torch.cuda.get_rng_state_all()
    []
    """
    return []


def set_rng_state(new_state: Any, device: Any = "cuda") -> None:
    """Raises: there is no CUDA generator.

    >>> if torch.cuda.is_available():
    ...     torch.cuda.set_rng_state(torch.cuda.get_rng_state())
    """
    usable("cuda")
    from ..random import set_rng_state

    set_rng_state(new_state)


def set_rng_state_all(new_states: Any) -> None:
    """Accepts the empty list that `get_rng_state_all` gives; states of devices raise.

    >>> torch.cuda.set_rng_state_all(torch.cuda.get_rng_state_all())
    """
    if list(new_states):
        usable("cuda")


def __getattr__(name: str) -> Any:
    if name in ("amp", "memory", "nvtx", "random"):
        return importlib.import_module(f"{__package__}.{name}")
    if name.endswith("Tensor"):
        from . import legacy_types

        if name in legacy_types.LEGACY:
            return legacy_types.legacy_type(name)
    if name.endswith("Storage"):
        return lambda *args, **kw: usable("cuda")
    devices = importlib.import_module(f"{__package__}.devices")
    if name in devices.NEED_A_DEVICE:
        return devices.needing(name)
    if not name.startswith("_") and name in vars(devices):
        return getattr(devices, name)
    raise AttributeError(
        f"module 'rushlight.cuda' has no attribute '{name}'\n  got     torch.cuda.{name} on a "
        f"machine without CUDA\n"
        "  try     ask torch.cuda.is_available() first"
    )
