"""Array kernels of ordering: stability, NaN, ties, selections on random small integers."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels import tuning
from rushlight.kernels.sort import reference as kernels

rng = np.random.default_rng(9)


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("descending", [False, True])
def test_argsort_is_stable_both_ways(dim, descending):
    x = rng.integers(0, 4, (7, 9))
    order = kernels.argsort(x, dim, descending)
    values = np.take_along_axis(x, order, dim)
    step = np.diff(values, axis=dim)
    assert (step <= 0).all() if descending else (step >= 0).all()
    later = np.diff(order, axis=dim)
    assert (later[step == 0] > 0).all()


@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize("n", [20, 2000])
def test_topk_agrees_with_sorting(n, largest):
    x = rng.permutation(3 * n).reshape(3, n).astype(float)
    x[0, 3] = np.nan
    got = kernels.topk(x, 5, 1, largest, True)
    np.testing.assert_array_equal(got, kernels.argsort(x, 1, largest)[:, :5])


def test_selections():
    x = np.array([[3.0, np.nan, 1, 2], [4, 3, 1, 2]])
    assert kernels.kth(x, 2, 1).tolist() == [[3], [3]]
    assert kernels.median(x, 1, skip_nan=False).tolist() == [[1], [3]]
    assert kernels.median(x, 1, skip_nan=True).tolist() == [[3], [3]]
    assert kernels.mode(np.array([[1, 2, 2, 1, 0]]), 1).tolist() == [[3]]


def test_distinct_rows_and_runs():
    x = rng.integers(0, 2, (20, 3))
    rows, inverse, counts = kernels.unique_rows(x, 0)
    np.testing.assert_array_equal(rows, np.unique(x, axis=0))
    np.testing.assert_array_equal(rows[inverse], x)
    assert counts.sum() == 20
    runs, inverse, counts = kernels.unique_consecutive(x[:, 0], None)
    np.testing.assert_array_equal(np.repeat(runs, counts), x[:, 0])
    assert (np.diff(runs) != 0).all()


def test_search_in_rows():
    rows = np.sort(rng.normal(size=(3, 10)), axis=1)
    values = rng.normal(size=(3, 4))
    got = kernels.searchsorted(rows, values, False, None)
    for r, v, g in zip(rows, values, got, strict=True):
        np.testing.assert_array_equal(g, np.searchsorted(r, v))
    back = rows[:, ::-1].copy()
    order = np.argsort(back, axis=1)
    np.testing.assert_array_equal(kernels.searchsorted(back, values, False, order), got)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.int32, np.uint8, bool])
def test_packed_numbers_have_the_stable_order(dtype, descending):
    x = rng.integers(-4, 5, (3, 400)).astype(dtype)
    if x.dtype.kind == "f":
        x[0, [3, 9]], x[0, 5], x[1, 7], x[2, 8] = np.nan, -np.nan, np.inf, -np.inf
        x[x == 0] *= -1  # -0 is no less than 0
        x[:, ::7] = 0
    y = kernels.packed(x, descending)
    if dtype == np.float64:
        assert y is None
    y = kernels.argsort(x, 1, descending)
    for row, order in zip(x, y, strict=True):
        missing = np.isnan(row) if row.dtype.kind == "f" else np.zeros(len(row), bool)
        value = np.where(missing, 0, row).astype(float)
        sign = -1 if descending else 1
        wanted = np.lexsort((np.arange(len(row)), sign * value, sign * missing))
        np.testing.assert_array_equal(order, wanted)
    np.testing.assert_array_equal(kernels.chosen(x, y, 1), np.take_along_axis(x, y, 1))


def test_packed_is_for_what_32_bits_order():
    x = np.arange(600) * (1 << 30)
    assert kernels.packed(x) is None
    np.testing.assert_array_equal(kernels.argsort(x, 0, True), np.arange(600)[::-1])
    assert kernels.packed(x >> 28) is not None
    assert kernels.packed(np.zeros((3, 0))) is None


@pytest.mark.parametrize("largest", [False, True])
def test_a_few_of_many(largest, monkeypatch):
    monkeypatch.setattr(tuning, "SORT_FEW_LEAST", 1)
    x = rng.permutation(6000).reshape(2, 3000).astype(np.float32)
    wanted = kernels.argsort(x, 1, largest)[:, :5]
    np.testing.assert_array_equal(kernels.few(x, 5, largest), wanted)
    x[1, 10:20] = wanted_value = 1e9 if largest else -1e9
    assert kernels.few(x, 5, largest) is None  # ties
    got = kernels.topk(x, 5, 1, largest, True)
    np.testing.assert_array_equal(got, kernels.argsort(x, 1, largest)[:, :5])
    assert (x[1, got[1]] == wanted_value).all()
    x[0, 4] = np.nan
    got = kernels.topk(x, 5, 1, largest, True)
    np.testing.assert_array_equal(got, kernels.argsort(x, 1, largest)[:, :5])


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint8, np.int8, bool])
@pytest.mark.parametrize("dim", [0, 1])
def test_a_few_numbers_going_down(dtype, dim):
    """Equal ones in the order in which they came; NaN, which is the greatest, first."""
    x = np.round(rng.standard_normal((7, 9)) * 2).astype(dtype)
    x[2, 3] = np.iinfo(dtype).min if np.issubdtype(dtype, np.integer) else 0
    for missing in (False, True)[: 2 if x.dtype.kind == "f" else 1]:
        if missing:
            x[[1, 1, 4], [2, 5, 2]] = np.nan
        lines = x if dim == 1 else x.T
        keys = [[(not np.isnan(float(v)), -float(v)) for v in line] for line in lines]
        wanted = np.array([sorted(range(len(k)), key=k.__getitem__) for k in keys])
        got = kernels.argsort(x, dim, True)
        np.testing.assert_array_equal(got if dim == 1 else got.T, wanted)


def test_medians_beside_nan():
    x = rng.permutation(900).reshape(3, 300).astype(np.float32)
    x[0, [5, 2]] = np.nan
    x[2] = np.nan
    plain = kernels.median(x, 1, skip_nan=False)[:, 0]
    assert plain[0] == 2
    assert plain[2] == 0
    assert (x[1] < x[1, plain[1]]).sum() == 149
    skipped = kernels.median(x, 1, skip_nan=True)[:, 0]
    assert (x[0] < x[0, skipped[0]]).sum() == 148
    assert skipped[1] == plain[1]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64", "bool"])
def test_unique_by_counting(dtype, rng):
    info = None if dtype == "bool" else np.iinfo(dtype)
    for low in (0,) if info is None else (info.min, -50 if info.min else 3, info.max - 99):
        x = rng.integers(low, int(low) + (2 if info is None else 100), (70, 80), dtype)
        values, inverse, counts = kernels.unique(x)
        wanted = np.unique(x, return_inverse=True, return_counts=True)
        assert values.dtype == x.dtype
        for have, want in zip((values, inverse, counts), wanted, strict=True):
            np.testing.assert_array_equal(have, want.reshape(have.shape))
        assert inverse.shape == x.shape
        assert kernels.unique(x, places=False)[1] is None
