"""The second stage of Faster, Mask and Keypoint R-CNN: what proposals are, and more exactly where.

Regions of the feature maps are brought to one size; heads give classes and boxes, and masks
(https://arxiv.org/abs/1703.06870) or key points of what was found.
"""

from __future__ import annotations

from typing import Any

import rushlight

from .... import nn
from ....errors import message
from ....nn import functional as F
from ....tensor import Tensor
from ...ops import boxes as box_ops
from ...ops.roi_align import roi_align
from . import _utils as det_utils

Tensors = list[Tensor]
Target = dict[str, Tensor]


def fastrcnn_loss(
    class_logits: Tensor, box_regression: Tensor, labels: Tensors, regression_targets: Any
) -> tuple[Tensor, Tensor]:
    """(cross entropy of the classes, smooth L1 of the codes of objects' own classes)."""
    label = rushlight.cat(labels)
    wanted = rushlight.cat(list(regression_targets))
    positive = rushlight.where(label > 0)[0]
    codes = box_regression.reshape(len(label), -1, 4)[positive, label[positive]]
    box_loss = F.smooth_l1_loss(codes, wanted[positive], beta=1 / 9, reduction="sum")
    return F.cross_entropy(class_logits, label), box_loss / label.numel()


# -- masks -------------------------------------------------------------------------------------


def maskrcnn_inference(x: Tensor, labels: Tensors) -> tuple[Tensor, ...]:
    """Probabilities (L, 1, M, M) for each image, of masks (K, classes, M, M) the labels' ones."""
    index = rushlight.arange(x.shape[0], device=x.device)
    chosen = x.sigmoid()[index, rushlight.cat(labels)][:, None]
    return chosen.split([len(label) for label in labels], 0)


def project_masks_on_boxes(
    gt_masks: Tensor, boxes: Tensor, matched_idxs: Tensor, M: int
) -> Tensor:
    """Masks (L, M, M): what of the matched ones (N, H, W) lies in boxes (L, 4)."""
    rois = rushlight.cat([matched_idxs.to(boxes)[:, None], boxes], 1)
    return roi_align(gt_masks[:, None].to(rois), rois, (M, M), 1.0)[:, 0]


def maskrcnn_loss(
    mask_logits: Tensor,
    proposals: Tensors,
    gt_masks: Tensors,
    gt_labels: Tensors,
    mask_matched_idxs: Tensors,
) -> Tensor:
    """Binary cross entropy of the masks of the objects' own classes."""
    size = mask_logits.shape[-1]
    pairs = zip(gt_labels, mask_matched_idxs, strict=True)
    labels = rushlight.cat([label[index] for label, index in pairs])
    parts = zip(gt_masks, proposals, mask_matched_idxs, strict=True)
    wanted = rushlight.cat([project_masks_on_boxes(m, p, i, size) for m, p, i in parts])
    if wanted.numel() == 0:
        return mask_logits.sum() * 0
    index = rushlight.arange(len(labels), device=labels.device)
    return F.binary_cross_entropy_with_logits(mask_logits[index, labels], wanted)


def expand_boxes(boxes: Tensor, scale: float) -> Tensor:
    """Boxes (N, 4) made larger around their centres."""
    half = (boxes[:, 2:] - boxes[:, :2]) * 0.5 * scale
    middle = (boxes[:, 2:] + boxes[:, :2]) * 0.5
    return rushlight.cat([middle - half, middle + half], 1)


def expand_masks(mask: Tensor, padding: int) -> tuple[Tensor, float]:
    """(masks with `padding` zeros around, how much larger they got)."""
    size = mask.shape[-1]
    return F.pad(mask, (padding,) * 4), float(size + 2 * padding) / size


def paste_mask_in_image(mask: Tensor, box: Any, im_h: int, im_w: int) -> Tensor:
    """A mask (M, M) resized to whole pixels of `box` in an image (im_h, im_w) of zeros."""
    x1, y1, x2, y2 = (int(v) for v in box)
    size = (max(y2 - y1 + 1, 1), max(x2 - x1 + 1, 1))
    part = F.interpolate(mask[None, None], size=size, mode="bilinear", align_corners=False)[0, 0]
    image = mask.new_zeros((im_h, im_w))
    left, right = max(x1, 0), min(x2 + 1, im_w)
    top, bottom = max(y1, 0), min(y2 + 1, im_h)
    image[top:bottom, left:right] = part[top - y1 : bottom - y1, left - x1 : right - x1]
    return image


def paste_masks_in_image(
    masks: Tensor, boxes: Tensor, img_shape: tuple[int, int], padding: int = 1
) -> Tensor:
    """Masks (N, 1, M, M) of boxes (N, 4) as masks (N, 1, H, W) of the image."""
    masks, scale = expand_masks(masks, padding)
    corners = expand_boxes(boxes, scale).to(rushlight.int64).tolist()
    pairs = zip(masks, corners, strict=True)
    pasted = [paste_mask_in_image(mask[0], box, *img_shape) for mask, box in pairs]
    if not pasted:
        return masks.new_empty((0, 1, *img_shape))
    return rushlight.stack(pasted)[:, None]


# -- key points --------------------------------------------------------------------------------


def keypoints_to_heatmap(
    keypoints: Tensor, rois: Tensor, heatmap_size: int
) -> tuple[Tensor, Tensor]:
    """(the cell of each key point in its region's grid, whether it is there), both (N, K).

    Args:
        keypoints: (N, K, 3) of x, y and whether it is seen. rois: (N, 4).
    """
    scale = heatmap_size / (rois[:, 2:] - rois[:, :2])
    place = keypoints[..., :2]
    cell = ((place - rois[:, None, :2]) * scale[:, None]).floor().long()
    cell = cell.masked_fill(place == rois[:, None, 2:], heatmap_size - 1)  # at the far border
    inside = ((cell >= 0) & (cell < heatmap_size)).all(-1)
    valid = (inside & (keypoints[..., 2] > 0)).long()
    return (cell[..., 1] * heatmap_size + cell[..., 0]) * valid, valid


def heatmaps_to_keypoints(maps: Tensor, rois: Tensor) -> tuple[Tensor, Tensor]:
    """(key points (N, K, 3) of x, y, 1, their scores (N, K)): where maps (N, K, M, M) of regions
    (N, 4) are largest.
    """
    sides = (rois[:, 2:] - rois[:, :2]).clamp(min=1)
    grids = sides.ceil()
    count = maps.shape[1]
    points = rushlight.ones((len(rois), count, 3), dtype=rushlight.float32, device=maps.device)
    scores = rushlight.zeros((len(rois), count), dtype=rushlight.float32, device=maps.device)
    for i, (width, height) in enumerate(grids.int().tolist()):
        large = F.interpolate(
            maps[i][:, None], size=(height, width), mode="bicubic", align_corners=False
        ).reshape(count, -1)
        place = large.argmax(1)
        cell = rushlight.stack([place % width, place // width], 1).float() + 0.5
        points[i, :, :2] = cell * (sides[i] / grids[i]) + rois[i, :2]
        scores[i] = large.gather(1, place[:, None])[:, 0]
    return points, scores


def keypointrcnn_loss(
    keypoint_logits: Tensor,
    proposals: Tensors,
    gt_keypoints: Tensors,
    keypoint_matched_idxs: Tensors,
) -> Tensor:
    """Cross entropy of the cells of the key points that are seen and lie in their regions."""
    n, count, height, width = keypoint_logits.shape
    if height != width:
        raise ValueError(
            "keypoint_logits height and width (last two elements of shape) should be equal. "
            f"Instead got H = {height} and W = {width}"
        )
    parts = zip(gt_keypoints, proposals, keypoint_matched_idxs, strict=True)
    cells = [keypoints_to_heatmap(points[index], rois, height) for points, rois, index in parts]
    wanted = rushlight.cat([cell.view(-1) for cell, _ in cells])
    seen = rushlight.where(rushlight.cat([valid.view(-1) for _, valid in cells]))[0]
    if wanted.numel() == 0 or len(seen) == 0:
        return keypoint_logits.sum() * 0
    return F.cross_entropy(keypoint_logits.view(n * count, -1)[seen], wanted[seen])


def keypointrcnn_inference(x: Tensor, boxes: Tensors) -> tuple[Tensors, Tensors]:
    """(key points, their scores) for each image, from maps (N, K, M, M) of all boxes."""
    parts = zip(x.split([len(b) for b in boxes], 0), boxes, strict=True)
    found = [heatmaps_to_keypoints(maps, own) for maps, own in parts]
    return [points for points, _ in found], [scores for _, scores in found]


# -- the stage ---------------------------------------------------------------------------------


class RoIHeads(nn.Module):
    """Losses (in training) or detections of proposals.

    Args:
        box_roi_pool, box_head, box_predictor: regions to one size, to features, to classes and
            codes. The same for masks and key points, where they are wanted.
        fg_iou_thresh, bg_iou_thresh: overlaps from which a proposal is an object, and up to which
            it is background.
        batch_size_per_image, positive_fraction: how many proposals are drawn in training, and
            which share of them may be objects.
        bbox_reg_weights: of the :class:`BoxCoder`; (10, 10, 5, 5) by default.
        score_thresh, nms_thresh, detections_per_img: what is returned otherwise.
    """

    def __init__(
        self,
        box_roi_pool: Any,
        box_head: Any,
        box_predictor: Any,
        fg_iou_thresh: float,
        bg_iou_thresh: float,
        batch_size_per_image: int,
        positive_fraction: float,
        bbox_reg_weights: tuple[float, float, float, float] | None,
        score_thresh: float,
        nms_thresh: float,
        detections_per_img: int,
        mask_roi_pool: Any = None,
        mask_head: Any = None,
        mask_predictor: Any = None,
        keypoint_roi_pool: Any = None,
        keypoint_head: Any = None,
        keypoint_predictor: Any = None,
    ) -> None:
        super().__init__()
        self.box_similarity = box_ops.box_iou
        self.proposal_matcher = det_utils.Matcher(fg_iou_thresh, bg_iou_thresh)
        self.fg_bg_sampler = det_utils.BalancedPositiveNegativeSampler(
            batch_size_per_image, positive_fraction
        )
        self.box_coder = det_utils.BoxCoder(bbox_reg_weights or (10.0, 10.0, 5.0, 5.0))
        self.box_roi_pool = box_roi_pool
        self.box_head = box_head
        self.box_predictor = box_predictor
        self.score_thresh = score_thresh
        self.nms_thresh = nms_thresh
        self.detections_per_img = detections_per_img
        self.mask_roi_pool = mask_roi_pool
        self.mask_head = mask_head
        self.mask_predictor = mask_predictor
        self.keypoint_roi_pool = keypoint_roi_pool
        self.keypoint_head = keypoint_head
        self.keypoint_predictor = keypoint_predictor

    def has_mask(self) -> bool:
        """Whether there is all that masks need."""
        return None not in (self.mask_roi_pool, self.mask_head, self.mask_predictor)

    def has_keypoint(self) -> bool:
        """Whether there is all that key points need."""
        return None not in (self.keypoint_roi_pool, self.keypoint_head, self.keypoint_predictor)

    def assign_targets_to_proposals(
        self, proposals: Tensors, gt_boxes: Tensors, gt_labels: Tensors
    ) -> tuple[Tensors, Tensors]:
        """(index of the box, label: 0 background, -1 neither) of each proposal of each image."""
        matched_idxs, labels = [], []
        for own, boxes, label in zip(proposals, gt_boxes, gt_labels, strict=False):
            if boxes.numel() == 0:
                nothing = rushlight.zeros(len(own), dtype=rushlight.int64, device=own.device)
                matched_idxs.append(nothing)
                labels.append(nothing.clone())
                continue
            matched = self.proposal_matcher(self.box_similarity(boxes, own))
            index = matched.clamp(min=0)
            found = label[index].to(rushlight.int64)
            found[matched == self.proposal_matcher.BELOW_LOW_THRESHOLD] = 0
            found[matched == self.proposal_matcher.BETWEEN_THRESHOLDS] = -1
            matched_idxs.append(index)
            labels.append(found)
        return matched_idxs, labels

    def subsample(self, labels: Tensors) -> Tensors:
        """Indices of the proposals of each image that are drawn."""
        drawn = zip(*self.fg_bg_sampler(labels), strict=True)
        return [rushlight.where(positive | negative)[0] for positive, negative in drawn]

    def add_gt_proposals(self, proposals: Tensors, gt_boxes: Tensors) -> Tensors:
        """Proposals with the true boxes: in the beginning there are no better ones."""
        pairs = zip(proposals, gt_boxes, strict=True)
        return [rushlight.cat((proposal, boxes)) for proposal, boxes in pairs]

    def check_targets(self, targets: list[Target] | None) -> None:
        """ValueError where something is missing."""
        if targets is None:
            raise ValueError("targets should not be None")
        for key in ("boxes", "labels", *(("masks",) if self.has_mask() else ())):
            if not all(key in t for t in targets):
                raise ValueError(f"Every element of targets should have a {key} key")

    def select_training_samples(
        self, proposals: Tensors, targets: list[Target] | None
    ) -> tuple[Tensors, Tensors, Tensors, tuple[Tensor, ...]]:
        """(proposals, indices of their boxes, labels, codes) of what is drawn of each image."""
        self.check_targets(targets)
        assert targets is not None
        gt_boxes = [t["boxes"].to(proposals[0].dtype) for t in targets]
        proposals = self.add_gt_proposals(proposals, gt_boxes)
        gt_labels = [t["labels"] for t in targets]
        matched_idxs, labels = self.assign_targets_to_proposals(proposals, gt_boxes, gt_labels)
        matched_boxes = []
        for i, drawn in enumerate(self.subsample(labels)):
            proposals[i] = proposals[i][drawn]
            labels[i] = labels[i][drawn]
            matched_idxs[i] = matched_idxs[i][drawn]
            boxes = gt_boxes[i] if gt_boxes[i].numel() else gt_boxes[i].new_zeros((1, 4))
            matched_boxes.append(boxes[matched_idxs[i]])
        return proposals, matched_idxs, labels, self.box_coder.encode(matched_boxes, proposals)

    def postprocess_detections(
        self,
        class_logits: Tensor,
        box_regression: Tensor,
        proposals: Tensors,
        image_shapes: list[tuple[int, int]],
    ) -> tuple[Tensors, Tensors, Tensors]:
        """(boxes, probabilities, labels) of each image, the best first."""
        counts = [len(own) for own in proposals]
        decoded = self.box_coder.decode(box_regression, proposals).split(counts, 0)
        chances = F.softmax(class_logits, -1).split(counts, 0)
        found: tuple[Tensors, Tensors, Tensors] = ([], [], [])
        for boxes, scores, shape in zip(decoded, chances, image_shapes, strict=False):
            boxes = box_ops.clip_boxes_to_image(boxes, shape)
            # Every class but the background is a box of its own.
            row, label = rushlight.where(scores[:, 1:] > self.score_thresh)
            label = label + 1
            boxes = boxes.reshape(*scores.shape, 4)[row, label]  # without proposals (0, 4 classes)
            scores = scores[row, label]
            keep = box_ops.remove_small_boxes(boxes, min_size=1e-2)
            boxes, scores, label = boxes[keep], scores[keep], label[keep]
            keep = box_ops.batched_nms(boxes, scores, label, self.nms_thresh)
            keep = keep[: self.detections_per_img]
            for part, values in zip(found, (boxes, scores, label), strict=True):
                part.append(values[keep])
        return found

    def _check_types(self, targets: list[Target]) -> None:
        fractions = (rushlight.float, rushlight.double, rushlight.half)
        wanted: dict[str, tuple[str, tuple[Any, ...]]] = {
            "boxes": ("float", fractions), "labels": ("int64", (rushlight.int64,))
        }  # fmt: skip
        if self.has_keypoint():
            wanted["keypoints"] = ("float", (rushlight.float32,))
        for target in targets:
            for key, (word, kinds) in wanted.items():
                if target[key].dtype not in kinds:
                    raise TypeError(
                        message(
                            f"target {key} must of {word} type, instead got {target[key].dtype}",
                            wanted=" or ".join(map(str, kinds)),
                        )
                    )

    def forward(
        self,
        features: dict[str, Tensor],
        proposals: Tensors,
        image_shapes: list[tuple[int, int]],
        targets: list[Target] | None = None,
    ) -> tuple[list[Target], dict[str, Tensor]]:
        if targets is not None:
            self._check_types(targets)
        matched: Tensors = []
        labels: Tensors = []
        codes: Any = ()
        if self.training:
            chosen = self.select_training_samples(proposals, targets)
            proposals, matched, labels, codes = chosen
        regions = self.box_head(self.box_roi_pool(features, proposals, image_shapes))
        logits, moves = self.box_predictor(regions)
        result: list[Target] = []
        losses: dict[str, Tensor] = {}
        if self.training:
            classes, boxes = fastrcnn_loss(logits, moves, labels, codes)
            losses = {"loss_classifier": classes, "loss_box_reg": boxes}
            # Masks and key points are learnt of objects alone.
            positive = [rushlight.where(label > 0)[0] for label in labels]
            own = [p[index] for p, index in zip(proposals, positive, strict=True)]
            matched = [m[index] for m, index in zip(matched, positive, strict=True)]
        else:
            found = self.postprocess_detections(logits, moves, proposals, image_shapes)
            for box, score, label in zip(*found, strict=True):
                result.append({"boxes": box, "labels": label, "scores": score})
            own = found[0]
        if self.has_mask():
            masks = self.mask_head(self.mask_roi_pool(features, own, image_shapes))
            masks = self.mask_predictor(masks)
            if self.training:
                assert targets is not None
                truth = ([t["masks"] for t in targets], [t["labels"] for t in targets])
                losses["loss_mask"] = maskrcnn_loss(masks, own, *truth, matched)
            else:
                chances = maskrcnn_inference(masks, [r["labels"] for r in result])
                for chance, r in zip(chances, result, strict=True):
                    r["masks"] = chance
        if self.has_keypoint():
            maps = self.keypoint_head(self.keypoint_roi_pool(features, own, image_shapes))
            maps = self.keypoint_predictor(maps)
            if self.training:
                assert targets is not None
                true_points = [t["keypoints"] for t in targets]
                losses["loss_keypoint"] = keypointrcnn_loss(maps, own, true_points, matched)
            else:
                all_points, all_scores = keypointrcnn_inference(maps, own)
                for r, points, scores in zip(result, all_points, all_scores, strict=True):
                    r["keypoints"], r["keypoints_scores"] = points, scores
        return result, losses
