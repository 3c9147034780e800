"""Which way computes products with sparse matrices, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.meta import MetaArray
from rushlight.kernels.sparse import products, select

NATIVE = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
SIZES = pytest.mark.parametrize("least", [1, 1 << 60])


@SIZES
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.complex64, bool])
@pytest.mark.parametrize("few", [0, 1 << 60])
def test_every_type(rng: Any, dtype: Any, least: int, few: int, limits: Any,
                    monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """By kernels, NumPy and SciPy."""
    if not few:
        pytest.importorskip("scipy")
    monkeypatch.setattr(products, "FEW", few)
    x = rng.integers(0, 4, (6, 5)).astype(dtype)
    values = rng.integers(0, 3, 7).astype(dtype)
    rows, cols = np.array([3, 0, 0, 2, 0, 3, 3]), rng.permutation(7) % 6
    matrix = np.zeros((5, 6), np.int64 if dtype is bool else dtype)
    np.add.at(matrix, (rows, cols), values)
    wanted = (matrix @ x.astype(matrix.dtype)).astype(dtype)
    order = np.argsort(rows, kind="stable")
    offset = np.searchsorted(rows[order], np.arange(6))
    with limits(CSR_LEAST=least):
        for found in (select.times_dense(values, rows, cols, x, 5),
                      select.times_dense(values[order], None, cols[order], x, 5, offset)):
            assert found.dtype == dtype
            np.testing.assert_array_equal(found, wanted)
        if dtype is not bool:
            counts = np.maximum(np.diff(offset), 1)[:, None]
            one = np.zeros((5, 6))
            np.add.at(one, (rows, cols), 1)
            mean = select.csr_mm(x.real.astype(np.float32), cols[order], offset, None, True)
            np.testing.assert_allclose(mean, one @ x.real.astype(float) / counts, rtol=1e-6)
            found = select.sampled(x, x, rows, cols % 6)
            np.testing.assert_array_equal(found, (x[rows] * x[cols].conj()).sum(1))


@SIZES
def test_empty(least: int, limits: Any) -> None:
    none = np.zeros(0, np.int64)
    with limits(CSR_LEAST=least):
        for width in (0, 3):
            x = np.ones((4, width), np.float32)
            for n in (0, 2):
                offset = np.zeros(n + 1, np.int64)
                for mean in (False, True):
                    y = select.csr_mm(x, none, offset, None, mean)
                    assert y.shape == (n, width)
                    assert not y.any()
                y = select.coo_mm(x, none, none, np.ones(0, np.float32), n)
                assert y.shape == (n, width)
                assert not y.any()
            assert select.sddmm(x, x, none, none).shape == (0,)
        table = np.zeros((0, 3), np.float32)
        assert not select.csr_mm(table, none, np.zeros(3, np.int64)).any()


@SIZES
def test_places_outside_are_refused(least: int, limits: Any) -> None:
    x, v = np.ones((4, 3), np.float32), np.ones(2, np.float32)
    good = np.array([0, 1])
    with limits(CSR_LEAST=least):
        below, above = np.array([-1, 0]), np.array([0, 4])
        for rows, cols in ((good + 1, good), (below, good), (good, above), (good, below)):
            with pytest.raises(IndexError, match="outside the sparse matrix"):
                select.times_dense(v, rows, cols, x, 2)
        for offset in ([0, 1], [0, 2, 1], [0, 1, 3], [-1, 1, 2]):
            with pytest.raises(IndexError, match="outside the sparse matrix"):
                select.times_dense(v, None, good, x, 2, np.array(offset))
        with pytest.raises(IndexError, match="outside the sparse matrix"):
            select.sampled(x, x, good, np.array([0, 4]))


@NATIVE
def test_the_limit(limits: Any) -> None:
    """By the elements that are added and written."""
    x, index = MetaArray((9, 8), np.float32), MetaArray((6,), np.int64)
    a, i, o = map(select.layout, (x, index, MetaArray((4,), np.int64)))
    for least, way in ((72, "kernel"), (73, "numpy")):
        with limits(CSR_LEAST=least):
            plan = select.plan_csr_mm(a, i, o, None)
            assert plan.way == way
            assert plan is select.plan_csr_mm(a, i, o, None)  # kept
            assert select.plan_coo_mm(a, i, i, None, 3).way == way
    other = select.layout(MetaArray((6,), np.float64))
    with limits(CSR_LEAST=1):
        assert select.plan_csr_mm(a, i, o, other).way == "numpy"  # of two types


@NATIVE
def test_a_plan_is_made_of_metadata(limits: Any) -> None:
    """Of tables that are not there; a large one is fetched ahead."""
    a, i, o = (
        select.layout(MetaArray(s, t))
        for s, t in (((10**7, 300), "f4"), ((50,), "i4"), ((11,), "i8"))
    )
    plan = select.plan_csr_mm(a, i, o, None, True)
    assert plan.outputs["y"].shape == (10, 300)
    assert plan.flops == 2 * 50 * 300
    assert "mean=1" in plan.describe()
    assert plan.launches[0].kernel.key == ("float", "i32", False, False, True, "add")


@SIZES
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("index", [np.int64, np.int32])
def test_slices_are_added_in_their_order(
    rng: Any, index: Any, dtype: Any, least: int, limits: Any
) -> None:
    """Along each dimension, of sources that lie in any way; negative indices count from the end."""
    with limits(CSR_SLICES_LEAST=least, CSR_NARROW=1):
        for d in range(3):
            shape = [3, 4, 40]
            out = rng.integers(-9, 9, shape).astype(dtype)
            line = rng.integers(-shape[d], shape[d], 7).astype(index)
            shape[d] = 7
            source = rng.integers(-9, 9, shape).astype(dtype)
            wanted, sums = out.copy(), np.zeros_like(out)
            np.add.at(wanted, (slice(None),) * d + (line,), source)
            np.add.at(sums, (slice(None),) * d + (line,), source)
            for laid in (source, np.asfortranarray(source), source[::-1].copy()[::-1]):
                found = out.copy()
                select.add_slices(found, line, laid, d)
                np.testing.assert_array_equal(found, wanted)
                found = select.slices_summed(out.shape, line, laid, d)
                np.testing.assert_array_equal(found, sums)
        turned = np.asfortranarray(out)
        select.add_slices(turned, line, source, 2)
        np.testing.assert_array_equal(turned, wanted)
        rows, apart = np.zeros((4, 9), dtype), rng.integers(0, 9, (5, 20)).astype(dtype)[:, ::2]
        select.add_slices(rows, np.array([3, 0, 3, 3, 2]), apart[:, :9], 0)
        assert rows[3].tolist() == apart[[0, 2, 3], :9].sum(0).tolist()
        select.add_slices(rows, np.array([1, 1]), dtype(2), 0)  # which broadcasts
        assert rows[1].tolist() == [4] * 9


@SIZES
def test_no_slice_is_added_where_an_index_is_outside(least: int, limits: Any) -> None:
    out, source = np.zeros((4, 40), np.float32), np.ones((3, 40), np.float32)
    with limits(CSR_SLICES_LEAST=least):
        for bad in (4, -5):
            with pytest.raises(IndexError, match="out of bounds"):
                select.add_slices(out, np.array([bad, 0, 1]), source, 0)
        assert not out.any()
        with pytest.raises(IndexError, match="out of bounds"):
            select.slices_summed((4, 40), np.array([0, 9, 1]), source, 0)


@NATIVE
def test_few_elements_side_by_side_are_numpys(limits: Any) -> None:
    with limits(CSR_SLICES_LEAST=1, CSR_NARROW=8):
        for width, kernel in ((7, False), (8, True)):
            out, source = np.zeros((4, width), np.float32), np.ones((3, width), np.float32)
            assert select.by_slices(select.layout(out), np.arange(3), source, 0) is kernel


@SIZES
@pytest.mark.parametrize("how", ["max", "min"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.float16])
def test_extremes_of_slices(rng: Any, dtype: Any, how: str, least: int, limits: Any) -> None:
    ufunc = np.maximum if how == "max" else np.minimum
    for d in range(2):
        shape = [6, 70]
        out = rng.integers(-9, 9, shape).astype(dtype)
        line = rng.integers(0, shape[d], 50)
        shape[d] = 50
        source = rng.integers(-20, 20, shape).astype(dtype)
        if dtype is not np.int64:
            source[3, 4], out[1, 1] = np.nan, np.nan
        wanted = out.copy()
        ufunc.at(wanted, (slice(None),) * d + (line,), source)
        with limits(CSR_SLICES_LEAST=least, CSR_NARROW=1):
            select.reduce_slices(out, line, source, d, how)
        np.testing.assert_array_equal(out, wanted)
