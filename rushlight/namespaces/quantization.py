"""The older name of `torch.ao.quantization`."""

from __future__ import annotations

from typing import Any

from rushlight.ao import quantization as _quantization

QuantStub, DeQuantStub = _quantization.QuantStub, _quantization.DeQuantStub


def __getattr__(name: str) -> Any:
    return getattr(_quantization, name)


def __dir__() -> list[str]:
    return dir(_quantization)
