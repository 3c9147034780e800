"""SqueezeNet: AlexNet's accuracy from fifty times fewer parameters
(https://arxiv.org/abs/1602.07360).
"""

from __future__ import annotations

from typing import Any

import rushlight

from ... import nn
from ...tensor import Tensor
from ._api import WeightsEnum, assemble, builder, imagenet
from ._utils import initialise

__all__ = [
    "SqueezeNet",
    "SqueezeNet1_0_Weights",
    "SqueezeNet1_1_Weights",
    "squeezenet1_0",
    "squeezenet1_1",
]


class Fire(nn.Module):
    """A 1x1 convolution to few channels, then 1x1 and 3x3 ones side by side."""

    def __init__(
        self, inplanes: int, squeeze_planes: int, expand1x1_planes: int, expand3x3_planes: int
    ) -> None:
        super().__init__()
        self.inplanes = inplanes
        self.squeeze = nn.Conv2d(inplanes, squeeze_planes, kernel_size=1)
        self.squeeze_activation = nn.ReLU(inplace=True)
        self.expand1x1 = nn.Conv2d(squeeze_planes, expand1x1_planes, kernel_size=1)
        self.expand1x1_activation = nn.ReLU(inplace=True)
        self.expand3x3 = nn.Conv2d(squeeze_planes, expand3x3_planes, kernel_size=3, padding=1)
        self.expand3x3_activation = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        x = self.squeeze_activation(self.squeeze(x))
        small = self.expand1x1_activation(self.expand1x1(x))
        large = self.expand3x3_activation(self.expand3x3(x))
        return rushlight.cat([small, large], 1)


def _features(version: str) -> nn.Sequential:
    """Stem, then Fire modules; version 1_1 pools earlier, for 2.4 times less work."""

    def pool() -> nn.Module:
        return nn.MaxPool2d(kernel_size=3, stride=2, ceil_mode=True)

    if version == "1_0":
        return nn.Sequential(
            nn.Conv2d(3, 96, kernel_size=7, stride=2),
            nn.ReLU(inplace=True),
            pool(),
            Fire(96, 16, 64, 64),
            Fire(128, 16, 64, 64),
            Fire(128, 32, 128, 128),
            pool(),
            Fire(256, 32, 128, 128),
            Fire(256, 48, 192, 192),
            Fire(384, 48, 192, 192),
            Fire(384, 64, 256, 256),
            pool(),
            Fire(512, 64, 256, 256),
        )
    if version == "1_1":
        return nn.Sequential(
            nn.Conv2d(3, 64, kernel_size=3, stride=2),
            nn.ReLU(inplace=True),
            pool(),
            Fire(64, 16, 64, 64),
            Fire(128, 16, 64, 64),
            pool(),
            Fire(128, 32, 128, 128),
            Fire(256, 32, 128, 128),
            pool(),
            Fire(256, 48, 192, 192),
            Fire(384, 48, 192, 192),
            Fire(384, 64, 256, 256),
            Fire(512, 64, 256, 256),
        )
    raise ValueError(f"Unsupported SqueezeNet version {version}: 1_0 or 1_1 expected")


class SqueezeNet(nn.Module):
    """Fire modules, then a 1x1 convolution to the classes instead of a linear layer."""

    def __init__(self, version: str = "1_0", num_classes: int = 1000, dropout: float = 0.5) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.features = _features(version)
        final = nn.Conv2d(512, num_classes, kernel_size=1)
        self.classifier = nn.Sequential(
            nn.Dropout(dropout), final, nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d((1, 1))
        )

        def fill(weight: Tensor) -> None:
            if weight is final.weight:
                nn.init.normal_(weight, mean=0.0, std=0.01)
            else:
                nn.init.kaiming_uniform_(weight)

        initialise(self, conv=fill)

    def forward(self, x: Tensor) -> Tensor:  # (B, 3, 224, 224)
        x = self.features(x)  # (B, 512, 13, 13)
        return self.classifier(x).flatten(1)  # (B, num_classes)


class SqueezeNet1_0_Weights(WeightsEnum):
    """Trained weights of `squeezenet1_0`."""

    IMAGENET1K_V1 = imagenet(
        "squeezenet1_0-b66bff10.pth",
        1_248_424,
        58.092,
        80.42,
        0.819,
        4.778,
        "pull/49#issuecomment-277560717",
        min_size=(21, 21),
    )
    DEFAULT = IMAGENET1K_V1


class SqueezeNet1_1_Weights(WeightsEnum):
    """Trained weights of `squeezenet1_1`."""

    IMAGENET1K_V1 = imagenet(
        "squeezenet1_1-b8a52dc0.pth",
        1_235_496,
        58.178,
        80.624,
        0.349,
        4.729,
        "pull/49#issuecomment-277560717",
        min_size=(17, 17),
    )
    DEFAULT = IMAGENET1K_V1


@builder(SqueezeNet1_0_Weights)
def squeezenet1_0(
    *, weights: SqueezeNet1_0_Weights | None = None, progress: bool = True, **kwargs: Any
) -> SqueezeNet:
    """SqueezeNet 1.0; `kwargs` go to :class:`SqueezeNet`."""
    return assemble(SqueezeNet, weights, progress, "1_0", **kwargs)


@builder(SqueezeNet1_1_Weights)
def squeezenet1_1(
    *, weights: SqueezeNet1_1_Weights | None = None, progress: bool = True, **kwargs: Any
) -> SqueezeNet:
    """SqueezeNet 1.1; `kwargs` go to :class:`SqueezeNet`."""
    return assemble(SqueezeNet, weights, progress, "1_1", **kwargs)
