"""Where PyTorch keeps the questions about the memory of CUDA devices."""

from __future__ import annotations

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
