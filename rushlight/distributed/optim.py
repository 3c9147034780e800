"""Optimisers whose state is spread over processes: the names."""

from __future__ import annotations

from rushlight import coming
from rushlight.distributed import FEATURE, HINT

__getattr__, __dir__ = coming.module(
    __name__,
    "DistributedOptimizer PostLocalSGDOptimizer ZeroRedundancyOptimizer",
    FEATURE,
    HINT,
)
