"""The region proposal network of Faster R-CNN (https://arxiv.org/abs/1506.01497, section 3.1):
for every anchor whether an object is there, and where its box is; the best are proposed.
"""

from __future__ import annotations

from typing import Any

import rushlight

from .... import nn
from ....nn import functional as F
from ....tensor import Tensor
from ...ops import boxes as box_ops
from ...ops.feature_pyramid_network import move
from ...ops.misc import Conv2dNormActivation
from . import _utils as det_utils
from .anchor_utils import AnchorGenerator
from .image_list import ImageList

__all__ = ["AnchorGenerator", "RPNHead", "RegionProposalNetwork"]


class RPNHead(nn.Module):
    """3x3 convolutions, then one number and four codes for each anchor of every place.

    >>> from rushlight.vision.models.detection.rpn import RPNHead
    >>> logits, codes = RPNHead(8, 3)([torch.zeros(1, 8, 4, 4)])
    >>> tuple(logits[0].shape), tuple(codes[0].shape)
    ((1, 3, 4, 4), (1, 12, 4, 4))
    """

    _version = 2

    def __init__(self, in_channels: int, num_anchors: int, conv_depth: int = 1) -> None:
        super().__init__()
        self.conv = nn.Sequential(
            *(
                Conv2dNormActivation(in_channels, in_channels, kernel_size=3, norm_layer=None)
                for _ in range(conv_depth)
            )
        )
        self.cls_logits = nn.Conv2d(in_channels, num_anchors, kernel_size=1)
        self.bbox_pred = nn.Conv2d(in_channels, num_anchors * 4, kernel_size=1)
        det_utils.normal(self)

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: dict[str, Any], *rest: Any
    ) -> None:
        if (local_metadata.get("version") or 1) < 2:
            move(state_dict, f"{prefix}conv", f"{prefix}conv.0.0")
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def forward(self, x: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        hidden = [self.conv(features) for features in x]
        return [self.cls_logits(t) for t in hidden], [self.bbox_pred(t) for t in hidden]


def permute_and_flatten(layer: Tensor, N: int, A: int, C: int, H: int, W: int) -> Tensor:
    """A map (N, A C, H, W) as rows (N, H W A, C)."""
    return det_utils.by_place(layer, C)


def concat_box_prediction_layers(
    box_cls: list[Tensor], box_regression: list[Tensor]
) -> tuple[Tensor, Tensor]:
    """Rows (N anchors, classes) and (N anchors, 4), image by image, map by map."""
    logits = []
    for classes, codes in zip(box_cls, box_regression, strict=True):
        anchors = codes.shape[1] // 4
        logits.append(det_utils.by_place(classes, classes.shape[1] // anchors))
    codes = rushlight.cat([det_utils.by_place(codes, 4) for codes in box_regression], 1)
    return rushlight.cat(logits, 1).flatten(0, -2), codes.reshape(-1, 4)


class RegionProposalNetwork(nn.Module):
    """Proposals (L, 4) for each image, and in training two losses.

    Args:
        anchor_generator: gives the anchors of each image.
        head: gives logits and codes for each anchor.
        fg_iou_thresh: an anchor that overlaps a box by this or more is an object.
        bg_iou_thresh: one that overlaps all boxes less is background; others are left out.
        batch_size_per_image, positive_fraction: how many anchors are drawn for the losses, and
            which share of them may be objects.
        pre_nms_top_n, post_nms_top_n: how many boxes are kept of each feature map before, and of
            each image after non-maximum suppression, "training" and "testing".
        nms_thresh: of the suppression.
        score_thresh: the least probability of a proposal.
    """

    def __init__(
        self,
        anchor_generator: AnchorGenerator,
        head: nn.Module,
        fg_iou_thresh: float,
        bg_iou_thresh: float,
        batch_size_per_image: int,
        positive_fraction: float,
        pre_nms_top_n: dict[str, int],
        post_nms_top_n: dict[str, int],
        nms_thresh: float,
        score_thresh: float = 0.0,
    ) -> None:
        super().__init__()
        self.anchor_generator = anchor_generator
        self.head = head
        self.box_coder = det_utils.BoxCoder(weights=(1.0, 1.0, 1.0, 1.0))
        self.box_similarity = box_ops.box_iou
        self.proposal_matcher = det_utils.Matcher(
            fg_iou_thresh, bg_iou_thresh, allow_low_quality_matches=True
        )
        self.fg_bg_sampler = det_utils.BalancedPositiveNegativeSampler(
            batch_size_per_image, positive_fraction
        )
        self._pre_nms_top_n = pre_nms_top_n
        self._post_nms_top_n = post_nms_top_n
        self.nms_thresh = nms_thresh
        self.score_thresh = score_thresh
        self.min_size = 1e-3

    def pre_nms_top_n(self) -> int:
        """How many boxes of a feature map are kept before suppression."""
        return self._pre_nms_top_n["training" if self.training else "testing"]

    def post_nms_top_n(self) -> int:
        """How many boxes of an image are kept after suppression."""
        return self._post_nms_top_n["training" if self.training else "testing"]

    def assign_targets_to_anchors(
        self, anchors: list[Tensor], targets: list[dict[str, Tensor]]
    ) -> tuple[list[Tensor], list[Tensor]]:
        """(labels (A,): 1 object, 0 background, -1 neither; boxes (A, 4)) of each image."""
        labels, boxes = [], []
        for own, target in zip(anchors, targets, strict=False):
            gt = target["boxes"]
            if gt.numel() == 0:
                boxes.append(rushlight.zeros_like(own, dtype=rushlight.float32))
                labels.append(boxes[-1][:, 0].clone())
                continue
            matched = self.proposal_matcher(self.box_similarity(gt, own))
            boxes.append(gt[matched.clamp(min=0)])
            label = (matched >= 0).to(rushlight.float32)
            label[matched == self.proposal_matcher.BETWEEN_THRESHOLDS] = -1.0
            labels.append(label)
        return labels, boxes

    def _get_top_n_idx(self, objectness: Tensor, num_anchors_per_level: list[int]) -> Tensor:
        """Indices (N, n) of the best anchors of each feature map."""
        found, begin = [], 0
        for part in objectness.split(num_anchors_per_level, 1):
            count = min(self.pre_nms_top_n(), part.shape[1])
            found.append(part.topk(count, dim=1)[1] + begin)
            begin += part.shape[1]
        return rushlight.cat(found, 1)

    def filter_proposals(
        self,
        proposals: Tensor,
        objectness: Tensor,
        image_shapes: list[tuple[int, int]],
        num_anchors_per_level: list[int],
    ) -> tuple[list[Tensor], list[Tensor]]:
        """(boxes, their probabilities) of each image that suppression leaves, the best first."""
        n = proposals.shape[0]
        objectness = objectness.detach().reshape(n, -1)
        levels = rushlight.cat(
            [rushlight.full((count,), i) for i, count in enumerate(num_anchors_per_level)]
        ).to(proposals.device)
        best = self._get_top_n_idx(objectness, num_anchors_per_level)
        row = rushlight.arange(n, device=proposals.device)[:, None]
        chances = objectness[row, best].sigmoid()
        final_boxes, final_scores = [], []
        for boxes, scores, level, shape in zip(
            proposals[row, best], chances, levels[best], image_shapes, strict=False
        ):
            boxes = box_ops.clip_boxes_to_image(boxes, shape)
            sides = boxes[:, 2:] - boxes[:, :2]
            keep = (sides >= self.min_size).all(1) & (scores >= self.score_thresh)
            boxes, scores, level = boxes[keep], scores[keep], level[keep]
            keep = box_ops.batched_nms(boxes, scores, level, self.nms_thresh)
            keep = keep[: self.post_nms_top_n()]
            final_boxes.append(boxes[keep])
            final_scores.append(scores[keep])
        return final_boxes, final_scores

    def compute_loss(
        self,
        objectness: Tensor,
        pred_bbox_deltas: Tensor,
        labels: list[Tensor],
        regression_targets: Any,
    ) -> tuple[Tensor, Tensor]:
        """(binary cross entropy, smooth L1 of the objects' codes) of anchors that are drawn."""
        positive, negative = (
            rushlight.where(rushlight.cat(masks))[0] for masks in self.fg_bg_sampler(labels)
        )
        drawn = rushlight.cat([positive, negative])
        wanted = rushlight.cat(list(regression_targets))[positive]
        box_loss = F.smooth_l1_loss(
            pred_bbox_deltas[positive], wanted, beta=1 / 9, reduction="sum"
        ) / (drawn.numel())
        label = rushlight.cat(labels)[drawn]
        return F.binary_cross_entropy_with_logits(objectness.flatten()[drawn], label), box_loss

    def forward(
        self,
        images: ImageList,
        features: dict[str, Tensor],
        targets: list[dict[str, Tensor]] | None = None,
    ) -> tuple[list[Tensor], dict[str, Tensor]]:
        maps = list(features.values())
        logits, codes = self.head(maps)
        anchors = self.anchor_generator(images, maps)
        counts = [t.shape[1] * t.shape[2] * t.shape[3] for t in logits]
        objectness, deltas = concat_box_prediction_layers(logits, codes)
        # Proposals get no gradients: the second stage does not train the first through them.
        proposals = self.box_coder.decode(deltas.detach(), anchors).view(len(anchors), -1, 4)
        boxes, _ = self.filter_proposals(proposals, objectness, images.image_sizes, counts)
        if not self.training:
            return boxes, {}
        if targets is None:
            raise ValueError("targets should not be None")
        labels, matched = self.assign_targets_to_anchors(anchors, targets)
        wanted = self.box_coder.encode(matched, anchors)
        objects, moved = self.compute_loss(objectness, deltas, labels, wanted)
        return boxes, {"loss_objectness": objects, "loss_rpn_box_reg": moved}
