"""Where pixels lie: resize, crop, pad and flip.

Pillow images go to Pillow, tensors to `interpolate`, slices and `pad`. Not here: what turns or
bends an image (`geometry.py`).
"""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import dtypes
from ...errors import message
from ...tensor import Tensor
from .._pillow import pillow
from .image import (
    Image,
    InterpolationMode,
    as_batch,
    check_image_tensor,
    check_pil,
    get_dimensions,
    get_image_num_channels,
    mode_of,
    pil_modes_mapping,
)

PADDING_MODES = ("constant", "edge", "reflect", "symmetric")

# Size


def resize(
    img: Image,
    size: int | Sequence[int],
    interpolation: InterpolationMode | int = InterpolationMode.BILINEAR,
    max_size: int | None = None,
    antialias: bool | None = True,
) -> Image:
    """Resize to (height, width); one number is the length of the shorter edge.

    Args:
        img: a Pillow image (resized by Pillow) or a tensor (by `interpolate`).
        size: (height, width), or the shorter edge.
        interpolation: how to fill in.
        max_size: with one number: the longer edge is at most this.
        antialias: for tensors: smooth when shrinking. Pillow always does.

    >>> resize(torch.zeros(1, 20, 30), 10).shape
    torch.Size([1, 10, 15])
    """
    mode = mode_of(interpolation)
    if isinstance(size, list | tuple):
        if len(size) not in (1, 2):
            raise ValueError(
                f"Size must be an int or a 1 or 2 element tuple/list, not a {len(size)} element "
                "tuple/list"
            )
        if max_size is not None and len(size) != 1:
            raise ValueError(
                "max_size should only be passed if size specifies the length of the smaller edge, "
                "i.e. size should be an int or a sequence of length 1 in torchscript mode."
            )
    _, height, width = get_dimensions(img)
    edges: Sequence[int] = [size] if isinstance(size, int) else size
    target = _resized(height, width, edges, max_size)
    if target == (height, width):
        return img
    if isinstance(img, Tensor):
        return _resize_tensor(img, target, mode, antialias)
    if antialias is False:
        warnings.warn(
            "Anti-alias option is always applied for PIL Image input. "
            "Argument antialias is ignored.",
            stacklevel=2,
        )
    return img.resize(target[::-1], pil_modes_mapping[mode])


def _resized(
    height: int, width: int, edges: Sequence[int], max_size: int | None
) -> tuple[int, int]:
    if len(edges) == 2:
        return edges[0], edges[1]
    short, long = sorted((height, width))
    new_short, new_long = edges[0], int(edges[0] * long / short)
    if max_size is not None:
        if max_size <= new_short:
            raise ValueError(
                f"max_size = {max_size} must be strictly greater than the requested size for the "
                f"smaller edge size = {edges}"
            )
        if new_long > max_size:
            new_short, new_long = int(max_size * new_short / new_long), max_size
    return (new_long, new_short) if width <= height else (new_short, new_long)


def _resize_tensor(
    img: Tensor, target: tuple[int, int], mode: InterpolationMode, antialias: bool | None
) -> Tensor:
    from ...nn.functional import interpolate

    smooth = mode in (InterpolationMode.BILINEAR, InterpolationMode.BICUBIC)
    wide = img.dtype.name in ("float32", "float64")
    batch, restore = as_batch(img, img.dtype if wide else dtypes.float32)
    out = interpolate(
        batch,
        size=target,
        mode=mode.value,
        align_corners=False if smooth else None,
        antialias=bool(antialias) and smooth,
    )
    if mode is InterpolationMode.BICUBIC and img.dtype.name == "uint8":
        out = out.clamp(min=0, max=255)  # a cubic overshoots
    return restore(out)


# Parts


def crop(img: Image, top: int, left: int, height: int, width: int) -> Image:
    """The part that begins at (top, left); what lies outside the image is zero.

    >>> crop(torch.arange(6).reshape(1, 2, 3), 0, 2, 2, 2)
    tensor([[[2, 0],
             [5, 0]]])
    """
    right, bottom = left + width, top + height
    if not isinstance(img, Tensor):
        check_pil(img)
        return img.crop((left, top, right, bottom))
    _, h, w = get_dimensions(img)
    if left >= 0 and top >= 0 and right <= w and bottom <= h:
        return img[..., top:bottom, left:right]
    outside = [
        max(min(0, right) - left, 0),
        max(min(0, bottom) - top, 0),
        max(right - max(w, left), 0),
        max(bottom - max(h, top), 0),
    ]
    return pad(img[..., max(top, 0) : bottom, max(left, 0) : right], outside, 0)


def center_crop(img: Image, output_size: int | Sequence[int]) -> Image:
    """The middle (height, width), padded with zeros where the image is smaller.

    >>> center_crop(torch.arange(9).reshape(1, 3, 3), 1)
    tensor([[[4]]])
    """
    height, width = pair(output_size)
    _, h, w = get_dimensions(img)
    if width > w or height > h:
        more_w, more_h = max(width - w, 0), max(height - h, 0)
        img = pad(img, [more_w // 2, more_h // 2, (more_w + 1) // 2, (more_h + 1) // 2], 0)
        _, h, w = get_dimensions(img)
    return crop(img, round((h - height) / 2.0), round((w - width) / 2.0), height, width)


def resized_crop(
    img: Image,
    top: int,
    left: int,
    height: int,
    width: int,
    size: int | Sequence[int],
    interpolation: InterpolationMode | int = InterpolationMode.BILINEAR,
    antialias: bool | None = True,
) -> Image:
    """`crop`, then `resize`.

    >>> resized_crop(torch.zeros(1, 9, 9), 1, 1, 4, 4, (8, 8)).shape
    torch.Size([1, 8, 8])
    """
    img = crop(img, top, left, height, width)
    return resize(img, size, interpolation, antialias=antialias)


def five_crop(img: Image, size: int | Sequence[int]) -> tuple[Image, ...]:
    """The four corners (top left, top right, bottom left, bottom right) and the middle.

    >>> [int(x) for x in five_crop(torch.arange(9).reshape(1, 3, 3), 1)]
    [0, 2, 6, 8, 4]
    """
    height, width = pair(size)
    _, h, w = get_dimensions(img)
    if width > w or height > h:
        raise ValueError(
            f"Requested crop size {(height, width)} is bigger than input size {(h, w)}"
        )
    corners = [(top, left) for top in (0, h - height) for left in (0, w - width)]
    parts = [crop(img, top, left, height, width) for top, left in corners]
    return (*parts, center_crop(img, [height, width]))


def ten_crop(
    img: Image, size: int | Sequence[int], vertical_flip: bool = False
) -> tuple[Image, ...]:
    """`five_crop` of the image and of its mirror image (upside down with `vertical_flip`).

    >>> [int(x) for x in ten_crop(torch.arange(4).reshape(1, 2, 2), [1])][5:]
    [1, 0, 3, 2, 1]
    """
    edges = pair(size)
    mirrored = vflip(img) if vertical_flip else hflip(img)
    return five_crop(img, edges) + five_crop(mirrored, edges)


def pair(size: Any, error: str = "Please provide only two dimensions (h, w) for size.") -> Any:
    """(height, width) from one number or a sequence of one or two."""
    if isinstance(size, numbers.Number):
        return int(size), int(size)  # type: ignore[call-overload]
    if len(size) == 1:
        return size[0], size[0]
    if len(size) != 2:
        raise ValueError(error)
    return size


# Border


def pad(
    img: Image,
    padding: int | Sequence[int],
    fill: float | Sequence[float] | None = 0,
    padding_mode: str = "constant",
) -> Image:
    """Add a border; a negative width takes away.

    Args:
        img: a Pillow image or a tensor.
        padding: one width, (left and right, top and bottom), or (left, top, right, bottom).
        fill: the value of a constant border; for Pillow images also one a channel.
        padding_mode: "constant", "edge", "reflect" (without the edge) or "symmetric" (with it).

    >>> pad(torch.tensor([[[1, 2, 3]]]), (1, 0), padding_mode="reflect")
    tensor([[[2, 1, 2, 3, 2]]])
    """
    if isinstance(img, Tensor):
        check_image_tensor(img)
        fill = 0 if fill is None else fill
        if not isinstance(fill, int | float):
            raise TypeError("Got inappropriate fill arg")
    else:
        check_pil(img)
    check_padding(padding, 0 if fill is None else fill, padding_mode)
    sides = _sides(padding)
    if isinstance(img, Tensor):
        return _pad_tensor(img, sides, fill, padding_mode)
    return _pad_pil(img, sides, fill, padding_mode)


def check_padding(padding: Any, fill: Any, padding_mode: Any) -> None:
    """The errors of a border that cannot be."""
    if not isinstance(padding, numbers.Number | tuple | list):
        raise TypeError("Got inappropriate padding arg")
    if not isinstance(fill, numbers.Number | tuple | list):
        raise TypeError("Got inappropriate fill arg")
    if isinstance(padding, Sequence) and len(padding) not in (1, 2, 4):
        raise ValueError(
            "Padding must be an int or a 1, 2, or 4 element tuple, "
            f"not a {len(padding)} element tuple"
        )
    if not isinstance(padding_mode, str):
        raise TypeError("Got inappropriate padding_mode arg")
    if padding_mode not in PADDING_MODES:
        raise ValueError("Padding mode should be either constant, edge, reflect or symmetric")


def _sides(padding: Any) -> tuple[int, int, int, int]:
    """Left, top, right, bottom."""
    if not isinstance(padding, Sequence):
        return padding, padding, padding, padding
    left, top, right, bottom = (list(padding) * 4)[:4]
    return left, top, right, bottom


def _pad_tensor(img: Tensor, sides: tuple[int, int, int, int], fill: Any, mode: str) -> Tensor:
    left, top, right, bottom = sides
    if mode == "constant":
        from ...nn.functional import pad as pad_tensor

        return pad_tensor(img, (left, right, top, bottom), value=float(fill))
    if min(sides) < 0:
        img = img[..., max(-top, 0) :, max(-left, 0) :]
        img = img[..., : img.shape[-2] - max(-bottom, 0), : img.shape[-1] - max(-right, 0)]
        left, top, right, bottom = (max(n, 0) for n in sides)
    height, width = img.shape[-2:]
    if mode == "reflect" and (max(left, right) >= width or max(top, bottom) >= height):
        raise RuntimeError(
            message(
                "Padding size should be less than the corresponding input dimension",
                f"padding {sides} of (left, top, right, bottom) for input {tuple(img.shape)}",
                "a border narrower than the image: its edge is not repeated",
                "padding_mode='symmetric' or 'edge'",
            )
        )
    rows = np.pad(np.arange(height), (top, bottom), mode)  # type: ignore[call-overload]
    columns = np.pad(np.arange(width), (left, right), mode)  # type: ignore[call-overload]
    return img[..., Tensor._wrap(rows)[:, None], Tensor._wrap(columns)]


def _pad_pil(img: Any, sides: tuple[int, int, int, int], fill: Any, mode: str) -> Any:
    left, top, right, bottom = sides
    palette = img.getpalette() if img.mode == "P" else None
    if mode == "constant":
        size = (img.width + left + right, img.height + top + bottom)
        out = pillow().new(img.mode, size, pil_fill(fill, img))
        if palette is not None:
            out.putpalette(palette)
        out.paste(img, (left, top))
        return out
    if min(sides) < 0:
        cut = [max(-n, 0) for n in sides]
        img = img.crop((cut[0], cut[1], img.width - cut[2], img.height - cut[3]))
        left, top, right, bottom = (max(n, 0) for n in sides)
    array = np.asarray(img)
    widths = [(top, bottom), (left, right)] + [(0, 0)] * (array.ndim - 2)
    out = pillow().fromarray(np.pad(array, widths, mode))  # type: ignore[call-overload]
    if palette is not None:
        out.putpalette(palette)
    return out


def pil_fill(fill: Any, img: Any) -> Any:
    """A colour as Pillow wants it: one whole number a channel (a float for mode "F")."""
    channels = get_image_num_channels(img)
    fill = 0 if fill is None else fill
    if isinstance(fill, int | float) and channels > 1:
        fill = (fill,) * channels
    whole = img.mode != "F"
    if not isinstance(fill, list | tuple):
        return int(fill) if whole else fill
    if len(fill) == 1:
        fill = tuple(fill) * channels
    elif len(fill) != channels:
        raise ValueError(
            "The number of elements in 'fill' does not match the number of channels of the image "
            f"({len(fill)} != {channels})"
        )
    return tuple(int(x) for x in fill) if whole else tuple(fill)


# Mirrors


def hflip(img: Image) -> Image:
    """Left and right exchanged.

    >>> hflip(torch.tensor([[[1, 2]]]))
    tensor([[[2, 1]]])
    """
    if isinstance(img, Tensor):
        check_image_tensor(img)
        return img.flip(-1)
    check_pil(img)
    return img.transpose(pillow().Transpose.FLIP_LEFT_RIGHT)


def vflip(img: Image) -> Image:
    """Top and bottom exchanged.

    >>> vflip(torch.tensor([[[1], [2]]]))
    tensor([[[2],
             [1]]])
    """
    if isinstance(img, Tensor):
        check_image_tensor(img)
        return img.flip(-2)
    check_pil(img)
    return img.transpose(pillow().Transpose.FLIP_TOP_BOTTOM)
