"""ShuffleNetV2: half of the channels pass, half are convolved, then they are shuffled
(https://arxiv.org/abs/1807.11164).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rushlight

from ... import nn
from ...tensor import Tensor
from ._api import WeightsEnum, assemble, builder, imagenet
from ._utils import Layer

__all__ = [
    "ShuffleNetV2",
    "ShuffleNet_V2_X0_5_Weights",
    "ShuffleNet_V2_X1_0_Weights",
    "ShuffleNet_V2_X1_5_Weights",
    "ShuffleNet_V2_X2_0_Weights",
    "shufflenet_v2_x0_5",
    "shufflenet_v2_x1_0",
    "shufflenet_v2_x1_5",
    "shufflenet_v2_x2_0",
]


def channel_shuffle(x: Tensor, groups: int) -> Tensor:
    """Deal the channels of each group out among all: (B, g k, H, W) read as k rows of g."""
    b, channels, height, width = x.size()
    x = x.view(b, groups, channels // groups, height, width).transpose(1, 2)
    return x.reshape(b, channels, height, width)


def _pointwise(inp: int, oup: int) -> list[nn.Module]:
    conv = nn.Conv2d(inp, oup, kernel_size=1, bias=False)
    return [conv, nn.BatchNorm2d(oup), nn.ReLU(inplace=True)]


class InvertedResidual(nn.Module):
    """At stride 1 half of the channels pass unchanged; at stride 2 both halves are convolved."""

    def __init__(self, inp: int, oup: int, stride: int) -> None:
        super().__init__()
        if not 1 <= stride <= 3:
            raise ValueError(f"illegal stride value {stride}: 1 to 3 expected")
        half = oup // 2
        if stride == 1 and inp != half * 2:
            raise ValueError(
                f"Invalid combination of stride {stride}, inp {inp} and oup {oup} values. If "
                "stride == 1 then inp should be equal to oup // 2 << 1."
            )
        self.stride = stride
        self.branch1 = nn.Sequential()
        if stride > 1:
            self.branch1 = nn.Sequential(
                self.depthwise_conv(inp, inp, kernel_size=3, stride=stride, padding=1),
                nn.BatchNorm2d(inp),
                *_pointwise(inp, half),
            )
        self.branch2 = nn.Sequential(
            *_pointwise(inp if stride > 1 else half, half),
            self.depthwise_conv(half, half, kernel_size=3, stride=stride, padding=1),
            nn.BatchNorm2d(half),
            *_pointwise(half, half),
        )

    @staticmethod
    def depthwise_conv(
        i: int, o: int, kernel_size: int, stride: int = 1, padding: int = 0, bias: bool = False
    ) -> nn.Conv2d:
        """A filter for each channel."""
        return nn.Conv2d(i, o, kernel_size, stride, padding, bias=bias, groups=i)

    def forward(self, x: Tensor) -> Tensor:
        if self.stride == 1:
            passed, x = x.chunk(2, dim=1)
        else:
            passed = self.branch1(x)
        return channel_shuffle(rushlight.cat([passed, self.branch2(x)], dim=1), 2)


class ShuffleNetV2(nn.Module):
    """A stem, three stages, a 1x1 convolution, and one linear layer.

    Args:
        stages_repeats: blocks in each of the three stages.
        stages_out_channels: channels of the stem, of the stages, and of the last convolution.
        inverted_residual: in place of :class:`InvertedResidual`.
    """

    def __init__(
        self,
        stages_repeats: Sequence[int],
        stages_out_channels: Sequence[int],
        num_classes: int = 1000,
        inverted_residual: Layer = InvertedResidual,
    ) -> None:
        super().__init__()
        if len(stages_repeats) != 3:
            raise ValueError("expected stages_repeats as list of 3 positive ints")
        if len(stages_out_channels) != 5:
            raise ValueError("expected stages_out_channels as list of 5 positive ints")
        self._stage_out_channels = list(stages_out_channels)
        channels, *widths, last = stages_out_channels
        self.conv1 = nn.Sequential(
            nn.Conv2d(3, channels, kernel_size=3, stride=2, padding=1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(inplace=True),
        )
        self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)
        for i, (repeats, width) in enumerate(zip(stages_repeats, widths, strict=True), 2):
            stage = [inverted_residual(channels, width, 2)]
            stage += [inverted_residual(width, width, 1) for _ in range(repeats - 1)]
            setattr(self, f"stage{i}", nn.Sequential(*stage))
            channels = width
        self.conv5 = nn.Sequential(*_pointwise(channels, last))
        self.fc = nn.Linear(last, num_classes)

    def _forward_impl(self, x: Tensor) -> Tensor:  # (B, 3, H, W)
        x = self.maxpool(self.conv1(x))  # (B, 24, H/4, W/4)
        x = self.stage4(self.stage3(self.stage2(x)))  # (B, C, H/32, W/32)
        x = self.conv5(x).mean([2, 3])  # (B, 1024)
        return self.fc(x)  # (B, num_classes)

    def forward(self, x: Tensor) -> Tensor:
        return self._forward_impl(x)


class ShuffleNet_V2_X0_5_Weights(WeightsEnum):
    """Trained weights of `shufflenet_v2_x0_5`."""

    IMAGENET1K_V1 = imagenet(
        "shufflenetv2_x0.5-f707e7126e.pth",
        1_366_792,
        60.552,
        81.746,
        0.04,
        5.282,
        "https://github.com/ericsun99/Shufflenet-v2-Pytorch",
    )
    DEFAULT = IMAGENET1K_V1


class ShuffleNet_V2_X1_0_Weights(WeightsEnum):
    """Trained weights of `shufflenet_v2_x1_0`."""

    IMAGENET1K_V1 = imagenet(
        "shufflenetv2_x1-5666bf0f80.pth",
        2_278_604,
        69.362,
        88.316,
        0.145,
        8.791,
        "https://github.com/ericsun99/Shufflenet-v2-Pytorch",
    )
    DEFAULT = IMAGENET1K_V1


class ShuffleNet_V2_X1_5_Weights(WeightsEnum):
    """Trained weights of `shufflenet_v2_x1_5`."""

    IMAGENET1K_V1 = imagenet(
        "shufflenetv2_x1_5-3c479a10.pth",
        3_503_624,
        72.996,
        91.086,
        0.296,
        13.557,
        "pull/5906",
        resize_size=232,
    )
    DEFAULT = IMAGENET1K_V1


class ShuffleNet_V2_X2_0_Weights(WeightsEnum):
    """Trained weights of `shufflenet_v2_x2_0`."""

    IMAGENET1K_V1 = imagenet(
        "shufflenetv2_x2_0-8be3c8ee.pth",
        7_393_996,
        76.23,
        93.006,
        0.583,
        28.433,
        "pull/5906",
        resize_size=232,
    )
    DEFAULT = IMAGENET1K_V1


@builder(ShuffleNet_V2_X0_5_Weights)
def shufflenet_v2_x0_5(
    *, weights: ShuffleNet_V2_X0_5_Weights | None = None, progress: bool = True, **kwargs: Any
) -> ShuffleNetV2:
    """ShuffleNetV2 with 0.5 times the channels; `kwargs` go to :class:`ShuffleNetV2`."""
    return assemble(ShuffleNetV2, weights, progress, [4, 8, 4], [24, 48, 96, 192, 1024], **kwargs)


@builder(ShuffleNet_V2_X1_0_Weights)
def shufflenet_v2_x1_0(
    *, weights: ShuffleNet_V2_X1_0_Weights | None = None, progress: bool = True, **kwargs: Any
) -> ShuffleNetV2:
    """ShuffleNetV2 with 1.0 times the channels; `kwargs` go to :class:`ShuffleNetV2`."""
    return assemble(ShuffleNetV2, weights, progress, [4, 8, 4], [24, 116, 232, 464, 1024], **kwargs)


@builder(ShuffleNet_V2_X1_5_Weights)
def shufflenet_v2_x1_5(
    *, weights: ShuffleNet_V2_X1_5_Weights | None = None, progress: bool = True, **kwargs: Any
) -> ShuffleNetV2:
    """ShuffleNetV2 with 1.5 times the channels; `kwargs` go to :class:`ShuffleNetV2`."""
    return assemble(ShuffleNetV2, weights, progress, [4, 8, 4], [24, 176, 352, 704, 1024], **kwargs)


@builder(ShuffleNet_V2_X2_0_Weights)
def shufflenet_v2_x2_0(
    *, weights: ShuffleNet_V2_X2_0_Weights | None = None, progress: bool = True, **kwargs: Any
) -> ShuffleNetV2:
    """ShuffleNetV2 with 2.0 times the channels; `kwargs` go to :class:`ShuffleNetV2`."""
    return assemble(ShuffleNetV2, weights, progress, [4, 8, 4], [24, 244, 488, 976, 2048], **kwargs)
