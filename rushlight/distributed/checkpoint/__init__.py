"""Checkpoints written by several processes: the names."""

from __future__ import annotations

from rushlight import unsupported
from rushlight.distributed import FEATURE, HINT

__getattr__, __dir__ = unsupported.module(
    __name__,
    "FileSystemReader FileSystemWriter async_save load load_state_dict save save_state_dict",
    FEATURE,
    HINT,
)
