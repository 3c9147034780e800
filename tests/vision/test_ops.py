"""Boxes: what goes wrong, and the choice of the best among many."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
from rushlight.vision import ops


def test_formats_are_checked() -> None:
    box = torch.zeros(1, 4)
    for wrong in (
        lambda: ops.box_convert(box, "xyxy", "xyyx"),
        lambda: ops.box_area(box, "cxcywhr"),
        lambda: ops.box_iou(box, box, "a"),
    ):
        with pytest.raises(ValueError, match="Unsupported"):
            wrong()


def test_suppression_keeps_what_the_definition_says(rng: np.random.Generator) -> None:
    corner = rng.uniform(0, 10, (60, 2))
    boxes = torch.from_numpy(np.concatenate([corner, corner + rng.uniform(0, 5, (60, 2))], 1))
    scores = torch.from_numpy(rng.integers(0, 20, 60) / 20)  # some are equal
    kept = ops.nms(boxes, scores, 0.3).tolist()
    iou = ops.box_iou(boxes, boxes).numpy()
    wanted: list[int] = []
    for i in sorted(range(60), key=lambda i: -float(scores[i])):
        if all(iou[i, j] <= 0.3 for j in wanted):
            wanted.append(i)
    assert kept == wanted


def test_suppression_within_classes() -> None:
    boxes = torch.tensor([[0.0, 0, 2, 2], [0, 0, 2, 2], [0, 0, 2, 2]])
    scores = torch.tensor([0.1, 0.3, 0.2])
    classes = torch.tensor([0, 1, 1])
    assert ops.batched_nms(boxes, scores, classes, 0.5).tolist() == [1, 0]
    empty = ops.batched_nms(boxes[:0], scores[:0], classes[:0], 0.5)
    assert (empty.dtype, len(empty)) == (torch.int64, 0)
    assert len(ops.nms(boxes[:0], scores[:0], 0.5)) == 0
    with pytest.raises(RuntimeError, match="boxes should be a 2d tensor"):
        ops.nms(boxes[0], scores[:1], 0.5)


def test_boxes_of_small_integers_do_not_overflow() -> None:
    box = torch.tensor([[0, 0, 100, 100]], dtype=torch.uint8)
    assert ops.box_area(box).tolist() == [10000]
    assert ops.box_area(box.half()).dtype == torch.float32


def test_masks() -> None:
    masks = torch.zeros(2, 3, 3, dtype=torch.bool)
    masks[0, 1, 2] = True
    assert ops.masks_to_boxes(masks).tolist() == [[2, 1, 2, 1], [0, 0, 0, 0]]
    assert tuple(ops.masks_to_boxes(masks[:0]).shape) == (0, 4)


def test_focal_loss() -> None:
    x, y = torch.randn(4), torch.tensor([0.0, 1, 1, 0])
    plain = torch.nn.functional.binary_cross_entropy_with_logits(x, y)
    torch.testing.assert_close(ops.sigmoid_focal_loss(x, y, -1, 0, "mean"), plain)
    with pytest.raises(ValueError, match="Invalid alpha value: 2"):
        ops.sigmoid_focal_loss(x, y, 2)
    with pytest.raises(ValueError, match="Invalid Value for arg 'reduction'"):
        ops.sigmoid_focal_loss(x, y, reduction="some")
