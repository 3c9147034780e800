"""Reductions in machine code against longer types, over shapes, layouts, types and threads."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime, tuning
from rushlight.kernels.reduce import select
from rushlight.kernels.reduce.select import Reduction
from rushlight.ops.elementwise.formulas import abs as magnitude

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
CASES: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((5,), (0,)),
    ((16,), (0,)),
    ((200_001,), (0,)),
    ((7, 33), (0, 1)),
    ((7, 33), (1,)),
    ((7, 33), (0,)),
    ((3, 70_000), (1,)),
    ((30_000, 3), (0,)),
    ((3, 30_000), (0,)),
    ((300, 130), (0,)),
    ((2030, 257), (0,)),
    ((2, 300, 19), (1,)),
    ((4, 3, 5, 6), (0, 2, 3)),
    ((4, 3, 5, 6), (0, 2)),
    ((4, 3, 5, 6), (1, 3)),
    ((4, 1, 5, 1), (2,)),
]
PLAIN: dict[str, Any] = {
    "add": np.add,
    "mul": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "logical_or": np.logical_or,
    "logical_and": np.logical_and,
}
BFLOAT = np.dtype(ml_dtypes.bfloat16)
FLOATS = [np.float32, np.float64, np.float16, BFLOAT]
WHOLE = [np.int8, np.uint8, np.int16, np.int32, np.int64, bool]


@pytest.fixture(autouse=True)
def _every_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "REDUCE_LEAST", 1)
    monkeypatch.setattr(tuning, "REDUCE_SHORT", 4)


def again(fold: Reduction) -> Reduction:
    """The same without its memory of what NumPy does."""
    return Reduction(fold.how, fold.formula, fold.name, wide=fold.wide, finish=fold.finish,
                     out=fold.out)  # fmt: skip


def layouts(x: np.ndarray) -> list[np.ndarray]:
    """The same numbers in other orders of memory."""
    found = [x, np.repeat(x, 2, -1)[..., ::2], np.ascontiguousarray(x[..., ::-1])[..., ::-1]]
    return [*found, np.asfortranarray(x)] if x.ndim > 1 else found


@pytest.mark.slow
@pytest.mark.parametrize(
    "dtype",
    [
        np.float32,
        np.int64,
        *(pytest.param(d, marks=pytest.mark.long)
          for d in [*FLOATS, *WHOLE] if d not in (np.float32, np.int64)),
    ],
    ids=lambda d: np.dtype(d).name,
)  # fmt: skip
@pytest.mark.parametrize("how", PLAIN)
def test_against_longer_types(how: str, dtype: Any) -> None:
    fold = again(select.PLAIN[how])
    # Zero or not is asked in the same way in all types: of the others every second case.
    few = how.startswith("logical") and dtype not in (np.float32, np.int64, bool, BFLOAT)
    for shape, dims in CASES[:: 2 if few else 1]:
        x = (np.random.default_rng(0).standard_normal(shape) * 3).astype(dtype)
        real = x.dtype in FLOATS
        if how == "mul":  # neither overflow nor underflow
            x = (1 + x.astype(float) / 50_000 if real else np.where(x == 2, x, 1)).astype(dtype)
        for a in layouts(x):
            by_numpy = fold.plan((a,), dims).name == select.NUMPY
            if x.dtype == bool and how in ("maximum", "minimum"):
                assert by_numpy
                continue
            assert not by_numpy
            got = fold((a,), dims)
            exact = a.astype(np.float64 if real else np.int64)
            wanted = PLAIN[how].reduce(exact, axis=dims)
            assert got.shape == wanted.shape
            if how.startswith("logical"):
                assert got.dtype == bool
            elif how in ("add", "mul") and not real:
                assert got.dtype == np.int64
            else:
                assert got.dtype == dtype
            if how not in ("add", "mul") or not real:
                np.testing.assert_array_equal(got.astype(wanted.dtype), wanted)
                continue
            size = PLAIN[how].reduce(abs(exact), axis=dims)
            short = x.dtype.itemsize == 2
            eps = float(ml_dtypes.finfo(dtype).eps)
            close = (1e-6 if short else 0 if dtype == np.float32 else 8 * eps) * size
            if how == "mul":  # each product may round
                close = close * math.prod(shape[d] for d in dims)
            away = np.abs(got.astype(np.float64) - wanted)
            most = float(ml_dtypes.finfo(dtype).max)
            fits = (away <= eps * np.abs(wanted) + close + 1e-14 * size) | (abs(wanted) > most)
            assert fits.all(), (shape, dims, a.strides)


def test_long_sums_of_tenths() -> None:
    x = np.full(20_000_001, 0.1, np.float32)
    assert again(select.PLAIN["add"])((x,), (0,)) == np.float32(float(np.float32(0.1)) * x.size)
    y = np.full(5_000_001, 0.1)
    got = again(select.PLAIN["add"])((y,), None)
    assert abs(got - 0.1 * y.size) <= 128 * 1.2e-16 * got  # 32 + 64 + 10 additions in a row
    z = np.full(1 << 19, 0.1, np.float16)
    assert again(select.MEAN)((z,), None, False, z.size) == np.float16(0.1)


@pytest.mark.parametrize("how", PLAIN)
@pytest.mark.parametrize("shape", [(5, 70), (70, 5), (700, 70)])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_special_values(dtype: Any, bad: float, shape: Any, how: str) -> None:
    fold = again(select.PLAIN[how])
    x = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    if how == "mul":  # no partial product is 0
        x = np.sign(x)
    for at in (0, 3, -1):
        y = x.copy()
        y.flat[at] = bad
        for dims in ((0,), (1,), (0, 1)):
            got = fold((y,), dims)
            with np.errstate(all="ignore"):
                wanted = PLAIN[how].reduce(y.astype(np.float64), axis=dims)
            np.testing.assert_allclose(got.astype(wanted.dtype), wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.slow
def test_formulas_of_several_arrays() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, 60, 70)).astype(np.float32)
    apart = Reduction("add", lambda x, y: (x - y) * (x - y), "apart", finish="over root")
    sides = [(a, b), (a.T, b.T), (a, b[:, :1]), (a, b[:1]), (np.asfortranarray(a), b)]
    for x, y in sides:
        for dims in ((0,), (1,), (0, 1)):
            wanted = np.sqrt(((x.astype(float) - y) ** 2).sum(dims) / 7)
            np.testing.assert_allclose(apart((x, y), dims, False, 7), wanted, rtol=1e-6)
    above = Reduction("add", lambda x, y, *, by: x > y + by, "above")
    got = above((a, b), (0,), by=0.5)
    np.testing.assert_array_equal(got, (a > b + np.float32(0.5)).sum(0))
    assert got.dtype == np.int64


def test_a_formula_in_the_longer_type() -> None:
    x = (np.random.default_rng(2).standard_normal(10_000) + 1e4).astype(np.float32)
    mean = again(select.LONG_MEAN)((x,), None, True, x.size)
    assert mean.dtype == np.float64
    away = Reduction("add", lambda x, m: (x - m) * (x - m), "away", wide=True, finish="over")
    np.testing.assert_allclose(away((x, mean), None, False, x.size), x.var(dtype=float), rtol=1e-7)


def test_what_numpy_does() -> None:
    x = np.ones((4, 5, 6, 7), np.float32)
    fold = again(select.PLAIN["add"])
    for a, dims in [
        (x.astype(np.complex64), (0,)),
        (x.astype(np.uint16), (0,)),
        (x.astype(">f4"), (0,)),
        (x[:0], (1,)),
        (x, ()),
        (x[:1], (0,)),
        (np.ones((2, 3) * 4, np.float32)[..., ::2], (0, 2, 4, 6)),
    ]:
        assert fold.plan((a,), dims).name == select.NUMPY
        np.testing.assert_array_equal(fold((a,), dims), np.add.reduce(a, axis=dims))


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_the_same_bits_for_any_number_of_threads(threads: int) -> None:
    before = rushlight.get_num_threads()
    x = np.random.default_rng(0).standard_normal((1030, 701))
    arrays = [x, x.T, x.astype(np.float16), x.astype(np.float32)[:, ::2]]
    folds = [again(select.PLAIN["add"]), again(select.PLAIN["mul"])]
    try:
        for a in arrays:
            for fold in folds:
                for dims in ((0,), (1,), (0, 1)):
                    rushlight.set_num_threads(1)
                    alone = fold((a,), dims)
                    rushlight.set_num_threads(threads)
                    np.testing.assert_array_equal(fold((a,), dims), alone)
    finally:
        rushlight.set_num_threads(before)


def test_numbers_are_operands() -> None:
    """One kernel for all values of a parameter, but for those that decide on the code."""
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, 60, 70)).astype(np.float32)
    apart = Reduction(
        "add", lambda x, y, *, by: magnitude(x - y) ** by, "apart", fixed={"by": (2.0,)}
    )
    for k in range(70):
        by = 0.3 + k / 10
        wanted = (np.abs(a - b).astype(float) ** by).sum(0)
        np.testing.assert_allclose(apart((a, b), (0,), by=by), wanted, rtol=2e-6)
    apart((a, b), (0,), by=2.0)
    assert len(apart.lowered) == 2
    assert all(made.kernels for made in apart.lowered.values())


@pytest.mark.parametrize("shape", [(5, 70), (300, 130), (3, 70_000), (2, 3, 7)])
def test_variance_in_two_launches(shape: Any) -> None:
    x = (np.random.default_rng(2).standard_normal(shape) + 100).astype(np.float32)
    for axis in range(len(shape)):
        for root in (False, True):
            n = shape[axis]
            select.plan_variance.cache_clear()
            got = select.variance(x, (axis,), False, n, n - 1, root, not_called)
            wanted = (np.std if root else np.var)(x.astype(float), axis=axis, ddof=1)
            np.testing.assert_allclose(got, wanted, rtol=1e-6)
    select.plan_variance.cache_clear()


def not_called(*_args: Any, **_kw: Any) -> Any:
    raise AssertionError("NumPy's way")


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_the_sum_of_all_is_that_over_all_dims(dtype: Any, rng: np.random.Generator) -> None:
    """Bit for bit, in any layout; an array without dims."""
    for shape in [(), (1,), (16, 1), (0, 3), (7, 33), (3, 4, 5), (2000,), (100, 200)]:
        a = (rng.standard_normal(shape) * 100).astype(dtype)
        for x in (a, a.T, np.broadcast_to(a, (3, *shape)), a[..., ::2] if shape else a):
            got, want = select.add_all(x), np.asarray(select.add_reduce(x, tuple(range(x.ndim))))
            assert got.__class__ is np.ndarray
            assert (got.shape, got.dtype) == ((), want.dtype)
            assert got.tobytes() == want.tobytes()
