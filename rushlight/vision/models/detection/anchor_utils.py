"""Anchors: boxes of given sizes and shapes at every place of a feature map, which a network moves.

Read next: `rpn.py`, which moves them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import rushlight

from .... import nn
from ....tensor import Tensor
from .image_list import ImageList


class AnchorGenerator(nn.Module):
    """Anchors around the upper left corners of the cells of feature maps.

    Args:
        sizes: for each feature map the square roots of areas (or one number for each).
        aspect_ratios: for each feature map, heights over widths (or one row for all maps).

    >>> from rushlight.vision.models.detection.anchor_utils import AnchorGenerator
    >>> make = AnchorGenerator(((32,), (64,)), ((0.5, 1.0, 2.0),) * 2)
    >>> make.cell_anchors[0]
    tensor([[-23., -11.,  23.,  11.],
            [-16., -16.,  16.,  16.],
            [-11., -23.,  11.,  23.]])
    """

    def __init__(
        self, sizes: Any = ((128, 256, 512),), aspect_ratios: Any = ((0.5, 1.0, 2.0),)
    ) -> None:
        super().__init__()
        if not isinstance(sizes[0], (list, tuple)):
            sizes = tuple((s,) for s in sizes)
        if not isinstance(aspect_ratios[0], (list, tuple)):
            aspect_ratios = (aspect_ratios,) * len(sizes)
        self.sizes = sizes
        self.aspect_ratios = aspect_ratios
        pairs = zip(sizes, aspect_ratios, strict=False)
        self.cell_anchors = [self.generate_anchors(size, ratios) for size, ratios in pairs]

    def generate_anchors(
        self,
        scales: Sequence[int],
        aspect_ratios: Sequence[float],
        dtype: Any = rushlight.float32,
        device: Any = None,
    ) -> Tensor:
        """Anchors (ratios * scales, 4) around 0, rounded to whole pixels."""
        kind = {"dtype": dtype, "device": device}
        side = rushlight.as_tensor(scales, **kind)
        high = rushlight.sqrt(rushlight.as_tensor(aspect_ratios, **kind))
        w, h = ((1 / high)[:, None] * side).reshape(-1), (high[:, None] * side).reshape(-1)
        return (rushlight.stack([-w, -h, w, h], 1) / 2).round()

    def set_cell_anchors(self, dtype: Any, device: Any) -> None:
        """Bring the anchors of a cell to a type and a device."""
        self.cell_anchors = [cell.to(dtype=dtype, device=device) for cell in self.cell_anchors]

    def num_anchors_per_location(self) -> list[int]:
        """How many anchors a cell of each feature map has."""
        pairs = zip(self.sizes, self.aspect_ratios, strict=False)
        return [len(size) * len(ratios) for size, ratios in pairs]

    def grid_anchors(self, grid_sizes: Any, strides: Any) -> list[Tensor]:
        """The anchors (H W A, 4) of each feature map of `grid_sizes` and `strides`."""
        if not len(grid_sizes) == len(strides) == len(self.cell_anchors):
            raise AssertionError(
                "Anchors should be Tuple[Tuple[int]] because each feature map could potentially "
                "have different sizes and aspect ratios. There needs to be a match between the "
                "number of feature maps passed and the number of sizes / aspect ratios specified."
                f"\n  got     {len(grid_sizes)} feature maps, {len(self.cell_anchors)} sizes"
            )
        anchors = []
        for (height, width), (dy, dx), cell in zip(
            grid_sizes, strides, self.cell_anchors, strict=True
        ):
            y = rushlight.arange(height, dtype=cell.dtype, device=cell.device) * int(dy)
            x = rushlight.arange(width, dtype=cell.dtype, device=cell.device) * int(dx)
            y, x = (t.reshape(-1) for t in rushlight.meshgrid(y, x, indexing="ij"))
            corner = rushlight.stack((x, y, x, y), 1)
            anchors.append((corner[:, None] + cell[None]).reshape(-1, 4))
        return anchors

    def forward(self, image_list: ImageList, feature_maps: list[Tensor]) -> list[Tensor]:
        """The anchors (A, 4) of each image, of all feature maps after each other."""
        grids = [tuple(t.shape[-2:]) for t in feature_maps]
        height, width = image_list.tensors.shape[-2:]
        self.set_cell_anchors(feature_maps[0].dtype, feature_maps[0].device)
        anchors = rushlight.cat(
            self.grid_anchors(grids, [(height // h, width // w) for h, w in grids])
        )
        return [anchors] * len(image_list.image_sizes)


class DefaultBoxGenerator(nn.Module):
    """SSD's anchors: relative to the image, around the middles of cells (the paper's 2.2).

    Args:
        aspect_ratios: for each feature map; r stands for r and 1 / r, 1 is always there, twice.
        min_ratio, max_ratio: the smallest and the largest anchor, where `scales` are not given.
        scales: the side of the anchors of each feature map, and of one more.
        steps: cells' sizes in pixels; by default the image's divided by the map's.
        clip: no side longer than the image.

    >>> from rushlight.vision.models.detection.anchor_utils import DefaultBoxGenerator
    >>> DefaultBoxGenerator([[2], [2, 3]]).num_anchors_per_location()
    [4, 6]
    """

    def __init__(
        self,
        aspect_ratios: list[list[int]],
        min_ratio: float = 0.15,
        max_ratio: float = 0.9,
        scales: list[float] | None = None,
        steps: list[int] | None = None,
        clip: bool = True,
    ) -> None:
        super().__init__()
        if steps is not None and len(aspect_ratios) != len(steps):
            raise ValueError("aspect_ratios and steps should have the same length")
        self.aspect_ratios = aspect_ratios
        self.steps = steps
        self.clip = clip
        count = len(aspect_ratios)
        if scales is None and count > 1:
            spread = max_ratio - min_ratio
            scales = [min_ratio + spread * k / (count - 1.0) for k in range(count)] + [1.0]
        self.scales = scales or [min_ratio, max_ratio]
        self._wh_pairs = [self._sides(k) for k in range(count)]

    def _sides(self, k: int) -> Tensor:
        """Widths and heights (A, 2) of feature map `k`."""
        scale = self.scales[k]
        geometric = math.sqrt(scale * self.scales[k + 1])
        sides = [[scale, scale], [geometric, geometric]]
        for ratio in self.aspect_ratios[k]:
            w, h = scale * math.sqrt(ratio), scale / math.sqrt(ratio)
            sides += [[w, h], [h, w]]
        return rushlight.as_tensor(sides, dtype=rushlight.float32)

    def num_anchors_per_location(self) -> list[int]:
        """How many anchors a cell of each feature map has."""
        return [2 + 2 * len(ratios) for ratios in self.aspect_ratios]

    def _grid_default_boxes(self, grid_sizes: Any, image_size: Any, dtype: Any) -> Tensor:
        """(x, y, width, height) of all anchors, relative to the image."""
        boxes = []
        for k, (height, width) in enumerate(grid_sizes):
            rows, columns = height, width
            if self.steps is not None:
                rows, columns = (size / self.steps[k] for size in image_size)
            y = ((rushlight.arange(height) + 0.5) / rows).to(dtype)
            x = ((rushlight.arange(width) + 0.5) / columns).to(dtype)
            y, x = (t.reshape(-1) for t in rushlight.meshgrid(y, x, indexing="ij"))
            sides = self._wh_pairs[k]
            middle = rushlight.stack((x, y) * len(sides), -1).reshape(-1, 2)
            sides = sides.clamp(min=0, max=1) if self.clip else sides
            boxes.append(rushlight.cat((middle, sides.repeat(height * width, 1)), 1))
        return rushlight.cat(boxes)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(aspect_ratios={self.aspect_ratios}, clip={self.clip}, "
            f"scales={self.scales}, steps={self.steps})"
        )

    def forward(self, image_list: ImageList, feature_maps: list[Tensor]) -> list[Tensor]:
        """The anchors (A, 4) of each image in its pixels, of all feature maps after each other."""
        size = tuple(image_list.tensors.shape[-2:])
        grids = [tuple(t.shape[-2:]) for t in feature_maps]
        boxes = self._grid_default_boxes(grids, size, feature_maps[0].dtype)
        boxes = boxes.to(feature_maps[0].device)
        pixels = rushlight.as_tensor([size[1], size[0]], device=boxes.device)
        middle, half = boxes[:, :2], 0.5 * boxes[:, 2:]
        corners = rushlight.cat([(middle - half) * pixels, (middle + half) * pixels], -1)
        return [corners] * len(image_list.image_sizes)
