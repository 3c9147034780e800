"""Sums along k, for few rows: odd sizes, strides of the result, NaN."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.codegen import half
from rushlight.kernels.matmul import select

from .products import check

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


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


@pytest.mark.usefixtures("without_amx")
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize(
    ("m", "k", "n"),
    [(1, 4099, 3), (3, 257, 70), (16, 40, 19), (90, 120, 1), (2, 2500, 40), (1, 4096, 33)],
)
def test_narrow_floats_are_read_as_they_are(
    m: int, k: int, n: int, dtype: Any, rng: np.random.Generator, on_pointers: Any
) -> None:
    """With the bits of the same numbers in float32; nothing is copied."""
    if dtype == np.float16 and not half.has_half():
        pytest.skip("this CPU does not convert float16")
    a, b = rng.standard_normal((m, k)).astype(dtype), rng.standard_normal((n, k)).astype(dtype).T
    a[0, 1], b[0, 0] = 0.0, -1e-7  # (subnormal in float16)
    plan = select.plan_product(a, b)
    assert plan.way.startswith(f"{a.dtype} by gemv")
    assert not any(name.endswith("a_wide") for name in plan.outputs)
    with np.errstate(all="ignore"):
        wide = a.astype(np.float32), b.astype(np.float32)
        np.testing.assert_array_equal(select.wide_product(a, b), select.product(*wide))
        a[0, 0], b[k - 1, 0] = np.inf, np.nan
        wide = a.astype(np.float32), b.astype(np.float32)
        np.testing.assert_array_equal(select.wide_product(a, b), select.product(*wide))
    if all(hasattr(launch, "kernel") for launch in plan.launches):
        found = on_pointers(plan, a, b, None, alpha=1.0, beta=0.0)
        y = select.product(a, b)
        np.testing.assert_array_equal(found.astype(np.float32), y.astype(np.float32))
