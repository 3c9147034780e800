"""Choosing by a mask: NumPy's values, bits of NaN and of zeros included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import tuning
from rushlight.kernels.elementwise.where import lower_triangle, where


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.float16])
@pytest.mark.parametrize("shape", [(3,), (700,), (30, 40)])
def test_like_numpy(rng: np.random.Generator, shape: Any, dtype: Any) -> None:
    mask = rng.random(shape) < 0.5
    a, b = ((rng.standard_normal(shape) * 9).astype(dtype) for _ in range(2))
    if np.dtype(dtype).kind == "f":
        a.flat[0], b.flat[1], a.flat[2] = np.nan, -0.0, np.inf
    for p, q in ((a, b), (a, dtype(0)), (dtype(0), b), (a, dtype(3)), (a, b[..., :1]), (a[-1:], b)):
        got, wanted = where(mask, p, q), np.where(mask, p, q)
        assert got.dtype == wanted.dtype
        assert got.tobytes() == wanted.tobytes()


@pytest.mark.parametrize(("n", "m"), [(0, 3), (3, 0), (1, 1), (4, 3), (3, 5), (70, 70)])
@pytest.mark.parametrize("k", [-5, -1, 0, 2, 90])
def test_triangles(n: int, m: int, k: int) -> None:
    mask = lower_triangle(n, m, k)
    assert np.array_equal(mask, np.tri(n, m, k, bool))
    if n * m <= tuning.TRIANGLE_KEPT:
        assert mask is lower_triangle(n, m, k)  # kept, so nobody may write to it
        assert not mask.flags.writeable
