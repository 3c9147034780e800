"""The settings of sharded modules, under PyTorch's names: what is spread, in which types.

Read next: `fully_sharded_data_parallel.py`, which takes them, and docs/fully_sharded.md.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Sequence
from typing import Any

from rushlight.nn.modules.batchnorm import _BatchNorm

__all__ = [
    "BackwardPrefetch",
    "CPUOffload",
    "FullOptimStateDictConfig",
    "FullStateDictConfig",
    "LocalOptimStateDictConfig",
    "LocalStateDictConfig",
    "MixedPrecision",
    "OptimStateDictConfig",
    "ShardedOptimStateDictConfig",
    "ShardedStateDictConfig",
    "ShardingStrategy",
    "StateDictConfig",
    "StateDictSettings",
    "StateDictType",
]


class ShardingStrategy(enum.Enum):
    """What is spread over the ranks.

    FULL_SHARD: parameters, gradients and the optimiser's state; parameters are gathered before a
    unit's forward, freed after it, and gathered again before its backward.
    SHARD_GRAD_OP: the same, but parameters stay whole from forward to backward.
    NO_SHARD: nothing; gradients are averaged over all ranks.
    HYBRID_SHARD: FULL_SHARD within a group (a machine), averaged between such groups.
    _HYBRID_SHARD_ZERO2: SHARD_GRAD_OP within a group, averaged between groups.
    """

    FULL_SHARD = 1
    SHARD_GRAD_OP = 2
    NO_SHARD = 3
    HYBRID_SHARD = 4
    _HYBRID_SHARD_ZERO2 = 5


class BackwardPrefetch(enum.Enum):
    """When a unit's parameters are gathered for its backward: accepted; see `FSDP`."""

    BACKWARD_PRE = 1
    BACKWARD_POST = 2


@dataclasses.dataclass
class MixedPrecision:
    """The types in which a unit computes and communicates; shards keep their own.

    Attributes:
        param_dtype: of the whole parameters, and so of the computation.
        reduce_dtype: in which gradients are averaged; None: `param_dtype`.
        buffer_dtype: to which floating-point buffers are converted.
        keep_low_precision_grads: leave `.grad` in `reduce_dtype`.
        cast_forward_inputs: convert floating-point arguments of this unit's forward.
        cast_root_forward_inputs: the same for the outermost unit.
        _module_classes_to_ignore: units of their own without mixed precision under an
            `auto_wrap_policy`.
    """

    param_dtype: Any = None
    reduce_dtype: Any = None
    buffer_dtype: Any = None
    keep_low_precision_grads: bool = False
    cast_forward_inputs: bool = False
    cast_root_forward_inputs: bool = True
    _module_classes_to_ignore: Sequence[type] = (_BatchNorm,)


@dataclasses.dataclass
class CPUOffload:
    """Whether shards lie in the CPU's memory: they always do here."""

    offload_params: bool = False


class StateDictType(enum.Enum):
    """How the state of a sharded module is returned.

    FULL_STATE_DICT: whole tensors under the names of the module before it was wrapped.
    LOCAL_STATE_DICT: each rank its piece of every unit's flat parameter.
    SHARDED_STATE_DICT: a DTensor for every parameter, each rank with its rows.
    """

    FULL_STATE_DICT = 1
    LOCAL_STATE_DICT = 2
    SHARDED_STATE_DICT = 3


@dataclasses.dataclass
class StateDictConfig:
    """What all kinds of state have. `offload_to_cpu`: tensors are on the CPU in any case."""

    offload_to_cpu: bool = False


@dataclasses.dataclass
class FullStateDictConfig(StateDictConfig):
    """`rank0_only`: the other ranks get an empty dict."""

    rank0_only: bool = False


@dataclasses.dataclass
class LocalStateDictConfig(StateDictConfig):
    """Of LOCAL_STATE_DICT."""


@dataclasses.dataclass
class ShardedStateDictConfig(StateDictConfig):
    """Of SHARDED_STATE_DICT; tensors are DTensors in any case."""

    _use_dtensor: bool = False


@dataclasses.dataclass
class OptimStateDictConfig:
    """What all kinds of optimiser state have."""

    offload_to_cpu: bool = True


@dataclasses.dataclass
class FullOptimStateDictConfig(OptimStateDictConfig):
    """`rank0_only`: the other ranks get an empty dict."""

    rank0_only: bool = False


@dataclasses.dataclass
class LocalOptimStateDictConfig(OptimStateDictConfig):
    """Of LOCAL_STATE_DICT."""

    offload_to_cpu: bool = False


@dataclasses.dataclass
class ShardedOptimStateDictConfig(OptimStateDictConfig):
    """Of SHARDED_STATE_DICT; tensors are DTensors in any case."""

    _use_dtensor: bool = False


@dataclasses.dataclass
class StateDictSettings:
    """What `FSDP.get_state_dict_type` returns."""

    state_dict_type: StateDictType
    state_dict_config: StateDictConfig
    optim_state_dict_config: OptimStateDictConfig


class OptimStateKeyType(enum.Enum):
    """By what the state of an optimiser is keyed: names of parameters, or their numbers."""

    PARAM_NAME = 1
    PARAM_ID = 2
