"""Convolutions that fake-quantize their weights."""

from __future__ import annotations

from typing import Any

from rushlight import nn
from rushlight.ao.nn.configured import check_source, configure, copied_into
from rushlight.nn.modules.conv import _ConvNd as _Float
from rushlight.nn.modules.utils import _pair, _single, _triple

__all__ = ["Conv1d", "Conv2d", "Conv3d"]


def sizes(self: Any) -> tuple[Any, ...]:
    """The arguments of a convolution's class."""
    return (
        self.in_channels,
        self.out_channels,
        self.kernel_size,
        self.stride,
        self.padding,
        self.dilation,
        self.groups,
        self.bias is not None,
        self.padding_mode,
    )


class _ConvNd(_Float):
    """What these convolutions share."""

    _FLOAT_MODULE: Any
    _FLOAT_CONV_MODULE: Any
    _FLOAT_RELU_MODULE: Any = None

    def _set_up(
        self, full: Any, size: tuple[Any, ...], groups: int, bias: bool, mode: str, qconfig: Any,
        device: Any = None, dtype: Any = None
    ) -> None:  # fmt: skip
        """`__init__`: `full` makes a size of all dimensions of a number."""
        in_channels, out_channels, kernel_size, stride, padding, dilation = size
        padding = padding if isinstance(padding, str) else full(padding)
        _Float.__init__(
            self, in_channels, out_channels, full(kernel_size), full(stride), padding,
            full(dilation), False, full(0), groups, bias, mode, device=device, dtype=dtype,
        )  # fmt: skip
        configure(self, qconfig, device=device, dtype=dtype)

    def forward(self, input: Any) -> Any:
        return self._conv_forward(input, self.weight_fake_quant(self.weight), self.bias)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer with the parameters of one in floats."""
        check_source(cls, mod)
        qconfig = mod.qconfig
        mod = mod[0] if isinstance(mod, nn.Sequential) else mod  # with the relu after it
        made: Any = cls(*sizes(mod), qconfig=qconfig)  # type: ignore[call-arg] # of its subclasses
        made.weight, made.bias = mod.weight, mod.bias
        return made

    def to_float(self) -> Any:
        """The layer in floats with copies of the parameters."""
        made = copied_into(self._FLOAT_CONV_MODULE(*sizes(self)), self, "weight", "bias")
        if self._FLOAT_RELU_MODULE is None:
            return made
        fused = self._FLOAT_MODULE(made, self._FLOAT_RELU_MODULE())
        return fused.train(self.training)


class Conv1d(_ConvNd, nn.Conv1d):
    """`nn.Conv1d` whose weight is what its quantized numbers would be.

    >>> qconfig = torch.ao.quantization.get_default_qat_qconfig("qnnpack")
    >>> torch.ao.nn.qat.Conv1d(1, 2, 3, qconfig=qconfig)(torch.ones(1, 1, 5)).shape
    torch.Size([1, 2, 3])
    """

    _FLOAT_MODULE: Any = nn.Conv1d
    _FLOAT_CONV_MODULE: Any = nn.Conv1d

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        qconfig: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        size = (in_channels, out_channels, kernel_size, stride, padding, dilation)
        self._set_up(_single, size, groups, bias, padding_mode, qconfig, device, dtype)


class Conv2d(_ConvNd, nn.Conv2d):
    """`nn.Conv2d` whose weight is what its quantized numbers would be.

    >>> qconfig = torch.ao.quantization.get_default_qat_qconfig("qnnpack")
    >>> torch.ao.nn.qat.Conv2d(1, 2, 3, qconfig=qconfig)(torch.ones(1, 1, 5, 5)).shape
    torch.Size([1, 2, 3, 3])
    """

    _FLOAT_MODULE: Any = nn.Conv2d
    _FLOAT_CONV_MODULE: Any = nn.Conv2d

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        qconfig: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        size = (in_channels, out_channels, kernel_size, stride, padding, dilation)
        self._set_up(_pair, size, groups, bias, padding_mode, qconfig, device, dtype)


class Conv3d(_ConvNd, nn.Conv3d):
    """`nn.Conv3d` whose weight is what its quantized numbers would be.

    >>> qconfig = torch.ao.quantization.get_default_qat_qconfig("qnnpack")
    >>> torch.ao.nn.qat.Conv3d(1, 2, 3, qconfig=qconfig)(torch.ones(1, 1, 3, 5, 5)).shape
    torch.Size([1, 2, 1, 3, 3])
    """

    _FLOAT_MODULE: Any = nn.Conv3d
    _FLOAT_CONV_MODULE: Any = nn.Conv3d

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        qconfig: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        size = (in_channels, out_channels, kernel_size, stride, padding, dilation)
        self._set_up(_triple, size, groups, bias, padding_mode, qconfig, device, dtype)
