"""Marks for NVIDIA's profiler: without CUDA they raise, as PyTorch's do."""

from __future__ import annotations

from typing import Any, NoReturn

from ..errors import message

__all__ = ["mark", "range", "range_pop", "range_push"]


def mark(*args: Any, **kw: Any) -> NoReturn:
    """Raises: there is no CUDA profiler to write to."""
    raise RuntimeError(
        message(
            "NVTX functions not installed. Are you sure you have a CUDA build?",
            hint="torch.profiler.record_function, which works on the CPU",
        )
    )


range_push = range_pop = range = mark
