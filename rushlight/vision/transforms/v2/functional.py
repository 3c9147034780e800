"""Transforms as functions of images, videos, masks, boxes and points.

Images are treated by the functions of the first version; what is done to boxes and points is in
`_points.py`. Read next: `_kernels.py`, which chooses.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from .... import dtypes
from ....tensor import Tensor
from ..._pillow import is_pil, pillow
from ...tv_tensors import BoundingBoxes, Image, KeyPoints, wrap
from .. import color, convert, filters, geometry, layout
from .. import functional as first
from ..convert import convert_image_dtype, pil_to_tensor, to_tensor
from ..functional import get_image_size
from ..image import InterpolationMode, mode_of_number
from . import _points
from ._boxes import (
    clamp_bounding_boxes,
    convert_bounding_box_format,
    is_pure_tensor,
    plain,
    sanitize_mask,
)
from ._kernels import dispatch, kernels, register_kernel

Mode = InterpolationMode | str | int
Fill = float | Sequence[float] | None

NEAREST, BILINEAR = InterpolationMode.NEAREST, InterpolationMode.BILINEAR


def _mode(interpolation: Mode) -> Any:
    """A mode from its name, Pillow's number or itself."""
    if isinstance(interpolation, str):
        return InterpolationMode(interpolation)
    return mode_of_number(interpolation)


# What a thing is


@kernels(first.get_dimensions)
def get_dimensions(inpt: Any) -> list[int]:
    """Channels, height and width of an image or video.

    >>> get_dimensions(torch.zeros(3, 4, 5))
    [3, 4, 5]
    """
    found: list[int] = first.get_dimensions(plain(inpt) if isinstance(inpt, Tensor) else inpt)
    return found


def get_num_channels(inpt: Any) -> int:
    """The number of channels of an image or video.

    >>> get_num_channels(torch.zeros(3, 4, 5))
    3
    """
    return get_dimensions(inpt)[0]


get_image_num_channels = get_num_channels


def get_size(inpt: Any) -> list[int]:
    """Height and width, of boxes and points those of the image around them.

    >>> get_size(torch.zeros(3, 4, 5))
    [4, 5]
    """
    if isinstance(inpt, BoundingBoxes | KeyPoints):
        return list(inpt.canvas_size)
    return get_dimensions(inpt)[1:]


def get_num_frames(inpt: Tensor) -> int:
    """The number of images of a video.

    >>> get_num_frames(torch.zeros(8, 3, 4, 5))
    8
    """
    return inpt.shape[-4]


# Conversions


def to_image(inpt: Any) -> Any:
    """A tensor, a Pillow image or an (H, W[, C]) array as an `Image`.

    >>> to_image(np.zeros((4, 5, 3), np.uint8)).shape
    torch.Size([3, 4, 5])
    """
    if isinstance(inpt, np.ndarray):
        import rushlight

        whole = rushlight.from_numpy(np.atleast_3d(inpt)).permute((2, 0, 1)).contiguous()
        return Image(whole)
    if is_pil(inpt):
        return Image(pil_to_tensor(inpt))
    if not isinstance(inpt, Tensor):
        raise TypeError(
            "Input can either be a pure Tensor, a numpy array, or a PIL image, "
            f"but got {type(inpt)} instead."
        )
    return inpt if isinstance(inpt, Image) else Image(inpt)


def to_pil_image(inpt: Any, mode: str | None = None) -> Any:
    """An image as Pillow's.

    >>> to_pil_image(torch.zeros(3, 2, 4)).size
    (4, 2)
    """
    return convert.to_pil_image(plain(inpt) if isinstance(inpt, Tensor) else inpt, mode)


def _typed(inpt: Tensor, dtype: dtypes.dtype = dtypes.float32, scale: bool = False) -> Tensor:
    out: Tensor = convert_image_dtype(inpt, dtype) if scale else inpt.to(dtype)
    return out


def _typed_only(inpt: Any, dtype: dtypes.dtype = dtypes.float32, scale: bool = False) -> Any:
    canvas = getattr(inpt, "canvas_size", None)
    return plain(inpt).to(dtype), canvas


@kernels(
    _typed,
    pil=False,
    mask=lambda inpt, dtype, scale=False: inpt.to(dtype),
    boxes=_typed_only,
    points=_typed_only,
)
def to_dtype(inpt: Any, dtype: dtypes.dtype = dtypes.float32, scale: bool = False) -> Any:
    """Another type of values; with `scale` images get its range as well.

    >>> to_dtype(torch.tensor([[[255]]], dtype=torch.uint8), scale=True)
    tensor([[[1.]]])
    """
    return dispatch(to_dtype, inpt, dtype=dtype, scale=scale)


@kernels(convert.normalize, pil=False)
def normalize(
    inpt: Any, mean: Sequence[float], std: Sequence[float], inplace: bool = False
) -> Any:
    """(inpt - mean) / std, one mean and std a channel.

    >>> normalize(torch.ones(1, 1, 2), [0.5], [0.25])
    tensor([[[2., 2.]]])
    """
    return dispatch(normalize, inpt, mean=mean, std=std, inplace=inplace)


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


@kernels(
    _resize, mask=_resize_mask, boxes=_points.resize_boxes, points=_points.resize_points
)
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


@kernels(
    layout.crop, mask=layout.crop, boxes=_points.crop_boxes, points=_points.crop_points
)
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


# Turns and bends


def _nearest(kernel: Any) -> Any:
    """A kernel of images for masks, which are read at the nearest pixel."""

    def call(inpt: Any, *args: Any, **kwargs: Any) -> Any:
        return kernel(inpt, *args, **{**kwargs, "interpolation": NEAREST})

    return call


def _rotate(inpt: Any, angle: float, interpolation: Mode = NEAREST, **kwargs: Any) -> Any:
    return geometry.rotate(inpt, angle, _mode(interpolation), **kwargs)


@kernels(_rotate, mask=_nearest(_rotate), boxes=_points.rotate, points=_points.rotate)
def rotate(
    inpt: Any,
    angle: float,
    interpolation: Mode = NEAREST,
    expand: bool = False,
    center: Sequence[float] | None = None,
    fill: Fill = None,
) -> Any:
    """Turn by an angle in degrees, counterclockwise.

    Args:
        inpt: an image, video, mask, boxes (the boxes around the turned ones) or points.
        angle: in degrees.
        interpolation: how to fill in; masks are read at the nearest pixel.
        expand: make the result large enough for the whole turned image.
        center: (x, y) from the top left corner; the middle when None.
        fill: the value outside, one number or one a channel; 0 when None.

    >>> rotate(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]), 90).flatten()
    tensor([2., 4., 1., 3.])
    """
    return dispatch(
        rotate,
        inpt,
        angle=angle,
        interpolation=interpolation,
        expand=expand,
        center=center,
        fill=fill,
    )


def _affine(inpt: Any, interpolation: Mode = NEAREST, **kwargs: Any) -> Any:
    return geometry.affine(inpt, interpolation=_mode(interpolation), **kwargs)


@kernels(_affine, mask=_nearest(_affine), boxes=_points.affine, points=_points.affine)
def affine(
    inpt: Any,
    angle: float,
    translate: Sequence[float],
    scale: float,
    shear: float | Sequence[float],
    interpolation: Mode = NEAREST,
    fill: Fill = None,
    center: Sequence[float] | None = None,
) -> Any:
    """Turn clockwise by `angle` degrees, shear, scale and move, keeping `center` in its place.

    >>> affine(torch.tensor([[[1.0, 2.0, 3.0]]]), 0, [1, 0], 1.0, [0.0, 0.0])
    tensor([[[0., 1., 2.]]])
    """
    return dispatch(
        affine,
        inpt,
        angle=angle,
        translate=translate,
        scale=scale,
        shear=shear,
        interpolation=interpolation,
        fill=fill,
        center=center,
    )


def _perspective(
    inpt: Any,
    startpoints: Any,
    endpoints: Any,
    interpolation: Mode = BILINEAR,
    fill: Fill = None,
    coefficients: Any = None,
) -> Any:
    found = _points.coefficients_of(startpoints, endpoints, coefficients)
    return geometry._projected(inpt, found, _mode(interpolation), fill)


@kernels(
    _perspective,
    mask=_nearest(_perspective),
    boxes=_points.perspective,
    points=_points.perspective,
)
def perspective(
    inpt: Any,
    startpoints: Sequence[Sequence[int]] | None,
    endpoints: Sequence[Sequence[int]] | None,
    interpolation: Mode = BILINEAR,
    fill: Fill = None,
    coefficients: Sequence[float] | None = None,
) -> Any:
    """The projection that carries four corners (x, y) to four other points.

    Args:
        inpt: an image, video, mask, boxes or points.
        startpoints, endpoints: the four corners, and where they go.
        interpolation, fill: as of `rotate`.
        coefficients: the eight numbers of the projection, instead of the points.

    >>> corners = [[0, 0], [2, 0], [2, 2], [0, 2]]
    >>> torch.equal(perspective(torch.ones(1, 3, 3), corners, corners), torch.ones(1, 3, 3))
    True
    """
    return dispatch(
        perspective,
        inpt,
        startpoints,
        endpoints,
        interpolation=interpolation,
        fill=fill,
        coefficients=coefficients,
    )


def _elastic(
    inpt: Any, displacement: Tensor, interpolation: Mode = BILINEAR, fill: Fill = None
) -> Any:
    return geometry.elastic_transform(inpt, displacement, _mode(interpolation), fill)


@kernels(_elastic, mask=_nearest(_elastic), boxes=_points.elastic, points=_points.elastic)
def elastic(
    inpt: Any, displacement: Tensor, interpolation: Mode = BILINEAR, fill: Fill = None
) -> Any:
    """Each pixel read at its place moved by `displacement`.

    Args:
        inpt: an image, video, mask, boxes or points.
        displacement: (1, H, W, 2): x and y, where 2 is the width or height of the image.
        interpolation, fill: as of `rotate`.

    >>> elastic(torch.tensor([[[1.0, 2.0]]]), torch.tensor([[[[1.0, 0.0]] * 2]]))
    tensor([[[2., 0.]]])
    """
    return dispatch(
        elastic, inpt, displacement=displacement, interpolation=interpolation, fill=fill
    )


elastic_transform = elastic

# Colours


def _grey(inpt: Any, num_output_channels: int = 1) -> Any:
    if isinstance(inpt, Tensor) and inpt.shape[-3] == 1:
        size = list(inpt.shape)
        size[-3] = num_output_channels
        return inpt.expand(size).clone()
    return color.rgb_to_grayscale(inpt, num_output_channels)


@kernels(_grey, video=_grey)
def rgb_to_grayscale(inpt: Any, num_output_channels: int = 1) -> Any:
    """Grey, in one or three equal channels.

    >>> rgb_to_grayscale(torch.ones(3, 2, 2)).shape
    torch.Size([1, 2, 2])
    """
    if num_output_channels not in (1, 3):
        raise ValueError(f"num_output_channels must be 1 or 3, got {num_output_channels}.")
    return dispatch(rgb_to_grayscale, inpt, num_output_channels=num_output_channels)


to_grayscale = rgb_to_grayscale


def _rgb(inpt: Any) -> Any:
    if not isinstance(inpt, Tensor):
        return inpt.convert("RGB")
    if inpt.shape[-3] >= 3:
        return inpt
    return inpt[..., :1, :, :].expand(*inpt.shape[:-3], 3, *inpt.shape[-2:])


@kernels(_rgb)
def grayscale_to_rgb(inpt: Any) -> Any:
    """Three equal channels from one.

    >>> grayscale_to_rgb(torch.zeros(1, 2, 2)).shape
    torch.Size([3, 2, 2])
    """
    return dispatch(grayscale_to_rgb, inpt)


@kernels(color.adjust_brightness)
def adjust_brightness(inpt: Any, brightness_factor: float) -> Any:
    """Brightness times a factor: 0 is black, 1 changes nothing.

    >>> adjust_brightness(torch.full((3, 1, 1), 0.25), 2.0).flatten()
    tensor([0.5000, 0.5000, 0.5000])
    """
    return dispatch(adjust_brightness, inpt, brightness_factor)


@kernels(color.adjust_contrast)
def adjust_contrast(inpt: Any, contrast_factor: float) -> Any:
    """Differences from the mean grey times a factor: 0 is grey, 1 changes nothing.

    >>> adjust_contrast(torch.full((3, 1, 1), 0.5), 2.0).flatten()
    tensor([0.5000, 0.5000, 0.5000])
    """
    return dispatch(adjust_contrast, inpt, contrast_factor)


@kernels(color.adjust_saturation)
def adjust_saturation(inpt: Any, saturation_factor: float) -> Any:
    """Differences from grey times a factor: 0 is grey, 1 changes nothing.

    >>> adjust_saturation(torch.full((3, 1, 1), 0.5), 0.0).flatten()
    tensor([0.5000, 0.5000, 0.5000])
    """
    return dispatch(adjust_saturation, inpt, saturation_factor)


@kernels(color.adjust_hue)
def adjust_hue(inpt: Any, hue_factor: float) -> Any:
    """The circle of hues turned by a factor between -0.5 and 0.5.

    >>> adjust_hue(torch.tensor([[[1.0]], [[0.0]], [[0.0]]]), 0.5).flatten()
    tensor([0., 1., 1.])
    """
    return dispatch(adjust_hue, inpt, hue_factor)


@kernels(color.adjust_gamma)
def adjust_gamma(inpt: Any, gamma: float, gain: float = 1) -> Any:
    """gain * inpt ** gamma, of values in [0, 1].

    >>> adjust_gamma(torch.full((1, 1, 1), 0.5), 2.0)
    tensor([[[0.2500]]])
    """
    return dispatch(adjust_gamma, inpt, gamma, gain)


@kernels(filters.adjust_sharpness)
def adjust_sharpness(inpt: Any, sharpness_factor: float) -> Any:
    """0 blurs, 1 changes nothing, 2 sharpens.

    >>> adjust_sharpness(torch.ones(1, 4, 4), 0.0).shape
    torch.Size([1, 4, 4])
    """
    return dispatch(adjust_sharpness, inpt, sharpness_factor)


@kernels(color.invert)
def invert(inpt: Any) -> Any:
    """The negative.

    >>> invert(torch.tensor([[[0.25]]]))
    tensor([[[0.7500]]])
    """
    return dispatch(invert, inpt)


def _posterized(inpt: Any, bits: int) -> Any:
    if not isinstance(inpt, Tensor) or not inpt.is_floating_point():
        return color.posterize(inpt, bits)
    levels = 1 << bits
    return (inpt * levels).floor().clamp(0, levels - 1) * (1.0 / levels)


@kernels(_posterized)
def posterize(inpt: Any, bits: int) -> Any:
    """Only the first bits of each byte.

    >>> posterize(torch.tensor([[[255]]], dtype=torch.uint8), 4)
    tensor([[[240]]], dtype=torch.uint8)
    """
    return dispatch(posterize, inpt, bits)


@kernels(color.solarize)
def solarize(inpt: Any, threshold: float) -> Any:
    """The negative of what is at least as bright as a threshold.

    >>> solarize(torch.tensor([[[0.25, 0.75]]]), 0.5)
    tensor([[[0.2500, 0.2500]]])
    """
    return dispatch(solarize, inpt, threshold)


@kernels(color.autocontrast)
def autocontrast(inpt: Any) -> Any:
    """Each channel stretched to the whole range.

    >>> autocontrast(torch.tensor([[[0.25, 0.75]]]))
    tensor([[[0., 1.]]])
    """
    return dispatch(autocontrast, inpt)


def _equalized(inpt: Any) -> Any:
    if isinstance(inpt, Tensor) and inpt.ndim > 4:
        return _equalized(inpt.reshape(-1, *inpt.shape[-3:])).reshape(inpt.shape)
    if not isinstance(inpt, Tensor) or not inpt.is_floating_point():
        return color.equalize(inpt)
    return _typed(color.equalize(_typed(inpt, dtypes.uint8, True)), inpt.dtype, True)


@kernels(_equalized)
def equalize(inpt: Any) -> Any:
    """Each brightness about as often.

    >>> equalize(torch.zeros(1, 2, 2, dtype=torch.uint8)).shape
    torch.Size([1, 2, 2])
    """
    return dispatch(equalize, inpt)


def _permuted(inpt: Any, permutation: Any) -> Any:
    if not isinstance(inpt, Tensor):
        return to_pil_image(_permuted(pil_to_tensor(inpt), permutation), mode=inpt.mode)
    order = permutation.tolist() if isinstance(permutation, Tensor) else list(permutation)
    if len(order) != inpt.shape[-3]:
        raise ValueError(
            f"Length of permutation does not match number of channels: "
            f"{len(order)} != {inpt.shape[-3]}"
        )
    return inpt[..., order, :, :]


@kernels(_permuted)
def permute_channels(inpt: Any, permutation: Sequence[int] | Tensor) -> Any:
    """The channels in another order.

    >>> permute_channels(torch.tensor([[[1]], [[2]], [[3]]]), [2, 1, 0]).flatten()
    tensor([3, 2, 1])
    """
    return dispatch(permute_channels, inpt, permutation)


@kernels(filters.gaussian_blur)
def gaussian_blur(inpt: Any, kernel_size: Any, sigma: Any = None) -> Any:
    """Blurred by a bell of width `sigma`.

    >>> gaussian_blur(torch.ones(1, 4, 4), [3, 3]).shape
    torch.Size([1, 4, 4])
    """
    return dispatch(gaussian_blur, inpt, kernel_size, sigma)


def _noisy(inpt: Any, mean: float = 0.0, sigma: float = 0.1, clip: bool = True) -> Tensor:
    import rushlight

    if not isinstance(inpt, Tensor):
        raise ValueError("Gaussian Noise is not implemented for PIL images.")
    if sigma < 0:
        raise ValueError(f"sigma shouldn't be negative. Got {sigma}")
    if inpt.is_floating_point():
        out: Tensor = inpt + (mean + rushlight.randn_like(inpt) * sigma)
        return out.clamp(0, 1) if clip else out
    if inpt.dtype is not dtypes.uint8:
        raise ValueError(
            f"Input tensor is expected to be in uint8 or float dtype, got dtype={inpt.dtype}"
        )
    noise = mean * 255 + rushlight.randn_like(inpt, dtype=rushlight.float32) * (sigma * 255)
    whole = inpt + noise.to(rushlight.int16)
    return (whole.clamp(0, 255) if clip else whole).to(dtypes.uint8)


@kernels(_noisy)
def gaussian_noise(inpt: Any, mean: float = 0.0, sigma: float = 0.1, clip: bool = True) -> Any:
    """Normal noise added to a float or uint8 tensor.

    >>> gaussian_noise(torch.zeros(1, 2, 2), mean=5.0).max()
    tensor(1.)
    """
    return dispatch(gaussian_noise, inpt, mean=mean, sigma=sigma, clip=clip)


def _erase(
    inpt: Any, i: int, j: int, h: int, w: int, v: Tensor, inplace: bool = False
) -> Any:
    if isinstance(inpt, Tensor):
        return convert.erase(inpt, i, j, h, w, v, inplace)
    return to_pil_image(convert.erase(pil_to_tensor(inpt), i, j, h, w, v, inplace), inpt.mode)


@kernels(_erase)
def erase(inpt: Any, i: int, j: int, h: int, w: int, v: Tensor, inplace: bool = False) -> Any:
    """The image with the (h, w) rectangle that begins at (i, j) set to `v`.

    >>> erase(torch.ones(1, 1, 3), 0, 1, 1, 1, torch.tensor(0.0))
    tensor([[[1., 0., 1.]]])
    """
    return dispatch(erase, inpt, i=i, j=j, h=h, w=w, v=v, inplace=inplace)


def _jpeg(inpt: Any, quality: int) -> Any:
    import rushlight

    from ...io import decode_jpeg, encode_jpeg

    if not isinstance(inpt, Tensor):
        held = io.BytesIO()
        inpt.save(held, format="JPEG", quality=quality)
        return pillow().open(held).copy()
    flat = inpt.reshape(-1, *inpt.shape[-3:])
    done = [decode_jpeg(encode_jpeg(image, quality=quality)) for image in flat]
    return rushlight.stack(done).reshape(inpt.shape) if done else inpt.clone()


@kernels(_jpeg)
def jpeg(image: Any, quality: int) -> Any:
    """What is left of an image in a JPEG file of a quality from 1 to 100.

    >>> jpeg(torch.zeros(3, 8, 8, dtype=torch.uint8), 50).shape
    torch.Size([3, 8, 8])
    """
    return dispatch(jpeg, image, quality=quality)


def _subsampled(inpt: Tensor, num_samples: int) -> Tensor:
    import rushlight

    places = rushlight.linspace(0, inpt.shape[-4] - 1, num_samples).long()
    out: Tensor = rushlight.index_select(inpt, -4, places)
    return out


@kernels(video=_subsampled)
def uniform_temporal_subsample(inpt: Any, num_samples: int) -> Any:
    """`num_samples` images of a video, evenly spread from the first to the last.

    >>> uniform_temporal_subsample(torch.arange(5).reshape(5, 1, 1, 1), 3).flatten()
    tensor([0, 2, 4])
    """
    return dispatch(uniform_temporal_subsample, inpt, num_samples=num_samples)


# Boxes and points that are of no use


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


__all__ = [
    "InterpolationMode",
    "adjust_brightness",
    "adjust_contrast",
    "adjust_gamma",
    "adjust_hue",
    "adjust_saturation",
    "adjust_sharpness",
    "affine",
    "autocontrast",
    "center_crop",
    "clamp_bounding_boxes",
    "clamp_keypoints",
    "convert_bounding_box_format",
    "convert_image_dtype",
    "crop",
    "elastic",
    "elastic_transform",
    "equalize",
    "erase",
    "five_crop",
    "gaussian_blur",
    "gaussian_noise",
    "get_dimensions",
    "get_image_num_channels",
    "get_image_size",
    "get_num_channels",
    "get_num_frames",
    "get_size",
    "grayscale_to_rgb",
    "hflip",
    "horizontal_flip",
    "invert",
    "is_pure_tensor",
    "jpeg",
    "normalize",
    "pad",
    "permute_channels",
    "perspective",
    "pil_to_tensor",
    "posterize",
    "register_kernel",
    "resize",
    "resized_crop",
    "rgb_to_grayscale",
    "rotate",
    "sanitize_bounding_boxes",
    "sanitize_keypoints",
    "solarize",
    "ten_crop",
    "to_dtype",
    "to_grayscale",
    "to_image",
    "to_pil_image",
    "to_tensor",
    "uniform_temporal_subsample",
    "vertical_flip",
    "vflip",
]
