"""Position-sensitive RoIAlign: every bin of a region reads channels of its own
(Light-Head R-CNN, https://arxiv.org/abs/1711.07264).
"""

from __future__ import annotations

from ... import nn
from ...errors import message
from ...tensor import Tensor
from . import _bins
from ._utils import Boxes
from .roi_align import Size

__all__ = ["PSRoIAlign", "ps_roi_align"]


def divided(channels: int, size: tuple[int, int]) -> None:
    """RuntimeError unless the channels can be shared out to the bins."""
    if channels % (size[0] * size[1]):
        raise RuntimeError(
            message(
                "input channels must be a multiple of pooling height * pooling width",
                got=f"{channels} channels, {size[0]} x {size[1]} bins",
            )
        )


def ps_roi_align(
    input: Tensor,
    boxes: Boxes,
    output_size: Size,
    spatial_scale: float = 1.0,
    sampling_ratio: int = -1,
) -> Tensor:
    """:func:`roi_align` (aligned) where bin (i, j) of output channel c reads input channel
    (c height + i) width + j.

    Args:
        input: (N, C, H, W), C a multiple of height * width.
        boxes: (K, 5) of (index of the image, x1, y1, x2, y2), or a tensor (L, 4) for each image.
        output_size, spatial_scale, sampling_ratio: as for :func:`roi_align`.

    Returns:
        (K, C / (height * width), height, width). Boxes get no gradients.

    >>> x = torch.arange(4.0).reshape(1, 4, 1, 1).expand(1, 4, 4, 4)
    >>> ps_roi_align(x, [torch.tensor([[0.0, 0.0, 2.0, 2.0]])], 2)
    tensor([[[[0., 1.],
              [2., 3.]]]])
    """
    images, corners = _bins.regions(input, boxes, "ps_roi_align")
    height, width = size = _bins.pair(output_size)
    divided(input.shape[1], size)
    kind = corners.dtype.type
    corners = corners * kind(spatial_scale) - kind(0.5)
    start, extent = corners[:, :2], corners[:, 2:] - corners[:, :2]
    y = _bins.sampled(start[:, 1], extent[:, 1], height, sampling_ratio, input.shape[2])
    x = _bins.sampled(start[:, 0], extent[:, 0], width, sampling_ratio, input.shape[3])
    return _bins.pooled(input, images, y, x, own_channels=True)


class PSRoIAlign(nn.Module):
    """:func:`ps_roi_align` as a layer.

    >>> PSRoIAlign(7, 0.25, 2)
    PSRoIAlign(output_size=7, spatial_scale=0.25, sampling_ratio=2)
    """

    def __init__(self, output_size: Size, spatial_scale: float, sampling_ratio: int) -> None:
        super().__init__()
        self.output_size = output_size
        self.spatial_scale = spatial_scale
        self.sampling_ratio = sampling_ratio

    def forward(self, input: Tensor, rois: Boxes) -> Tensor:
        return ps_roi_align(
            input, rois, self.output_size, self.spatial_scale, self.sampling_ratio
        )

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(output_size={self.output_size}, spatial_scale="
            f"{self.spatial_scale}, sampling_ratio={self.sampling_ratio})"
        )
