"""Norms, factors and limits of many arrays with NumPy, for every type and layout."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from rushlight.kernels.multi_tensor import reference

TYPES = [np.float16, ml_dtypes.bfloat16, np.float32, np.float64]


def arrays(rng: np.random.Generator, dtype: Any) -> list[np.ndarray]:
    """Of many shapes: one number, nothing, turned, with gaps."""
    shapes = ((), (5,), (0, 3), (4, 3))
    found = [np.asarray(rng.standard_normal(s)).astype(dtype) for s in shapes]
    return [*found, rng.standard_normal((3, 5)).astype(dtype).T,
            rng.standard_normal((6, 4)).astype(dtype)[::2, 1]]  # fmt: skip


def same(a: Any, b: Any) -> None:
    """NumPy knows no NaN of the types that it does not know."""
    np.testing.assert_array_equal(a.astype(np.float64), b.astype(np.float64))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("order", [1.0, 2.0, math.inf])
def test_norm(order: float, dtype: Any, rng: np.random.Generator) -> None:
    """In float64, whatever the type: the squares of 1e30 do not overflow."""
    given = arrays(rng, dtype)
    flat = [abs(float(v)) for a in given for v in a.ravel()]
    wanted = {1.0: math.fsum(flat), 2.0: math.hypot(*flat), math.inf: max(flat)}[order]
    assert reference.norm(given, order=order) == pytest.approx(wanted, rel=1e-14)
    if dtype == np.float32:
        large = [np.array([3e30, 4e30], np.float32)]
        best = {1.0: 7e30, 2.0: 5e30, math.inf: 4e30}[order]
        assert reference.norm(large, order=order) == pytest.approx(best, rel=1e-6)
    for bad in (math.inf, -math.inf, math.nan):
        given[1][2] = bad
        found = reference.norm(given, order=order)
        assert math.isnan(found) if math.isnan(bad) else found == math.inf


@pytest.mark.parametrize("order", [1.0, 2.0, math.inf])
def test_a_norm_of_parts(order: float, rng: np.random.Generator) -> None:
    """What chunks have found comes to the norm of the whole."""
    x = rng.standard_normal(100)
    power, join = (1, np.max) if order == math.inf else (order, np.sum)
    parts = np.array([join(np.abs(p) ** power) for p in np.split(x, [3, 50])])
    wanted = reference.norm([x], order=order)
    assert reference.of_parts(parts, order=order) == pytest.approx(wanted, rel=1e-14)
    assert math.isnan(reference.of_parts(np.array([1, np.nan, 2]), order=order))


@pytest.mark.parametrize("dtype", TYPES)
def test_scale(dtype: Any, rng: np.random.Generator) -> None:
    """In place, by the factor in the array's own type; overflow is no warning."""
    given = arrays(rng, dtype)
    given[1][:2] = np.nan, np.inf
    wanted = [a * np.asarray(0.3, dtype) for a in given]
    reference.scale(given, [0.3])
    for a, b in zip(given, wanted, strict=True):
        assert a.dtype == dtype
        same(a, b)
    huge = [np.array([ml_dtypes.finfo(dtype).max], dtype)]
    reference.scale(huge, [2.0])
    assert huge[0][0] == np.inf


@pytest.mark.parametrize("dtype", TYPES)
def test_limit(dtype: Any, rng: np.random.Generator) -> None:
    given = arrays(rng, dtype)
    given[1][:3] = np.nan, np.inf, -np.inf
    low, high = (np.asarray(v, dtype) for v in (-0.4, 0.2))
    wanted = [np.where(a != a, a, np.minimum(np.maximum(a, low), high)) for a in given]
    reference.limit(given, [-0.4, 0.2])
    for a, b in zip(given, wanted, strict=True):
        same(a, b)
    assert np.isnan(given[1][0])
    assert given[1][1] == high
    assert given[1][2] == low


def test_of_integers_and_complex_numbers() -> None:
    whole, pairs = np.array([1, -4, 9]), np.array([1 + 2j, -3j])
    reference.scale([whole, pairs], [2])
    assert whole.tolist() == [2, -8, 18]
    assert pairs.tolist() == [2 + 4j, -6j]
    reference.limit([whole], [-3, 5])
    assert whole.tolist() == [2, -3, 5]
