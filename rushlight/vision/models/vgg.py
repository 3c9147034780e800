"""VGG: 3x3 convolutions and nothing else (https://arxiv.org/abs/1409.1556), plain or with batch
normalisation.
"""

from __future__ import annotations

from typing import Any

from ... import nn
from ...tensor import Tensor
from ._api import WeightsEnum, assemble, builder, imagenet
from ._utils import initialise

__all__ = [
    "VGG",
    "VGG11_BN_Weights",
    "VGG11_Weights",
    "VGG13_BN_Weights",
    "VGG13_Weights",
    "VGG16_BN_Weights",
    "VGG16_Weights",
    "VGG19_BN_Weights",
    "VGG19_Weights",
    "vgg11",
    "vgg11_bn",
    "vgg13",
    "vgg13_bn",
    "vgg16",
    "vgg16_bn",
    "vgg19",
    "vgg19_bn",
]

# Output channels of the convolutions by the paper's letters; "M" halves the image.
cfgs: dict[str, list[str | int]] = {
    "A": [64, "M", 128, "M", *[256] * 2, "M", *[512] * 2, "M", *[512] * 2, "M"],
    "B": [*[64] * 2, "M", *[128] * 2, "M", *[256] * 2, "M", *[512] * 2, "M", *[512] * 2, "M"],
    "D": [*[64] * 2, "M", *[128] * 2, "M", *[256] * 3, "M", *[512] * 3, "M", *[512] * 3, "M"],
    "E": [*[64] * 2, "M", *[128] * 2, "M", *[256] * 4, "M", *[512] * 4, "M", *[512] * 4, "M"],
}


def make_layers(cfg: list[str | int], batch_norm: bool = False) -> nn.Sequential:
    """The convolutional part of one letter of `cfgs`."""
    layers: list[nn.Module] = []
    channels = 3
    for entry in cfg:
        if isinstance(entry, str):
            layers.append(nn.MaxPool2d(kernel_size=2, stride=2))
            continue
        layers.append(nn.Conv2d(channels, entry, kernel_size=3, padding=1))
        if batch_norm:
            layers.append(nn.BatchNorm2d(entry))
        layers.append(nn.ReLU(inplace=True))
        channels = entry
    return nn.Sequential(*layers)


class VGG(nn.Module):
    """Any `features` that end in 512 channels, then three linear layers."""

    def __init__(
        self,
        features: nn.Module,
        num_classes: int = 1000,
        init_weights: bool = True,
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        self.features = features
        self.avgpool = nn.AdaptiveAvgPool2d((7, 7))
        self.classifier = nn.Sequential(
            nn.Linear(512 * 7 * 7, 4096),
            nn.ReLU(inplace=True),
            nn.Dropout(dropout),
            nn.Linear(4096, 4096),
            nn.ReLU(inplace=True),
            nn.Dropout(dropout),
            nn.Linear(4096, num_classes),
        )
        if init_weights:
            initialise(self, linear=lambda weight: nn.init.normal_(weight, 0, 0.01))

    def forward(self, x: Tensor) -> Tensor:  # (B, 3, 224, 224)
        x = self.features(x)  # (B, 512, 7, 7)
        x = self.avgpool(x).flatten(1)  # (B, 25088), whatever the image's size was
        return self.classifier(x)  # (B, num_classes)


def _vgg(
    cfg: str, batch_norm: bool, weights: WeightsEnum | None, progress: bool, **kwargs: Any
) -> VGG:
    if weights is not None:
        kwargs["init_weights"] = False
    return assemble(VGG, weights, progress, make_layers(cfgs[cfg], batch_norm), **kwargs)


class VGG11_Weights(WeightsEnum):
    """Trained weights of `vgg11`."""

    IMAGENET1K_V1 = imagenet(
        "vgg11-8a719046.pth",
        132_863_336,
        69.02,
        88.628,
        7.609,
        506.84,
        "#alexnet-and-vgg",
        min_size=(32, 32),
    )
    DEFAULT = IMAGENET1K_V1


class VGG11_BN_Weights(WeightsEnum):
    """Trained weights of `vgg11_bn`."""

    IMAGENET1K_V1 = imagenet(
        "vgg11_bn-6002323d.pth",
        132_868_840,
        70.37,
        89.81,
        7.609,
        506.881,
        "#alexnet-and-vgg",
        min_size=(32, 32),
    )
    DEFAULT = IMAGENET1K_V1


class VGG13_Weights(WeightsEnum):
    """Trained weights of `vgg13`."""

    IMAGENET1K_V1 = imagenet(
        "vgg13-19584684.pth",
        133_047_848,
        69.928,
        89.246,
        11.308,
        507.545,
        "#alexnet-and-vgg",
        min_size=(32, 32),
    )
    DEFAULT = IMAGENET1K_V1


class VGG13_BN_Weights(WeightsEnum):
    """Trained weights of `vgg13_bn`."""

    IMAGENET1K_V1 = imagenet(
        "vgg13_bn-abd245e5.pth",
        133_053_736,
        71.586,
        90.374,
        11.308,
        507.59,
        "#alexnet-and-vgg",
        min_size=(32, 32),
    )
    DEFAULT = IMAGENET1K_V1


class VGG16_Weights(WeightsEnum):
    """Trained weights of `vgg16`."""

    IMAGENET1K_V1 = imagenet(
        "vgg16-397923af.pth",
        138_357_544,
        71.592,
        90.382,
        15.47,
        527.796,
        "#alexnet-and-vgg",
        min_size=(32, 32),
    )
    IMAGENET1K_FEATURES = imagenet(
        "vgg16_features-amdegroot-88682ab5.pth",
        138_357_544,
        float("nan"),
        float("nan"),
        15.47,
        527.802,
        "https://github.com/amdegroot/ssd.pytorch#training-ssd",
        classes=False,
        min_size=(32, 32),
        mean=(0.48235, 0.45882, 0.40784),
        std=(0.00392156862745098, 0.00392156862745098, 0.00392156862745098),
    )
    DEFAULT = IMAGENET1K_V1


class VGG16_BN_Weights(WeightsEnum):
    """Trained weights of `vgg16_bn`."""

    IMAGENET1K_V1 = imagenet(
        "vgg16_bn-6c64b313.pth",
        138_365_992,
        73.36,
        91.516,
        15.47,
        527.866,
        "#alexnet-and-vgg",
        min_size=(32, 32),
    )
    DEFAULT = IMAGENET1K_V1


class VGG19_Weights(WeightsEnum):
    """Trained weights of `vgg19`."""

    IMAGENET1K_V1 = imagenet(
        "vgg19-dcbb9e9d.pth",
        143_667_240,
        72.376,
        90.876,
        19.632,
        548.051,
        "#alexnet-and-vgg",
        min_size=(32, 32),
    )
    DEFAULT = IMAGENET1K_V1


class VGG19_BN_Weights(WeightsEnum):
    """Trained weights of `vgg19_bn`."""

    IMAGENET1K_V1 = imagenet(
        "vgg19_bn-c79401a0.pth",
        143_678_248,
        74.218,
        91.842,
        19.632,
        548.143,
        "#alexnet-and-vgg",
        min_size=(32, 32),
    )
    DEFAULT = IMAGENET1K_V1


@builder(VGG11_Weights)
def vgg11(*, weights: VGG11_Weights | None = None, progress: bool = True, **kwargs: Any) -> VGG:
    """VGG-11 (configuration A); `kwargs` go to :class:`VGG`."""
    return _vgg("A", False, weights, progress, **kwargs)


@builder(VGG11_BN_Weights)
def vgg11_bn(
    *, weights: VGG11_BN_Weights | None = None, progress: bool = True, **kwargs: Any
) -> VGG:
    """VGG-11 (configuration A) with batch normalisation; `kwargs` go to :class:`VGG`."""
    return _vgg("A", True, weights, progress, **kwargs)


@builder(VGG13_Weights)
def vgg13(*, weights: VGG13_Weights | None = None, progress: bool = True, **kwargs: Any) -> VGG:
    """VGG-13 (configuration B); `kwargs` go to :class:`VGG`."""
    return _vgg("B", False, weights, progress, **kwargs)


@builder(VGG13_BN_Weights)
def vgg13_bn(
    *, weights: VGG13_BN_Weights | None = None, progress: bool = True, **kwargs: Any
) -> VGG:
    """VGG-13 (configuration B) with batch normalisation; `kwargs` go to :class:`VGG`."""
    return _vgg("B", True, weights, progress, **kwargs)


@builder(VGG16_Weights)
def vgg16(*, weights: VGG16_Weights | None = None, progress: bool = True, **kwargs: Any) -> VGG:
    """VGG-16 (configuration D); `kwargs` go to :class:`VGG`."""
    return _vgg("D", False, weights, progress, **kwargs)


@builder(VGG16_BN_Weights)
def vgg16_bn(
    *, weights: VGG16_BN_Weights | None = None, progress: bool = True, **kwargs: Any
) -> VGG:
    """VGG-16 (configuration D) with batch normalisation; `kwargs` go to :class:`VGG`."""
    return _vgg("D", True, weights, progress, **kwargs)


@builder(VGG19_Weights)
def vgg19(*, weights: VGG19_Weights | None = None, progress: bool = True, **kwargs: Any) -> VGG:
    """VGG-19 (configuration E); `kwargs` go to :class:`VGG`."""
    return _vgg("E", False, weights, progress, **kwargs)


@builder(VGG19_BN_Weights)
def vgg19_bn(
    *, weights: VGG19_BN_Weights | None = None, progress: bool = True, **kwargs: Any
) -> VGG:
    """VGG-19 (configuration E) with batch normalisation; `kwargs` go to :class:`VGG`."""
    return _vgg("E", True, weights, progress, **kwargs)
