"""EfficientNet: depth, width and image size scaled together (https://arxiv.org/abs/1905.11946),
and EfficientNetV2 with fused blocks (https://arxiv.org/abs/2104.00298).

The trained weights are in `_efficientnet_weights.py`.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ... import nn
from ...tensor import Tensor
from ..ops.misc import Conv2dNormActivation, SqueezeExcitation
from ..ops.stochastic_depth import StochasticDepth
from ._api import WeightsEnum, assemble, builder
from ._efficientnet_weights import (
    EfficientNet_B0_Weights,
    EfficientNet_B1_Weights,
    EfficientNet_B2_Weights,
    EfficientNet_B3_Weights,
    EfficientNet_B4_Weights,
    EfficientNet_B5_Weights,
    EfficientNet_B6_Weights,
    EfficientNet_B7_Weights,
    EfficientNet_V2_L_Weights,
    EfficientNet_V2_M_Weights,
    EfficientNet_V2_S_Weights,
)
from ._utils import Layer, _make_divisible, check_rows, initialise

__all__ = [
    "EfficientNet",
    "EfficientNet_B0_Weights",
    "EfficientNet_B1_Weights",
    "EfficientNet_B2_Weights",
    "EfficientNet_B3_Weights",
    "EfficientNet_B4_Weights",
    "EfficientNet_B5_Weights",
    "EfficientNet_B6_Weights",
    "EfficientNet_B7_Weights",
    "EfficientNet_V2_L_Weights",
    "EfficientNet_V2_M_Weights",
    "EfficientNet_V2_S_Weights",
    "efficientnet_b0",
    "efficientnet_b1",
    "efficientnet_b2",
    "efficientnet_b3",
    "efficientnet_b4",
    "efficientnet_b5",
    "efficientnet_b6",
    "efficientnet_b7",
    "efficientnet_v2_l",
    "efficientnet_v2_m",
    "efficientnet_v2_s",
]


@dataclass
class _MBConvConfig:
    """One row of a table of stages."""

    expand_ratio: float
    kernel: int
    stride: int
    input_channels: int
    out_channels: int
    num_layers: int
    block: Layer

    @staticmethod
    def adjust_channels(channels: int, width_mult: float, min_value: int | None = None) -> int:
        """`channels` times the width, in multiples of 8."""
        return _make_divisible(channels * width_mult, 8, min_value)


class MBConvConfig(_MBConvConfig):
    """A stage of :class:`MBConv` blocks, scaled in width and depth."""

    def __init__(
        self,
        expand_ratio: float,
        kernel: int,
        stride: int,
        input_channels: int,
        out_channels: int,
        num_layers: int,
        width_mult: float = 1.0,
        depth_mult: float = 1.0,
        block: Layer | None = None,
    ) -> None:
        super().__init__(
            expand_ratio,
            kernel,
            stride,
            self.adjust_channels(input_channels, width_mult),
            self.adjust_channels(out_channels, width_mult),
            self.adjust_depth(num_layers, depth_mult),
            block or MBConv,
        )

    @staticmethod
    def adjust_depth(num_layers: int, depth_mult: float) -> int:
        """`num_layers` times the depth, rounded up."""
        return math.ceil(num_layers * depth_mult)


class FusedMBConvConfig(_MBConvConfig):
    """A stage of :class:`FusedMBConv` blocks."""

    def __init__(
        self,
        expand_ratio: float,
        kernel: int,
        stride: int,
        input_channels: int,
        out_channels: int,
        num_layers: int,
        block: Layer | None = None,
    ) -> None:
        block = block or FusedMBConv
        super().__init__(
            expand_ratio, kernel, stride, input_channels, out_channels, num_layers, block
        )


Setting = Sequence[MBConvConfig | FusedMBConvConfig]


class _Residual(nn.Module):
    """What both blocks share: layers beside a shortcut (where sizes allow) that drops out."""

    def __init__(
        self, cnf: _MBConvConfig, stochastic_depth_prob: float, layers: list[nn.Module]
    ) -> None:
        super().__init__()
        if cnf.stride not in (1, 2):
            raise ValueError(f"illegal stride value {cnf.stride}: 1 or 2 expected")
        self.use_res_connect = cnf.stride == 1 and cnf.input_channels == cnf.out_channels
        self.block = nn.Sequential(*layers)
        self.stochastic_depth = StochasticDepth(stochastic_depth_prob, "row")
        self.out_channels = cnf.out_channels

    def forward(self, input: Tensor) -> Tensor:
        result = self.block(input)
        if self.use_res_connect:
            result = self.stochastic_depth(result)
            result += input
        return result


class MBConv(_Residual):
    """Expand, filter each channel, weigh the channels, project."""

    def __init__(
        self,
        cnf: MBConvConfig,
        stochastic_depth_prob: float,
        norm_layer: Layer,
        se_layer: Layer = SqueezeExcitation,
    ) -> None:
        conv = partial(Conv2dNormActivation, norm_layer=norm_layer, activation_layer=nn.SiLU)
        wide = cnf.adjust_channels(cnf.input_channels, cnf.expand_ratio)
        squeezed = max(1, cnf.input_channels // 4)
        layers: list[nn.Module] = []
        if wide != cnf.input_channels:
            layers.append(conv(cnf.input_channels, wide, kernel_size=1))
        layers.append(conv(wide, wide, kernel_size=cnf.kernel, stride=cnf.stride, groups=wide))
        layers.append(se_layer(wide, squeezed, activation=partial(nn.SiLU, inplace=True)))
        layers.append(conv(wide, cnf.out_channels, kernel_size=1, activation_layer=None))
        super().__init__(cnf, stochastic_depth_prob, layers)


class FusedMBConv(_Residual):
    """Expand by a whole convolution, project."""

    def __init__(
        self, cnf: FusedMBConvConfig, stochastic_depth_prob: float, norm_layer: Layer
    ) -> None:
        conv = partial(Conv2dNormActivation, norm_layer=norm_layer, activation_layer=nn.SiLU)
        first: dict[str, Any] = {"kernel_size": cnf.kernel, "stride": cnf.stride}
        wide = cnf.adjust_channels(cnf.input_channels, cnf.expand_ratio)
        layers: list[nn.Module] = []
        if wide == cnf.input_channels:
            layers.append(conv(cnf.input_channels, cnf.out_channels, **first))
        else:
            layers.append(conv(cnf.input_channels, wide, **first))
            layers.append(conv(wide, cnf.out_channels, kernel_size=1, activation_layer=None))
        super().__init__(cnf, stochastic_depth_prob, layers)


class EfficientNet(nn.Module):
    """A stem, stages of blocks, a 1x1 convolution, and one linear layer.

    Args:
        inverted_residual_setting: one configuration a stage.
        stochastic_depth_prob: how often the last block is left out; earlier ones less.
        norm_layer: in place of BatchNorm2d.
        last_channel: channels before the linear layer; 4 times the last stage's by default.
    """

    def __init__(
        self,
        inverted_residual_setting: Setting,
        dropout: float,
        stochastic_depth_prob: float = 0.2,
        num_classes: int = 1000,
        norm_layer: Layer | None = None,
        last_channel: int | None = None,
    ) -> None:
        super().__init__()
        setting = inverted_residual_setting
        check_rows(setting, _MBConvConfig, "inverted_residual_setting")
        norm = norm_layer or nn.BatchNorm2d
        conv = partial(Conv2dNormActivation, norm_layer=norm, activation_layer=nn.SiLU)
        layers: list[nn.Module] = [conv(3, setting[0].input_channels, kernel_size=3, stride=2)]
        total, done = sum(row.num_layers for row in setting), 0
        for row in setting:
            stage: list[nn.Module] = []
            own = copy.copy(row)
            for _ in range(row.num_layers):
                stage.append(row.block(own, stochastic_depth_prob * float(done) / total, norm))
                own = copy.copy(own)
                own.input_channels, own.stride = own.out_channels, 1
                done += 1
            layers.append(nn.Sequential(*stage))
        narrow = setting[-1].out_channels
        wide = 4 * narrow if last_channel is None else last_channel
        layers.append(conv(narrow, wide, kernel_size=1))
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(
            nn.Dropout(dropout, inplace=True), nn.Linear(wide, num_classes)
        )
        bound = 1.0 / math.sqrt(num_classes)
        initialise(self, linear=lambda weight: nn.init.uniform_(weight, -bound, bound))

    def _forward_impl(self, x: Tensor) -> Tensor:  # (B, 3, H, W)
        x = self.features(x)  # (B, C, H/32, W/32)
        x = self.avgpool(x).flatten(1)  # (B, C)
        return self.classifier(x)  # (B, num_classes)

    def forward(self, x: Tensor) -> Tensor:
        return self._forward_impl(x)


def _b(width: float, depth: float) -> Setting:
    """The stages of EfficientNet-B0, scaled (the paper's table 1)."""
    rows = (
        (1, 3, 1, 32, 16, 1),
        (6, 3, 2, 16, 24, 2),
        (6, 5, 2, 24, 40, 2),
        (6, 3, 2, 40, 80, 3),
        (6, 5, 1, 80, 112, 3),
        (6, 5, 2, 112, 192, 4),
        (6, 3, 1, 192, 320, 1),
    )
    return [MBConvConfig(*row, width_mult=width, depth_mult=depth) for row in rows]


def _v2(fused: int, *rows: tuple[int, int, int, int, int, int]) -> Setting:
    """Stages of which the first `fused` are fused (the second paper's table 4)."""
    return [
        FusedMBConvConfig(*row) if i < fused else MBConvConfig(*row) for i, row in enumerate(rows)
    ]


def _scaled(
    width: float,
    depth: float,
    dropout: float,
    weights: WeightsEnum | None,
    progress: bool,
    eps: float | None = None,
    **kwargs: Any,
) -> EfficientNet:
    if eps is not None:
        kwargs.setdefault("norm_layer", partial(nn.BatchNorm2d, eps=eps, momentum=0.01))
    dropout = kwargs.pop("dropout", dropout)
    return assemble(EfficientNet, weights, progress, _b(width, depth), dropout, **kwargs)


def _second(
    setting: Setting,
    dropout: float,
    weights: WeightsEnum | None,
    progress: bool,
    **kwargs: Any,
) -> EfficientNet:
    kwargs.setdefault("norm_layer", partial(nn.BatchNorm2d, eps=1e-03))
    dropout = kwargs.pop("dropout", dropout)
    return assemble(EfficientNet, weights, progress, setting, dropout, last_channel=1280, **kwargs)


@builder(EfficientNet_B0_Weights)
def efficientnet_b0(
    *, weights: EfficientNet_B0_Weights | None = None, progress: bool = True, **kwargs: Any
) -> EfficientNet:
    """EfficientNet-B0; `kwargs` go to :class:`EfficientNet`."""
    return _scaled(1.0, 1.0, 0.2, weights, progress, **kwargs)


@builder(EfficientNet_B1_Weights)
def efficientnet_b1(
    *, weights: EfficientNet_B1_Weights | None = None, progress: bool = True, **kwargs: Any
) -> EfficientNet:
    """EfficientNet-B1; `kwargs` go to :class:`EfficientNet`."""
    return _scaled(1.0, 1.1, 0.2, weights, progress, **kwargs)


@builder(EfficientNet_B2_Weights)
def efficientnet_b2(
    *, weights: EfficientNet_B2_Weights | None = None, progress: bool = True, **kwargs: Any
) -> EfficientNet:
    """EfficientNet-B2; `kwargs` go to :class:`EfficientNet`."""
    return _scaled(1.1, 1.2, 0.3, weights, progress, **kwargs)


@builder(EfficientNet_B3_Weights)
def efficientnet_b3(
    *, weights: EfficientNet_B3_Weights | None = None, progress: bool = True, **kwargs: Any
) -> EfficientNet:
    """EfficientNet-B3; `kwargs` go to :class:`EfficientNet`."""
    return _scaled(1.2, 1.4, 0.3, weights, progress, **kwargs)


@builder(EfficientNet_B4_Weights)
def efficientnet_b4(
    *, weights: EfficientNet_B4_Weights | None = None, progress: bool = True, **kwargs: Any
) -> EfficientNet:
    """EfficientNet-B4; `kwargs` go to :class:`EfficientNet`."""
    return _scaled(1.4, 1.8, 0.4, weights, progress, **kwargs)


@builder(EfficientNet_B5_Weights)
def efficientnet_b5(
    *, weights: EfficientNet_B5_Weights | None = None, progress: bool = True, **kwargs: Any
) -> EfficientNet:
    """EfficientNet-B5; `kwargs` go to :class:`EfficientNet`."""
    return _scaled(1.6, 2.2, 0.4, weights, progress, 0.001, **kwargs)


@builder(EfficientNet_B6_Weights)
def efficientnet_b6(
    *, weights: EfficientNet_B6_Weights | None = None, progress: bool = True, **kwargs: Any
) -> EfficientNet:
    """EfficientNet-B6; `kwargs` go to :class:`EfficientNet`."""
    return _scaled(1.8, 2.6, 0.5, weights, progress, 0.001, **kwargs)


@builder(EfficientNet_B7_Weights)
def efficientnet_b7(
    *, weights: EfficientNet_B7_Weights | None = None, progress: bool = True, **kwargs: Any
) -> EfficientNet:
    """EfficientNet-B7; `kwargs` go to :class:`EfficientNet`."""
    return _scaled(2.0, 3.1, 0.5, weights, progress, 0.001, **kwargs)


@builder(EfficientNet_V2_S_Weights)
def efficientnet_v2_s(
    *, weights: EfficientNet_V2_S_Weights | None = None, progress: bool = True, **kwargs: Any
) -> EfficientNet:
    """EfficientNetV2-S; `kwargs` go to :class:`EfficientNet`."""
    stages = _v2(
        3,
        (1, 3, 1, 24, 24, 2),
        (4, 3, 2, 24, 48, 4),
        (4, 3, 2, 48, 64, 4),
        (4, 3, 2, 64, 128, 6),
        (6, 3, 1, 128, 160, 9),
        (6, 3, 2, 160, 256, 15),
    )
    return _second(stages, 0.2, weights, progress, **kwargs)


@builder(EfficientNet_V2_M_Weights)
def efficientnet_v2_m(
    *, weights: EfficientNet_V2_M_Weights | None = None, progress: bool = True, **kwargs: Any
) -> EfficientNet:
    """EfficientNetV2-M; `kwargs` go to :class:`EfficientNet`."""
    stages = _v2(
        3,
        (1, 3, 1, 24, 24, 3),
        (4, 3, 2, 24, 48, 5),
        (4, 3, 2, 48, 80, 5),
        (4, 3, 2, 80, 160, 7),
        (6, 3, 1, 160, 176, 14),
        (6, 3, 2, 176, 304, 18),
        (6, 3, 1, 304, 512, 5),
    )
    return _second(stages, 0.3, weights, progress, **kwargs)


@builder(EfficientNet_V2_L_Weights)
def efficientnet_v2_l(
    *, weights: EfficientNet_V2_L_Weights | None = None, progress: bool = True, **kwargs: Any
) -> EfficientNet:
    """EfficientNetV2-L; `kwargs` go to :class:`EfficientNet`."""
    stages = _v2(
        3,
        (1, 3, 1, 32, 32, 4),
        (4, 3, 2, 32, 64, 7),
        (4, 3, 2, 64, 96, 7),
        (4, 3, 2, 96, 192, 10),
        (6, 3, 1, 192, 224, 19),
        (6, 3, 2, 224, 384, 25),
        (6, 3, 1, 384, 640, 7),
    )
    return _second(stages, 0.4, weights, progress, **kwargs)
