"""Mirrors, sizes, parts and borders: flips, resize, crops, pad.

Not here: what turns and bends (`_geometry.py`); the arithmetic of boxes and points
(`../_points.py`) and of images (`../../layout.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .....tensor import Tensor
from ... import functional as first
from ... import layout
from ...image import InterpolationMode
from .. import _points
from .._boxes import plain
from .._kernels import dispatch, kernels
from ._interpolation import BILINEAR, NEAREST, Fill, Mode, _mode

# Mirrors


@kernels(
    layout.hflip,
    mask=layout.hflip,
    boxes=lambda inpt: _points.flip_boxes(inpt, 0),
    points=lambda inpt: _points.flip_points(inpt, 0),
)
def horizontal_flip(inpt: Any) -> Any:
    """Left and right exchanged.

    >>> horizontal_flip(torch.tensor([[[1, 2]]]))
    tensor([[[2, 1]]])
    """
    return dispatch(horizontal_flip, inpt)


@kernels(
    layout.vflip,
    mask=layout.vflip,
    boxes=lambda inpt: _points.flip_boxes(inpt, 1),
    points=lambda inpt: _points.flip_points(inpt, 1),
)
def vertical_flip(inpt: Any) -> Any:
    """Top and bottom exchanged.

    >>> vertical_flip(torch.tensor([[[1], [2]]])).flatten()
    tensor([2, 1])
    """
    return dispatch(vertical_flip, inpt)


hflip, vflip = horizontal_flip, vertical_flip

# Sizes, parts and borders


def _resize(
    inpt: Any,
    size: Any,
    interpolation: Mode = BILINEAR,
    max_size: int | None = None,
    antialias: bool | None = True,
) -> Any:
    height, width = first.get_dimensions(inpt)[1:]
    target = _points.resized((height, width), size, max_size)
    return layout.resize(inpt, list(target), _mode(interpolation), antialias=antialias)


def _resize_mask(
    inpt: Any, size: Any, interpolation: Mode = NEAREST, max_size: int | None = None, **_: Any
) -> Any:
    mode = _mode(interpolation)
    mode = mode if mode is InterpolationMode.NEAREST_EXACT else NEAREST
    return _resize(inpt, size, mode, max_size)


@kernels(_resize, mask=_resize_mask, boxes=_points.resize_boxes, points=_points.resize_points)
def resize(
    inpt: Any,
    size: int | Sequence[int] | None,
    interpolation: Mode = BILINEAR,
    max_size: int | None = None,
    antialias: bool | None = True,
) -> Any:
    """Resize to (height, width); one number is the length of the shorter edge.

    Args:
        inpt: an image, video, mask, boxes or points. Masks are read at the nearest pixel.
        size: (height, width), the shorter edge, or None with `max_size` for the longer one.
        interpolation: how to fill in: a mode, its name or Pillow's number.
        max_size: the longer edge is at most this.
        antialias: for tensors: smooth when shrinking. Pillow always does.

    >>> resize(torch.zeros(1, 20, 30), [10]).shape
    torch.Size([1, 10, 15])
    """
    return dispatch(
        resize, inpt, size, interpolation=interpolation, max_size=max_size, antialias=antialias
    )


@kernels(layout.crop, mask=layout.crop, boxes=_points.crop_boxes, points=_points.crop_points)
def crop(inpt: Any, top: int, left: int, height: int, width: int) -> Any:
    """The part that begins at (top, left); what lies outside the image is zero.

    >>> crop(torch.arange(6).reshape(1, 2, 3), 0, 2, 2, 1).flatten()
    tensor([2, 5])
    """
    return dispatch(crop, inpt, top=top, left=left, height=height, width=width)


def _center_moved(move: Any) -> Any:
    def kernel(inpt: Any, output_size: Any) -> Any:
        return move(inpt, *_points.center_of(inpt.canvas_size, output_size))

    return kernel


@kernels(
    layout.center_crop,
    mask=layout.center_crop,
    boxes=_center_moved(_points.crop_boxes),
    points=_center_moved(_points.crop_points),
)
def center_crop(inpt: Any, output_size: int | Sequence[int]) -> Any:
    """The middle (height, width), padded with zeros where the image is smaller.

    >>> center_crop(torch.arange(9).reshape(1, 3, 3), [1])
    tensor([[[4]]])
    """
    return dispatch(center_crop, inpt, output_size=output_size)


def _resized_part(
    inpt: Any, top: int, left: int, height: int, width: int, size: Any, **kwargs: Any
) -> Any:
    return resize(crop(inpt, top, left, height, width), size, **kwargs)


def _resized_moved(inpt: Any, *args: Any, **kwargs: Any) -> Any:
    out = _resized_part(inpt, *args, **kwargs)
    return plain(out), out.canvas_size


def _resized_mask(inpt: Any, *args: Any, **kwargs: Any) -> Any:
    return _resized_part(inpt, *args, **{**kwargs, "interpolation": NEAREST})


@kernels(_resized_part, mask=_resized_mask, boxes=_resized_moved, points=_resized_moved)
def resized_crop(
    inpt: Any,
    top: int,
    left: int,
    height: int,
    width: int,
    size: int | Sequence[int],
    interpolation: Mode = BILINEAR,
    antialias: bool | None = True,
) -> Any:
    """`crop`, then `resize`.

    >>> resized_crop(torch.zeros(1, 9, 9), 1, 1, 4, 4, [8, 8]).shape
    torch.Size([1, 8, 8])
    """
    return dispatch(
        resized_crop,
        inpt,
        top=top,
        left=left,
        height=height,
        width=width,
        size=size,
        interpolation=interpolation,
        antialias=antialias,
    )


@kernels(layout.five_crop)
def five_crop(inpt: Any, size: int | Sequence[int]) -> Any:
    """The four corners and the middle of an image or video.

    >>> [int(x) for x in five_crop(torch.arange(9).reshape(1, 3, 3), [1])]
    [0, 2, 6, 8, 4]
    """
    return dispatch(five_crop, inpt, size=size)


@kernels(layout.ten_crop)
def ten_crop(inpt: Any, size: int | Sequence[int], vertical_flip: bool = False) -> Any:
    """`five_crop` of the image or video and of its mirror image.

    >>> len(ten_crop(torch.arange(9).reshape(1, 3, 3), [1]))
    10
    """
    return dispatch(ten_crop, inpt, size=size, vertical_flip=vertical_flip)


def _pad(inpt: Any, padding: Any, fill: Fill = None, padding_mode: str = "constant") -> Any:
    if not isinstance(inpt, Tensor) or fill is None or isinstance(fill, int | float):
        return layout.pad(inpt, padding, fill, padding_mode)
    if len(fill) == 1:
        return layout.pad(inpt, padding, fill[0], padding_mode)
    if padding_mode != "constant":
        raise ValueError(f"Padding mode '{padding_mode}' is not supported if fill is not scalar")
    import rushlight

    out = layout.pad(inpt, padding, 0)
    left, top, right, bottom = layout._sides(padding)
    height, width = out.shape[-2:]
    inside = rushlight.zeros(height, width, dtype=rushlight.bool)
    inside[top : height - bottom, left : width - right] = True
    colour = rushlight.as_tensor(list(fill)).to(out.dtype).reshape(-1, 1, 1)
    return rushlight.where(inside, out, colour)


def _pad_mask(inpt: Any, padding: Any, fill: Fill = None, padding_mode: str = "constant") -> Any:
    if isinstance(fill, tuple | list):
        raise ValueError("Non-scalar fill value is not supported")
    return _pad(inpt, padding, fill, padding_mode)


@kernels(_pad, mask=_pad_mask, boxes=_points.pad_boxes, points=_points.pad_points)
def pad(
    inpt: Any,
    padding: int | Sequence[int],
    fill: Fill = None,
    padding_mode: str = "constant",
) -> Any:
    """Add a border.

    Args:
        inpt: an image, video, mask, boxes or points.
        padding: one width, (left and right, top and bottom), or (left, top, right, bottom).
        fill: the value of a constant border, also one a channel.
        padding_mode: "constant", "edge", "reflect" or "symmetric"; boxes and points take the first.

    >>> pad(torch.tensor([[[1, 2, 3]]]), [1, 0], padding_mode="reflect")
    tensor([[[2, 1, 2, 3, 2]]])
    """
    return dispatch(pad, inpt, padding=padding, fill=fill, padding_mode=padding_mode)
