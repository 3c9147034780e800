"""Communication with gradients: the names."""

from __future__ import annotations

from rushlight import unsupported
from rushlight.distributed import FEATURE, HINT

__getattr__, __dir__ = unsupported.module(
    __name__,
    "all_gather all_reduce all_to_all all_to_all_single broadcast gather reduce reduce_scatter "
    "scatter functional RemoteModule",
    FEATURE,
    HINT,
)
