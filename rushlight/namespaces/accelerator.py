"""`torch.accelerator`: there is none."""

from __future__ import annotations

from typing import Any

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


def set_device_index(device: Any) -> None:
    """Raises, except for negative numbers: there is no accelerator."""
    if isinstance(device, int) and device < 0:
        return
    raise RuntimeError(
        message(
            "Cannot access accelerator device when none is available.",
            f"device {device!r}",
            hint="ask torch.accelerator.is_available() first",
        )
    )


def current_device_index() -> int:
    """Raises: there is no accelerator."""
    set_device_index("the current one")
    return 0


def synchronize(device: Any = None) -> None:
    """Harmless: everything has been computed already."""
