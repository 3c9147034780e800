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
