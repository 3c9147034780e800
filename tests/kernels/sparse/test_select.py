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
    assert plan.launches[0].kernel.key == ("float", "i32", False, True)
