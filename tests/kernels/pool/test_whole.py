"""One window for a whole plane: its mean, and a number spread over it, by LLVM and by NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.codegen.row_body import by_numpy
from rushlight.kernels.meta import MetaArray
from rushlight.kernels.pool import select, whole

NATIVE = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
LENGTHS = [1, 2, 15, 16, 17, 63, 65, 130, 1000]


@pytest.mark.parametrize("n", LENGTHS)
def test_bodies_by_numpy(n: int, rng: np.random.Generator) -> None:
    x, g = rng.standard_normal((5, n)), rng.standard_normal((5, 1))
    (mean,) = by_numpy(whole.mean, {"x": x}, ("y",), 1)
    np.testing.assert_allclose(mean, x.mean(1, keepdims=True), rtol=1e-13, atol=1e-16)
    (spread,) = by_numpy(whole.spread, {"x": x, "g": g}, ("x",), 1)
    np.testing.assert_allclose(spread, g / n, rtol=1e-15)  # one column, which broadcasts


def plans(shape: tuple[int, ...], dtype: Any) -> tuple[Any, Any]:
    x = MetaArray(shape, dtype)
    y = MetaArray(shape[:-1], dtype)
    n = shape[-1]
    return (select.whole_plan("adaptive_avg", x, y, n),
            select.whole_plan("adaptive_avg_transpose", y, x, n))  # fmt: skip


@NATIVE
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", LENGTHS)
def test_bodies_by_kernels(
    n: int, dtype: Any, rng: np.random.Generator, by_threads: Any
) -> None:
    """Within the rounding of a sum; NaN stays in its row; threads change no bit."""
    x = rng.standard_normal((67, n)).astype(dtype)
    x[3, n // 2], x[5, -1] = np.nan, np.inf
    g = rng.standard_normal(67).astype(dtype)
    mean, spread = plans(x.shape, dtype)
    y, dx = by_threads(lambda: (mean.run(x), spread.run(g)))
    wide, eps = x.astype(np.float64), np.finfo(dtype).eps
    np.testing.assert_array_equal(np.isnan(y), np.arange(67) == 3)
    assert y[5] == np.inf
    fine = np.isfinite(y)
    error, size = np.abs(y[fine] - wide[fine].mean(1)), np.abs(wide[fine]).mean(1)
    assert (error <= 8 * eps * size).all()
    np.testing.assert_allclose(dx, np.broadcast_to(g[:, None] / dtype(n), x.shape), rtol=eps)


@NATIVE
def test_operands_with_gaps_are_copied(rng: np.random.Generator) -> None:
    x = rng.standard_normal((40, 33)).T
    made = select.whole_plan("adaptive_avg", MetaArray(x.shape, x.dtype, x.strides),
                             MetaArray((33,), x.dtype), 40)  # fmt: skip
    assert len(made.launches) == 2
    np.testing.assert_allclose(made.run(x), x.mean(1), rtol=1e-13, atol=1e-16)
