"""Modules whose parameters, gradients and optimiser state are spread over processes.

`FullyShardedDataParallel` wraps modules and cuts flat parameters; `fully_shard` changes modules in
place and makes each parameter a DTensor. Both are made of units: `_unit.py`. What happens when, and
what it costs: docs/fully_sharded.md.
"""

from __future__ import annotations

from rushlight import unsupported
from rushlight.distributed import FEATURE, HINT

from ._flat import FlatParameter
from .api import OptimStateKeyType
from .fully_sharded_data_parallel import (
    BackwardPrefetch,
    CPUOffload,
    FullOptimStateDictConfig,
    FullStateDictConfig,
    FullyShardedDataParallel,
    LocalOptimStateDictConfig,
    LocalStateDictConfig,
    MixedPrecision,
    OptimStateDictConfig,
    ShardedOptimStateDictConfig,
    ShardedStateDictConfig,
    ShardingStrategy,
    StateDictConfig,
    StateDictSettings,
    StateDictType,
)

__all__ = [
    "BackwardPrefetch",
    "CPUOffload",
    "FlatParameter",
    "FullOptimStateDictConfig",
    "FullStateDictConfig",
    "FullyShardedDataParallel",
    "LocalOptimStateDictConfig",
    "LocalStateDictConfig",
    "MixedPrecision",
    "OptimStateDictConfig",
    "OptimStateKeyType",
    "ShardedOptimStateDictConfig",
    "ShardedStateDictConfig",
    "ShardingStrategy",
    "StateDictConfig",
    "StateDictSettings",
    "StateDictType",
]

__getattr__, __dir__ = unsupported.module(
    __name__,
    "CPUOffloadPolicy FSDPModule MixedPrecisionPolicy OffloadPolicy fully_shard "
    "register_fsdp_forward_method",
    FEATURE,
    HINT,
)
