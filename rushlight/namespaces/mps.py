"""`torch.mps`: not there."""

from __future__ import annotations


def is_available() -> bool:
    """False: this version computes on the CPU only.

    >>> torch.mps.is_available()
    False
    """
    return False


def manual_seed(seed: int) -> None:
    """Harmless: there is no such generator to seed.

    >>> torch.mps.manual_seed(0)
    """


def empty_cache() -> None:
    """Harmless: nothing is cached for a device.

    >>> torch.mps.empty_cache()
    """


def synchronize() -> None:
    """Harmless: everything has been computed already.

    >>> torch.mps.synchronize()
    """
