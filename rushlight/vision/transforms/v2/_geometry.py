"""Flips, sizes, parts, borders, turns and bends of whole samples.

Each draws torchvision's numbers in torchvision's order, so that a seed gives the same picture.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from ....tensor import Tensor
from ..._pillow import is_pil
from ...tv_tensors import BoundingBoxes, BoundingBoxFormat, Image, Mask, wrap
from .. import draw, fixed, geometry, layout, random_geometry, random_layout
from ..image import InterpolationMode
from . import functional as F
from ._boxes import convert, is_pure_tensor, plain
from ._transform import (
    RandomApplied,
    Transform,
    angles_of,
    check_sequence,
    fill_of,
    fills,
    first_of,
    has_all,
    has_any,
    pair_of,
    query_size,
    two_floats,
)

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


# Parts


class CenterCrop(Transform):
    """The middle (height, width).

    >>> CenterCrop(2)(torch.zeros(1, 5, 5)).shape
    torch.Size([1, 2, 2])
    """

    def __init__(self, size: int | Sequence[int]) -> None:
        super().__init__()
        self.size = pair_of(size)

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(F.center_crop, inpt, output_size=self.size)


class _Crops(Transform):
    _first: type | None = fixed.FiveCrop

    def check_inputs(self, flat_inputs: list[Any]) -> None:
        if has_any(flat_inputs, BoundingBoxes, Mask):
            raise TypeError(
                f"BoundingBoxes'es and Mask's are not supported by {type(self).__name__}()"
            )


class FiveCrop(_Crops):
    """The four corners and the middle, as a tuple.

    >>> len(FiveCrop(2)(torch.zeros(1, 5, 5)))
    5
    """

    def __init__(self, size: int | Sequence[int]) -> None:
        super().__init__()
        self.size = pair_of(size)

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(F.five_crop, inpt, self.size)


class TenCrop(_Crops):
    """The four corners and the middle, of the image and of its mirror image.

    >>> len(TenCrop(2)(torch.zeros(1, 5, 5)))
    10
    """

    def __init__(self, size: int | Sequence[int], vertical_flip: bool = False) -> None:
        super().__init__()
        self.size = pair_of(size)
        self.vertical_flip = vertical_flip

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(F.ten_crop, inpt, self.size, vertical_flip=self.vertical_flip)


class RandomResizedCrop(Transform):
    """A random part, of random size and shape, resized: Inception's augmentation.

    Args:
        size: (height, width) of the result, or the edge of a square.
        scale: the smallest and largest part of the area.
        ratio: the smallest and largest width / height.
        interpolation, antialias: as of `Resize`.

    >>> RandomResizedCrop(8)(torch.zeros(3, 20, 30)).shape
    torch.Size([3, 8, 8])
    """

    _first = random_layout.RandomResizedCrop

    def __init__(
        self,
        size: int | Sequence[int],
        scale: Sequence[float] = (0.08, 1.0),
        ratio: Sequence[float] = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: Mode = "bilinear",
        antialias: bool | None = True,
    ) -> None:
        super().__init__()
        self.size = pair_of(size)
        for value, name in ((scale, "Scale"), (ratio, "Ratio")):
            if not isinstance(value, Sequence) or len(value) != 2:
                raise TypeError(f"{name} should be a sequence of two floats.")
        if scale[0] > scale[1] or ratio[0] > ratio[1]:
            warnings.warn("Scale and ratio should be of kind (min, max)", stacklevel=2)
        self.scale = scale
        self.ratio = ratio
        self.interpolation = interpolation
        self.antialias = antialias

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        height, width = query_size(flat_inputs)
        box = random_layout.part_of(height, width, self.scale, self.ratio)
        return dict(zip(("top", "left", "height", "width"), box, strict=True))

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(
            F.resized_crop,
            inpt,
            **params,
            size=self.size,
            interpolation=self.interpolation,
            antialias=self.antialias,
        )


class RandomCrop(Transform):
    """A part of the given size at a random place.

    Args:
        size: (height, width), or the edge of a square.
        padding: a border that is added first.
        pad_if_needed: add a border where the image is smaller than the crop.
        fill: the colour of the border; a dictionary by class gives one for each kind.
        padding_mode: of the border.

    >>> RandomCrop(4, padding=1)(torch.zeros(1, 4, 4)).shape
    torch.Size([1, 4, 4])
    """

    _first = random_layout.RandomCrop

    def __init__(
        self,
        size: int | Sequence[int],
        padding: int | Sequence[int] | None = None,
        pad_if_needed: bool = False,
        fill: Any = 0,
        padding_mode: str = "constant",
    ) -> None:
        super().__init__()
        self.size = pair_of(size)
        if padding is not None:
            _check_padding(padding)
        if padding is not None or pad_if_needed:
            _check_mode(padding_mode)
        self.padding = list(layout._sides(padding)) if padding else None
        self.pad_if_needed = pad_if_needed
        self.fill = fill
        self._fill = fills(fill)
        self.padding_mode = padding_mode

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        sizes = list(query_size(flat_inputs))
        left, top, right, bottom = self.padding or (0, 0, 0, 0)
        borders = [[top, bottom], [left, right]]  # of height, of width
        starts = [0, 0]
        for axis, wanted in enumerate(self.size):
            sizes[axis] += sum(borders[axis])
            lacking = wanted - sizes[axis]
            if self.pad_if_needed and lacking > 0:
                borders[axis] = [n + lacking for n in borders[axis]]
                sizes[axis] += 2 * lacking
        if sizes[0] < self.size[0] or sizes[1] < self.size[1]:
            raise ValueError(
                f"Required crop size {tuple(self.size)} is larger than "
                f"{'padded ' if self.padding is not None else ''}input image size {tuple(sizes)}."
            )
        cut = False
        for axis, wanted in enumerate(self.size):
            if sizes[axis] > wanted:
                starts[axis], cut = draw.integer(0, sizes[axis] - wanted + 1), True
        return {
            "needs_crop": cut,
            "top": starts[0],
            "left": starts[1],
            "height": self.size[0],
            "width": self.size[1],
            "needs_pad": any(map(any, borders)),
            "padding": [borders[1][0], borders[0][0], borders[1][1], borders[0][1]],
        }

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        if params["needs_pad"]:
            inpt = self._call_kernel(
                F.pad,
                inpt,
                padding=params["padding"],
                fill=fill_of(self._fill, inpt),
                padding_mode=self.padding_mode,
            )
        if params["needs_crop"]:
            box = {name: params[name] for name in ("top", "left", "height", "width")}
            inpt = self._call_kernel(F.crop, inpt, **box)
        return inpt


class RandomIoUCrop(Transform):
    """A random part that overlaps enough with one of the boxes: SSD's augmentation.

    Boxes whose middle is outside become zeros; `SanitizeBoundingBoxes` removes them.

    Args:
        min_scale, max_scale: of width and height.
        min_aspect_ratio, max_aspect_ratio: of width / height.
        sampler_options: the least overlaps, of which one is drawn; 1.0 and more changes nothing.
        trials: how many parts are tried before another overlap is drawn.

    Liu et al., SSD: Single shot multibox detector, 2016.

    >>> from rushlight.vision import tv_tensors
    >>> boxes = tv_tensors.BoundingBoxes([[0, 0, 4, 4]], format="XYXY", canvas_size=(8, 8))
    >>> image, boxes = RandomIoUCrop(sampler_options=[1.0])(torch.zeros(3, 8, 8), boxes)
    >>> image.shape
    torch.Size([3, 8, 8])
    """

    def __init__(
        self,
        min_scale: float = 0.3,
        max_scale: float = 1.0,
        min_aspect_ratio: float = 0.5,
        max_aspect_ratio: float = 2.0,
        sampler_options: list[float] | None = None,
        trials: int = 40,
    ) -> None:
        super().__init__()
        self.min_scale = min_scale
        self.max_scale = max_scale
        self.min_aspect_ratio = min_aspect_ratio
        self.max_aspect_ratio = max_aspect_ratio
        self.options = (
            [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0] if sampler_options is None else sampler_options
        )
        self.trials = trials

    def check_inputs(self, flat_inputs: list[Any]) -> None:
        images = has_any(flat_inputs, is_pil, Image, is_pure_tensor)
        if not (images and has_all(flat_inputs, BoundingBoxes)):
            raise TypeError(
                f"{type(self).__name__}() requires input sample to contain tensor or PIL images "
                "and bounding boxes. Sample can also contain masks."
            )

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        found = first_of(flat_inputs, BoundingBoxes, "bounding boxes")
        boxes = convert(plain(found), found.format, BoundingBoxFormat.XYXY)
        size = query_size(flat_inputs)
        while True:
            least = self.options[draw.integer(0, len(self.options))]
            if least >= 1.0:
                return {}
            for _ in range(self.trials):
                params = self._part(boxes, least, *size)
                if params:
                    return params

    def _part(self, boxes: Tensor, least: float, height: int, width: int) -> dict[str, Any]:
        """A random part, and which boxes have their middle in it; {} where it will not do."""
        import rushlight

        from ...ops.boxes import box_iou

        r = self.min_scale + (self.max_scale - self.min_scale) * rushlight.rand(2)
        w, h = int(width * r[0]), int(height * r[1])
        if not self.min_aspect_ratio <= w / h <= self.max_aspect_ratio:
            return {}
        r = rushlight.rand(2)
        left, top = int((width - w) * r[0]), int((height - h) * r[1])
        if w == 0 or h == 0:
            return {}
        cx, cy = 0.5 * (boxes[..., 0] + boxes[..., 2]), 0.5 * (boxes[..., 1] + boxes[..., 3])
        within = (left < cx) & (cx < left + w) & (top < cy) & (cy < top + h)
        if not within.any():
            return {}
        part = rushlight.as_tensor([[left, top, left + w, top + h]], dtype=boxes.dtype)
        if box_iou(boxes[within], part).max() < least:
            return {}
        box = {"top": top, "left": left, "height": h, "width": w}
        return {**box, "is_within_crop_area": within}

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        if not params:
            return inpt
        box = {name: params[name] for name in ("top", "left", "height", "width")}
        out = self._call_kernel(F.crop, inpt, **box)
        if isinstance(out, BoundingBoxes):
            values = plain(out).clone()
            values[~params["is_within_crop_area"]] = 0
            out = wrap(values, like=out)
        return out


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


# Turns and bends


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


