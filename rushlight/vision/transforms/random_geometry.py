"""Random turns and bends: RandomRotation, RandomAffine, RandomPerspective, ElasticTransform.

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
from .image import Image, InterpolationMode, mode_of_number


def _sequence(x: Any, name: str, sizes: tuple[int, ...]) -> None:
    """TypeError or ValueError unless `x` is a sequence of one of these lengths."""
    text = f"{name} should be a sequence of length {' or '.join(map(str, sizes))}."
    if not isinstance(x, Sequence):
        raise TypeError(text)
    if len(x) not in sizes:
        raise ValueError(text)


def _angles(x: Any, name: str, sizes: tuple[int, ...] = (2,)) -> list[float]:
    """(-x, x) of one number, or the sequence itself, as floats."""
    if isinstance(x, numbers.Number):
        if x < 0:  # type: ignore[operator]
            raise ValueError(f"If {name} is a single number, it must be positive.")
        return [-float(x), float(x)]  # type: ignore[arg-type]
    _sequence(x, name, sizes)
    return [float(v) for v in x]


def _checked_fill(fill: Any) -> Any:
    if fill is None:
        return 0
    if not isinstance(fill, Sequence | numbers.Number):
        raise TypeError("Fill should be either a sequence or a number.")
    return fill


def fill_for(img: Image, fill: Any, channels: int) -> Any:
    """The colour as tensors take it, one float a channel; Pillow images take it as it is."""
    if not isinstance(img, Tensor) or fill is None:
        return fill
    if isinstance(fill, int | float):
        return [float(fill)] * channels
    return [float(v) for v in fill]


class RandomRotation(Module):
    """Turn by a random angle.

    Args:
        degrees: the smallest and largest angle, or one number for (-degrees, degrees).
        interpolation, expand, center, fill: as of `functional.rotate`.

    >>> RandomRotation((90, 90))(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]))
    tensor([[[2., 4.],
             [1., 3.]]])
    """

    def __init__(
        self,
        degrees: float | Sequence[float],
        interpolation: InterpolationMode | int = InterpolationMode.NEAREST,
        expand: bool = False,
        center: Sequence[float] | None = None,
        fill: Any = 0,
    ) -> None:
        super().__init__()
        self.degrees = _angles(degrees, "degrees")
        if center is not None:
            _sequence(center, "center", (2,))
        self.center = center
        self.interpolation = mode_of_number(interpolation)
        self.expand = expand
        self.fill = _checked_fill(fill)

    @staticmethod
    def get_params(degrees: Sequence[float]) -> float:
        """A random angle."""
        return draw.uniform(float(degrees[0]), float(degrees[1]))

    def forward(self, img: Image) -> Image:
        fill = fill_for(img, self.fill, F.get_dimensions(img)[0])
        angle = self.get_params(self.degrees)
        return F.rotate(img, angle, self.interpolation, self.expand, self.center, fill)

    def __repr__(self) -> str:
        center = "" if self.center is None else f", center={self.center}"
        return (
            f"{type(self).__name__}(degrees={self.degrees}, "
            f"interpolation={self.interpolation.value}, expand={self.expand}{center}, "
            f"fill={self.fill})"
        )


class RandomAffine(Module):
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

    def __init__(
        self,
        degrees: float | Sequence[float],
        translate: Sequence[float] | None = None,
        scale: Sequence[float] | None = None,
        shear: float | Sequence[float] | None = None,
        interpolation: InterpolationMode | int = InterpolationMode.NEAREST,
        fill: Any = 0,
        center: Sequence[float] | None = None,
    ) -> None:
        super().__init__()
        self.interpolation = mode_of_number(interpolation)
        self.degrees = _angles(degrees, "degrees")
        if translate is not None:
            _sequence(translate, "translate", (2,))
            if any(not 0.0 <= t <= 1.0 for t in translate):
                raise ValueError("translation values should be between 0 and 1")
        if scale is not None:
            _sequence(scale, "scale", (2,))
            if any(s <= 0 for s in scale):
                raise ValueError("scale values should be positive")
        self.translate = translate
        self.scale = scale
        self.shear = None if shear is None else _angles(shear, "shear", (2, 4))
        self.fill = _checked_fill(fill)
        if center is not None:
            _sequence(center, "center", (2,))
        self.center = center

    @staticmethod
    def get_params(
        degrees: Sequence[float],
        translate: Sequence[float] | None,
        scale_ranges: Sequence[float] | None,
        shears: Sequence[float] | None,
        img_size: Sequence[int],
    ) -> tuple[float, tuple[int, int], float, tuple[float, float]]:
        """A random angle, (right, down), factor and (x, y) of shearing; `img_size` is (w, h)."""
        angle = draw.uniform(float(degrees[0]), float(degrees[1]))
        right = down = 0
        if translate is not None:
            most = [float(t * n) for t, n in zip(translate, img_size, strict=False)]
            right, down = (round(draw.uniform(-m, m)) for m in most)
        scale = 1.0 if scale_ranges is None else draw.uniform(scale_ranges[0], scale_ranges[1])
        x = y = 0.0
        if shears is not None:
            x = draw.uniform(shears[0], shears[1])
            y = draw.uniform(shears[2], shears[3]) if len(shears) == 4 else 0.0
        return angle, (right, down), scale, (x, y)

    def forward(self, img: Image) -> Image:
        channels, height, width = F.get_dimensions(img)
        fill = fill_for(img, self.fill, channels)
        drawn = self.get_params(
            self.degrees, self.translate, self.scale, self.shear, [width, height]
        )
        return F.affine(
            img, *drawn, interpolation=self.interpolation, fill=fill, center=self.center
        )

    def __repr__(self) -> str:
        parts = [f"degrees={self.degrees}"]
        parts += [
            f"{name}={getattr(self, name)}"
            for name in ("translate", "scale", "shear")
            if getattr(self, name) is not None
        ]
        if self.interpolation != InterpolationMode.NEAREST:
            parts.append(f"interpolation={self.interpolation.value}")
        if self.fill != 0:
            parts.append(f"fill={self.fill}")
        if self.center is not None:
            parts.append(f"center={self.center}")
        return f"{type(self).__name__}({', '.join(parts)})"


class RandomPerspective(Module):
    """With probability `p`, the corners moved inwards at random.

    Args:
        distortion_scale: 0 leaves the corners, 1 moves them up to the middle.
        p: the probability.
        interpolation, fill: as of `functional.perspective`.

    >>> RandomPerspective(p=1.0)(torch.zeros(3, 8, 8)).shape
    torch.Size([3, 8, 8])
    """

    def __init__(
        self,
        distortion_scale: float = 0.5,
        p: float = 0.5,
        interpolation: InterpolationMode | int = InterpolationMode.BILINEAR,
        fill: Any = 0,
    ) -> None:
        super().__init__()
        self.p = p
        self.interpolation = mode_of_number(interpolation)
        self.distortion_scale = distortion_scale
        self.fill = _checked_fill(fill)

    def forward(self, img: Image) -> Image:
        channels, height, width = F.get_dimensions(img)
        fill = fill_for(img, self.fill, channels)
        if not draw.chance(self.p):
            return img
        points = self.get_params(width, height, self.distortion_scale)
        return F.perspective(img, *points, self.interpolation, fill)

    @staticmethod
    def get_params(
        width: int, height: int, distortion_scale: float
    ) -> tuple[list[list[int]], list[list[int]]]:
        """The corners (x, y), from the top left one clockwise, and where they go."""
        dx = int(distortion_scale * (width // 2))
        dy = int(distortion_scale * (height // 2))
        left, right = (0, dx + 1), (width - dx - 1, width)
        top, bottom = (0, dy + 1), (height - dy - 1, height)
        ranges = [(left, top), (right, top), (right, bottom), (left, bottom)]
        ends = [[draw.integer(*x), draw.integer(*y)] for x, y in ranges]
        starts = [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]]
        return starts, ends

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p={self.p})"


class ElasticTransform(Module):
    """Pixels moved by a random field that varies smoothly.

    Args:
        alpha: how far, for x and y or both.
        sigma: how smoothly: the width of the blur of the field.
        interpolation, fill: as of `functional.elastic_transform`.

    >>> ElasticTransform(sigma=1.0)(torch.zeros(1, 16, 16)).shape
    torch.Size([1, 16, 16])
    """

    def __init__(
        self,
        alpha: float | Sequence[float] = 50.0,
        sigma: float | Sequence[float] = 5.0,
        interpolation: InterpolationMode | int = InterpolationMode.BILINEAR,
        fill: Any = 0,
    ) -> None:
        super().__init__()
        self.alpha = _two_floats(alpha, "alpha")
        self.sigma = _two_floats(sigma, "sigma")
        self.interpolation = mode_of_number(interpolation)
        if isinstance(fill, int | float):
            self.fill = [float(fill)]
        elif isinstance(fill, list | tuple):
            self.fill = [float(v) for v in fill]
        else:
            raise TypeError(
                f"fill should be int or float or a list or tuple of them. Got {type(fill)}"
            )

    @staticmethod
    def get_params(alpha: Sequence[float], sigma: Sequence[float], size: list[int]) -> Tensor:
        """A random displacement (1, H, W, 2) for an image of size (H, W)."""
        import rushlight

        fields = []
        for far, width, length in zip(alpha, sigma, size[::-1], strict=True):
            field = rushlight.rand([1, 1, *size]) * 2 - 1
            if width > 0.0:
                n = int(8 * width + 1)
                # Of both sigmas, the second is for y, whichever field is smoothed.
                field = F.gaussian_blur(field, [n + 1 - n % 2] * 2, list(sigma))
            fields.append(field * far / length)
        out: Tensor = rushlight.cat(fields, 1).permute([0, 2, 3, 1])
        return out

    def forward(self, tensor: Image) -> Image:
        _, height, width = F.get_dimensions(tensor)
        displacement = self.get_params(self.alpha, self.sigma, [height, width])
        return F.elastic_transform(tensor, displacement, self.interpolation, self.fill)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(alpha={self.alpha}, sigma={self.sigma}, "
            f"interpolation={self.interpolation}, fill={self.fill})"
        )


def _two_floats(x: Any, name: str) -> Any:
    if isinstance(x, float):
        return [x, x]
    if not isinstance(x, Sequence):
        raise TypeError(f"{name} should be float or a sequence of floats. Got {type(x)}")
    if len(x) != 2:
        raise ValueError(f"If {name} is a sequence its length should be 2. Got {len(x)}")
    for element in x:
        if not isinstance(element, float):
            raise TypeError(f"{name} should be a sequence of floats. Got {type(element)}")
    return x
