"""Colours and sharpness of whole samples; boxes, masks and points pass.

Each draws torchvision's numbers in torchvision's order, so that a seed gives the same picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import draw, random_color
from . import functional as F
from ._transform import RandomApplied, Transform, pair_of, query_chw, two_floats

_FACTORS = (
    ("brightness_factor", F.adjust_brightness),
    ("contrast_factor", F.adjust_contrast),
    ("saturation_factor", F.adjust_saturation),
    ("hue_factor", F.adjust_hue),
)


class Grayscale(Transform):
    """Grey, in one or three equal channels.

    >>> Grayscale()(torch.ones(3, 2, 2)).shape
    torch.Size([1, 2, 2])
    """

    def __init__(self, num_output_channels: int = 1) -> None:
        super().__init__()
        self.num_output_channels = num_output_channels

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        channels = self.num_output_channels
        return self._call_kernel(F.rgb_to_grayscale, inpt, num_output_channels=channels)


class RandomGrayscale(RandomApplied):
    """Grey with probability `p`, in as many channels as before.

    >>> RandomGrayscale(1.0)(torch.ones(3, 2, 2)).shape
    torch.Size([3, 2, 2])
    """

    def __init__(self, p: float = 0.1) -> None:
        super().__init__(p=p)

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        return {"num_output_channels": query_chw(flat_inputs)[0]}

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(F.rgb_to_grayscale, inpt, **params)


class RGB(Transform):
    """Three channels.

    >>> RGB()(torch.zeros(1, 2, 2)).shape
    torch.Size([3, 2, 2])
    """

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(F.grayscale_to_rgb, inpt)


class ColorJitter(Transform):
    """Brightness, contrast, saturation and hue changed by random factors, in random order.

    Args:
        brightness, contrast, saturation: (min, max) of the factor, or one number x for
            (max(0, 1 - x), 1 + x).
        hue: (min, max) within -0.5 and 0.5, or one number x for (-x, x).

    >>> ColorJitter(brightness=0.5, hue=0.1)
    ColorJitter(brightness=(0.5, 1.5), hue=(-0.1, 0.1))
    """

    _first = random_color.ColorJitter

    def __init__(
        self,
        brightness: float | Sequence[float] | None = None,
        contrast: float | Sequence[float] | None = None,
        saturation: float | Sequence[float] | None = None,
        hue: float | Sequence[float] | None = None,
    ) -> None:
        super().__init__()
        found = random_color.ColorJitter(brightness or 0, contrast or 0, saturation or 0, hue or 0)
        self.brightness = found.brightness
        self.contrast = found.contrast
        self.saturation = found.saturation
        self.hue = found.hue

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        order, *factors = random_color.ColorJitter.get_params(
            self.brightness, self.contrast, self.saturation, self.hue
        )
        names = [name for name, _ in _FACTORS]
        return {"fn_idx": order, **dict(zip(names, factors, strict=True))}

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        for i in params["fn_idx"].tolist():
            name, change = _FACTORS[i]
            if params[name] is not None:
                inpt = self._call_kernel(change, inpt, params[name])
        return inpt


class RandomPhotometricDistort(Transform):
    """Colours changed as for SSD: each change with probability `p`, channels exchanged at the end.

    Args:
        brightness, contrast, saturation, hue: the smallest and largest factor.
        p: the probability of each.

    Liu et al., SSD: Single shot multibox detector, 2016.

    >>> RandomPhotometricDistort()(torch.ones(3, 2, 2)).shape
    torch.Size([3, 2, 2])
    """

    def __init__(
        self,
        brightness: tuple[float, float] = (0.875, 1.125),
        contrast: tuple[float, float] = (0.5, 1.5),
        saturation: tuple[float, float] = (0.5, 1.5),
        hue: tuple[float, float] = (-0.05, 0.05),
        p: float = 0.5,
    ) -> None:
        super().__init__()
        self.brightness = brightness
        self.contrast = contrast
        self.hue = hue
        self.saturation = saturation
        self.p = p

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        import rushlight

        channels = query_chw(flat_inputs)[0]
        ranges = (self.brightness, self.contrast, self.saturation, self.hue)
        params: dict[str, Any] = {}
        for (name, _), bounds in zip(_FACTORS, ranges, strict=True):
            params[name] = draw.uniform(*bounds) if draw.chance(self.p) else None
        params["contrast_before"] = draw.chance(0.5)
        permuted = draw.chance(self.p)
        params["channel_permutation"] = rushlight.randperm(channels) if permuted else None
        return params

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        brightness, contrast, *rest = _FACTORS
        early = params["contrast_before"]
        order = [brightness, contrast, *rest] if early else [brightness, *rest, contrast]
        for name, change in order:
            if params[name] is not None:
                inpt = self._call_kernel(change, inpt, params[name])
        if params["channel_permutation"] is not None:
            inpt = self._call_kernel(F.permute_channels, inpt, params["channel_permutation"])
        return inpt


class RandomChannelPermutation(Transform):
    """The channels in random order.

    >>> RandomChannelPermutation()(torch.zeros(3, 2, 2)).shape
    torch.Size([3, 2, 2])
    """

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        import rushlight

        return {"permutation": rushlight.randperm(query_chw(flat_inputs)[0])}

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(F.permute_channels, inpt, params["permutation"])


class RandomEqualize(RandomApplied):
    """Each brightness about as often, with probability `p`.

    >>> RandomEqualize(1.0)(torch.zeros(1, 2, 2, dtype=torch.uint8)).shape
    torch.Size([1, 2, 2])
    """

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(F.equalize, inpt)


class RandomInvert(RandomApplied):
    """The negative, with probability `p`.

    >>> RandomInvert(1.0)(torch.tensor([[[0.25]]]))
    tensor([[[0.7500]]])
    """

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(F.invert, inpt)


class RandomPosterize(RandomApplied):
    """Only the first bits of each byte, with probability `p`.

    >>> RandomPosterize(4, p=1.0)(torch.tensor([[[255]]], dtype=torch.uint8))
    tensor([[[240]]], dtype=torch.uint8)
    """

    def __init__(self, bits: int, p: float = 0.5) -> None:
        super().__init__(p=p)
        self.bits = bits

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(F.posterize, inpt, self.bits)


class RandomSolarize(RandomApplied):
    """The negative of what is at least as bright as a threshold, with probability `p`.

    >>> RandomSolarize(0.5, p=1.0)(torch.tensor([[[0.25, 0.75]]]))
    tensor([[[0.2500, 0.2500]]])
    """

    def __init__(self, threshold: float, p: float = 0.5) -> None:
        super().__init__(p=p)
        self.threshold = threshold

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(F.solarize, inpt, self.threshold)


class RandomAutocontrast(RandomApplied):
    """Each channel stretched to the whole range, with probability `p`.

    >>> RandomAutocontrast(1.0)(torch.tensor([[[0.25, 0.75]]]))
    tensor([[[0., 1.]]])
    """

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(F.autocontrast, inpt)


class RandomAdjustSharpness(RandomApplied):
    """Blurred (0) or sharpened (2), with probability `p`.

    >>> RandomAdjustSharpness(2.0, p=1.0)(torch.ones(1, 4, 4)).shape
    torch.Size([1, 4, 4])
    """

    def __init__(self, sharpness_factor: float, p: float = 0.5) -> None:
        super().__init__(p=p)
        self.sharpness_factor = sharpness_factor

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(F.adjust_sharpness, inpt, self.sharpness_factor)


class GaussianBlur(Transform):
    """A blur of random width.

    Args:
        kernel_size: odd width, or (width, height), of the neighbourhood.
        sigma: the smallest and largest width of the bell, or one number.

    >>> GaussianBlur(3)(torch.ones(1, 4, 4)).shape
    torch.Size([1, 4, 4])
    """

    _first = random_color.GaussianBlur

    def __init__(
        self, kernel_size: int | Sequence[int], sigma: float | Sequence[float] = (0.1, 2.0)
    ) -> None:
        super().__init__()
        self.kernel_size = pair_of(
            kernel_size, "Kernel size should be a tuple/list of two integers"
        )
        if any(size <= 0 or size % 2 == 0 for size in self.kernel_size):
            raise ValueError("Kernel size value should be an odd and positive number.")
        self.sigma = two_floats(sigma, "sigma")
        if not 0.0 < self.sigma[0] <= self.sigma[1]:
            raise ValueError(
                f"sigma values should be positive and of the form (min, max). Got {self.sigma}"
            )

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        sigma = draw.uniform(*self.sigma)
        return {"sigma": [sigma, sigma]}

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(F.gaussian_blur, inpt, self.kernel_size, **params)


class GaussianNoise(Transform):
    """Normal noise added to float and uint8 tensors.

    >>> GaussianNoise(sigma=0.0)(torch.ones(1, 1, 1))
    tensor([[[1.]]])
    """

    def __init__(self, mean: float = 0.0, sigma: float = 0.1, clip: bool = True) -> None:
        super().__init__()
        self.mean = mean
        self.sigma = sigma
        self.clip = clip

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        how = {"mean": self.mean, "sigma": self.sigma, "clip": self.clip}
        return self._call_kernel(F.gaussian_noise, inpt, **how)
