"""Transforms of one image as functions: Pillow images, and tensors of shape (..., C, H, W).

Not here: the classes that hold parameters (`transforms.py`).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np

from ...errors import message
from ...tensor import Tensor
from .._pillow import is_pil, pillow

Image = Any  # a PIL.Image.Image or a Tensor
_WIDE_MODES = {"I": np.int32, "I;16": np.int16, "I;16B": np.int16, "F": np.float32}


class InterpolationMode(Enum):
    """How `resize` fills in between pixels."""

    NEAREST = "nearest"
    NEAREST_EXACT = "nearest-exact"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    BOX = "box"
    HAMMING = "hamming"
    LANCZOS = "lanczos"


_PIL_CODES = {
    InterpolationMode.NEAREST: 0,
    InterpolationMode.NEAREST_EXACT: 0,
    InterpolationMode.LANCZOS: 1,
    InterpolationMode.BILINEAR: 2,
    InterpolationMode.BICUBIC: 3,
    InterpolationMode.BOX: 4,
    InterpolationMode.HAMMING: 5,
}


# Sizes


def get_dimensions(img: Image) -> list[int]:
    """Channels, height and width."""
    if isinstance(img, Tensor):
        if img.ndim < 2:
            raise TypeError("Tensor is not a torch image.")
        channels = img.shape[-3] if img.ndim > 2 else 1
        return [channels, img.shape[-2], img.shape[-1]]
    if is_pil(img):
        return [len(img.getbands()), img.size[1], img.size[0]]
    raise TypeError(f"Unexpected type {type(img)}: expected a PIL Image or a Tensor")


def get_image_size(img: Image) -> list[int]:
    """Width and height."""
    return get_dimensions(img)[:0:-1]


def get_image_num_channels(img: Image) -> int:
    """Number of channels."""
    return get_dimensions(img)[0]


# To and from tensors


def to_tensor(pic: Any) -> Tensor:
    """A Pillow image or an (H, W[, C]) array as a (C, H, W) tensor; bytes become floats in [0, 1].

    Raises:
        TypeError: `pic` is neither.
        ValueError: an array of other than two or three dimensions.

    >>> to_tensor(np.full((1, 2), 255, np.uint8))
    tensor([[[1., 1.]]])
    """
    import rushlight

    if isinstance(pic, np.ndarray):
        if pic.ndim not in (2, 3):
            raise ValueError(f"pic should be 2/3 dimensional. Got {pic.ndim} dimensions.")
        array = pic
    elif is_pil(pic):
        array = np.array(pic, _WIDE_MODES.get(pic.mode, np.uint8))
        if pic.mode == "1":
            array *= 255
    else:
        raise TypeError(f"pic should be PIL Image or ndarray. Got {type(pic)}")
    array = array[None] if array.ndim == 2 else array.transpose(2, 0, 1)
    if array.dtype == np.uint8:
        wide = rushlight.get_default_dtype().np
        return Tensor._wrap(np.true_divide(array, wide.type(255), dtype=wide, order="C"))
    return rushlight.from_numpy(np.ascontiguousarray(array))


def pil_to_tensor(pic: Any) -> Tensor:
    """A Pillow image as a (C, H, W) tensor of its own type: no scaling."""
    import rushlight

    if not is_pil(pic):
        raise TypeError(f"pic should be PIL Image. Got {type(pic)}")
    array = np.array(pic)
    array = array[None] if array.ndim == 2 else array.transpose(2, 0, 1)
    return rushlight.from_numpy(np.ascontiguousarray(array))


def to_pil_image(pic: Any, mode: str | None = None) -> Any:
    """A (C, H, W) or (H, W) tensor, or an (H, W[, C]) array, as a Pillow image.

    Floats in [0, 1] become bytes. `mode` is Pillow's; None chooses it from type and channels.
    """
    if isinstance(pic, Tensor):
        array = pic.detach().cpu().numpy()
        array = array.transpose(1, 2, 0) if array.ndim == 3 else array
    elif isinstance(pic, np.ndarray):
        array = pic
    else:
        raise TypeError(f"pic should be Tensor or ndarray. Got {type(pic)}.")
    if array.ndim == 2:
        array = array[:, :, None]
    if array.ndim != 3:
        raise ValueError(f"pic should be 2/3 dimensional. Got {array.ndim} dimensions.")
    channels = array.shape[2]
    if channels > 4:
        raise ValueError(f"pic should not have > 4 channels. Got {channels} channels.")
    if array.dtype.kind == "f" and mode != "F":
        array = (array * 255).astype(np.uint8)
    if channels == 1:
        array = array[:, :, 0]
    fitting = _modes(channels, array.dtype)
    if mode is not None and mode not in fitting:
        raise ValueError(
            message(
                f"to_pil_image: Incorrect mode ({mode}) supplied for {channels} channels",
                got=f"mode {mode!r} for {array.dtype}",
                wanted=" or ".join(fitting) or "a type that Pillow has",
            )
        )
    if not fitting:
        raise TypeError(f"Input type {array.dtype} is not supported")
    if mode in (None, fitting[0]):
        return pillow().fromarray(np.ascontiguousarray(array))
    height, width = array.shape[:2]
    return pillow().frombytes(mode, (width, height), array.tobytes())


def _modes(channels: int, dtype: np.dtype) -> list[str]:
    """Pillow's modes for an array, the one it chooses by itself first."""
    if channels == 1:
        short = "I;16" if sys.byteorder == "little" else "I;16B"
        modes = {"uint8": "L", "int16": short, "uint16": short, "int32": "I", "float32": "F"}
        return [modes[dtype.name]] if dtype.name in modes else []
    if dtype != np.uint8:
        return []
    return {2: ["LA"], 3: ["RGB", "YCbCr", "HSV"], 4: ["RGBA", "CMYK", "RGBX"]}[channels]


def normalize(
    tensor: Tensor, mean: Sequence[float], std: Sequence[float], inplace: bool = False
) -> Tensor:
    """(tensor - mean) / std, one mean and std a channel of a (..., C, H, W) tensor.

    >>> normalize(torch.ones(1, 1, 2), [0.5], [0.25])
    tensor([[[2., 2.]]])
    """
    import rushlight

    if not isinstance(tensor, Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(tensor)}")
    if not tensor.is_floating_point():
        raise TypeError(f"Input tensor should be a float tensor. Got {tensor.dtype}.")
    if tensor.ndim < 3:
        raise ValueError(
            "Expected tensor to be a tensor image of size (..., C, H, W). "
            f"Got tensor.size() = {tensor.size()}"
        )
    middle = rushlight.as_tensor(mean, dtype=tensor.dtype)
    spread = rushlight.as_tensor(std, dtype=tensor.dtype)
    if bool((spread == 0).any()):
        raise ValueError(f"std evaluated to zero after conversion to {tensor.dtype}: {std}")
    middle = middle.view(-1, 1, 1) if middle.ndim == 1 else middle
    spread = spread.view(-1, 1, 1) if spread.ndim == 1 else spread
    if inplace:
        return tensor.sub_(middle).div_(spread)
    return (tensor - middle) / spread


# Geometry


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
    """
    mode = _mode(interpolation)
    edges = [size] if isinstance(size, int) else list(size)
    if len(edges) not in (1, 2):
        raise ValueError(
            f"Size must be an int or a 1 or 2 element tuple/list, not a {len(edges)} element "
            "tuple/list"
        )
    if max_size is not None and len(edges) != 1:
        raise ValueError(
            "max_size should only be passed if size specifies the length of the smaller edge"
        )
    _, height, width = get_dimensions(img)
    target = _resized(height, width, edges, max_size)
    if target == (height, width):
        return img
    if is_pil(img):
        return img.resize(target[::-1], _PIL_CODES[mode])
    return _resize_tensor(img, target, mode, antialias)


def _mode(interpolation: Any) -> InterpolationMode:
    if isinstance(interpolation, int):
        found = {code: mode for mode, code in reversed(_PIL_CODES.items())}.get(interpolation)
        if found is not None:
            return found
    if not isinstance(interpolation, InterpolationMode):
        raise TypeError(
            "Argument interpolation should be a InterpolationMode or a corresponding Pillow "
            "integer constant"
        )
    return interpolation


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
                f"smaller edge size = {edges[0]}"
            )
        if new_long > max_size:
            new_short, new_long = int(max_size * new_short / new_long), max_size
    return (new_long, new_short) if width <= height else (new_short, new_long)


def _resize_tensor(
    img: Tensor, target: tuple[int, int], mode: InterpolationMode, antialias: bool | None
) -> Tensor:
    from ...nn.functional import interpolate

    smooth = mode in (InterpolationMode.BILINEAR, InterpolationMode.BICUBIC)
    if not smooth and mode.value not in ("nearest", "nearest-exact"):
        raise ValueError(f"interpolation {mode.value!r} is for Pillow images, not for tensors")
    extra = 4 - img.ndim
    batch = img.reshape((1,) * max(extra, 0) + tuple(img.shape)) if extra > 0 else img
    if extra < 0:
        batch = img.reshape((-1, *img.shape[-3:]))
    whole = not img.is_floating_point()
    shrinks = target[0] < img.shape[-2] or target[1] < img.shape[-1]
    options: dict[str, Any] = {"antialias": True} if smooth and antialias and shrinks else {}
    if smooth:
        options["align_corners"] = False
    out = interpolate(batch.float() if whole else batch, size=target, mode=mode.value, **options)
    if whole:
        out = out.clamp(0, 255) if img.dtype.name == "uint8" else out
        out = out.round().to(img.dtype)
    return out.reshape((*img.shape[:-2], *target))


def crop(img: Image, top: int, left: int, height: int, width: int) -> Image:
    """The part that begins at (top, left); what lies outside the image is zero."""
    if is_pil(img):
        return img.crop((left, top, left + width, top + height))
    _, h, w = get_dimensions(img)
    inner = img[..., max(top, 0) : max(top + height, 0), max(left, 0) : max(left + width, 0)]
    outside = [max(-left, 0), max(-top, 0), max(left + width - w, 0), max(top + height - h, 0)]
    return pad(inner, outside) if any(outside) else inner


def center_crop(img: Image, output_size: int | Sequence[int]) -> Image:
    """The middle (height, width), padded with zeros where the image is smaller."""
    height, width = _pair(output_size)
    _, h, w = get_dimensions(img)
    if width > w or height > h:
        more_w, more_h = max(width - w, 0), max(height - h, 0)
        img = pad(img, [more_w // 2, more_h // 2, (more_w + 1) // 2, (more_h + 1) // 2])
        _, h, w = get_dimensions(img)
    return crop(img, round((h - height) / 2.0), round((w - width) / 2.0), height, width)


def _pair(size: int | Sequence[int]) -> tuple[int, int]:
    if isinstance(size, int):
        return size, size
    if len(size) == 1:
        return size[0], size[0]
    if len(size) != 2:
        raise ValueError("Please provide only two dimensions (h, w) for size.")
    return size[0], size[1]


def pad(
    img: Image,
    padding: int | Sequence[int],
    fill: float | Sequence[float] = 0,
    padding_mode: str = "constant",
) -> Image:
    """Add a border.

    Args:
        img: a Pillow image or a tensor.
        padding: one width, (left and right, top and bottom), or (left, top, right, bottom).
        fill: the value of a constant border; one a channel for Pillow images.
        padding_mode: "constant", "edge", "reflect" (without the edge) or "symmetric" (with it).
    """
    left, top, right, bottom = _sides(padding)
    if padding_mode not in ("constant", "edge", "reflect", "symmetric"):
        raise ValueError("Padding mode should be either constant, edge, reflect or symmetric")
    _, height, width = get_dimensions(img)
    if min(left, top, right, bottom) < 0:
        shrunk = [-min(n, 0) for n in (left, top, right, bottom)]
        inner_h, inner_w = height - shrunk[1] - shrunk[3], width - shrunk[0] - shrunk[2]
        img = crop(img, shrunk[1], shrunk[0], inner_h, inner_w)
        grown = [max(n, 0) for n in (left, top, right, bottom)]
        return pad(img, grown, fill, padding_mode)
    if is_pil(img):
        return _pad_pil(img, (left, top, right, bottom), fill, padding_mode)
    if padding_mode == "constant":
        from ...nn.functional import pad as pad_tensor

        return pad_tensor(img, (left, right, top, bottom), value=fill)
    rows = np.pad(np.arange(height), (top, bottom), padding_mode)  # type: ignore[call-overload]
    columns = np.pad(np.arange(width), (left, right), padding_mode)  # type: ignore[call-overload]
    return img[..., Tensor._wrap(rows)[:, None], Tensor._wrap(columns)]


def _sides(padding: int | Sequence[int]) -> tuple[int, int, int, int]:
    if isinstance(padding, int):
        return padding, padding, padding, padding
    sides = list(padding)
    if len(sides) not in (1, 2, 4):
        raise ValueError(
            "Padding must be an int or a 1, 2, or 4 element tuple, "
            f"not a {len(sides)} element tuple"
        )
    left, top, right, bottom = (sides * 4)[:4]
    return left, top, right, bottom


def _pad_pil(img: Any, sides: tuple[int, int, int, int], fill: Any, mode: str) -> Any:
    left, top, right, bottom = sides
    if mode == "constant":
        bands = len(img.getbands())
        if isinstance(fill, Sequence):
            color: Any = tuple(fill) if len(fill) == bands else tuple(fill) * bands
        else:
            color = fill if bands == 1 else (fill,) * bands
        size = (img.width + left + right, img.height + top + bottom)
        out = pillow().new(img.mode, size, color)
        if img.mode == "P":
            out.putpalette(img.getpalette())
        out.paste(img, (left, top))
        return out
    array = np.asarray(img)
    widths = [(top, bottom), (left, right)] + [(0, 0)] * (array.ndim - 2)
    out = pillow().fromarray(np.pad(array, widths, mode))  # type: ignore[call-overload]
    if img.mode == "P":
        out.putpalette(img.getpalette())
    return out


def hflip(img: Image) -> Image:
    """Left and right exchanged."""
    return img.transpose(pillow().Transpose.FLIP_LEFT_RIGHT) if is_pil(img) else img.flip(-1)


def vflip(img: Image) -> Image:
    """Top and bottom exchanged."""
    return img.transpose(pillow().Transpose.FLIP_TOP_BOTTOM) if is_pil(img) else img.flip(-2)


# Colour


def rgb_to_grayscale(img: Image, num_output_channels: int = 1) -> Image:
    """Grey by 0.299 R + 0.587 G + 0.114 B (ITU-R 601), in one or three equal channels."""
    if num_output_channels not in (1, 3):
        raise ValueError("num_output_channels should be either 1 or 3")
    if is_pil(img):
        grey = img.convert("L")
        return grey if num_output_channels == 1 else pillow().merge("RGB", (grey,) * 3)
    channels = get_dimensions(img)[0]
    if channels not in (1, 3) or img.ndim < 3:
        raise TypeError(
            f"Input image tensor permitted channel values are 1 or 3, but found {channels}"
        )
    if channels == 3:
        r, g, b = img[..., 0:1, :, :], img[..., 1:2, :, :], img[..., 2:3, :, :]
        img = (0.2989 * r + 0.587 * g + 0.114 * b).to(img.dtype)
    return img if num_output_channels == 1 else img.expand(*img.shape[:-3], 3, *img.shape[-2:])


def to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """The same for Pillow images only."""
    if not is_pil(img):
        raise TypeError("Input should be PIL Image")
    return rgb_to_grayscale(img, num_output_channels)
