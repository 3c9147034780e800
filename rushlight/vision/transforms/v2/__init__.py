"""The names of `torchvision.transforms.v2` that programs for images use, on the first version.

A transform takes any sample: an image, or tuples, lists and dicts with images in them. Pillow
images are transformed, all alike; without any the first tensor is; the rest passes. Images stay
plain tensors: there are no `tv_tensors`, so boxes, masks and videos are not known as such. Random
numbers are those of the first version: they agree with torchvision's v2 except in `AutoAugment`,
`RandAugment`, `TrivialAugmentWide`, `AugMix`, and in `RandomCrop` where one edge needs no cropping.
"""

from __future__ import annotations

from typing import Any

from ..image import InterpolationMode
from . import functional
from .classes import (
    RGB,
    AugMix,
    AutoAugment,
    AutoAugmentPolicy,
    CenterCrop,
    ColorJitter,
    Compose,
    ConvertImageDtype,
    ElasticTransform,
    FiveCrop,
    GaussianBlur,
    GaussianNoise,
    Grayscale,
    Identity,
    Lambda,
    LinearTransformation,
    Normalize,
    Pad,
    PILToTensor,
    RandAugment,
    RandomAdjustSharpness,
    RandomAffine,
    RandomApply,
    RandomAutocontrast,
    RandomChoice,
    RandomCrop,
    RandomEqualize,
    RandomErasing,
    RandomGrayscale,
    RandomHorizontalFlip,
    RandomInvert,
    RandomOrder,
    RandomPerspective,
    RandomPosterize,
    RandomResizedCrop,
    RandomRotation,
    RandomSolarize,
    RandomVerticalFlip,
    Resize,
    TenCrop,
    ToDtype,
    ToImage,
    ToPILImage,
    ToPureTensor,
    ToTensor,
    Transform,
    TrivialAugmentWide,
)


def __getattr__(name: str) -> Any:
    raise AttributeError(
        f"module {__name__!r} has no attribute {name!r}\n"
        "  wanted  one of the transforms of single images\n"
        "  try     rushlight.vision.transforms, or Lambda with a function of your own"
    )


__all__ = [
    "RGB",
    "AugMix",
    "AutoAugment",
    "AutoAugmentPolicy",
    "CenterCrop",
    "ColorJitter",
    "Compose",
    "ConvertImageDtype",
    "ElasticTransform",
    "FiveCrop",
    "GaussianBlur",
    "GaussianNoise",
    "Grayscale",
    "Identity",
    "InterpolationMode",
    "Lambda",
    "LinearTransformation",
    "Normalize",
    "PILToTensor",
    "Pad",
    "RandAugment",
    "RandomAdjustSharpness",
    "RandomAffine",
    "RandomApply",
    "RandomAutocontrast",
    "RandomChoice",
    "RandomCrop",
    "RandomEqualize",
    "RandomErasing",
    "RandomGrayscale",
    "RandomHorizontalFlip",
    "RandomInvert",
    "RandomOrder",
    "RandomPerspective",
    "RandomPosterize",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomSolarize",
    "RandomVerticalFlip",
    "Resize",
    "TenCrop",
    "ToDtype",
    "ToImage",
    "ToPILImage",
    "ToPureTensor",
    "ToTensor",
    "Transform",
    "TrivialAugmentWide",
    "functional",
]
