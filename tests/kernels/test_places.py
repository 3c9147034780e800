"""Places of what is not zero, as NumPy finds them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import places

SHAPES = [(0,), (5,), (0, 3), (3, 4), (70, 81), (5000,), (7, 1, 900), (6, 7, 8, 30)]


@pytest.mark.parametrize("dtype", ["bool", "float32", "int64", "complex64"])
@pytest.mark.parametrize("shape", SHAPES)
def test_nonzero(shape: Any, dtype: str, rng: np.random.Generator) -> None:
    a = rng.integers(0, 2, shape).astype(dtype)
    for x in (a, a.T, a[..., ::-1]):
        found = places.nonzero(x)
        assert found.dtype == np.int64
        assert found.shape == (x.ndim, np.count_nonzero(x))
        np.testing.assert_array_equal(found, np.array(np.nonzero(x)))


def test_nan_is_not_zero() -> None:
    a = np.zeros((80, 80), np.float32)
    a[3, 70], a[4, 5] = np.nan, -0.0
    np.testing.assert_array_equal(places.nonzero(a), [[3], [70]])


@pytest.mark.parametrize("shape", SHAPES)
def test_selected(shape: Any, rng: np.random.Generator) -> None:
    a, mask = rng.standard_normal(shape), rng.random(shape) < 0.3
    for x, m in ((a, mask), (a.T, mask.T), (a[..., ::-1], mask)):
        found = places.selected(x, m)
        np.testing.assert_array_equal(found, x[m])
        assert not np.shares_memory(found, a)
