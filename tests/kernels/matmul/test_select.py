"""Our product against float64, over shapes, strides, batches and numbers of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime, tuning
from rushlight.kernels.keys import forget_plans
from rushlight.kernels.matmul import select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.fixture(autouse=True)
def _every_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "MATMUL_LEAST_WORK", 1)
    forget_plans()  # plans of the usual choice are not those of this one


def laid_out(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any, how: int) -> np.ndarray:
    """Random numbers: contiguous, transposed, with gaps, reversed, or broadcast."""
    if how == 1:
        turned = rng.standard_normal((*shape[:-2], shape[-1], shape[-2])).astype(dtype)
        return turned.swapaxes(-1, -2)
    if how == 2:
        wide = rng.standard_normal((*shape[:-2], 2 * shape[-2], 3 * shape[-1])).astype(dtype)
        return wide[..., ::2, ::3]
    x = rng.standard_normal(shape).astype(dtype)
    if how == 3:
        return x[..., ::-1, ::-1]
    if how == 4:
        return np.broadcast_to(x[..., :1, :], shape)
    return x


def native(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether a kernel computes a @ b."""
    plan = select.plan(a.dtype, a.shape, a.strides, b.dtype, b.shape, b.strides)
    return plan.name != select.NUMPY


def check(a: np.ndarray, b: np.ndarray, bias: np.ndarray | None = None) -> None:
    assert native(a, b)
    got = select.linear(a, b, bias)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    size = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
    if bias is not None:
        exact = exact + bias
        size = size + np.abs(bias)
    # each product and each sum is rounded once: K rounding errors at the very most
    bound = (a.shape[-1] + 2) * np.finfo(a.dtype).eps * size
    if a.dtype == np.float64:
        bound *= 2  # the reference is rounded too
    assert got.dtype == a.dtype
    assert (np.abs(got - exact) <= bound + 1e-300).all()
    if a.dtype == np.float32 and size.size:  # and in practice far fewer
        assert np.abs(got - exact).max() <= 0.1 * bound.max() + 1e-6 * size.max()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_random_shapes_and_strides(seed: int, dtype: Any) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(30):
        m, n, k = (int(v) for v in rng.integers(1, [70, 140, 90]))
        if rng.random() < 0.2:
            k = int(rng.integers(255, 700))
        a = laid_out(rng, (m, k), dtype, int(rng.integers(5)))
        b = laid_out(rng, (k, n), dtype, int(rng.integers(5)))
        bias = rng.standard_normal(n).astype(dtype) if rng.random() < 0.5 else None
        check(a, b, bias)


@pytest.mark.parametrize("n", [1024, 1025, 1056, 2100])
def test_several_blocks_of_columns(n: int) -> None:
    rng = np.random.default_rng(n)
    check(*(rng.standard_normal(s).astype(np.float32) for s in ((9, 300), (300, n))))


@pytest.mark.parametrize(
    "shapes",
    [
        ((5, 7, 20), (5, 20, 33)),
        ((2, 3, 7, 20), (2, 3, 20, 33)),
        ((5, 7, 20), (20, 33)),
        ((7, 20), (5, 20, 33)),
        ((5, 1, 7, 20), (4, 20, 33)),
        ((40, 64, 64), (40, 64, 64)),
    ],
)
@pytest.mark.parametrize("how", range(5))
def test_batches(shapes: Any, how: int) -> None:
    rng = np.random.default_rng(how)
    a, b = (laid_out(rng, s, np.float32, how) for s in shapes)
    assert select.product(a, b).shape == (a @ b).shape
    if native(a, b):
        check(a, b)


ROADS = {  # one problem for each way to compute a product
    "dots": ((3, 100), (100, 70)),
    "dots turned": ((70, 100), (100, 2)),
    "a tile": ((5, 9), (9, 7)),
    "tiles": ((75, 200), (200, 130)),
    "packed": ((280, 100), (100, 150)),
    "sliced": ((3, 5000), (5000, 7)),
    "a sum": ((70001,), (70001,)),
    "row times matrix": ((300,), (300, 200)),
    "matrix times column": ((200, 300), (300,)),
    "heads": ((3, 4, 20, 8), (3, 4, 8, 20)),
    "three dims that do not merge": ((2, 3, 2, 6, 8), (2, 1, 2, 8, 7)),
    "a stack times a vector": ((4, 30, 20), (20,)),
    "a vector times a stack": ((30,), (4, 30, 20)),
}


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("transposed", [0, 1, 2, 3])
def test_something_added(
    road: str, transposed: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """beta * d + alpha * (a @ b), for each d that broadcasts to the product."""
    monkeypatch.setattr(tuning, "MATMUL_LEAST_PACKED", 1 << 20)

    def operand(shape: tuple[int, ...], turned: int) -> np.ndarray:
        x = rng.standard_normal(shape).astype(np.float32)
        if len(shape) < 2 or not turned:
            return x
        if len(shape) > 3:  # heads that lie within positions
            return np.ascontiguousarray(x.swapaxes(-2, -3)).swapaxes(-2, -3)
        return np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)

    a, b = (operand(s, transposed & t) for s, t in zip(ROADS[road], (1, 2), strict=True))
    exact = a.astype(np.float64) @ b.astype(np.float64)
    size = np.abs(a.astype(np.float64)) @ np.abs(b)
    eps = np.finfo(np.float32).eps
    shapes = {(1,) * len(exact.shape), exact.shape, exact.shape[-1:], (*exact.shape[:-1], 1)}
    for shape in [s for s in shapes if len(s) <= exact.ndim]:
        for beta, alpha in ((1, 1), (-0.5, 2.0)):
            d = operand(shape, transposed & 1)
            y = select.added(d, a, b, beta, alpha)
            assert y is not None
            assert y.shape == exact.shape
            bound = (a.shape[-1] + 4) * eps * (2 * size + np.abs(d))
            assert (np.abs(y - (alpha * exact + beta * d)) <= bound).all()
    assert select.added(rng.standard_normal((2, *exact.shape)).astype("f"), a, b) is None
    assert select.added(np.ones(exact.shape), a, b) is None


@pytest.mark.parametrize("road", ROADS)
def test_threads_change_no_bit(
    road: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "MATMUL_LEAST_PACKED", 1 << 20)
    a, b = (rng.standard_normal(s).astype(np.float32) for s in ROADS[road])
    before = rushlight.get_num_threads()
    try:
        rushlight.set_num_threads(1)
        alone = select.product(a, b)
        for threads in (2, 3, 8):
            rushlight.set_num_threads(threads)
            np.testing.assert_array_equal(select.product(a, b), alone)
    finally:
        rushlight.set_num_threads(before)


def test_what_is_left_to_numpy() -> None:
    x = np.ones((4, 4), np.float32)
    assert not native(x, x.astype(np.float64))
    assert not native(x.astype(bool), x.astype(bool))
    assert not native(x.astype(np.int64), x)
    assert not native(x[:0], x)
    assert not native(x[:, :0], x[:0])
    packed = np.zeros(4, [("a", "f4"), ("b", "i1")])["a"]  # strides of five bytes
    assert not native(np.lib.stride_tricks.as_strided(packed, (2, 2), (5, 10)), x[:2, :2])


def test_special_values_reach_the_result_where_they_should() -> None:
    a, b = np.ones((20, 40), np.float32), np.ones((40, 50), np.float32)
    a[3, 5], b[7, 9] = np.nan, np.inf
    y = select.product(a, b)
    assert np.isnan(y[3]).all()
    assert np.isinf(y[[0, 19], 9]).all()
    assert (np.delete(np.delete(y, 3, 0), 9, 1) == 40).all()


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_the_same_bits_for_any_number_of_threads(threads: int) -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(s).astype(np.float32) for s in ((130, 600), (600, 1100)))
    before = rushlight.get_num_threads()
    try:
        rushlight.set_num_threads(1)
        alone = select.product(a, b)
        rushlight.set_num_threads(threads)
        np.testing.assert_array_equal(select.product(a, b), alone)
    finally:
        rushlight.set_num_threads(before)


@pytest.mark.parametrize(("count", "rows"), [(40, 3), (128, 8), (3, 40), (70, 20)])
@pytest.mark.parametrize("bias", [False, True])
def test_batches_that_lie_first(
    count: int, rows: int, bias: bool, rng: np.random.Generator
) -> None:
    """(T, B, C) of what lies as (B, T, C), as in attention: the longer of the two is the rows, and
    the bits are those of what lies in order."""
    x = rng.standard_normal((rows, count, 96), np.float32).swapaxes(0, 1)
    w, b = rng.standard_normal((160, 96), np.float32).T, rng.standard_normal(160, np.float32)
    y = select.linear(x, w, b if bias else None)
    np.testing.assert_allclose(y, x @ w + (b if bias else 0), rtol=1e-4, atol=1e-4)
    if count > rows:
        dense = select.linear(np.ascontiguousarray(x), w, b if bias else None)
        np.testing.assert_array_equal(y, dense)
