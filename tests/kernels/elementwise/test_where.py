"""Choosing by a mask: NumPy's values, bits of NaN and of zeros included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels.elementwise.where import where


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
