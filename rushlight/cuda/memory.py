"""Where PyTorch keeps the questions about the memory of CUDA devices."""

from __future__ import annotations

from typing import Any

from .. import cuda
from . import (
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    memory_summary,
    reset_peak_memory_stats,
)

__all__ = ["empty_cache", "max_memory_allocated", "max_memory_reserved", "memory_allocated"]
__all__ += ["memory_reserved", "memory_summary", "reset_peak_memory_stats"]


def __getattr__(name: str) -> Any:
    """What else PyTorch has here is in `torch.cuda` as well."""
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(cuda, name)
