"""Lookups and their transpose by machine code: NumPy's values, one order of sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels.elementwise import select as elementwise
from rushlight.kernels.embedding import select

pytestmark = pytest.mark.skipif(not elementwise.jit(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.fixture(autouse=True)
def _every_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(select, "LEAST", 1)


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
    got = select.placed(rows, index.reshape(-1), n)
    np.testing.assert_array_equal(got, wanted)  # the same order
    np.testing.assert_array_equal(select.placed(np.asfortranarray(rows), index.reshape(-1), n),
                                  wanted)  # fmt: skip


def test_empty_and_other_types() -> None:
    table = np.arange(12.0).reshape(4, 3)
    none = np.zeros((0, 2), np.int64)
    assert select.take(table, none).shape == (0, 2, 3)
    assert select.sum_rows(np.zeros((0, 3)), none.reshape(-1), 4).shape == (4, 3)
    ints = table.astype(np.int64)
    np.testing.assert_array_equal(select.take(ints, np.array([1, 1])), ints[[1, 1]])
    assert select.placed(ints, np.arange(4), 4) is None


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_the_same_bits_for_any_number_of_threads(threads: int) -> None:
    before = rushlight.get_num_threads()
    rng = np.random.default_rng(0)
    rows, place = rng.standard_normal((5000, 20)), rng.integers(0, 50, 5000)
    try:
        rushlight.set_num_threads(1)
        alone = select.placed(rows, place, 50)
        rushlight.set_num_threads(threads)
        np.testing.assert_array_equal(select.placed(rows, place, 50), alone)
    finally:
        rushlight.set_num_threads(before)
