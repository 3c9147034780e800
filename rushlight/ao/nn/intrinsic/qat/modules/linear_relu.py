"""A linear layer with the relu after it, whose weight is fake-quantized."""

from __future__ import annotations

from typing import Any

from rushlight import nn
from rushlight.ao.nn import intrinsic, qat
from rushlight.ao.nn.intrinsic.modules.fused import _FusedModule
from rushlight.nn import functional as F

__all__ = ["LinearReLU"]


class LinearReLU(qat.Linear, _FusedModule):
    """relu(x fake(W)ᵀ + b).

    >>> qconfig = torch.ao.quantization.get_default_qat_qconfig("qnnpack")
    >>> layer = torch.ao.nn.intrinsic.qat.LinearReLU(3, 2, qconfig=qconfig)
    >>> bool((layer(torch.randn(4, 3)) >= 0).all())
    True
    """

    _FLOAT_MODULE: Any = intrinsic.LinearReLU

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, qconfig: Any = None
    ) -> None:
        super().__init__(in_features, out_features, bias, qconfig)

    def forward(self, input: Any) -> Any:
        return F.relu(super().forward(input))

    def to_float(self) -> Any:
        """The linear layer in floats with copies of the parameters, and its relu."""
        return intrinsic.LinearReLU(super().to_float(), nn.ReLU())
