"""RoIAlign from several feature maps: a region is read where its size suits (eq. 1 of Feature
Pyramid Networks, https://arxiv.org/abs/1612.03144).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import rushlight

from ... import nn
from ...tensor import Tensor
from ._utils import convert_boxes_to_roi_format
from .boxes import box_area
from .roi_align import roi_align

__all__ = ["MultiScaleRoIAlign"]


class LevelMapper:
    """The level of each box: lvl0 + log2(sqrt(area) / s0), rounded down, from k_min to k_max.

    Levels are counted from k_min, so that they are indices of feature maps.
    """

    def __init__(
        self,
        k_min: int,
        k_max: int,
        canonical_scale: int = 224,
        canonical_level: int = 4,
        eps: float = 1e-6,
    ) -> None:
        self.k_min = k_min
        self.k_max = k_max
        self.s0 = canonical_scale
        self.lvl0 = canonical_level
        self.eps = eps

    def __call__(self, boxlists: Sequence[Tensor]) -> Tensor:
        side = rushlight.cat([box_area(boxes) for boxes in boxlists]).sqrt()
        level = rushlight.floor(self.lvl0 + rushlight.log2(side / self.s0) + self.eps)
        return level.clamp(self.k_min, self.k_max).to(rushlight.int64) - self.k_min


def initLevelMapper(
    k_min: int, k_max: int, canonical_scale: int = 224, canonical_level: int = 4, eps: float = 1e-6
) -> LevelMapper:
    """:class:`LevelMapper`, under torchvision's other name."""
    return LevelMapper(k_min, k_max, canonical_scale, canonical_level, eps)


class MultiScaleRoIAlign(nn.Module):
    """:func:`roi_align` of boxes on the feature map that suits their size.

    The scales of the maps are powers of two, found at the first call from their sizes and the
    images'.

    Args:
        featmap_names: which of the feature maps are used, from the finest to the coarsest.
        output_size: bins of a region, (height, width) or one number.
        sampling_ratio: samples along each side of a bin.
        canonical_scale, canonical_level: a box of canonical_scale x canonical_scale pixels is read
            from the map that is 2**canonical_level times smaller than the image.

    >>> pool = MultiScaleRoIAlign(["0", "1"], 3, 2)
    >>> maps = {"0": torch.ones(1, 5, 64, 64), "1": torch.ones(1, 5, 32, 32)}
    >>> boxes = [torch.tensor([[0.0, 0, 50, 50], [9.0, 9, 200, 200]])]
    >>> pool(maps, boxes, [(256, 256)]).shape
    torch.Size([2, 5, 3, 3])
    """

    def __init__(
        self,
        featmap_names: list[str],
        output_size: int | tuple[int, ...] | list[int],
        sampling_ratio: int,
        *,
        canonical_scale: int = 224,
        canonical_level: int = 4,
    ) -> None:
        super().__init__()
        if isinstance(output_size, int):
            output_size = (output_size, output_size)
        self.featmap_names = featmap_names
        self.sampling_ratio = sampling_ratio
        self.output_size = tuple(output_size)
        self.scales: list[float] | None = None
        self.map_levels: LevelMapper | None = None
        self.canonical_scale = canonical_scale
        self.canonical_level = canonical_level

    def _setup(self, maps: list[Tensor], image_shapes: Sequence[tuple[int, int]]) -> None:
        if not image_shapes:
            raise ValueError("images list should not be empty")
        height = max(shape[0] for shape in image_shapes)
        levels = [round(math.log2(height / t.shape[-2])) for t in maps]
        self.scales = [2.0**-level for level in levels]
        self.map_levels = LevelMapper(
            levels[0], levels[-1], self.canonical_scale, self.canonical_level
        )

    def forward(
        self,
        x: dict[str, Tensor],
        boxes: list[Tensor],
        image_shapes: Sequence[tuple[int, int]],
    ) -> Tensor:
        """Regions (K, C, height, width).

        Args:
            x: feature maps (N, C, H, W) by name, of various sizes.
            boxes: a tensor (L, 4) for each image, in the images' pixels.
            image_shapes: (height, width) of the images.
        """
        maps = [t for name, t in x.items() if name in self.featmap_names]
        if self.scales is None or self.map_levels is None:
            self._setup(maps, image_shapes)
        assert self.scales is not None
        assert self.map_levels is not None
        rois = convert_boxes_to_roi_format(boxes)
        size, ratio = (self.output_size[0], self.output_size[-1]), self.sampling_ratio
        if len(maps) == 1:
            return roi_align(maps[0], rois, size, self.scales[0], ratio)
        levels = self.map_levels(boxes)
        order, parts = [], []
        for level, (features, scale) in enumerate(zip(maps, self.scales, strict=False)):
            index = rushlight.where(levels == level)[0]
            if len(index) or level == 0:  # of the first, so that no box gives a tensor as well
                order.append(index)
                parts.append(roi_align(features, rois[index], size, scale, ratio))
        if len(order[0]) == len(rois):
            return parts[0].to(maps[0].dtype)
        place = rushlight.empty(len(rois), dtype=rushlight.int64, device=levels.device)
        place[rushlight.cat(order)] = rushlight.arange(len(rois), device=levels.device)
        return rushlight.cat([part.to(maps[0].dtype) for part in parts])[place]

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(featmap_names={self.featmap_names}, output_size="
            f"{self.output_size}, sampling_ratio={self.sampling_ratio})"
        )
