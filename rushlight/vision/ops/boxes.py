"""Rectangles around objects: areas, overlaps, conversions, and the choice of the best.

A box is (x1, y1, x2, y2), the last dimension of a tensor; `box_convert` knows turned ones as well.
"""

from __future__ import annotations

import numpy as np

import rushlight

from ...errors import message
from ...tensor import Tensor
from ._utils import _upcast as _wide

__all__ = [
    "batched_nms",
    "box_area",
    "box_convert",
    "box_iou",
    "clip_boxes_to_image",
    "complete_box_iou",
    "distance_box_iou",
    "generalized_box_iou",
    "masks_to_boxes",
    "nms",
    "remove_small_boxes",
]

FORMATS = ("xyxy", "xywh", "cxcywh")
TURNED = ("xywhr", "cxcywhr", "xyxyxyxy")


def _check(fmt: str, what: str) -> None:
    if fmt not in FORMATS:
        raise ValueError(message(f"Unsupported {what} for given fmt {fmt}", wanted=str(FORMATS)))


def box_convert(boxes: Tensor, in_fmt: str, out_fmt: str) -> Tensor:
    """Boxes (..., 4) from one format to another; turned ones are (..., 5) or (..., 8).

    "xyxy": two corners; "xywh": the upper left corner, width, height; "cxcywh": the centre, width,
    height. Turned: "xywhr" and "cxcywhr" with an angle in degrees, against the clock; "xyxyxyxy":
    upper left, upper right, lower right and lower left corner as they were before the turn.
    Turned boxes of integers are rounded.

    >>> box_convert(torch.tensor([[1.0, 2.0, 5.0, 6.0]]), "xyxy", "cxcywh")
    tensor([[3., 4., 4., 4.]])
    >>> box_convert(torch.tensor([[0, 4, 4, 2, 90]]), "xywhr", "xyxyxyxy")
    tensor([[0, 4, 0, 0, 2, 0, 2, 4]])
    """
    known = FORMATS + TURNED
    text = (
        f"Unsupported Bounding Box Conversions for given in_fmt {in_fmt} and out_fmt {out_fmt}"
    )
    if in_fmt not in known or out_fmt not in known:
        raise ValueError(message(text, wanted=str(known)))
    if in_fmt == out_fmt:
        return boxes.clone()
    if (in_fmt in TURNED) != (out_fmt in TURNED):
        raise NotImplementedError(message(text, wanted="two of " + f"{FORMATS} or of {TURNED}"))
    if in_fmt in TURNED:
        return _turned(boxes, in_fmt, out_fmt)
    a, b, c, d = boxes.unbind(-1)
    if in_fmt == "xywh":
        a, b, c, d = a, b, a + c, b + d
    elif in_fmt == "cxcywh":
        a, b, c, d = a - 0.5 * c, b - 0.5 * d, a + 0.5 * c, b + 0.5 * d
    if out_fmt == "xywh":
        a, b, c, d = a, b, c - a, d - b
    elif out_fmt == "cxcywh":
        a, b, c, d = (a + c) / 2, (b + d) / 2, c - a, d - b
    return rushlight.stack((a, b, c, d), -1)


def _turned(boxes: Tensor, in_fmt: str, out_fmt: str) -> Tensor:
    """Between formats of turned boxes, by way of "xywhr"."""

    def done(parts: list[Tensor]) -> Tensor:  # integers are rounded after each of the two steps
        found = rushlight.stack(parts, -1)
        return found if boxes.is_floating_point() else found.round().to(boxes.dtype)

    if in_fmt == "xyxyxyxy":
        x, y, x2, y2, x3, y3, _, _ = boxes.unbind(-1)
        wide = ((x2 - x) ** 2 + (y - y2) ** 2).sqrt()
        high = ((x3 - x2) ** 2 + (y3 - y2) ** 2).sqrt()
        boxes = done([x, y, wide, high, rushlight.atan2(y - y2, x2 - x) * 180 / np.pi])
    elif in_fmt == "cxcywhr":
        x, y, w, h, r = boxes.unbind(-1)
        cos, sin = _directions(r)
        boxes = done([x - w / 2 * cos - h / 2 * sin, y - h / 2 * cos + w / 2 * sin, w, h, r])
    if out_fmt == "xywhr":
        return boxes
    x, y, w, h, r = boxes.unbind(-1)
    cos, sin = _directions(r)
    if out_fmt == "cxcywhr":
        return done([x + w / 2 * cos + h / 2 * sin, y - w / 2 * sin + h / 2 * cos, w, h, r])
    x2, y2, right, down = x + w * cos, y - w * sin, h * sin, h * cos
    return done([x, y, x2, y2, x2 + right, y2 + down, x + right, y + down])


def _directions(degrees: Tensor) -> tuple[Tensor, Tensor]:
    angle = degrees * np.pi / 180.0
    return angle.cos(), angle.sin()


def box_area(boxes: Tensor, fmt: str = "xyxy") -> Tensor:
    """Areas (...) of boxes (..., 4).

    >>> box_area(torch.tensor([[0.0, 0.0, 2.0, 3.0]]))
    tensor([6.])
    """
    _check(fmt, "Bounding Box area")
    a, b, c, d = _wide(boxes).unbind(-1)
    return (c - a) * (d - b) if fmt == "xyxy" else c * d


def _overlap(boxes1: Tensor, boxes2: Tensor) -> tuple[Tensor, Tensor]:
    """Areas (..., N, M) of the intersections and of the unions of all pairs."""
    low = rushlight.maximum(boxes1[..., :, None, :2], boxes2[..., None, :, :2])
    high = rushlight.minimum(boxes1[..., :, None, 2:], boxes2[..., None, :, 2:])
    sides = _wide(high - low).clamp(min=0)  # (..., N, M, 2)
    both = sides[..., 0] * sides[..., 1]
    return both, box_area(boxes1)[..., :, None] + box_area(boxes2)[..., None, :] - both


def box_iou(boxes1: Tensor, boxes2: Tensor, fmt: str = "xyxy") -> Tensor:
    """Intersection over union (N, M) of boxes (N, 4) with boxes (M, 4).

    >>> a = torch.tensor([[0.0, 0.0, 2.0, 2.0]])
    >>> box_iou(a, torch.tensor([[1.0, 0.0, 3.0, 2.0], [5.0, 5.0, 6.0, 6.0]]))
    tensor([[0.3333, 0.0000]])
    """
    _check(fmt, "Box IoU Calculation")
    if fmt != "xyxy":
        boxes1, boxes2 = box_convert(boxes1, fmt, "xyxy"), box_convert(boxes2, fmt, "xyxy")
    both, union = _overlap(boxes1, boxes2)
    return both / union


def _hull(boxes1: Tensor, boxes2: Tensor) -> Tensor:
    """Sides (N, M, 2) of the smallest boxes around all pairs."""
    low = rushlight.minimum(boxes1[..., :, None, :2], boxes2[..., None, :, :2])
    high = rushlight.maximum(boxes1[..., :, None, 2:], boxes2[..., None, :, 2:])
    return _wide(high - low).clamp(min=0)


def generalized_box_iou(boxes1: Tensor, boxes2: Tensor) -> Tensor:
    """IoU less the empty share of the smallest box around both (https://giou.stanford.edu).

    >>> generalized_box_iou(torch.tensor([[0.0, 0.0, 1.0, 1.0]]), torch.tensor([[2.0, 0, 3, 1]]))
    tensor([[-0.3333]])
    """
    both, union = _overlap(boxes1, boxes2)
    sides = _hull(boxes1, boxes2)
    area = sides[..., 0] * sides[..., 1]
    return both / union - (area - union) / area


def distance_box_iou(boxes1: Tensor, boxes2: Tensor, eps: float = 1e-7) -> Tensor:
    """IoU less the squared distance of centres, relative to the diagonal of the box around both
    (https://arxiv.org/abs/1911.08287).

    >>> distance_box_iou(torch.tensor([[0.0, 0.0, 1.0, 1.0]]), torch.tensor([[2.0, 0, 3, 1]]))
    tensor([[-0.4000]])
    """
    boxes1, boxes2 = _wide(boxes1), _wide(boxes2)
    diagonal = (_hull(boxes1, boxes2) ** 2).sum(-1) + eps
    centre1 = (boxes1[..., :2] + boxes1[..., 2:]) / 2
    centre2 = (boxes2[..., :2] + boxes2[..., 2:]) / 2
    distance = ((centre1[..., :, None, :] - centre2[..., None, :, :]) ** 2).sum(-1)
    return box_iou(boxes1, boxes2) - distance / diagonal


def complete_box_iou(boxes1: Tensor, boxes2: Tensor, eps: float = 1e-7) -> Tensor:
    """:func:`distance_box_iou` less a term for different shapes.

    >>> a = torch.tensor([[0.0, 0.0, 1.0, 1.0]])
    >>> bool(complete_box_iou(a, a) > 0.99)
    True
    """
    boxes1, boxes2 = _wide(boxes1), _wide(boxes2)
    close = distance_box_iou(boxes1, boxes2, eps)
    iou = box_iou(boxes1, boxes2)
    width1, height1 = (boxes1[..., 2:] - boxes1[..., :2]).unbind(-1)
    width2, height2 = (boxes2[..., 2:] - boxes2[..., :2]).unbind(-1)
    turn = rushlight.atan(width1 / height1)[:, None] - rushlight.atan(width2 / height2)[None, :]
    v = (4 / np.pi**2) * turn**2
    with rushlight.no_grad():
        alpha = v / (1 - iou + v + eps)
    return close - alpha * v


def clip_boxes_to_image(boxes: Tensor, size: tuple[int, int]) -> Tensor:
    """Boxes (..., 4) cut off at the borders of an image of `size` (height, width).

    >>> clip_boxes_to_image(torch.tensor([[-1.0, 2.0, 9.0, 9.0]]), (5, 8))
    tensor([[0., 2., 8., 5.]])
    """
    height, width = size
    x = boxes[..., 0::2].clamp(0, width)
    y = boxes[..., 1::2].clamp(0, height)
    return rushlight.stack((x, y), -1).reshape(boxes.shape)


def remove_small_boxes(boxes: Tensor, min_size: float) -> Tensor:
    """Indices of the boxes (N, 4) whose sides are both `min_size` or longer.

    >>> remove_small_boxes(torch.tensor([[0.0, 0, 1, 9], [0, 0, 3, 3]]), 2)
    tensor([1])
    """
    sides = boxes[:, 2:] - boxes[:, :2]
    return rushlight.where((sides >= min_size).all(1))[0]


def masks_to_boxes(masks: Tensor) -> Tensor:
    """The smallest boxes (N, 4) around what is set in masks (N, H, W).

    >>> mask = torch.zeros(1, 4, 5)
    >>> mask[0, 1:3, 2:4] = 1
    >>> masks_to_boxes(mask)
    tensor([[2., 1., 3., 2.]])
    """
    if masks.numel() == 0:
        return rushlight.zeros((0, 4), dtype=rushlight.float, device=masks.device)
    height, width = masks.shape[1:]
    rows, columns = masks.bool().any(2).float(), masks.bool().any(1).float()
    x1, y1 = columns.argmax(1), rows.argmax(1)
    x2, y2 = width - 1 - columns.flip(1).argmax(1), height - 1 - rows.flip(1).argmax(1)
    found = rushlight.stack([x1, y1, x2, y2], 1).float()
    return found * rows.any(1)[:, None]


def nms(boxes: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    """Non-maximum suppression: the best box, then the best that hardly overlaps it, and so on.

    Args:
        boxes: (N, 4).
        scores: (N,).
        iou_threshold: a box that overlaps a better one by more than this is dropped.

    Returns:
        Indices of the boxes that stay, the best first.

    >>> boxes = torch.tensor([[0.0, 0, 2, 2], [0, 0, 2, 1.9], [3, 3, 4, 4]])
    >>> nms(boxes, torch.tensor([0.5, 0.9, 0.1]), 0.5)
    tensor([1, 2])
    """
    if boxes.ndim != 2 or boxes.shape[1] != 4 or scores.shape != boxes.shape[:1]:
        raise RuntimeError(
            message(
                "nms: boxes should be a 2d tensor, with a score for each",
                got=f"boxes {tuple(boxes.shape)}, scores {tuple(scores.shape)}",
                wanted="boxes (N, 4), scores (N,)",
            )
        )
    kept = _nms(boxes.detach().cpu().numpy(), scores.detach().cpu().numpy(), iou_threshold)
    return rushlight.from_numpy(kept)


def _nms(boxes: np.ndarray, scores: np.ndarray, threshold: float) -> np.ndarray:
    order = np.argsort(-scores, kind="stable")
    x1, y1, x2, y2 = boxes[order].T
    areas = (x2 - x1) * (y2 - y1)
    left = np.arange(len(order))
    kept = []
    while len(left):
        best, left = left[0], left[1:]
        kept.append(order[best])
        width = np.minimum(x2[best], x2[left]) - np.maximum(x1[best], x1[left])
        height = np.minimum(y2[best], y2[left]) - np.maximum(y1[best], y1[left])
        both = np.maximum(width, 0) * np.maximum(height, 0)
        with np.errstate(invalid="ignore"):  # boxes without area overlap nothing
            left = left[~(both / (areas[best] + areas[left] - both) > threshold)]
    return np.array(kept, dtype=np.int64)


def batched_nms(boxes: Tensor, scores: Tensor, idxs: Tensor, iou_threshold: float) -> Tensor:
    """:func:`nms` within each class `idxs` (N,) of its own.

    >>> boxes = torch.tensor([[0.0, 0, 2, 2], [0, 0, 2, 1.9]])
    >>> batched_nms(boxes, torch.tensor([0.5, 0.9]), torch.tensor([0, 1]), 0.5)
    tensor([1, 0])
    """
    if boxes.numel() == 0:
        return rushlight.empty((0,), dtype=rushlight.int64)
    if boxes.numel() > 4000:  # fewer comparisons, where there are many boxes
        kept = [
            index[nms(boxes[index], scores[index], iou_threshold)]
            for index in (rushlight.where(idxs == c)[0] for c in idxs.unique())
        ]
        keep = rushlight.cat(kept).sort()[0]
        return keep[scores[keep].sort(descending=True, stable=True)[1]]
    # Classes are moved so far apart that boxes of two never meet.
    offsets = idxs.to(boxes.dtype) * (boxes.max() + 1)
    return nms(boxes + offsets[:, None], scores, iou_threshold)
