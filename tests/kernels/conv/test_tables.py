"""Tables of offsets: they find the elements of the windows."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels.conv import reference, tables

CASES = [
    ((9,), (3,), (2,), (2,)),
    ((7, 11), (3, 2), (1, 3), (2, 1)),
    ((4, 6, 5), (2, 3, 1), (2, 1, 1), (1, 2, 1)),
]


@pytest.mark.parametrize(("size", "kernel", "stride", "dilation"), CASES)
def test_windows(size, kernel, stride, dilation):
    """Element (k, p) of the windows is x[tap[k] + position[p]], also through several images."""
    channels, images = 3, 4
    x = np.arange(images * channels * np.prod(size)).reshape(images, channels, *size)
    out = reference.out_size(size, kernel, stride, (0,) * len(size), dilation)
    wanted = reference.windows(x, kernel, stride, dilation, out)  # (images, channels, kernel, out)
    wanted = wanted.reshape(images, channels * np.prod(kernel), -1)
    how = (size, kernel, stride, dilation, out, channels, 5)
    position, tap = tables.window_offsets(*how)
    assert position.dtype == np.int32
    assert (position[-5:] == position[-6]).all()
    for image, seen in zip(x, wanted, strict=True):
        np.testing.assert_array_equal(image.reshape(-1)[tap[:, None] + position[:-5]], seen)
    position, tap = tables.window_offsets(*how, images, x[0].size)
    all_images = x.reshape(-1)[tap[:, None] + position[:-5]]
    np.testing.assert_array_equal(all_images, np.concatenate(list(wanted), axis=1))


def test_the_flipped_kernel():
    """Row 0 of the weight whose convolution is the transpose, read from the weight as it lies."""
    outputs, inputs, kernel = 5, 3, (2, 3)
    w = np.arange(outputs * inputs * 6).reshape(outputs, inputs, *kernel)
    flipped = reference.flipped(w, 1).reshape(inputs, -1)
    at = tables.flipped_offsets(inputs, outputs, kernel)
    for row in range(inputs):
        np.testing.assert_array_equal(w.reshape(-1)[row * 6 + at], flipped[row])


@pytest.mark.parametrize("stride", [1, 2, 3])
def test_the_grid_of_the_matrix_unit(stride):
    """Positions that count, in order, and taps, in images that hold every stride-th pixel."""
    size, kernel, padding, dilation = (9, 13), (3, 2), (1, 2), (2, 1)
    strides = (stride, stride)
    out = reference.out_size(size, kernel, strides, padding, dilation)
    grid = tables.Grid(size, kernel, strides, padding, dilation, out)
    high, wide = grid.grid
    counts = ((grid.mask[:, None] >> np.arange(16)) & 1).reshape(-1).astype(bool)
    assert counts.sum() == np.prod(out)
    assert 0 < grid.useful == np.prod(out) / len(counts) <= 1
    x = np.pad(np.arange(1, 118).reshape(9, 13), [(1, 1), (2, 2)])
    split = np.zeros((stride, stride, high, wide), int)
    for fy in range(stride):
        for fx in range(stride):
            part = x[fy::stride, fx::stride][:high, :wide]
            split[fy, fx, : part.shape[0], : part.shape[1]] = part
    pixels = np.zeros(grid.pixels, int)
    pixels[: split.size] = split.reshape(-1)
    seen = reference.windows(x[None, None], kernel, strides, dilation, out).reshape(6, -1)
    for tap, wanted in zip(grid.tap, seen, strict=True):
        np.testing.assert_array_equal(pixels[tap + np.flatnonzero(counts)], wanted)
    before = np.cumsum(counts) - counts
    first = [b for b, m in zip(before[::16], grid.mask, strict=True) if m]
    assert [f for f, m in zip(grid.first, grid.mask, strict=True) if m] == first
