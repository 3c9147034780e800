"""`torch.mps`: not there."""

from __future__ import annotations


def is_available() -> bool:
    """False."""
    return False


def manual_seed(seed: int) -> None:
    """Harmless."""


def empty_cache() -> None:
    """Harmless."""


def synchronize() -> None:
    """Harmless."""
