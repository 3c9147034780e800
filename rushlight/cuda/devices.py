"""Questions and wishes about CUDA devices that programs seldom have: what changes nothing is
harmless, what has an answer without a device is answered, and the rest says that there is none.

`torch.cuda` finds them here when they are asked for.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

from ..blocks import contextmanager
from ..device import usable

has_half = True  # float16 exists; no device computes with it
has_magma = False
default_generators: tuple[Any, ...] = ()

# What acts on a device, or tells of one: each raises, whatever it is given.
_NAMES = """
    caching_allocator_alloc caching_allocator_delete can_device_access_peer change_current_allocator
    check_error clock_rate current_blas_handle current_solver_handle device_memory_used
    get_allocator_backend get_per_process_memory_fraction get_stream_from_external
    get_sync_debug_mode graph_pool_handle initial_seed list_gpu_processes make_graphed_callables
    memory_snapshot memory_usage power_draw set_per_process_memory_fraction set_sync_debug_mode
    temperature use_mem_pool utilization CUDAPluggableAllocator ExternalStream GreenContext MemPool
    cudaStatus
"""
NEED_A_DEVICE = frozenset(_NAMES.split())


class CudaError(RuntimeError):
    """What a CUDA driver reports: never raised here.

    >>> issubclass(torch.cuda.CudaError, RuntimeError)
    True
    """


class DeferredCudaCallError(Exception):
    """A call that waited for CUDA to start and failed: never raised here.

    >>> issubclass(torch.cuda.DeferredCudaCallError, Exception)
    True
    """


def needing(name: str) -> Any:
    """The function of this name, which raises."""

    def need(*args: Any, **kw: Any) -> Any:
        return usable("cuda")

    need.__name__ = need.__qualname__ = name
    need.__doc__ = "Raises RuntimeError: there is no CUDA device."
    return need


def get_gencode_flags() -> str:
    """Nothing: no code is generated for a device.

    >>> torch.cuda.get_gencode_flags()
    ''
    """
    return ""


def set_stream(stream: Any) -> None:
    """Harmless for None, as `with torch.cuda.stream(None)` is; a stream there cannot be.

    >>> torch.cuda.set_stream(None)
    """
    if stream is not None:
        usable("cuda")


def caching_allocator_enable(value: bool = True) -> None:
    """Harmless: nothing is allocated on a device.

    >>> torch.cuda.caching_allocator_enable(False)
    """


@contextmanager
def caching_allocator_disabled() -> Iterator[None]:
    """Harmless: nothing is allocated on a device.

    >>> with torch.cuda.caching_allocator_disabled():
    ...     torch.ones(1)
    tensor([1.])
    """
    yield


def reset_accumulated_memory_stats(device: Any = None) -> None:
    """Harmless: nothing is counted. So are its relatives for host memory.

    >>> torch.cuda.reset_accumulated_memory_stats()
    """


reset_accumulated_host_memory_stats = reset_peak_host_memory_stats = reset_accumulated_memory_stats


def memory_stats_as_nested_dict(device: Any = None) -> dict[str, Any]:
    """{}: nothing is allocated on a device. So say `host_memory_stats` and its nested form.

    >>> torch.cuda.memory_stats_as_nested_dict()
    {}
    """
    return {}


host_memory_stats = host_memory_stats_as_nested_dict = memory_stats_as_nested_dict


def max_memory_cached(device: Any = None) -> int:
    """The older spelling of `max_memory_reserved`."""
    text = "`torch.cuda.max_memory_cached` has been renamed to `torch.cuda.max_memory_reserved`"
    warnings.warn(text, FutureWarning, stacklevel=2)
    return 0


def reset_max_memory_cached(device: Any = None) -> None:
    """The older spelling of `reset_peak_memory_stats`."""
    text = "torch.cuda.reset_max_memory_cached now calls torch.cuda.reset_peak_memory_stats"
    warnings.warn(f"{text}, which resets /all/ peak memory stats.", FutureWarning, stacklevel=2)


class device_of:
    """For a block, the device of a tensor; that of a tensor on the CPU changes nothing.

    >>> with torch.cuda.device_of(torch.ones(1)):
    ...     torch.ones(1)
    tensor([1.])
    """

    def __init__(self, obj: Any) -> None:
        self.idx = -1

    def __enter__(self) -> None:
        """Nothing to change."""

    def __exit__(self, *exc: Any) -> None:
        """Nothing was changed."""
