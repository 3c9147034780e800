"""Slices along a dimension by kernels: the bytes of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.embedding import along

pytestmark = pytest.mark.skipif(not runtime.available(), reason="there is no machine code")
TYPES = ("float32", "float64", "int64", "int16", "bool", "float16", "complex64")


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    ("shape", "d"), [((5, 7), 0), ((5, 7), 1), ((3, 4, 17), 1), ((2, 3, 40), 2), ((6,), 0)]
)
def test_take_and_put(dtype: str, shape: tuple[int, ...], d: int, rng: Any) -> None:
    a = rng.integers(0, 100, shape).astype(dtype)
    for count, kind in ((1, np.int64), (9, np.int64), (4, np.int32)):
        index = rng.integers(0, shape[d], count).astype(kind)
        assert along.native(a, index)
        taken = along.take(a, index, d)
        assert taken.dtype == a.dtype
        assert np.array_equal(taken, np.take(a, index, d))
        rows = rng.integers(0, 100, taken.shape).astype(dtype)
        mine, theirs = a.copy(), a.copy()
        along.put(mine, index, rows, d)
        theirs[(slice(None),) * d + (index,)] = rows  # of one index twice the last stays
        assert np.array_equal(mine, theirs)


def test_rows_that_are_not_dense(rng: Any) -> None:
    a, rows = rng.random((4, 6)), rng.random((6, 3)).T
    along.put(a, np.array([3, 0, 1]), rows, 0)
    assert np.array_equal(a[[3, 0, 1]], rows)


def test_what_is_left_to_numpy() -> None:
    index = np.array([0])
    assert not along.native(np.zeros((3, 4)).T, index)
    assert not along.native(np.zeros(()), index)
    assert not along.native(np.zeros((0, 3)), index)
    assert not along.native(np.zeros(3, np.complex128), index)
    assert not along.native(np.zeros(3), np.zeros((1, 1), np.int64))
