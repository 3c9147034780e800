"""Rows normalised, and their lengths made 1, with NumPy and by kernels, against float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import tuning
from rushlight.kernels.norm import select

from .norms import EPS, check, close, draw, formula

LENGTHS = [1, 2, 7, 16, 17, 64, 65, 130, 600]


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.usefixtures("road")
def test_rows(n: int, affine: bool) -> None:
    x, g = draw(0, 3, 107, n) + 3, draw(1, 3, 107, n)
    w, b = (draw(2, n), draw(3, n)) if affine else (None, None)
    y, mean, rstd = select.rows(x, n, w, b, EPS)
    expected = formula(x, g, w, b, (2,), (0, 1))
    if n > 2:  # else the variance may be next to 0, and its inverse enlarges what the mean loses
        close(y, expected[0])
        needs = (True, affine, affine)
        check(select.rows_gradient(g, x, n, w, mean, rstd, needs), expected[1:], needs)
    assert mean is not None
    close(mean, x.astype(np.float64).mean(2).reshape(-1))


@pytest.mark.usefixtures("road")
@pytest.mark.parametrize("n", [tuning.NORM_LONG + 1, 3 * 10**6])
def test_rows_of_very_many_lose_no_digits(n: int) -> None:
    x = draw(0, 1, n) * 2 + 3
    y, mean, rstd = select.rows(x, n, None, None, EPS)
    X = x.astype(np.float64)
    assert abs(mean[0] - X.mean()) < 1e-6
    assert abs(rstd[0] * np.sqrt(X.var() + EPS) - 1) < 3e-7
    assert np.abs(y - (X - X.mean()) / np.sqrt(X.var() + EPS)).max() < 2e-6


@pytest.mark.usefixtures("road")
def test_rows_without_a_mean() -> None:
    x, g, w = draw(0, 50, 70) + 1, draw(1, 50, 70), draw(2, 70)
    y, mean, rstd = select.rows(x, 70, w, None, EPS, False)
    assert mean is None
    X, G = x.astype(np.float64), g.astype(np.float64)
    r = 1 / np.sqrt((X * X).mean(1, keepdims=True) + EPS)
    close(y, X * r * w)
    dx = r * (G * w - X * r * (G * w * X * r).mean(1, keepdims=True))
    check(select.rows_gradient(g, x, 70, w, None, rstd, (True, True, False))[:2],
          (dx, (G * X * r).sum(0)), (True, True))  # fmt: skip


@pytest.mark.parametrize("shape", [(5, 7), (9, 130), (3, 20, 70)])
@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("stops", [True, False])
@pytest.mark.usefixtures("road")
def test_units(shape: Any, dim: int, stops: bool) -> None:
    """Also rows of zeros and rows shorter than the floor."""
    dim %= len(shape)
    x, g = draw(0, *shape), draw(1, *shape)
    small = np.moveaxis(x, dim, 0)[:, 0]
    small *= 0.01
    small[..., -1] *= 0
    X, G, eps = x.astype(np.float64), g.astype(np.float64), 0.2
    size = np.sqrt((X * X).sum(dim, keepdims=True))
    length = np.maximum(size, eps)
    y, kept = select.unit(x, dim, eps, stops)
    close(y, X / length)
    close(kept, size)
    none = (size == 0) | ((size < eps) & stops)
    slope = (G * X).sum(dim, keepdims=True) / (length**2 * np.where(size == 0, 1, size))
    wanted = G / length - X * np.where(none, 0, slope)
    close(select.unit_gradient(g, x, kept, dim, eps, stops), wanted)
