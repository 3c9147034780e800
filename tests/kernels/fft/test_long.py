"""Long transforms along rows: sizes, tails, threads, pointers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.fft import long

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
CASES = [("c2c", (3, 1024)), ("c2c", (9, 400)), ("r2c", (5, 2000)), ("c2r", (5, 1001)),
         ("full", (5, 2000))]


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("kind", "shape"), CASES)
def test_pointers_give_the_bits_of_arrays(
    call: Any, alike: Any, kind: str, shape: Any, dtype: Any
) -> None:
    made = call(kind, shape, (1,), dtype)
    assert made.plan.name == "fft.long"
    alike(made)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rows", [1, 3, 20])
@pytest.mark.parametrize("n", [144, 400, 512, 600, 1000, 1024, 1200, 5000, 8192])
def test_sizes_and_tails(call: Any, n: int, rows: int, dtype: Any) -> None:
    for forward in (True, False):
        call("c2c", (rows, n), (1,), dtype, forward, 0.5).check()
    call("r2c", (rows, n), (1,), dtype, scale=0.5).check()
    call("full", (rows, n), (1,), dtype, scale=0.5).check()
    call("c2r", (rows, n // 2 + 1), (1,), dtype, scale=0.5).check()


@pytest.mark.parametrize("n", [65536, 54000])
def test_the_longest(call: Any, n: int) -> None:
    call("c2c", (1, n), (1,)).check()
    call("c2c", (5, n), (1,), forward=False).check()
    call("r2c", (1, 2 * n), (1,)).check()
    call("full", (1, 2 * n), (1,)).check()
    call("c2r", (1, n + 1), (1,)).check()


def test_rows_shared_by_threads_have_the_bits_of_whole_ones(call: Any, limits: Any) -> None:
    found = []
    for many in (1, 100):
        with limits(FFT_LONG_MANY=many):
            made = call("r2c", (5, 4096), (1,))
            found.append(made.plan.run(made.x))
    np.testing.assert_array_equal(*found)


def test_ends_of_a_half_are_real(call: Any) -> None:
    made = call("c2r", (2, 513), (1,))
    x = made.x.copy()
    x.imag[:, [0, -1]] = 0
    np.testing.assert_array_equal(made.plan.run(x), made.plan.run(made.x))


def test_a_kernel_names_its_arguments() -> None:
    text = long.kernel("c2c", "float", (4, 8), False).interface.documentation()
    assert "packed: array or None. room for rows of points" in text
