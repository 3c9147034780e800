"""What operations on boxes share: lists of boxes as one tensor, overlaps of pairs, reductions."""

from __future__ import annotations

from collections.abc import Sequence

import rushlight

from ... import nn
from ...errors import message
from ...tensor import Tensor

Boxes = Tensor | Sequence[Tensor]


def _cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    return tensors[0] if len(tensors) == 1 else rushlight.cat(list(tensors), dim)


def convert_boxes_to_roi_format(boxes: Sequence[Tensor]) -> Tensor:
    """One tensor (K, 5) of (index of the image, x1, y1, x2, y2) from a tensor (L, 4) an image."""
    numbers = _cat([rushlight.full_like(b[:, :1], i) for i, b in enumerate(boxes)])
    return rushlight.cat([numbers, _cat(boxes)], 1)


def check_roi_boxes_shape(boxes: Boxes) -> None:
    """AssertionError unless boxes are a tensor (K, 5) or a list of tensors (L, 4)."""
    if isinstance(boxes, (list, tuple)):
        if any(b.shape[1] != 4 for b in boxes):
            text = "The shape of the tensor in the boxes list is not correct as List[Tensor[L, 4]]"
            got = ", ".join(str(tuple(b.shape)) for b in boxes)
            raise AssertionError(message(text, got=got))
    elif isinstance(boxes, Tensor):
        if boxes.shape[1] != 5:
            text = "The boxes tensor shape is not correct as Tensor[K, 5]"
            raise AssertionError(message(text, got=str(tuple(boxes.shape))))
    else:
        text = "boxes is expected to be a Tensor[L, 5] or a List[Tensor[K, 4]]"
        raise AssertionError(message(text, got=type(boxes).__name__))


def split_normalization_params(
    model: nn.Module, norm_classes: list[type] | None = None
) -> tuple[list[Tensor], list[Tensor]]:
    """(parameters of norms, the others): those that are trained, to decay only the others.

    >>> from rushlight.vision.ops._utils import split_normalization_params
    >>> net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    >>> [len(part) for part in split_normalization_params(net)]
    [2, 2]
    """
    from ...nn.modules.batchnorm import _BatchNorm
    from ...nn.modules.instancenorm import _InstanceNorm

    usual = [_BatchNorm, nn.LayerNorm, nn.GroupNorm, _InstanceNorm, nn.LocalResponseNorm]
    classes = tuple(norm_classes or usual)
    for kind in classes:
        if not issubclass(kind, nn.Module):
            raise ValueError(f"Class {kind} is not a subclass of nn.Module.")
    norms: list[Tensor] = []
    others: list[Tensor] = []
    for module in model.modules():
        leaf = next(module.children(), None) is None
        part = norms if leaf and isinstance(module, classes) else others
        part.extend(p for p in module.parameters(recurse=leaf) if p.requires_grad)
    return norms, others


def _upcast(t: Tensor) -> Tensor:
    """A type in which products of sides do not overflow."""
    if t.is_floating_point():
        return t if t.dtype in (rushlight.float32, rushlight.float64) else t.float()
    return t if t.dtype in (rushlight.int32, rushlight.int64) else t.int()


def _upcast_non_float(t: Tensor) -> Tensor:
    return t if t.dtype in (rushlight.float32, rushlight.float64) else t.float()


def _loss_inter_union(boxes1: Tensor, boxes2: Tensor) -> tuple[Tensor, Tensor]:
    """Areas of intersection and of union of boxes (..., 4), one with one."""
    low = rushlight.maximum(boxes1[..., :2], boxes2[..., :2])
    high = rushlight.minimum(boxes1[..., 2:], boxes2[..., 2:])
    sides = high - low
    # Boxes that do not meet have no gradient here, whatever the sign of the other side.
    meet = (sides > 0).all(-1)
    both = rushlight.where(meet, sides[..., 0] * sides[..., 1], rushlight.zeros_like(sides[..., 0]))
    area1 = (boxes1[..., 2] - boxes1[..., 0]) * (boxes1[..., 3] - boxes1[..., 1])
    area2 = (boxes2[..., 2] - boxes2[..., 0]) * (boxes2[..., 3] - boxes2[..., 1])
    return both, area1 + area2 - both


def reduced(loss: Tensor, reduction: str) -> Tensor:
    """A loss as it is ("none"), its mean (0 of nothing) or its sum."""
    if reduction == "none":
        return loss
    if reduction == "mean":
        return loss.mean() if loss.numel() > 0 else 0.0 * loss.sum()
    if reduction == "sum":
        return loss.sum()
    raise ValueError(
        f"Invalid Value for arg 'reduction': '{reduction} \n Supported reduction modes: "
        "'none', 'mean', 'sum'"
    )
