"""Communication hooks of DistributedDataParallel: other ways to average gradients.

    model.register_comm_hook(None, fp16_compress_hook)
    register_ddp_comm_hook(DDPCommHookType.POWER_SGD, model)

A hook is `hook(state, bucket) -> Future[Tensor]`; `bucket` is a `GradBucket`.
"""

from __future__ import annotations

import enum
from functools import partial
from typing import Any

from . import debugging_hooks as debugging
from . import default_hooks as default
from . import powerSGD_hook as powerSGD
from . import quantization_hooks as quantization

__all__ = ["DDPCommHookType", "register_ddp_comm_hook"]


def _plain(comm_hook: Any, model: Any, state: Any) -> None:
    model.register_comm_hook(state, comm_hook)


def _power(
    comm_hook: Any, model: Any, state: Any, matrix_approximation_rank: int,
    start_powerSGD_iter: int = 1_000,
) -> None:  # fmt: skip
    """Register a hook of PowerSGD, of whose state `state` is the process group."""
    made = powerSGD.PowerSGDState(state, matrix_approximation_rank, start_powerSGD_iter)
    model.register_comm_hook(made, comm_hook)


class DDPCommHookType(enum.Enum):
    """The hooks by name; a value registers its hook: `kind.value(model=model, state=group)`."""

    ALLREDUCE = enum.member(partial(_plain, comm_hook=default.allreduce_hook))
    FP16_COMPRESS = enum.member(partial(_plain, comm_hook=default.fp16_compress_hook))
    BF16_COMPRESS = enum.member(partial(_plain, comm_hook=default.bf16_compress_hook))
    QUANTIZE_PER_TENSOR = enum.member(
        partial(_plain, comm_hook=quantization.quantization_pertensor_hook)
    )
    QUANTIZE_PER_CHANNEL = enum.member(
        partial(_plain, comm_hook=quantization.quantization_perchannel_hook)
    )
    POWER_SGD = enum.member(
        partial(_power, comm_hook=powerSGD.powerSGD_hook, matrix_approximation_rank=1)
    )
    POWER_SGD_RANK2 = enum.member(
        partial(_power, comm_hook=powerSGD.powerSGD_hook, matrix_approximation_rank=2)
    )
    BATCHED_POWER_SGD = enum.member(
        partial(_power, comm_hook=powerSGD.batched_powerSGD_hook, matrix_approximation_rank=1)
    )
    BATCHED_POWER_SGD_RANK2 = enum.member(
        partial(_power, comm_hook=powerSGD.batched_powerSGD_hook, matrix_approximation_rank=2)
    )
    NOOP = enum.member(partial(_plain, comm_hook=debugging.noop_hook))


def register_ddp_comm_hook(comm_hook_type: DDPCommHookType, model: Any, state: Any = None) -> None:
    """Register a hook by its name.

    Args:
        state: the process group; None: all ranks.
    """
    comm_hook_type.value(model=model, state=state)
