"""Functions that change modules in place: `fsdp.fully_shard`."""

from __future__ import annotations

from rushlight import unsupported
from rushlight.distributed.fsdp import fully_shard

__all__ = ["fully_shard"]

__getattr__, __dir__ = unsupported.module(
    __name__,
    "replicate checkpoint",
    "what torch.distributed._composable has besides fully_shard",
    "DistributedDataParallel, torch.utils.checkpoint",
)
