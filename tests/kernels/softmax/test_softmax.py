"""Softmax by kernels against float64, over lengths, dimensions, types, layouts and extremes."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels import runtime
from rushlight.kernels.softmax import select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
LENGTHS = [1, 2, 7, 15, 16, 17, 63, 64, 65, 130, 1000]


@pytest.fixture(autouse=True)
def _every_size(limits: Any) -> Any:
    with limits(SOFTMAX_LEAST=1, NORM_LEAST=1):
        yield


def draw(seed: int, *shape: int, dtype: Any = np.float32) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def close(got: Any, wanted: Any, scale: float = 1.0) -> None:
    assert got is not None
    assert got.shape == wanted.shape
    eps = np.finfo(got.dtype).eps
    top = np.abs(wanted).max(initial=1e-30)
    np.testing.assert_allclose(got, wanted, rtol=60 * eps * scale, atol=20 * eps * scale * top)


def soft(x: Any) -> Any:
    x = x.astype(np.float64)
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_softmax_family(n: int, dtype: Any) -> None:
    x, g = 5 * draw(0, 9, n, dtype=dtype), draw(1, 9, n, dtype=dtype)
    y = soft(x)
    close(select.softmax(x, -1), y)
    close(select.log_softmax(x, 1), np.log(y))
    wide = g.astype(np.float64)
    narrow = y.astype(dtype)
    close(select.softmax_grad(g, narrow, -1), y * (wide - (wide * y).sum(-1, keepdims=True)), 4)
    log = np.log(y).astype(dtype)
    close(select.log_softmax_grad(g, log, -1), wide - y * wide.sum(-1, keepdims=True), 8)


def test_softmax_of_extremes() -> None:
    inf, nan = np.inf, np.nan
    x = np.array([[1e30, -1e30, 0], [-inf, 0, 0], [nan, 1, 2], [1, nan, 2], [-inf] * 3], np.float32)
    y, log = select.softmax(x, -1), select.log_softmax(x, -1)
    assert y is not None
    assert log is not None
    np.testing.assert_array_equal(y[:2], [[1, 0, 0], [0, 0.5, 0.5]])
    assert np.isnan(y[2:]).all()
    assert np.isnan(log[2:]).all()
    assert log[1, 0] == -inf


@pytest.mark.parametrize("inner", [1, 3, 8, 17, 64, 65, 200])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_softmax_along_an_earlier_dimension(inner: int, dtype: Any) -> None:
    x, g = 5 * draw(0, 3, 7, inner, dtype=dtype), draw(1, 3, 7, inner, dtype=dtype)
    last = lambda a: np.moveaxis(a, 1, -1)  # noqa: E731
    y = np.ascontiguousarray(last(soft(last(x))))
    log, narrow = np.log(y).astype(dtype), y.astype(dtype)
    close(select.softmax(x, 1), y)
    close(select.log_softmax(x, -2), np.log(y))
    wide = g.astype(np.float64)
    close(select.softmax_grad(g, narrow, 1), y * (wide - (wide * y).sum(1, keepdims=True)), 4)
    close(select.log_softmax_grad(g, log, 1), wide - y * wide.sum(1, keepdims=True), 8)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("n", [5, 16, 100])
def test_softmax_of_narrow_types_is_computed_in_float32(n: int, dtype: Any) -> None:
    """Rounded once, at the end: the numbers are those of float32, rounded."""
    x, g = (3 * draw(k, 40, n).astype(dtype) for k in (0, 1))
    for f in (select.softmax, select.log_softmax):
        y = f(x, -1)
        assert y is not None
        assert y.dtype == dtype
        np.testing.assert_array_equal(y, f(x.astype(np.float32), -1).astype(dtype))
    y = select.log_softmax(x, -1)
    dx = select.log_softmax_grad(g, y, -1)
    expected = select.log_softmax_grad(g.astype(np.float32), y.astype(np.float32), -1)
    np.testing.assert_array_equal(dx, expected.astype(dtype))


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_every_number_of_a_narrow_type_is_read_and_rounded_right(dtype: Any) -> None:
    """The gradient of log_softmax at -infinity is g - 0 * g: g itself, bit by bit."""
    every = np.arange(1 << 16, dtype=np.uint16).view(dtype).reshape(-1, 16)
    finite = np.isfinite(every.astype(np.float32))
    one = np.where(finite, every, dtype(0)).reshape(-1, 1)
    back = select.log_softmax_grad(one, np.full_like(one, -np.inf), -1)
    assert back is not None
    np.testing.assert_array_equal(back.view(np.uint16) & 0x7FFF, one.view(np.uint16) & 0x7FFF)
    np.testing.assert_array_equal(select.log_softmax(one, -1), np.zeros_like(one))


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_the_same_bits_for_any_number_of_threads(threads: int) -> None:
    x, planes = draw(0, 700, 90), draw(1, 7, 30, 90)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        alone = select.softmax(x, -1), select.softmax(planes, 1)
        torch.set_num_threads(threads)
        for a, b in zip((select.softmax(x, -1), select.softmax(planes, 1)), alone, strict=True):
            np.testing.assert_array_equal(a, b)
    finally:
        torch.set_num_threads(before)


@pytest.mark.slow
def test_layers_pass_gradcheck_through_kernels() -> None:
    torch.manual_seed(0)
    x = torch.randn(4, 6, 5, dtype=torch.float64, requires_grad=True)
    F = torch.nn.functional
    for f in (
        lambda t: F.softmax(t, -1),
        lambda t: F.log_softmax(t, -1),
        lambda t: F.layer_norm(t, (5,)),
        lambda t: F.batch_norm(t, None, None, training=True),
        lambda t: F.group_norm(t, 2),
        lambda t: F.instance_norm(t),
    ):
        assert torch.autograd.gradcheck(f, (x,))
        assert torch.autograd.gradgradcheck(f, (x,))
