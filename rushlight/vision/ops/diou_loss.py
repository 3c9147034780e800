"""One less the overlap of boxes, plus their distance (https://arxiv.org/abs/1911.08287)."""

from __future__ import annotations

import rushlight

from ...tensor import Tensor
from ._utils import _loss_inter_union, _upcast_non_float, reduced

__all__ = ["distance_box_iou_loss"]


def distance_box_iou_loss(
    boxes1: Tensor, boxes2: Tensor, reduction: str = "none", eps: float = 1e-7
) -> Tensor:
    """1 - IoU + the squared distance of centres over that of the corners of the box around both.

    Args:
        boxes1, boxes2: (N, 4) or (4,), pair by pair, as (x1, y1, x2, y2).
        reduction: "none", "mean" or "sum".
        eps: added to what is divided by.

    >>> a = torch.tensor([[0.0, 0, 1, 1]])
    >>> distance_box_iou_loss(a, torch.tensor([[2.0, 0, 3, 1]]))
    tensor([1.4000])
    """
    boxes1, boxes2 = _upcast_non_float(boxes1), _upcast_non_float(boxes2)
    return reduced(_diou_iou_loss(boxes1, boxes2, eps)[0], reduction)


def _diou_iou_loss(boxes1: Tensor, boxes2: Tensor, eps: float = 1e-7) -> tuple[Tensor, Tensor]:
    """(the loss of each pair, the overlap of each pair)."""
    both, union = _loss_inter_union(boxes1, boxes2)
    iou = both / (union + eps)
    low = rushlight.minimum(boxes1[..., :2], boxes2[..., :2])
    high = rushlight.maximum(boxes1[..., 2:], boxes2[..., 2:])
    diagonal = ((high - low) ** 2).sum(-1) + eps
    apart = (boxes1[..., :2] + boxes1[..., 2:] - boxes2[..., :2] - boxes2[..., 2:]) / 2
    return 1 - iou + (apart**2).sum(-1) / diagonal, iou
