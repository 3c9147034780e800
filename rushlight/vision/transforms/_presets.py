"""The preprocessing that trained models expect, as one module a task."""

from __future__ import annotations

from typing import Any

from ...nn import Module
from ...tensor import Tensor
from . import functional as F
from .functional import InterpolationMode


def _scaled(img: Any) -> Tensor:
    """A Pillow image or a tensor as floats from 0 to 1."""
    import rushlight

    if not isinstance(img, Tensor):
        img = F.pil_to_tensor(img)
    return F.convert_image_dtype(img, rushlight.float)


class _Preset(Module):
    """A preset whose representation has a line for each of `_shown`."""

    _shown: tuple[str, ...] = ()

    def __repr__(self) -> str:
        lines = "".join(f"\n    {name}={getattr(self, name)}" for name in self._shown)
        return f"{type(self).__name__}({lines}\n)" if lines else f"{type(self).__name__}()"

    def _described(self, what: str, crop: bool = True) -> str:
        """What happens to images or frames that are resized, cut and normalised, in words."""
        middle = f", followed by a central crop of crop_size={self.crop_size}" if crop else ""
        return (
            f"The {what} are resized to resize_size={self.resize_size} using interpolation="
            f"{self.interpolation}{middle}. "
            f"Finally the values are first rescaled to [0.0, 1.0] and then normalized using "
            f"mean={self.mean} and std={self.std}."
        )


class ObjectDetection(_Preset):
    """Scale to [0, 1]: the networks for detection resize and normalise themselves."""

    def forward(self, img: Any) -> Tensor:
        return _scaled(img)

    def describe(self) -> str:
        """What happens to an image, in words."""
        return "The images are rescaled to [0.0, 1.0]."


class ImageClassification(_Preset):
    """Resize the shorter side, cut out the middle, scale to [0, 1], normalize by channel.

    Takes a Pillow image or a tensor of shape (..., C, H, W) and gives (..., C, crop, crop).
    """

    _shown = ("crop_size", "resize_size", "mean", "std", "interpolation")

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
        img = F.resize(
            img, self.resize_size, interpolation=self.interpolation, antialias=self.antialias
        )
        return F.normalize(_scaled(F.center_crop(img, self.crop_size)), self.mean, self.std)

    def describe(self) -> str:
        """What happens to an image, in words."""
        return self._described("images")


class VideoClassification(_Preset):
    """Each frame resized, cut, scaled to [0, 1] and normalised: (..., T, C, H, W) becomes
    (..., C, T, H', W').
    """

    _shown = ImageClassification._shown

    def __init__(
        self,
        *,
        crop_size: tuple[int, int],
        resize_size: tuple[int] | tuple[int, int],
        mean: tuple[float, ...] = (0.43216, 0.394666, 0.37645),
        std: tuple[float, ...] = (0.22803, 0.22145, 0.216989),
        interpolation: InterpolationMode = InterpolationMode.BILINEAR,
    ) -> None:
        super().__init__()
        self.crop_size = list(crop_size)
        self.resize_size = list(resize_size)
        self.mean = list(mean)
        self.std = list(std)
        self.interpolation = interpolation

    def forward(self, vid: Tensor) -> Tensor:
        batch = vid.unsqueeze(0) if vid.ndim < 5 else vid  # (B, T, C, H, W)
        frames = batch.flatten(0, 1)
        # The models were trained on frames resized without antialiasing.
        frames = F.resize(frames, self.resize_size, self.interpolation, antialias=False)
        frames = _scaled(F.center_crop(frames, self.crop_size))
        frames = F.normalize(frames, self.mean, self.std).unflatten(0, batch.shape[:2])
        frames = frames.permute(0, 2, 1, 3, 4)  # (B, C, T, H', W')
        return frames.squeeze(0) if vid.ndim < 5 else frames

    def describe(self) -> str:
        """What happens to a video, in words."""
        return (
            self._described("frames")
            + " The dimensions are permuted from (..., T, C, H, W) to (..., C, T, H, W)."
        )


class SemanticSegmentation(_Preset):
    """Resize the shorter side (not with `resize_size=None`), scale to [0, 1], normalise."""

    _shown = ("resize_size", "mean", "std", "interpolation")

    def __init__(
        self,
        *,
        resize_size: int | None,
        mean: tuple[float, ...] = (0.485, 0.456, 0.406),
        std: tuple[float, ...] = (0.229, 0.224, 0.225),
        interpolation: InterpolationMode = InterpolationMode.BILINEAR,
        antialias: bool | None = True,
    ) -> None:
        super().__init__()
        self.resize_size = None if resize_size is None else [resize_size]
        self.mean = list(mean)
        self.std = list(std)
        self.interpolation = interpolation
        self.antialias = antialias

    def forward(self, img: Any) -> Tensor:
        if self.resize_size is not None:
            img = F.resize(
                img, self.resize_size, interpolation=self.interpolation, antialias=self.antialias
            )
        return F.normalize(_scaled(img), self.mean, self.std)

    def describe(self) -> str:
        """What happens to an image, in words."""
        return self._described("images", crop=False)


class OpticalFlow(_Preset):
    """Both images scaled to [-1, 1]."""

    def forward(self, img1: Any, img2: Any) -> tuple[Tensor, Tensor]:
        first, second = (
            F.normalize(_scaled(img), [0.5] * 3, [0.5] * 3).contiguous() for img in (img1, img2)
        )
        return first, second

    def describe(self) -> str:
        """What happens to two images, in words."""
        return "The images are rescaled to [-1.0, 1.0]."
