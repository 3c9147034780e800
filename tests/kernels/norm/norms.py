"""What the tests of normalisations share: the formula in float64, and how close is close."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from rushlight.kernels import runtime

NATIVE = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
EPS = 1e-5


def draw(seed: int, *shape: int, dtype: Any = np.float32) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def close(got: Any, wanted: Any) -> None:
    """Within what sums of a few hundred numbers lose, and the rounding of the result."""
    assert got.shape == wanted.shape
    own = float(ml_dtypes.finfo(got.dtype).eps)
    eps = max(own, 100 * (own if got.dtype == np.float64 else np.finfo(np.float32).eps))
    top = np.abs(wanted).max(initial=1e-30)
    np.testing.assert_allclose(got.astype(np.float64), wanted, rtol=eps, atol=eps * top)


def formula(
    x: Any, g: Any, w: Any, b: Any, dims: tuple[int, ...], others: tuple[int, ...]
) -> tuple[Any, Any, Any, Any]:
    """y, dx, dw, db in float64; w and b shaped to broadcast, `others` where they are summed."""
    x, g = x.astype(np.float64), g.astype(np.float64)
    mean, var = x.mean(dims, keepdims=True), x.var(dims, keepdims=True)
    rstd = 1 / np.sqrt(var + EPS)
    xh, h = (x - mean) * rstd, g if w is None else g * w
    dx = rstd * (h - h.mean(dims, keepdims=True) - xh * (h * xh).mean(dims, keepdims=True))
    y = xh * (1 if w is None else w) + (0 if b is None else b)
    return y, dx, (g * xh).sum(others), g.sum(others)


def check(got: Any, wanted: Any, needs: Any = (True, True, True)) -> None:
    for need, a, b in zip(needs, got, wanted, strict=True):
        if need:
            close(a, b)
