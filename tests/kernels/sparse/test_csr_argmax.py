"""The rows of a bag's maxima: the same places by machine code, NumPy and a loop."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import rushlight
from rushlight.kernels import rows as row_types
from rushlight.kernels.sparse import select


def by_hand(x: Any, index: Any, offset: Any) -> Any:
    found = np.zeros((len(offset) - 1, x.shape[1]), np.int64)
    for i, (begin, end) in enumerate(pairwise(offset)):
        for j in range(x.shape[1] if begin < end else 0):
            best = begin
            for k in range(begin + 1, end):
                best = k if x[index[k], j] > x[index[best], j] else best
            found[i, j] = index[best]
    return found


@pytest.mark.parametrize("least", [1, 1 << 60])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("width", [0, 1, 16, 33, 70])
def test_places(rng: Any, width: int, dtype: Any, least: int, limits: Any) -> None:
    """Ties, NaN, infinities, empty bags, a table whose rows lie apart."""
    if least == 1 and not row_types.has_kernels(np.dtype(dtype)):
        pytest.skip("no LLVM here, or this CPU does not convert float16")
    x = rng.integers(-3, 3, (20, 2 * width)).astype(dtype)
    x[rng.random(x.shape) < 0.1] = np.nan
    x[rng.random(x.shape) < 0.1] = -np.inf
    x[rng.random(x.shape) < 0.05] = np.inf
    offset = np.array([0, 0, 1, 30, 33, 33, 40])
    index = rng.integers(0, 20, 40)
    with limits(CSR_LEAST=least):
        for table in (x[:, :width], np.ascontiguousarray(x[:, width:]), x.T[:, :width]):
            at = index % max(1, len(table))
            if not len(table):
                continue
            for i in (at, at.astype(np.int32)):
                y = select.csr_argmax(table, i, offset)
                assert y.dtype == np.int64
                np.testing.assert_array_equal(y, by_hand(table, i, offset))


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_the_same_for_any_number_of_threads(threads: int) -> None:
    before = rushlight.get_num_threads()
    rng = np.random.default_rng(0)
    x, index = rng.integers(0, 50, (500, 70)).astype(np.float32), rng.integers(0, 500, 40000)
    offset = np.sort(rng.integers(0, 40001, 3000))
    try:
        rushlight.set_num_threads(1)
        alone = select.csr_argmax(x, index, offset)
        rushlight.set_num_threads(threads)
        np.testing.assert_array_equal(select.csr_argmax(x, index, offset), alone)
    finally:
        rushlight.set_num_threads(before)
