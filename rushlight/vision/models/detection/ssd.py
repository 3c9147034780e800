"""SSD (https://arxiv.org/abs/1512.02325): one stage, with convolutions of its own on each of the
feature maps of a VGG-16.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import rushlight

from .... import nn
from ....nn import functional as F
from ....tensor import Tensor
from ...ops import boxes as box_ops
from .._api import WeightsEnum, builder
from ..vgg import VGG, VGG16_Weights, vgg16
from . import _utils as det_utils
from ._builders import coco, loaded, size_is_fixed, start
from .anchor_utils import DefaultBoxGenerator
from .backbone_utils import freeze
from .faster_rcnn import IMAGE_MEAN, IMAGE_STD
from .generalized_rcnn import SingleStage, Target
from .transform import GeneralizedRCNNTransform

__all__ = ["SSD300_VGG16_Weights", "ssd300_vgg16"]


def _xavier_init(conv: nn.Module) -> None:
    for layer in conv.modules():
        if isinstance(layer, nn.Conv2d):
            nn.init.xavier_uniform_(layer.weight)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)


class SSDHead(nn.Module):
    """A head for classes and one for boxes."""

    def __init__(
        self, in_channels: list[int], num_anchors: list[int], num_classes: int
    ) -> None:
        super().__init__()
        self.classification_head: nn.Module = SSDClassificationHead(
            in_channels, num_anchors, num_classes
        )
        self.regression_head: nn.Module = SSDRegressionHead(in_channels, num_anchors)

    def forward(self, x: list[Tensor]) -> dict[str, Tensor]:
        return {
            "bbox_regression": self.regression_head(x),
            "cls_logits": self.classification_head(x),
        }


class SSDScoringHead(nn.Module):
    """Rows (N, anchors, num_columns) from feature maps, each with a layer of its own."""

    def __init__(self, module_list: nn.ModuleList, num_columns: int) -> None:
        super().__init__()
        self.module_list = module_list
        self.num_columns = num_columns

    def forward(self, x: list[Tensor]) -> Tensor:
        maps = [layer(features) for layer, features in zip(self.module_list, x, strict=False)]
        return rushlight.cat([det_utils.by_place(t, self.num_columns) for t in maps], 1)


def _layers(in_channels: list[int], num_anchors: list[int], columns: int) -> nn.ModuleList:
    pairs = zip(in_channels, num_anchors, strict=True)
    found = nn.ModuleList(nn.Conv2d(c, columns * n, 3, padding=1) for c, n in pairs)
    _xavier_init(found)
    return found


class SSDClassificationHead(SSDScoringHead):
    """Logits (N, anchors, classes)."""

    def __init__(
        self, in_channels: list[int], num_anchors: list[int], num_classes: int
    ) -> None:
        super().__init__(_layers(in_channels, num_anchors, num_classes), num_classes)


class SSDRegressionHead(SSDScoringHead):
    """Codes (N, anchors, 4)."""

    def __init__(self, in_channels: list[int], num_anchors: list[int]) -> None:
        super().__init__(_layers(in_channels, num_anchors, 4), 4)


class SSD(SingleStage):
    """SSD from any backbone; `Detector` says what goes in and what comes out.

    Losses: "classification", "bbox_regression".

    Args:
        backbone: images to a feature map or a dictionary of them; `out_channels` is a list.
        anchor_generator: the anchors of each feature map.
        size: (width, height) that images are resized to.
        num_classes: with the background.
        head: in place of :class:`SSDHead`.
        score_thresh, nms_thresh, detections_per_img, topk_candidates: probabilities, overlaps and
            numbers of detections; `topk_candidates` of each class go into suppression.
        iou_thresh: the overlap from which an anchor is an object.
        positive_fraction: which share objects are of the anchors that count for the classes; of
            the others the ones with the greatest loss are taken.
    """

    def __init__(
        self,
        backbone: Any,
        anchor_generator: DefaultBoxGenerator,
        size: tuple[int, int],
        num_classes: int,
        image_mean: list[float] | None = None,
        image_std: list[float] | None = None,
        head: nn.Module | None = None,
        score_thresh: float = 0.01,
        nms_thresh: float = 0.45,
        detections_per_img: int = 200,
        iou_thresh: float = 0.5,
        topk_candidates: int = 400,
        positive_fraction: float = 0.25,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        self.backbone = backbone
        self.anchor_generator = anchor_generator
        self.box_coder = det_utils.BoxCoder(weights=(10.0, 10.0, 5.0, 5.0))
        if head is None:
            channels = getattr(backbone, "out_channels", None)
            channels = channels or det_utils.retrieve_out_channels(backbone, size)
            maps, ratios = len(channels), len(anchor_generator.aspect_ratios)
            if maps != ratios:
                raise ValueError(
                    f"The length of the output channels from the backbone ({maps}) do not match "
                    f"the length of the anchor generator aspect ratios ({ratios})"
                )
            head = SSDHead(channels, anchor_generator.num_anchors_per_location(), num_classes)
        self.head = head
        self.proposal_matcher = det_utils.SSDMatcher(iou_thresh)
        self.transform = GeneralizedRCNNTransform(
            min(size),
            max(size),
            image_mean or IMAGE_MEAN,
            image_std or IMAGE_STD,
            size_divisible=1,
            fixed_size=size,
            **kwargs,
        )
        self.score_thresh = score_thresh
        self.nms_thresh = nms_thresh
        self.detections_per_img = detections_per_img
        self.topk_candidates = topk_candidates
        self.neg_to_pos_ratio = (1.0 - positive_fraction) / positive_fraction

    def compute_loss(
        self,
        targets: list[Target],
        head_outputs: dict[str, Tensor],
        anchors: list[Tensor],
        matched_idxs: list[Tensor],
    ) -> dict[str, Tensor]:
        """The losses of a batch, by object."""
        logits = head_outputs["cls_logits"]
        objects, box_loss, wanted = 0, [], []
        for target, codes, own, matched in zip(
            targets, head_outputs["bbox_regression"], anchors, matched_idxs, strict=True
        ):
            place = rushlight.where(matched >= 0)[0]
            index = matched[place]
            objects += len(place)
            code = self.box_coder.encode_single(target["boxes"][index], own[place])
            box_loss.append(F.smooth_l1_loss(codes[place], code, reduction="sum"))
            label = target["labels"].new_zeros((len(own),))
            label[place] = target["labels"][index]
            wanted.append(label)
        labels = rushlight.stack(wanted)  # (N, anchors)
        flat = logits.view(-1, logits.shape[-1])
        loss = F.cross_entropy(flat, labels.view(-1), reduction="none").view(labels.shape)
        positive = labels > 0
        # Of the background the anchors with the greatest loss, some for each object.
        hard = loss.detach().masked_fill(positive, -float("inf")).argsort(1, descending=True)
        negative = hard.argsort(1) < self.neg_to_pos_ratio * positive.sum(1, keepdim=True)
        count = max(1, objects)
        classes = (loss[positive].sum() + loss[negative].sum()) / count
        return {
            "bbox_regression": rushlight.stack(box_loss).sum() / count,
            "classification": classes,
        }

    def _losses(
        self, targets: list[Target], outputs: Any, anchors: list[Tensor], counts: list[int]
    ) -> dict[str, Tensor]:
        matched = self._matched(
            targets, anchors, lambda boxes, own: self.proposal_matcher(box_ops.box_iou(boxes, own))
        )
        return self.compute_loss(targets, outputs, anchors, matched)

    def _found(
        self, outputs: Any, anchors: list[Tensor], shapes: Any, counts: list[int]
    ) -> list[Target]:
        return self.postprocess_detections(outputs, anchors, shapes)

    def postprocess_detections(self, outputs: Any, anchors: Any, shapes: Any) -> list[Target]:
        """The detections of each image."""
        chances = F.softmax(outputs["cls_logits"], -1)
        detections = []
        for codes, scores, own, shape in zip(
            outputs["bbox_regression"], chances, anchors, shapes, strict=True
        ):
            boxes = self.box_coder.decode_single(codes, own)
            boxes = box_ops.clip_boxes_to_image(boxes, shape)
            found: tuple[list[Tensor], list[Tensor], list[Tensor]] = ([], [], [])
            for label in range(1, scores.shape[-1]):
                place = rushlight.where(scores[:, label] > self.score_thresh)[0]
                score = scores[place, label]
                score, best = score.topk(min(len(place), self.topk_candidates))
                labels = rushlight.full_like(best, label)
                for part, t in zip(found, (boxes[place[best]], score, labels), strict=True):
                    part.append(t)
            box, score, labels = (rushlight.cat(part) for part in found)
            keep = box_ops.batched_nms(box, score, labels, self.nms_thresh)
            keep = keep[: self.detections_per_img]
            detections.append({"boxes": box[keep], "scores": score[keep], "labels": labels[keep]})
        return detections


def _extra(channels: int, inner: int, out: int, size: int = 3, **how: Any) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(channels, inner, kernel_size=1),
        nn.ReLU(inplace=True),
        nn.Conv2d(inner, out, kernel_size=size, **how),
        nn.ReLU(inplace=True),
    )


class SSDFeatureExtractorVGG(nn.Module):
    """Six feature maps (seven with `highres`) from the convolutions of a VGG and some more."""

    def __init__(self, backbone: Any, highres: bool) -> None:
        super().__init__()
        pools = [i for i, layer in enumerate(backbone) if isinstance(layer, nn.MaxPool2d)]
        third, fourth = pools[2], pools[3]
        backbone[third].ceil_mode = True  # 75 pixels to 38
        self.scale_weight = nn.Parameter(rushlight.ones(512) * 20)
        self.features = nn.Sequential(*backbone[:fourth])
        extra = nn.ModuleList(
            [
                _extra(1024, 256, 512, padding=1, stride=2),
                _extra(512, 128, 256, padding=1, stride=2),
                _extra(256, 128, 256),
                _extra(256, 128, 256),
            ]
        )
        if highres:
            extra.append(_extra(256, 128, 256, size=4))
        _xavier_init(extra)
        fc = nn.Sequential(
            nn.MaxPool2d(kernel_size=3, stride=1, padding=1),
            nn.Conv2d(512, 1024, kernel_size=3, padding=6, dilation=6),
            nn.ReLU(inplace=True),
            nn.Conv2d(1024, 1024, kernel_size=1),
            nn.ReLU(inplace=True),
        )
        _xavier_init(fc)
        extra.insert(0, nn.Sequential(*backbone[fourth:-1], fc))
        self.extra = extra

    def forward(self, x: Tensor) -> OrderedDict[str, Tensor]:
        x = self.features(x)
        maps = [self.scale_weight.view(1, -1, 1, 1) * F.normalize(x)]
        for block in self.extra:
            x = block(x)
            maps.append(x)
        return OrderedDict((str(i), t) for i, t in enumerate(maps))


def _vgg_extractor(backbone: VGG, highres: bool, trainable_layers: int) -> SSDFeatureExtractorVGG:
    layers: Any = backbone.features
    pools = [i for i, layer in enumerate(layers) if isinstance(layer, nn.MaxPool2d)]
    begins = [0, *pools[:-1]]
    if not 0 <= trainable_layers <= len(begins):
        raise AssertionError(
            f"trainable_layers should be in the range [0, {len(begins)}]. Instead got "
            f"{trainable_layers}"
        )
    freeze(layers, begins, trainable_layers)
    return SSDFeatureExtractorVGG(layers, highres)


class SSD300_VGG16_Weights(WeightsEnum):
    """Trained weights of `ssd300_vgg16`."""

    COCO_V1 = coco(
        "ssd300_vgg16_coco-b556d3b4", 35_641_826, "#ssd300-vgg16", 25.1, 34.858, 135.988
    )
    DEFAULT = COCO_V1


@builder(SSD300_VGG16_Weights, "COCO_V1", VGG16_Weights.IMAGENET1K_FEATURES)
def ssd300_vgg16(
    *,
    weights: SSD300_VGG16_Weights | None = None,
    progress: bool = True,
    num_classes: int | None = None,
    weights_backbone: VGG16_Weights | None = VGG16_Weights.IMAGENET1K_FEATURES,
    trainable_backbone_layers: int | None = None,
    **kwargs: Any,
) -> SSD:
    """SSD on a VGG-16, for images of 300 pixels; `kwargs` go to :class:`SSD`."""
    size_is_fixed(kwargs)
    begin = start(weights, num_classes, weights_backbone, trainable_backbone_layers, 5, 4)
    backbone = _vgg_extractor(vgg16(weights=begin.backbone, progress=progress), False, begin.layers)
    anchors = DefaultBoxGenerator(
        [[2], [2, 3], [2, 3], [2, 3], [2], [2]],
        scales=[0.07, 0.15, 0.33, 0.51, 0.69, 0.87, 1.05],
        steps=[8, 16, 32, 64, 100, 300],
    )
    # The backbone was trained on numbers up to 255.
    usual = {"image_mean": [0.48235, 0.45882, 0.40784], "image_std": [1.0 / 255.0] * 3}
    model = SSD(backbone, anchors, (300, 300), begin.num_classes, **{**usual, **kwargs})
    return loaded(model, weights, progress)
