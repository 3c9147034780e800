"""`torch.ao.quantization`: numbers are not quantized here. The stubs that models carry let values
pass, as they do in PyTorch before `convert`; everything else raises."""

from __future__ import annotations

from typing import Any

from .. import unsupported
from ..nn import Module

FEATURE = "quantized tensors"
HINT = "the model as it is, or model.to(torch.bfloat16) for half of the memory"


class QuantStub(Module):
    """Where a quantized model would quantize: the identity."""

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig is not None:
            self.qconfig = qconfig

    def forward(self, x: Any) -> Any:
        return x


class DeQuantStub(QuantStub):
    """Where a quantized model would go back to floating point: the identity."""


__getattr__, __dir__ = unsupported.module(
    __name__,
    "FakeQuantize FixedQParamsFakeQuantize HistogramObserver MinMaxObserver "
    "MovingAverageMinMaxObserver ObserverBase PerChannelMinMaxObserver PlaceholderObserver "
    "QConfig QConfigMapping QuantWrapper convert default_dynamic_qconfig default_qconfig "
    "disable_fake_quant disable_observer enable_fake_quant enable_observer "
    "float16_dynamic_qconfig fuse_modules fuse_modules_qat get_default_qat_qconfig "
    "get_default_qconfig get_default_qconfig_mapping prepare prepare_qat propagate_qconfig_ "
    "quantize quantize_dynamic quantize_qat swap_module quantize_per_tensor quantize_per_channel "
    "quantize_per_tensor_dynamic fake_quantize_per_tensor_affine fake_quantize_per_channel_affine",
    FEATURE,
    HINT,
)
