"""`torch.ao`: what quantization-aware training needs, loaded when it is asked for."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["nn", "quantization"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return importlib.import_module(f"{__package__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
