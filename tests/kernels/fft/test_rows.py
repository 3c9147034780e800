"""Short transforms along rows: sizes, tails, threads, pointers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.fft import rows

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
CASES = [("c2c", (35, 64)), ("c2c", (1, 20)), ("r2c", (16, 60)), ("c2r", (17, 33)),
         ("full", (18, 64))]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("kind", "shape"), CASES)
def test_pointers_give_the_bits_of_arrays(
    call: Any, alike: Any, kind: str, shape: Any, dtype: Any
) -> None:
    made = call(kind, shape, (1,), dtype)
    assert made.plan.name == "fft.rows"
    alike(made)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rows_", [1, 7, 16, 17, 33, 300])
@pytest.mark.parametrize("n", [4, 6, 10, 24, 30, 64, 100, 254, 256])
def test_sizes_and_tails(call: Any, n: int, rows_: int, dtype: Any) -> None:
    for forward in (True, False):
        call("c2c", (rows_, n), (1,), dtype, forward, 0.5).check()
    call("r2c", (rows_, n), (1,), dtype, scale=0.5).check()
    call("full", (rows_, n), (1,), dtype, scale=0.5).check()
    call("c2r", (rows_, n // 2 + 1), (1,), dtype, scale=0.5).check()


def test_a_row_knows_nothing_of_its_neighbours(call: Any) -> None:
    made = call("c2c", (35, 60), (1,))
    x = made.x.copy()
    wanted = made.plan.run(x)
    x[3, 5] = np.nan
    x[34] = np.inf
    got = made.plan.run(x)
    assert np.isnan(got[3]).all()
    some = [k for k in range(35) if k not in (3, 34)]
    np.testing.assert_array_equal(got[some], wanted[some])


def test_ends_of_a_half_are_real(call: Any) -> None:
    made = call("c2r", (20, 9), (1,))
    x = made.x.copy()
    x.imag[:, [0, -1]] = 0
    np.testing.assert_array_equal(made.plan.run(x), made.plan.run(made.x))


def test_a_kernel_names_its_arguments() -> None:
    text = rows.kernel("c2c", "float", (4, 8), False).interface.documentation()
    assert "y = scale * the transform of each row of x" in text
