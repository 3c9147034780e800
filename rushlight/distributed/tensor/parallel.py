"""Layers spread over processes: the names."""

from __future__ import annotations

from rushlight import coming
from rushlight.distributed import FEATURE, HINT

__getattr__, __dir__ = coming.module(
    __name__,
    "ColwiseParallel ParallelStyle PrepareModuleInput PrepareModuleOutput RowwiseParallel "
    "SequenceParallel loss_parallel parallelize_module",
    FEATURE,
    HINT,
)
