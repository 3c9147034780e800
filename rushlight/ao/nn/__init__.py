"""`torch.ao.nn`: layers that fake-quantize their weights (`qat`), layers that are fused
(`intrinsic`), and of those with quantized weights (`quantized`) what computes in floats."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["intrinsic", "qat", "quantized"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return importlib.import_module(f"{__package__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
