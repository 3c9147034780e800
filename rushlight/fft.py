"""Fourier transforms under PyTorch's names. Computed in `ops/fft.py`."""

from __future__ import annotations

from typing import Any

from .derive import namespaces

__all__ = [*sorted(namespaces["fft"])]

globals().update(namespaces["fft"])


def __getattr__(name: str) -> Any:  # the names come from the op records: a checker cannot see them
    raise AttributeError(f"module 'rushlight.fft' has no attribute '{name}'")
