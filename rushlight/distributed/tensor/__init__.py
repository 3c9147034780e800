"""Tensors spread over processes: the names."""

from __future__ import annotations

from rushlight import unsupported
from rushlight.distributed import FEATURE, HINT

__getattr__, __dir__ = unsupported.module(
    __name__,
    "DTensor DeviceMesh Partial Placement Replicate Shard distribute_module distribute_tensor "
    "init_device_mesh",
    FEATURE,
    HINT,
)
