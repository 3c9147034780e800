"""Transforms of one image as functions: the public names of `torchvision.transforms.functional`.

The work is in `convert.py`, `layout.py`, `geometry.py`, `color.py` and `filters.py`.
"""

from __future__ import annotations

from ...tensor import Tensor
from .color import (
    adjust_brightness,
    adjust_contrast,
    adjust_gamma,
    adjust_hue,
    adjust_saturation,
    autocontrast,
    equalize,
    invert,
    posterize,
    rgb_to_grayscale,
    solarize,
    to_grayscale,
)
from .convert import (
    convert_image_dtype,
    erase,
    normalize,
    pil_to_tensor,
    to_pil_image,
    to_tensor,
)
from .filters import adjust_sharpness, gaussian_blur
from .geometry import affine, elastic_transform, perspective, rotate
from .image import (
    Image,
    InterpolationMode,
    get_dimensions,
    get_image_num_channels,
    get_image_size,
    pil_modes_mapping,
)
from .layout import (
    center_crop,
    crop,
    five_crop,
    hflip,
    pad,
    resize,
    resized_crop,
    ten_crop,
    vflip,
)

__all__ = [
    "Image",
    "InterpolationMode",
    "Tensor",
    "adjust_brightness",
    "adjust_contrast",
    "adjust_gamma",
    "adjust_hue",
    "adjust_saturation",
    "adjust_sharpness",
    "affine",
    "autocontrast",
    "center_crop",
    "convert_image_dtype",
    "crop",
    "elastic_transform",
    "equalize",
    "erase",
    "five_crop",
    "gaussian_blur",
    "get_dimensions",
    "get_image_num_channels",
    "get_image_size",
    "hflip",
    "invert",
    "normalize",
    "pad",
    "perspective",
    "pil_modes_mapping",
    "pil_to_tensor",
    "posterize",
    "resize",
    "resized_crop",
    "rgb_to_grayscale",
    "rotate",
    "solarize",
    "ten_crop",
    "to_grayscale",
    "to_pil_image",
    "to_tensor",
    "vflip",
]
