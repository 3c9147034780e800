"""MaxViT: convolutions, attention inside windows, and attention over a grid across the windows
(https://arxiv.org/abs/2204.01697).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

import rushlight

from ... import nn
from ...tensor import Tensor
from ..ops.misc import Conv2dNormActivation, SqueezeExcitation
from ..ops.stochastic_depth import StochasticDepth
from ._api import WeightsEnum, assemble, builder, fix, imagenet
from ._utils import Layer, initialise
from ._windows import _get_relative_position_bias, relative_positions

__all__ = [
    "MaxVit",
    "MaxVit_T_Weights",
    "maxvit_t",
]

_FX_WHOLE = ("_get_relative_position_bias",)  # they look at sizes

Size = tuple[int, int]


def _halved(size: Size) -> Size:
    """The size of an image behind a 3x3 convolution of stride 2."""
    return (size[0] + 1) // 2, (size[1] + 1) // 2


class MBConv(nn.Module):
    """1x1, 3x3 a channel, squeeze and excitation, 1x1, beside a shortcut.

    (B, in, H, W) -> (B, out, H/stride, W/stride); the 3x3 works on out * expansion_ratio channels.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        expansion_ratio: float,
        squeeze_ratio: float,
        stride: int,
        activation_layer: Layer,
        norm_layer: Layer,
        p_stochastic_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.proj: nn.Module = nn.Identity()
        if stride != 1 or in_channels != out_channels:
            shrink = [nn.AvgPool2d(3, stride, padding=1)] if stride == 2 else []
            self.proj = nn.Sequential(*shrink, nn.Conv2d(in_channels, out_channels, 1))
        wide, squeezed = int(out_channels * expansion_ratio), int(out_channels * squeeze_ratio)
        p = p_stochastic_dropout
        self.stochastic_depth = StochasticDepth(p, "row") if p else nn.Identity()
        conv = partial(
            Conv2dNormActivation,
            activation_layer=activation_layer,
            norm_layer=norm_layer,
            inplace=None,
        )
        layers: OrderedDict[str, nn.Module] = OrderedDict()
        layers["pre_norm"] = norm_layer(in_channels)
        layers["conv_a"] = conv(in_channels, wide, 1)
        layers["conv_b"] = conv(wide, wide, 3, stride, groups=wide)
        layers["squeeze_excitation"] = SqueezeExcitation(wide, squeezed, activation=nn.SiLU)
        layers["conv_c"] = nn.Conv2d(wide, out_channels, 1)
        self.layers = nn.Sequential(layers)

    def forward(self, x: Tensor) -> Tensor:
        return self.proj(x) + self.stochastic_depth(self.layers(x))


class RelativePositionalMultiHeadAttention(nn.Module):
    """Attention with a learned bias for each relative place: (B, G, P, D) -> the same.

    Args:
        feat_dim, head_dim: D, and how much of it a head has.
        max_seq_len: P, the pixels of a square window.
    """

    relative_position_index: Tensor

    def __init__(self, feat_dim: int, head_dim: int, max_seq_len: int) -> None:
        super().__init__()
        if feat_dim % head_dim != 0:
            raise ValueError(f"feat_dim: {feat_dim} must be divisible by head_dim: {head_dim}")
        self.n_heads = feat_dim // head_dim
        self.head_dim = head_dim
        self.size = int(max_seq_len**0.5)
        self.max_seq_len = max_seq_len
        self.to_qkv = nn.Linear(feat_dim, 3 * feat_dim)
        self.scale_factor = feat_dim**-0.5
        self.merge = nn.Linear(feat_dim, feat_dim)
        places = rushlight.empty((2 * self.size - 1) ** 2, self.n_heads)
        self.relative_position_bias_table = nn.Parameter(places)
        index = relative_positions([self.size, self.size])
        self.register_buffer("relative_position_index", index)
        nn.init.trunc_normal_(self.relative_position_bias_table, std=0.02)

    def get_relative_positional_bias(self) -> Tensor:  # (1, heads, P, P)
        window = [self.size, self.size]
        table = self.relative_position_bias_table
        index = self.relative_position_index
        return _get_relative_position_bias(table, index, window)

    def forward(self, x: Tensor) -> Tensor:
        b, g, p, d = x.shape
        qkv = self.to_qkv(x).reshape(b, g, p, 3, self.n_heads, self.head_dim)
        q, k, v = qkv.permute(3, 0, 1, 4, 2, 5).unbind(0)  # (B, G, heads, P, D / heads)
        products = q @ (k * self.scale_factor).transpose(-2, -1)
        shares = (products + self.get_relative_positional_bias()).softmax(-1)
        return self.merge((shares @ v).permute(0, 1, 3, 2, 4).reshape(b, g, p, d))


class SwapAxes(nn.Module):
    """`swapaxes` as a layer."""

    def __init__(self, a: int, b: int) -> None:
        super().__init__()
        self.a = a
        self.b = b

    def forward(self, x: Tensor) -> Tensor:
        return rushlight.swapaxes(x, self.a, self.b)


class WindowPartition(nn.Module):
    """(B, C, H, W) cut into windows of p times p: (B, H/p W/p, p p, C)."""

    def forward(self, x: Tensor, p: int) -> Tensor:
        b, c, h, w = x.shape
        x = x.reshape(b, c, h // p, p, w // p, p).permute(0, 2, 4, 3, 5, 1)
        return x.reshape(b, (h // p) * (w // p), p * p, c)


class WindowDepartition(nn.Module):
    """What :class:`WindowPartition` was given, from the windows down and across."""

    def forward(self, x: Tensor, p: int, h_partitions: int, w_partitions: int) -> Tensor:
        b, _, _, c = x.shape
        x = x.reshape(b, h_partitions, w_partitions, p, p, c).permute(0, 5, 1, 3, 2, 4)
        return x.reshape(b, c, h_partitions * p, w_partitions * p)


class PartitionAttentionLayer(nn.Module):
    """Attention and an MLP on parts of an image: (B, C, H, W) -> the same.

    Args:
        partition_size: pixels along a part's side.
        partition_type: "window": neighbours; "grid": pixels far apart, one of each window.
        grid_size: height and width of the images.
    """

    def __init__(
        self,
        in_channels: int,
        head_dim: int,
        partition_size: int,
        partition_type: str,
        grid_size: Size,
        mlp_ratio: int,
        activation_layer: Layer,
        norm_layer: Layer,
        attention_dropout: float,
        mlp_dropout: float,
        p_stochastic_dropout: float,
    ) -> None:
        super().__init__()
        if partition_type not in ("grid", "window"):
            raise ValueError("partition_type must be either 'grid' or 'window'")
        grid = partition_type == "grid"
        self.n_heads = in_channels // head_dim
        self.head_dim = head_dim
        self.n_partitions = grid_size[0] // partition_size
        self.partition_type = partition_type
        self.grid_size = grid_size
        sizes = partition_size, self.n_partitions
        self.p, self.g = sizes[::-1] if grid else sizes
        self.partition_op = WindowPartition()
        self.departition_op = WindowDepartition()
        self.partition_swap = SwapAxes(-2, -3) if grid else nn.Identity()
        self.departition_swap = SwapAxes(-2, -3) if grid else nn.Identity()
        self.attn_layer = nn.Sequential(
            norm_layer(in_channels),
            RelativePositionalMultiHeadAttention(in_channels, head_dim, partition_size**2),
            nn.Dropout(attention_dropout),
        )
        self.mlp_layer = nn.Sequential(
            nn.LayerNorm(in_channels),
            nn.Linear(in_channels, in_channels * mlp_ratio),
            activation_layer(),
            nn.Linear(in_channels * mlp_ratio, in_channels),
            nn.Dropout(mlp_dropout),
        )
        self.stochastic_dropout = StochasticDepth(p_stochastic_dropout, mode="row")

    def forward(self, x: Tensor) -> Tensor:
        if any(side % self.p for side in self.grid_size):
            raise AssertionError(
                "Grid size must be divisible by partition size. Got grid size of "
                f"{self.grid_size} and partition size of {self.p}"
            )
        x = self.partition_swap(self.partition_op(x, self.p))
        x = x + self.stochastic_dropout(self.attn_layer(x))
        x = x + self.stochastic_dropout(self.mlp_layer(x))
        down, across = (side // self.p for side in self.grid_size)
        return self.departition_op(self.departition_swap(x), self.p, down, across)


class MaxVitLayer(nn.Module):
    """An :class:`MBConv`, attention inside windows, attention over the grid."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        squeeze_ratio: float,
        expansion_ratio: float,
        stride: int,
        norm_layer: Layer,
        activation_layer: Layer,
        head_dim: int,
        mlp_ratio: int,
        mlp_dropout: float,
        attention_dropout: float,
        p_stochastic_dropout: float,
        partition_size: int,
        grid_size: Size,
    ) -> None:
        super().__init__()
        layers: OrderedDict[str, nn.Module] = OrderedDict()
        layers["MBconv"] = MBConv(
            in_channels,
            out_channels,
            expansion_ratio,
            squeeze_ratio,
            stride,
            activation_layer,
            norm_layer,
            p_stochastic_dropout,
        )
        for kind in ("window", "grid"):
            layers[f"{kind}_attention"] = PartitionAttentionLayer(
                out_channels,
                head_dim,
                partition_size,
                kind,
                grid_size,
                mlp_ratio,
                activation_layer,
                nn.LayerNorm,
                attention_dropout,
                mlp_dropout,
                p_stochastic_dropout,
            )
        self.layers = nn.Sequential(layers)

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x)


class MaxVitBlock(nn.Module):
    """Layers of one size; the first halves images of `input_grid_size`.

    Args:
        p_stochastic: how often each of the `n_layers` layers is left out in training.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        squeeze_ratio: float,
        expansion_ratio: float,
        norm_layer: Layer,
        activation_layer: Layer,
        head_dim: int,
        mlp_ratio: int,
        mlp_dropout: float,
        attention_dropout: float,
        partition_size: int,
        input_grid_size: Size,
        n_layers: int,
        p_stochastic: Sequence[float],
    ) -> None:
        super().__init__()
        if len(p_stochastic) != n_layers:
            raise ValueError(
                f"p_stochastic must have length n_layers={n_layers}, got "
                f"p_stochastic={p_stochastic}."
            )
        self.layers = nn.ModuleList()
        self.grid_size = _halved(input_grid_size)
        for i, p in enumerate(p_stochastic):
            self.layers.append(
                MaxVitLayer(
                    in_channels if i == 0 else out_channels,
                    out_channels,
                    squeeze_ratio,
                    expansion_ratio,
                    2 if i == 0 else 1,
                    norm_layer,
                    activation_layer,
                    head_dim,
                    mlp_ratio,
                    mlp_dropout,
                    attention_dropout,
                    p,
                    partition_size,
                    self.grid_size,
                )
            )

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


class MaxVit(nn.Module):
    """A stem of two convolutions, blocks that each halve the image, a classifier.

    Args:
        input_size: height and width of the images; all must have them.
        partition_size: side of the windows; it must divide the sides of every block.
        block_channels, block_layers: of each block.
        head_dim: channels of a head.
        stochastic_depth_prob: of the last layer; it rises from 0 at the first.
        norm_layer: of the convolutions, in place of BatchNorm2d with eps 1e-3 and momentum 0.01.

    >>> net = MaxVit((32, 32), 8, 4, [8, 16], [1, 1], 4, 0.1, num_classes=3)
    >>> net(torch.zeros(2, 3, 32, 32)).shape
    torch.Size([2, 3])
    """

    def __init__(
        self,
        input_size: Size,
        stem_channels: int,
        partition_size: int,
        block_channels: Sequence[int],
        block_layers: Sequence[int],
        head_dim: int,
        stochastic_depth_prob: float,
        norm_layer: Layer | None = None,
        activation_layer: Layer = nn.GELU,
        squeeze_ratio: float = 0.25,
        expansion_ratio: float = 4,
        mlp_ratio: int = 4,
        mlp_dropout: float = 0.0,
        attention_dropout: float = 0.0,
        num_classes: int = 1000,
    ) -> None:
        super().__init__()
        norm = norm_layer or partial(nn.BatchNorm2d, eps=1e-3, momentum=0.01)
        size = _halved(input_size)
        sizes = [size := _halved(size) for _ in block_channels]
        for i, found in enumerate(sizes):
            if found[0] % partition_size or found[1] % partition_size:
                raise ValueError(
                    f"Input size {found} of block {i} is not divisible by partition size "
                    f"{partition_size}. Consider changing the partition size or the input size.\n"
                    f"Current configuration yields the following block input sizes: {sizes}."
                )
        self.stem = nn.Sequential(
            Conv2dNormActivation(
                3,
                stem_channels,
                3,
                stride=2,
                norm_layer=norm,
                activation_layer=activation_layer,
                bias=False,
                inplace=None,
            ),
            Conv2dNormActivation(
                stem_channels, stem_channels, 3, norm_layer=None, activation_layer=None, bias=True
            ),
        )
        self.partition_size = partition_size
        size = _halved(input_size)
        self.blocks = nn.ModuleList()
        probs = np.linspace(0, stochastic_depth_prob, sum(block_layers)).tolist()
        channels = stem_channels
        for out, layers in zip(block_channels, block_layers, strict=True):
            block = MaxVitBlock(
                channels,
                out,
                squeeze_ratio,
                expansion_ratio,
                norm,
                activation_layer,
                head_dim,
                mlp_ratio,
                mlp_dropout,
                attention_dropout,
                partition_size,
                size,
                layers,
                probs[:layers],
            )
            self.blocks.append(block)
            channels, size, probs = out, block.grid_size, probs[layers:]
        self.classifier = nn.Sequential(
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.LayerNorm(channels),
            nn.Linear(channels, channels),
            nn.Tanh(),
            nn.Linear(channels, num_classes, bias=False),
        )
        values = partial(nn.init.normal_, std=0.02)
        initialise(self, conv=values, linear=values)

    def forward(self, x: Tensor) -> Tensor:  # (B, 3, H, W)
        x = self.stem(x)  # (B, stem_channels, H/2, W/2)
        for block in self.blocks:
            x = block(x)
        return self.classifier(x)  # (B, num_classes)


class MaxVit_T_Weights(WeightsEnum):
    """Trained weights of `maxvit_t`."""

    IMAGENET1K_V1 = imagenet(
        "maxvit_t-bc5ab103.pth", 30_919_624, 83.7, 96.722, 5.558, 118.769, "#maxvit",
        min_size=(224, 224), bicubic=True, resize_size=224,
    )
    DEFAULT = IMAGENET1K_V1


@builder(MaxVit_T_Weights)
def maxvit_t(
    *, weights: MaxVit_T_Weights | None = None, progress: bool = True, **kwargs: Any
) -> MaxVit:
    """MaxViT-T; `kwargs` go to :class:`MaxVit`."""
    if weights is not None:
        fix(kwargs, input_size=weights.meta["min_size"])
    return assemble(
        MaxVit,
        weights,
        progress,
        input_size=kwargs.pop("input_size", (224, 224)),
        stem_channels=64,
        partition_size=7,
        block_channels=[64, 128, 256, 512],
        block_layers=[2, 2, 5, 2],
        head_dim=32,
        stochastic_depth_prob=0.2,
        **kwargs,
    )
