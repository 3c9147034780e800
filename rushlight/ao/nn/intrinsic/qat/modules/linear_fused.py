"""A linear layer with the batch norm after it, whose weight is fake-quantized."""

from __future__ import annotations

from typing import Any

from rushlight import nn
from rushlight.ao.nn import intrinsic
from rushlight.ao.nn.configured import check_given
from rushlight.ao.nn.intrinsic.modules.fused import _FusedModule
from rushlight.nn import functional as F
from rushlight.nn.utils.fusion import fuse_linear_bn_weights

from .batch_norms import _WithNorm

__all__ = ["LinearBn1d"]


class LinearBn1d(_WithNorm, nn.Linear, _FusedModule):
    """bn(x W'ᵀ + b), where W' is what the quantized numbers of W would be.

    >>> qconfig = torch.ao.quantization.get_default_qat_qconfig("qnnpack")
    >>> torch.ao.nn.intrinsic.qat.LinearBn1d(3, 2, qconfig=qconfig)(torch.randn(4, 3)).shape
    torch.Size([4, 2])
    """

    _FLOAT_MODULE: Any = intrinsic.LinearBn1d

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        eps: float = 1e-05,
        momentum: float = 0.1,
        freeze_bn: bool = False,
        qconfig: Any = None,
    ) -> None:
        nn.Linear.__init__(self, in_features, out_features, bias)
        check_given(qconfig)
        norm = nn.BatchNorm1d(out_features, eps, momentum, True, True)
        self._add_norm(norm, bias, freeze_bn, qconfig)

    @staticmethod
    def _sizes(layer: Any) -> tuple[Any, ...]:
        return layer.in_features, layer.out_features, layer.bias is not None

    def forward(self, input: Any) -> Any:
        return self._normed(lambda weight: F.linear(input, weight))

    def to_float(self) -> Any:
        """The linear layer in floats with the norm in its weight."""
        made = nn.Linear(self.in_features, self.out_features)
        bn = self.bn
        statistics = (bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias)
        made.weight, made.bias = fuse_linear_bn_weights(self.weight, self.bias, *statistics)
        return made
