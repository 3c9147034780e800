"""FCN: a classifier of one 3x3 and one 1x1 convolution on a dilated ResNet
(https://arxiv.org/abs/1411.4038).
"""

from __future__ import annotations

from functools import partial
from typing import Any

from .... import nn
from .._api import WeightsEnum, builder
from ..resnet import ResNet, ResNet50_Weights, ResNet101_Weights, resnet50, resnet101
from ._utils import _SimpleSegmentationModel, assemble, conv_norm_relu, resnet_features, voc

__all__ = [
    "FCN",
    "FCN_ResNet50_Weights",
    "FCN_ResNet101_Weights",
    "fcn_resnet50",
    "fcn_resnet101",
]

DILATED = [False, True, True]


class FCN(_SimpleSegmentationModel):
    """A backbone and an :class:`FCNHead`; a second head on features half way for training.

    Images (B, 3, H, W) become {"out": (B, classes, H, W)}, with "aux" where there is a second head.

    >>> net = torch.vision.models.segmentation.fcn_resnet50(weights_backbone=None).eval()
    >>> {name: tuple(y.shape) for name, y in net(torch.zeros(1, 3, 32, 32)).items()}
    {'out': (1, 21, 32, 32)}
    """


class FCNHead(nn.Sequential):
    """Classes from features, with a quarter of their channels in between."""

    def __init__(self, in_channels: int, channels: int) -> None:
        inter = in_channels // 4
        super().__init__(
            *conv_norm_relu(in_channels, inter, 3), nn.Dropout(0.1), nn.Conv2d(inter, channels, 1)
        )


def _fcn_resnet(backbone: ResNet, num_classes: int, aux_loss: bool | None) -> FCN:
    features, out, aux = resnet_features(backbone, aux_loss)
    second = FCNHead(aux, num_classes) if aux_loss else None
    return FCN(features, FCNHead(out, num_classes), second)


class FCN_ResNet50_Weights(WeightsEnum):
    """Trained weights of `fcn_resnet50`."""

    COCO_WITH_VOC_LABELS_V1 = voc(
        "fcn_resnet50", "_coco-1167a1af", 35_322_218, 60.5, 91.4, 152.717, 135.009
    )
    DEFAULT = COCO_WITH_VOC_LABELS_V1


class FCN_ResNet101_Weights(WeightsEnum):
    """Trained weights of `fcn_resnet101`."""

    COCO_WITH_VOC_LABELS_V1 = voc(
        "fcn_resnet101",
        "_coco-7ecb50ca",
        54_314_346,
        63.7,
        91.9,
        232.738,
        207.711,
        "deeplabv3_resnet101",
    )
    DEFAULT = COCO_WITH_VOC_LABELS_V1


@builder(FCN_ResNet50_Weights, "COCO_WITH_VOC_LABELS_V1", ResNet50_Weights.IMAGENET1K_V1)
def fcn_resnet50(
    *,
    weights: FCN_ResNet50_Weights | None = None,
    progress: bool = True,
    num_classes: int | None = None,
    aux_loss: bool | None = None,
    weights_backbone: ResNet50_Weights | None = ResNet50_Weights.IMAGENET1K_V1,
    **kwargs: Any,
) -> FCN:
    """FCN on a ResNet-50; `aux_loss` adds the second head, `kwargs` are not used."""
    make = partial(resnet50, replace_stride_with_dilation=DILATED)
    args = weights, progress, weights_backbone, num_classes
    return assemble(_fcn_resnet, make, *args, aux_loss=aux_loss)


@builder(FCN_ResNet101_Weights, "COCO_WITH_VOC_LABELS_V1", ResNet101_Weights.IMAGENET1K_V1)
def fcn_resnet101(
    *,
    weights: FCN_ResNet101_Weights | None = None,
    progress: bool = True,
    num_classes: int | None = None,
    aux_loss: bool | None = None,
    weights_backbone: ResNet101_Weights | None = ResNet101_Weights.IMAGENET1K_V1,
    **kwargs: Any,
) -> FCN:
    """FCN on a ResNet-101; `aux_loss` adds the second head, `kwargs` are not used."""
    make = partial(resnet101, replace_stride_with_dilation=DILATED)
    args = weights, progress, weights_backbone, num_classes
    return assemble(_fcn_resnet, make, *args, aux_loss=aux_loss)
