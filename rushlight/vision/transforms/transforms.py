"""Transforms as objects: the public names of `torchvision.transforms.transforms`.

Easy ones are in `fixed.py` and `containers.py`, random ones in `random_*.py`; each holds parameters
and calls `functional.py`.
"""

from __future__ import annotations

from .containers import (
    Compose,
    Lambda,
    RandomApply,
    RandomChoice,
    RandomOrder,
    RandomTransforms,
)
from .deprecated import (
    RandomSizedCrop,
    Scale,
)
from .fixed import (
    CenterCrop,
    ConvertImageDtype,
    FiveCrop,
    Grayscale,
    LinearTransformation,
    Normalize,
    Pad,
    PILToTensor,
    Resize,
    TenCrop,
    ToPILImage,
    ToTensor,
)
from .image import (
    InterpolationMode,
)
from .random_color import (
    ColorJitter,
    GaussianBlur,
    RandomAdjustSharpness,
    RandomAutocontrast,
    RandomEqualize,
    RandomGrayscale,
    RandomInvert,
    RandomPosterize,
    RandomSolarize,
)
from .random_geometry import (
    ElasticTransform,
    RandomAffine,
    RandomPerspective,
    RandomRotation,
)
from .random_layout import (
    RandomCrop,
    RandomErasing,
    RandomHorizontalFlip,
    RandomResizedCrop,
    RandomVerticalFlip,
)

__all__ = [
    "CenterCrop",
    "ColorJitter",
    "Compose",
    "ConvertImageDtype",
    "ElasticTransform",
    "FiveCrop",
    "GaussianBlur",
    "Grayscale",
    "InterpolationMode",
    "Lambda",
    "LinearTransformation",
    "Normalize",
    "PILToTensor",
    "Pad",
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
    "RandomSizedCrop",
    "RandomSolarize",
    "RandomTransforms",
    "RandomVerticalFlip",
    "Resize",
    "Scale",
    "TenCrop",
    "ToPILImage",
    "ToTensor",
]
