"""Random colours and sharpness: ColorJitter, RandomGrayscale, GaussianBlur, RandomInvert, ...

Each draws torchvision's numbers in torchvision's order, so that a seed gives the same picture.
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

from ...nn import Module
from ...tensor import Tensor
from . import draw
from . import functional as F
from .image import Image
from .layout import pair

Range = tuple[float, float] | None


class ColorJitter(Module):
    """Brightness, contrast, saturation and hue changed by random factors, in random order.

    Args:
        brightness, contrast, saturation: (min, max) of the factor, or one number x for
            (max(0, 1 - x), 1 + x).
        hue: (min, max) within -0.5 and 0.5, or one number x for (-x, x).

    >>> ColorJitter(brightness=0.5, hue=0.1)
    ColorJitter(brightness=(0.5, 1.5), contrast=None, saturation=None, hue=(-0.1, 0.1))
    """

    def __init__(
        self,
        brightness: float | Sequence[float] = 0,
        contrast: float | Sequence[float] = 0,
        saturation: float | Sequence[float] = 0,
        hue: float | Sequence[float] = 0,
    ) -> None:
        super().__init__()
        self.brightness = _factors(brightness, "brightness")
        self.contrast = _factors(contrast, "contrast")
        self.saturation = _factors(saturation, "saturation")
        self.hue = _factors(hue, "hue", 0, (-0.5, 0.5))

    @staticmethod
    def get_params(
        brightness: Range, contrast: Range, saturation: Range, hue: Range
    ) -> tuple[Tensor, float | None, float | None, float | None, float | None]:
        """A random order of the four changes, and a factor for each."""
        import rushlight

        order = rushlight.randperm(4)
        b, c, s, h = (
            None if r is None else draw.uniform(r[0], r[1])
            for r in (brightness, contrast, saturation, hue)
        )
        return order, b, c, s, h

    def forward(self, img: Image) -> Image:
        order, *factors = self.get_params(self.brightness, self.contrast, self.saturation, self.hue)
        changes = (F.adjust_brightness, F.adjust_contrast, F.adjust_saturation, F.adjust_hue)
        for i in order.tolist():
            factor = factors[i]
            if factor is not None:
                img = changes[i](img, factor)
        return img

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(brightness={self.brightness}, contrast={self.contrast}, "
            f"saturation={self.saturation}, hue={self.hue})"
        )


def _factors(
    value: Any, name: str, center: float = 1, bound: tuple[float, float] = (0, float("inf"))
) -> Range:
    """(min, max) of a factor; None where it could only be the one that changes nothing."""
    if isinstance(value, numbers.Number):
        if value < 0:  # type: ignore[operator]
            raise ValueError(f"If {name} is a single number, it must be non negative.")
        far = float(value)  # type: ignore[arg-type]
        found = [center - far, center + far]
        found[0] = max(found[0], 0.0) if center else found[0]
    elif isinstance(value, tuple | list) and len(value) == 2:
        found = [float(value[0]), float(value[1])]
    else:
        raise TypeError(f"{name} should be a single number or a list/tuple with length 2.")
    if not bound[0] <= found[0] <= found[1] <= bound[1]:
        raise ValueError(f"{name} values should be between {bound}, but got {found}.")
    return None if found[0] == found[1] == center else (found[0], found[1])


class GaussianBlur(Module):
    """A blur of random width.

    Args:
        kernel_size: odd width, or (width, height), of the neighbourhood.
        sigma: the smallest and largest width of the bell, or one number.

    >>> GaussianBlur(3)(torch.ones(1, 4, 4)).shape
    torch.Size([1, 4, 4])
    """

    def __init__(
        self, kernel_size: int | Sequence[int], sigma: float | Sequence[float] = (0.1, 2.0)
    ) -> None:
        super().__init__()
        self.kernel_size = pair(kernel_size, "Kernel size should be a tuple/list of two integers")
        if any(n <= 0 or n % 2 == 0 for n in self.kernel_size):
            raise ValueError("Kernel size value should be an odd and positive number.")
        if isinstance(sigma, numbers.Number):
            if sigma <= 0:  # type: ignore[operator]
                raise ValueError("If sigma is a single number, it must be positive.")
            sigma = (sigma, sigma)  # type: ignore[assignment]
        elif not isinstance(sigma, Sequence) or len(sigma) != 2:
            raise ValueError("sigma should be a single number or a list/tuple with length 2.")
        elif not 0.0 < sigma[0] <= sigma[1]:
            raise ValueError("sigma values should be positive and of the form (min, max).")
        self.sigma: Any = sigma

    @staticmethod
    def get_params(sigma_min: float, sigma_max: float) -> float:
        """A random width."""
        return draw.uniform(sigma_min, sigma_max)

    def forward(self, img: Image) -> Image:
        sigma = self.get_params(self.sigma[0], self.sigma[1])
        return F.gaussian_blur(img, self.kernel_size, [sigma, sigma])

    def __repr__(self) -> str:
        return f"{type(self).__name__}(kernel_size={self.kernel_size}, sigma={self.sigma})"


class _Sometimes(Module):
    """Something done with probability `p`."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def change(self, img: Image) -> Image:
        raise NotImplementedError

    def forward(self, img: Image) -> Image:
        # In float64, unlike the flips: torchvision compares a Python number here.
        return self.change(img) if draw.unit() < self.p else img

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p={self.p})"


class RandomGrayscale(Module):
    """With probability `p` grey, in as many channels as before.

    >>> RandomGrayscale(p=1.0)(torch.zeros(3, 2, 2)).shape
    torch.Size([3, 2, 2])
    """

    def __init__(self, p: float = 0.1) -> None:
        super().__init__()
        self.p = p

    def forward(self, img: Image) -> Image:
        channels = F.get_dimensions(img)[0]
        return F.rgb_to_grayscale(img, channels) if draw.chance(self.p) else img

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p={self.p})"


class RandomInvert(_Sometimes):
    """With probability `p` bright for dark.

    >>> RandomInvert(p=1.0)(torch.ones(1, 1, 2))
    tensor([[[0., 0.]]])
    """

    def change(self, img: Image) -> Image:
        return F.invert(img)


class RandomPosterize(_Sometimes):
    """With probability `p` only the first `bits` bits of each value.

    >>> RandomPosterize(1, p=1.0)(torch.tensor([[[200]]], dtype=torch.uint8))
    tensor([[[128]]], dtype=torch.uint8)
    """

    def __init__(self, bits: int, p: float = 0.5) -> None:
        super().__init__(p)
        self.bits = bits

    def change(self, img: Image) -> Image:
        return F.posterize(img, self.bits)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(bits={self.bits},p={self.p})"


class RandomSolarize(_Sometimes):
    """With probability `p` invert what is at least as bright as the threshold.

    >>> RandomSolarize(0.5, p=1.0)(torch.tensor([[[0.25, 1.0]]]))
    tensor([[[0.2500, 0.0000]]])
    """

    def __init__(self, threshold: float, p: float = 0.5) -> None:
        super().__init__(p)
        self.threshold = threshold

    def change(self, img: Image) -> Image:
        return F.solarize(img, self.threshold)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(threshold={self.threshold},p={self.p})"


class RandomAdjustSharpness(_Sometimes):
    """With probability `p` sharper (a factor above 1) or smoother (below 1).

    >>> RandomAdjustSharpness(2, p=1.0)(torch.ones(1, 4, 4)).sum()
    tensor(16.)
    """

    def __init__(self, sharpness_factor: float, p: float = 0.5) -> None:
        super().__init__(p)
        self.sharpness_factor = sharpness_factor

    def change(self, img: Image) -> Image:
        return F.adjust_sharpness(img, self.sharpness_factor)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(sharpness_factor={self.sharpness_factor},p={self.p})"


class RandomAutocontrast(_Sometimes):
    """With probability `p` the full range of brightness in each channel.

    >>> RandomAutocontrast(p=1.0)(torch.tensor([[[0.25, 0.75]]]))
    tensor([[[0., 1.]]])
    """

    def change(self, img: Image) -> Image:
        return F.autocontrast(img)


class RandomEqualize(_Sometimes):
    """With probability `p` all brightnesses about equally frequent.

    >>> RandomEqualize(p=1.0)(torch.zeros(1, 2, 2, dtype=torch.uint8)).sum()
    tensor(0)
    """

    def change(self, img: Image) -> Image:
        return F.equalize(img)
