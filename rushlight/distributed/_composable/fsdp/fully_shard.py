"""Where PyTorch keeps `fully_shard` for still older programs."""

from __future__ import annotations

from rushlight.distributed.fsdp import (
    FSDPModule,
    UnshardHandle,
    fully_shard,
    register_fsdp_forward_method,
)

__all__ = ["FSDPModule", "UnshardHandle", "fully_shard", "register_fsdp_forward_method"]
