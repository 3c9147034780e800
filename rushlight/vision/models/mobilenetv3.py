"""MobileNetV3: inverted residuals with squeeze-and-excitation and hard swish
(https://arxiv.org/abs/1905.02244).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ... import nn
from ...tensor import Tensor
from ..ops.misc import Conv2dNormActivation, SqueezeExcitation
from ._api import WeightsEnum, assemble, builder, imagenet
from ._utils import _make_divisible, check_rows, initialise

__all__ = [
    "MobileNetV3",
    "MobileNet_V3_Large_Weights",
    "MobileNet_V3_Small_Weights",
    "mobilenet_v3_large",
    "mobilenet_v3_small",
]

Layer = Callable[..., nn.Module]
HardExcitation = partial(SqueezeExcitation, scale_activation=nn.Hardsigmoid)


class InvertedResidualConfig:
    """One row of the paper's tables 1 and 2; `activation` is "RE" (ReLU) or "HS" (hard swish)."""

    def __init__(
        self,
        input_channels: int,
        kernel: int,
        expanded_channels: int,
        out_channels: int,
        use_se: bool,
        activation: str,
        stride: int,
        dilation: int,
        width_mult: float,
    ) -> None:
        self.input_channels = self.adjust_channels(input_channels, width_mult)
        self.kernel = kernel
        self.expanded_channels = self.adjust_channels(expanded_channels, width_mult)
        self.out_channels = self.adjust_channels(out_channels, width_mult)
        self.use_se = use_se
        self.use_hs = activation == "HS"
        self.stride = stride
        self.dilation = dilation

    @staticmethod
    def adjust_channels(channels: int, width_mult: float) -> int:
        """`channels` times the width, in multiples of 8."""
        return _make_divisible(channels * width_mult, 8)


class InvertedResidual(nn.Module):
    """Expand, filter each channel, weigh the channels, project (the paper's section 5)."""

    def __init__(
        self,
        cnf: InvertedResidualConfig,
        norm_layer: Layer,
        se_layer: Layer = HardExcitation,
    ) -> None:
        super().__init__()
        if cnf.stride not in (1, 2):
            raise ValueError(f"illegal stride value {cnf.stride}: 1 or 2 expected")
        self.use_res_connect = cnf.stride == 1 and cnf.input_channels == cnf.out_channels
        activation = nn.Hardswish if cnf.use_hs else nn.ReLU
        wide = cnf.expanded_channels
        conv = partial(Conv2dNormActivation, norm_layer=norm_layer)
        layers: list[nn.Module] = []
        if wide != cnf.input_channels:
            layers.append(
                conv(cnf.input_channels, wide, kernel_size=1, activation_layer=activation)
            )
        layers.append(
            conv(
                wide,
                wide,
                kernel_size=cnf.kernel,
                stride=1 if cnf.dilation > 1 else cnf.stride,
                dilation=cnf.dilation,
                groups=wide,
                activation_layer=activation,
            )
        )
        if cnf.use_se:
            layers.append(se_layer(wide, _make_divisible(wide // 4, 8)))
        layers.append(conv(wide, cnf.out_channels, kernel_size=1, activation_layer=None))
        self.block = nn.Sequential(*layers)
        self.out_channels = cnf.out_channels
        self._is_cn = cnf.stride > 1

    def forward(self, input: Tensor) -> Tensor:
        result = self.block(input)
        if self.use_res_connect:
            result += input
        return result


class MobileNetV3(nn.Module):
    """A stem, inverted residuals, a 1x1 convolution, and two linear layers.

    Args:
        inverted_residual_setting: one configuration a block.
        last_channel: channels between the linear layers.
        block: in place of :class:`InvertedResidual`.
        norm_layer: in place of BatchNorm2d with eps 0.001 and momentum 0.01.
    """

    def __init__(
        self,
        inverted_residual_setting: Sequence[InvertedResidualConfig],
        last_channel: int,
        num_classes: int = 1000,
        block: Layer | None = None,
        norm_layer: Layer | None = None,
        dropout: float = 0.2,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        setting = inverted_residual_setting
        check_rows(setting, InvertedResidualConfig, "inverted_residual_setting")
        norm = norm_layer or partial(nn.BatchNorm2d, eps=0.001, momentum=0.01)
        block = block or InvertedResidual
        conv = partial(Conv2dNormActivation, norm_layer=norm, activation_layer=nn.Hardswish)
        narrow, wide = setting[-1].out_channels, 6 * setting[-1].out_channels
        self.features = nn.Sequential(
            conv(3, setting[0].input_channels, kernel_size=3, stride=2),
            *(block(row, norm) for row in setting),
            conv(narrow, wide, kernel_size=1),
        )
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(
            nn.Linear(wide, last_channel),
            nn.Hardswish(inplace=True),
            nn.Dropout(dropout, inplace=True),
            nn.Linear(last_channel, num_classes),
        )
        initialise(self, linear=lambda weight: nn.init.normal_(weight, 0, 0.01))

    def _forward_impl(self, x: Tensor) -> Tensor:  # (B, 3, H, W)
        x = self.features(x)  # (B, C, H/32, W/32)
        x = self.avgpool(x).flatten(1)  # (B, C)
        return self.classifier(x)  # (B, num_classes)

    def forward(self, x: Tensor) -> Tensor:
        return self._forward_impl(x)


def _mobilenet_v3_conf(
    arch: str,
    width_mult: float = 1.0,
    reduced_tail: bool = False,
    dilated: bool = False,
    **kwargs: Any,
) -> tuple[list[InvertedResidualConfig], int]:
    """The rows of an architecture; a reduced tail has half the channels in the last stage."""
    half = 2 if reduced_tail else 1
    d = 2 if dilated else 1
    if arch == "mobilenet_v3_large":
        tail, wide = 160 // half, 960 // half
        rows = [
            (16, 3, 16, 16, False, "RE", 1, 1),
            (16, 3, 64, 24, False, "RE", 2, 1),
            (24, 3, 72, 24, False, "RE", 1, 1),
            (24, 5, 72, 40, True, "RE", 2, 1),
            (40, 5, 120, 40, True, "RE", 1, 1),
            (40, 5, 120, 40, True, "RE", 1, 1),
            (40, 3, 240, 80, False, "HS", 2, 1),
            (80, 3, 200, 80, False, "HS", 1, 1),
            (80, 3, 184, 80, False, "HS", 1, 1),
            (80, 3, 184, 80, False, "HS", 1, 1),
            (80, 3, 480, 112, True, "HS", 1, 1),
            (112, 3, 672, 112, True, "HS", 1, 1),
            (112, 5, 672, tail, True, "HS", 2, d),
            (tail, 5, wide, tail, True, "HS", 1, d),
            (tail, 5, wide, tail, True, "HS", 1, d),
        ]
        last = 1280 // half
    elif arch == "mobilenet_v3_small":
        tail, wide = 96 // half, 576 // half
        rows = [
            (16, 3, 16, 16, True, "RE", 2, 1),
            (16, 3, 72, 24, False, "RE", 2, 1),
            (24, 3, 88, 24, False, "RE", 1, 1),
            (24, 5, 96, 40, True, "HS", 2, 1),
            (40, 5, 240, 40, True, "HS", 1, 1),
            (40, 5, 240, 40, True, "HS", 1, 1),
            (40, 5, 120, 48, True, "HS", 1, 1),
            (48, 5, 144, 48, True, "HS", 1, 1),
            (48, 5, 288, tail, True, "HS", 2, d),
            (tail, 5, wide, tail, True, "HS", 1, d),
            (tail, 5, wide, tail, True, "HS", 1, d),
        ]
        last = 1024 // half
    else:
        raise ValueError(f"Unsupported model type {arch}")
    setting = [InvertedResidualConfig(*row, width_mult=width_mult) for row in rows]
    return setting, InvertedResidualConfig.adjust_channels(last, width_mult)


def _mobilenet_v3(
    arch: str, weights: WeightsEnum | None, progress: bool, **kwargs: Any
) -> MobileNetV3:
    setting, last = _mobilenet_v3_conf(arch, **kwargs)
    return assemble(MobileNetV3, weights, progress, setting, last, **kwargs)


class MobileNet_V3_Large_Weights(WeightsEnum):
    """Trained weights of `mobilenet_v3_large`."""

    IMAGENET1K_V1 = imagenet(
        "mobilenet_v3_large-8738ca79.pth",
        5_483_032,
        74.042,
        91.34,
        0.217,
        21.114,
        "#mobilenetv3-large--small",
    )
    IMAGENET1K_V2 = imagenet(
        "mobilenet_v3_large-5c1a4163.pth",
        5_483_032,
        75.274,
        92.566,
        0.217,
        21.107,
        "issues/3995#new-recipe-with-reg-tuning",
        resize_size=232,
    )
    DEFAULT = IMAGENET1K_V2


class MobileNet_V3_Small_Weights(WeightsEnum):
    """Trained weights of `mobilenet_v3_small`."""

    IMAGENET1K_V1 = imagenet(
        "mobilenet_v3_small-047dcff4.pth",
        2_542_856,
        67.668,
        87.402,
        0.057,
        9.829,
        "#mobilenetv3-large--small",
    )
    DEFAULT = IMAGENET1K_V1


@builder(MobileNet_V3_Large_Weights)
def mobilenet_v3_large(
    *, weights: MobileNet_V3_Large_Weights | None = None, progress: bool = True, **kwargs: Any
) -> MobileNetV3:
    """MobileNetV3-Large; `kwargs` go to :class:`MobileNetV3`."""
    return _mobilenet_v3("mobilenet_v3_large", weights, progress, **kwargs)


@builder(MobileNet_V3_Small_Weights)
def mobilenet_v3_small(
    *, weights: MobileNet_V3_Small_Weights | None = None, progress: bool = True, **kwargs: Any
) -> MobileNetV3:
    """MobileNetV3-Small; `kwargs` go to :class:`MobileNetV3`."""
    return _mobilenet_v3("mobilenet_v3_small", weights, progress, **kwargs)
