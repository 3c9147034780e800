"""Weighted sums of rows by machine code: NumPy's numbers, one order of sums."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import rushlight
from rushlight.kernels import rows as row_types
from rushlight.kernels import runtime
from rushlight.kernels.sparse import select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")

TYPES = [np.float32, np.float64, np.float16, ml_dtypes.bfloat16]
EPS = {2: 2.0**-8, 4: 2.0**-24, 8: 2.0**-53}


@pytest.fixture(autouse=True)
def _every_size(limits: Any) -> Iterator[None]:
    with limits(CSR_LEAST=1):
        yield


def made(rng: Any, width: int, dtype: Any, index: Any = np.int64) -> Any:
    """(x, index, offset, weight) with empty rows, one at each end, and one of many entries."""
    offset = np.array([0, 0, 3, 3, 4, 60, 61, 80, 80])
    x = rng.standard_normal((20, width)).astype(dtype)
    return x, rng.integers(0, 20, 80).astype(index), offset, rng.standard_normal(80).astype(dtype)


def dense_of(index: Any, rows: Any, weight: Any, n: int, k: int) -> Any:
    matrix = np.zeros((n, k))
    np.add.at(matrix, (rows, index), 1.0 if weight is None else weight.astype(np.float64))
    return matrix


def near(y: Any, matrix: Any, x: Any, terms: int = 80) -> None:
    """So many roundings of the sum of absolute terms at most."""
    wide = x.astype(np.float64)
    rounded = terms * 2.0**-24 if y.dtype.itemsize == 2 else 0
    limit = (EPS[y.dtype.itemsize] * terms if not rounded else EPS[2] + rounded) * (
        abs(matrix) @ abs(wide)
    )
    assert (abs(y.astype(np.float64) - matrix @ wide) <= limit + 1e-7 * (y.itemsize == 2)).all()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("index", [np.int64, np.int32])
@pytest.mark.parametrize("width", [1, 3, 16, 33, 64, 200])
def test_sums_of_rows(rng: Any, width: int, dtype: Any, index: Any) -> None:
    if not row_types.has_kernels(np.dtype(dtype)):
        pytest.skip("this CPU does not convert float16")
    x, at, offset, weight = made(rng, width, dtype, index)
    rows = np.repeat(np.arange(8), np.diff(offset))
    for w in (None, weight):
        matrix = dense_of(at, rows, w, 8, 20)
        near(select.csr_mm(x, at, offset, w), matrix, x)
        counts = np.maximum(np.diff(offset), 1)[:, None]
        near(select.csr_mm(x, at, offset, w, True), matrix / counts, x, 82)
        order = rng.permutation(80)
        moved = None if w is None else w[order]
        near(select.coo_mm(x, at[order], rows[order].astype(index), moved, 8), matrix, x)


def test_entries_of_a_row_keep_their_order(rng: Any) -> None:
    """The transposed product has the bits of sums in the order of entries."""
    rows, x = rng.integers(0, 50, 1000), rng.standard_normal((1000, 20)).astype(np.float32)
    order = np.argsort(rows, kind="stable")
    offset = np.searchsorted(rows[order], np.arange(51))
    at = np.arange(1000)
    np.testing.assert_array_equal(select.coo_mm(x, at, rows, None, 50),
                                  select.csr_mm(x, at[order], offset))  # fmt: skip


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_the_same_bits_for_any_number_of_threads(threads: int) -> None:
    before = rushlight.get_num_threads()
    rng = np.random.default_rng(0)
    x, at = rng.standard_normal((500, 70)).astype(np.float32), rng.integers(0, 500, 40000)
    w, rows = rng.standard_normal(40000).astype(np.float32), np.sort(rng.integers(0, 900, 40000))
    offset = np.searchsorted(rows, np.arange(901))

    def found() -> list[bytes]:
        sums = select.csr_mm(x, at, offset, w), select.coo_mm(x, rows % 500, at, w, 500)
        return [a.tobytes() for a in (*sums, select.sddmm(x, x, at, rows % 500))]

    try:
        rushlight.set_num_threads(1)
        alone = found()
        rushlight.set_num_threads(threads)
        assert found() == alone
    finally:
        rushlight.set_num_threads(before)


def test_layouts(rng: Any) -> None:
    """Rows apart, a transposed table, a table of one repeated row, strided entries."""
    x, at, offset, w = made(rng, 24, np.float32)
    wanted = select.csr_mm(x, at, offset, w)
    apart = np.zeros((20, 50), np.float32)
    apart[:, 3:27] = x
    many = np.zeros((2, 160), np.int64)
    many[1, ::2] = at
    heavy = np.zeros(240, np.float32)
    heavy[::3] = w
    for a, i, o, f in ((apart[:, 3:27], at, offset, w), (np.asfortranarray(x), at, offset, w),
                       (x[::-1], 19 - at, offset, w),
                       (x, many[1, ::2], offset.astype(np.int32), heavy[::3])):  # fmt: skip
        np.testing.assert_array_equal(select.csr_mm(a, i, o, f), wanted)
    ones = np.broadcast_to(np.float32(2), (20, 24))
    y = select.csr_mm(ones, at, offset)
    np.testing.assert_array_equal(y[:, 5], 2 * np.diff(offset))


def test_a_large_table_is_fetched_ahead(rng: Any, limits: Any) -> None:
    x, at, offset, w = made(rng, 70, np.float32)
    near_by = select.csr_mm(x, at, offset, w)
    with limits(CSR_LEAST=1, CSR_FAR=1):
        np.testing.assert_array_equal(select.csr_mm(x, at, offset, w), near_by)


def test_nan_and_infinities_stay_where_they_are(rng: Any) -> None:
    x, at, offset, w = made(rng, 19, np.float32)
    x[7, 4], x[3, 18] = np.nan, np.inf
    at[:3], at[3] = (7, 0, 1), 3
    at[4:] = 5
    y = select.csr_mm(x, at, offset, abs(w) + 1)
    assert np.isnan(y[1, 4])
    assert y[3, 18] == np.inf
    assert np.isfinite(y).sum() == 8 * 19 - 2


def test_the_same_bits_by_pointers(rng: Any, on_pointers: Any) -> None:
    x, at, offset, w = made(rng, 33, np.float32)
    a = [select.layout(v) for v in (x, at, offset, w)]
    plan = select.plan_csr_mm(*a)
    np.testing.assert_array_equal(on_pointers(plan, x, at, offset, w), plan.run(x, at, offset, w))
    rows = np.repeat(np.arange(8), np.diff(offset))
    plan = select.plan_coo_mm(a[0], a[1], select.layout(rows), a[3], 8)
    np.testing.assert_array_equal(on_pointers(plan, x, at, rows, w), plan.run(x, at, rows, w))
    assert "coo_to_csr: entries in the order of their rows" in plan.describe()
