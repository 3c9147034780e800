"""Boxes as numbers: their formats, and what sticks out of the image cut off.

All functions take and give plain tensors. Read next: `_points.py`, where transforms move them.
"""

from __future__ import annotations

import math
from typing import Any

from ....tensor import Tensor
from ...tv_tensors import BoundingBoxes, BoundingBoxFormat, is_rotated_bounding_format, wrap

F = BoundingBoxFormat
Canvas = tuple[int, int]


def named(format: Any) -> Any:
    """A format from its name, in small letters or large; anything else as it is."""
    return BoundingBoxFormat[format.upper()] if isinstance(format, str) else format


def is_pure_tensor(inpt: Any) -> bool:
    """Whether something is a tensor of no kind of `tv_tensors`.

    >>> is_pure_tensor(torch.ones(1))
    True
    """
    from ...tv_tensors import TVTensor

    return isinstance(inpt, Tensor) and not isinstance(inpt, TVTensor)


def plain(inpt: Any) -> Tensor:
    """A tensor without its kind."""
    out: Tensor = inpt.as_subclass(Tensor) if type(inpt) is not Tensor else inpt
    return out


def _halved(size: Tensor) -> Tensor:
    return size / 2 if size.is_floating_point() else size.div(2, rounding_mode="floor")


def _cat(*parts: Tensor) -> Tensor:
    import rushlight

    out: Tensor = rushlight.cat(parts, dim=-1)
    return out


def _stack(*parts: Tensor) -> Tensor:
    import rushlight

    out: Tensor = rushlight.stack(parts, dim=-1)
    return out


def convert(boxes: Tensor, old: BoundingBoxFormat, new: BoundingBoxFormat) -> Tensor:
    """Boxes in another format; whole numbers are rounded down."""
    if old is new:
        return boxes
    if is_rotated_bounding_format(old) != is_rotated_bounding_format(new):
        raise ValueError("Cannot convert between rotated and unrotated bounding boxes.")
    if is_rotated_bounding_format(old):
        return _from_xywhr(_to_xywhr(boxes, old), new)
    first, second = boxes[..., :2], boxes[..., 2:]
    if old is F.XYWH and new is F.CXCYWH:
        return _cat(first + _halved(second), second)
    if old is F.CXCYWH:
        low = first - second / 2
        if new is F.XYWH and boxes.is_floating_point():
            return _cat(low, second)
        first, second = low.to(boxes.dtype), (low + second).to(boxes.dtype)
    elif old is F.XYWH:
        second = first + second
    if new is F.XYXY:
        return _cat(first, second)
    size = second - first
    return _cat(first, size) if new is F.XYWH else _cat(_halved(first * 2 + size), size)


def _turn(degrees: Tensor) -> tuple[Tensor, Tensor]:
    radians = degrees * math.pi / 180.0
    return radians.cos(), radians.sin()


def _to_xywhr(boxes: Tensor, old: BoundingBoxFormat) -> Tensor:
    """The first corner, width, height and angle."""
    if old is F.XYWHR:
        return boxes
    if old is F.CXCYWHR:
        x, y, w, h, r = boxes.unbind(-1)
        cos, sin = _turn(r)
        return _stack(x - w / 2 * cos - h / 2 * sin, y + w / 2 * sin - h / 2 * cos, w, h, r)
    kind = boxes.dtype
    x1, y1, x2, y2, x3, y3 = (boxes if kind.name == "float64" else boxes.float()).unbind(-1)[:6]
    angle = (y1 - y2).atan2(x2 - x1) / math.pi * 180.0
    width = ((x2 - x1).pow(2) + (y2 - y1).pow(2)).sqrt()
    height = ((x3 - x2).pow(2) + (y3 - y2).pow(2)).sqrt()
    return _stack(x1, y1, width, height, angle).to(kind)


def _from_xywhr(boxes: Tensor, new: BoundingBoxFormat) -> Tensor:
    if new is F.XYWHR:
        return boxes
    x, y, w, h, r = boxes.unbind(-1)
    cos, sin = _turn(r)
    if new is F.CXCYWHR:
        return _stack(x + w / 2 * cos + h / 2 * sin, y - w / 2 * sin + h / 2 * cos, w, h, r)
    across, down = (w * cos, -w * sin), (h * sin, h * cos)
    return _stack(
        x,
        y,
        x + across[0],
        y + across[1],
        x + across[0] + down[0],
        y + across[1] + down[1],
        x + down[0],
        y + down[1],
    )


def convert_bounding_box_format(
    inpt: Tensor, old_format: Any = None, new_format: Any = None, inplace: bool = False
) -> Tensor:
    """Boxes in another format.

    Args:
        inpt: `BoundingBoxes`, or a plain tensor of boxes.
        old_format: of a plain tensor.
        new_format: a `BoundingBoxFormat` or its name.
        inplace: write the result into `inpt`, where the number of columns allows it.

    Raises:
        TypeError: no `new_format`, or something else than boxes.
        ValueError: turned boxes to boxes that are not, or the other way.

    >>> convert_bounding_box_format(torch.tensor([[1, 2, 3, 5]]), "XYXY", "XYWH")
    tensor([[1, 2, 2, 3]])
    """
    if new_format is None:
        raise TypeError("convert_bounding_box_format() missing 1 required argument: 'new_format'")
    old, new = named(old_format), named(new_format)
    if isinstance(inpt, BoundingBoxes):
        if old is not None:
            raise ValueError(
                "For bounding box tv_tensor inputs, `old_format` must not be passed."
            )
        old = inpt.format
    elif not is_pure_tensor(inpt):
        raise TypeError(
            "Input can either be a plain tensor or a bounding box tv_tensor, "
            f"but got {type(inpt)} instead."
        )
    elif old is None:
        raise ValueError("For pure tensor inputs, `old_format` has to be passed.")
    boxes = plain(inpt)
    out = convert(boxes, old, new)
    if inplace and out.shape == boxes.shape:
        out = boxes.copy_(out)
    if isinstance(inpt, BoundingBoxes):
        made: Tensor = wrap(out, like=inpt, format=new)
        return made
    return out


# What sticks out


def clamp(boxes: Tensor, format: BoundingBoxFormat, canvas: Any, mode: str | None) -> Tensor:
    """Boxes cut off at the edges of the image."""
    if mode is None:
        return boxes.clone()
    if is_rotated_bounding_format(format):
        return _clamp_rotated(boxes, format, canvas, mode)
    kind = boxes.dtype
    corners = convert(boxes if boxes.is_floating_point() else boxes.float(), format, F.XYXY)
    height, width = canvas
    x1, y1, x2, y2 = corners.unbind(-1)
    inside = _stack(
        x1.clamp(0, width), y1.clamp(0, height), x2.clamp(0, width), y2.clamp(0, height)
    )
    return convert(inside, F.XYXY, format).to(kind)


def clamp_bounding_boxes(
    inpt: Tensor, format: Any = None, canvas_size: Any = None, clamping_mode: str | None = "auto"
) -> Tensor:
    """Boxes cut off at the edges of the image.

    Args:
        inpt: `BoundingBoxes`, or a plain tensor of boxes with the further arguments.
        format, canvas_size: of a plain tensor.
        clamping_mode: "soft", "hard", None, or "auto" for that of the boxes.

    >>> clamp_bounding_boxes(torch.tensor([[-1, 2, 30, 5]]), "XYXY", (10, 20), "soft")
    tensor([[ 0,  2, 20,  5]])
    """
    if clamping_mode is not None and clamping_mode not in ("soft", "hard", "auto"):
        raise ValueError(f"clamping_mode must be soft, hard, auto or None, got {clamping_mode}")
    if isinstance(inpt, BoundingBoxes):
        if format is not None or canvas_size is not None:
            raise ValueError(
                "For bounding box tv_tensor inputs, `format` and `canvas_size` must not be passed."
            )
        mode = inpt.clamping_mode if clamping_mode == "auto" else clamping_mode
        made: Tensor = wrap(clamp(plain(inpt), inpt.format, inpt.canvas_size, mode), like=inpt)
        return made
    if not is_pure_tensor(inpt):
        raise TypeError(
            "Input can either be a plain tensor or a bounding box tv_tensor, "
            f"but got {type(inpt)} instead."
        )
    if format is None or canvas_size is None or clamping_mode == "auto":
        raise ValueError(
            "For pure tensor inputs, `format`, `canvas_size` and `clamping_mode` have to be passed."
        )
    return clamp(inpt, named(format), canvas_size, clamping_mode)


def _clamp_rotated(boxes: Tensor, format: BoundingBoxFormat, canvas: Any, mode: str) -> Tensor:
    """Four times: the corner furthest to the left first, cut off there, the image turned by 90."""
    shape = boxes.shape
    now = convert(boxes.clone(), format, F.XYXYXYXY).reshape(-1, 8)
    before = now
    height, width = canvas
    for _ in range(4):
        order = _order(now)
        now, before = now.gather(1, order), before.gather(1, order)
        now = _clamp_left(now, before, (height, width), mode)
        # As torchvision does: the same gather again, which undoes an order of pairs.
        now, before = now.gather(1, order), before.gather(1, order)
        now, before = (
            _stack(b[:, 1::2], width - b[:, ::2]).reshape(-1, 8) for b in (now, before)
        )
        height, width = width, height
    return convert(now, F.XYXYXYXY, format).reshape(shape)


def _order(boxes: Tensor) -> Tensor:
    """The columns of each box, beginning with the corner furthest to the left, then the highest."""
    import rushlight

    x, y = boxes[..., ::2], boxes[..., 1::2]
    far = [v.abs().max(dim=1, keepdim=True)[0] for v in (x, y)]
    first = (y / far[1] + x / far[0] * 100).min(dim=1)[1]
    steps = rushlight.ones_like(boxes)
    steps[..., 0] = first.mul(2).to(steps.dtype)
    return steps.cumsum(1).remainder(8).to(rushlight.int64)


def _lines(boxes: Tensor) -> tuple[Tensor, Tensor]:
    """Slope and height at zero of the four sides."""
    x, y = boxes[..., ::2], boxes[..., 1::2]
    slope = y.diff(append=y[..., 0:1]) / x.diff(append=x[..., 0:1])
    return slope, y - slope * x


def _clamp_left(boxes: Tensor, before: Tensor, canvas: Canvas, mode: str) -> Tensor:
    import rushlight

    slope, _ = _lines(boxes)
    x1, y1, x2, y2, x3, y3, x4, y4 = boxes.unbind(-1)
    height = _heights(boxes, before, canvas, mode)
    # The corners are where the moved sides meet.
    x = height.diff(prepend=height[..., 3:4]).neg() / slope.diff(prepend=slope[..., 3:4])
    met = _stack(x, slope * x + height).reshape(-1, 8)
    upright = boxes.clone()
    upright[..., 0].clamp_(0)
    upright[..., 6].clamp_(0)
    flat = y1.isclose(y2) | y3.isclose(y4)
    gone = (x1 <= 0) & (x2 <= 0) & (x3 <= 0) & (x4 <= 0)
    gone = gone | y1.isclose(y4) | y2.isclose(y3) | (flat & x1.isclose(x2))
    turned = (x1 < 0) & ~met.isnan().any(-1)
    for chosen, case in ((turned, met), (flat, upright), (gone, rushlight.zeros_like(boxes))):
        boxes = rushlight.where(chosen.unsqueeze(1), case, boxes)
    return boxes


def _heights(boxes: Tensor, before: Tensor, canvas: Canvas, mode: str) -> Tensor:
    """Where the four sides meet the left edge of the image, moved into it."""
    import rushlight

    height, width = canvas
    a1, a2, a3, a4 = (a for a in _lines(boxes)[0].unbind(-1))
    b1, b2, b3, b4 = (b for b in _lines(boxes)[1].unbind(-1))
    m1, m2, m3, m4 = (b for b in _lines(before)[1].unbind(-1))
    b1 = b2.clamp(b1, b3).clamp(0, height)
    b4 = b3.clamp(b2, b4).clamp(0, height)
    if mode == "hard":
        b1 = b4 = (b1 + b4) / 2
        above = [b1 * a2 / a1, b3 * a2 / a3, (a1 - a2) * width + b1, (a3 - a2) * width + b3]
        b2 = rushlight.stack(above, 1).max(dim=1)[0].clamp(max=b2)
        below = [
            height * (1 - a3 / a4) + b4 * a3 / a4,
            height * (1 - a3 / a2) + b2 * a3 / a2,
            (a2 - a3) * width + b2,
            (a4 - a3) * width + b4,
        ]
        b3 = rushlight.stack(below, 1).min(dim=1)[0].clamp(min=b3)
    # Torchvision clamps in place, and in the hard mode b1 and b4 are one tensor: both bounds hold.
    b1, b3, b2 = b1.clamp(m1, m3), b3.clamp(m1, m3), b2.clamp(m2, m4)
    b4 = (b1 if mode == "hard" else b4).clamp(m2, m4)
    return _stack(b4 if mode == "hard" else b1, b2, b3, b4)


def upright_rectangles(corners: Tensor) -> Tensor:
    """Parallelograms (N, 8) as the turned rectangles around them."""
    import rushlight

    kind = corners.dtype
    points = corners if kind.name in ("float32", "float64") else corners.float()
    x1, y1, x2, y2, x3, y3, x4, y4 = points.unbind(-1)
    cx, cy = (x1 + x3) / 2, (y1 + y3) / 2
    one = ((x2 - x1).pow(2) + (y2 - y1).pow(2)).sqrt()
    other = ((x4 - x1).pow(2) + (y4 - y1).pow(2)).sqrt()
    angle_one, angle_other = (y1 - y2).atan2(x2 - x1), (y1 - y4).atan2(x4 - x1)
    between = angle_one - angle_other
    sign = rushlight.where(between > math.pi / 2, -1, 1)
    cos, sin = between.cos(), between.sin()
    w = rushlight.where(one < other, one * sin, one + other * cos * sign)
    h = rushlight.where(one > other, other * sin, other + one * cos * sign)
    angle = rushlight.where(other > one, angle_other + math.pi / 2, angle_one)
    cos, sin = angle.cos(), angle.sin()
    ax, ay, dx, dy = w / 2 * cos, w / 2 * sin, h / 2 * sin, h / 2 * cos
    out = _stack(
        cx - ax - dx,
        cy - dy + ay,
        cx + ax - dx,
        cy - dy - ay,
        cx + ax + dx,
        cy + dy - ay,
        cx - ax + dx,
        cy + dy + ay,
    )
    return out.to(kind)


# What is left over


def sanitize_mask(
    boxes: Tensor, format: Any, canvas_size: Any, min_size: float = 1.0, min_area: float = 1.0
) -> Tensor:
    """Which boxes are large enough and inside the image."""
    import rushlight

    format = named(format)
    height, width = canvas_size
    if is_rotated_bounding_format(format):
        sizes = convert(boxes, format, F.XYWHR)
        corners = convert(sizes, F.XYWHR, F.XYXYXYXY)
        w, h = sizes[:, 2], sizes[:, 3]
    else:
        corners = convert(boxes, format, F.XYXY)
        w, h = corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]
    valid = (w >= min_size) & (h >= min_size) & (w * h >= min_area)
    x, y = corners[:, ::2], corners[:, 1::2]
    inside = (x >= 0) & (x <= width) & (y >= 0) & (y <= height)
    out: Tensor = rushlight.logical_and(valid, inside.all(-1))
    return out
