"""DeepLabV3: dilated convolutions of several widths side by side ("atrous spatial pyramid pooling")
on a backbone (https://arxiv.org/abs/1706.05587).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import rushlight

from .... import nn
from ....tensor import Tensor
from .._api import WeightsEnum, builder
from ..mobilenetv3 import MobileNet_V3_Large_Weights, MobileNetV3, mobilenet_v3_large
from ..resnet import ResNet, ResNet50_Weights, ResNet101_Weights, resnet50, resnet101
from ._utils import (
    _SimpleSegmentationModel,
    assemble,
    conv_norm_relu,
    enlarged,
    mobilenet_features,
    resnet_features,
    voc,
)
from .fcn import DILATED, FCNHead

__all__ = [
    "DeepLabV3",
    "DeepLabV3_MobileNet_V3_Large_Weights",
    "DeepLabV3_ResNet50_Weights",
    "DeepLabV3_ResNet101_Weights",
    "deeplabv3_mobilenet_v3_large",
    "deeplabv3_resnet50",
    "deeplabv3_resnet101",
]


class DeepLabV3(_SimpleSegmentationModel):
    """A backbone and a :class:`DeepLabHead`; an FCN head on features half way for training.

    Images (B, 3, H, W) become {"out": (B, classes, H, W)}, with "aux" where there is a second head.

    >>> build = torch.vision.models.segmentation.deeplabv3_mobilenet_v3_large
    >>> net = build(weights_backbone=None, num_classes=5, aux_loss=True).eval()
    >>> {name: tuple(y.shape) for name, y in net(torch.zeros(1, 3, 32, 32)).items()}
    {'out': (1, 5, 32, 32), 'aux': (1, 5, 32, 32)}
    """


class ASPPConv(nn.Sequential):
    """A 3x3 convolution, a norm and a ReLU."""

    def __init__(self, in_channels: int, out_channels: int, dilation: int) -> None:
        super().__init__(*conv_norm_relu(in_channels, out_channels, 3, dilation))


class ASPPPooling(nn.Sequential):
    """The mean of the whole image at every pixel, through a 1x1 convolution."""

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__(nn.AdaptiveAvgPool2d(1), *conv_norm_relu(in_channels, out_channels))

    def forward(self, x: Tensor) -> Tensor:  # (B, C, H, W)
        return enlarged(super().forward(x), x)


class ASPP(nn.Module):
    """Five views of an image: its pixels, three dilated convolutions, its mean; then mixed."""

    def __init__(
        self, in_channels: int, atrous_rates: Sequence[int], out_channels: int = 256
    ) -> None:
        super().__init__()
        self.convs = nn.ModuleList(
            [
                nn.Sequential(*conv_norm_relu(in_channels, out_channels)),
                *(ASPPConv(in_channels, out_channels, rate) for rate in atrous_rates),
                ASPPPooling(in_channels, out_channels),
            ]
        )
        views = len(self.convs) * out_channels
        self.project = nn.Sequential(*conv_norm_relu(views, out_channels), nn.Dropout(0.5))

    def forward(self, x: Tensor) -> Tensor:  # (B, C, H, W)
        return self.project(rushlight.cat([conv(x) for conv in self.convs], dim=1))


class DeepLabHead(nn.Sequential):
    """The pyramid, a 3x3 convolution, and classes."""

    def __init__(
        self, in_channels: int, num_classes: int, atrous_rates: Sequence[int] = (12, 24, 36)
    ) -> None:
        super().__init__(
            ASPP(in_channels, atrous_rates),
            *conv_norm_relu(256, 256, 3),
            nn.Conv2d(256, num_classes, 1),
        )


def _deeplabv3_resnet(backbone: ResNet, num_classes: int, aux_loss: bool | None) -> DeepLabV3:
    features, out, aux = resnet_features(backbone, aux_loss)
    second = FCNHead(aux, num_classes) if aux_loss else None
    return DeepLabV3(features, DeepLabHead(out, num_classes), second)


def _deeplabv3_mobilenetv3(
    backbone: MobileNetV3, num_classes: int, aux_loss: bool | None
) -> DeepLabV3:
    features, out, aux = mobilenet_features(backbone, "out", "aux" if aux_loss else None)
    second = FCNHead(aux, num_classes) if aux_loss else None
    return DeepLabV3(features, DeepLabHead(out, num_classes), second)


class DeepLabV3_ResNet50_Weights(WeightsEnum):
    """Trained weights of `deeplabv3_resnet50`."""

    COCO_WITH_VOC_LABELS_V1 = voc(
        "deeplabv3_resnet50", "_coco-cd0a2569", 42_004_074, 66.4, 92.4, 178.722, 160.515
    )
    DEFAULT = COCO_WITH_VOC_LABELS_V1


class DeepLabV3_ResNet101_Weights(WeightsEnum):
    """Trained weights of `deeplabv3_resnet101`."""

    COCO_WITH_VOC_LABELS_V1 = voc(
        "deeplabv3_resnet101",
        "_coco-586e9e4e",
        60_996_202,
        67.4,
        92.4,
        258.743,
        233.217,
        "fcn_resnet101",
    )
    DEFAULT = COCO_WITH_VOC_LABELS_V1


class DeepLabV3_MobileNet_V3_Large_Weights(WeightsEnum):
    """Trained weights of `deeplabv3_mobilenet_v3_large`."""

    COCO_WITH_VOC_LABELS_V1 = voc(
        "deeplabv3_mobilenet_v3_large", "-fc3c493d", 11_029_328, 60.3, 91.2, 10.452, 42.301
    )
    DEFAULT = COCO_WITH_VOC_LABELS_V1


@builder(DeepLabV3_ResNet50_Weights, "COCO_WITH_VOC_LABELS_V1", ResNet50_Weights.IMAGENET1K_V1)
def deeplabv3_resnet50(
    *,
    weights: DeepLabV3_ResNet50_Weights | None = None,
    progress: bool = True,
    num_classes: int | None = None,
    aux_loss: bool | None = None,
    weights_backbone: ResNet50_Weights | None = ResNet50_Weights.IMAGENET1K_V1,
    **kwargs: Any,
) -> DeepLabV3:
    """DeepLabV3 on a ResNet-50; `aux_loss` adds the second head, `kwargs` are not used."""
    make = partial(resnet50, replace_stride_with_dilation=DILATED)
    args = weights, progress, weights_backbone, num_classes
    return assemble(_deeplabv3_resnet, make, *args, aux_loss=aux_loss)


@builder(DeepLabV3_ResNet101_Weights, "COCO_WITH_VOC_LABELS_V1", ResNet101_Weights.IMAGENET1K_V1)
def deeplabv3_resnet101(
    *,
    weights: DeepLabV3_ResNet101_Weights | None = None,
    progress: bool = True,
    num_classes: int | None = None,
    aux_loss: bool | None = None,
    weights_backbone: ResNet101_Weights | None = ResNet101_Weights.IMAGENET1K_V1,
    **kwargs: Any,
) -> DeepLabV3:
    """DeepLabV3 on a ResNet-101; `aux_loss` adds the second head, `kwargs` are not used."""
    make = partial(resnet101, replace_stride_with_dilation=DILATED)
    args = weights, progress, weights_backbone, num_classes
    return assemble(_deeplabv3_resnet, make, *args, aux_loss=aux_loss)


@builder(
    DeepLabV3_MobileNet_V3_Large_Weights,
    "COCO_WITH_VOC_LABELS_V1",
    MobileNet_V3_Large_Weights.IMAGENET1K_V1,
)
def deeplabv3_mobilenet_v3_large(
    *,
    weights: DeepLabV3_MobileNet_V3_Large_Weights | None = None,
    progress: bool = True,
    num_classes: int | None = None,
    aux_loss: bool | None = None,
    weights_backbone: MobileNet_V3_Large_Weights | None = MobileNet_V3_Large_Weights.IMAGENET1K_V1,
    **kwargs: Any,
) -> DeepLabV3:
    """DeepLabV3 on a MobileNetV3-Large; `aux_loss` adds the second head, `kwargs` are not used."""
    make = partial(mobilenet_v3_large, dilated=True)
    args = weights, progress, weights_backbone, num_classes
    return assemble(_deeplabv3_mobilenetv3, make, *args, aux_loss=aux_loss)
