"""Lookups and their transpose by machine code: NumPy's values, one order of sums."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime
from rushlight.kernels.embedding import select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.fixture(autouse=True)
def _every_size(limits: Any) -> Iterator[None]:
    with limits(EMBEDDING_LEAST=1, EMBEDDING_SUM_LEAST=1):
        yield


def plan_of(rows: np.ndarray, index: np.ndarray, n: int) -> Any:
    layouts = [(a.dtype, a.shape, a.strides) for a in (rows, index)]
    return select.plan_sum_rows(*layouts, n)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("width", [1, 7, 16, 33, 256])
@pytest.mark.parametrize("n", [1, 5, 100])
def test_take_and_place(n: int, width: int, dtype: Any) -> None:
    rng = np.random.default_rng(0)
    table = rng.standard_normal((n, width)).astype(dtype)
    index = rng.integers(0, n, (6, 7))
    np.testing.assert_array_equal(select.take(table, index), table[index])
    np.testing.assert_array_equal(select.take(table, index.T.astype(np.int32)), table[index.T])
    rows = rng.standard_normal((42, width)).astype(dtype)
    wanted = np.zeros((n, width), dtype)
    np.add.at(wanted, index.reshape(-1), rows)
    got = select.sum_rows(rows, index.reshape(-1), n)
    np.testing.assert_array_equal(got, wanted)  # the same order
    np.testing.assert_array_equal(select.sum_rows(np.asfortranarray(rows), index.reshape(-1), n),
                                  wanted)  # fmt: skip


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_the_same_bits_for_any_number_of_threads(threads: int) -> None:
    before = rushlight.get_num_threads()
    rng = np.random.default_rng(0)
    rows, place = rng.standard_normal((5000, 20)), rng.integers(0, 50, 5000)
    try:
        rushlight.set_num_threads(1)
        alone = select.sum_rows(rows, place, 50)
        rushlight.set_num_threads(threads)
        np.testing.assert_array_equal(select.sum_rows(rows, place, 50), alone)
    finally:
        rushlight.set_num_threads(before)


def test_nan_and_infinities_stay_where_they_are() -> None:
    table = np.ones((5, 19), np.float32)
    table[3, 4], table[2, 18] = np.nan, np.inf
    index = np.array([3, 0, 2, 3])
    np.testing.assert_array_equal(select.take(table, index), table[index])
    summed = select.sum_rows(table, np.array([0, 0, 1, 1, 0]), 2)
    assert np.isnan(summed[1, 4])
    assert summed[1, 18] == np.inf
    assert np.isfinite(summed).sum() == 2 * 19 - 2


def test_the_same_bits_by_pointers(on_pointers: Any) -> None:
    rng = np.random.default_rng(0)
    table, index = rng.standard_normal((50, 33)), rng.integers(0, 50, (7, 9))
    plan = select.plan_take(*((a.dtype, a.shape, a.strides) for a in (table, index)))
    np.testing.assert_array_equal(on_pointers(plan, table, index), plan.run(table, index))
    assert plan.bytes == table.nbytes + index.nbytes + 63 * 33 * 8
    assert "take: rows[k] = table[index[k]]" in plan.describe()
