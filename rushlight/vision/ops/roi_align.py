"""RoIAlign: regions of feature maps brought to one size by bilinear samples
(Mask R-CNN, https://arxiv.org/abs/1703.06870).
"""

from __future__ import annotations

import numpy as np

from ... import nn
from ...tensor import Tensor
from . import _bins
from ._utils import Boxes

__all__ = ["RoIAlign", "roi_align"]

Size = int | tuple[int, int] | list[int]


def roi_align(
    input: Tensor,
    boxes: Boxes,
    output_size: Size,
    spatial_scale: float = 1.0,
    sampling_ratio: int = -1,
    aligned: bool = False,
) -> Tensor:
    """Means of bilinear samples in the bins of regions.

    Args:
        input: (N, C, H, W).
        boxes: (K, 5) of (index of the image, x1, y1, x2, y2), or a tensor (L, 4) for each image.
        output_size: bins of a region, (height, width) or one number.
        spatial_scale: what boxes are multiplied by to be pixels of `input`.
        sampling_ratio: samples along each side of a bin; 0 or less: as many as it has pixels.
        aligned: move boxes by half a pixel, to where pixels' centres are; without it regions are
            at least one pixel wide, as in the first version.

    Returns:
        (K, C, height, width). Boxes get no gradients.

    >>> x = torch.arange(16.0).reshape(1, 1, 4, 4)
    >>> roi_align(x, [torch.tensor([[0.0, 0.0, 2.0, 2.0]])], 2, sampling_ratio=1)
    tensor([[[[2.5000, 3.5000],
              [6.5000, 7.5000]]]])
    """
    images, corners = _bins.regions(input, boxes, "roi_align")
    kind = corners.dtype.type
    corners = corners * kind(spatial_scale) - kind(0.5 if aligned else 0.0)
    start, extent = corners[:, :2], corners[:, 2:] - corners[:, :2]
    if not aligned:
        extent = np.maximum(extent, kind(1))
    height, width = _bins.pair(output_size)
    y = _bins.sampled(start[:, 1], extent[:, 1], height, sampling_ratio, input.shape[2])
    x = _bins.sampled(start[:, 0], extent[:, 0], width, sampling_ratio, input.shape[3])
    return _bins.pooled(input, images, y, x)


class RoIAlign(nn.Module):
    """:func:`roi_align` as a layer.

    >>> RoIAlign(7, 0.25, 2)
    RoIAlign(output_size=7, spatial_scale=0.25, sampling_ratio=2, aligned=False)
    """

    def __init__(
        self, output_size: Size, spatial_scale: float, sampling_ratio: int, aligned: bool = False
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.spatial_scale = spatial_scale
        self.sampling_ratio = sampling_ratio
        self.aligned = aligned

    def forward(self, input: Tensor, rois: Boxes) -> Tensor:
        return roi_align(
            input, rois, self.output_size, self.spatial_scale, self.sampling_ratio, self.aligned
        )

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(output_size={self.output_size}, spatial_scale="
            f"{self.spatial_scale}, sampling_ratio={self.sampling_ratio}, aligned={self.aligned})"
        )
