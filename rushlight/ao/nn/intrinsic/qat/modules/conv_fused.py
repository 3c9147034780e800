"""Convolutions with the batch norm and the relu after them, whose weights are fake-quantized."""

from __future__ import annotations

import math
from typing import Any

from rushlight import nn
from rushlight.ao.nn import intrinsic, qat
from rushlight.ao.nn.configured import check_given, copied_into
from rushlight.ao.nn.intrinsic.modules.fused import _FusedModule
from rushlight.ao.nn.qat.modules.conv import sizes
from rushlight.nn import functional as F
from rushlight.nn import init
from rushlight.nn.modules.conv import _ConvNd
from rushlight.nn.modules.utils import _pair, _single, _triple
from rushlight.nn.utils.fusion import fuse_conv_bn_weights

from .batch_norms import _WithNorm


class _ConvBnNd(_WithNorm, _ConvNd, _FusedModule):
    """What the convolutions with a batch norm share."""

    _version = 2
    _FULL: Any  # makes a size of all dimensions of a number
    _FLOAT_CONV_MODULE: Any
    _FLOAT_BN_MODULE: Any
    _FLOAT_RELU_MODULE: Any = None
    _FUSED_FLOAT_MODULE: Any = None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: Any = None,
        padding_mode: str = "zeros",
        eps: float = 1e-05,
        momentum: float = 0.1,
        freeze_bn: bool = False,
        qconfig: Any = None,
    ) -> None:
        full = type(self)._FULL
        padding = padding if isinstance(padding, str) else full(padding)
        _ConvNd.__init__(
            self, in_channels, out_channels, full(kernel_size), full(stride), padding,
            full(dilation), False, full(0), groups, False, padding_mode,
        )  # fmt: skip
        check_given(qconfig)
        norm = self._FLOAT_BN_MODULE(out_channels, eps, momentum, True, True)
        self._add_norm(norm, bias, freeze_bn, qconfig)

    _sizes = staticmethod(sizes)

    def reset_bn_parameters(self) -> None:
        """Draw the norm's parameters and the convolution's bias anew."""
        super().reset_bn_parameters()
        if self.bias is not None:
            bound = 1 / math.sqrt(init._calculate_fan_in_and_fan_out(self.weight)[0])
            init.uniform_(self.bias, -bound, bound)

    def _forward(self, input: Any) -> Any:
        return self._normed(lambda weight: self._conv_forward(input, weight, None))

    def forward(self, input: Any) -> Any:
        y = self._forward(input)
        return y if self._FLOAT_RELU_MODULE is None else F.relu(y)

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, metadata: Any, strict: bool, missing: Any, *rest: Any
    ) -> None:
        if metadata.get("version") in (None, 1):  # the norm was no module of its own
            names = {"weight": "gamma", "bias": "beta"}
            for name in ("weight", "bias", "running_mean", "running_var", "num_batches_tracked"):
                old, new = prefix + names.get(name, name), f"{prefix}bn.{name}"
                if old in state_dict:
                    state_dict[new] = state_dict.pop(old)
                elif new not in state_dict and strict:
                    missing.append(new)
        super()._load_from_state_dict(state_dict, prefix, metadata, strict, missing, *rest)

    def to_float(self) -> Any:
        """The convolution in floats with the norm in its weight, and its relu."""
        made = copied_into(self._FLOAT_CONV_MODULE(*sizes(self)), self, "weight", "bias")
        bn = self.bn
        statistics = (bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias)
        made.weight, made.bias = fuse_conv_bn_weights(made.weight, made.bias, *statistics)
        if self._FLOAT_RELU_MODULE is None:
            return made
        return self._FUSED_FLOAT_MODULE(made, self._FLOAT_RELU_MODULE()).train(self.training)


def _declared(kind: str, dims: int) -> Any:
    """One of the classes below: ConvBn, ConvBnReLU or ConvReLU in so many dimensions."""
    name, conv = f"{kind}{dims}d", getattr(nn, f"Conv{dims}d")
    relu = "relu(" if "ReLU" in kind else ""
    what = relu + ("bn(conv(x))" if "Bn" in kind else "conv(x)") + (")" if relu else "")
    shape = ", 2, 3" + ", 5" * dims
    out = ", 4" + ", 3" * dims
    norm = ", of the norm (eps, momentum)" if "Bn" in kind else ""
    doc = f"""{what} whose weight is what its quantized numbers would be, in {dims}-d.

    The arguments are those of `nn.Conv{dims}d`{norm} and a QConfig.

    >>> qconfig = torch.ao.quantization.get_default_qat_qconfig("qnnpack")
    >>> layer = torch.ao.nn.intrinsic.qat.{name}(3, 4, 3, qconfig=qconfig)
    >>> layer(torch.randn({shape[2:]})).shape
    torch.Size([2{out}])
    """
    fields = {
        "__doc__": doc,
        "__module__": __name__,
        "_FLOAT_MODULE": getattr(intrinsic, name),
        "_FLOAT_CONV_MODULE": conv,
        "_FLOAT_RELU_MODULE": nn.ReLU if relu else None,
    }
    if "Bn" not in kind:
        plain = getattr(qat, f"Conv{dims}d")
        fields["forward"] = lambda self, input: F.relu(plain.forward(self, input))
        return type(name, (plain, _FusedModule), fields)
    fields["_FULL"] = {1: _single, 2: _pair, 3: _triple}[dims]
    fields["_FLOAT_BN_MODULE"] = getattr(nn, f"BatchNorm{dims}d")
    fields["_FUSED_FLOAT_MODULE"] = getattr(intrinsic, f"ConvReLU{dims}d") if relu else None
    if relu:
        return type(name, (globals()[f"ConvBn{dims}d"],), fields)
    return type(name, (_ConvBnNd, conv), fields)


ConvBn1d = _declared("ConvBn", 1)
ConvBn2d = _declared("ConvBn", 2)
ConvBn3d = _declared("ConvBn", 3)
ConvBnReLU1d = _declared("ConvBnReLU", 1)
ConvBnReLU2d = _declared("ConvBnReLU", 2)
ConvBnReLU3d = _declared("ConvBnReLU", 3)
ConvReLU1d = _declared("ConvReLU", 1)
ConvReLU2d = _declared("ConvReLU", 2)
ConvReLU3d = _declared("ConvReLU", 3)


def update_bn_stats(mod: Any) -> None:
    """Let the norm of a layer here normalise by batches: `model.apply(update_bn_stats)`.

    >>> _ = nn.Linear(1, 1).apply(torch.ao.nn.intrinsic.qat.update_bn_stats)
    """
    if isinstance(mod, _ConvBnNd):
        mod.update_bn_stats()


def freeze_bn_stats(mod: Any) -> None:
    """Let the norm of a layer here keep its statistics: `model.apply(freeze_bn_stats)`.

    >>> qconfig = torch.ao.quantization.get_default_qat_qconfig("qnnpack")
    >>> layer = torch.ao.nn.intrinsic.qat.ConvBn2d(1, 1, 1, qconfig=qconfig)
    >>> layer.apply(torch.ao.nn.intrinsic.qat.freeze_bn_stats).bn.training
    False
    """
    if isinstance(mod, _ConvBnNd):
        mod.freeze_bn_stats()


__all__ = [
    "ConvBn1d",
    "ConvBn2d",
    "ConvBn3d",
    "ConvBnReLU1d",
    "ConvBnReLU2d",
    "ConvBnReLU3d",
    "ConvReLU1d",
    "ConvReLU2d",
    "ConvReLU3d",
    "freeze_bn_stats",
    "update_bn_stats",
]
