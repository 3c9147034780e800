"""Inception v3: factorised convolutions side by side (https://arxiv.org/abs/1512.00567)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import rushlight

from ... import nn
from ...nn import functional as F
from ...tensor import Tensor
from ._api import WeightsEnum, assemble, builder, fix, imagenet
from ._utils import Layer, from_imagenet_statistics, truncated

__all__ = ["Inception3", "InceptionOutputs", "Inception_V3_Weights", "inception_v3"]


class InceptionOutputs(NamedTuple):
    """What an Inception v3 in training returns: its scores and those of the head half way."""

    logits: Tensor
    aux_logits: Tensor | None


def _smooth(x: Tensor) -> Tensor:
    return F.avg_pool2d(x, kernel_size=3, stride=1, padding=1)


def _halve(x: Tensor) -> Tensor:
    return F.max_pool2d(x, kernel_size=3, stride=2)


class BasicConv2d(nn.Module):
    """Convolution, norm, ReLU: the small block of both Inception networks, GoogLeNet among them."""

    def __init__(self, in_channels: int, out_channels: int, **kwargs: Any) -> None:
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, bias=False, **kwargs)
        self.bn = nn.BatchNorm2d(out_channels, eps=0.001)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.bn(self.conv(x)), inplace=True)


class InceptionA(nn.Module):
    """1x1, 5x5, two 3x3, and a pool: (B, C, 35, 35) -> (B, 224 + pool_features, 35, 35)."""

    def __init__(
        self, in_channels: int, pool_features: int, conv_block: Layer | None = None
    ) -> None:
        super().__init__()
        conv = conv_block or BasicConv2d
        self.branch1x1 = conv(in_channels, 64, kernel_size=1)
        self.branch5x5_1 = conv(in_channels, 48, kernel_size=1)
        self.branch5x5_2 = conv(48, 64, kernel_size=5, padding=2)
        self.branch3x3dbl_1 = conv(in_channels, 64, kernel_size=1)
        self.branch3x3dbl_2 = conv(64, 96, kernel_size=3, padding=1)
        self.branch3x3dbl_3 = conv(96, 96, kernel_size=3, padding=1)
        self.branch_pool = conv(in_channels, pool_features, kernel_size=1)

    def forward(self, x: Tensor) -> Tensor:
        five = self.branch5x5_2(self.branch5x5_1(x))
        three = self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x)))
        return rushlight.cat([self.branch1x1(x), five, three, self.branch_pool(_smooth(x))], 1)


class InceptionB(nn.Module):
    """Half the size: (B, C, 35, 35) -> (B, 480 + C, 17, 17)."""

    def __init__(self, in_channels: int, conv_block: Layer | None = None) -> None:
        super().__init__()
        conv = conv_block or BasicConv2d
        self.branch3x3 = conv(in_channels, 384, kernel_size=3, stride=2)
        self.branch3x3dbl_1 = conv(in_channels, 64, kernel_size=1)
        self.branch3x3dbl_2 = conv(64, 96, kernel_size=3, padding=1)
        self.branch3x3dbl_3 = conv(96, 96, kernel_size=3, stride=2)

    def forward(self, x: Tensor) -> Tensor:
        three = self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x)))
        return rushlight.cat([self.branch3x3(x), three, _halve(x)], 1)


class InceptionC(nn.Module):
    """7x7 convolutions as 1x7 and 7x1: (B, C, 17, 17) -> (B, 768, 17, 17)."""

    def __init__(
        self, in_channels: int, channels_7x7: int, conv_block: Layer | None = None
    ) -> None:
        super().__init__()
        conv = conv_block or BasicConv2d
        c7 = channels_7x7
        flat: dict[str, Any] = {"kernel_size": (1, 7), "padding": (0, 3)}
        tall: dict[str, Any] = {"kernel_size": (7, 1), "padding": (3, 0)}
        self.branch1x1 = conv(in_channels, 192, kernel_size=1)
        self.branch7x7_1 = conv(in_channels, c7, kernel_size=1)
        self.branch7x7_2 = conv(c7, c7, **flat)
        self.branch7x7_3 = conv(c7, 192, **tall)
        self.branch7x7dbl_1 = conv(in_channels, c7, kernel_size=1)
        self.branch7x7dbl_2 = conv(c7, c7, **tall)
        self.branch7x7dbl_3 = conv(c7, c7, **flat)
        self.branch7x7dbl_4 = conv(c7, c7, **tall)
        self.branch7x7dbl_5 = conv(c7, 192, **flat)
        self.branch_pool = conv(in_channels, 192, kernel_size=1)

    def forward(self, x: Tensor) -> Tensor:
        seven = self.branch7x7_3(self.branch7x7_2(self.branch7x7_1(x)))
        twice = self.branch7x7dbl_3(self.branch7x7dbl_2(self.branch7x7dbl_1(x)))
        twice = self.branch7x7dbl_5(self.branch7x7dbl_4(twice))
        return rushlight.cat([self.branch1x1(x), seven, twice, self.branch_pool(_smooth(x))], 1)


class InceptionD(nn.Module):
    """Half the size: (B, C, 17, 17) -> (B, 512 + C, 8, 8)."""

    def __init__(self, in_channels: int, conv_block: Layer | None = None) -> None:
        super().__init__()
        conv = conv_block or BasicConv2d
        self.branch3x3_1 = conv(in_channels, 192, kernel_size=1)
        self.branch3x3_2 = conv(192, 320, kernel_size=3, stride=2)
        self.branch7x7x3_1 = conv(in_channels, 192, kernel_size=1)
        self.branch7x7x3_2 = conv(192, 192, kernel_size=(1, 7), padding=(0, 3))
        self.branch7x7x3_3 = conv(192, 192, kernel_size=(7, 1), padding=(3, 0))
        self.branch7x7x3_4 = conv(192, 192, kernel_size=3, stride=2)

    def forward(self, x: Tensor) -> Tensor:
        three = self.branch3x3_2(self.branch3x3_1(x))
        seven = self.branch7x7x3_3(self.branch7x7x3_2(self.branch7x7x3_1(x)))
        return rushlight.cat([three, self.branch7x7x3_4(seven), _halve(x)], 1)


class InceptionE(nn.Module):
    """1x3 and 3x1 side by side: (B, C, 8, 8) -> (B, 2048, 8, 8)."""

    def __init__(self, in_channels: int, conv_block: Layer | None = None) -> None:
        super().__init__()
        conv = conv_block or BasicConv2d
        flat: dict[str, Any] = {"kernel_size": (1, 3), "padding": (0, 1)}
        tall: dict[str, Any] = {"kernel_size": (3, 1), "padding": (1, 0)}
        self.branch1x1 = conv(in_channels, 320, kernel_size=1)
        self.branch3x3_1 = conv(in_channels, 384, kernel_size=1)
        self.branch3x3_2a = conv(384, 384, **flat)
        self.branch3x3_2b = conv(384, 384, **tall)
        self.branch3x3dbl_1 = conv(in_channels, 448, kernel_size=1)
        self.branch3x3dbl_2 = conv(448, 384, kernel_size=3, padding=1)
        self.branch3x3dbl_3a = conv(384, 384, **flat)
        self.branch3x3dbl_3b = conv(384, 384, **tall)
        self.branch_pool = conv(in_channels, 192, kernel_size=1)

    def forward(self, x: Tensor) -> Tensor:
        once = self.branch3x3_1(x)
        twice = self.branch3x3dbl_2(self.branch3x3dbl_1(x))
        parts = [
            self.branch1x1(x),
            self.branch3x3_2a(once),
            self.branch3x3_2b(once),
            self.branch3x3dbl_3a(twice),
            self.branch3x3dbl_3b(twice),
            self.branch_pool(_smooth(x)),
        ]
        return rushlight.cat(parts, 1)


class InceptionAux(nn.Module):
    """A classifier half way, for gradients that reach the lower layers."""

    def __init__(self, in_channels: int, num_classes: int, conv_block: Layer | None = None) -> None:
        super().__init__()
        conv = conv_block or BasicConv2d
        self.conv0 = conv(in_channels, 128, kernel_size=1)
        self.conv1 = conv(128, 768, kernel_size=5)
        self.fc = nn.Linear(768, num_classes)
        # Read by whoever fills the weights: `truncated` looks at convolutions and linear layers.
        self.conv1.stddev = 0.01
        self.fc.stddev = 0.001  # type: ignore[assignment]

    def forward(self, x: Tensor) -> Tensor:  # (B, 768, 17, 17)
        x = F.avg_pool2d(x, kernel_size=5, stride=3)  # (B, 768, 5, 5)
        x = self.conv1(self.conv0(x))  # (B, 768, 1, 1)
        x = F.adaptive_avg_pool2d(x, (1, 1)).flatten(1)  # (B, 768)
        return self.fc(x)  # (B, num_classes)


class Inception3(nn.Module):
    """A stem, eleven Inception modules of five kinds, one linear layer, a classifier half way.

    Args:
        aux_logits: with the classifier half way; in training the result is then an
            :class:`InceptionOutputs`.
        transform_input: images are normalized as for the other models; bring them to [-1, 1].
        inception_blocks: in place of BasicConv2d, InceptionA to InceptionE, InceptionAux.
        init_weights: draw weights from a truncated normal distribution.
    """

    def __init__(
        self,
        num_classes: int = 1000,
        aux_logits: bool = True,
        transform_input: bool = False,
        inception_blocks: Sequence[Layer] | None = None,
        init_weights: bool | None = None,
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        if inception_blocks is None:
            kinds = (InceptionA, InceptionB, InceptionC, InceptionD, InceptionE)
            inception_blocks = (BasicConv2d, *kinds, InceptionAux)
        if len(inception_blocks) != 7:
            raise ValueError(
                f"length of inception_blocks should be 7 instead of {len(inception_blocks)}"
            )
        conv, a, b, c, d, e, classifier = inception_blocks
        self.aux_logits = aux_logits
        self.transform_input = transform_input
        self.Conv2d_1a_3x3 = conv(3, 32, kernel_size=3, stride=2)
        self.Conv2d_2a_3x3 = conv(32, 32, kernel_size=3)
        self.Conv2d_2b_3x3 = conv(32, 64, kernel_size=3, padding=1)
        self.maxpool1 = nn.MaxPool2d(kernel_size=3, stride=2)
        self.Conv2d_3b_1x1 = conv(64, 80, kernel_size=1)
        self.Conv2d_4a_3x3 = conv(80, 192, kernel_size=3)
        self.maxpool2 = nn.MaxPool2d(kernel_size=3, stride=2)
        self.Mixed_5b = a(192, pool_features=32)
        self.Mixed_5c = a(256, pool_features=64)
        self.Mixed_5d = a(288, pool_features=64)
        self.Mixed_6a = b(288)
        self.Mixed_6b = c(768, channels_7x7=128)
        self.Mixed_6c = c(768, channels_7x7=160)
        self.Mixed_6d = c(768, channels_7x7=160)
        self.Mixed_6e = c(768, channels_7x7=192)
        self.AuxLogits = classifier(768, num_classes) if aux_logits else None
        self.Mixed_7a = d(768)
        self.Mixed_7b = e(1280)
        self.Mixed_7c = e(2048)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.dropout = nn.Dropout(dropout)
        self.fc = nn.Linear(2048, num_classes)
        if init_weights or init_weights is None:
            truncated(self, 0.1)

    def forward(self, x: Tensor) -> Any:  # (B, 3, 299, 299)
        if self.transform_input:
            x = from_imagenet_statistics(x)
        x = self.Conv2d_2b_3x3(self.Conv2d_2a_3x3(self.Conv2d_1a_3x3(x)))  # (B, 64, 147, 147)
        x = self.Conv2d_3b_1x1(self.maxpool1(x))  # (B, 80, 73, 73)
        x = self.maxpool2(self.Conv2d_4a_3x3(x))  # (B, 192, 35, 35)
        x = self.Mixed_5d(self.Mixed_5c(self.Mixed_5b(x)))  # (B, 288, 35, 35)
        x = self.Mixed_6c(self.Mixed_6b(self.Mixed_6a(x)))  # (B, 768, 17, 17)
        x = self.Mixed_6e(self.Mixed_6d(x))  # (B, 768, 17, 17)
        head = self.AuxLogits if self.training else None
        aux = None if head is None else head(x)  # (B, num_classes)
        x = self.Mixed_7c(self.Mixed_7b(self.Mixed_7a(x)))  # (B, 2048, 8, 8)
        x = self.dropout(self.avgpool(x)).flatten(1)  # (B, 2048)
        x = self.fc(x)  # (B, num_classes)
        return InceptionOutputs(x, aux) if self.training and self.aux_logits else x


class Inception_V3_Weights(WeightsEnum):
    """Trained weights of `inception_v3`."""

    IMAGENET1K_V1 = imagenet(
        "inception_v3_google-0cc3c7bd.pth",
        27_161_264,
        77.294,
        93.45,
        5.713,
        103.903,
        "#inception-v3",
        min_size=(75, 75),
        crop=299,
        resize_size=342,
    )
    DEFAULT = IMAGENET1K_V1


@builder(Inception_V3_Weights)
def inception_v3(
    *, weights: Inception_V3_Weights | None = None, progress: bool = True, **kwargs: Any
) -> Inception3:
    """Inception v3, for images of 299x299; `kwargs` go to :class:`Inception3`."""
    if weights is None:
        return Inception3(**kwargs)
    heads = kwargs.pop("aux_logits", True)
    kwargs.setdefault("transform_input", True)
    fix(kwargs, init_weights=False)
    model = assemble(Inception3, weights, progress, aux_logits=True, **kwargs)
    if not heads:
        model.aux_logits = False
        model.AuxLogits = None
    return model
