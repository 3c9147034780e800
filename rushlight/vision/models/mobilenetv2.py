"""MobileNetV2: inverted residuals with linear bottlenecks (https://arxiv.org/abs/1801.04381)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ... import nn
from ...nn import functional as F
from ...tensor import Tensor
from ..ops.misc import Conv2dNormActivation
from ._api import WeightsEnum, assemble, builder, imagenet
from ._utils import _make_divisible, initialise

__all__ = ["MobileNetV2", "MobileNet_V2_Weights", "mobilenet_v2"]

Layer = Callable[..., nn.Module]

# The paper's table 2: expansion, channels, repetitions, stride of the first.
SETTING = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)


class InvertedResidual(nn.Module):
    """1x1 to more channels, 3x3 on each channel, 1x1 to few: with a shortcut where sizes allow."""

    def __init__(
        self, inp: int, oup: int, stride: int, expand_ratio: float, norm_layer: Layer | None = None
    ) -> None:
        super().__init__()
        if stride not in (1, 2):
            raise ValueError(f"stride should be 1 or 2 instead of {stride}")
        self.stride = stride
        norm = norm_layer or nn.BatchNorm2d
        hidden = round(inp * expand_ratio)
        self.use_res_connect = stride == 1 and inp == oup

        def conv(channels: int, **options: Any) -> nn.Module:
            return Conv2dNormActivation(
                channels, hidden, norm_layer=norm, activation_layer=nn.ReLU6, **options
            )

        layers: list[nn.Module] = [] if expand_ratio == 1 else [conv(inp, kernel_size=1)]
        layers += [
            conv(hidden, stride=stride, groups=hidden),
            nn.Conv2d(hidden, oup, kernel_size=1, bias=False),
            norm(oup),
        ]
        self.conv = nn.Sequential(*layers)
        self.out_channels = oup
        self._is_cn = stride > 1

    def forward(self, x: Tensor) -> Tensor:
        return x + self.conv(x) if self.use_res_connect else self.conv(x)


class MobileNetV2(nn.Module):
    """A stem, inverted residuals, a 1x1 convolution, and one linear layer.

    Args:
        width_mult: factor of all channel counts.
        inverted_residual_setting: rows of (expansion, channels, repetitions, stride); `SETTING`.
        round_nearest: channel counts are multiples of this.
        block: in place of :class:`InvertedResidual`.
        norm_layer: in place of BatchNorm2d.
    """

    def __init__(
        self,
        num_classes: int = 1000,
        width_mult: float = 1.0,
        inverted_residual_setting: Sequence[Sequence[int]] | None = None,
        round_nearest: int = 8,
        block: Layer | None = None,
        norm_layer: Layer | None = None,
        dropout: float = 0.2,
    ) -> None:
        super().__init__()
        block = block or InvertedResidual
        norm = norm_layer or nn.BatchNorm2d
        setting = SETTING if inverted_residual_setting is None else inverted_residual_setting
        if len(setting) == 0 or len(setting[0]) != 4:
            raise ValueError(
                "inverted_residual_setting should be non-empty or a 4-element list, got "
                f"{inverted_residual_setting}"
            )

        def conv(inp: int, oup: int, **options: Any) -> nn.Module:
            return Conv2dNormActivation(
                inp, oup, norm_layer=norm, activation_layer=nn.ReLU6, **options
            )

        channels = _make_divisible(32 * width_mult, round_nearest)
        self.last_channel = _make_divisible(1280 * max(1.0, width_mult), round_nearest)
        features = [conv(3, channels, stride=2)]
        for expansion, width, repetitions, first_stride in setting:
            out = _make_divisible(width * width_mult, round_nearest)
            for i in range(repetitions):
                stride = first_stride if i == 0 else 1
                features.append(
                    block(channels, out, stride, expand_ratio=expansion, norm_layer=norm)
                )
                channels = out
        features.append(conv(channels, self.last_channel, kernel_size=1))
        self.features = nn.Sequential(*features)
        self.classifier = nn.Sequential(
            nn.Dropout(dropout), nn.Linear(self.last_channel, num_classes)
        )
        initialise(self, linear=lambda weight: nn.init.normal_(weight, 0, 0.01))

    def _forward_impl(self, x: Tensor) -> Tensor:  # (B, 3, H, W)
        x = self.features(x)  # (B, 1280, H/32, W/32)
        x = F.adaptive_avg_pool2d(x, (1, 1)).flatten(1)  # (B, 1280)
        return self.classifier(x)  # (B, num_classes)

    def forward(self, x: Tensor) -> Tensor:
        return self._forward_impl(x)


class MobileNet_V2_Weights(WeightsEnum):
    """Trained weights of `mobilenet_v2`."""

    IMAGENET1K_V1 = imagenet(
        "mobilenet_v2-b0353104.pth",
        3_504_872,
        71.878,
        90.286,
        0.301,
        13.555,
        "#mobilenetv2",
    )
    IMAGENET1K_V2 = imagenet(
        "mobilenet_v2-7ebf99e0.pth",
        3_504_872,
        72.154,
        90.822,
        0.301,
        13.598,
        "issues/3995#new-recipe-with-reg-tuning",
        resize_size=232,
    )
    DEFAULT = IMAGENET1K_V2


@builder(MobileNet_V2_Weights)
def mobilenet_v2(
    *, weights: MobileNet_V2_Weights | None = None, progress: bool = True, **kwargs: Any
) -> MobileNetV2:
    """MobileNetV2; `kwargs` go to :class:`MobileNetV2`."""
    return assemble(MobileNetV2, weights, progress, **kwargs)
