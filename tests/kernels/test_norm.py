"""Moments and scaling against NumPy in float64."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels import norm as kernel


@pytest.mark.parametrize("dims", [(0,), (0, 2), (1, 2), (2,)])
def test_moments(dims, rng):
    x = rng.standard_normal((4, 3, 5)) + 10
    mean, var = kernel.moments(x, dims)
    np.testing.assert_allclose(mean, x.mean(dims, keepdims=True))
    np.testing.assert_allclose(var, x.var(dims, keepdims=True))


def test_the_variance_of_float32_far_from_zero(rng):
    x = (rng.standard_normal((64, 3, 16)) + 1000).astype(np.float32)
    _mean, var = kernel.moments(x, (0, 2))
    np.testing.assert_allclose(var, x.astype(np.float64).var((0, 2), keepdims=True), rtol=1e-4)
    assert var.dtype == np.float32


def test_scaling(rng):
    x = rng.standard_normal((4, 3, 5))
    mean, var = kernel.moments(x, (0, 2))
    w, b = rng.standard_normal((1, 3, 1)), rng.standard_normal((1, 3, 1))
    expected = (x - mean) / np.sqrt(var + 1e-3) * w + b
    rstd = kernel.inverse_std(var, 1e-3)
    np.testing.assert_allclose(kernel.scale_shift(x, mean, rstd, w, b), expected)
    np.testing.assert_allclose(kernel.center_scale(x, mean, rstd, w, b), expected)
    plain = (x - mean) * rstd
    np.testing.assert_allclose(kernel.scale_shift(x, mean, rstd, None, None), plain)


def test_empty():
    mean, var = kernel.moments(np.zeros((0, 3)), (0,))
    assert mean.tolist() == [[0, 0, 0]]
    assert var.shape == (1, 3)


@pytest.mark.parametrize("needs", [(True, True, True), (True, False, False), (False, True, True)])
@pytest.mark.parametrize("weighted", [True, False])
def test_blocked_gradients_are_the_formula(monkeypatch, rng, needs, weighted):
    monkeypatch.setattr(kernel, "_BLOCK", 40)
    x, g = rng.standard_normal((4, 6, 5)), rng.standard_normal((4, 6, 5))
    for rows in (True, False):
        dims = (2,) if rows else (0, 2)
        shape = (1, 1, 5) if rows else (1, 6, 1)
        w = rng.standard_normal(shape) if weighted else None
        mean, var = kernel.moments(x, dims)
        rstd = kernel.inverse_std(var, 1e-5)
        xh, h = (x - mean) * rstd, g if w is None else g * w
        dx = rstd * (h - h.mean(dims, keepdims=True) - xh * (h * xh).mean(dims, keepdims=True))
        others = (0, 1) if rows else (0, 2)
        expected = (dx, (g * xh).sum(others), g.sum(others))
        flat = None if w is None else w.reshape(-1)
        if rows:
            parts = (a.reshape(24, -1) for a in (g, x, mean, rstd))
            got = kernel.standardize_rows_gradient(*parts, flat, needs)
        else:
            moments = (mean.reshape(-1), rstd.reshape(-1))
            got = kernel.standardize_channels_gradient(g, x, *moments, flat, needs)
        for need, a, b in zip(needs, got, expected, strict=True):
            if need:
                np.testing.assert_allclose(a.reshape(b.shape), b)


def test_rows_in_blocks(monkeypatch, rng):
    x = rng.standard_normal((7, 3, 5)) + 4
    expected = kernel.moments(x, (1, 2))
    monkeypatch.setattr(kernel, "_BLOCK", 20)
    for a, b in zip(kernel.moments(x, (1, 2)), expected, strict=True):
        np.testing.assert_allclose(a, b)
    mean, var = (m.reshape(7, 1) for m in expected)
    y = kernel.standardize_rows(x.reshape(7, 15), mean, kernel.inverse_std(var, 0.0), None, None)
    np.testing.assert_allclose(y.mean(1), 0, atol=1e-12)
    np.testing.assert_allclose(y.var(1), 1)
