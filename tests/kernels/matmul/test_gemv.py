"""Sums along k, for few rows: odd sizes, strides of the result, NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime
from rushlight.kernels.matmul import select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def plan_of(a: Any, b: Any) -> Any:
    return select.plan(a.dtype, a.shape, a.strides, b.dtype, b.shape, b.strides)


def check(a: Any, b: Any, way: str, on_pointers: Callable[..., Any]) -> None:
    """The plan goes this way; its error is that of rounding; threads and pointers change no bit."""
    plan = plan_of(a, b)
    assert plan.name == f"matmul.{way}"
    y = plan.run(a, b, None, 1.0, 0.0)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    size = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
    eps = np.finfo(a.dtype).eps * (2 if a.dtype == np.float64 else 1)
    assert (np.abs(y - exact) <= (a.shape[-1] + 2) * eps * size + 1e-300).all()
    before = rushlight.get_num_threads()
    try:
        for threads in (1, 2, 3):
            rushlight.set_num_threads(threads)
            np.testing.assert_array_equal(plan.run(a, b, None, 1.0, 0.0), y)
    finally:
        rushlight.set_num_threads(before)
    np.testing.assert_array_equal(on_pointers(plan, a, b, None, alpha=1.0, beta=0.0), y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("m", "k", "n"), [(1, 4099, 3), (3, 257, 70), (4, 65, 33), (16, 40, 19)])
def test_against_float64(
    m: int, k: int, n: int, dtype: Any, rng: np.random.Generator, on_pointers: Any
) -> None:
    a = rng.standard_normal((m, k)).astype(dtype)
    b = rng.standard_normal((n, k)).astype(dtype).T
    check(a, b, "gemv", on_pointers)


def test_a_matrix_times_a_vector(rng: np.random.Generator, on_pointers: Any) -> None:
    a, b = rng.standard_normal((90, 120)), rng.standard_normal(120)
    check(a, b, "gemv", on_pointers)


def test_nan_and_infinity_stay_in_their_sums() -> None:
    a, b = np.ones((2, 3000), np.float32), np.ones((5, 3000), np.float32).T
    a[1, 2999], b[7, 3] = np.nan, np.inf
    y = select.product(a, b)
    assert np.isnan(y[1]).all()
    assert y[0, 3] == np.inf
    assert (y[0, [0, 1, 2, 4]] == 3000).all()
