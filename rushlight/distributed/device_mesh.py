"""Grids of devices: the names."""

from __future__ import annotations

from rushlight import unsupported
from rushlight.distributed import FEATURE, HINT

__getattr__, __dir__ = unsupported.module(
    __name__,
    "DeviceMesh init_device_mesh",
    FEATURE,
    HINT,
)
