"""Modules spread over processes: the names, and the choices that programs name when they set up."""

from __future__ import annotations

import enum

from rushlight import unsupported
from rushlight.distributed import FEATURE, HINT


class ShardingStrategy(enum.Enum):
    """What would be spread."""

    FULL_SHARD = 1
    SHARD_GRAD_OP = 2
    NO_SHARD = 3
    HYBRID_SHARD = 4


class StateDictType(enum.Enum):
    """How a spread module's state would be returned."""

    FULL_STATE_DICT = 1
    LOCAL_STATE_DICT = 2
    SHARDED_STATE_DICT = 3


class BackwardPrefetch(enum.Enum):
    """When parameters would be fetched."""

    BACKWARD_PRE = 1
    BACKWARD_POST = 2


__getattr__, __dir__ = unsupported.module(
    __name__,
    "CPUOffload CPUOffloadPolicy FSDPModule FlatParameter FullOptimStateDictConfig "
    "FullStateDictConfig FullyShardedDataParallel LocalStateDictConfig MixedPrecision "
    "MixedPrecisionPolicy OffloadPolicy ShardedOptimStateDictConfig ShardedStateDictConfig "
    "fully_shard register_fsdp_forward_method",
    FEATURE,
    HINT,
)
