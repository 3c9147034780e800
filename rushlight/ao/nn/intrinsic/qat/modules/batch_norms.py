"""What layers with a batch norm inside share, whose weight is fake-quantized as it will be used:
scaled by the norm.

When a model is quantized the norm becomes part of the weight, w * gamma / std. So that weight is
fake-quantized, with the running std, which moves less than that of a batch; the result is divided
by gamma / std again, and the norm has it as ever (Krishnamoorthi, 2018, arXiv:1806.08342, page
18).
"""

from __future__ import annotations

from typing import Any

from rushlight.ao.nn.configured import check_source
from rushlight.nn import init
from rushlight.tensor import Parameter


class _WithNorm:
    """A layer and the batch norm after it: `bn`, and `freeze_bn`, whether it is at rest."""

    _FLOAT_MODULE: Any
    bn: Any
    freeze_bn: bool

    def _add_norm(self: Any, norm: Any, bias: Any, freeze_bn: bool, qconfig: Any) -> None:
        """The last part of `__init__`: the norm, what fake-quantizes, and a bias."""
        self.qconfig = qconfig
        self.freeze_bn = freeze_bn if self.training else True
        self.bn = norm
        self.weight_fake_quant = qconfig.weight()
        self.bias = Parameter(norm.weight.detach().new_empty(norm.num_features)) if bias else None
        self.reset_bn_parameters()
        if self.training and not freeze_bn:
            self.update_bn_stats()
        else:
            self.freeze_bn_stats()

    def reset_running_stats(self) -> None:
        """Let the norm forget what it has seen."""
        self.bn.reset_running_stats()

    def reset_bn_parameters(self: Any) -> None:
        """Draw the norm's parameters (and the layer's bias) anew."""
        self.bn.reset_running_stats()
        init.uniform_(self.bn.weight)
        init.zeros_(self.bn.bias)

    def update_bn_stats(self) -> Any:
        """Normalise by batches, and keep running statistics."""
        self.freeze_bn = False
        self.bn.training = True
        return self

    def freeze_bn_stats(self) -> Any:
        """Normalise by the running statistics as they are."""
        self.freeze_bn = True
        self.bn.training = False
        return self

    def train(self: Any, mode: bool = True) -> Any:
        """Set the mode; a norm at rest stays so."""
        self.training = mode
        if not self.freeze_bn:
            for module in self.children():
                module.train(mode)
        return self

    def _normed(self: Any, layer: Any) -> Any:
        """bn(y), where y = layer(weight, zero bias) with the scaled, fake-quantized weight."""
        bn = self.bn
        if bn.running_var is None:
            raise AssertionError("self.bn.running_var must not be None")
        ones = (1,) * (self.weight.ndim - 1)
        factor = bn.weight / (bn.running_var + bn.eps).sqrt()
        weight = self.weight_fake_quant(self.weight * factor.reshape(-1, *ones))
        y = layer(weight) / factor.reshape(1, -1, *ones[1:])
        if self.bias is not None:
            y = y + self.bias.reshape(1, -1, *ones[1:])
        return bn(y)

    def _take(self: Any, layer: Any, bn: Any) -> Any:
        """The parameters and statistics of a layer and its norm; returns itself."""
        self.weight, self.bias = layer.weight, layer.bias
        for name in ("weight", "bias", "running_mean", "running_var", "num_batches_tracked"):
            setattr(self.bn, name, getattr(bn, name))
        return self

    @classmethod
    def from_float(cls: Any, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer with the parameters of a fused one in floats."""
        check_source(cls, mod)
        layer, bn = mod[0], mod[1]
        sizes = cls._sizes(layer)
        return cls(*sizes, bn.eps, bn.momentum, False, mod.qconfig)._take(layer, bn)
