"""Transforms as functions of images, videos, masks, boxes and points: their public names.

A file a theme. Images are treated by the functions of the first version; what is done to boxes and
points is in `../_points.py`. Read next: `../_kernels.py`, which chooses, then `_layout.py`.
"""

from __future__ import annotations

from ...convert import convert_image_dtype, pil_to_tensor, to_tensor
from ...functional import get_image_size
from ...image import InterpolationMode
from .._boxes import clamp_bounding_boxes, convert_bounding_box_format, is_pure_tensor
from .._kernels import register_kernel
from ._augment import erase, jpeg
from ._color import (
    adjust_brightness,
    adjust_contrast,
    adjust_gamma,
    adjust_hue,
    adjust_saturation,
    autocontrast,
    equalize,
    grayscale_to_rgb,
    invert,
    permute_channels,
    posterize,
    rgb_to_grayscale,
    solarize,
    to_grayscale,
)
from ._convert import normalize, to_dtype, to_image, to_pil_image
from ._filters import adjust_sharpness, gaussian_blur, gaussian_noise
from ._geometry import affine, elastic, elastic_transform, perspective, rotate
from ._layout import (
    center_crop,
    crop,
    five_crop,
    hflip,
    horizontal_flip,
    pad,
    resize,
    resized_crop,
    ten_crop,
    vertical_flip,
    vflip,
)
from ._meta import (
    get_dimensions,
    get_image_num_channels,
    get_num_channels,
    get_num_frames,
    get_size,
)
from ._sanitize import clamp_keypoints, sanitize_bounding_boxes, sanitize_keypoints
from ._temporal import uniform_temporal_subsample

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

# Functions are called by where they are public: pickles hold a function as its module and name.
for _name in __all__:
    if ".functional._" in globals()[_name].__module__:
        globals()[_name].__module__ = __name__
