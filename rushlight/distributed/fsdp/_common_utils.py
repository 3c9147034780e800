"""Names that programs take from here to undo what wrapping does to the names of parameters."""

from __future__ import annotations

from ._state_dict import PREFIX as FSDP_PREFIX
from ._state_dict import clean as clean_tensor_name

FSDP_WRAPPED_MODULE = FSDP_PREFIX.removesuffix(".")

__all__ = ["FSDP_PREFIX", "FSDP_WRAPPED_MODULE", "clean_tensor_name"]
