"""Blocks that several networks are built of."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import rushlight

from ... import nn
from ...tensor import Tensor

__all__ = [
    "MLP",
    "Conv2dNormActivation",
    "Conv3dNormActivation",
    "ConvNormActivation",
    "FrozenBatchNorm2d",
    "Permute",
    "SqueezeExcitation",
]

interpolate = nn.functional.interpolate

Layer = Callable[..., nn.Module]
Sizes = int | tuple[int, ...]


class FrozenBatchNorm2d(nn.Module):
    """Batch normalisation by stored statistics, whose weight and bias are not trained.

    (x - running_mean) / sqrt(running_var + eps) * weight + bias, for x of shape (B, C, H, W).

    >>> FrozenBatchNorm2d(3)
    FrozenBatchNorm2d(3, eps=1e-05)
    """

    weight: Tensor
    bias: Tensor
    running_mean: Tensor
    running_var: Tensor

    def __init__(self, num_features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.register_buffer("weight", rushlight.ones(num_features))
        self.register_buffer("bias", rushlight.zeros(num_features))
        self.register_buffer("running_mean", rushlight.zeros(num_features))
        self.register_buffer("running_var", rushlight.ones(num_features))

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        # The file may come from a BatchNorm2d, which counts its batches.
        state_dict.pop(prefix + "num_batches_tracked", None)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    def forward(self, x: Tensor) -> Tensor:
        scale = self.weight * (self.running_var + self.eps).rsqrt()
        shift = self.bias - self.running_mean * scale
        return x * scale.reshape(1, -1, 1, 1) + shift.reshape(1, -1, 1, 1)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.weight.shape[0]}, eps={self.eps})"


def _ntuple(value: Sizes, n: int) -> tuple[int, ...]:
    return tuple(value) if isinstance(value, Sequence) else (value,) * n


class ConvNormActivation(nn.Sequential):
    """A convolution, a norm and an activation; the last two may be left out (None).

    Without `padding` the size of the image stays (at stride 1); without `bias` there is one where
    no norm follows.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes = 3,
        stride: Sizes = 1,
        padding: Sizes | str | None = None,
        groups: int = 1,
        norm_layer: Layer | None = nn.BatchNorm2d,
        activation_layer: Layer | None = nn.ReLU,
        dilation: Sizes = 1,
        inplace: bool | None = True,
        bias: bool | None = None,
        conv_layer: Layer = nn.Conv2d,
    ) -> None:
        if padding is None:
            if isinstance(kernel_size, int) and isinstance(dilation, int):
                padding = (kernel_size - 1) // 2 * dilation
            else:
                given = dilation if isinstance(kernel_size, int) else kernel_size
                kernel_size = _ntuple(kernel_size, len(_ntuple(given, 1)))
                dilation = _ntuple(dilation, len(kernel_size))
                pairs = zip(kernel_size, dilation, strict=True)
                padding = tuple((k - 1) // 2 * d for k, d in pairs)
        layers = [
            conv_layer(
                in_channels,
                out_channels,
                kernel_size,
                stride,
                padding,
                dilation=dilation,
                groups=groups,
                bias=norm_layer is None if bias is None else bias,
            )
        ]
        if norm_layer is not None:
            layers.append(norm_layer(out_channels))
        if activation_layer is not None:
            layers.append(activation_layer(**_inplace(inplace)))
        super().__init__(*layers)
        self.out_channels = out_channels
        if type(self) is ConvNormActivation:
            warnings.warn(
                "Don't use ConvNormActivation directly, please use Conv2dNormActivation and "
                "Conv3dNormActivation instead.",
                stacklevel=2,
            )


def _inplace(inplace: bool | None) -> dict[str, bool]:
    """The keyword for layers that know it; None for those that do not."""
    return {} if inplace is None else {"inplace": inplace}


class Conv2dNormActivation(ConvNormActivation):
    """:class:`ConvNormActivation` on images (B, C, H, W)."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes = 3,
        stride: Sizes = 1,
        padding: Sizes | str | None = None,
        groups: int = 1,
        norm_layer: Layer | None = nn.BatchNorm2d,
        activation_layer: Layer | None = nn.ReLU,
        dilation: Sizes = 1,
        inplace: bool | None = True,
        bias: bool | None = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            groups,
            norm_layer,
            activation_layer,
            dilation,
            inplace,
            bias,
            nn.Conv2d,
        )


class Conv3dNormActivation(ConvNormActivation):
    """:class:`ConvNormActivation` on volumes (B, C, D, H, W)."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes = 3,
        stride: Sizes = 1,
        padding: Sizes | str | None = None,
        groups: int = 1,
        norm_layer: Layer | None = nn.BatchNorm3d,
        activation_layer: Layer | None = nn.ReLU,
        dilation: Sizes = 1,
        inplace: bool | None = True,
        bias: bool | None = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            groups,
            norm_layer,
            activation_layer,
            dilation,
            inplace,
            bias,
            nn.Conv3d,
        )


class SqueezeExcitation(nn.Module):
    """Each channel times a factor in [0, 1] computed from the means of all channels.

    https://arxiv.org/abs/1709.01507, figure 1.
    """

    def __init__(
        self,
        input_channels: int,
        squeeze_channels: int,
        activation: Layer = nn.ReLU,
        scale_activation: Layer = nn.Sigmoid,
    ) -> None:
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Conv2d(input_channels, squeeze_channels, 1)
        self.fc2 = nn.Conv2d(squeeze_channels, input_channels, 1)
        self.activation = activation()
        self.scale_activation = scale_activation()

    def _scale(self, input: Tensor) -> Tensor:
        scale = self.activation(self.fc1(self.avgpool(input)))  # (B, squeeze_channels, 1, 1)
        return self.scale_activation(self.fc2(scale))  # (B, C, 1, 1)

    def forward(self, input: Tensor) -> Tensor:  # (B, C, H, W)
        return self._scale(input) * input


class MLP(nn.Sequential):
    """Linear layers with norm, activation and dropout in between, dropout at the end.

    Args:
        hidden_channels: the outputs of each layer; the last is the block's.
        inplace: given to the activations and dropouts; None leaves it to them.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: Sequence[int],
        norm_layer: Layer | None = None,
        activation_layer: Layer | None = nn.ReLU,
        inplace: bool | None = None,
        bias: bool = True,
        dropout: float = 0.0,
    ) -> None:
        options: dict[str, Any] = _inplace(inplace)
        layers: list[nn.Module] = []
        channels = in_channels
        for hidden in hidden_channels[:-1]:
            layers.append(nn.Linear(channels, hidden, bias=bias))
            if norm_layer is not None:
                layers.append(norm_layer(hidden))
            if activation_layer is not None:
                layers.append(activation_layer(**options))
            layers.append(nn.Dropout(dropout, **options))
            channels = hidden
        layers.append(nn.Linear(channels, hidden_channels[-1], bias=bias))
        layers.append(nn.Dropout(dropout, **options))
        super().__init__(*layers)


class Permute(nn.Module):
    """`permute` as a layer."""

    def __init__(self, dims: Sequence[int]) -> None:
        super().__init__()
        self.dims = dims

    def forward(self, x: Tensor) -> Tensor:
        return rushlight.permute(x, self.dims)
