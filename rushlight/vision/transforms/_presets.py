"""The preprocessing that trained models expect, as one module a task."""

from __future__ import annotations

from typing import Any

from ...nn import Module
from ...tensor import Tensor
from . import functional as F
from .functional import InterpolationMode


class ImageClassification(Module):
    """Resize the shorter side, cut out the middle, scale to [0, 1], normalize by channel.

    Takes a Pillow image or a tensor of shape (..., C, H, W) and gives (..., C, crop, crop).
    """

    def __init__(
        self,
        *,
        crop_size: int,
        resize_size: int = 256,
        mean: tuple[float, ...] = (0.485, 0.456, 0.406),
        std: tuple[float, ...] = (0.229, 0.224, 0.225),
        interpolation: InterpolationMode = InterpolationMode.BILINEAR,
        antialias: bool | None = True,
    ) -> None:
        super().__init__()
        self.crop_size = [crop_size]
        self.resize_size = [resize_size]
        self.mean = list(mean)
        self.std = list(std)
        self.interpolation = interpolation
        self.antialias = antialias

    def forward(self, img: Any) -> Tensor:
        import rushlight

        img = F.resize(
            img, self.resize_size, interpolation=self.interpolation, antialias=self.antialias
        )
        img = F.center_crop(img, self.crop_size)
        if not isinstance(img, Tensor):
            img = F.pil_to_tensor(img)
        img = F.convert_image_dtype(img, rushlight.float)
        return F.normalize(img, mean=self.mean, std=self.std)

    def __repr__(self) -> str:
        names = ("crop_size", "resize_size", "mean", "std", "interpolation")
        lines = "".join(f"\n    {name}={getattr(self, name)}" for name in names)
        return f"{type(self).__name__}({lines}\n)"

    def describe(self) -> str:
        """What happens to an image, in words."""
        return (
            f"The images are resized to resize_size={self.resize_size} using interpolation="
            f"{self.interpolation}, followed by a central crop of crop_size={self.crop_size}. "
            f"Finally the values are first rescaled to [0.0, 1.0] and then normalized using "
            f"mean={self.mean} and std={self.std}."
        )
