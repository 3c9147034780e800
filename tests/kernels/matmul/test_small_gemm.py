"""Products that pack nothing: odd sizes, layouts of A and B, batches, NaN."""

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


def laid(x: Any, how: str) -> Any:
    """The same numbers contiguous, transposed in memory, or with gaps."""
    if how == "transposed":
        return np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)
    if how == "gaps":
        wide = np.zeros((*x.shape[:-1], 3 * x.shape[-1]), x.dtype)
        wide[..., ::3] = x
        return wide[..., ::3]
    return x


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("of_a", ["rows", "transposed", "gaps"])
@pytest.mark.parametrize("of_b", ["rows", "transposed", "gaps"])
def test_layouts(
    of_a: str, of_b: str, dtype: Any, rng: np.random.Generator, on_pointers: Any
) -> None:
    for m, k, n in ((17, 31, 23), (25, 130, 66), (49, 129, 7)):
        a = laid(rng.standard_normal((m, k)).astype(dtype), of_a)
        b = laid(rng.standard_normal((k, n)).astype(dtype), of_b)
        check(a, b, "small_gemm", on_pointers)


def test_batches_of_two_levels(rng: np.random.Generator, on_pointers: Any) -> None:
    positions = rng.standard_normal((2, 20, 3, 24)).astype(np.float32)
    a = positions.transpose(0, 2, 1, 3)  # heads within positions
    b = rng.standard_normal((2, 3, 24, 20)).astype(np.float32)
    check(a, b, "small_gemm", on_pointers)


def test_nan_stays_in_its_row() -> None:
    a, b = np.ones((20, 30), np.float32), np.ones((30, 40), np.float32)
    a[3, 7] = np.nan
    y = select.product(a, b)
    assert np.isnan(y[3]).all()
    assert (np.delete(y, 3, 0) == 30).all()
