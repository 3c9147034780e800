"""The loss of `diou_loss.py`, plus a term for shapes (https://arxiv.org/abs/1911.08287)."""

from __future__ import annotations

import numpy as np

import rushlight

from ...tensor import Tensor
from ._utils import _upcast_non_float, reduced
from .diou_loss import _diou_iou_loss

__all__ = ["complete_box_iou_loss"]


def complete_box_iou_loss(
    boxes1: Tensor, boxes2: Tensor, reduction: str = "none", eps: float = 1e-7
) -> Tensor:
    """:func:`distance_box_iou_loss` + alpha v, where v compares the angles of the diagonals.

    Args:
        boxes1, boxes2: (N, 4) or (4,), pair by pair, as (x1, y1, x2, y2).
        reduction: "none", "mean" or "sum".
        eps: added to what alpha is divided by.

    >>> a = torch.tensor([[0.0, 0, 1, 1]])
    >>> complete_box_iou_loss(a, torch.tensor([[0.0, 0, 1, 2]]))
    tensor([0.5532])
    """
    boxes1, boxes2 = _upcast_non_float(boxes1), _upcast_non_float(boxes2)
    loss, iou = _diou_iou_loss(boxes1, boxes2)
    width1, height1 = (boxes1[..., 2:] - boxes1[..., :2]).unbind(-1)
    width2, height2 = (boxes2[..., 2:] - boxes2[..., :2]).unbind(-1)
    v = (4 / np.pi**2) * (rushlight.atan(width2 / height2) - rushlight.atan(width1 / height1)) ** 2
    with rushlight.no_grad():
        alpha = v / (1 - iou + v + eps)
    return reduced(loss + alpha * v, reduction)
