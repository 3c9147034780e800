"""GoogLeNet: convolutions of several sizes side by side (https://arxiv.org/abs/1409.4842)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import rushlight

from ... import nn
from ...nn import functional as F
from ...tensor import Tensor
from ._api import WeightsEnum, assemble, builder, fix, imagenet
from ._utils import Layer, from_imagenet_statistics, truncated
from .inception import BasicConv2d

__all__ = ["GoogLeNet", "GoogLeNetOutputs", "GoogLeNet_Weights", "googlenet"]


class GoogLeNetOutputs(NamedTuple):
    """What a GoogLeNet in training returns: its scores and those of the two heads half way."""

    logits: Tensor
    aux_logits2: Tensor | None
    aux_logits1: Tensor | None


class Inception(nn.Module):
    """Four branches on the same input, side by side in the output's channels."""

    def __init__(
        self,
        in_channels: int,
        ch1x1: int,
        ch3x3red: int,
        ch3x3: int,
        ch5x5red: int,
        ch5x5: int,
        pool_proj: int,
        conv_block: Layer | None = None,
    ) -> None:
        super().__init__()
        conv = conv_block or BasicConv2d
        self.branch1 = conv(in_channels, ch1x1, kernel_size=1)
        self.branch2 = nn.Sequential(
            conv(in_channels, ch3x3red, kernel_size=1),
            conv(ch3x3red, ch3x3, kernel_size=3, padding=1),
        )
        # The paper says 5x5; the trained weights that everybody uses are of 3x3.
        self.branch3 = nn.Sequential(
            conv(in_channels, ch5x5red, kernel_size=1),
            conv(ch5x5red, ch5x5, kernel_size=3, padding=1),
        )
        self.branch4 = nn.Sequential(
            nn.MaxPool2d(kernel_size=3, stride=1, padding=1, ceil_mode=True),
            conv(in_channels, pool_proj, kernel_size=1),
        )

    def forward(self, x: Tensor) -> Tensor:
        branches = (self.branch1, self.branch2, self.branch3, self.branch4)
        return rushlight.cat([branch(x) for branch in branches], 1)


class InceptionAux(nn.Module):
    """A classifier half way, for gradients that reach the lower layers."""

    def __init__(
        self,
        in_channels: int,
        num_classes: int,
        conv_block: Layer | None = None,
        dropout: float = 0.7,
    ) -> None:
        super().__init__()
        self.conv = (conv_block or BasicConv2d)(in_channels, 128, kernel_size=1)
        self.fc1 = nn.Linear(2048, 1024)
        self.fc2 = nn.Linear(1024, num_classes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:  # (B, C, 14, 14)
        x = F.adaptive_avg_pool2d(x, (4, 4))  # (B, C, 4, 4)
        x = self.conv(x).flatten(1)  # (B, 2048)
        x = F.relu(self.fc1(x), inplace=True)  # (B, 1024)
        return self.fc2(self.dropout(x))  # (B, num_classes)


class GoogLeNet(nn.Module):
    """A stem, nine Inception modules, one linear layer, and two classifiers half way.

    Args:
        aux_logits: with the classifiers half way; in training the result is then a
            :class:`GoogLeNetOutputs`.
        transform_input: images are normalized as for the other models; bring them to [-1, 1].
        init_weights: draw weights from a truncated normal distribution.
        blocks: in place of BasicConv2d, Inception, InceptionAux.
    """

    def __init__(
        self,
        num_classes: int = 1000,
        aux_logits: bool = True,
        transform_input: bool = False,
        init_weights: bool | None = None,
        blocks: Sequence[Layer] | None = None,
        dropout: float = 0.2,
        dropout_aux: float = 0.7,
    ) -> None:
        super().__init__()
        if blocks is None:
            blocks = (BasicConv2d, Inception, InceptionAux)
        if len(blocks) != 3:
            raise ValueError(f"blocks length should be 3 instead of {len(blocks)}")
        conv, inception, classifier = blocks
        self.aux_logits = aux_logits
        self.transform_input = transform_input

        self.conv1 = conv(3, 64, kernel_size=7, stride=2, padding=3)
        self.maxpool1 = nn.MaxPool2d(3, stride=2, ceil_mode=True)
        self.conv2 = conv(64, 64, kernel_size=1)
        self.conv3 = conv(64, 192, kernel_size=3, padding=1)
        self.maxpool2 = nn.MaxPool2d(3, stride=2, ceil_mode=True)

        self.inception3a = inception(192, 64, 96, 128, 16, 32, 32)
        self.inception3b = inception(256, 128, 128, 192, 32, 96, 64)
        self.maxpool3 = nn.MaxPool2d(3, stride=2, ceil_mode=True)

        self.inception4a = inception(480, 192, 96, 208, 16, 48, 64)
        self.inception4b = inception(512, 160, 112, 224, 24, 64, 64)
        self.inception4c = inception(512, 128, 128, 256, 24, 64, 64)
        self.inception4d = inception(512, 112, 144, 288, 32, 64, 64)
        self.inception4e = inception(528, 256, 160, 320, 32, 128, 128)
        self.maxpool4 = nn.MaxPool2d(2, stride=2, ceil_mode=True)

        self.inception5a = inception(832, 256, 160, 320, 32, 128, 128)
        self.inception5b = inception(832, 384, 192, 384, 48, 128, 128)

        self.aux1 = classifier(512, num_classes, dropout=dropout_aux) if aux_logits else None
        self.aux2 = classifier(528, num_classes, dropout=dropout_aux) if aux_logits else None

        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.dropout = nn.Dropout(dropout)
        self.fc = nn.Linear(1024, num_classes)
        if init_weights or init_weights is None:
            truncated(self, 0.01)

    def forward(self, x: Tensor) -> Any:  # (B, 3, 224, 224)
        if self.transform_input:
            x = from_imagenet_statistics(x)
        x = self.maxpool1(self.conv1(x))  # (B, 64, 56, 56)
        x = self.maxpool2(self.conv3(self.conv2(x)))  # (B, 192, 28, 28)
        x = self.inception3b(self.inception3a(x))  # (B, 480, 28, 28)
        x = self.inception4a(self.maxpool3(x))  # (B, 512, 14, 14)
        first, second = (self.aux1, self.aux2) if self.training else (None, None)
        aux1 = None if first is None else first(x)  # (B, num_classes)
        x = self.inception4d(self.inception4c(self.inception4b(x)))  # (B, 528, 14, 14)
        aux2 = None if second is None else second(x)  # (B, num_classes)
        x = self.maxpool4(self.inception4e(x))  # (B, 832, 7, 7)
        x = self.inception5b(self.inception5a(x))  # (B, 1024, 7, 7)
        x = self.dropout(self.avgpool(x).flatten(1))  # (B, 1024)
        x = self.fc(x)  # (B, num_classes)
        return GoogLeNetOutputs(x, aux2, aux1) if self.training and self.aux_logits else x


class GoogLeNet_Weights(WeightsEnum):
    """Trained weights of `googlenet`."""

    IMAGENET1K_V1 = imagenet(
        "googlenet-1378be20.pth",
        6_624_904,
        69.778,
        89.53,
        1.498,
        49.731,
        "#googlenet",
        min_size=(15, 15),
    )
    DEFAULT = IMAGENET1K_V1


@builder(GoogLeNet_Weights)
def googlenet(
    *, weights: GoogLeNet_Weights | None = None, progress: bool = True, **kwargs: Any
) -> GoogLeNet:
    """GoogLeNet (Inception v1); `kwargs` go to :class:`GoogLeNet`."""
    if weights is None:
        return GoogLeNet(**kwargs)
    heads = kwargs.pop("aux_logits", False)
    kwargs.setdefault("transform_input", True)
    fix(kwargs, init_weights=False)
    model = assemble(GoogLeNet, weights, progress, aux_logits=True, **kwargs)
    if heads:
        warnings.warn(
            "auxiliary heads in the pretrained googlenet model are NOT pretrained, so make sure "
            "to train them",
            stacklevel=3,
        )
    else:
        model.aux_logits = False
        model.aux1 = model.aux2 = None
    return model
