"""Array kernels of ordering: stability, NaN, ties, selections on random small integers."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels import sort as kernels

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
