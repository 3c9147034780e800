"""DenseNet: every layer sees the outputs of all layers before it
(https://arxiv.org/abs/1608.06993).
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import rushlight

from ... import nn
from ...nn import functional as F
from ...tensor import Tensor
from ._api import WeightsEnum, builder, fix, imagenet
from ._utils import initialise

__all__ = [
    "DenseNet",
    "DenseNet121_Weights",
    "DenseNet161_Weights",
    "DenseNet169_Weights",
    "DenseNet201_Weights",
    "densenet121",
    "densenet161",
    "densenet169",
    "densenet201",
]


class _DenseLayer(nn.Module):
    """Norm, ReLU, 1x1 convolution, and again with 3x3: all features so far -> growth_rate more."""

    def __init__(
        self,
        num_input_features: int,
        growth_rate: int,
        bn_size: int,
        drop_rate: float,
        memory_efficient: bool = False,
    ) -> None:
        super().__init__()
        width = bn_size * growth_rate
        self.norm1 = nn.BatchNorm2d(num_input_features)
        self.relu1 = nn.ReLU(inplace=True)
        self.conv1 = nn.Conv2d(num_input_features, width, kernel_size=1, bias=False)
        self.norm2 = nn.BatchNorm2d(width)
        self.relu2 = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(width, growth_rate, kernel_size=3, padding=1, bias=False)
        self.drop_rate = float(drop_rate)
        self.memory_efficient = memory_efficient

    def bn_function(self, inputs: Sequence[Tensor]) -> Tensor:
        """The first half, from the list of features so far."""
        return self.conv1(self.relu1(self.norm1(rushlight.cat(list(inputs), 1))))

    def forward(self, input: Tensor | list[Tensor]) -> Tensor:
        features = [input] if isinstance(input, Tensor) else input
        if self.memory_efficient and any(t.requires_grad for t in features):
            from ...utils.checkpoint import checkpoint

            # Concatenation and norm are recomputed in the backward: they cost little and hold most
            # of the memory (https://arxiv.org/abs/1707.06990).
            narrow = checkpoint(
                lambda *inputs: self.bn_function(inputs), *features, use_reentrant=False
            )
        else:
            narrow = self.bn_function(features)
        new = self.conv2(self.relu2(self.norm2(narrow)))
        if self.drop_rate > 0:
            new = F.dropout(new, p=self.drop_rate, training=self.training)
        return new


class _DenseBlock(nn.ModuleDict):
    """Layers each of which adds `growth_rate` channels to what all later ones see."""

    _version = 2

    def __init__(
        self,
        num_layers: int,
        num_input_features: int,
        bn_size: int,
        growth_rate: int,
        drop_rate: float,
        memory_efficient: bool = False,
    ) -> None:
        super().__init__()
        for i in range(num_layers):
            channels = num_input_features + i * growth_rate
            layer = _DenseLayer(channels, growth_rate, bn_size, drop_rate, memory_efficient)
            self.add_module(f"denselayer{i + 1}", layer)

    def forward(self, init_features: Tensor) -> Tensor:
        features = [init_features]
        for layer in self.values():
            features.append(layer(features))
        return rushlight.cat(features, 1)


class _Transition(nn.Sequential):
    """Between blocks: fewer channels, and half the height and width."""

    def __init__(self, num_input_features: int, num_output_features: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(num_input_features)
        self.relu = nn.ReLU(inplace=True)
        self.conv = nn.Conv2d(num_input_features, num_output_features, kernel_size=1, bias=False)
        self.pool = nn.AvgPool2d(kernel_size=2, stride=2)


class DenseNet(nn.Module):
    """DenseNet-BC: dense blocks with transitions in between, and one linear layer.

    Args:
        growth_rate: channels that each layer adds (k in the paper).
        block_config: layers in each of the blocks.
        num_init_features: channels of the stem.
        bn_size: channels between the two convolutions of a layer, in multiples of `growth_rate`.
        drop_rate: dropout after each layer.
        memory_efficient: compute a part of each layer again in the backward.
    """

    def __init__(
        self,
        growth_rate: int = 32,
        block_config: Sequence[int] = (6, 12, 24, 16),
        num_init_features: int = 64,
        bn_size: int = 4,
        drop_rate: float = 0,
        num_classes: int = 1000,
        memory_efficient: bool = False,
    ) -> None:
        super().__init__()
        stem: OrderedDict[str, nn.Module] = OrderedDict(
            conv0=nn.Conv2d(3, num_init_features, kernel_size=7, stride=2, padding=3, bias=False),
            norm0=nn.BatchNorm2d(num_init_features),
            relu0=nn.ReLU(inplace=True),
            pool0=nn.MaxPool2d(kernel_size=3, stride=2, padding=1),
        )
        self.features = nn.Sequential(stem)
        channels = num_init_features
        for i, layers in enumerate(block_config, 1):
            block = _DenseBlock(layers, channels, bn_size, growth_rate, drop_rate, memory_efficient)
            self.features.add_module(f"denseblock{i}", block)
            channels += layers * growth_rate
            if i < len(block_config):
                self.features.add_module(f"transition{i}", _Transition(channels, channels // 2))
                channels //= 2
        self.features.add_module("norm5", nn.BatchNorm2d(channels))
        self.classifier = nn.Linear(channels, num_classes)
        initialise(self, conv=nn.init.kaiming_normal_, linear=lambda _weight: None)

    def forward(self, x: Tensor) -> Tensor:  # (B, 3, H, W)
        x = F.relu(self.features(x), inplace=True)  # (B, C, H/32, W/32)
        x = F.adaptive_avg_pool2d(x, (1, 1)).flatten(1)  # (B, C)
        return self.classifier(x)  # (B, num_classes)


# The files have names from a time when they could hold dots: "denselayer1.norm.1.weight".
_OLD_NAME = re.compile(r"^(.*denselayer\d+\.(?:norm|relu|conv))\.([12]\..*)$")


def _densenet(
    growth_rate: int,
    block_config: Sequence[int],
    num_init_features: int,
    weights: WeightsEnum | None,
    progress: bool,
    **kwargs: Any,
) -> DenseNet:
    if weights is None:
        return DenseNet(growth_rate, block_config, num_init_features, **kwargs)
    fix(kwargs, num_classes=len(weights.meta["categories"]))
    model = DenseNet(growth_rate, block_config, num_init_features, **kwargs)
    state = weights.get_state_dict(progress=progress, check_hash=True)
    model.load_state_dict({_OLD_NAME.sub(r"\1\2", key): value for key, value in state.items()})
    return model


class DenseNet121_Weights(WeightsEnum):
    """Trained weights of `densenet121`."""

    IMAGENET1K_V1 = imagenet(
        "densenet121-a639ec97.pth",
        7_978_856,
        74.434,
        91.972,
        2.834,
        30.845,
        "pull/116",
        min_size=(29, 29),
    )
    DEFAULT = IMAGENET1K_V1


class DenseNet161_Weights(WeightsEnum):
    """Trained weights of `densenet161`."""

    IMAGENET1K_V1 = imagenet(
        "densenet161-8d451a50.pth",
        28_681_000,
        77.138,
        93.56,
        7.728,
        110.369,
        "pull/116",
        min_size=(29, 29),
    )
    DEFAULT = IMAGENET1K_V1


class DenseNet169_Weights(WeightsEnum):
    """Trained weights of `densenet169`."""

    IMAGENET1K_V1 = imagenet(
        "densenet169-b2777c0a.pth",
        14_149_480,
        75.6,
        92.806,
        3.36,
        54.708,
        "pull/116",
        min_size=(29, 29),
    )
    DEFAULT = IMAGENET1K_V1


class DenseNet201_Weights(WeightsEnum):
    """Trained weights of `densenet201`."""

    IMAGENET1K_V1 = imagenet(
        "densenet201-c1103571.pth",
        20_013_928,
        76.896,
        93.37,
        4.291,
        77.373,
        "pull/116",
        min_size=(29, 29),
    )
    DEFAULT = IMAGENET1K_V1


@builder(DenseNet121_Weights)
def densenet121(
    *, weights: DenseNet121_Weights | None = None, progress: bool = True, **kwargs: Any
) -> DenseNet:
    """DenseNet-121; `kwargs` go to :class:`DenseNet`."""
    return _densenet(32, (6, 12, 24, 16), 64, weights, progress, **kwargs)


@builder(DenseNet161_Weights)
def densenet161(
    *, weights: DenseNet161_Weights | None = None, progress: bool = True, **kwargs: Any
) -> DenseNet:
    """DenseNet-161; `kwargs` go to :class:`DenseNet`."""
    return _densenet(48, (6, 12, 36, 24), 96, weights, progress, **kwargs)


@builder(DenseNet169_Weights)
def densenet169(
    *, weights: DenseNet169_Weights | None = None, progress: bool = True, **kwargs: Any
) -> DenseNet:
    """DenseNet-169; `kwargs` go to :class:`DenseNet`."""
    return _densenet(32, (6, 12, 32, 32), 64, weights, progress, **kwargs)


@builder(DenseNet201_Weights)
def densenet201(
    *, weights: DenseNet201_Weights | None = None, progress: bool = True, **kwargs: Any
) -> DenseNet:
    """DenseNet-201; `kwargs` go to :class:`DenseNet`."""
    return _densenet(32, (6, 12, 48, 32), 64, weights, progress, **kwargs)
