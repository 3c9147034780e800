"""Layers spread over processes: the names."""

from __future__ import annotations

from rushlight import unsupported
from rushlight.distributed import FEATURE, HINT

__getattr__, __dir__ = unsupported.module(
    __name__,
    "ColwiseParallel ParallelStyle PrepareModuleInput PrepareModuleOutput RowwiseParallel "
    "SequenceParallel loss_parallel parallelize_module",
    FEATURE,
    HINT,
)
