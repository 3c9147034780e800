"""Each radix alone, as a transform of one pass, and each pair of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.fft import reference, select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("first", [1, 2, 3, 4, 5, 7, 8, 11, 13])
@pytest.mark.parametrize("second", [2, 3, 4, 5, 7, 8, 11, 13])
def test_radices(limits: Any, first: int, second: int, forward: bool) -> None:
    n = first * second
    rng = np.random.default_rng(0)
    x = rng.standard_normal((21, n)) + 1j * rng.standard_normal((21, n))
    with limits(FFT_LEAST=1):
        for array, dims in ((x, (1,)), (x.reshape(3, n, 7), (1, 2))):
            made = select.plan(
                "c2c", array.dtype, array.shape, array.strides, dims[:1], forward, 0, 1.0
            )
            wanted = reference.c2c(array, dims=dims[:1], forward=forward, scale=1.0)
            atol = max(1e-14, 4 * np.spacing(abs(wanted).max()))
            np.testing.assert_allclose(made.run(array), wanted, rtol=0, atol=atol)
            assert made.name == "fft.rows"
