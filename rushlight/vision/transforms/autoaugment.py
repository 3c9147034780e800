"""Learned and random policies of augmentation: AutoAugment, RandAugment, TrivialAugmentWide.

A policy names changes ("ShearX", "Solarize"), each with a table of magnitudes and whether its sign
is random. Random numbers are drawn as torchvision draws them. Not here: `AugMix` (`mixing.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import Enum
from functools import lru_cache
from typing import Any

import numpy as np

from ...nn import Module
from ...tensor import Tensor
from . import draw
from . import functional as F
from .image import Image, InterpolationMode
from .random_geometry import fill_for

# Per change: the magnitudes by strength (None where there is nothing to choose), signed or not.
Space = dict[str, tuple[list[float] | None, bool]]


def _shear(img: Image, x: float, y: float, mode: Any, fill: Any) -> Image:
    angles = [math.degrees(math.atan(v)) if v else 0.0 for v in (x, y)]
    return F.affine(img, 0.0, [0, 0], 1.0, angles, mode, fill, center=[0, 0])


def _move(img: Image, x: float, y: float, mode: Any, fill: Any) -> Image:
    return F.affine(img, 0.0, [int(x), int(y)], 1.0, [0.0, 0.0], mode, fill)


_CHANGES: dict[str, Callable[..., Image]] = {
    "Identity": lambda img, _m, _mode, _fill: img,
    "ShearX": lambda img, m, mode, fill: _shear(img, m, 0.0, mode, fill),
    "ShearY": lambda img, m, mode, fill: _shear(img, 0.0, m, mode, fill),
    "TranslateX": lambda img, m, mode, fill: _move(img, m, 0, mode, fill),
    "TranslateY": lambda img, m, mode, fill: _move(img, 0, m, mode, fill),
    "Rotate": lambda img, m, mode, fill: F.rotate(img, m, mode, fill=fill),
    "Brightness": lambda img, m, *_: F.adjust_brightness(img, 1.0 + m),
    "Color": lambda img, m, *_: F.adjust_saturation(img, 1.0 + m),
    "Contrast": lambda img, m, *_: F.adjust_contrast(img, 1.0 + m),
    "Sharpness": lambda img, m, *_: F.adjust_sharpness(img, 1.0 + m),
    "Posterize": lambda img, m, *_: F.posterize(img, int(m)),
    "Solarize": lambda img, m, *_: F.solarize(img, m),
    "AutoContrast": lambda img, *_: F.autocontrast(img),
    "Equalize": lambda img, *_: F.equalize(img),
    "Invert": lambda img, *_: F.invert(img),
}


def apply_change(
    img: Image, name: str, magnitude: float, mode: InterpolationMode, fill: Any
) -> Image:
    """One named change of an image."""
    if name not in _CHANGES:
        raise ValueError(f"The provided operator {name} is not recognized.")
    return _CHANGES[name](img, magnitude, mode, fill)


# Tables of magnitudes


def _bits(start: int, drop: int, bins: int) -> list[float]:
    """Bits that are left to `Posterize`: from `start` down by `drop`."""
    steps = np.arange(bins, dtype=np.float32) / np.float32((bins - 1) / drop)
    return [float(v) for v in start - np.round(steps)]


def space_of(*args: Any, **kwargs: Any) -> Space:
    """A table of the caller's own, with the arguments of `_space`."""
    return dict(_space(*args, **kwargs))


@lru_cache(maxsize=64)
def _space(
    bins: int,
    move_x: float,
    move_y: float,
    *,
    shear: float = 0.3,
    turn: float = 30.0,
    colour: float = 0.9,
    bits: tuple[int, int] = (8, 4),
) -> Space:
    """The usual table, in torchvision's order, from the greatest magnitudes."""

    import rushlight

    def steps(low: float, high: float) -> list[float]:
        found: list[float] = rushlight.linspace(low, high, bins, dtype=rushlight.float32).tolist()
        return found

    def up_to(most: float) -> tuple[list[float], bool]:
        return steps(0.0, most), True

    return {
        "ShearX": up_to(shear),
        "ShearY": up_to(shear),
        "TranslateX": up_to(move_x),
        "TranslateY": up_to(move_y),
        "Rotate": up_to(turn),
        "Brightness": up_to(colour),
        "Color": up_to(colour),
        "Contrast": up_to(colour),
        "Sharpness": up_to(colour),
        "Posterize": (_bits(*bits, bins), False),
        "Solarize": (steps(255.0, 0.0), False),
        "AutoContrast": (None, False),
        "Equalize": (None, False),
    }


def random_change(space: Space) -> tuple[str, list[float] | None, bool]:
    """The name of one change, its magnitudes and whether it is signed."""
    names = list(space)
    name = names[draw.integer(0, len(names))]
    return name, *space[name]


def random_sign(magnitude: float, signed: bool) -> float:
    """The magnitude, negative in half of the cases where that is meant."""
    return -magnitude if signed and draw.integer(0, 2) else magnitude


# Transforms


class AutoAugmentPolicy(Enum):
    """The data set that a policy was learned on.

    >>> AutoAugmentPolicy("svhn").name
    'SVHN'
    """

    IMAGENET = "imagenet"
    CIFAR10 = "cifar10"
    SVHN = "svhn"


# Cubuk et al., tables 7 to 9: two changes a line, each with probability and strength.
_POLICIES = {
    AutoAugmentPolicy.IMAGENET: """
        Posterize 0.4 8, Rotate 0.6 9; Solarize 0.6 5, AutoContrast 0.6 -;
        Equalize 0.8 -, Equalize 0.6 -; Posterize 0.6 7, Posterize 0.6 6;
        Equalize 0.4 -, Solarize 0.2 4; Equalize 0.4 -, Rotate 0.8 8;
        Solarize 0.6 3, Equalize 0.6 -; Posterize 0.8 5, Equalize 1.0 -;
        Rotate 0.2 3, Solarize 0.6 8; Equalize 0.6 -, Posterize 0.4 6;
        Rotate 0.8 8, Color 0.4 0; Rotate 0.4 9, Equalize 0.6 -;
        Equalize 0.0 -, Equalize 0.8 -; Invert 0.6 -, Equalize 1.0 -;
        Color 0.6 4, Contrast 1.0 8; Rotate 0.8 8, Color 1.0 2;
        Color 0.8 8, Solarize 0.8 7; Sharpness 0.4 7, Invert 0.6 -;
        ShearX 0.6 5, Equalize 1.0 -; Color 0.4 0, Equalize 0.6 -;
        Equalize 0.4 -, Solarize 0.2 4; Solarize 0.6 5, AutoContrast 0.6 -;
        Invert 0.6 -, Equalize 1.0 -; Color 0.6 4, Contrast 1.0 8;
        Equalize 0.8 -, Equalize 0.6 -""",
    AutoAugmentPolicy.CIFAR10: """
        Invert 0.1 -, Contrast 0.2 6; Rotate 0.7 2, TranslateX 0.3 9;
        Sharpness 0.8 1, Sharpness 0.9 3; ShearY 0.5 8, TranslateY 0.7 9;
        AutoContrast 0.5 -, Equalize 0.9 -; ShearY 0.2 7, Posterize 0.3 7;
        Color 0.4 3, Brightness 0.6 7; Sharpness 0.3 9, Brightness 0.7 9;
        Equalize 0.6 -, Equalize 0.5 -; Contrast 0.6 7, Sharpness 0.6 5;
        Color 0.7 7, TranslateX 0.5 8; Equalize 0.3 -, AutoContrast 0.4 -;
        TranslateY 0.4 3, Sharpness 0.2 6; Brightness 0.9 6, Color 0.2 8;
        Solarize 0.5 2, Invert 0.0 -; Equalize 0.2 -, AutoContrast 0.6 -;
        Equalize 0.2 -, Equalize 0.6 -; Color 0.9 9, Equalize 0.6 -;
        AutoContrast 0.8 -, Solarize 0.2 8; Brightness 0.1 3, Color 0.7 0;
        Solarize 0.4 5, AutoContrast 0.9 -; TranslateY 0.9 9, TranslateY 0.7 9;
        AutoContrast 0.9 -, Solarize 0.8 3; Equalize 0.8 -, Invert 0.1 -;
        TranslateY 0.7 9, AutoContrast 0.9 -""",
    AutoAugmentPolicy.SVHN: """
        ShearX 0.9 4, Invert 0.2 -; ShearY 0.9 8, Invert 0.7 -;
        Equalize 0.6 -, Solarize 0.6 6; Invert 0.9 -, Equalize 0.6 -;
        Equalize 0.6 -, Rotate 0.9 3; ShearX 0.9 4, AutoContrast 0.8 -;
        ShearY 0.9 8, Invert 0.4 -; ShearY 0.9 5, Solarize 0.2 6;
        Invert 0.9 -, AutoContrast 0.8 -; Equalize 0.6 -, Rotate 0.9 3;
        ShearX 0.9 4, Solarize 0.3 3; ShearY 0.8 8, Invert 0.7 -;
        Equalize 0.9 -, TranslateY 0.6 6; Invert 0.9 -, Equalize 0.6 -;
        Contrast 0.3 3, Rotate 0.8 4; Invert 0.8 -, TranslateY 0.0 2;
        ShearY 0.7 6, Solarize 0.4 8; Invert 0.6 -, Rotate 0.8 4;
        ShearY 0.3 7, TranslateX 0.9 3; ShearX 0.1 6, Invert 0.6 -;
        Solarize 0.7 2, TranslateY 0.6 7; ShearY 0.8 4, Invert 0.8 -;
        ShearX 0.7 9, TranslateY 0.8 3; ShearY 0.8 5, AutoContrast 0.7 -;
        ShearX 0.7 2, Invert 0.1 -""",
}
Change = tuple[str, float, int | None]


def _policy(text: str) -> list[tuple[Change, ...]]:
    """The lines of a table of `_POLICIES`."""

    def change(words: str) -> Change:
        name, probability, strength = words.split()
        return name, float(probability), None if strength == "-" else int(strength)

    return [tuple(change(part) for part in line.split(",")) for line in text.split(";")]


class AutoAugment(Module):
    """Two changes by a policy that was learned on a data set.

    Cubuk et al., AutoAugment: learning augmentation strategies from data, 2019.

    >>> AutoAugment(AutoAugmentPolicy.CIFAR10)(torch.zeros(3, 8, 8, dtype=torch.uint8)).shape
    torch.Size([3, 8, 8])
    """

    def __init__(
        self,
        policy: AutoAugmentPolicy = AutoAugmentPolicy.IMAGENET,
        interpolation: InterpolationMode = InterpolationMode.NEAREST,
        fill: float | Sequence[float] | None = None,
    ) -> None:
        super().__init__()
        self.policy = policy
        self.interpolation = interpolation
        self.fill = fill
        if policy not in _POLICIES:
            raise ValueError(f"The provided policy {policy} is not recognized.")
        self.policies = _policy(_POLICIES[policy])

    @staticmethod
    def get_params(transform_num: int) -> tuple[int, Tensor, Tensor]:
        """A random line of the policy, and for its two changes a number each in [0, 1) and a
        sign, 0 or 1."""
        import rushlight

        line = draw.integer(0, transform_num)
        return line, rushlight.rand((2,)), rushlight.randint(2, (2,))

    def forward(self, img: Image) -> Image:
        channels, height, width = F.get_dimensions(img)
        fill = fill_for(img, self.fill, channels)
        line, chances, signs = self.get_params(len(self.policies))
        space: Space = space_of(10, 150.0 / 331.0 * width, 150.0 / 331.0 * height)
        space["Invert"] = (None, False)
        drawn = zip(self.policies[line], chances.tolist(), signs.tolist(), strict=True)
        for (name, probability, strength), chance, sign in drawn:
            if chance > float(np.float32(probability)):
                continue
            magnitudes, signed = space[name]
            magnitude = 0.0
            if magnitudes is not None and strength is not None:
                magnitude = magnitudes[strength]
            if signed and sign == 0:
                magnitude = -magnitude
            img = apply_change(img, name, magnitude, self.interpolation, fill)
        return img

    def __repr__(self) -> str:
        return f"{type(self).__name__}(policy={self.policy}, fill={self.fill})"


class RandAugment(Module):
    """`num_ops` random changes of one strength.

    Cubuk et al., RandAugment: practical automated data augmentation, 2020.

    >>> RandAugment()(torch.zeros(3, 8, 8, dtype=torch.uint8)).shape
    torch.Size([3, 8, 8])
    """

    def __init__(
        self,
        num_ops: int = 2,
        magnitude: int = 9,
        num_magnitude_bins: int = 31,
        interpolation: InterpolationMode = InterpolationMode.NEAREST,
        fill: float | Sequence[float] | None = None,
    ) -> None:
        super().__init__()
        self.num_ops = num_ops
        self.magnitude = magnitude
        self.num_magnitude_bins = num_magnitude_bins
        self.interpolation = interpolation
        self.fill = fill

    def forward(self, img: Image) -> Image:
        channels, height, width = F.get_dimensions(img)
        fill = fill_for(img, self.fill, channels)
        bins = self.num_magnitude_bins
        space: Space = {
            "Identity": (None, False),
            **space_of(bins, 150.0 / 331.0 * width, 150.0 / 331.0 * height),
        }
        for _ in range(self.num_ops):
            name, magnitudes, signed = random_change(space)
            magnitude = 0.0 if magnitudes is None else magnitudes[self.magnitude]
            magnitude = random_sign(magnitude, signed)
            img = apply_change(img, name, magnitude, self.interpolation, fill)
        return img

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(num_ops={self.num_ops}, magnitude={self.magnitude}, "
            f"num_magnitude_bins={self.num_magnitude_bins}, interpolation={self.interpolation}, "
            f"fill={self.fill})"
        )


class TrivialAugmentWide(Module):
    """One random change of random strength, from a wide range.

    Mueller and Hutter, TrivialAugment: tuning-free yet state-of-the-art data augmentation, 2021.

    >>> TrivialAugmentWide()(torch.zeros(3, 8, 8, dtype=torch.uint8)).shape
    torch.Size([3, 8, 8])
    """

    def __init__(
        self,
        num_magnitude_bins: int = 31,
        interpolation: InterpolationMode = InterpolationMode.NEAREST,
        fill: float | Sequence[float] | None = None,
    ) -> None:
        super().__init__()
        self.num_magnitude_bins = num_magnitude_bins
        self.interpolation = interpolation
        self.fill = fill

    def forward(self, img: Image) -> Image:
        fill = fill_for(img, self.fill, F.get_dimensions(img)[0])
        wide = {"shear": 0.99, "turn": 135.0, "colour": 0.99}
        space = space_of(self.num_magnitude_bins, 32.0, 32.0, bits=(8, 6), **wide)  # type: ignore[arg-type]
        name, magnitudes, signed = random_change({"Identity": (None, False), **space})
        magnitude = 0.0 if magnitudes is None else magnitudes[draw.integer(0, len(magnitudes))]
        magnitude = random_sign(magnitude, signed)
        return apply_change(img, name, magnitude, self.interpolation, fill)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(num_magnitude_bins={self.num_magnitude_bins}, "
            f"interpolation={self.interpolation}, fill={self.fill})"
        )
