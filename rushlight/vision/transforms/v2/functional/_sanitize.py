"""Boxes and points that are of no use, and points outside the image.

Not here: clamping of boxes, and their formats (`../_boxes.py`).
"""

from __future__ import annotations

from typing import Any

from .....tensor import Tensor
from ....tv_tensors import BoundingBoxes, KeyPoints, wrap
from .._boxes import is_pure_tensor, plain, sanitize_mask


def sanitize_bounding_boxes(
    bounding_boxes: Tensor,
    format: Any = None,
    canvas_size: Any = None,
    min_size: float = 1.0,
    min_area: float = 1.0,
) -> tuple[Any, Tensor]:
    """The boxes that are large enough and inside the image, and which they are.

    Args:
        bounding_boxes: `BoundingBoxes`, or a plain tensor with `format` and `canvas_size`.
        min_size: the least width and height.
        min_area: the least area.

    >>> sanitize_bounding_boxes(torch.tensor([[0, 0, 5, 5], [1, 1, 1, 9]]), "XYXY", (10, 10))
    (tensor([[0, 0, 5, 5]]), tensor([ True, False]))
    """
    if is_pure_tensor(bounding_boxes):
        if format is None or canvas_size is None:
            raise ValueError(
                "format and canvas_size cannot be None if bounding_boxes is a pure tensor. "
                f"Got format={format} and canvas_size={canvas_size}."
                "Set those to appropriate values or pass bounding_boxes as a "
                "tv_tensors.BoundingBoxes object."
            )
        valid = sanitize_mask(bounding_boxes, format, canvas_size, min_size, min_area)
        return bounding_boxes[valid], valid
    if not isinstance(bounding_boxes, BoundingBoxes):
        raise ValueError(
            "bounding_boxes must be a tv_tensors.BoundingBoxes instance or a pure tensor."
        )
    if format is not None or canvas_size is not None:
        raise ValueError(
            "format and canvas_size must be None when bounding_boxes is a "
            f"tv_tensors.BoundingBoxes instance. Got format={format} and "
            f"canvas_size={canvas_size}. Leave those to None or pass bounding_boxes as a pure "
            "tensor."
        )
    boxes = plain(bounding_boxes)
    known = bounding_boxes.format, bounding_boxes.canvas_size
    valid = sanitize_mask(boxes, *known, min_size, min_area)
    return wrap(boxes[valid], like=bounding_boxes), valid


def sanitize_keypoints(key_points: Tensor, canvas_size: Any = None) -> tuple[Any, Tensor]:
    """The points inside the image (of groups: those that are wholly), and which they are.

    >>> sanitize_keypoints(torch.tensor([[1, 1], [9, 1]]), (5, 5))
    (tensor([[1, 1]]), tensor([ True, False]))
    """
    points = isinstance(key_points, KeyPoints)
    if points and canvas_size is not None:
        raise ValueError(
            "canvas_size must be None when key_points is a tv_tensors.KeyPoints instance. "
            f"Got canvas_size={canvas_size}. Leave it to None or pass key_points as a pure tensor."
        )
    if not points and not is_pure_tensor(key_points):
        raise ValueError("key_points must be a tv_tensors.KeyPoints instance or a pure tensor.")
    if not points and canvas_size is None:
        raise ValueError(
            "canvas_size cannot be None if key_points is a pure tensor. "
            f"Got canvas_size={canvas_size}. Set that to an appropriate value or pass key_points "
            "as a tv_tensors.KeyPoints object."
        )
    height, width = key_points.canvas_size if isinstance(key_points, KeyPoints) else canvas_size
    values = plain(key_points)
    x, y = values.unbind(-1)
    valid = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    valid = valid.flatten(1).all(1) if valid.ndim > 1 else valid
    return (wrap(values[valid], like=key_points) if points else values[valid]), valid


def clamp_keypoints(inpt: Tensor, canvas_size: Any = None) -> Any:
    """Points moved to the nearest pixel of the image.

    >>> clamp_keypoints(torch.tensor([[-1, 2], [30, 5]]), (10, 20))
    tensor([[ 0,  2],
            [19,  5]])
    """
    import rushlight

    if isinstance(inpt, KeyPoints):
        if canvas_size is not None:
            raise ValueError("For keypoints tv_tensor inputs, `canvas_size` must not be passed.")
        canvas_size = inpt.canvas_size
    elif not is_pure_tensor(inpt):
        raise TypeError(
            "Input can either be a plain tensor or a keypoints tv_tensor, "
            f"but got {type(inpt)} instead."
        )
    elif canvas_size is None:
        raise ValueError("For pure tensor inputs, `canvas_size` has to be passed.")
    x, y = plain(inpt).unbind(-1)
    inside = [x.clamp(0, canvas_size[1] - 1), y.clamp(0, canvas_size[0] - 1)]
    out = rushlight.stack(inside, dim=-1)
    return wrap(out, like=inpt) if isinstance(inpt, KeyPoints) else out
