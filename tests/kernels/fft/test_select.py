"""Which way a Fourier transform goes, how its result lies, and how large its error is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime
from rushlight.kernels.fft import select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.mark.parametrize(
    ("kind", "shape", "dims", "name"),
    [
        ("c2c", (8, 256), (1,), "fft.rows"),
        ("c2c", (1, 256), (1,), "fft.long"),
        ("c2c", (8, 512), (1,), "fft.long"),
        ("r2c", (8, 512), (1,), "fft.rows"),
        ("c2c", (8, 77), (1,), "fft.rows"),
        ("c2c", (8, 85), (1,), "fft.numpy"),  # of factors without a pass
        ("full", (8, 256), (1,), "fft.rows"),
        ("full", (8, 512), (1,), "fft.long"),
        ("r2c", (8, 75), (1,), "fft.numpy"),  # odd
        ("c2c", (64, 85), (0, 1), "fft.numpy"),
        ("c2c", (64, 85), (0,), "fft.rows"),
        ("c2c", (64, 1), (1,), "fft.numpy"),
        ("c2c", (1, 1 << 17), (1,), "fft.numpy"),
    ],
)
def test_ways(call: Any, kind: str, shape: Any, dims: Any, name: str) -> None:
    made = call(kind, shape, dims)
    assert made.plan.name == name
    made.check()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kind", ["c2c", "r2c", "full", "c2r"])
def test_dims_in_every_order(call: Any, kind: str, turned: bool, dtype: Any) -> None:
    for dims in [(0,), (1,), (2,), (0, 1), (1, 0), (2, 0), (0, 2, 1), (2, 1, 0), (0, 1, 2)]:
        shape = [4, 6, 10]
        if kind == "c2r":
            shape[dims[-1]] = shape[dims[-1]] // 2 + 1
            shape = [n if n != 6 else 8 for n in shape]
        call(kind, tuple(shape), dims, dtype, scale=0.25, turned=turned).check()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ["c2c", "r2c", "full", "c2r"])
@pytest.mark.parametrize(
    "n",
    [14, 16, 30, 60, 64, 100, 128, 154, 224, 240, 256, 286, 448, 1000, 1024, 1944, 2002, 4096,
     16384],
)  # fmt: skip
def test_errors_are_not_larger_than_numpys(call: Any, n: int, kind: str, dtype: Any) -> None:
    """In roundings of float64, for NumPy computes those of float32 in float64. Real transforms of
    few points, which have a step more than theirs, are up to an eighth above."""
    shape = (max(3, 40_000 // n), n // 2 + 1 if kind == "c2r" else n)
    ours, numpys = call(kind, shape, (1,), dtype), call(kind, shape, (1,), np.float64)
    most = 1.02 if kind == "c2c" or n >= 256 else 1.125
    assert ours.error() <= most * numpys.numpys_error()


def test_results_of_an_operand_that_is_not_dense(call: Any) -> None:
    x = np.random.default_rng(0).standard_normal((16, 256)).astype(np.float32)
    for some in (x[:, ::2], x[::-1], x.T, x[3:5], np.broadcast_to(x[0], (9, 256))):
        z = some.astype(np.complex64) if some.base is None else some + np.complex64(1j)
        for array, f, g in ((some, select.r2c, np.fft.rfft), (z[:, ::2], None, np.fft.fft)):
            got = select.c2c(array, (1,), True, 1.0) if f is None else f(array, (1,), 1.0)
            np.testing.assert_allclose(got, g(array), rtol=0, atol=2e-4)


def test_records_are_computed_by_plans(capsys: Any) -> None:
    rushlight.show("fft_r2c", rushlight.randn(8, 64), dims=(1,))
    assert "plan fft.rows(x)" in capsys.readouterr().out
