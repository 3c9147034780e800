"""LR-ASPP: a light head for a MobileNetV3 (https://arxiv.org/abs/1905.02244, section 6.4)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from functools import partial
from typing import Any

from .... import nn
from ....tensor import Tensor
from .._api import WeightsEnum, builder
from ..mobilenetv3 import MobileNet_V3_Large_Weights, MobileNetV3, mobilenet_v3_large
from ._utils import assemble, enlarged, mobilenet_features, voc

__all__ = ["LRASPP", "LRASPP_MobileNet_V3_Large_Weights", "lraspp_mobilenet_v3_large"]


class LRASPP(nn.Module):
    """A backbone and an :class:`LRASPPHead`: images (B, 3, H, W) to {"out": (B, classes, H, W)}.

    Args:
        backbone: gives a dictionary of features "low" (larger) and "high" (smaller).
        low_channels, high_channels: of these features.
        inter_channels: inside the head.

    >>> build = torch.vision.models.segmentation.lraspp_mobilenet_v3_large
    >>> net = build(weights_backbone=None, num_classes=5).eval()
    >>> net(torch.zeros(1, 3, 32, 32))["out"].shape
    torch.Size([1, 5, 32, 32])
    """

    def __init__(
        self,
        backbone: nn.Module,
        low_channels: int,
        high_channels: int,
        num_classes: int,
        inter_channels: int = 128,
    ) -> None:
        super().__init__()
        self.backbone = backbone
        self.classifier = LRASPPHead(low_channels, high_channels, num_classes, inter_channels)

    def forward(self, input: Tensor) -> OrderedDict[str, Tensor]:
        return OrderedDict(out=enlarged(self.classifier(self.backbone(input)), input))


class LRASPPHead(nn.Module):
    """Classes from high features, each channel weighed by the image's mean, and from low ones."""

    def __init__(
        self, low_channels: int, high_channels: int, num_classes: int, inter_channels: int
    ) -> None:
        super().__init__()
        self.cbr = nn.Sequential(
            nn.Conv2d(high_channels, inter_channels, 1, bias=False),
            nn.BatchNorm2d(inter_channels),
            nn.ReLU(inplace=True),
        )
        self.scale = nn.Sequential(
            nn.AdaptiveAvgPool2d(1),
            nn.Conv2d(high_channels, inter_channels, 1, bias=False),
            nn.Sigmoid(),
        )
        self.low_classifier = nn.Conv2d(low_channels, num_classes, 1)
        self.high_classifier = nn.Conv2d(inter_channels, num_classes, 1)

    def forward(self, input: Mapping[str, Tensor]) -> Tensor:
        low, high = input["low"], input["high"]
        x = enlarged(self.cbr(high) * self.scale(high), low)
        return self.low_classifier(low) + self.high_classifier(x)


def _lraspp_mobilenetv3(backbone: MobileNetV3, num_classes: int) -> LRASPP:
    features, high, low = mobilenet_features(backbone, "high", "low")
    return LRASPP(features, low, high, num_classes)


class LRASPP_MobileNet_V3_Large_Weights(WeightsEnum):
    """Trained weights of `lraspp_mobilenet_v3_large`."""

    COCO_WITH_VOC_LABELS_V1 = voc(
        "lraspp_mobilenet_v3_large", "-d234d4ea", 3_221_538, 57.9, 91.2, 2.086, 12.49
    )
    DEFAULT = COCO_WITH_VOC_LABELS_V1


@builder(
    LRASPP_MobileNet_V3_Large_Weights,
    "COCO_WITH_VOC_LABELS_V1",
    MobileNet_V3_Large_Weights.IMAGENET1K_V1,
)
def lraspp_mobilenet_v3_large(
    *,
    weights: LRASPP_MobileNet_V3_Large_Weights | None = None,
    progress: bool = True,
    num_classes: int | None = None,
    weights_backbone: MobileNet_V3_Large_Weights | None = MobileNet_V3_Large_Weights.IMAGENET1K_V1,
    **kwargs: Any,
) -> LRASPP:
    """LR-ASPP on a MobileNetV3-Large; `kwargs` are not used."""
    if kwargs.pop("aux_loss", False):
        raise NotImplementedError("This model does not use auxiliary loss")
    make = partial(mobilenet_v3_large, dilated=True)
    args = weights, progress, weights_backbone, num_classes
    return assemble(_lraspp_mobilenetv3, make, *args)
