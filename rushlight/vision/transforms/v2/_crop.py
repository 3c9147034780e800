"""Parts of whole samples: CenterCrop, FiveCrop, TenCrop and the random crops.

Each draws torchvision's numbers in torchvision's order, so that a seed gives the same picture.
Not here: sizes and borders (`_layout.py`), turns and bends (`_geometry.py`).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from ....tensor import Tensor
from ..._pillow import is_pil
from ...tv_tensors import BoundingBoxes, BoundingBoxFormat, Image, Mask, wrap
from .. import draw, fixed, layout, random_layout
from . import functional as F
from ._boxes import convert, is_pure_tensor, plain
from ._layout import Mode, _check_mode, _check_padding
from ._transform import Transform, fill_of, fills, first_of, has_all, has_any, pair_of, query_size


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
