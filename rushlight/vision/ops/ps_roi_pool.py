"""Position-sensitive RoIPool: every bin of a region is the mean over channels of its own
(R-FCN, https://arxiv.org/abs/1605.06409).
"""

from __future__ import annotations

import numpy as np

from ... import nn
from ...tensor import Tensor
from . import _bins
from ._utils import Boxes
from .ps_roi_align import divided
from .roi_align import Size

__all__ = ["PSRoIPool", "ps_roi_pool"]


def ps_roi_pool(
    input: Tensor, boxes: Boxes, output_size: Size, spatial_scale: float = 1.0
) -> Tensor:
    """Means over the whole pixels of bins, where bin (i, j) of output channel c reads input channel
    (c height + i) width + j.

    Args:
        input: (N, C, H, W), C a multiple of height * width.
        boxes: (K, 5) of (index of the image, x1, y1, x2, y2), or a tensor (L, 4) for each image.
        output_size: bins of a region, (height, width) or one number.
        spatial_scale: what boxes are multiplied by to be pixels of `input`.

    Returns:
        (K, C / (height * width), height, width); empty bins are 0. As in torchvision the last row
        and the last column of the image count for nothing. Boxes get no gradients.

    >>> x = torch.arange(4.0).reshape(1, 4, 1, 1).expand(1, 4, 4, 4)
    >>> ps_roi_pool(x, [torch.tensor([[0.0, 0.0, 2.0, 2.0]])], 2)
    tensor([[[[0., 1.],
              [2., 3.]]]])
    """
    images, corners = _bins.regions(input, boxes, "ps_roi_pool")
    height, width = size = _bins.pair(output_size)
    divided(input.shape[1], size)
    kind = corners.dtype.type
    corner = _bins.rounded(corners * kind(spatial_scale))
    low, extent = corner[:, :2], np.maximum(corner[:, 2:] - corner[:, :2], 1)
    y = _bins.intervals(low[:, 1], extent[:, 1], height, input.shape[2] - 1, kind)
    x = _bins.intervals(low[:, 0], extent[:, 0], width, input.shape[3] - 1, kind)
    return _bins.pooled(
        input, images, _bins.averaged(*y, kind), _bins.averaged(*x, kind), own_channels=True
    )


class PSRoIPool(nn.Module):
    """:func:`ps_roi_pool` as a layer.

    >>> PSRoIPool(7, 0.25)
    PSRoIPool(output_size=7, spatial_scale=0.25)
    """

    def __init__(self, output_size: Size, spatial_scale: float) -> None:
        super().__init__()
        self.output_size = output_size
        self.spatial_scale = spatial_scale

    def forward(self, input: Tensor, rois: Boxes) -> Tensor:
        return ps_roi_pool(input, rois, self.output_size, self.spatial_scale)

    def __repr__(self) -> str:
        size, scale = self.output_size, self.spatial_scale
        return f"{type(self).__name__}(output_size={size}, spatial_scale={scale})"
