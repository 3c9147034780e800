"""`torch.utils.dlpack`: tensors over memory that other libraries share through DLPack."""

from __future__ import annotations

from ..interchange import from_dlpack, to_dlpack

__all__ = ["from_dlpack", "to_dlpack"]
