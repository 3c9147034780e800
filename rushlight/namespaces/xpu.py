"""`torch.xpu`: not there."""

from __future__ import annotations

from typing import Any


def is_initialized() -> bool:
    """False."""
    return False


def is_available() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def manual_seed(seed: int) -> None:
    """Harmless."""


manual_seed_all = manual_seed


def empty_cache() -> None:
    """Harmless."""


def synchronize(device: Any = None) -> None:
    """Harmless."""
