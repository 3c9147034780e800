"""Turns and bends of whole samples: rotations, affine maps, projections, elastic.

Each draws torchvision's numbers in torchvision's order, so that a seed gives the same picture.
Not here: flips, sizes and borders (`_layout.py`), parts (`_crop.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import draw, geometry, random_geometry
from . import functional as F
from ._crop import CenterCrop, FiveCrop, RandomCrop, RandomIoUCrop, RandomResizedCrop, TenCrop
from ._layout import (
    Mode,
    Pad,
    RandomHorizontalFlip,
    RandomResize,
    RandomShortestSize,
    RandomVerticalFlip,
    RandomZoomOut,
    Resize,
    ScaleJitter,
)
from ._transform import (
    RandomApplied,
    Transform,
    angles_of,
    check_sequence,
    fill_of,
    fills,
    query_size,
    two_floats,
)

# torchvision has all of these in its file of this name, as pickles say.
__all__ = [
    "CenterCrop",
    "ElasticTransform",
    "FiveCrop",
    "Pad",
    "RandomAffine",
    "RandomCrop",
    "RandomHorizontalFlip",
    "RandomIoUCrop",
    "RandomPerspective",
    "RandomResize",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomShortestSize",
    "RandomVerticalFlip",
    "RandomZoomOut",
    "Resize",
    "ScaleJitter",
    "TenCrop",
]


class RandomRotation(Transform):
    """Turn by a random angle.

    Args:
        degrees: the smallest and largest angle, or one number for (-degrees, degrees).
        interpolation, expand, center, fill: as of `functional.rotate`.

    >>> RandomRotation((90, 90))(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]])).flatten()
    tensor([2., 4., 1., 3.])
    """

    _first = random_geometry.RandomRotation

    def __init__(
        self,
        degrees: float | Sequence[float],
        interpolation: Mode = "nearest",
        expand: bool = False,
        center: list[float] | None = None,
        fill: Any = 0,
    ) -> None:
        super().__init__()
        self.degrees = angles_of(degrees, "degrees")
        self.interpolation = interpolation
        self.expand = expand
        self.fill = fill
        self._fill = fills(fill)
        if center is not None:
            check_sequence(center, "center", (2,))
        self.center = center

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        return {"angle": draw.uniform(*self.degrees)}

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(
            F.rotate,
            inpt,
            **params,
            interpolation=self.interpolation,
            expand=self.expand,
            center=self.center,
            fill=fill_of(self._fill, inpt),
        )


class RandomAffine(Transform):
    """Turn, move, scale and shear at random about the middle.

    Args:
        degrees: the smallest and largest angle, or one number for (-degrees, degrees).
        translate: the largest part of width and height to move by.
        scale: the smallest and largest factor.
        shear: degrees: one number for x, (min, max) for x, or (min x, max x, min y, max y).
        interpolation, fill, center: as of `functional.affine`.

    >>> RandomAffine(10, translate=(0.1, 0.1))(torch.zeros(1, 8, 8)).shape
    torch.Size([1, 8, 8])
    """

    _first = random_geometry.RandomAffine

    def __init__(
        self,
        degrees: float | Sequence[float],
        translate: Sequence[float] | None = None,
        scale: Sequence[float] | None = None,
        shear: float | Sequence[float] | None = None,
        interpolation: Mode = "nearest",
        fill: Any = 0,
        center: list[float] | None = None,
    ) -> None:
        super().__init__()
        checked = random_geometry.RandomAffine(degrees, translate, scale, shear, center=center)
        self.degrees = checked.degrees
        self.translate = translate
        self.scale = scale
        self.shear = checked.shear
        self.interpolation = interpolation
        self.fill = fill
        self._fill = fills(fill)
        self.center = center

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        height, width = query_size(flat_inputs)
        drawn = random_geometry.RandomAffine.get_params(
            self.degrees, self.translate, self.scale, self.shear, [width, height]
        )
        return dict(zip(("angle", "translate", "scale", "shear"), drawn, strict=True))

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(
            F.affine,
            inpt,
            **params,
            interpolation=self.interpolation,
            fill=fill_of(self._fill, inpt),
            center=self.center,
        )


class RandomPerspective(RandomApplied):
    """With probability `p`, a random projection.

    Args:
        distortion_scale: how far corners go, from 0 to 1 (half of the image).
        p: the probability.
        interpolation, fill: as of `functional.perspective`.

    >>> RandomPerspective(p=1.0)(torch.zeros(1, 8, 8)).shape
    torch.Size([1, 8, 8])
    """

    _first = random_geometry.RandomPerspective

    def __init__(
        self,
        distortion_scale: float = 0.5,
        p: float = 0.5,
        interpolation: Mode = "bilinear",
        fill: Any = 0,
    ) -> None:
        super().__init__(p=p)
        if not 0 <= distortion_scale <= 1:
            raise ValueError("Argument distortion_scale value should be between 0 and 1")
        self.distortion_scale = distortion_scale
        self.interpolation = interpolation
        self.fill = fill
        self._fill = fills(fill)

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        height, width = query_size(flat_inputs)
        points = random_geometry.RandomPerspective.get_params(width, height, self.distortion_scale)
        return {"coefficients": geometry._perspective_coefficients(*points)}

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(
            F.perspective,
            inpt,
            None,
            None,
            fill=fill_of(self._fill, inpt),
            interpolation=self.interpolation,
            **params,
        )


class ElasticTransform(Transform):
    """Pixels moved by smooth random amounts.

    Args:
        alpha: how far, in x and y.
        sigma: how smoothly, in x and y.
        interpolation, fill: as of `functional.elastic`.

    Simard et al., Best practices for convolutional neural networks, 2003.

    >>> ElasticTransform(sigma=1.0)(torch.zeros(1, 8, 8)).shape
    torch.Size([1, 8, 8])
    """

    _first = random_geometry.ElasticTransform

    def __init__(
        self,
        alpha: float | Sequence[float] = 50.0,
        sigma: float | Sequence[float] = 5.0,
        interpolation: Mode = "bilinear",
        fill: Any = 0,
    ) -> None:
        super().__init__()
        self.alpha = two_floats(alpha, "alpha")
        self.sigma = two_floats(sigma, "sigma")
        self.interpolation = interpolation
        self.fill = fill
        self._fill = fills(fill)

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        import rushlight

        height, width = query_size(flat_inputs)
        moved = []
        for alpha, sigma, length in zip(self.alpha, self.sigma, (width, height), strict=True):
            noise = rushlight.rand(1, 1, height, width) * 2 - 1
            if sigma > 0.0:
                edge = int(8 * sigma + 1)
                edge += edge % 2 == 0
                noise = F.gaussian_blur(noise, [edge, edge], list(self.sigma))
            moved.append(noise * alpha / length)
        return {"displacement": rushlight.cat(moved, 1).permute(0, 2, 3, 1)}

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(
            F.elastic,
            inpt,
            **params,
            fill=fill_of(self._fill, inpt),
            interpolation=self.interpolation,
        )
