"""Interpolation tables, padding and grid cells: known values and transposes."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels.pad import reference as pad
from rushlight.kernels.resample import reference as kernel
from rushlight.kernels.resample import select
from rushlight.kernels.resample.reference import Resize

LINE = np.array([1.0, 2.0, 4.0])


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        (Resize("nearest", 3, 6), [1, 1, 2, 2, 4, 4]),
        (Resize("nearest", 3, 5), [1, 1, 2, 2, 4]),
        (Resize("nearest-exact", 3, 5), [1, 1, 2, 4, 4]),
        (Resize("linear", 3, 5, align_corners=True), [1, 1.5, 2, 3, 4]),
        (Resize("linear", 3, 6), [1, 1.25, 1.75, 2.5, 3.5, 4]),
        (Resize("linear", 3, 3), [1, 2, 4]),
        (Resize("linear", 3, 1, antialias=True), [(1 * 2 / 3 + 2 + 4 * 2 / 3) / (7 / 3)]),
    ],
)
def test_known_values(how, expected):
    np.testing.assert_allclose(select.resize(LINE, (how,)), expected)


@pytest.mark.parametrize(
    ("mode", "antialias"),
    [
        ("linear", False),
        ("cubic", False),
        ("nearest", False),
        ("nearest-exact", False),
        ("linear", True),
        ("cubic", True),
        ("lanczos", True),
    ],
)
def test_constants_stay_and_transposes_match(mode, antialias, rng):
    for size, out in ((5, 9), (9, 4), (4, 8), (3, 40), (40, 3), (1, 5), (6, 1)):
        for corners in (False, True) if not antialias else (False,):
            how = (Resize(mode, size, out, corners, None, antialias),)
            np.testing.assert_allclose(select.resize(np.ones((2, size)), how), 1)
            x, g = rng.standard_normal((2, size)), rng.standard_normal((2, out))
            there, back = select.resize(x, how), select.resize_input(g, how)
            np.testing.assert_allclose((there * g).sum(), (back * x).sum())


def test_nan_stays_where_it_is():
    x = np.array([np.nan, 1, 2, 3.0])
    y = select.resize(x, (Resize("linear", 4, 8),))
    assert np.isnan(y).tolist() == [True] * 3 + [False] * 5


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("reflect", [3, 2, 1, 2, 3, 2]),
        ("replicate", [1, 1, 1, 2, 3, 3]),
        ("circular", [2, 3, 1, 2, 3, 1]),
    ],
)
def test_padding(mode, expected, rng):
    x = np.array([1.0, 2, 3])
    assert pad.by_sources(x, (2, 1), mode).tolist() == expected
    for widths in ((2, 1, 0, 3), (-1, 2, 1, -1), (0, 0, 2, 2)):
        x = rng.standard_normal((2, 4, 4))
        y = pad.by_sources(x, widths, mode)
        g = rng.standard_normal(y.shape)
        np.testing.assert_allclose((y * g).sum(), (pad.to_sources(g, widths, mode) * x).sum())


def test_constant_padding():
    x = np.arange(6.0).reshape(2, 3)
    assert pad.constant(x, (1, 0, 0, 1), 9).tolist() == [[9, 0, 1, 2], [9, 3, 4, 5], [9, 9, 9, 9]]
    assert pad.constant(x, (-1, -1), 0).tolist() == [[1], [4]]


@pytest.mark.parametrize("corners", [True, False])
def test_reflection_folds_back(corners):
    low, high = (0, 3) if corners else (-0.5, 3.5)
    where = np.linspace(-20, 20, 81) + 0.123
    inside, sign = kernel.reflected(where, 4, corners)
    assert inside.min() >= low
    assert inside.max() <= high
    step = np.diff(inside) / np.diff(where)
    smooth = np.isclose(np.abs(step), 1)
    np.testing.assert_allclose(step[smooth], sign[:-1][smooth], atol=1e-6)


def test_cells_of_a_grid():
    at = np.array([-1.0, 0.0, 1.0])
    cell, slope, offset = kernel.grid_cells(at, 5, "bilinear", "zeros", True)
    np.testing.assert_allclose(cell + slope * (at + 1) + offset, [0, 2, 4])
    cell, slope, offset = kernel.grid_cells(at, 5, "bilinear", "border", False)
    np.testing.assert_allclose(cell + slope * (at + 1) + offset, [0, 2, 4])
    assert slope.tolist() == [0, 2.5, 0]


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_weights_sum_to_one_and_slopes_are_their_derivatives(mode):
    t, h = np.linspace(0.05, 0.95, 7), 1e-6
    weights, slopes = kernel.grid_weights(t, mode)
    np.testing.assert_allclose(sum(weights), 1)
    up, down = kernel.grid_weights(t + h, mode)[0], kernel.grid_weights(t - h, mode)[0]
    for a, b, slope in zip(up, down, slopes, strict=True):
        np.testing.assert_allclose((a - b) / (2 * h), slope, atol=1e-6)
