"""`torch.ao`: only `quantization`, and of it the names."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["quantization"]


def __getattr__(name: str) -> Any:
    if name == "quantization":
        return importlib.import_module(f"{__package__}.quantization")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
