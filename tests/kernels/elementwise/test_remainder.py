"""Remainders of integers: NumPy's, for many numbers and few."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import tuning
from rushlight.kernels.elementwise.remainder import remainder

TYPES = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


@pytest.mark.parametrize("dtype", TYPES)
def test_by_one_number(rng: np.random.Generator, dtype: Any) -> None:
    kind = np.iinfo(dtype)
    a = rng.integers(kind.min, kind.max, 4 * tuning.REMAINDER_LEAST, dtype, endpoint=True)
    a[:2] = kind.min, kind.max
    numbers = [1, 2, 3, 7, 100, kind.max, kind.max - 1]
    if kind.min < 0:
        numbers += [-1, -2, -7, kind.min]
    for x in (a, a[:5], a.reshape(4, -1)[:, ::3]):
        for n in numbers:
            b = np.asarray(n, dtype)
            with np.errstate(over="ignore"):
                got, wanted = remainder(x, b), np.remainder(x, b)
            assert got.dtype == wanted.dtype
            np.testing.assert_array_equal(got, wanted, err_msg=str(n))


def test_of_two_types_and_by_many(rng: np.random.Generator) -> None:
    a = rng.integers(-100, 100, 2 * tuning.REMAINDER_LEAST, np.int16)
    for b in (np.asarray(7), np.asarray(1 << 40), np.asarray(7, np.uint8), np.asarray(2.5),
              rng.integers(1, 9, a.size, np.int16)):  # fmt: skip
        got, wanted = remainder(a, b), np.remainder(a, b)
        assert got.dtype == wanted.dtype
        np.testing.assert_array_equal(got, wanted)
