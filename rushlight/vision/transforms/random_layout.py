"""Random parts and mirror images: RandomCrop, RandomResizedCrop, the flips, RandomErasing.

Each draws torchvision's numbers in torchvision's order, so that a seed gives the same picture.
"""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...nn import Module
from ...tensor import Tensor
from . import draw
from . import functional as F
from .image import Image, InterpolationMode, mode_of_number
from .layout import pair


class RandomCrop(Module):
    """A part of the given size at a random place.

    Args:
        size: (height, width), or the edge of a square.
        padding: a border that is added first.
        pad_if_needed: add a border where the image is smaller than the crop.
        fill, padding_mode: of the border.

    >>> RandomCrop(4, padding=1)(torch.zeros(1, 4, 4)).shape
    torch.Size([1, 4, 4])
    """

    def __init__(
        self,
        size: int | Sequence[int],
        padding: int | Sequence[int] | None = None,
        pad_if_needed: bool = False,
        fill: Any = 0,
        padding_mode: str = "constant",
    ) -> None:
        super().__init__()
        self.size = tuple(pair(size))
        self.padding = padding
        self.pad_if_needed = pad_if_needed
        self.fill = fill
        self.padding_mode = padding_mode

    @staticmethod
    def get_params(img: Image, output_size: Sequence[int]) -> tuple[int, int, int, int]:
        """A random (top, left, height, width)."""
        _, h, w = F.get_dimensions(img)
        height, width = output_size
        if h < height or w < width:
            raise ValueError(
                f"Required crop size {(height, width)} is larger than input image size {(h, w)}"
            )
        if (h, w) == (height, width):
            return 0, 0, h, w
        top = draw.integer(0, h - height + 1)
        return top, draw.integer(0, w - width + 1), height, width

    def forward(self, img: Image) -> Image:
        if self.padding is not None:
            img = F.pad(img, self.padding, self.fill, self.padding_mode)
        _, height, width = F.get_dimensions(img)
        if self.pad_if_needed and width < self.size[1]:
            img = F.pad(img, [self.size[1] - width, 0], self.fill, self.padding_mode)
        if self.pad_if_needed and height < self.size[0]:
            img = F.pad(img, [0, self.size[0] - height], self.fill, self.padding_mode)
        return F.crop(img, *self.get_params(img, self.size))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(size={self.size}, padding={self.padding})"


class _RandomFlip(Module):
    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p={self.p})"


class RandomHorizontalFlip(_RandomFlip):
    """Left and right exchanged, with probability `p`.

    >>> RandomHorizontalFlip(1.0)(torch.tensor([[[1, 2]]]))
    tensor([[[2, 1]]])
    """

    def forward(self, img: Image) -> Image:
        return F.hflip(img) if draw.chance(self.p) else img


class RandomVerticalFlip(_RandomFlip):
    """Top and bottom exchanged, with probability `p`.

    >>> RandomVerticalFlip(1.0)(torch.tensor([[[1], [2]]])).flatten()
    tensor([2, 1])
    """

    def forward(self, img: Image) -> Image:
        return F.vflip(img) if draw.chance(self.p) else img


class RandomResizedCrop(Module):
    """A random part, of random size and shape, resized: Inception's augmentation.

    Args:
        size: (height, width) of the result, or the edge of a square.
        scale: the smallest and largest part of the area.
        ratio: the smallest and largest width / height.
        interpolation, antialias: as of `Resize`.

    Szegedy et al., Going deeper with convolutions, 2015.

    >>> RandomResizedCrop(8)(torch.zeros(3, 20, 30)).shape
    torch.Size([3, 8, 8])
    """

    def __init__(
        self,
        size: int | Sequence[int],
        scale: Sequence[float] = (0.08, 1.0),
        ratio: Sequence[float] = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: InterpolationMode | int = InterpolationMode.BILINEAR,
        antialias: bool | None = True,
    ) -> None:
        super().__init__()
        self.size = pair(size)
        _check_ranges(scale, ratio)
        self.interpolation = mode_of_number(interpolation)
        self.antialias = antialias
        self.scale = scale
        self.ratio = ratio

    @staticmethod
    def get_params(
        img: Image, scale: Sequence[float], ratio: Sequence[float]
    ) -> tuple[int, int, int, int]:
        """A random (top, left, height, width): ten attempts, then the largest middle part."""
        _, height, width = F.get_dimensions(img)
        return part_of(height, width, scale, ratio)

    def forward(self, img: Image) -> Image:
        box = self.get_params(img, self.scale, self.ratio)
        return F.resized_crop(img, *box, self.size, self.interpolation, self.antialias)

    def __repr__(self) -> str:
        scale, ratio = (tuple(round(v, 4) for v in pair) for pair in (self.scale, self.ratio))
        return (
            f"{type(self).__name__}(size={self.size}, scale={scale}, ratio={ratio}, "
            f"interpolation={self.interpolation.value}, antialias={self.antialias})"
        )


def part_of(
    height: int, width: int, scale: Sequence[float], ratio: Sequence[float]
) -> tuple[int, int, int, int]:
    """`RandomResizedCrop.get_params` of an image of this size."""
    logs = _logarithms(ratio)
    for _ in range(10):
        area = height * width * draw.uniform(scale[0], scale[1])
        aspect = _random_ratio(logs)
        w, h = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
        if 0 < w <= width and 0 < h <= height:
            top = draw.integer(0, height - h + 1)
            return top, draw.integer(0, width - w + 1), h, w
    w, h = width, height
    if width / height < min(ratio):
        h = round(w / min(ratio))
    elif width / height > max(ratio):
        w = round(h * max(ratio))
    return (height - h) // 2, (width - w) // 2, h, w


def _check_ranges(scale: Any, ratio: Any) -> None:
    if not isinstance(scale, Sequence):
        raise TypeError("Scale should be a sequence")
    if not isinstance(ratio, Sequence):
        raise TypeError("Ratio should be a sequence")
    if scale[0] > scale[1] or ratio[0] > ratio[1]:
        warnings.warn("Scale and ratio should be of kind (min, max)", stacklevel=3)


def _logarithms(ratio: Sequence[float]) -> list[float]:
    found: list[float] = np.log(np.array(ratio, np.float32)).tolist()
    return found


def _random_ratio(logs: list[float]) -> float:
    return float(np.exp(np.float32(draw.uniform(logs[0], logs[1]))))


class RandomErasing(Module):
    """With probability `p`, a random rectangle of a tensor set to one value or to noise.

    Args:
        p: the probability.
        scale: the smallest and largest part of the area.
        ratio: the smallest and largest height / width.
        value: a number, one a channel, or "random" for normal numbers.
        inplace: change the tensor itself.

    Zhong et al., Random erasing data augmentation, 2017.

    >>> bool((RandomErasing(p=1.0, value=2.0)(torch.zeros(1, 8, 8)) == 2.0).any())
    True
    """

    def __init__(
        self,
        p: float = 0.5,
        scale: Sequence[float] = (0.02, 0.33),
        ratio: Sequence[float] = (0.3, 3.3),
        value: Any = 0,
        inplace: bool = False,
    ) -> None:
        super().__init__()
        if not isinstance(value, numbers.Number | str | tuple | list):
            raise TypeError("Argument value should be either a number or str or a sequence")
        if isinstance(value, str) and value != "random":
            raise ValueError("If value is str, it should be 'random'")
        _check_ranges(scale, ratio)
        if scale[0] < 0 or scale[1] > 1:
            raise ValueError("Scale should be between 0 and 1")
        if p < 0 or p > 1:
            raise ValueError("Random erasing probability should be between 0 and 1")
        self.p = p
        self.scale = scale
        self.ratio = ratio
        self.value = value
        self.inplace = inplace

    @staticmethod
    def get_params(
        img: Tensor,
        scale: Sequence[float],
        ratio: Sequence[float],
        value: list[float] | None = None,
    ) -> tuple[int, int, int, int, Tensor]:
        """A random (top, left, height, width) and what to write; the whole image itself when no
        rectangle fits in ten attempts."""
        import rushlight

        channels, height, width = img.shape[-3:]
        logs = _logarithms(ratio)
        for _ in range(10):
            area = height * width * draw.uniform(scale[0], scale[1])
            aspect = _random_ratio(logs)
            h, w = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
            if not (h < height and w < width):
                continue
            if value is None:
                v = rushlight.empty([channels, h, w], dtype=rushlight.float32).normal_()
            else:
                v = rushlight.as_tensor(value)[:, None, None]
            top = draw.integer(0, height - h + 1)
            return top, draw.integer(0, width - w + 1), h, w, v
        return 0, 0, height, width, img

    def forward(self, img: Tensor) -> Tensor:
        if not draw.chance(self.p):
            return img
        value: Any = self.value
        if isinstance(value, str):
            value = None
        elif isinstance(value, int | float):
            value = [float(value)]
        elif isinstance(value, list | tuple):
            value = [float(v) for v in value]
        if value is not None and len(value) not in (1, img.shape[-3]):
            raise ValueError(
                "If value is a sequence, it should have either a single value or "
                f"{img.shape[-3]} (number of input channels)"
            )
        box = self.get_params(img, self.scale, self.ratio, value)
        return F.erase(img, *box, self.inplace)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(p={self.p}, scale={self.scale}, ratio={self.ratio}, "
            f"value={self.value}, inplace={self.inplace})"
        )
