"""Where PyTorch keeps FullyShardedDataParallel and its settings."""

from __future__ import annotations

from . import (
    BackwardPrefetch,
    CPUOffload,
    FlatParameter,
    FullStateDictConfig,
    FullyShardedDataParallel,
    MixedPrecision,
    ShardingStrategy,
    StateDictType,
)

__all__ = ["BackwardPrefetch", "CPUOffload", "FullStateDictConfig", "FullyShardedDataParallel"]
__all__ += ["FlatParameter"]
__all__ += ["MixedPrecision", "ShardingStrategy", "StateDictType"]
