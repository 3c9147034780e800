"""One less the generalized overlap of pairs of boxes (https://arxiv.org/abs/1902.09630)."""

from __future__ import annotations

import rushlight

from ...tensor import Tensor
from ._utils import _loss_inter_union, _upcast_non_float, reduced

__all__ = ["generalized_box_iou_loss"]


def generalized_box_iou_loss(
    boxes1: Tensor, boxes2: Tensor, reduction: str = "none", eps: float = 1e-7
) -> Tensor:
    """1 - IoU + the empty share of the smallest box around both; zero for equal boxes.

    Args:
        boxes1, boxes2: (N, 4) or (4,), pair by pair, as (x1, y1, x2, y2).
        reduction: "none", "mean" or "sum".
        eps: added to what is divided by.

    >>> a = torch.tensor([[0.0, 0, 1, 1]])
    >>> generalized_box_iou_loss(a, torch.tensor([[2.0, 0, 3, 1]]))
    tensor([1.3333])
    """
    boxes1, boxes2 = _upcast_non_float(boxes1), _upcast_non_float(boxes2)
    both, union = _loss_inter_union(boxes1, boxes2)
    low = rushlight.minimum(boxes1[..., :2], boxes2[..., :2])
    width, height = (rushlight.maximum(boxes1[..., 2:], boxes2[..., 2:]) - low).unbind(-1)
    hull = width * height
    return reduced(1 - both / (union + eps) + (hull - union) / (hull + eps), reduction)
