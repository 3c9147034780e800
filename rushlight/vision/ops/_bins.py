"""Regions of feature maps cut into bins: which pixels a bin is made of, with which weights.

A region's bins are products of intervals, so an `Axis` is computed for y and for x. All bins of
all regions are then the rows of one sparse matrix, which is multiplied with the pixels (a row each,
the channels its columns); its transpose carries the gradients. Boxes get none, as in torchvision.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import rushlight

from ...errors import message
from ...ops.nn.embedding_bag import embedding_bag_sums
from ...tensor import Tensor
from ._utils import Boxes, check_roi_boxes_shape, convert_boxes_to_roi_format

# A sparse matrix of more entries than this (12 bytes each) is not made.
MOST_ENTRIES = 1 << 23


class Axis(NamedTuple):
    """For each region and bin of an axis the pixels that count; arrays (K, bins, samples)."""

    place: np.ndarray  # indices of pixels
    weight: np.ndarray
    valid: np.ndarray  # False where a bin has fewer samples, or one lies outside


def regions(input: Tensor, boxes: Boxes, name: str) -> tuple[np.ndarray, np.ndarray]:
    """(indices of images (K,), corners (K, 4) in the input's type) of checked boxes."""
    check_roi_boxes_shape(boxes)
    rois = boxes if isinstance(boxes, Tensor) else convert_boxes_to_roi_format(boxes)
    if rois.dtype != input.dtype and not rushlight.is_autocast_enabled("cpu"):
        raise RuntimeError(
            message(
                f"{name}: Expected tensor for argument #1 'input' to have the same type as tensor "
                "for argument #2 'rois'",
                got=f"{input.dtype} and {rois.dtype}",
                hint="boxes.to(input.dtype)",
            )
        )
    wide = rushlight.float64 if input.dtype == rushlight.float64 else rushlight.float32
    table = rois.detach().to(wide).numpy()
    images = table[:, 0].astype(np.int64)
    if len(images) and not (images.min() >= 0 and images.max() < input.shape[0]):
        raise IndexError(
            message(
                f"{name}: a box names an image that is not there",
                got=f"indices {images.min()} to {images.max()}",
                wanted=f"0 <= boxes[:, 0] < {input.shape[0]}",
            )
        )
    return images, table[:, 1:]


def pair(size: Any) -> tuple[int, int]:
    """(height, width) of an output size."""
    return (size, size) if isinstance(size, int) else (int(size[0]), int(size[-1]))


def sampled(start: np.ndarray, extent: np.ndarray, bins: int, ratio: int, length: int) -> Axis:
    """Bilinear samples in the bins of intervals [start, start + extent) of `length` pixels.

    `ratio` samples a bin, or with 0 or less as many as a bin has pixels, rounded up. A sample is
    two pixels and their weights; the weights of a bin sum to 1 where all samples are inside.
    """
    width = (extent / extent.dtype.type(bins))[:, None, None]
    count = np.full(len(start), ratio) if ratio > 0 else np.ceil(width[:, 0, 0]).astype(np.int64)
    most = max(int(count.max(initial=0)), 1)
    count = np.maximum(count, 0)[:, None, None]
    step = np.arange(most)
    divisor = np.maximum(count, 1).astype(start.dtype)
    at = start[:, None, None] + np.arange(bins, dtype=start.dtype)[:, None] * width
    at = at + (step + 0.5).astype(start.dtype) * width / divisor  # (K, bins, most)
    valid = (step < count) & (at >= -1) & (at <= length)
    at = np.where(valid, np.maximum(at, 0), 0)
    low = np.minimum(at.astype(np.int64), length - 1)
    high = np.minimum(low + 1, length - 1)
    part = np.where(low >= length - 1, 0, at - low).astype(start.dtype)
    shape = (len(start), bins, 2 * most)
    return Axis(
        np.stack([low, high], -1).reshape(shape),
        (np.stack([1 - part, part], -1) / divisor[..., None]).reshape(shape),
        np.repeat(valid, 2, -1),
    )


def rounded(x: np.ndarray) -> np.ndarray:
    """Whole numbers, halves away from zero (np.round goes to the even one)."""
    return np.trunc(x + np.copysign(x.dtype.type(0.5), x)).astype(np.int64)


def intervals(
    low: np.ndarray, extent: np.ndarray, bins: int, length: int, kind: Any
) -> tuple[np.ndarray, np.ndarray]:
    """First pixels and ends (K, bins) of bins of whole pixels, cut at `length`; some overlap."""
    width = (extent.astype(kind) / kind(bins))[:, None]
    number = np.arange(bins, dtype=kind)
    first = np.floor(number * width).astype(np.int64) + low[:, None]
    end = np.ceil((number + 1) * width).astype(np.int64) + low[:, None]
    return np.clip(first, 0, length), np.clip(end, 0, length)


def averaged(first: np.ndarray, end: np.ndarray, kind: Any) -> Axis:
    """All pixels from `first` to before `end` (K, bins), with equal weights."""
    count = np.maximum(end - first, 0)[..., None]
    step = np.arange(max(int(count.max(initial=0)), 1))
    valid = step < count
    weight = np.broadcast_to(1 / np.maximum(count, 1).astype(kind), valid.shape)
    return Axis(np.where(valid, first[..., None] + step, 0), weight, valid)


def pooled(
    input: Tensor, images: np.ndarray, y: Axis, x: Axis, own_channels: bool = False
) -> Tensor:
    """Weighted sums (K, C, bins of y, bins of x) of the pixels of `input` (N, C, H, W).

    With `own_channels` every bin reads channels of its own: the channels are
    (channels of the result, bins of y, bins of x), one after the other.
    """
    n, channels, height, width = input.shape
    bins = (y.place.shape[1], x.place.shape[1])
    k = len(images)
    out = channels // (bins[0] * bins[1]) if own_channels else channels
    if not k:
        return input.new_zeros((0, out, *bins)) + 0 * input.sum()
    entries = k * bins[0] * bins[1] * y.place.shape[2] * x.place.shape[2]
    if entries > MOST_ENTRIES and not own_channels:
        return _one_by_one(input, images, y, x)
    kind = input.dtype
    wide = input.float() if kind in (rushlight.float16, rushlight.bfloat16) else input
    base = images.reshape(-1, 1, 1)
    if own_channels:
        wide = wide.reshape(n, out, *bins, height, width).permute(0, 2, 3, 4, 5, 1)
        base = (base * bins[0] + np.arange(bins[0])[:, None]) * bins[1] + np.arange(bins[1])
    else:
        wide = wide.permute(0, 2, 3, 1)
    rows = wide.reshape(-1, out)
    base = base[..., None, None] * (height * width)  # (K, bins, bins, 1, 1)
    spread = (slice(None), slice(None), None, slice(None), None)
    along = (slice(None), None, slice(None), None, slice(None))
    index = np.int32 if rows.shape[0] < 1 << 31 else np.int64
    lines = (base + y.place[spread] * width).astype(index)
    place = (lines + x.place.astype(index)[along]).reshape(-1)
    weight = (y.weight[spread] * x.weight[along]).reshape(-1)
    count = k * bins[0] * bins[1]
    if y.valid.all() and x.valid.all():
        begin = np.arange(count + 1) * (len(place) // count)
    else:
        valid = (y.valid[spread] & x.valid[along]).reshape(count, -1)
        begin = np.concatenate([[0], np.cumsum(valid.sum(1))])
        place, weight = place[valid.reshape(-1)], weight[valid.reshape(-1)]
    sums = embedding_bag_sums.call(
        (rows, *map(rushlight.from_numpy, (weight, place, begin))), {}
    )  # places are in range: each axis has cut them
    result = sums.reshape(k, *bins, out).permute(0, 3, 1, 2)
    return result.contiguous().to(kind)


def _one_by_one(input: Tensor, images: np.ndarray, y: Axis, x: Axis) -> Tensor:
    """:func:`pooled` by two dense products a region, for bins of very many pixels."""

    def dense(axis: Axis, k: int, length: int) -> tuple[Tensor, int, int]:
        place, weight, valid = (part[k] for part in axis)
        matrix = np.zeros((len(place), length), weight.dtype)
        rows = np.broadcast_to(np.arange(len(place))[:, None], place.shape)
        np.add.at(matrix, (rows[valid], place[valid]), weight[valid])
        first, end = 0, length
        if valid.any():
            first, end = int(place[valid].min()), int(place[valid].max()) + 1
        return rushlight.from_numpy(matrix[:, first:end]).to(input.dtype), first, end

    found = []
    for k, image in enumerate(images.tolist()):
        down, top, bottom = dense(y, k, input.shape[2])
        across, left, right = dense(x, k, input.shape[3])
        part = input[image, :, top:bottom, left:right]  # (C, h, w)
        found.append(down @ (part @ across.T))
    return rushlight.stack(found)
