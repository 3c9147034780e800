"""Extremes and their places by NumPy."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from rushlight.kernels.argreduce import reference


def test_types() -> None:
    x = np.random.default_rng(0).integers(-5, 6, (4, 7))
    for dtype in (np.float32, np.int32, ml_dtypes.bfloat16):
        a = x.astype(dtype)
        for keepdims in (False, True):
            values, places = reference.extremes(a, how="min", d=1, keepdims=keepdims)
            np.testing.assert_array_equal(values.astype(int), x.min(1, keepdims=keepdims))
            np.testing.assert_array_equal(places, x.argmin(1, keepdims=keepdims))
            assert values.dtype == dtype
    assert reference.places(x, how="max", d=None) == x.argmax()


def test_blocks_of_rows_as_one() -> None:
    parts, at = np.array([[[1.0, 5.0], [3.0, 5.0]]]), np.array([[[0, 1], [2, 3]]], np.int32)
    values, places = reference.first_of_blocks(parts, at, how="max", shape=(2,))
    np.testing.assert_array_equal(values, [3, 5])
    np.testing.assert_array_equal(places, [2, 1])
    assert places.dtype == np.int64
