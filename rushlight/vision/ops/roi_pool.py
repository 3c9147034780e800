"""RoIPool: regions of feature maps brought to one size by maxima
(Fast R-CNN, https://arxiv.org/abs/1504.08083).
"""

from __future__ import annotations

import numpy as np

import rushlight

from ... import nn
from ...tensor import Tensor
from . import _bins
from ._utils import Boxes
from .roi_align import Size

__all__ = ["RoIPool", "roi_pool"]


def roi_pool(
    input: Tensor, boxes: Boxes, output_size: Size, spatial_scale: float = 1.0
) -> Tensor:
    """Maxima over the whole pixels of the bins of regions.

    Args:
        input: (N, C, H, W).
        boxes: (K, 5) of (index of the image, x1, y1, x2, y2), or a tensor (L, 4) for each image.
            The pixels at both corners belong to a region.
        output_size: bins of a region, (height, width) or one number.
        spatial_scale: what boxes are multiplied by to be pixels of `input`.

    Returns:
        (K, C, height, width); empty bins are 0. Boxes get no gradients.

    >>> x = torch.arange(16.0).reshape(1, 1, 4, 4)
    >>> roi_pool(x, [torch.tensor([[0.0, 0.0, 3.0, 3.0]])], 2)
    tensor([[[[ 5.,  7.],
              [13., 15.]]]])
    """
    images, corners = _bins.regions(input, boxes, "roi_pool")
    kind = corners.dtype.type
    corner = _bins.rounded(corners * kind(spatial_scale))
    low, extent = corner[:, :2], np.maximum(corner[:, 2:] - corner[:, :2] + 1, 1)
    bins = _bins.pair(output_size)
    n, channels, height, width = input.shape
    y = _bins.averaged(*_bins.intervals(low[:, 1], extent[:, 1], bins[0], height, kind), kind)
    x = _bins.averaged(*_bins.intervals(low[:, 0], extent[:, 0], bins[1], width, kind), kind)
    pixels = input.detach().float().numpy().reshape(n, channels, -1)
    if input.dtype == rushlight.float64:
        pixels = input.detach().numpy().reshape(n, channels, -1)
    best = np.zeros((len(images), channels, bins[0] * bins[1]), np.int64)
    empty = np.zeros((len(images), 1, bins[0] * bins[1]), bool)
    for k, image in enumerate(images):  # where the maxima are; reading there is differentiable
        place = y.place[k][:, None, :, None] * width + x.place[k][None, :, None, :]
        valid = y.valid[k][:, None, :, None] & x.valid[k][None, :, None, :]
        place, valid = (part.reshape(bins[0] * bins[1], -1) for part in (place, valid))
        values = np.where(valid, pixels[image][:, place], -np.inf)  # (C, bins, pixels of a bin)
        best[k] = place[np.arange(len(place)), values.argmax(-1)]
        empty[k] = ~valid.any(-1)
    flat = input.reshape(n * channels, height * width)
    row = rushlight.from_numpy(images[:, None, None] * channels + np.arange(channels)[:, None])
    found = flat[row, rushlight.from_numpy(best)]
    found = found.masked_fill(rushlight.from_numpy(empty), 0)
    return found.reshape(len(images), channels, *bins)


class RoIPool(nn.Module):
    """:func:`roi_pool` as a layer.

    >>> RoIPool(7, 0.25)
    RoIPool(output_size=7, spatial_scale=0.25)
    """

    def __init__(self, output_size: Size, spatial_scale: float) -> None:
        super().__init__()
        self.output_size = output_size
        self.spatial_scale = spatial_scale

    def forward(self, input: Tensor, rois: Boxes) -> Tensor:
        return roi_pool(input, rois, self.output_size, self.spatial_scale)

    def __repr__(self) -> str:
        size, scale = self.output_size, self.spatial_scale
        return f"{type(self).__name__}(output_size={size}, spatial_scale={scale})"
