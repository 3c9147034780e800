"""What each geometric transform does to boxes and to points.

Every function takes the boxes or points, a tensor of a kind, and gives a plain tensor and the new
(height, width) of the image. Points on pixels and edges of boxes differ: the last pixel has x =
width - 1, the right edge is at x = width.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....tensor import Tensor
from ...tv_tensors import BoundingBoxes, BoundingBoxFormat, is_rotated_bounding_format
from .. import geometry, layout
from ._boxes import Canvas, clamp, convert, plain, upright_rectangles

F = BoundingBoxFormat
Moved = tuple[Tensor, Canvas]


def _columns(boxes: Tensor, width: int, places: Sequence[int]) -> Tensor:
    """A flat view of boxes with its columns in another order."""
    return boxes.reshape(-1, width)[:, list(places)]


def _like(boxes: Any, values: Sequence[float]) -> Tensor:
    import rushlight

    out: Tensor = rushlight.as_tensor(list(values), dtype=boxes.dtype)
    return out


# Mirrors


def flip_boxes(inpt: Any, axis: int) -> Moved:
    """Boxes in a mirror: axis 0 is x, 1 is y."""
    import rushlight

    format, canvas = inpt.format, inpt.canvas_size
    boxes = plain(inpt)
    edge = canvas[1 - axis]
    parts = list(boxes.unbind(-1))
    if format is F.XYXY:
        parts[axis], parts[axis + 2] = edge - parts[axis + 2], edge - parts[axis]
    elif format is F.XYWH:
        parts[axis] = edge - (parts[axis] + parts[axis + 2])
    elif format is F.CXCYWH:
        parts[axis] = edge - parts[axis]
    elif format is F.XYXYXYXY:
        parts = [edge - v if i % 2 == axis else v for i, v in enumerate(parts)]
        parts = [parts[i] for i in (2, 3, 0, 1, 6, 7, 4, 5)]
    else:
        if format is F.XYWHR:  # the first corner is now where the second was
            angle = parts[4] * math.pi / 180
            parts[0] = parts[0] + parts[2] * angle.cos()
            parts[1] = parts[1] - parts[2] * angle.sin()
        parts[axis] = edge - parts[axis]
        parts[4] = -parts[4] if axis == 0 else 180 - parts[4]
    return rushlight.stack(parts, dim=-1), canvas


def flip_points(inpt: Any, axis: int) -> Moved:
    """Points in a mirror: axis 0 is x, 1 is y."""
    import rushlight

    parts = list(plain(inpt).unbind(-1))
    parts[axis] = inpt.canvas_size[1 - axis] - 1 - parts[axis]
    return rushlight.stack(parts, dim=-1), inpt.canvas_size


# Size


def resized(canvas: Canvas, size: Any, max_size: int | None) -> Canvas:
    """The (height, width) that `resize` makes of a canvas."""
    height, width = canvas
    if size is None:
        if not isinstance(max_size, int):
            raise ValueError(
                f"max_size must be an integer when size is None, but got {max_size} instead."
            )
        longer = max(height, width)
        short = int(max_size * min(height, width) / longer)
        return (max_size, short) if height >= width else (short, max_size)
    edges = [size] if isinstance(size, int) else list(size)
    if len(edges) == 2 and max_size is not None:
        raise ValueError(
            "max_size should only be passed if size specifies the length of the smaller edge, "
            "i.e. size should be an int or a sequence of length 1 in torchscript mode."
        )
    return layout._resized(height, width, edges, max_size)


def _scaled(values: Tensor, factors: Sequence[float]) -> Tensor:
    import rushlight

    return (values * rushlight.as_tensor(list(factors), dtype=rushlight.float32)).to(values.dtype)


def resize_boxes(inpt: Any, size: Any, max_size: int | None = None, **_: Any) -> Moved:
    """Boxes of a resized image."""
    boxes, format = plain(inpt), inpt.format
    old, new = inpt.canvas_size, resized(inpt.canvas_size, size, max_size)
    if new == tuple(old):
        return boxes, old
    factors = [new[1] / old[1], new[0] / old[0]]
    if not is_rotated_bounding_format(format):
        return _scaled(boxes, factors * 2), new
    corners = upright_rectangles(_scaled(convert(boxes, format, F.XYXYXYXY), factors * 4))
    inside = clamp(corners.reshape(-1, 8), F.XYXYXYXY, new, inpt.clamping_mode)
    return convert(inside, F.XYXYXYXY, format).to(boxes.dtype).reshape(boxes.shape), new


def resize_points(inpt: Any, size: Any, max_size: int | None = None, **_: Any) -> Moved:
    """Points of a resized image."""
    old, new = inpt.canvas_size, resized(inpt.canvas_size, size, max_size)
    if new == tuple(old):
        return plain(inpt), old
    return _scaled(plain(inpt), [new[1] / old[1], new[0] / old[0]]), new


# Parts and borders


def _offset(format: BoundingBoxFormat, x: float, y: float) -> list[float]:
    """What to add to each number of a box that is moved."""
    if format is F.XYXYXYXY:
        return [x, y] * 4
    if is_rotated_bounding_format(format):
        return [x, y, 0, 0, 0]
    return [x, y] * 2 if format is F.XYXY else [x, y, 0, 0]


def crop_boxes(inpt: Any, top: int, left: int, height: int, width: int) -> Moved:
    """Boxes in a part of the image, cut off at its edges."""
    boxes, format = plain(inpt), inpt.format
    moved = boxes - _like(boxes, _offset(format, left, top))
    if format is F.XYXYXYXY:
        moved = upright_rectangles(moved)
    return clamp(moved, format, (height, width), inpt.clamping_mode), (height, width)


def crop_points(inpt: Any, top: int, left: int, height: int, width: int) -> Moved:
    """Points in a part of the image; those outside stay."""
    return plain(inpt) - _like(inpt, [left, top]), (height, width)


def _padded(canvas: Canvas, padding: Any) -> tuple[int, int, Canvas]:
    left, top, right, bottom = layout._sides(padding)
    return left, top, (canvas[0] + top + bottom, canvas[1] + left + right)


def pad_boxes(inpt: Any, padding: Any, padding_mode: str = "constant", **_: Any) -> Moved:
    """Boxes in an image with a border."""
    if padding_mode != "constant":
        raise ValueError(f"Padding mode '{padding_mode}' is not supported with bounding boxes")
    left, top, canvas = _padded(inpt.canvas_size, padding)
    moved = plain(inpt) + _like(inpt, _offset(inpt.format, left, top))
    return clamp(moved, inpt.format, canvas, inpt.clamping_mode), canvas


def pad_points(inpt: Any, padding: Any, padding_mode: str = "constant", **_: Any) -> Moved:
    """Points in an image with a border."""
    if padding_mode != "constant":
        raise ValueError(
            f"Padding mode '{padding_mode}' is not supported with KeyPoints "
            "(supported modes are constant)"
        )
    left, top, canvas = _padded(inpt.canvas_size, padding)
    return plain(inpt) + _like(inpt, [left, top]), canvas


def center_of(canvas: Canvas, output_size: Any) -> tuple[int, int, int, int]:
    """Top, left, height and width of the middle part."""
    height, width = layout.pair(output_size)
    return round((canvas[0] - height) / 2.0), round((canvas[1] - width) / 2.0), height, width


# Turns and bends


def _through(
    inpt: Any, move: Any, canvas: Canvas | None = None, exact: bool = True, whole: bool = False
) -> Tensor:
    """Corners of boxes, or points, through `move`, which takes and gives (n, 2).

    Where boxes are whole numbers, torchvision makes them floats before their format is changed
    (`exact`) or after it, and whole again at the end or before they are cut off (`whole`).
    """
    import rushlight

    values = plain(inpt)
    if not isinstance(inpt, BoundingBoxes):
        floats = values if values.is_floating_point() else values.float()
        return move(floats.reshape(-1, 2)).reshape(values.shape).to(values.dtype)
    format, kind = inpt.format, values.dtype
    turned = is_rotated_bounding_format(format)
    middle = F.XYXYXYXY if turned else F.XYXY
    floats = values.is_floating_point()
    boxes = convert(values.float() if exact and not floats else values, format, middle)
    boxes = boxes if floats or whole else boxes.float()
    if turned:
        out = upright_rectangles(move(boxes.reshape(-1, 2)).reshape(-1, 8))
    else:
        corners = _columns(boxes, 4, (0, 1, 2, 1, 2, 3, 0, 3)).reshape(-1, 2)
        moved = move(corners).reshape(-1, 4, 2)
        out = rushlight.cat([moved.amin(1), moved.amax(1)], dim=1)
    out = out.to(kind) if whole else out
    inside = clamp(out, middle, canvas or inpt.canvas_size, inpt.clamping_mode)
    return convert(inside, middle, format).reshape(values.shape).to(kind)


def affine(
    inpt: Any,
    angle: float,
    translate: Sequence[float],
    scale: float,
    shear: Any,
    center: Sequence[float] | None = None,
    expand: bool = False,
    **_: Any,
) -> Moved:
    """Boxes or points of an image that was turned, moved, scaled and sheared."""
    import rushlight

    if plain(inpt).numel() == 0:
        return plain(inpt), inpt.canvas_size
    height, width = inpt.canvas_size
    slant = [shear, 0.0] if isinstance(shear, int | float) else list(shear)
    slant = slant * 2 if len(slant) == 1 else slant
    middle = [width * 0.5, height * 0.5] if center is None else list(center)
    inverse = geometry._inverse_matrix(middle, angle, translate, scale, slant)
    forward = np.linalg.inv(np.array([*inverse, 0, 0, 1], np.float64).reshape(3, 3))[:2]
    canvas, corner = (height, width), np.zeros(2)
    if expand:
        edges = np.array([[0, 0, 1], [0, height, 1], [width, height, 1], [width, 0, 1]])
        corner = (edges @ forward.T).min(0)
        # As torchvision: its size is that of a turn about a point counted from the middle.
        new_width, new_height = geometry._turned_size(inverse, width, height)
        canvas = (new_height, new_width)

    def move(points: Tensor) -> Tensor:
        matrix = rushlight.as_tensor(forward.T.copy(), dtype=points.dtype)
        out: Tensor = points @ matrix[:2] + matrix[2]
        return out - rushlight.as_tensor(corner, dtype=points.dtype) if expand else out

    return _through(inpt, move, canvas), canvas


def rotate(
    inpt: Any, angle: float, expand: bool = False, center: Sequence[float] | None = None, **_: Any
) -> Moved:
    """Boxes or points of a turned image."""
    return affine(inpt, -angle, [0.0, 0.0], 1.0, [0.0, 0.0], center, expand)


def perspective(
    inpt: Any, startpoints: Any, endpoints: Any, coefficients: Any = None, **_: Any
) -> Moved:
    """Boxes or points of a projected image."""
    import rushlight

    if plain(inpt).numel() == 0:
        return plain(inpt), inpt.canvas_size
    found = coefficients_of(startpoints, endpoints, coefficients)
    matrix = np.array([*found, 1.0], np.float64).reshape(3, 3)
    denom = matrix[0, 0] * matrix[1, 1] - matrix[0, 1] * matrix[1, 0]
    if denom == 0:
        raise RuntimeError(
            f"Provided perspective_coeffs {found} can not be inverted to transform "
            f"{'bounding boxes' if isinstance(inpt, BoundingBoxes) else 'keypoints'}. "
            f"Denominator is zero, denom={denom}"
        )
    inverse = np.linalg.inv(matrix)
    inverse = inverse / inverse[2, 2]

    def move(points: Tensor) -> Tensor:
        theta = rushlight.as_tensor(inverse.T.copy(), dtype=points.dtype)
        out: Tensor = points @ theta[:2] + theta[2]
        return out[:, :2] / out[:, 2:]

    return _through(inpt, move, exact=False), inpt.canvas_size


def coefficients_of(startpoints: Any, endpoints: Any, coefficients: Any) -> list[float]:
    """The eight numbers of a projection, from four points and where they go, or as given."""
    if coefficients is not None:
        if startpoints is not None and endpoints is not None:
            raise ValueError(
                "The startpoints/endpoints and the coefficients shouldn't be defined concurrently."
            )
        if len(coefficients) != 8:
            raise ValueError("Argument coefficients should have 8 float values")
        return list(coefficients)
    if startpoints is None or endpoints is None:
        raise ValueError(
            "Either the startpoints/endpoints or the coefficients must have non `None` values."
        )
    return geometry._perspective_coefficients(startpoints, endpoints)


def elastic(inpt: Any, displacement: Tensor, **_: Any) -> Moved:
    """Boxes or points of a bent image: each goes back by the displacement where it lies."""
    import rushlight

    values, canvas = plain(inpt), inpt.canvas_size
    wanted = (1, canvas[0], canvas[1], 2)
    if not isinstance(displacement, Tensor):
        raise TypeError("Argument displacement should be a Tensor")
    if tuple(displacement.shape) != wanted:
        raise ValueError(
            f"Argument displacement shape should be {wanted}, but given {displacement.shape}"
        )
    if values.numel() == 0:
        return values, canvas
    height, width = canvas
    kind = np.dtype("float64" if values.dtype.name == "float64" else "float32")
    x = np.linspace((1 - width) / width, (width - 1) / width, width, dtype=kind)
    y = np.linspace((1 - height) / height, (height - 1) / height, height, dtype=kind)
    here = np.stack(np.broadcast_arrays(x[None, :], y[:, None]), -1)
    back = here - displacement.numpy()[0].astype(kind)
    size = np.array([width, height], kind)
    boxes = isinstance(inpt, BoundingBoxes)

    def move(points: Tensor) -> Tensor:
        up = boxes and points.is_floating_point()
        places = (points.ceil() if up else points).to(rushlight.int64).numpy()
        i, j = places[:, 1].clip(0, height - 1), places[:, 0].clip(0, width - 1)
        return rushlight.from_numpy((back[i, j] + 1) * (kind.type(0.5) * size) - kind.type(0.5))

    if boxes and is_rotated_bounding_format(inpt.format):  # the middle is moved, the rest stays
        turned = convert(values, inpt.format, F.CXCYWHR).reshape(-1, 5)
        moved = rushlight.cat([move(turned[:, :2]).to(values.dtype), turned[:, 2:]], dim=1)
        inside = clamp(moved, F.CXCYWHR, canvas, inpt.clamping_mode)
        return convert(inside, F.CXCYWHR, inpt.format).reshape(values.shape), canvas
    return _through(inpt, move, exact=False, whole=True), canvas
