"""Rows become columns of whole vectors, and rows again."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.conv import turning
from rushlight.kernels.matmul.tile import lanes_of

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
ELEMENTS = {"float": np.float32, "double": np.float64}


def call(e: str, name: str, *given: Any) -> None:
    values = [g.ctypes.data if isinstance(g, np.ndarray) else g for g in given]
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * len(values))(turning.symbols(e)[name])
    function(*values)


def room(shape: Any, dtype: Any) -> Any:
    """NaN in memory that begins where a line of the cache does."""
    size = int(np.prod(shape))
    memory = np.full(size + 16, np.nan, dtype)
    skip = -memory.ctypes.data % 64 // memory.itemsize
    return memory[skip : skip + size].reshape(shape)


@pytest.mark.parametrize("e", ELEMENTS)
@pytest.mark.parametrize(
    ("count", "n", "vectors"), [(1, 1, 1), (5, 40, 1), (37, 19, 3), (32, 16, 2)]
)
def test_there_and_back(e: str, count: int, n: int, vectors: int) -> None:
    lanes = lanes_of(e) * vectors
    count = min(count, lanes)
    rows = np.random.default_rng(0).standard_normal((count, n + 3)).astype(ELEMENTS[e])
    columns = room((n, lanes), ELEMENTS[e])
    call(e, "turn", columns, rows, n + 3, count, vectors, n)
    np.testing.assert_array_equal(columns[:, :count], rows[:, :n].T)
    np.testing.assert_array_equal(columns[:, count:], np.repeat(rows[-1:, :n].T, lanes - count, 1))
    back = np.full((count + 1, n + 3), 7.0, ELEMENTS[e])
    call(e, "turn_back", back, n + 3, columns, vectors, n, count)
    np.testing.assert_array_equal(back[:count, :n], rows[:, :n])
    assert (back[:, n:] == 7).all()
    assert (back[count] == 7).all()
