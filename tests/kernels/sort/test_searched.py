"""Values found in a sorted sequence by a kernel: NumPy's places."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.sort import reference, select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("n", [1, 2, 3, 50, 64, 1000])
def test_places(n: int, dtype: str, right: bool, rng: Any, by_threads: Any) -> None:
    sequence = np.sort(rng.integers(-99, 99, n)).astype(dtype)
    values = rng.integers(-120, 120, (90, 101)).astype(dtype)
    if dtype[0] == "f":
        special = [np.nan, np.inf, -np.inf, -0.0, 0.0, -np.nan]
        values.reshape(-1)[:6] = special
    for s in (sequence, np.concatenate((sequence[: n // 2], np.repeat(sequence[-1:], n)))):
        assert select.by_kernel(s, values, None)
        wanted = reference.searchsorted(s, values, right, None)
        found = by_threads(lambda s=s: select.searchsorted(s, values, right, None))
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found, wanted)
    if dtype[0] == "f":
        ends = np.concatenate((sequence, [np.inf, np.nan, np.nan])).astype(dtype)
        for s in (ends, np.full(n, np.nan, dtype)):
            wanted = reference.searchsorted(s, values, right, None)
            np.testing.assert_array_equal(select.searchsorted(s, values, right, None), wanted)


def test_layouts(rng: Any) -> None:
    sequence, values = np.sort(rng.random(40))[::2], rng.random((50, 30)).T
    found = select.searchsorted(sequence, values, False, None)
    np.testing.assert_array_equal(found, np.searchsorted(sequence, values))
