"""Transforms of whole samples: images with their boxes, masks, points and labels.

A transform takes any sample: an image, or tuples, lists and dicts with images in them. What a
tensor is it says itself (`tv_tensors`), and each kind is treated in its own way, by the same random
numbers. Of plain tensors the first is taken for an image where there is no other; the rest passes.
Random numbers are torchvision's, so a seed gives the same picture.

Read next: `_transform.py`, `_layout.py`, `functional/`.
"""

from __future__ import annotations

from typing import Any

from ..image import InterpolationMode
from . import functional
from ._augment import (
    JPEG,
    CutMix,
    MixUp,
    RandomErasing,
)
from ._auto_augment import (
    AugMix,
    AutoAugment,
    AutoAugmentPolicy,
    RandAugment,
    TrivialAugmentWide,
)
from ._color import (
    RGB,
    ColorJitter,
    GaussianBlur,
    GaussianNoise,
    Grayscale,
    RandomAdjustSharpness,
    RandomAutocontrast,
    RandomChannelPermutation,
    RandomEqualize,
    RandomGrayscale,
    RandomInvert,
    RandomPhotometricDistort,
    RandomPosterize,
    RandomSolarize,
)
from ._container import (
    Compose,
    RandomApply,
    RandomChoice,
    RandomOrder,
)
from ._crop import CenterCrop, FiveCrop, RandomCrop, RandomIoUCrop, RandomResizedCrop, TenCrop
from ._geometry import ElasticTransform, RandomAffine, RandomPerspective, RandomRotation
from ._kernels import register_kernel
from ._layout import (
    Pad,
    RandomHorizontalFlip,
    RandomResize,
    RandomShortestSize,
    RandomVerticalFlip,
    RandomZoomOut,
    Resize,
    ScaleJitter,
)
from ._misc import (
    ClampBoundingBoxes,
    ClampKeyPoints,
    ConvertBoundingBoxFormat,
    ConvertImageDtype,
    Identity,
    Lambda,
    LinearTransformation,
    Normalize,
    PILToTensor,
    SanitizeBoundingBoxes,
    SanitizeKeyPoints,
    SetClampingMode,
    ToDtype,
    ToImage,
    ToPILImage,
    ToPureTensor,
    ToTensor,
    UniformTemporalSubsample,
)
from ._transform import Transform, query_chw, query_size


def __getattr__(name: str) -> Any:
    raise AttributeError(
        f"module {__name__!r} has no attribute {name!r}\n"
        "  wanted  a transform of torchvision.transforms.v2\n"
        "  try     Lambda with a function of your own"
    )


__all__ = [
    "JPEG",
    "RGB",
    "AugMix",
    "AutoAugment",
    "AutoAugmentPolicy",
    "CenterCrop",
    "ClampBoundingBoxes",
    "ClampKeyPoints",
    "ColorJitter",
    "Compose",
    "ConvertBoundingBoxFormat",
    "ConvertImageDtype",
    "CutMix",
    "ElasticTransform",
    "FiveCrop",
    "GaussianBlur",
    "GaussianNoise",
    "Grayscale",
    "Identity",
    "InterpolationMode",
    "Lambda",
    "LinearTransformation",
    "MixUp",
    "Normalize",
    "PILToTensor",
    "Pad",
    "RandAugment",
    "RandomAdjustSharpness",
    "RandomAffine",
    "RandomApply",
    "RandomAutocontrast",
    "RandomChannelPermutation",
    "RandomChoice",
    "RandomCrop",
    "RandomEqualize",
    "RandomErasing",
    "RandomGrayscale",
    "RandomHorizontalFlip",
    "RandomInvert",
    "RandomIoUCrop",
    "RandomOrder",
    "RandomPerspective",
    "RandomPhotometricDistort",
    "RandomPosterize",
    "RandomResize",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomShortestSize",
    "RandomSolarize",
    "RandomVerticalFlip",
    "RandomZoomOut",
    "Resize",
    "SanitizeBoundingBoxes",
    "SanitizeKeyPoints",
    "ScaleJitter",
    "SetClampingMode",
    "TenCrop",
    "ToDtype",
    "ToImage",
    "ToPILImage",
    "ToPureTensor",
    "ToTensor",
    "Transform",
    "TrivialAugmentWide",
    "UniformTemporalSubsample",
    "functional",
    "query_chw",
    "query_size",
    "register_kernel",
]
