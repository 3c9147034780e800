"""Convolutions and transposed convolutions in one to three dimensions, and their lazy forms.

Not here: the arithmetic (`ops/nn/conv_public.py`, `kernels/conv/reference.py`). Read next:
`batchnorm.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import rushlight

from ...errors import message
from ...tensor import Parameter, Tensor
from .. import functional as F
from .. import init
from ..module import Module
from ..parameter import UninitializedParameter
from .lazy import LazyModuleMixin
from .linear import _set_bias
from .utils import _pair, _reverse_repeat_tuple, _single, _triple

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
]

_MODES = {"zeros", "reflect", "replicate", "circular"}


def _parts(layer: Module) -> tuple[Any, Any]:
    """Weight and bias of a layer; to ask for them as attributes takes a microsecond."""
    own = layer._parameters
    try:
        return own["weight"], own["bias"]  # type: ignore[return-value]
    except KeyError:  # a parametrisation has taken them over
        return layer.weight, layer.bias


class _ConvNd(Module):
    """What all convolutions share: sizes, checks, parameters, printing."""

    weight: Any
    bias: Any

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: str | tuple[int, ...],
        dilation: tuple[int, ...],
        transposed: bool,
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        factory = {"device": device, "dtype": dtype}
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        for name, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if channels % groups != 0:
                raise ValueError(
                    message(f"{name} must be divisible by groups", f"{channels} and {groups}")
                )
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(
                    f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}"
                )
            if padding == "same" and any(s != 1 for s in stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in _MODES:
            raise ValueError(
                f"padding_mode must be one of {_MODES}, but got padding_mode='{padding_mode}'"
            )
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = self._pad_argument()
        first, second = (
            (in_channels, out_channels // groups)
            if transposed
            else (out_channels, in_channels // groups)
        )
        self.weight = Parameter(rushlight.empty((first, second, *kernel_size), **factory))
        _set_bias(self, bias, out_channels, factory)
        self.reset_parameters()

    def _pad_argument(self) -> Any:
        """`padding` as `functional.pad` wants it: last dimension first, before and after."""
        if not isinstance(self.padding, str):
            return _reverse_repeat_tuple(self.padding, 2)
        pads = []
        for d, k in zip(reversed(self.dilation), reversed(self.kernel_size), strict=True):
            total = d * (k - 1) if self.padding == "same" else 0
            pads += [total // 2, total - total // 2]
        return pads

    def reset_parameters(self) -> None:
        """Draw weight and bias uniformly from ±1/√fan_in."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        n = len(self.kernel_size)
        parts = [
            f"{self.in_channels}, {self.out_channels}",
            f"kernel_size={self.kernel_size}",
            f"stride={self.stride}",
        ]
        if self.padding != (0,) * n:
            parts.append(f"padding={self.padding}")
        if self.dilation != (1,) * n:
            parts.append(f"dilation={self.dilation}")
        if self.output_padding != (0,) * n:
            parts.append(f"output_padding={self.output_padding}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.__dict__.setdefault("padding_mode", "zeros")


class _Conv(_ConvNd):
    """The signature of the forward convolutions."""

    _expand = staticmethod(_single)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: str | int | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        expand = self._expand
        super().__init__(
            in_channels,
            out_channels,
            expand(kernel_size),
            expand(stride),
            padding if isinstance(padding, str) else expand(padding),
            expand(dilation),
            False,
            expand(0),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _padded(self, input: Tensor) -> tuple[Tensor, Any]:
        """The input and the padding that is left to do, for padding modes other than zeros."""
        padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
        return padded, self._expand(0)


class Conv1d(_Conv):
    """out[n, o] = bias[o] + Σᵢ weight[o, i] ⋆ input[n, i], where ⋆ is cross-correlation over time.

    Args:
        in_channels, out_channels: channels of the input and of the output.
        kernel_size, stride, dilation: of the kernel; a number or a tuple.
        padding: added on both sides; a number, a tuple, 'valid' (none) or 'same'.
        groups: both channel numbers are divisible by it; channels meet only within a group.
        bias: whether to add one number to each output channel.
        padding_mode: 'zeros', 'reflect', 'replicate' or 'circular'.

    Shape: (N, in, L) or (in, L) -> (N, out, L') or (out, L') with
    L' = ⌊(L + 2·padding - dilation·(kernel_size - 1) - 1) / stride⌋ + 1;
    weight (out, in/groups, kernel_size).

    >>> nn.Conv1d(16, 33, 3, stride=2)(torch.randn(20, 16, 50)).shape
    torch.Size([20, 33, 24])
    """

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Any) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = self._padded(input)
        return F.conv1d(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, *_parts(self))


class Conv2d(_Conv):
    """out[n, o] = bias[o] + Σᵢ weight[o, i] ⋆ input[n, i], where ⋆ is cross-correlation of images.

    Arguments as in `Conv1d`; sizes are numbers or (height, width).

    Shape: (N, in, H, W) or (in, H, W) -> (N, out, H', W') or (out, H', W'), each size as in
    `Conv1d`; weight (out, in/groups, kernel height, kernel width).

    >>> nn.Conv2d(3, 8, (3, 5), padding=(1, 2))(torch.randn(2, 3, 10, 12)).shape
    torch.Size([2, 8, 10, 12])
    """

    _expand = staticmethod(_pair)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Any) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = self._padded(input)
        return F.conv2d(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, *_parts(self))


class Conv3d(_Conv):
    """out[n, o] = bias[o] + Σᵢ weight[o, i] ⋆ input[n, i], where ⋆ is cross-correlation of volumes.

    Arguments as in `Conv1d`; sizes are numbers or (depth, height, width).

    Shape: (N, in, D, H, W) or (in, D, H, W) -> (N, out, D', H', W') or (out, D', H', W').

    >>> nn.Conv3d(2, 4, 3)(torch.randn(1, 2, 5, 6, 7)).shape
    torch.Size([1, 4, 3, 4, 5])
    """

    _expand = staticmethod(_triple)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Any) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = self._padded(input)
        return F.conv3d(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, *_parts(self))


class _ConvTransposeNd(_ConvNd):
    """The signature of the transposed convolutions."""

    _expand = staticmethod(_single)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | Sequence[int] = 0,
        output_padding: int | Sequence[int] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | Sequence[int] = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(
                f'Only "zeros" padding mode is supported for {self.__class__.__name__}'
            )
        expand = self._expand
        super().__init__(
            in_channels,
            out_channels,
            expand(kernel_size),
            expand(stride),
            expand(padding),
            expand(dilation),
            True,
            expand(output_padding),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _output_padding(
        self,
        input: Tensor,
        output_size: Any,
        stride: Any,
        padding: Any,
        kernel_size: Any,
        num_spatial_dims: int,
        dilation: Any = None,
    ) -> Any:
        """How much to add on one side so that the output has `output_size`."""
        if output_size is None:
            return self.output_padding
        n = num_spatial_dims
        lead = 2 if input.ndim == n + 2 else 1
        if len(output_size) == lead + n:
            output_size = output_size[lead:]
        if len(output_size) != n:
            raise ValueError(
                f"ConvTranspose{n}D: for {input.ndim}D input, output_size must have {n} or "
                f"{lead + n} elements (got {len(output_size)})"
            )
        dilation = dilation or (1,) * n
        smallest = [
            (input.shape[lead + d] - 1) * stride[d]
            - 2 * padding[d]
            + dilation[d] * (kernel_size[d] - 1)
            + 1
            for d in range(n)
        ]
        largest = [size + s - 1 for size, s in zip(smallest, stride, strict=True)]
        if any(
            not a <= size <= b for size, a, b in zip(output_size, smallest, largest, strict=True)
        ):
            raise ValueError(
                f"requested an output size of {output_size}, but valid sizes range from "
                f"{smallest} to {largest} (for an input of {input.shape[2:]})"
            )
        return [size - a for size, a in zip(output_size, smallest, strict=True)]

    def _arguments(self, input: Tensor, output_size: Any) -> tuple[Any, ...]:
        """What `conv_transposeNd` takes after the bias."""
        output_padding = self.output_padding
        if output_size is not None:
            output_padding = self._output_padding(
                input,
                output_size,
                self.stride,
                self.padding,
                self.kernel_size,
                len(self.kernel_size),
                self.dilation,
            )
        return self.stride, self.padding, output_padding, self.groups, self.dilation


class ConvTranspose1d(_ConvTransposeNd):
    """The gradient of Conv1d with respect to its input, as a layer; it makes signals longer.

    Args:
        in_channels, out_channels, kernel_size, stride, dilation, groups, bias: as in `Conv1d`.
        padding: what the convolution had; the output loses as much on both sides.
        output_padding: added to one side of the output, where several sizes are possible.

    Calling it with `output_size` chooses the output padding.

    Shape: (N, in, L) or (in, L) -> (N, out, L') or (out, L') with
    L' = (L - 1)·stride - 2·padding + dilation·(kernel_size - 1) + output_padding + 1;
    weight (in, out/groups, kernel_size).

    >>> nn.ConvTranspose1d(4, 2, 3, stride=2)(torch.randn(1, 4, 5)).shape
    torch.Size([1, 2, 11])
    """

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        return F.conv_transpose1d(input, *_parts(self), *self._arguments(input, output_size))


class ConvTranspose2d(_ConvTransposeNd):
    """The gradient of Conv2d with respect to its input, as a layer; it makes images larger.

    Arguments and sizes as in `ConvTranspose1d`, for (N, in, H, W) or (in, H, W).

    >>> up = nn.ConvTranspose2d(8, 4, 3, stride=2, padding=1)
    >>> up(torch.randn(1, 8, 6, 6), output_size=(12, 12)).shape
    torch.Size([1, 4, 12, 12])
    """

    _expand = staticmethod(_pair)

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        return F.conv_transpose2d(input, *_parts(self), *self._arguments(input, output_size))


class ConvTranspose3d(_ConvTransposeNd):
    """The gradient of Conv3d with respect to its input, as a layer.

    Arguments and sizes as in `ConvTranspose1d`, for (N, in, D, H, W) or (in, D, H, W).

    >>> nn.ConvTranspose3d(2, 1, 2, stride=2)(torch.randn(1, 2, 3, 3, 3)).shape
    torch.Size([1, 1, 6, 6, 6])
    """

    _expand = staticmethod(_triple)

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        return F.conv_transpose3d(input, *_parts(self), *self._arguments(input, output_size))


class _LazyConvXdMixin(LazyModuleMixin):
    """Takes `in_channels` from the first input."""

    def _make_lazy(self: Any, out_channels: int, bias: bool, device: Any, dtype: Any) -> None:
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self: Any) -> None:
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self: Any, input: Tensor, *args: Any, **kwargs: Any) -> None:
        if not self.has_uninitialized_params():
            return
        self.in_channels = self._get_in_channels(input)
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        first, second = self.out_channels, self.in_channels // self.groups
        if self.transposed:
            first, second = self.in_channels, self.out_channels // self.groups
        self.weight.materialize((first, second, *self.kernel_size))
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()

    def _get_in_channels(self: Any, input: Tensor) -> int:
        single = self._get_num_spatial_dims() + 1
        if input.ndim not in (single, single + 1):
            raise RuntimeError(
                f"Expected {single}D (unbatched) or {single + 1}D (batched) input to "
                f"{self.__class__.__name__}, but got input of size: {input.shape}"
            )
        return input.shape[input.ndim - single]

    def _get_num_spatial_dims(self: Any) -> int:
        return len(self.kernel_size)


class _LazyConv(_LazyConvXdMixin):
    def __init__(
        self: Any,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: str | int | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype
        )
        self._make_lazy(out_channels, bias, device, dtype)


class _LazyConvTranspose(_LazyConvXdMixin):
    def __init__(
        self: Any,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | Sequence[int] = 0,
        output_padding: int | Sequence[int] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | Sequence[int] = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            0,
            0,
            kernel_size,
            stride,
            padding,
            output_padding,
            groups,
            False,
            dilation,
            padding_mode,
            device,
            dtype,
        )
        self._make_lazy(out_channels, bias, device, dtype)


class LazyConv1d(_LazyConv, Conv1d):
    """A Conv1d whose `in_channels` is taken from the first input.

    >>> layer = nn.LazyConv1d(4, kernel_size=3)
    >>> layer(torch.randn(2, 5, 10)).shape, layer
    (torch.Size([2, 4, 8]), Conv1d(5, 4, kernel_size=(3,), stride=(1,)))
    """

    cls_to_become = Conv1d


class LazyConv2d(_LazyConv, Conv2d):
    """A Conv2d whose `in_channels` is taken from the first input.

    >>> nn.LazyConv2d(4, 3)(torch.zeros(1, 2, 5, 5)).shape
    torch.Size([1, 4, 3, 3])
    """

    cls_to_become = Conv2d


class LazyConv3d(_LazyConv, Conv3d):
    """A Conv3d whose `in_channels` is taken from the first input.

    >>> layer = nn.LazyConv3d(4, kernel_size=3)
    >>> layer(torch.randn(2, 5, 6, 6, 6)).shape, layer.in_channels
    (torch.Size([2, 4, 4, 4, 4]), 5)
    """

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    """A ConvTranspose1d whose `in_channels` is taken from the first input.

    >>> layer = nn.LazyConvTranspose1d(4, kernel_size=3)
    >>> layer(torch.randn(2, 5, 10)).shape, layer.in_channels
    (torch.Size([2, 4, 12]), 5)
    """

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    """A ConvTranspose2d whose `in_channels` is taken from the first input.

    >>> layer = nn.LazyConvTranspose2d(4, kernel_size=2, stride=2)
    >>> layer(torch.randn(2, 5, 8, 8)).shape, layer.in_channels
    (torch.Size([2, 4, 16, 16]), 5)
    """

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    """A ConvTranspose3d whose `in_channels` is taken from the first input.

    >>> layer = nn.LazyConvTranspose3d(4, kernel_size=2, stride=2)
    >>> layer(torch.randn(2, 5, 3, 3, 3)).shape, layer.in_channels
    (torch.Size([2, 4, 6, 6, 6]), 5)
    """

    cls_to_become = ConvTranspose3d
