"""The linear layer that fake-quantizes its weight."""

from __future__ import annotations

from typing import Any

from rushlight import nn
from rushlight.ao.nn.configured import check_source, configure, copied_into
from rushlight.nn import functional as F
from rushlight.nn.utils.parametrize import is_parametrized, transfer_parametrizations_and_params

__all__ = ["Linear"]


class Linear(nn.Linear):
    """y = x fake(W)ᵀ + b: `nn.Linear` whose weight is what its quantized numbers would be.

    Args:
        qconfig: its `weight` makes the module `weight_fake_quant`. AssertionError without one.

    >>> qconfig = torch.ao.quantization.get_default_qat_qconfig("qnnpack")
    >>> layer = torch.ao.nn.qat.Linear(3, 2, qconfig=qconfig)
    >>> layer(torch.ones(1, 3)).shape, layer.weight_fake_quant.quant_max
    (torch.Size([1, 2]), 127)
    """

    _FLOAT_MODULE: Any = nn.Linear

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        qconfig: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(in_features, out_features, bias, device=device, dtype=dtype)
        configure(self, qconfig, device=device, dtype=dtype)

    def forward(self, input: Any) -> Any:
        return F.linear(input, self.weight_fake_quant(self.weight), self.bias)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer with the parameters (and their parametrizations) of one in floats."""
        check_source(cls, mod, exact=False)
        qconfig = mod.qconfig
        mod = mod[0] if isinstance(mod, nn.Sequential) else mod  # with the relu after it
        made = cls(mod.in_features, mod.out_features, mod.bias is not None, qconfig=qconfig)
        for name in ("weight", "bias"):
            if is_parametrized(mod, name):
                transfer_parametrizations_and_params(mod, made, name)
            else:
                setattr(made, name, getattr(mod, name))
        return made

    def to_float(self) -> Any:
        """The `nn.Linear` with copies of the parameters."""
        made = nn.Linear(self.in_features, self.out_features, self.bias is not None)
        return copied_into(made, self, "weight", "bias")
