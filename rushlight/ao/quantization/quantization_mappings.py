"""Which layers are replaced by which, and which are observed."""

from __future__ import annotations

from typing import Any

from ... import nn
from ...nn.modules.linear import NonDynamicallyQuantizableLinear
from ...nn.utils.parametrize import type_before_parametrizations
from ..nn import intrinsic as fused
from ..nn import qat, quantized
from ..nn.intrinsic import qat as fused_qat
from .fake_quantize import (
    default_fixed_qparams_range_0to1_fake_quant,
    default_fixed_qparams_range_neg1to1_fake_quant,
)
from .stubs import DeQuantStub, QuantStub

FUSED = ["ConvBn1d", "ConvBn2d", "ConvBn3d", "ConvBnReLU1d", "ConvBnReLU2d", "ConvBnReLU3d"]
FUSED += ["ConvReLU2d", "ConvReLU3d", "LinearReLU", "LinearBn1d"]
DEFAULT_QAT_MODULE_MAPPINGS: dict[Any, Any] = {
    nn.Conv2d: qat.Conv2d,
    nn.Conv3d: qat.Conv3d,
    nn.Linear: qat.Linear,
    NonDynamicallyQuantizableLinear: qat.Linear,
    **{getattr(fused, name): getattr(fused_qat, name) for name in FUSED},
}
# Layers whose results have a range that is known, in training.
DEFAULT_MODULE_TO_ACT_POST_PROCESS: dict[Any, Any] = {
    nn.Hardsigmoid: default_fixed_qparams_range_0to1_fake_quant,
    nn.Sigmoid: default_fixed_qparams_range_0to1_fake_quant,
    nn.Softmax: default_fixed_qparams_range_0to1_fake_quant,
    nn.Tanh: default_fixed_qparams_range_neg1to1_fake_quant,
}
# Of what PyTorch has quantized forms, which is what `prepare` observes.
OBSERVED: tuple[Any, ...] = (
    *(QuantStub, DeQuantStub, nn.BatchNorm2d, nn.BatchNorm3d, nn.Dropout, nn.ELU, nn.GroupNorm),
    *(nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d),
    *(nn.Embedding, nn.EmbeddingBag, nn.Hardswish, nn.LayerNorm, nn.LeakyReLU, nn.ReLU6, nn.PReLU),
    *(nn.InstanceNorm1d, nn.InstanceNorm2d, nn.InstanceNorm3d, nn.Linear, nn.Sequential),
    *(nn.LSTM, nn.GRU, nn.LSTMCell, nn.GRUCell, nn.RNNCell, NonDynamicallyQuantizableLinear),
    *(fused.BNReLU2d, fused.BNReLU3d, fused.ConvAdd2d, fused.ConvAddReLU2d, fused.ConvReLU1d),
    *(fused.LinearLeakyReLU, fused.LinearTanh, quantized.FloatFunctional),
    *(qat.Linear, qat.Conv2d, qat.Conv3d, qat.dynamic.Linear),
    *(getattr(fused_qat, name) for name in FUSED),
)


def get_default_qat_module_mappings() -> dict[Any, Any]:
    """The layers that `prepare_qat` replaces, and by which.

    >>> torch.ao.quantization.get_default_qat_module_mappings()[nn.Linear] is torch.ao.nn.qat.Linear
    True
    """
    return dict(DEFAULT_QAT_MODULE_MAPPINGS)


def get_embedding_qat_module_mappings() -> dict[Any, Any]:
    """The same with `nn.Embedding` and `nn.EmbeddingBag`.

    >>> nn.Embedding in torch.ao.quantization.get_embedding_qat_module_mappings()
    True
    """
    rows = {nn.EmbeddingBag: qat.EmbeddingBag, nn.Embedding: qat.Embedding}
    return {**DEFAULT_QAT_MODULE_MAPPINGS, **rows}


def get_default_qconfig_propagation_list() -> set[Any]:
    """The classes of layers that `prepare` observes.

    >>> nn.Linear in torch.ao.quantization.get_default_qconfig_propagation_list()
    True
    """
    return {*OBSERVED, *DEFAULT_QAT_MODULE_MAPPINGS}


def _has_special_act_post_process(module: Any) -> bool:
    """Whether the range of a layer's results is known."""
    return module.training and type(module) in DEFAULT_MODULE_TO_ACT_POST_PROCESS


def _get_special_act_post_process(module: Any) -> Any:
    """What fake-quantizes results of a known range; None for others."""
    return DEFAULT_MODULE_TO_ACT_POST_PROCESS.get(type_before_parametrizations(module))


__all__ = [
    "DEFAULT_MODULE_TO_ACT_POST_PROCESS",
    "DEFAULT_QAT_MODULE_MAPPINGS",
    "get_default_qat_module_mappings",
    "get_default_qconfig_propagation_list",
    "get_embedding_qat_module_mappings",
]
