"""Pooling kernels against plain loops."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from rushlight.kernels import tuning
from rushlight.kernels.pool import reference as kernel
from rushlight.kernels.pool import select

CASES = [
    ((2, 9), (2,), (2,), (0,), (1,), False),
    ((2, 9), (3,), (2,), (1,), (1,), True),
    ((2, 3, 6, 8), (2, 2), (2, 2), (0, 0), (1, 1), False),
    ((2, 3, 7, 8), (3, 2), (2, 1), (1, 1), (1, 2), True),
    ((2, 8, 9, 7), (2, 3, 2), (1, 2, 3), (1, 0, 1), (2, 1, 1), True),
]


def windows(x, kernel_, stride, padding, dilation, out):
    """(position, window) of each output, with nan where the window leaves the array."""
    d = len(kernel_)
    lead = x.ndim - d
    big = [
        (p, p + s + dl * k) for p, s, dl, k in zip(padding, stride, dilation, kernel_, strict=True)
    ]
    frame = np.pad(x, [(0, 0)] * lead + big, constant_values=np.nan)
    for at in product(*map(range, out)):
        yield (
            at,
            frame[
                (
                    ...,
                    *(
                        slice(a * s, a * s + dl * (k - 1) + 1, dl)
                        for a, s, dl, k in zip(at, stride, dilation, kernel_, strict=True)
                    ),
                )
            ],
        )


@pytest.mark.parametrize("case", CASES)
def test_max(case, rng):
    shape, *how, ceil_mode = case
    d = len(how[0])
    x = rng.standard_normal(shape)
    size = shape[-d:]
    out = kernel.pool_size(size, *how, ceil_mode)
    y = select.max_pool(x, *how, out)
    for at, window in windows(x, *how, out):
        expected = np.nanmax(window.reshape(*window.shape[:-d], -1), -1)
        assert (y[(..., *at)] == expected).all()
    taps = select.max_tap(x, y, *how)
    flat = kernel.flat_indices(taps, size, *how)
    assert (kernel.take_plane(x, flat, d) == y).all()
    assert (kernel.take_taps(x, taps, *how) == y).all()
    g = rng.standard_normal(y.shape)
    expected = kernel.put_plane(g, flat, size, d, add=True)
    np.testing.assert_allclose(select.put_taps(g, taps, size, *how), expected)
    np.testing.assert_allclose((expected * x).sum(), (g * y).sum())


def test_max_of_nan_and_infinity():
    how = ((2,), (2,), (0,), (1,))
    x = np.array([1, np.nan, np.nan, 2, -np.inf, -np.inf, np.inf, 0.0])
    y = select.max_pool(x, *how, (4,))
    np.testing.assert_array_equal(y, [np.nan, np.nan, -np.inf, np.inf])
    flat = kernel.flat_indices(select.max_tap(x, y, *how), (8,), *how)
    assert flat.tolist() == [1, 2, 4, 6]


def test_gradient_of_infinity_stays_in_its_place():
    how = ((2,), (2,), (0,), (1,))
    x = np.array([1.0, 2, 4, 3])
    taps = select.max_tap(x, select.max_pool(x, *how, (2,)), *how)
    assert select.put_taps(np.array([np.inf, 5.0]), taps, (4,), *how).tolist() == [0, np.inf, 5, 0]


@pytest.mark.parametrize("count_include_pad", [True, False])
@pytest.mark.parametrize("case", CASES[:4])
def test_avg(case, count_include_pad, rng):
    shape, kernel_, stride, padding, _dilation, ceil_mode = case
    d = len(kernel_)
    one = (1,) * d
    x, size = rng.standard_normal(shape), shape[-d:]
    out = kernel.pool_size(size, kernel_, stride, padding, one, ceil_mode)
    y = select.avg_pool(x, kernel_, stride, padding, out, count_include_pad, None)
    for at, window in windows(x, kernel_, stride, padding, one, out):
        axes = tuple(range(-d, 0))
        if count_include_pad:
            counts = [
                min(a * s - p + k, n + p) - (a * s - p)
                for a, s, p, k, n in zip(at, stride, padding, kernel_, size, strict=True)
            ]
            expected = np.nansum(window, axes) / np.prod(counts)
        else:
            expected = np.nanmean(window, axes)
        np.testing.assert_allclose(y[(..., *at)], expected)
    g = rng.standard_normal(y.shape)
    dx = select.avg_pool_input(g, size, kernel_, stride, padding, count_include_pad, None)
    np.testing.assert_allclose((dx * x).sum(), (g * y).sum())


@pytest.mark.parametrize(("size", "out"), [((6, 9), (2, 3)), ((7, 5), (3, 4)), ((3, 2), (5, 1))])
def test_adaptive(size, out, rng):
    x = rng.standard_normal((2, *size))
    mean, (most, flat) = select.adaptive_avg(x, out), select.adaptive_max(x, out)
    for i, j in product(*map(range, out)):
        rows = slice(i * size[0] // out[0], -(-(i + 1) * size[0] // out[0]))
        cols = slice(j * size[1] // out[1], -(-(j + 1) * size[1] // out[1]))
        np.testing.assert_allclose(mean[:, i, j], x[:, rows, cols].mean((1, 2)))
        assert (most[:, i, j] == x[:, rows, cols].max((1, 2))).all()
    assert (kernel.take_plane(x, flat, 2) == most).all()
    g = rng.standard_normal(mean.shape)
    np.testing.assert_allclose((select.adaptive_avg_input(g, size) * x).sum(), (g * mean).sum())


def test_put_plane_keeps_the_last_or_adds():
    g, at = np.array([[1.0, 2.0, 3.0]]), np.array([[0, 2, 0]])
    assert kernel.put_plane(g, at, (4,), 1, add=False).tolist() == [[3, 0, 2, 0]]
    assert kernel.put_plane(g, at, (4,), 1, add=True).tolist() == [[4, 0, 2, 0]]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize(
    ("size", "of"), [((20, 21), (20, 21)), ((20, 21), (9, 5)), ((40,), (40,)), ((90,), (44,))]
)
def test_large_windows_side_by_side(
    size, of, dtype, rng, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """A reduction and a search in a copy give what going through the taps gives."""
    x = rng.integers(-5, 5, (2, 3, *size)).astype(dtype)
    if dtype is not np.int64:
        x[0, 0].reshape(-1)[[7, 9, 30]] = np.nan
        x[1] = -np.inf
    d = len(of)
    out = tuple(n // k for n, k in zip(size, of, strict=True))
    window = (of, of, (0,) * d, (1,) * d)
    found = []
    for large in (tuning.MAX_POOL_LARGEST, 1 << 60):
        monkeypatch.setattr(tuning, "MAX_POOL_LARGEST", large)
        monkeypatch.setattr(tuning, "MAX_POOL_LONG", 8 if large < 100 else 1 << 60)
        y = kernel.max_pool(x, how=(*window, out))
        taps = kernel.max_tap(x, y, how=window)
        g = np.arange(1.0, y.size + 1).reshape(y.shape).astype(dtype)
        found.append((y, taps, kernel.put_taps(g, taps, size=size, how=window)))
    for one, other in zip(*found, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def test_of_nans_the_last_is_the_place() -> None:
    x = np.zeros((1, 5, 5), np.float32)
    x[0, 0, 1] = x[0, 2, 2] = np.nan
    for out, places in (((1, 1), [12]), ((2, 2), [12, 12, 12, 12]), ((5, 5), range(25))):
        assert select.adaptive_max(x, out)[1].reshape(-1).tolist() == list(places)
