"""Extremes with their places: kernels against NumPy, and what NumPy computes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime, tuning
from rushlight.kernels.argreduce import select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.fixture(autouse=True)
def _every_size(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(tuning, "ARGREDUCE_LEAST", 1)
    monkeypatch.setattr(tuning, "ARGREDUCE_SHORT", 1)
    select.plan.cache_clear()
    yield
    select.plan.cache_clear()


def plan_of(how: str, x: np.ndarray, d: int | None, **more: Any) -> Any:
    return select.plan(how, x.shape, x.strides, x.dtype, d, **more)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(5, 3), (300, 40), (2, 5, 17), (2, 2100, 5), (1, 9)])
def test_places(shape: Any, dtype: Any) -> None:
    x = np.random.default_rng(0).integers(-5, 6, shape).astype(dtype)  # many ties
    x.flat[3], x.flat[7], x.flat[-1] = np.nan, np.inf, -np.inf
    low = np.full(shape, -np.inf, dtype)
    low.flat[-2] = np.nan
    for a in (x, low, -low):
        d = a.ndim - 2
        for name in ("max", "min"):
            assert plan_of(name, a, d).name != select.NUMPY
            found = select.extremes(name, a, d)
            np.testing.assert_array_equal(select.places(name, a, d), found[1])
            np.testing.assert_array_equal(found[0], getattr(np, name)(a, axis=d))
            np.testing.assert_array_equal(found[1], getattr(np, "arg" + name)(a, axis=d))
            assert found[1].dtype == np.int64


def test_dims_that_are_kept() -> None:
    x = np.random.default_rng(0).standard_normal((600, 40)).astype(np.float32)
    values, places = select.extremes("max", x, 0, True)
    np.testing.assert_array_equal(values, x.max(0, keepdims=True))
    np.testing.assert_array_equal(places, x.argmax(0, keepdims=True))


def test_what_numpy_does() -> None:
    x = np.random.default_rng(0).standard_normal((4, 5, 6, 7)).astype(np.float32)
    for a, d in ((x, 3), (x.T, 0), (x.astype(np.int32), 1), (x.astype(np.float16), 0)):
        assert plan_of("max", a, d).name == select.NUMPY
        values, places = select.extremes("max", a, d)
        np.testing.assert_array_equal(values, a.max(d))
        np.testing.assert_array_equal(places, a.argmax(d))
    assert select.places("min", x, None) == x.argmin()
