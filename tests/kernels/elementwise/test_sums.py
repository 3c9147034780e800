"""Sums of two arrays, few and many: NumPy's bits, whatever the layout."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels.elementwise.sums import add_into, added

TYPES = [np.float32, np.float64, np.float16, np.int64, np.complex64, bool]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", [0, 3, 300, 700])  # 490,000 elements go to a kernel
def test_bits_of_numpy(size: int, dtype: Any, rng: np.random.Generator, by_threads: Any) -> None:
    a, b = ((rng.standard_normal((size, size)) * 9).astype(dtype) for _ in range(2))
    for one, other in ((a, b), (a, b.T), (a.T, b.T), (a[::-1], b[:, ::-1])):
        got = by_threads(lambda one=one, other=other: added(one, other))
        np.testing.assert_array_equal(got, one + other)
        assert got.dtype == dtype

        def into(one: Any = one, other: Any = other) -> Any:
            total = one.copy()
            add_into(total, other)
            return total

        np.testing.assert_array_equal(by_threads(into), one + other)


def test_numbers() -> None:
    assert added(np.asarray(1.5), np.asarray(2.0)) == 3.5


def test_a_sum_that_does_not_fit_leaves_what_is_there() -> None:
    total = np.ones((400, 500), np.float32)
    for other in (np.ones((3, 400, 500), np.float32), np.ones((7, 500), np.float32)):
        with pytest.raises(ValueError, match=r"broadcast|shape"):
            add_into(total, other)
        assert (total == 1).all()
