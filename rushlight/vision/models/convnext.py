"""ConvNeXt: a convolutional network built as transformers are: large filters of single channels,
and two linear layers a pixel (https://arxiv.org/abs/2201.03545).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import rushlight

from ... import nn
from ...nn import functional as F
from ...tensor import Tensor
from ..ops.misc import Conv2dNormActivation, Permute
from ..ops.stochastic_depth import StochasticDepth
from ._api import WeightsEnum, assemble, builder, imagenet
from ._utils import Layer, check_rows, initialise

__all__ = [
    "ConvNeXt",
    "ConvNeXt_Base_Weights",
    "ConvNeXt_Large_Weights",
    "ConvNeXt_Small_Weights",
    "ConvNeXt_Tiny_Weights",
    "convnext_base",
    "convnext_large",
    "convnext_small",
    "convnext_tiny",
]


class LayerNorm2d(nn.LayerNorm):
    """A norm over the channels of each pixel: (B, C, H, W) -> the same."""

    def forward(self, x: Tensor) -> Tensor:
        x = x.permute(0, 2, 3, 1)
        x = F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
        return x.permute(0, 3, 1, 2)


class CNBlock(nn.Module):
    """A 7x7 filter a channel, a norm, and two linear layers a pixel, beside a shortcut.

    Args:
        layer_scale: first value of the factors that the channels are multiplied by
            (https://arxiv.org/abs/2103.17239).
        stochastic_depth_prob: how often a row's result is left out in training.
    """

    def __init__(
        self,
        dim: int,
        layer_scale: float,
        stochastic_depth_prob: float,
        norm_layer: Layer | None = None,
    ) -> None:
        super().__init__()
        norm = norm_layer or partial(nn.LayerNorm, eps=1e-6)
        self.block = nn.Sequential(
            nn.Conv2d(dim, dim, kernel_size=7, padding=3, groups=dim),
            Permute([0, 2, 3, 1]),
            norm(dim),
            nn.Linear(dim, 4 * dim),
            nn.GELU(),
            nn.Linear(4 * dim, dim),
            Permute([0, 3, 1, 2]),
        )
        self.layer_scale = nn.Parameter(rushlight.ones(dim, 1, 1) * layer_scale)
        self.stochastic_depth = StochasticDepth(stochastic_depth_prob, "row")

    def forward(self, input: Tensor) -> Tensor:  # (B, C, H, W)
        return self.stochastic_depth(self.layer_scale * self.block(input)) + input


class CNBlockConfig:
    """One stage: its channels, those of the next (None: it is the last), its blocks."""

    def __init__(self, input_channels: int, out_channels: int | None, num_layers: int) -> None:
        self.input_channels = input_channels
        self.out_channels = out_channels
        self.num_layers = num_layers

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value}" for name, value in vars(self).items())
        return f"{type(self).__name__}({fields})"


class ConvNeXt(nn.Module):
    """A stem of 4x4 patches, stages with halvings between them, a linear layer.

    Args:
        block_setting: one configuration a stage.
        stochastic_depth_prob: of the last block; it rises from 0 at the first.
        layer_scale: see :class:`CNBlock`.
        block: in place of :class:`CNBlock`.
        norm_layer: between the stages, in place of a norm over channels with eps 1e-6.

    >>> net = ConvNeXt([CNBlockConfig(8, 16, 1), CNBlockConfig(16, None, 1)], num_classes=3)
    >>> net(torch.zeros(2, 3, 32, 32)).shape
    torch.Size([2, 3])
    """

    def __init__(
        self,
        block_setting: Sequence[CNBlockConfig],
        stochastic_depth_prob: float = 0.0,
        layer_scale: float = 1e-6,
        num_classes: int = 1000,
        block: Layer | None = None,
        norm_layer: Layer | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        check_rows(block_setting, CNBlockConfig, "block_setting")
        block = block or CNBlock
        norm = norm_layer or partial(LayerNorm2d, eps=1e-6)
        layers: list[nn.Module] = [
            Conv2dNormActivation(
                3,
                block_setting[0].input_channels,
                kernel_size=4,
                stride=4,
                padding=0,
                norm_layer=norm,
                activation_layer=None,
                bias=True,
            )
        ]
        total = sum(row.num_layers for row in block_setting)
        before = 0
        for row in block_setting:
            dim, out = row.input_channels, row.out_channels
            depths = range(before, before + row.num_layers)
            probs = [stochastic_depth_prob * i / max(total - 1, 1) for i in depths]
            layers.append(nn.Sequential(*(block(dim, layer_scale, p) for p in probs)))
            before += row.num_layers
            if out is not None:
                halve = nn.Conv2d(dim, out, kernel_size=2, stride=2)
                layers.append(nn.Sequential(norm(dim), halve))
        last = block_setting[-1].out_channels or block_setting[-1].input_channels
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(norm(last), nn.Flatten(1), nn.Linear(last, num_classes))
        values = partial(nn.init.trunc_normal_, std=0.02)
        initialise(self, conv=values, linear=values)

    def _forward_impl(self, x: Tensor) -> Tensor:  # (B, 3, H, W)
        return self.classifier(self.avgpool(self.features(x)))  # (B, num_classes)

    def forward(self, x: Tensor) -> Tensor:
        return self._forward_impl(x)


def _convnext(
    dim: int,
    third: int,
    depth_prob: float,
    weights: WeightsEnum | None,
    progress: bool,
    **kwargs: Any,
) -> ConvNeXt:
    """Four stages of 3, 3, `third` and 3 blocks, from `dim` channels on."""
    rows = [CNBlockConfig(dim << i, dim << (i + 1), 3) for i in range(3)]
    rows[2].num_layers = third
    rows.append(CNBlockConfig(dim << 3, None, 3))
    kwargs.setdefault("stochastic_depth_prob", depth_prob)
    return assemble(ConvNeXt, weights, progress, rows, **kwargs)


class ConvNeXt_Tiny_Weights(WeightsEnum):
    """Trained weights of `convnext_tiny`."""

    IMAGENET1K_V1 = imagenet(
        "convnext_tiny-983f1562.pth", 28_589_128, 82.52, 96.146, 4.456, 109.119, "#convnext",
        min_size=(32, 32), resize_size=236,
    )
    DEFAULT = IMAGENET1K_V1


class ConvNeXt_Small_Weights(WeightsEnum):
    """Trained weights of `convnext_small`."""

    IMAGENET1K_V1 = imagenet(
        "convnext_small-0c510722.pth", 50_223_688, 83.616, 96.65, 8.684, 191.703, "#convnext",
        min_size=(32, 32), resize_size=230,
    )
    DEFAULT = IMAGENET1K_V1


class ConvNeXt_Base_Weights(WeightsEnum):
    """Trained weights of `convnext_base`."""

    IMAGENET1K_V1 = imagenet(
        "convnext_base-6075fbad.pth", 88_591_464, 84.062, 96.87, 15.355, 338.064, "#convnext",
        min_size=(32, 32), resize_size=232,
    )
    DEFAULT = IMAGENET1K_V1


class ConvNeXt_Large_Weights(WeightsEnum):
    """Trained weights of `convnext_large`."""

    IMAGENET1K_V1 = imagenet(
        "convnext_large-ea097f82.pth", 197_767_336, 84.414, 96.976, 34.361, 754.537, "#convnext",
        min_size=(32, 32), resize_size=232,
    )
    DEFAULT = IMAGENET1K_V1


@builder(ConvNeXt_Tiny_Weights)
def convnext_tiny(
    *, weights: ConvNeXt_Tiny_Weights | None = None, progress: bool = True, **kwargs: Any
) -> ConvNeXt:
    """ConvNeXt-Tiny; `kwargs` go to :class:`ConvNeXt`."""
    return _convnext(96, 9, 0.1, weights, progress, **kwargs)


@builder(ConvNeXt_Small_Weights)
def convnext_small(
    *, weights: ConvNeXt_Small_Weights | None = None, progress: bool = True, **kwargs: Any
) -> ConvNeXt:
    """ConvNeXt-Small; `kwargs` go to :class:`ConvNeXt`."""
    return _convnext(96, 27, 0.4, weights, progress, **kwargs)


@builder(ConvNeXt_Base_Weights)
def convnext_base(
    *, weights: ConvNeXt_Base_Weights | None = None, progress: bool = True, **kwargs: Any
) -> ConvNeXt:
    """ConvNeXt-Base; `kwargs` go to :class:`ConvNeXt`."""
    return _convnext(128, 27, 0.5, weights, progress, **kwargs)


@builder(ConvNeXt_Large_Weights)
def convnext_large(
    *, weights: ConvNeXt_Large_Weights | None = None, progress: bool = True, **kwargs: Any
) -> ConvNeXt:
    """ConvNeXt-Large; `kwargs` go to :class:`ConvNeXt`."""
    return _convnext(192, 27, 0.5, weights, progress, **kwargs)
