"""Flips, sizes and borders of whole samples.

Each draws torchvision's numbers in torchvision's order, so that a seed gives the same picture.
Not here: parts (`_crop.py`), turns and bends (`_geometry.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import draw, layout
from ..image import InterpolationMode
from . import functional as F
from ._transform import RandomApplied, Transform, check_sequence, fill_of, fills, query_size

Mode = InterpolationMode | str | int


class RandomHorizontalFlip(RandomApplied):
    """Left and right exchanged, with probability `p`.

    >>> RandomHorizontalFlip(1.0)(torch.tensor([[[1, 2]]]))
    tensor([[[2, 1]]])
    """

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(F.horizontal_flip, inpt)


class RandomVerticalFlip(RandomApplied):
    """Top and bottom exchanged, with probability `p`.

    >>> RandomVerticalFlip(1.0)(torch.tensor([[[1], [2]]])).flatten()
    tensor([2, 1])
    """

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(F.vertical_flip, inpt)


class _Resizing(Transform):
    """Resizes to what `make_params` says."""

    interpolation: Mode
    antialias: bool | None

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(
            F.resize, inpt, interpolation=self.interpolation, antialias=self.antialias, **params
        )


class Resize(_Resizing):
    """Resize to (height, width); one number is the length of the shorter edge.

    >>> Resize(10)(torch.zeros(1, 20, 30)).shape
    torch.Size([1, 10, 15])
    """

    def __init__(
        self,
        size: int | Sequence[int] | None,
        interpolation: Mode = "bilinear",
        max_size: int | None = None,
        antialias: bool | None = True,
    ) -> None:
        super().__init__()
        if size is None and not isinstance(max_size, int):
            raise ValueError(
                f"max_size must be an integer when size is None, but got {max_size} instead."
            )
        if isinstance(size, int):
            size = [size]
        elif isinstance(size, Sequence) and len(size) in (1, 2):
            size = list(size)
        elif size is not None:
            raise ValueError(
                "size can be an integer, a sequence of one or two integers, or None, "
                f"but got {size} instead."
            )
        self.size = size
        self.interpolation = interpolation
        self.max_size = max_size
        self.antialias = antialias

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        return {"size": self.size, "max_size": self.max_size}


class ScaleJitter(_Resizing):
    """Resize by a random factor, relative to what makes the image fit into `target_size`.

    Args:
        target_size: (height, width).
        scale_range: the smallest and largest factor.
        interpolation, antialias: as of `Resize`.

    Ghiasi et al., Simple copy-paste is a strong data augmentation method, 2021.

    >>> ScaleJitter((8, 8), scale_range=(0.5, 0.5))(torch.zeros(1, 4, 4)).shape
    torch.Size([1, 4, 4])
    """

    def __init__(
        self,
        target_size: tuple[int, int],
        scale_range: tuple[float, float] = (0.1, 2.0),
        interpolation: Mode = "bilinear",
        antialias: bool | None = True,
    ) -> None:
        super().__init__()
        self.target_size = target_size
        self.scale_range = scale_range
        self.interpolation = interpolation
        self.antialias = antialias

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        import rushlight

        height, width = query_size(flat_inputs)
        low, high = self.scale_range
        scale = low + rushlight.rand(1) * (high - low)
        r = min(self.target_size[1] / height, self.target_size[0] / width) * scale
        return {"size": (int(height * r), int(width * r))}


class RandomShortestSize(_Resizing):
    """Resize so that the shorter edge is one of `min_size`, drawn at random.

    Args:
        min_size: one length or several.
        max_size: the longer edge is at most this.
        interpolation, antialias: as of `Resize`.

    >>> RandomShortestSize([10])(torch.zeros(1, 20, 30)).shape
    torch.Size([1, 10, 15])
    """

    def __init__(
        self,
        min_size: Sequence[int] | int,
        max_size: int | None = None,
        interpolation: Mode = "bilinear",
        antialias: bool | None = True,
    ) -> None:
        super().__init__()
        self.min_size = [min_size] if isinstance(min_size, int) else list(min_size)
        self.max_size = max_size
        self.interpolation = interpolation
        self.antialias = antialias

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        height, width = query_size(flat_inputs)
        r = self.min_size[draw.integer(0, len(self.min_size))] / min(height, width)
        if self.max_size is not None:
            r = min(r, self.max_size / max(height, width))
        return {"size": (int(height * r), int(width * r))}


class RandomResize(_Resizing):
    """Resize so that the shorter edge is at least `min_size` and below `max_size`, at random.

    >>> RandomResize(10, 11)(torch.zeros(1, 20, 30)).shape
    torch.Size([1, 10, 15])
    """

    def __init__(
        self,
        min_size: int,
        max_size: int,
        interpolation: Mode = "bilinear",
        antialias: bool | None = True,
    ) -> None:
        super().__init__()
        self.min_size = min_size
        self.max_size = max_size
        self.interpolation = interpolation
        self.antialias = antialias

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        return {"size": [draw.integer(self.min_size, self.max_size)]}


# Borders


def _check_padding(padding: Any) -> None:
    several = isinstance(padding, tuple | list)
    whole = all(isinstance(p, int) for p in padding) if several else isinstance(padding, int)
    if not whole or (several and len(padding) not in (1, 2, 4)):
        raise ValueError(
            f"Padding must be an int or a 1, 2, or 4 element of tuple or list, got {padding}."
        )


def _check_mode(padding_mode: str) -> None:
    if padding_mode not in layout.PADDING_MODES:
        raise ValueError("Padding mode should be either constant, edge, reflect or symmetric")


class Pad(Transform):
    """A border: of one width, (left and right, top and bottom) or (left, top, right, bottom).

    `fill` may be a dictionary by class, with "others" for the rest.

    >>> Pad((1, 0))(torch.ones(1, 1, 1))
    tensor([[[0., 1., 0.]]])
    """

    def __init__(
        self, padding: int | Sequence[int], fill: Any = 0, padding_mode: str = "constant"
    ) -> None:
        super().__init__()
        _check_padding(padding)
        _check_mode(padding_mode)
        self.padding = padding if isinstance(padding, int) else list(padding)
        self.fill = fill
        self._fill = fills(fill)
        self.padding_mode = padding_mode

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        fill = fill_of(self._fill, inpt)
        mode = self.padding_mode
        return self._call_kernel(F.pad, inpt, padding=self.padding, fill=fill, padding_mode=mode)


class RandomZoomOut(RandomApplied):
    """With probability `p`, the image somewhere in a larger one: SSD's augmentation.

    Args:
        fill: the colour around; a dictionary by class gives one for each kind.
        side_range: the smallest and largest factor of width and height.
        p: the probability.

    Liu et al., SSD: Single shot multibox detector, 2016.

    >>> RandomZoomOut(side_range=(2.0, 2.0), p=1.0)(torch.zeros(1, 4, 4)).shape
    torch.Size([1, 8, 8])
    """

    def __init__(
        self, fill: Any = 0, side_range: Sequence[float] = (1.0, 4.0), p: float = 0.5
    ) -> None:
        super().__init__(p=p)
        self.fill = fill
        self._fill = fills(fill)
        check_sequence(side_range, "side_range", (2,))
        self.side_range = side_range
        if side_range[0] < 1.0 or side_range[0] > side_range[1]:
            raise ValueError(f"Invalid side range provided {side_range}.")

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        import rushlight

        height, width = query_size(flat_inputs)
        low, high = self.side_range
        r = low + rushlight.rand(1) * (high - low)
        more_width, more_height = int(width * r) - width, int(height * r) - height
        r = rushlight.rand(2)
        left, top = int(more_width * r[0]), int(more_height * r[1])
        return {"padding": [left, top, more_width - left, more_height - top]}

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(F.pad, inpt, **params, fill=fill_of(self._fill, inpt))
