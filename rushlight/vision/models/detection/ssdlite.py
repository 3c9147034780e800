"""SSDLite (https://arxiv.org/abs/1801.04381, https://arxiv.org/abs/1905.02244): SSD with separable
convolutions, on a MobileNetV3.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

from .... import nn
from ....tensor import Tensor
from ...ops.misc import Conv2dNormActivation
from .._api import WeightsEnum, builder
from ..mobilenetv3 import MobileNet_V3_Large_Weights, mobilenet_v3_large
from . import _utils as det_utils
from ._builders import coco, loaded, size_is_fixed, start
from .anchor_utils import DefaultBoxGenerator
from .backbone_utils import freeze, stages
from .ssd import SSD, SSDScoringHead

__all__ = ["SSDLite320_MobileNet_V3_Large_Weights", "ssdlite320_mobilenet_v3_large"]

Norm = Callable[..., nn.Module]
_normal_init = partial(det_utils.normal, std=0.03)


def _prediction_block(
    in_channels: int, out_channels: int, kernel_size: int, norm_layer: Norm
) -> nn.Sequential:
    """A filter for each channel, then a 1x1 convolution."""
    return nn.Sequential(
        Conv2dNormActivation(
            in_channels,
            in_channels,
            kernel_size=kernel_size,
            groups=in_channels,
            norm_layer=norm_layer,
            activation_layer=nn.ReLU6,
        ),
        nn.Conv2d(in_channels, out_channels, 1),
    )


def _extra_block(in_channels: int, out_channels: int, norm_layer: Norm) -> nn.Sequential:
    """A feature map of half the size."""
    inner = out_channels // 2
    make = partial(Conv2dNormActivation, norm_layer=norm_layer, activation_layer=nn.ReLU6)
    return nn.Sequential(
        make(in_channels, inner, kernel_size=1),
        make(inner, inner, kernel_size=3, stride=2, groups=inner),
        make(inner, out_channels, kernel_size=1),
    )


class SSDLiteHead(nn.Module):
    """A head for classes and one for boxes."""

    def __init__(
        self, in_channels: list[int], num_anchors: list[int], num_classes: int, norm_layer: Norm
    ) -> None:
        super().__init__()
        self.classification_head = SSDLiteClassificationHead(
            in_channels, num_anchors, num_classes, norm_layer
        )
        self.regression_head = SSDLiteRegressionHead(in_channels, num_anchors, norm_layer)

    def forward(self, x: list[Tensor]) -> dict[str, Tensor]:
        return {
            "bbox_regression": self.regression_head(x),
            "cls_logits": self.classification_head(x),
        }


def _layers(
    in_channels: list[int], num_anchors: list[int], columns: int, norm_layer: Norm
) -> nn.ModuleList:
    pairs = zip(in_channels, num_anchors, strict=True)
    found = nn.ModuleList(_prediction_block(c, columns * n, 3, norm_layer) for c, n in pairs)
    _normal_init(found)
    return found


class SSDLiteClassificationHead(SSDScoringHead):
    """Logits (N, anchors, classes)."""

    def __init__(
        self, in_channels: list[int], num_anchors: list[int], num_classes: int, norm_layer: Norm
    ) -> None:
        super().__init__(_layers(in_channels, num_anchors, num_classes, norm_layer), num_classes)


class SSDLiteRegressionHead(SSDScoringHead):
    """Codes (N, anchors, 4)."""

    def __init__(
        self, in_channels: list[int], num_anchors: list[int], norm_layer: Norm
    ) -> None:
        super().__init__(_layers(in_channels, num_anchors, 4, norm_layer), 4)


class SSDLiteFeatureExtractorMobileNet(nn.Module):
    """Six feature maps: of the first layer of block `c4_pos`, the last block and four more."""

    def __init__(
        self,
        backbone: Any,
        c4_pos: int,
        norm_layer: Norm,
        width_mult: float = 1.0,
        min_depth: int = 16,
    ) -> None:
        super().__init__()
        if backbone[c4_pos].use_res_connect:
            raise ValueError("backbone[c4_pos].use_res_connect should be False")
        block = backbone[c4_pos].block
        self.features = nn.Sequential(
            nn.Sequential(*backbone[:c4_pos], block[0]),
            nn.Sequential(block[1:], *backbone[c4_pos + 1 :]),
        )
        widths = [max(min_depth, int(depth * width_mult)) for depth in (512, 256, 256, 128)]
        before = [backbone[-1].out_channels, *widths[:-1]]
        pairs = zip(before, widths, strict=True)
        self.extra = nn.ModuleList(_extra_block(a, b, norm_layer) for a, b in pairs)
        _normal_init(self.extra)

    def forward(self, x: Tensor) -> OrderedDict[str, Tensor]:
        maps = []
        for block in (*self.features, *self.extra):
            x = block(x)
            maps.append(x)
        return OrderedDict((str(i), t) for i, t in enumerate(maps))


def _mobilenet_extractor(
    backbone: Any, trainable_layers: int, norm_layer: Norm
) -> SSDLiteFeatureExtractorMobileNet:
    features = backbone.features
    begins = stages(features)
    if not 0 <= trainable_layers <= len(begins):
        raise ValueError(
            f"trainable_layers should be in the range [0, {len(begins)}], instead got "
            f"{trainable_layers}"
        )
    freeze(features, begins, trainable_layers)
    return SSDLiteFeatureExtractorMobileNet(features, begins[-2], norm_layer)


class SSDLite320_MobileNet_V3_Large_Weights(WeightsEnum):
    """Trained weights of `ssdlite320_mobilenet_v3_large`."""

    COCO_V1 = coco(
        "ssdlite320_mobilenet_v3_large_coco-a79551df",
        3_440_060,
        "#ssdlite320-mobilenetv3-large",
        21.3,
        0.583,
        13.418,
    )
    DEFAULT = COCO_V1


@builder(
    SSDLite320_MobileNet_V3_Large_Weights, "COCO_V1", MobileNet_V3_Large_Weights.IMAGENET1K_V1
)
def ssdlite320_mobilenet_v3_large(
    *,
    weights: SSDLite320_MobileNet_V3_Large_Weights | None = None,
    progress: bool = True,
    num_classes: int | None = None,
    weights_backbone: MobileNet_V3_Large_Weights
    | None = MobileNet_V3_Large_Weights.IMAGENET1K_V1,
    trainable_backbone_layers: int | None = None,
    norm_layer: Callable[..., nn.Module] | None = None,
    **kwargs: Any,
) -> SSD:
    """SSDLite on a MobileNetV3, for images of 320 pixels; `kwargs` go to backbone and `SSD`."""
    size_is_fixed(kwargs)
    begin = start(weights, num_classes, weights_backbone, trainable_backbone_layers, 6, 6)
    norm = norm_layer or partial(nn.BatchNorm2d, eps=0.001, momentum=0.03)
    own = begin.backbone is None  # no trained backbone: half the channels in its last stage
    net = mobilenet_v3_large(
        weights=begin.backbone, progress=progress, norm_layer=norm, reduced_tail=own, **kwargs
    )
    if own:
        _normal_init(net)
    backbone = _mobilenet_extractor(net, begin.layers, norm)
    size = (320, 320)
    anchors = DefaultBoxGenerator([[2, 3] for _ in range(6)], min_ratio=0.2, max_ratio=0.95)
    channels = det_utils.retrieve_out_channels(backbone, size)
    if len(channels) != len(anchors.aspect_ratios):
        raise ValueError(
            f"The length of the output channels from the backbone {len(channels)} do not match "
            f"the length of the anchor generator aspect ratios {len(anchors.aspect_ratios)}"
        )
    usual = {
        "score_thresh": 0.001,
        "nms_thresh": 0.55,
        "detections_per_img": 300,
        "topk_candidates": 300,
        "image_mean": [0.5, 0.5, 0.5],
        "image_std": [0.5, 0.5, 0.5],
        "head": SSDLiteHead(channels, anchors.num_anchors_per_location(), begin.num_classes, norm),
    }
    model = SSD(backbone, anchors, size, begin.num_classes, **{**usual, **kwargs})
    return loaded(model, weights, progress)
