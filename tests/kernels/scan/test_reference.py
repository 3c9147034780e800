"""Running results by NumPy."""

from __future__ import annotations

import numpy as np

from rushlight.kernels.scan import reference


def test_numpys_ways() -> None:
    x = np.random.default_rng(0).standard_normal((5, 7)).astype(np.float32)
    got = reference.accumulate(x, how="add", d=1, back=False)
    np.testing.assert_allclose(got, x.cumsum(1), rtol=1e-6)
    back = np.flip(np.flip(x, 0).cumsum(0), 0)
    np.testing.assert_allclose(reference.accumulate(x, how="add", d=0, back=True), back, rtol=1e-6)
    values, places = reference.extremes(np.array([1, 3, 3, 2]), how="max", d=0)
    np.testing.assert_array_equal(values, [1, 3, 3, 3])
    np.testing.assert_array_equal(places, [0, 1, 2, 2])
