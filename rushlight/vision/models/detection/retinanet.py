"""RetinaNet (https://arxiv.org/abs/1708.02002): one stage, whose loss counts easy anchors less."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import rushlight

from .... import nn
from ....tensor import Tensor
from ...ops import boxes as box_ops
from ...ops.feature_pyramid_network import LastLevelP6P7, move
from ...ops.focal_loss import sigmoid_focal_loss
from ...ops.misc import Conv2dNormActivation
from .._api import WeightsEnum, builder
from ..resnet import ResNet50_Weights
from . import _utils as det_utils
from ._builders import coco, loaded, resnet50_pyramid, start
from .anchor_utils import AnchorGenerator
from .faster_rcnn import IMAGE_MEAN, IMAGE_STD, checked, checked_backbone
from .generalized_rcnn import SingleStage, Target
from .transform import GeneralizedRCNNTransform

__all__ = [
    "RetinaNet",
    "RetinaNet_ResNet50_FPN_V2_Weights",
    "RetinaNet_ResNet50_FPN_Weights",
    "retinanet_resnet50_fpn",
    "retinanet_resnet50_fpn_v2",
]

Norm = Callable[..., nn.Module]


def _default_anchorgen() -> AnchorGenerator:
    sides = (32, 64, 128, 256, 512)
    sizes = tuple((x, int(x * 2 ** (1.0 / 3)), int(x * 2 ** (2.0 / 3))) for x in sides)
    return AnchorGenerator(sizes, ((0.5, 1.0, 2.0),) * len(sizes))


class RetinaNetHead(nn.Module):
    """A head for classes and one for boxes, the same for all feature maps."""

    def __init__(
        self, in_channels: int, num_anchors: int, num_classes: int, norm_layer: Norm | None = None
    ) -> None:
        super().__init__()
        self.classification_head = RetinaNetClassificationHead(
            in_channels, num_anchors, num_classes, norm_layer=norm_layer
        )
        self.regression_head = RetinaNetRegressionHead(
            in_channels, num_anchors, norm_layer=norm_layer
        )

    def compute_loss(
        self,
        targets: list[Target],
        head_outputs: dict[str, Tensor],
        anchors: list[Tensor],
        matched_idxs: list[Tensor],
    ) -> dict[str, Tensor]:
        """The losses of both heads."""
        classes = self.classification_head.compute_loss(targets, head_outputs, matched_idxs)
        boxes = self.regression_head.compute_loss(targets, head_outputs, anchors, matched_idxs)
        return {"classification": classes, "bbox_regression": boxes}

    def forward(self, x: list[Tensor]) -> dict[str, Tensor]:
        return {
            "cls_logits": self.classification_head(x),
            "bbox_regression": self.regression_head(x),
        }


class _Head(nn.Module):
    """Four 3x3 convolutions, which older files have names without norms for."""

    _version = 2

    def __init__(self, in_channels: int, norm_layer: Norm | None) -> None:
        super().__init__()
        self.conv = nn.Sequential(
            *(
                Conv2dNormActivation(in_channels, in_channels, norm_layer=norm_layer)
                for _ in range(4)
            )
        )

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: dict[str, Any], *rest: Any
    ) -> None:
        if (local_metadata.get("version") or 1) < 2:
            for i in range(4):
                move(state_dict, f"{prefix}conv.{2 * i}", f"{prefix}conv.{i}.0")
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)


class RetinaNetClassificationHead(_Head):
    """Logits (N, anchors, classes) from feature maps; the focal loss of them."""

    def __init__(
        self,
        in_channels: int,
        num_anchors: int,
        num_classes: int,
        prior_probability: float = 0.01,
        norm_layer: Norm | None = None,
    ) -> None:
        super().__init__(in_channels, norm_layer)
        det_utils.normal(self.conv)
        self.cls_logits = det_utils.logits(
            in_channels, num_anchors * num_classes, prior_probability
        )
        self.num_classes = num_classes
        self.num_anchors = num_anchors
        self.BETWEEN_THRESHOLDS = det_utils.Matcher.BETWEEN_THRESHOLDS

    def compute_loss(
        self,
        targets: list[Target],
        head_outputs: dict[str, Tensor],
        matched_idxs: list[Tensor],
    ) -> Tensor:
        """The focal loss of an object, on average over images."""
        losses = []
        for target, logits, matched in zip(
            targets, head_outputs["cls_logits"], matched_idxs, strict=True
        ):
            objects = rushlight.where(matched >= 0)[0]
            wanted = rushlight.zeros_like(logits)
            wanted[objects, target["labels"][matched[objects]]] = 1.0
            valid = matched != self.BETWEEN_THRESHOLDS
            loss = sigmoid_focal_loss(logits[valid], wanted[valid], reduction="sum")
            losses.append(loss / max(1, len(objects)))
        return rushlight.stack(losses).sum() / len(targets)

    def forward(self, x: list[Tensor]) -> Tensor:
        maps = [self.cls_logits(self.conv(features)) for features in x]
        return rushlight.cat([det_utils.by_place(t, self.num_classes) for t in maps], 1)


class RetinaNetRegressionHead(_Head):
    """Codes (N, anchors, 4) of boxes from feature maps; a loss of them or of the boxes."""

    def __init__(
        self, in_channels: int, num_anchors: int, norm_layer: Norm | None = None
    ) -> None:
        super().__init__(in_channels, norm_layer)
        self.bbox_reg = nn.Conv2d(in_channels, num_anchors * 4, 3, 1, 1)
        det_utils.normal(self.bbox_reg)
        det_utils.normal(self.conv)
        self.box_coder = det_utils.BoxCoder(weights=(1.0, 1.0, 1.0, 1.0))
        self._loss_type = "l1"

    def compute_loss(
        self,
        targets: list[Target],
        head_outputs: dict[str, Tensor],
        anchors: list[Tensor],
        matched_idxs: list[Tensor],
    ) -> Tensor:
        """The loss of an object's box, on average over images."""
        losses = []
        for target, codes, own, matched in zip(
            targets, head_outputs["bbox_regression"], anchors, matched_idxs, strict=True
        ):
            objects = rushlight.where(matched >= 0)[0]
            wanted = target["boxes"][matched[objects]]
            parts = (own[objects], wanted, codes[objects])
            loss = det_utils._box_loss(self._loss_type, self.box_coder, *parts)
            losses.append(loss / max(1, len(objects)))
        return rushlight.stack(losses).sum() / max(1, len(targets))

    def forward(self, x: list[Tensor]) -> Tensor:
        maps = [self.bbox_reg(self.conv(features)) for features in x]
        return rushlight.cat([det_utils.by_place(t, 4) for t in maps], 1)


class RetinaNet(SingleStage):
    """RetinaNet from any backbone; `Detector` says what goes in and what comes out.

    Losses: "classification", "bbox_regression".

    Args:
        backbone: images to a feature map or a dictionary of them, of `out_channels` channels.
        num_classes: with the background.
        min_size, max_size, image_mean, image_std: see `GeneralizedRCNNTransform`.
        anchor_generator, head, proposal_matcher: in place of the paper's.
        score_thresh, nms_thresh, detections_per_img, topk_candidates: probabilities, overlaps and
            numbers of detections; `topk_candidates` of each feature map go into suppression.
        fg_iou_thresh, bg_iou_thresh: overlaps from which an anchor is an object, and up to which it
            is background.
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
        proposal_matcher: Any = None,
        score_thresh: float = 0.05,
        nms_thresh: float = 0.5,
        detections_per_img: int = 300,
        fg_iou_thresh: float = 0.5,
        bg_iou_thresh: float = 0.4,
        topk_candidates: int = 1000,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        self.backbone = checked_backbone(backbone)
        checked(anchor_generator, AnchorGenerator, "anchor_generator")
        self.anchor_generator = anchor_generator or _default_anchorgen()
        anchors = self.anchor_generator.num_anchors_per_location()[0]
        self.head = head or RetinaNetHead(backbone.out_channels, anchors, num_classes)
        self.proposal_matcher = proposal_matcher or det_utils.Matcher(
            fg_iou_thresh, bg_iou_thresh, allow_low_quality_matches=True
        )
        self.box_coder = det_utils.BoxCoder(weights=(1.0, 1.0, 1.0, 1.0))
        mean, std = image_mean or IMAGE_MEAN, image_std or IMAGE_STD
        self.transform = GeneralizedRCNNTransform(min_size, max_size, mean, std, **kwargs)
        self.score_thresh = score_thresh
        self.nms_thresh = nms_thresh
        self.detections_per_img = detections_per_img
        self.topk_candidates = topk_candidates

    def compute_loss(
        self, targets: list[Target], head_outputs: dict[str, Tensor], anchors: list[Tensor]
    ) -> dict[str, Tensor]:
        """The losses of a batch."""
        matched = self._matched(
            targets, anchors, lambda boxes, own: self.proposal_matcher(box_ops.box_iou(boxes, own))
        )
        return self.head.compute_loss(targets, head_outputs, anchors, matched)

    def _losses(
        self, targets: list[Target], outputs: Any, anchors: list[Tensor], counts: list[int]
    ) -> dict[str, Tensor]:
        return self.compute_loss(targets, outputs, anchors)

    def _decoded(self, codes: Tensor, anchors: Tensor) -> Tensor:
        return self.box_coder.decode_single(codes, anchors)

    def _scores(self, outputs: dict[str, list[Tensor]], level: int, image: int) -> Tensor:
        """Probabilities (anchors, classes)."""
        return outputs["cls_logits"][level][image].sigmoid()

    def postprocess_detections(self, outputs: Any, anchors: Any, shapes: Any) -> list[Target]:
        """The detections of each image, from lists of outputs and anchors, one a feature map."""
        detections = []
        for i, shape in enumerate(shapes):
            found: tuple[list[Tensor], list[Tensor], list[Tensor]] = ([], [], [])
            for level, own in enumerate(anchors[i]):
                chances = self._scores(outputs, level, i)
                index = rushlight.where(chances.flatten() > self.score_thresh)[0]
                scores = chances.flatten()[index]
                scores, best = scores.topk(min(len(index), self.topk_candidates))
                index = index[best]
                place = index // chances.shape[-1]
                boxes = self._decoded(outputs["bbox_regression"][level][i][place], own[place])
                boxes = box_ops.clip_boxes_to_image(boxes, shape)
                for part, t in zip(found, (boxes, scores, index % chances.shape[-1]), strict=True):
                    part.append(t)
            boxes, scores, labels = (rushlight.cat(part) for part in found)
            keep = box_ops.batched_nms(boxes, scores, labels, self.nms_thresh)
            keep = keep[: self.detections_per_img]
            detections.append(
                {"boxes": boxes[keep], "scores": scores[keep], "labels": labels[keep]}
            )
        return detections


class RetinaNet_ResNet50_FPN_Weights(WeightsEnum):
    """Trained weights of `retinanet_resnet50_fpn`."""

    COCO_V1 = coco(
        "retinanet_resnet50_fpn_coco-eeacb38b", 34_014_999, "#retinanet", 36.4, 151.54, 130.267
    )
    DEFAULT = COCO_V1


class RetinaNet_ResNet50_FPN_V2_Weights(WeightsEnum):
    """Trained weights of `retinanet_resnet50_fpn_v2`."""

    COCO_V1 = coco(
        "retinanet_resnet50_fpn_v2_coco-5905b1c5", 38_198_935, "pull/5756", 41.5, 152.238, 146.037
    )
    DEFAULT = COCO_V1


@builder(RetinaNet_ResNet50_FPN_Weights, "COCO_V1", ResNet50_Weights.IMAGENET1K_V1)
def retinanet_resnet50_fpn(
    *,
    weights: RetinaNet_ResNet50_FPN_Weights | None = None,
    progress: bool = True,
    num_classes: int | None = None,
    weights_backbone: ResNet50_Weights | None = ResNet50_Weights.IMAGENET1K_V1,
    trainable_backbone_layers: int | None = None,
    **kwargs: Any,
) -> RetinaNet:
    """RetinaNet on a ResNet-50 with a feature pyramid; `kwargs` go to :class:`RetinaNet`."""
    begin = start(weights, num_classes, weights_backbone, trainable_backbone_layers)
    backbone = resnet50_pyramid(
        begin, progress, returned_layers=[2, 3, 4], extra_blocks=lambda: LastLevelP6P7(256, 256)
    )
    model = RetinaNet(backbone, begin.num_classes, **kwargs)
    return loaded(model, weights, progress, eps=True)


@builder(RetinaNet_ResNet50_FPN_V2_Weights, "COCO_V1", ResNet50_Weights.IMAGENET1K_V1)
def retinanet_resnet50_fpn_v2(
    *,
    weights: RetinaNet_ResNet50_FPN_V2_Weights | None = None,
    progress: bool = True,
    num_classes: int | None = None,
    weights_backbone: ResNet50_Weights | None = None,
    trainable_backbone_layers: int | None = None,
    **kwargs: Any,
) -> RetinaNet:
    """:func:`retinanet_resnet50_fpn` with norms in its heads and a loss of boxes' overlaps."""
    begin = start(weights, num_classes, weights_backbone, trainable_backbone_layers)
    backbone = resnet50_pyramid(
        begin,
        progress,
        nn.BatchNorm2d,
        pyramid_norm=False,
        returned_layers=[2, 3, 4],
        extra_blocks=lambda: LastLevelP6P7(2048, 256),
    )
    anchors = _default_anchorgen()
    head = RetinaNetHead(
        backbone.out_channels,
        anchors.num_anchors_per_location()[0],
        begin.num_classes,
        norm_layer=partial(nn.GroupNorm, 32),
    )
    head.regression_head._loss_type = "giou"
    model = RetinaNet(
        backbone, begin.num_classes, anchor_generator=anchors, head=head, **kwargs
    )
    return loaded(model, weights, progress)
