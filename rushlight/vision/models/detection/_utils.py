"""What all detectors share: which anchors are objects, boxes as differences from anchors, losses.

A match is an index of a ground truth box, or a negative number: background, or neither.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import rushlight

from .... import nn
from ....errors import message
from ....nn import functional as F
from ....tensor import Tensor
from ...ops.ciou_loss import complete_box_iou_loss
from ...ops.diou_loss import distance_box_iou_loss
from ...ops.giou_loss import generalized_box_iou_loss
from ...ops.misc import FrozenBatchNorm2d


class BalancedPositiveNegativeSampler:
    """Draws examples of each image, at most a share of them positive.

    Called with labels (A,) of each image (>= 1 positive, 0 negative, else left out) it gives two
    lists of masks: the positive and the negative ones that were drawn.
    """

    def __init__(self, batch_size_per_image: int, positive_fraction: float) -> None:
        self.batch_size_per_image = batch_size_per_image
        self.positive_fraction = positive_fraction

    def __call__(self, matched_idxs: Sequence[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        chosen: tuple[list[Tensor], list[Tensor]] = ([], [])
        for labels in matched_idxs:
            left = self.batch_size_per_image
            most = int(left * self.positive_fraction)
            places = [rushlight.where(labels >= 1)[0], rushlight.where(labels == 0)[0]]
            orders = []
            for place in places:  # both numbers are drawn before a mask is made, as in torchvision
                count = min(len(place), most)
                orders.append(rushlight.randperm(len(place), device=place.device)[:count])
                left -= count
                most = left
            for masks, place, order in zip(chosen, places, orders, strict=True):
                mask = rushlight.zeros_like(labels, dtype=rushlight.uint8)
                mask[place[order]] = 1
                masks.append(mask)
        return chosen


def _centres(boxes: Tensor) -> tuple[Tensor, Tensor]:
    """(centres (N, 2), sides (N, 2)) of boxes (N, 4)."""
    sides = boxes[:, 2:] - boxes[:, :2]
    return boxes[:, :2] + 0.5 * sides, sides


def encode_boxes(reference_boxes: Tensor, proposals: Tensor, weights: Tensor) -> Tensor:
    """:meth:`BoxCoder.encode_single`, with weights (4,)."""
    middle, sides = _centres(proposals)
    wanted, wanted_sides = _centres(reference_boxes)
    moved = weights[:2] * (wanted - middle) / sides
    return rushlight.cat([moved, weights[2:] * (wanted_sides / sides).log()], 1)


class BoxCoder:
    """Boxes as (dx, dy, dw, dh) from other boxes: the move of the centre relative to the sides,
    and the logarithms of the ratios of sides (https://arxiv.org/abs/1311.2524, appendix C).

    Args:
        weights: what the four numbers are multiplied by.
        bbox_xform_clip: the most that a logarithm may be when it is decoded.
    """

    def __init__(
        self,
        weights: tuple[float, float, float, float],
        bbox_xform_clip: float = math.log(1000.0 / 16),
    ) -> None:
        self.weights = weights
        self.bbox_xform_clip = bbox_xform_clip

    def encode(
        self, reference_boxes: Sequence[Tensor], proposals: Sequence[Tensor]
    ) -> tuple[Tensor, ...]:
        """:meth:`encode_single` for each image."""
        codes = self.encode_single(
            rushlight.cat(list(reference_boxes)), rushlight.cat(list(proposals))
        )
        return codes.split([len(boxes) for boxes in reference_boxes], 0)

    def encode_single(self, reference_boxes: Tensor, proposals: Tensor) -> Tensor:
        """`reference_boxes` (N, 4) as seen from `proposals` (N, 4)."""
        kind = {"dtype": reference_boxes.dtype, "device": reference_boxes.device}
        return encode_boxes(reference_boxes, proposals, rushlight.as_tensor(self.weights, **kind))

    def decode(self, rel_codes: Tensor, boxes: Sequence[Tensor]) -> Tensor:
        """Boxes (N, classes, 4) from codes (N, 4 classes) and the boxes of each image."""
        if not isinstance(boxes, (list, tuple)):
            raise AssertionError("This function expects boxes of type list or tuple.")
        if not isinstance(rel_codes, Tensor):
            raise AssertionError("This function expects rel_codes of type torch.Tensor.")
        count = sum(len(b) for b in boxes)
        if count:
            rel_codes = rel_codes.reshape(count, -1)
        found = self.decode_single(rel_codes, rushlight.cat(list(boxes)))
        return found.reshape(count, -1, 4) if count else found

    def decode_single(self, rel_codes: Tensor, boxes: Tensor) -> Tensor:
        """Boxes (N, 4 classes) from codes (N, 4 classes) and boxes (N, 4)."""
        middle, sides = _centres(boxes.to(rel_codes.dtype))
        codes = rel_codes.reshape(len(boxes), rel_codes.shape[1] // 4, 4)
        kind = {"dtype": codes.dtype, "device": codes.device}
        codes = codes / rushlight.as_tensor(self.weights, **kind)
        centre = codes[..., :2] * sides[:, None] + middle[:, None]
        half = 0.5 * (codes[..., 2:].clamp(max=self.bbox_xform_clip).exp() * sides[:, None])
        return rushlight.cat([centre - half, centre + half], -1).flatten(1)


class BoxLinearCoder:
    """Boxes as distances of their sides (left, top, right, bottom) from the centre of others.

    `normalize_by_size` divides them by the sides of the others.
    """

    def __init__(self, normalize_by_size: bool = True) -> None:
        self.normalize_by_size = normalize_by_size

    def _frame(self, boxes: Tensor) -> tuple[Tensor, Tensor]:
        low, high = boxes[..., :2], boxes[..., 2:]
        return 0.5 * (low + high), rushlight.cat([high - low] * 2, -1)

    def encode(self, reference_boxes: Tensor, proposals: Tensor) -> Tensor:
        """`proposals` (..., 4) as seen from the centres of `reference_boxes` (..., 4)."""
        middle, sides = self._frame(reference_boxes)
        codes = rushlight.cat([middle - proposals[..., :2], proposals[..., 2:] - middle], -1)
        return codes / sides if self.normalize_by_size else codes

    def decode(self, rel_codes: Tensor, boxes: Tensor) -> Tensor:
        """Boxes (..., 4) from codes and boxes (..., 4)."""
        middle, sides = self._frame(boxes.to(dtype=rel_codes.dtype))
        if self.normalize_by_size:
            rel_codes = rel_codes * sides
        return rushlight.cat([middle - rel_codes[..., :2], middle + rel_codes[..., 2:]], -1)


class Matcher:
    """The best ground truth box of each proposal, from overlaps (boxes, proposals).

    The result (proposals,) has the index of a box where the overlap is `high_threshold` or more;
    BELOW_LOW_THRESHOLD (-1) where it is less than `low_threshold`; BETWEEN_THRESHOLDS (-2) else.

    Args:
        allow_low_quality_matches: a proposal that overlaps a box more than all others do, or as
            much, belongs to its best box whatever the overlap.
    """

    BELOW_LOW_THRESHOLD = -1
    BETWEEN_THRESHOLDS = -2

    def __init__(
        self,
        high_threshold: float,
        low_threshold: float,
        allow_low_quality_matches: bool = False,
    ) -> None:
        if low_threshold > high_threshold:
            raise AssertionError("low_threshold should be <= high_threshold")
        self.high_threshold = high_threshold
        self.low_threshold = low_threshold
        self.allow_low_quality_matches = allow_low_quality_matches

    def __call__(self, match_quality_matrix: Tensor) -> Tensor:
        if match_quality_matrix.numel() == 0:
            kind = "proposal" if match_quality_matrix.shape[0] else "ground-truth"
            raise ValueError(f"No {kind} boxes available for one of the images during training")
        best, matches = match_quality_matrix.max(dim=0)
        everyone = matches.clone()
        matches[best < self.low_threshold] = self.BELOW_LOW_THRESHOLD
        between = (best >= self.low_threshold) & (best < self.high_threshold)
        matches[between] = self.BETWEEN_THRESHOLDS
        if self.allow_low_quality_matches:
            self.set_low_quality_matches_(matches, everyone, match_quality_matrix)
        return matches

    def set_low_quality_matches_(
        self, matches: Tensor, all_matches: Tensor, match_quality_matrix: Tensor
    ) -> None:
        """Give proposals that are the best of a box their best box back."""
        highest = match_quality_matrix.max(dim=1)[0]
        chosen = (match_quality_matrix == highest[:, None]).any(0)
        matches.copy_(rushlight.where(chosen, all_matches, matches))


class SSDMatcher(Matcher):
    """A :class:`Matcher` with one threshold; each box also gets the proposal that suits it best."""

    def __init__(self, threshold: float) -> None:
        super().__init__(threshold, threshold, allow_low_quality_matches=False)

    def __call__(self, match_quality_matrix: Tensor) -> Tensor:
        matches = super().__call__(match_quality_matrix)
        best = match_quality_matrix.max(dim=1)[1]
        matches[best] = rushlight.arange(len(best), device=best.device)
        return matches


def overwrite_eps(model: nn.Module, eps: float) -> None:
    """Set `eps` of all frozen norms: some trained weights come from a time when there was none."""
    for module in model.modules():
        if isinstance(module, FrozenBatchNorm2d):
            module.eps = eps


def retrieve_out_channels(model: nn.Module, size: tuple[int, int]) -> list[int]:
    """The channels of each feature map of a backbone for images of `size` (width, height)."""
    training = model.training
    model.eval()
    with rushlight.no_grad():
        device = next(model.parameters()).device
        features = model(rushlight.zeros((1, 3, size[1], size[0]), device=device))
    model.train(training)
    maps = [features] if isinstance(features, Tensor) else features.values()
    return [t.shape[1] for t in maps]


def _topk_min(input: Tensor, orig_kval: int, axis: int) -> int:
    return min(orig_kval, input.shape[axis])


def _box_loss(
    type: str,
    box_coder: BoxCoder,
    anchors_per_image: Tensor,
    matched_gt_boxes_per_image: Tensor,
    bbox_regression_per_image: Tensor,
    cnf: dict[str, float] | None = None,
) -> Tensor:
    """A loss summed over boxes: of codes ("l1", "smooth_l1"), or of boxes ("ciou", "diou", …)."""
    overlaps: dict[str, Any] = {
        "ciou": complete_box_iou_loss,
        "diou": distance_box_iou_loss,
        "giou": generalized_box_iou_loss,
    }
    cnf = cnf or {}
    if type in overlaps:
        boxes = box_coder.decode_single(bbox_regression_per_image, anchors_per_image)
        eps = cnf.get("eps", 1e-7)
        return overlaps[type](boxes, matched_gt_boxes_per_image, reduction="sum", eps=eps)
    if type not in ("l1", "smooth_l1"):
        raise AssertionError(
            message(f"Unsupported loss: {type}", wanted=f"l1, smooth_l1, {', '.join(overlaps)}")
        )
    target = box_coder.encode_single(matched_gt_boxes_per_image, anchors_per_image)
    if type == "l1":
        return F.l1_loss(bbox_regression_per_image, target, reduction="sum")
    beta = cnf.get("beta", 1.0)
    return F.smooth_l1_loss(bbox_regression_per_image, target, reduction="sum", beta=beta)


def by_place(output: Tensor, columns: int) -> Tensor:
    """A head's map (N, A columns, H, W) as rows (N, H W A, columns), one an anchor."""
    n, _, height, width = output.shape
    output = output.reshape(n, -1, columns, height, width).permute(0, 3, 4, 1, 2)
    return output.reshape(n, -1, columns)


def normal(module: nn.Module, std: float = 0.01) -> None:
    """First values of the convolutions of a head: normal weights, no biases."""
    for layer in module.modules():
        if isinstance(layer, nn.Conv2d):
            nn.init.normal_(layer.weight, std=std)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)


def logits(in_channels: int, out_channels: int, prior_probability: float) -> nn.Conv2d:
    """The layer of a head's classes, whose first probabilities are all `prior_probability`."""
    layer = nn.Conv2d(in_channels, out_channels, 3, 1, 1)
    normal(layer)
    assert layer.bias is not None
    nn.init.constant_(layer.bias, -math.log((1 - prior_probability) / prior_probability))
    return layer
