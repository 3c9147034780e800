"""`torch.accelerator`: there is none."""

from __future__ import annotations

from typing import Any


def is_available() -> bool:
    """False: computation is on the CPU."""
    return False


def device_count() -> int:
    """0."""
    return 0


def current_accelerator(check_available: bool = False) -> Any:
    """None: there is no accelerator."""
    return None


def synchronize(device: Any = None) -> None:
    """Harmless: everything has been computed already."""
