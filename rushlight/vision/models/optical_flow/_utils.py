"""Flows and the grids that they move."""

from __future__ import annotations

import rushlight

from ....nn import functional as F
from ....tensor import Tensor


def grid_sample(
    img: Tensor, absolute_grid: Tensor, mode: str = "bilinear", align_corners: bool | None = None
) -> Tensor:
    """`F.grid_sample` at places in pixels, (B, h, w, 2) as (x, y), of `img` (B, C, H, W).

    >>> grid_sample(torch.eye(2)[None, None], torch.tensor([[[[0.5, 0.0]]]]), align_corners=True)
    tensor([[[[0.5000]]]])
    """
    h, w = img.shape[-2:]
    x, y = absolute_grid.split(1, dim=-1)
    x = 2 * x / (w - 1) - 1
    y = 2 * y / (h - 1) - 1 if h > 1 else y  # one row: images of stereo pairs
    return F.grid_sample(img, rushlight.cat([x, y], -1), mode=mode, align_corners=align_corners)


def make_coords_grid(
    batch_size: int, h: int, w: int, device: rushlight.device | str = "cpu"
) -> Tensor:
    """(B, 2, h, w): x and y of every pixel."""
    sides = rushlight.arange(h, device=device), rushlight.arange(w, device=device)
    y, x = rushlight.meshgrid(*sides, indexing="ij")
    return rushlight.stack([x, y]).float()[None].repeat(batch_size, 1, 1, 1)


def upsample_flow(flow: Tensor, up_mask: Tensor | None = None, factor: int = 8) -> Tensor:
    """A flow (B, 2, h, w) for an image `factor` times as large, and as many times longer.

    Every pixel is a mean of the nine around the one it came from, with the shares that the softmax
    of `up_mask` (B, 9 * factor * factor, h, w) gives; without a mask it is interpolated.
    """
    b, c, h, w = flow.shape
    size = h * factor, w * factor
    if up_mask is None:
        return factor * F.interpolate(flow, size=size, mode="bilinear", align_corners=True)
    shares = up_mask.view(b, 1, 9, factor, factor, h, w).softmax(2)
    around = F.unfold(factor * flow, kernel_size=3, padding=1).view(b, c, 9, 1, 1, h, w)
    flow = (shares * around).sum(2)  # (B, 2, factor, factor, h, w)
    return flow.permute(0, 1, 4, 2, 5, 3).reshape(b, c, *size)
