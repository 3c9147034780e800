"""Sums along k, for few rows: odd sizes, strides of the result, NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
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
