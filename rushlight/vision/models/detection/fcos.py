"""FCOS (https://arxiv.org/abs/1904.01355, https://arxiv.org/abs/2006.09214): every place of a
feature map says how far the sides of its object are; there is one anchor a place.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import rushlight

from .... import nn
from ....nn import functional as F
from ....tensor import Tensor
from ...ops.feature_pyramid_network import LastLevelP6P7
from ...ops.focal_loss import sigmoid_focal_loss
from ...ops.giou_loss import generalized_box_iou_loss
from .._api import WeightsEnum, builder
from ..resnet import ResNet50_Weights
from . import _utils as det_utils
from ._builders import coco, loaded, resnet50_pyramid, start
from .anchor_utils import AnchorGenerator
from .faster_rcnn import IMAGE_MEAN, IMAGE_STD, checked, checked_backbone
from .generalized_rcnn import Target
from .retinanet import RetinaNet
from .transform import GeneralizedRCNNTransform

__all__ = ["FCOS", "FCOS_ResNet50_FPN_Weights", "fcos_resnet50_fpn"]

Norm = Callable[..., nn.Module]


class FCOSHead(nn.Module):
    """A head for classes, and one for boxes and for how near a place is to its box's middle."""

    def __init__(
        self, in_channels: int, num_anchors: int, num_classes: int, num_convs: int = 4
    ) -> None:
        super().__init__()
        self.box_coder = det_utils.BoxLinearCoder(normalize_by_size=True)
        self.classification_head = FCOSClassificationHead(
            in_channels, num_anchors, num_classes, num_convs
        )
        self.regression_head = FCOSRegressionHead(in_channels, num_anchors, num_convs)

    def compute_loss(
        self,
        targets: list[Target],
        head_outputs: dict[str, Tensor],
        anchors: list[Tensor],
        matched_idxs: list[Tensor],
    ) -> dict[str, Tensor]:
        """The three losses of a batch, by object."""
        logits = head_outputs["cls_logits"]
        found_labels, found_boxes = [], []
        for target, matched in zip(targets, matched_idxs, strict=True):
            index = matched.clamp(min=0)
            if len(target["labels"]):
                labels, boxes = target["labels"][index], target["boxes"][index]
            else:
                labels = target["labels"].new_zeros((len(index),))
                boxes = target["boxes"].new_zeros((len(index), 4))
            found_labels.append(rushlight.where(matched < 0, -1, labels))
            found_boxes.append(boxes)
        labels, boxes = rushlight.stack(found_labels), rushlight.stack(found_boxes)
        own = rushlight.stack(anchors)
        image, place = rushlight.where(labels >= 0)
        wanted = rushlight.zeros_like(logits)
        wanted[image, place, labels[image, place]] = 1.0
        loss_classes = sigmoid_focal_loss(logits, wanted, reduction="sum")

        codes = head_outputs["bbox_regression"][image, place]
        own, boxes = own[image, place], boxes[image, place]
        decoded = self.box_coder.decode(codes, own)
        loss_boxes = generalized_box_iou_loss(decoded, boxes, reduction="sum")

        left, top, right, bottom = self.box_coder.encode(own, boxes).unbind(-1)

        def balance(a: Tensor, b: Tensor) -> Tensor:
            return rushlight.minimum(a, b) / rushlight.maximum(a, b)

        middle = (balance(left, right) * balance(top, bottom)).sqrt()
        given = head_outputs["bbox_ctrness"].squeeze(2)[image, place]
        loss_middle = F.binary_cross_entropy_with_logits(given, middle, reduction="sum")
        count = max(1, len(image))
        return {
            "classification": loss_classes / count,
            "bbox_regression": loss_boxes / count,
            "bbox_ctrness": loss_middle / count,
        }

    def forward(self, x: list[Tensor]) -> dict[str, Tensor]:
        logits = self.classification_head(x)
        codes, middle = self.regression_head(x)
        return {"cls_logits": logits, "bbox_regression": codes, "bbox_ctrness": middle}


def _convolutions(channels: int, count: int | None, norm: Norm | None) -> nn.Sequential:
    norm = norm or partial(nn.GroupNorm, 32)
    blocks: list[nn.Module] = []
    for _ in range(4 if count is None else count):
        blocks += [nn.Conv2d(channels, channels, 3, 1, 1), norm(channels), nn.ReLU()]
    return nn.Sequential(*blocks)


class FCOSClassificationHead(nn.Module):
    """Logits (N, places, classes) from feature maps."""

    def __init__(
        self,
        in_channels: int,
        num_anchors: int,
        num_classes: int,
        num_convs: int = 4,
        prior_probability: float = 0.01,
        norm_layer: Norm | None = None,
    ) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.num_anchors = num_anchors
        self.conv = _convolutions(in_channels, num_convs, norm_layer)
        det_utils.normal(self.conv)
        self.cls_logits = det_utils.logits(
            in_channels, num_anchors * num_classes, prior_probability
        )

    def forward(self, x: list[Tensor]) -> Tensor:
        maps = [self.cls_logits(self.conv(features)) for features in x]
        return rushlight.cat([det_utils.by_place(t, self.num_classes) for t in maps], 1)


class FCOSRegressionHead(nn.Module):
    """Distances (N, places, 4) of sides, and logits (N, places, 1) of being in the middle."""

    def __init__(
        self,
        in_channels: int,
        num_anchors: int,
        num_convs: int = 4,
        norm_layer: Norm | None = None,
    ) -> None:
        super().__init__()
        self.conv = _convolutions(in_channels, num_convs, norm_layer)
        self.bbox_reg = nn.Conv2d(in_channels, num_anchors * 4, 3, 1, 1)
        self.bbox_ctrness = nn.Conv2d(in_channels, num_anchors, 3, 1, 1)
        for part in (self.bbox_reg, self.bbox_ctrness, self.conv):
            det_utils.normal(part)

    def forward(self, x: list[Tensor]) -> tuple[Tensor, Tensor]:
        hidden = [self.conv(features) for features in x]
        codes = [det_utils.by_place(F.relu(self.bbox_reg(t)), 4) for t in hidden]
        middle = [det_utils.by_place(self.bbox_ctrness(t), 1) for t in hidden]
        return rushlight.cat(codes, 1), rushlight.cat(middle, 1)


class FCOS(RetinaNet):
    """FCOS from any backbone; `Detector` says what goes in and what comes out.

    Losses: "classification", "bbox_regression", "bbox_ctrness".

    Args:
        backbone: images to a feature map or a dictionary of them, of `out_channels` channels.
        num_classes: with the background.
        min_size, max_size, image_mean, image_std: see `GeneralizedRCNNTransform`.
        anchor_generator: gives one anchor a place. head: in place of the paper's.
        center_sampling_radius: a place within so many anchors' sides of a box's middle is its.
        score_thresh, nms_thresh, detections_per_img, topk_candidates: see :class:`RetinaNet`.
    """

    def __init__(
        self,
        backbone: Any,
        num_classes: int,
        min_size: int | tuple[int, ...] = 800,
        max_size: int = 1333,
        image_mean: list[float] | None = None,
        image_std: list[float] | None = None,
        anchor_generator: AnchorGenerator | None = None,
        head: nn.Module | None = None,
        center_sampling_radius: float = 1.5,
        score_thresh: float = 0.2,
        nms_thresh: float = 0.6,
        detections_per_img: int = 100,
        topk_candidates: int = 1000,
        **kwargs: Any,
    ) -> None:
        nn.Module.__init__(self)
        self.backbone = checked_backbone(backbone)
        checked(anchor_generator, AnchorGenerator, "anchor_generator")
        self.anchor_generator = anchor_generator or AnchorGenerator(
            ((8,), (16,), (32,), (64,), (128,)), ((1.0,),) * 5
        )
        anchors = self.anchor_generator.num_anchors_per_location()[0]
        if anchors != 1:
            raise ValueError(
                f"anchor_generator.num_anchors_per_location()[0] should be 1 instead of {anchors}"
            )
        self.head = head or FCOSHead(backbone.out_channels, anchors, num_classes)
        self.box_coder: Any = det_utils.BoxLinearCoder(normalize_by_size=True)
        mean, std = image_mean or IMAGE_MEAN, image_std or IMAGE_STD
        self.transform = GeneralizedRCNNTransform(min_size, max_size, mean, std, **kwargs)
        self.center_sampling_radius = center_sampling_radius
        self.score_thresh = score_thresh
        self.nms_thresh = nms_thresh
        self.detections_per_img = detections_per_img
        self.topk_candidates = topk_candidates

    def compute_loss(  # type: ignore[override]  # torchvision's arguments
        self,
        targets: list[Target],
        head_outputs: dict[str, Tensor],
        anchors: list[Tensor],
        num_anchors_per_level: list[int],
    ) -> dict[str, Tensor]:
        """The losses of a batch."""
        first, last = num_anchors_per_level[0], num_anchors_per_level[-1]

        def match(boxes: Tensor, own: Tensor) -> Tensor:
            """The smallest box that a place is near the middle of, and of the map's size."""
            side = own[:, 2] - own[:, 0]
            place = ((own[:, :2] + own[:, 2:]) / 2)[:, None]  # (A, 1, 2)
            middle = (boxes[:, :2] + boxes[:, 2:]) / 2
            near = (place - middle).abs().amax(2) < self.center_sampling_radius * side[:, None]
            distances = rushlight.cat([place - boxes[:, :2], boxes[:, 2:] - place], 2)  # (A, N, 4)
            least, most = side * 4, side * 8
            least[:first] = 0
            most[-last:] = float("inf")
            far = distances.amax(2)
            near &= (distances.amin(2) > 0) & (far > least[:, None]) & (far < most[:, None])
            area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
            value, index = (near.to(rushlight.float32) * (1e8 - area)).max(1)
            return rushlight.where(value < 1e-5, -1, index)

        matched = self._matched(targets, anchors, match)
        return self.head.compute_loss(targets, head_outputs, anchors, matched)

    def _losses(
        self, targets: list[Target], outputs: Any, anchors: list[Tensor], counts: list[int]
    ) -> dict[str, Tensor]:
        return self.compute_loss(targets, outputs, anchors, counts)

    def _decoded(self, codes: Tensor, anchors: Tensor) -> Tensor:
        return self.box_coder.decode(codes, anchors)

    def _scores(self, outputs: dict[str, list[Tensor]], level: int, image: int) -> Tensor:
        middle = outputs["bbox_ctrness"][level][image].sigmoid()
        return (super()._scores(outputs, level, image) * middle).sqrt()


class FCOS_ResNet50_FPN_Weights(WeightsEnum):
    """Trained weights of `fcos_resnet50_fpn`."""

    COCO_V1 = coco(
        "fcos_resnet50_fpn_coco-99b0c9b7",
        32_269_600,
        "#fcos-resnet-50-fpn",
        39.2,
        128.207,
        123.608,
    )
    DEFAULT = COCO_V1


@builder(FCOS_ResNet50_FPN_Weights, "COCO_V1", ResNet50_Weights.IMAGENET1K_V1)
def fcos_resnet50_fpn(
    *,
    weights: FCOS_ResNet50_FPN_Weights | None = None,
    progress: bool = True,
    num_classes: int | None = None,
    weights_backbone: ResNet50_Weights | None = ResNet50_Weights.IMAGENET1K_V1,
    trainable_backbone_layers: int | None = None,
    **kwargs: Any,
) -> FCOS:
    """FCOS on a ResNet-50 with a feature pyramid; `kwargs` go to :class:`FCOS`."""
    begin = start(weights, num_classes, weights_backbone, trainable_backbone_layers)
    backbone = resnet50_pyramid(
        begin, progress, returned_layers=[2, 3, 4], extra_blocks=lambda: LastLevelP6P7(256, 256)
    )
    return loaded(FCOS(backbone, begin.num_classes, **kwargs), weights, progress)
