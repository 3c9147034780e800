"""Products that pack nothing: odd sizes, layouts of A and B, batches, NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.matmul import select

from .products import check

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def laid(x: Any, how: str) -> Any:
    """The same numbers contiguous, transposed in memory, or with gaps."""
    if how == "transposed":
        return np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)
    if how == "gaps":
        wide = np.zeros((*x.shape[:-1], 3 * x.shape[-1]), x.dtype)
        wide[..., ::3] = x
        return wide[..., ::3]
    return x


@pytest.mark.usefixtures("without_amx")
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
