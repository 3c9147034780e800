"""Channels and groups normalised, with NumPy and by kernels, against float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels.norm import select

from .norms import EPS, check, close, draw, formula


@pytest.mark.parametrize("length", [1, 8, 17, 64, 130, 800])
@pytest.mark.parametrize("channels", [3, 64, 70])
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.usefixtures("road")
def test_channels(length: int, channels: int, affine: bool) -> None:
    shape = (5, channels, length) if length > 1 else (700, channels)
    dims = (0, 2) if length > 1 else (0,)
    x, g = draw(0, *shape) - 2, draw(1, *shape)
    w, b = (draw(2, channels), draw(3, channels)) if affine else (None, None)
    across = [None if v is None else v.reshape(-1, *[1] * (len(shape) - 2)) for v in (w, b)]
    y, mean, var = select.channels(x, w, b, None, None, EPS)
    X = x.astype(np.float64)
    close(mean, X.mean(dims))
    close(var, X.var(dims))
    expected = formula(x, g, *across, dims, dims)
    close(y, expected[0])
    check(select.channels_gradient(g, x, w, mean, var, EPS, True, True), expected[1:])
    dx, dw, db = select.channels_gradient(g, x, w, mean, var, EPS, True, False)
    assert dx is None
    check((dw, db), expected[2:], (True, True))


@pytest.mark.parametrize("shape", [(4, 6, 20), (300, 70)])
@pytest.mark.usefixtures("road")
def test_channels_by_given_moments(shape: Any) -> None:
    x, g, c = draw(0, *shape), draw(1, *shape), shape[1]
    w, b, mean, var = draw(2, c), draw(3, c), draw(4, c), draw(5, c) ** 2
    dims, tail = (0, *range(2, len(shape))), [1] * (len(shape) - 2)
    W, B, M, R = (v.reshape(-1, *tail) for v in (w, b, mean, 1 / np.sqrt(var.astype(float) + EPS)))
    xh = (x.astype(np.float64) - M) * R
    close(select.channels(x, w, b, mean, var, EPS)[0], xh * W + B)
    got = select.channels_gradient(g, x, w, mean, var, EPS, False, True)
    check(got, (g * (R * W), (g * xh).sum(dims), g.astype(float).sum(dims)))


@pytest.mark.parametrize("number", [1, 2, 6])
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("length", [8, 17, 130])
@pytest.mark.usefixtures("road")
def test_groups(number: int, affine: bool, length: int) -> None:
    x, g = draw(0, 5, 6, length) + 1, draw(1, 5, 6, length)
    w, b = (draw(2, 6), draw(3, 6)) if affine else (None, None)
    y, mean, var = select.groups(x, number, w, b, EPS)
    split = (5, number, 6 // number, length)
    W, B = (None if v is None else v.reshape(1, number, -1, 1) for v in (w, b))
    expected = formula(x.reshape(split), g.reshape(split), W, B, (2, 3), (0, 3))
    close(y.reshape(split), expected[0])
    dx, dw, db = select.groups_gradient(g, x, number, w, mean, var, EPS, (True, True, True))
    assert dw is not None
    assert db is not None
    assert dx is not None
    check((dx.reshape(split), dw.reshape(number, -1), db.reshape(number, -1)), expected[1:])


@pytest.mark.usefixtures("road")
def test_numbers_far_from_zero() -> None:
    """The variance is that of the distances from the mean, not a difference of large sums."""
    x = draw(0, 64, 8, 16) + 1000
    _, _, var = select.channels(x, None, None, None, None, EPS)
    np.testing.assert_allclose(var, x.astype(np.float64).var((0, 2)), rtol=1e-4)
    _, _, var = select.groups(x, 4, None, None, EPS)
    wanted = x.reshape(64 * 4, -1).astype(np.float64).var(1)
    np.testing.assert_allclose(var, wanted, rtol=1e-3)
