"""`torch.accelerator`: there is none."""

from __future__ import annotations

import warnings
from typing import Any, NoReturn

from rushlight.errors import message


def is_available() -> bool:
    """False: computation is on the CPU."""
    return False


def device_count() -> int:
    """0."""
    return 0


def current_accelerator(check_available: bool = False) -> Any:
    """None: there is no accelerator."""
    return None


def _none(asked: str) -> NoReturn:
    raise RuntimeError(
        message(
            "Cannot access accelerator device when none is available.",
            asked,
            hint="ask torch.accelerator.is_available() first",
        )
    )


def set_device_index(device: Any) -> None:
    """Raises, except for negative numbers: there is no accelerator."""
    if isinstance(device, int) and device < 0:
        return
    _none(f"device {device!r}")


def current_device_index() -> int:
    """Raises: there is no accelerator."""
    set_device_index("the current one")
    return 0


def synchronize(device: Any = None) -> None:
    """Harmless: everything has been computed already."""


def current_device_idx() -> int:
    """The older spelling of `current_device_index`."""
    warnings.warn("Use `current_device_index` instead.", FutureWarning, stacklevel=2)
    return current_device_index()


def set_device_idx(device: Any) -> None:
    """The older spelling of `set_device_index`."""
    warnings.warn("Use `set_device_index` instead.", FutureWarning, stacklevel=2)
    set_device_index(device)


class device_index:
    """For a block, the device of this number; None changes nothing, and any other raises.

    >>> with torch.accelerator.device_index(None):
    ...     torch.ones(1)
    tensor([1.])
    """

    def __init__(self, device: int | None, /) -> None:
        self.idx = device

    def __enter__(self) -> None:
        if self.idx is not None:
            set_device_index(self.idx)

    def __exit__(self, *exc: Any) -> None:
        """Nothing was changed."""


# Questions about a device that is not there: what each answers in PyTorch without one.
ASKED = """
    current_stream empty_cache empty_host_cache get_device_capability get_memory_info
    max_memory_allocated max_memory_reserved memory_allocated memory_reserved memory_stats
    reset_accumulated_memory_stats reset_peak_memory_stats set_stream Graph
"""


def _asked(name: str) -> Any:
    def ask(*args: Any, **kw: Any) -> NoReturn:
        _none(f"torch.accelerator.{name}()")

    ask.__name__ = ask.__qualname__ = name
    ask.__doc__ = "Raises RuntimeError: there is no accelerator."
    return ask


globals().update({name: _asked(name) for name in ASKED.split()})
