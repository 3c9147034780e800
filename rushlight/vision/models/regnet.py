"""RegNet: residual networks whose widths grow linearly with depth, in as few steps as stages
(https://arxiv.org/abs/2003.13678). RegNetY has squeeze and excitation in each block, RegNetX none.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from typing import Any

from ... import nn
from ...tensor import Tensor
from ..ops.misc import Conv2dNormActivation, SqueezeExcitation
from ._api import WeightsEnum, assemble, builder
from ._regnet_weights import (
    RegNet_X_1_6GF_Weights,
    RegNet_X_3_2GF_Weights,
    RegNet_X_8GF_Weights,
    RegNet_X_16GF_Weights,
    RegNet_X_32GF_Weights,
    RegNet_X_400MF_Weights,
    RegNet_X_800MF_Weights,
    RegNet_Y_1_6GF_Weights,
    RegNet_Y_3_2GF_Weights,
    RegNet_Y_8GF_Weights,
    RegNet_Y_16GF_Weights,
    RegNet_Y_32GF_Weights,
    RegNet_Y_128GF_Weights,
    RegNet_Y_400MF_Weights,
    RegNet_Y_800MF_Weights,
)
from ._utils import Layer, _make_divisible

__all__ = [
    "RegNet",
    "RegNet_X_1_6GF_Weights",
    "RegNet_X_3_2GF_Weights",
    "RegNet_X_8GF_Weights",
    "RegNet_X_16GF_Weights",
    "RegNet_X_32GF_Weights",
    "RegNet_X_400MF_Weights",
    "RegNet_X_800MF_Weights",
    "RegNet_Y_1_6GF_Weights",
    "RegNet_Y_3_2GF_Weights",
    "RegNet_Y_8GF_Weights",
    "RegNet_Y_16GF_Weights",
    "RegNet_Y_32GF_Weights",
    "RegNet_Y_128GF_Weights",
    "RegNet_Y_400MF_Weights",
    "RegNet_Y_800MF_Weights",
    "regnet_x_1_6gf",
    "regnet_x_3_2gf",
    "regnet_x_8gf",
    "regnet_x_16gf",
    "regnet_x_32gf",
    "regnet_x_400mf",
    "regnet_x_800mf",
    "regnet_y_1_6gf",
    "regnet_y_3_2gf",
    "regnet_y_8gf",
    "regnet_y_16gf",
    "regnet_y_32gf",
    "regnet_y_128gf",
    "regnet_y_400mf",
    "regnet_y_800mf",
]


class SimpleStemIN(Conv2dNormActivation):
    """A 3x3 convolution that halves the image, a norm, an activation."""

    def __init__(
        self, width_in: int, width_out: int, norm_layer: Layer, activation_layer: Layer
    ) -> None:
        super().__init__(
            width_in, width_out, 3, 2, norm_layer=norm_layer, activation_layer=activation_layer
        )


class BottleneckTransform(nn.Sequential):
    """1x1, 3x3 in groups, squeeze and excitation (with `se_ratio`), 1x1."""

    def __init__(
        self,
        width_in: int,
        width_out: int,
        stride: int,
        norm_layer: Layer,
        activation_layer: Layer,
        group_width: int,
        bottleneck_multiplier: float,
        se_ratio: float | None,
    ) -> None:
        wide = round(width_out * bottleneck_multiplier)
        conv = partial(Conv2dNormActivation, norm_layer=norm_layer)
        layers: OrderedDict[str, nn.Module] = OrderedDict()
        layers["a"] = conv(width_in, wide, 1, activation_layer=activation_layer)
        groups = wide // group_width
        layers["b"] = conv(
            wide, wide, 3, stride, groups=groups, activation_layer=activation_layer
        )
        if se_ratio:
            # Measured at the beginning of the block.
            squeezed = round(se_ratio * width_in)
            layers["se"] = SqueezeExcitation(wide, squeezed, activation=activation_layer)
        layers["c"] = conv(wide, width_out, 1, activation_layer=None)
        super().__init__(layers)


class ResBottleneckBlock(nn.Module):
    """A :class:`BottleneckTransform` beside a shortcut, and an activation."""

    def __init__(
        self,
        width_in: int,
        width_out: int,
        stride: int,
        norm_layer: Layer,
        activation_layer: Layer,
        group_width: int = 1,
        bottleneck_multiplier: float = 1.0,
        se_ratio: float | None = None,
    ) -> None:
        super().__init__()
        self.proj = None
        if width_in != width_out or stride != 1:
            self.proj = Conv2dNormActivation(
                width_in, width_out, 1, stride, norm_layer=norm_layer, activation_layer=None
            )
        self.f = BottleneckTransform(
            width_in,
            width_out,
            stride,
            norm_layer,
            activation_layer,
            group_width,
            bottleneck_multiplier,
            se_ratio,
        )
        self.activation = activation_layer(inplace=True)

    def forward(self, x: Tensor) -> Tensor:  # (B, C, H, W)
        return self.activation((x if self.proj is None else self.proj(x)) + self.f(x))


class AnyStage(nn.Sequential):
    """`depth` blocks of one width; the first has the stride."""

    def __init__(
        self,
        width_in: int,
        width_out: int,
        stride: int,
        depth: int,
        block_constructor: Layer,
        norm_layer: Layer,
        activation_layer: Layer,
        group_width: int,
        bottleneck_multiplier: float,
        se_ratio: float | None = None,
        stage_index: int = 0,
    ) -> None:
        super().__init__()
        options = norm_layer, activation_layer, group_width, bottleneck_multiplier, se_ratio
        for i in range(depth):
            ends = (width_in, width_out, stride) if i == 0 else (width_out, width_out, 1)
            self.add_module(f"block{stage_index}-{i}", block_constructor(*ends, *options))


class BlockParams:
    """Depth, width, group width, bottleneck and stride of each stage."""

    def __init__(
        self,
        depths: Sequence[int],
        widths: Sequence[int],
        group_widths: Sequence[int],
        bottleneck_multipliers: Sequence[float],
        strides: Sequence[int],
        se_ratio: float | None = None,
    ) -> None:
        self.depths = depths
        self.widths = widths
        self.group_widths = group_widths
        self.bottleneck_multipliers = bottleneck_multipliers
        self.strides = strides
        self.se_ratio = se_ratio

    @classmethod
    def from_init_params(
        cls,
        depth: int,
        w_0: int,
        w_a: float,
        w_m: float,
        group_width: int,
        bottleneck_multiplier: float = 1.0,
        se_ratio: float | None = None,
        **kwargs: Any,
    ) -> BlockParams:
        """Stages from the paper's parameters (section 3.3).

        Block i would have width u = w_0 + w_a i. It gets the nearest w_0 w_m**s for a whole s,
        rounded to a multiple of 8; blocks of one width are a stage.

        >>> BlockParams.from_init_params(16, 48, 27.89, 2.09, 8).widths
        [48, 104, 208, 440]
        """
        if w_a < 0 or w_0 <= 0 or w_m <= 1 or w_0 % 8 != 0:
            raise ValueError("Invalid RegNet settings")
        steps = [round(math.log((w_0 + w_a * i) / w_0) / math.log(w_m)) for i in range(depth)]
        blocks = [round(w_0 * w_m**s / 8) * 8 for s in steps]
        widths = list(dict.fromkeys(blocks))
        # The groups must divide the bottleneck.
        bottlenecks = [int(w * bottleneck_multiplier) for w in widths]
        groups = [min(group_width, b) for b in bottlenecks]
        wide = [_make_divisible(b, g) for b, g in zip(bottlenecks, groups, strict=True)]
        return cls(
            depths=[blocks.count(w) for w in widths],
            widths=[int(w / bottleneck_multiplier) for w in wide],
            group_widths=groups,
            bottleneck_multipliers=[bottleneck_multiplier] * len(widths),
            strides=[2] * len(widths),
            se_ratio=se_ratio,
        )

    def _get_expanded_params(self) -> zip[tuple[int, int, int, int, float]]:
        return zip(
            self.widths,
            self.strides,
            self.depths,
            self.group_widths,
            self.bottleneck_multipliers,
            strict=True,
        )


class RegNet(nn.Module):
    """A stem, stages of residual bottlenecks, a linear layer.

    Args:
        block_params: what the stages are, such as `BlockParams.from_init_params` gives it.
        stem_type, block_type: in place of :class:`SimpleStemIN` and :class:`ResBottleneckBlock`.
        norm_layer, activation: in place of BatchNorm2d and ReLU.

    >>> net = RegNet(BlockParams([1, 1], [8, 16], [8, 8], [1, 1], [2, 2]), num_classes=3)
    >>> net(torch.zeros(2, 3, 32, 32)).shape
    torch.Size([2, 3])
    """

    def __init__(
        self,
        block_params: BlockParams,
        num_classes: int = 1000,
        stem_width: int = 32,
        stem_type: Layer | None = None,
        block_type: Layer | None = None,
        norm_layer: Layer | None = None,
        activation: Layer | None = None,
    ) -> None:
        super().__init__()
        norm, act = norm_layer or nn.BatchNorm2d, activation or nn.ReLU
        block = block_type or ResBottleneckBlock
        self.stem = (stem_type or SimpleStemIN)(3, stem_width, norm, act)
        width = stem_width
        stages: OrderedDict[str, nn.Module] = OrderedDict()
        for i, row in enumerate(block_params._get_expanded_params(), 1):
            out, stride, depth, group_width, multiplier = row
            stages[f"block{i}"] = AnyStage(
                width,
                out,
                stride,
                depth,
                block,
                norm,
                act,
                group_width,
                multiplier,
                block_params.se_ratio,
                stage_index=i,
            )
            width = out
        self.trunk_output = nn.Sequential(stages)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(width, num_classes)
        self._initialise()

    def _initialise(self) -> None:
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                # Of all groups, unlike He's; biases (of squeeze and excitation) stay as they are.
                fan_out = m.kernel_size[0] * m.kernel_size[1] * m.out_channels
                nn.init.normal_(m.weight, std=math.sqrt(2.0 / fan_out))
            elif isinstance(m, nn.BatchNorm2d):
                nn.init.ones_(m.weight)
                nn.init.zeros_(m.bias)
            elif isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, std=0.01)
                nn.init.zeros_(m.bias)

    def forward(self, x: Tensor) -> Tensor:  # (B, 3, H, W)
        x = self.avgpool(self.trunk_output(self.stem(x))).flatten(1)  # (B, C)
        return self.fc(x)  # (B, num_classes)


def _regnet_x(
    depth: int,
    w_0: int,
    w_a: float,
    w_m: float,
    group_width: int,
    weights: WeightsEnum | None,
    progress: bool,
    **kwargs: Any,
) -> RegNet:
    params = BlockParams.from_init_params(depth, w_0, w_a, w_m, group_width)
    return assemble(RegNet, weights, progress, params, **kwargs)


def _regnet_y(
    depth: int,
    w_0: int,
    w_a: float,
    w_m: float,
    group_width: int,
    weights: WeightsEnum | None,
    progress: bool,
    **kwargs: Any,
) -> RegNet:
    params = BlockParams.from_init_params(depth, w_0, w_a, w_m, group_width, se_ratio=0.25)
    return assemble(RegNet, weights, progress, params, **kwargs)


@builder(RegNet_Y_400MF_Weights)
def regnet_y_400mf(
    *, weights: RegNet_Y_400MF_Weights | None = None, progress: bool = True, **kwargs: Any
) -> RegNet:
    """RegNetY-400MF; `kwargs` go to :class:`RegNet`."""
    return _regnet_y(16, 48, 27.89, 2.09, 8, weights, progress, **kwargs)


@builder(RegNet_Y_800MF_Weights)
def regnet_y_800mf(
    *, weights: RegNet_Y_800MF_Weights | None = None, progress: bool = True, **kwargs: Any
) -> RegNet:
    """RegNetY-800MF; `kwargs` go to :class:`RegNet`."""
    return _regnet_y(14, 56, 38.84, 2.4, 16, weights, progress, **kwargs)


@builder(RegNet_Y_1_6GF_Weights)
def regnet_y_1_6gf(
    *, weights: RegNet_Y_1_6GF_Weights | None = None, progress: bool = True, **kwargs: Any
) -> RegNet:
    """RegNetY-1.6GF; `kwargs` go to :class:`RegNet`."""
    return _regnet_y(27, 48, 20.71, 2.65, 24, weights, progress, **kwargs)


@builder(RegNet_Y_3_2GF_Weights)
def regnet_y_3_2gf(
    *, weights: RegNet_Y_3_2GF_Weights | None = None, progress: bool = True, **kwargs: Any
) -> RegNet:
    """RegNetY-3.2GF; `kwargs` go to :class:`RegNet`."""
    return _regnet_y(21, 80, 42.63, 2.66, 24, weights, progress, **kwargs)


@builder(RegNet_Y_8GF_Weights)
def regnet_y_8gf(
    *, weights: RegNet_Y_8GF_Weights | None = None, progress: bool = True, **kwargs: Any
) -> RegNet:
    """RegNetY-8GF; `kwargs` go to :class:`RegNet`."""
    return _regnet_y(17, 192, 76.82, 2.19, 56, weights, progress, **kwargs)


@builder(RegNet_Y_16GF_Weights)
def regnet_y_16gf(
    *, weights: RegNet_Y_16GF_Weights | None = None, progress: bool = True, **kwargs: Any
) -> RegNet:
    """RegNetY-16GF; `kwargs` go to :class:`RegNet`."""
    return _regnet_y(18, 200, 106.23, 2.48, 112, weights, progress, **kwargs)


@builder(RegNet_Y_32GF_Weights)
def regnet_y_32gf(
    *, weights: RegNet_Y_32GF_Weights | None = None, progress: bool = True, **kwargs: Any
) -> RegNet:
    """RegNetY-32GF; `kwargs` go to :class:`RegNet`."""
    return _regnet_y(20, 232, 115.89, 2.53, 232, weights, progress, **kwargs)


@builder(RegNet_Y_128GF_Weights)
def regnet_y_128gf(
    *, weights: RegNet_Y_128GF_Weights | None = None, progress: bool = True, **kwargs: Any
) -> RegNet:
    """RegNetY-128GF; `kwargs` go to :class:`RegNet`."""
    return _regnet_y(27, 456, 160.83, 2.52, 264, weights, progress, **kwargs)


@builder(RegNet_X_400MF_Weights)
def regnet_x_400mf(
    *, weights: RegNet_X_400MF_Weights | None = None, progress: bool = True, **kwargs: Any
) -> RegNet:
    """RegNetX-400MF; `kwargs` go to :class:`RegNet`."""
    return _regnet_x(22, 24, 24.48, 2.54, 16, weights, progress, **kwargs)


@builder(RegNet_X_800MF_Weights)
def regnet_x_800mf(
    *, weights: RegNet_X_800MF_Weights | None = None, progress: bool = True, **kwargs: Any
) -> RegNet:
    """RegNetX-800MF; `kwargs` go to :class:`RegNet`."""
    return _regnet_x(16, 56, 35.73, 2.28, 16, weights, progress, **kwargs)


@builder(RegNet_X_1_6GF_Weights)
def regnet_x_1_6gf(
    *, weights: RegNet_X_1_6GF_Weights | None = None, progress: bool = True, **kwargs: Any
) -> RegNet:
    """RegNetX-1.6GF; `kwargs` go to :class:`RegNet`."""
    return _regnet_x(18, 80, 34.01, 2.25, 24, weights, progress, **kwargs)


@builder(RegNet_X_3_2GF_Weights)
def regnet_x_3_2gf(
    *, weights: RegNet_X_3_2GF_Weights | None = None, progress: bool = True, **kwargs: Any
) -> RegNet:
    """RegNetX-3.2GF; `kwargs` go to :class:`RegNet`."""
    return _regnet_x(25, 88, 26.31, 2.25, 48, weights, progress, **kwargs)


@builder(RegNet_X_8GF_Weights)
def regnet_x_8gf(
    *, weights: RegNet_X_8GF_Weights | None = None, progress: bool = True, **kwargs: Any
) -> RegNet:
    """RegNetX-8GF; `kwargs` go to :class:`RegNet`."""
    return _regnet_x(23, 80, 49.56, 2.88, 120, weights, progress, **kwargs)


@builder(RegNet_X_16GF_Weights)
def regnet_x_16gf(
    *, weights: RegNet_X_16GF_Weights | None = None, progress: bool = True, **kwargs: Any
) -> RegNet:
    """RegNetX-16GF; `kwargs` go to :class:`RegNet`."""
    return _regnet_x(22, 216, 55.59, 2.1, 128, weights, progress, **kwargs)


@builder(RegNet_X_32GF_Weights)
def regnet_x_32gf(
    *, weights: RegNet_X_32GF_Weights | None = None, progress: bool = True, **kwargs: Any
) -> RegNet:
    """RegNetX-32GF; `kwargs` go to :class:`RegNet`."""
    return _regnet_x(23, 320, 69.86, 2.0, 168, weights, progress, **kwargs)
