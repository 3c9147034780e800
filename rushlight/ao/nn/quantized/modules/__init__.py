"""Sums and products that an observer can see, and names of layers with quantized weights."""

from __future__ import annotations

from typing import Any

from rushlight import unsupported

from .functional_modules import FloatFunctional, FXFloatFunctional

__all__ = ["FXFloatFunctional", "FloatFunctional"]
_ask, _names = unsupported.module(
    __name__.removesuffix(".modules"),
    "BatchNorm2d BatchNorm3d Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d "
    "DeQuantize Dropout ELU Embedding EmbeddingBag GroupNorm Hardswish InstanceNorm1d "
    "InstanceNorm2d InstanceNorm3d LSTM LayerNorm LeakyReLU Linear MaxPool2d MultiheadAttention "
    "PReLU QFunctional Quantize ReLU6 Sigmoid Softmax",
    "quantized tensors",
    "the layer of torch.nn, or that of torch.ao.nn.qat, which fake-quantizes",
)


def __getattr__(name: str) -> Any:
    return _ask(name)


def __dir__() -> list[str]:
    return sorted([*__all__, *_names()])
