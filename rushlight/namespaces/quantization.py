"""The older name of `torch.ao.quantization`."""

from __future__ import annotations

from typing import Any

from rushlight.ao import quantization as _quantization

__all__ = _quantization.__all__


def __getattr__(name: str) -> Any:
    return getattr(_quantization, name)


def __dir__() -> list[str]:
    return dir(_quantization)
