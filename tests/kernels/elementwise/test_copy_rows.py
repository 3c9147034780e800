"""Copies of rows that lie apart."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.elementwise import copy_rows

pytestmark = pytest.mark.skipif(not runtime.available(), reason="needs machine code")


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32, np.float64])
@pytest.mark.parametrize(("rows", "n"), [(1, 1), (3, 5), (40, 64), (700, 131)])
def test_only_the_rows_are_written(dtype: type, rows: int, n: int) -> None:
    x = np.random.default_rng(0).integers(0, 200, (rows, n + 3)).astype(dtype)
    y = np.full((rows, n + 7), 9, dtype)
    each, chunks = copy_rows.pieces(rows, n)
    kernel = copy_rows.kernel(f"i{8 * y.itemsize}")
    kernel.call(x[:, 2:], y[:, 4:], rows, n, n + 3, n + 7, each, chunks)
    assert (y[:, 4 : 4 + n] == x[:, 2 : 2 + n]).all()
    assert (y[:, :4] == 9).all()
    assert (y[:, 4 + n :] == 9).all()
