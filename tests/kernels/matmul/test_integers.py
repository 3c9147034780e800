"""Products of integers: those of NumPy and PyTorch, which wrap around, by kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime
from rushlight.kernels.matmul import select

from .test_small_gemm import laid

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
TYPES = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
SIZES = [(1, 1, 1), (1, 70, 1), (1, 200, 300), (17, 31, 23), (49, 129, 7), (300, 5, 1), (3, 40, 99)]


def drawn(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> Any:
    """Numbers of the whole range of a type, so that products and sums wrap around."""
    bounds = np.iinfo(dtype)
    return rng.integers(bounds.min, bounds.max, shape, dtype, endpoint=True)


def wanted(a: Any, b: Any) -> Any:
    """The product by NumPy in 64 bits, whose low bits are those of every narrower type."""
    return np.matmul(a.astype(np.uint64), b.astype(np.uint64)).astype(a.dtype)


def same(a: Any, b: Any) -> None:
    made = select.plan_product(a, b)
    assert made.name != select.NUMPY
    y, want = select.product(a, b), wanted(a, b)
    assert y.dtype == a.dtype
    assert y.strides == want.strides
    np.testing.assert_array_equal(y, want)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("of_a", ["rows", "transposed", "gaps"])
@pytest.mark.parametrize("of_b", ["rows", "transposed", "gaps"])
def test_layouts(of_a: str, of_b: str, dtype: Any, rng: np.random.Generator) -> None:
    for m, k, n in SIZES:
        same(laid(drawn(rng, (m, k), dtype), of_a), laid(drawn(rng, (k, n), dtype), of_b))


@pytest.mark.parametrize("dtype", TYPES)
def test_batches_and_vectors(dtype: Any, rng: np.random.Generator) -> None:
    a, b = drawn(rng, (5, 3, 10, 20), dtype), drawn(rng, (3, 20, 7), dtype)
    same(a, b)
    same(a, b[0])
    same(np.broadcast_to(a[0, 0], (4, 10, 20)), b[0])
    same(a[0, 0], b[0, :, 0])
    same(b[0, :, 0], b[1])
    long = drawn(rng, (5000,), dtype)  # no slices of k: sums of parts would be of another type
    same(long, long)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.int64, np.int16, np.int8])
def test_packed_ones(dtype: Any, rng: np.random.Generator, by_threads: Any) -> None:
    a, b = drawn(rng, (300, 140), dtype), drawn(rng, (140, 530), dtype)
    way = "widened" if a.dtype in select.WIDENED else "gemm"
    assert select.plan_product(a, b).name == f"matmul.{way}"
    np.testing.assert_array_equal(by_threads(lambda: select.product(a, b)), wanted(a, b))


@pytest.mark.parametrize("name", ["int8", "uint8", "int16", "int32", "int64"])
def test_as_pytorch(name: str, rng: np.random.Generator) -> None:
    torch = pytest.importorskip("torch")
    a, b = (drawn(rng, shape, np.dtype(name)) for shape in ((4, 30, 20), (4, 20, 9)))
    c = drawn(rng, (30, 9), np.dtype(name))
    results = []
    for t in (torch, rushlight):
        x, y, z = t.from_numpy(a), t.from_numpy(b), t.from_numpy(c)
        linear = t.nn.functional.linear(x[0], y[0].T.contiguous())
        more = t.addmm(z, x[0], y[0]), t.addmm(z, x[0], y[0], beta=3, alpha=2)
        results.append([x @ y, x[0] @ y[0], t.mv(x[0], y[0][:, 0]), t.bmm(x, y), linear, *more])
    for want, have in zip(*results, strict=True):
        assert str(have.dtype) == str(want.dtype)
        np.testing.assert_array_equal(have.numpy(), want.numpy())


@pytest.mark.parametrize("dtype", TYPES)
def test_a_bias_is_added(dtype: Any, rng: np.random.Generator) -> None:
    x, w, b = (drawn(rng, shape, dtype) for shape in ((6, 30), (30, 8), (16,)))
    for bias in (b[:8], b[::2]):
        np.testing.assert_array_equal(select.linear(x, w, bias), wanted(x, w) + bias)
