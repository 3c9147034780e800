"""Places and weights of a grid's points, by machine code as by NumPy."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.resample import reference, select
from rushlight.kernels.resample.grid_cells import How

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def test_taps() -> None:
    assert How(2, "bilinear", "zeros", True).taps == 4
    assert How(3, "bilinear", "zeros", True).taps == 8
    assert How(2, "bicubic", "zeros", True).taps == 16
    assert How(3, "nearest", "zeros", True).taps == 1


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_edges(mode: str, dtype: Any) -> None:
    """Halves, edges, and positions many sizes away: an image whose elements are their places tells
    which ones were read."""
    for n, padding, corners in product(
        (1, 2, 5, 8), ("zeros", "border", "reflection"), (True, False)
    ):
        x = np.arange(1.0, n + 1, dtype=dtype).reshape(1, 1, 1, n)
        at = np.concatenate(
            [np.linspace(-3, 3, 12 * n + 1), [-1e3, 1e3, -12345.25, 1e30, -1e30, np.inf, np.nan]]
        ).astype(dtype)
        grid = np.stack([at, np.zeros_like(at)], -1).reshape(1, 1, -1, 2)
        how = (mode, padding, corners)
        finite = slice(None) if padding != "reflection" else slice(-4)  # beyond, it is any place
        with np.errstate(invalid="ignore", over="ignore"):
            wanted = reference.grid_sample(x, grid, how)[..., finite]
        np.testing.assert_array_equal(select.grid_sample(x, grid, *how)[..., finite], wanted)
        if padding == "reflection":
            y = select.grid_sample(x, grid, *how)
            assert np.isfinite(y).all()
