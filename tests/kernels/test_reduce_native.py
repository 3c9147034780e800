"""Reductions in machine code against float64, over shapes, dims, special values and threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import fused, reduce_native

pytestmark = pytest.mark.skipif(not fused.jit(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
CASES = [
    ((5,), (0,)),
    ((16,), (0,)),
    ((1000,), (0,)),
    ((40_001,), (0,)),
    ((7, 33), (0, 1)),
    ((7, 33), (1,)),
    ((7, 33), (0,)),
    ((3, 20_000), (1,)),
    ((300, 3), (0,)),
    ((300, 130), (0,)),
    ((1030, 257), (0,)),
    ((2, 300, 19), (1,)),
    ((4, 3, 5, 6), (0, 2, 3)),
    ((4, 3, 5, 6), (2, 3)),
    ((4, 3, 5, 6), (0, 1)),
    ((4, 1, 5, 1), (2,)),
]
PLAIN: dict[str, Any] = {
    "add": lambda x, d: x.sum(d),
    "squares": lambda x, d: (x * x).sum(d),
    "sizes": lambda x, d: abs(x).sum(d),
    "max": lambda x, d: x.max(d),
    "min": lambda x, d: x.min(d),
}


@pytest.fixture(autouse=True)
def _every_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reduce_native, "LEAST", 1)
    monkeypatch.setattr(reduce_native, "SHORT", 1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("how", PLAIN)
@pytest.mark.parametrize(("shape", "dims"), CASES, ids=str)
def test_against_longer_sums(shape: Any, dims: Any, how: str, dtype: Any) -> None:
    x = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    for keep in (False, True):
        got = reduce_native.reduced(how, x, dims, keep)
        assert got is not None
        wanted = PLAIN[how](x.astype(np.longdouble), dims)
        assert got.dtype == dtype
        assert got.shape == np.add.reduce(x, axis=dims, keepdims=keep).shape
        if how in ("max", "min"):
            np.testing.assert_array_equal(got.reshape(wanted.shape), wanted)
        else:
            size = abs(x.astype(np.float64) ** (2 if how == "squares" else 1)).sum(dims)
            close = 0 if dtype == np.float32 else 8 * np.finfo(dtype).eps * size
            away = np.abs(got.reshape(wanted.shape) - wanted)
            assert np.all(away <= np.finfo(dtype).eps * np.abs(wanted) + close + 1e-15 * size)


def test_long_sums_of_ones_and_of_tenths() -> None:
    x = np.full(20_000_001, 0.1, np.float32)
    got = reduce_native.reduced("add", x, (0,))
    assert got == np.float32(float(np.float32(0.1)) * x.size)


@pytest.mark.parametrize("how", PLAIN)
@pytest.mark.parametrize("shape", [(5, 70), (70, 5), (700, 70)])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_special_values(bad: float, shape: Any, how: str) -> None:
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    for at in (0, 3, -1):
        y = x.copy()
        y.flat[at] = bad
        for dims in ((0,), (1,), (0, 1)):
            got = reduce_native.reduced(how, y, dims)
            np.testing.assert_allclose(got, PLAIN[how](y, dims), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(5, 3), (300, 40), (2, 5, 17), (2, 2100, 5), (1, 9)])
def test_places(shape: Any, dtype: Any) -> None:
    x = np.random.default_rng(0).integers(-5, 6, shape).astype(dtype)  # many ties
    x.flat[3], x.flat[7], x.flat[-1] = np.nan, np.inf, -np.inf
    low = np.full(shape, -np.inf, dtype)
    low.flat[-2] = np.nan
    for a in (x, low, -low):
        d = a.ndim - 2
        for name in ("max", "min"):
            found = reduce_native.located(name, a, d)
            assert found is not None
            np.testing.assert_array_equal(found[0], getattr(np, name)(a, axis=d))
            np.testing.assert_array_equal(found[1], getattr(np, "arg" + name)(a, axis=d))
            assert found[1].dtype == np.int64


def test_what_numpy_does() -> None:
    x = np.ones((4, 5, 6, 7), np.float32)
    assert reduce_native.reduced("add", x, (0, 2)) is None
    assert reduce_native.reduced("add", x.T, (0,)) is None
    assert reduce_native.reduced("add", x.astype(np.int64), (0,)) is None
    assert reduce_native.reduced("add", x[:0], (1,)) is None
    assert reduce_native.reduced("add", x, ()) is None
    assert reduce_native.located("max", x, 3) is None
    assert reduce_native.located("max", x.T, 0) is None


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_the_same_bits_for_any_number_of_threads(threads: int) -> None:
    before = rushlight.get_num_threads()
    x = np.random.default_rng(0).standard_normal((1030, 301))
    try:
        for dims in ((0,), (1,), (0, 1)):
            rushlight.set_num_threads(1)
            alone = reduce_native.reduced("add", x, dims)
            rushlight.set_num_threads(threads)
            np.testing.assert_array_equal(reduce_native.reduced("add", x, dims), alone)
    finally:
        rushlight.set_num_threads(before)
