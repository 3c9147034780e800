"""Reductions by NumPy: sums whose error does not grow, and formulas of whole arrays."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from rushlight.kernels.reduce import reference


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    ("shape", "axes"), [((5000, 3), (0,)), ((3, 5000), (1,)), ((40, 50, 2), (0, 1))]
)
def test_long_sums_of_float32(shape: Any, axes: Any, order: Any) -> None:
    x = np.asarray(np.random.default_rng(0).random(shape, np.float32), order=order)
    wanted = x.sum(axes, dtype=np.float64)
    np.testing.assert_allclose(reference.add_reduce(x, axes), wanted, rtol=3e-7)
    kept = reference.add_reduce(x, axes, True)
    assert kept.shape == x.sum(axes, keepdims=True).shape


def test_formulas_and_finishes() -> None:
    x = np.random.default_rng(0).standard_normal((4, 5)).astype(ml_dtypes.bfloat16)
    root = reference.of("add", lambda x: x * x, "over root", None)
    got = root(x, dims=(1,), keepdims=True, over=5.0)
    assert got.dtype == x.dtype
    wide = x.astype(np.float32)
    np.testing.assert_allclose(
        got.astype(np.float32), np.sqrt((wide * wide).mean(1, keepdims=True)), rtol=1e-2
    )
    every = reference.of("any", lambda x: x == 0, "not", None)
    assert not every(np.array([1, 0]), dims=None, keepdims=False, over=1.0)


def test_sums_of_exponentials() -> None:
    top = np.array([1.0, np.inf, -np.inf])
    np.testing.assert_array_equal(reference.finite(top), [1, 0, 0])
    np.testing.assert_allclose(reference.log_added(np.array([1.0]), np.array([3.0])), 3)
