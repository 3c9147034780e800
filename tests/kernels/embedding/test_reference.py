"""Lookups and sums of rows by their place with NumPy, whatever type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels.embedding import reference


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64, np.complex64])
@pytest.mark.parametrize("places", [[], [0, 1, 2], [3, 3, 3, 0], [2, 0, 2, 1, 0, 2]])
def test_rows_are_summed_in_their_order(dtype: Any, places: list[int]) -> None:
    index = np.array(places, np.int64)
    rows = np.arange(5.0 * len(places)).reshape(-1, 5).astype(dtype)
    wanted = np.zeros((4, 5), dtype)
    np.add.at(wanted, index, rows)
    got = reference.sum_rows(rows, index, n=4)
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, wanted)


def test_indices_for_kernels() -> None:
    index = np.array([[2, 0], [1, -1]], np.int32)
    found = reference.in_range(index.T, n=3)
    assert found.dtype == np.int64
    assert found.flags.c_contiguous
    np.testing.assert_array_equal(found, [[2, 1], [0, 2]])
    for bad in (3, -4):
        with pytest.raises(IndexError, match="table of 3 rows"):
            reference.in_range(np.array([0, bad]), n=3)


def test_rows_that_are_too_long_are_shrunk() -> None:
    weight = np.array([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]], np.float32)
    reference.renormalise(weight, np.array([0, 1]), 1.0, 2.0)
    np.testing.assert_allclose(weight, [[0.6, 0.8], [0.3, 0.4], [6.0, 8.0]], rtol=1e-6)
