"""Depthwise kernels against NumPy's, over dimensions, strides, paddings and multipliers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime
from rushlight.kernels.conv import reference, select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.fixture(autouse=True)
def _every_size(limits: Any) -> Iterator[None]:
    with limits(DEPTHWISE_LEAST=1):
        yield


def three(x: Any, w: Any, b: Any, g: Any, how: tuple[Any, ...]) -> tuple[Any, ...]:
    """Result, gradient of the input, gradient of the weight."""
    given = (*how, x.shape[1])
    return (
        select.forward(x, w, b, *given),
        select.input_gradient(g, w, x.shape[2:], *given),
        select.weight_gradient(x, g, w.shape[2:], *given),
    )


def slow(x: Any, w: Any, b: Any, g: Any, how: tuple[Any, ...]) -> tuple[Any, ...]:
    """What NumPy makes of it."""
    given = (*how, x.shape[1])
    return (
        reference.forward(x, w, b, *given),
        reference.input_gradient(g, w, x.shape[2:], *given),
        reference.weight_gradient(x, g, w.shape[2:], *given),
    )


def operands(
    rng: np.random.Generator, dtype: Any, n: int, c: int, many: int, size: Any, kernel: Any,
    how: tuple[Any, ...],
) -> tuple[Any, ...]:  # fmt: skip
    draw = lambda *shape: rng.standard_normal(shape).astype(dtype)  # noqa: E731
    out = reference.out_size(size, kernel, *how)
    x, w = draw(n, c, *size), draw(c * many, 1, *kernel)
    return x, w, draw(c * many), draw(n, c * many, *out)


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 4))]
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_random_problems(seed: int, dtype: Any) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(4):
        dims = int(rng.integers(1, 3))
        pick = lambda low, high: tuple(int(v) for v in rng.integers(low, high, dims))  # noqa: E731, B023
        how = (pick(1, 5), pick(0, 4), pick(1, 3))
        kernel, size = pick(1, 5), pick(8, 40)
        if min(reference.out_size(size, kernel, *how)) < 1:
            continue
        n, c, many = (int(rng.integers(*r)) for r in ((1, 4), (2, 6), (1, 4)))
        given = operands(rng, dtype, n, c, many, size, kernel, how)
        wanted = slow(*(a.astype(np.float64) for a in given), how)
        for a, b in zip(three(*given, how), wanted, strict=True):
            assert a.shape == b.shape
            assert a.dtype == dtype
            limit = 1e-5 if dtype == np.float32 else 1e-13
            assert np.abs(a - b).max() <= limit * max(1e-3, np.abs(b).max()), (kernel, size, how)


@pytest.mark.parametrize("stride", [1, 2, 3])
def test_infinities_and_nan_stay_where_they_belong(stride: int) -> None:
    rng = np.random.default_rng(0)
    how = ((stride, stride), (1, 1), (1, 1))
    x, w, b, g = operands(rng, np.float32, 2, 5, 1, (9, 23), (3, 3), how)
    x[0, 0, 8, 22] = np.inf  # the last column: a lane beyond the outputs may see it
    x[1, 1, 4, 4] = np.nan
    w[2, 0, 0, 0] = np.inf  # meets the padding
    g[0, 3, -1, -1] = np.nan
    with np.errstate(invalid="ignore"):
        wanted = slow(x, w, b, g, how)
    for i, (a, r) in enumerate(zip(three(x, w, b, g, how), wanted, strict=True)):
        if i != 1:
            np.testing.assert_array_equal(np.isnan(a), np.isnan(r))
        np.testing.assert_allclose(a[:, 3:], r[:, 3:], rtol=1e-4, atol=1e-4)


def test_operands_may_be_views() -> None:
    rng = np.random.default_rng(0)
    how = ((1, 2), (1, 1), (1, 1))
    x, w, b, g = operands(rng, np.float64, 3, 4, 1, (9, 11), (3, 3), how)
    turned = [np.asfortranarray(a) for a in (x, w, b, g)]
    for a, r in zip(three(*turned, how), slow(x, w, b, g, how), strict=True):
        np.testing.assert_allclose(a, r, atol=1e-12)


def test_a_kernel_larger_than_the_image() -> None:
    rng = np.random.default_rng(0)
    for size, kernel, padding in (((2, 3), (5, 5), (3, 2)), ((1, 1), (3, 3), (1, 1))):
        how = ((1, 1), padding, (1, 1))
        given = operands(rng, np.float64, 2, 3, 2, size, kernel, how)
        for a, r in zip(three(*given, how), slow(*given, how), strict=True):
            np.testing.assert_allclose(a, r, atol=1e-12)


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_the_same_bits_for_any_number_of_threads(threads: int) -> None:
    rng = np.random.default_rng(0)
    how = ((2, 2), (1, 1), (1, 1))
    given = operands(rng, np.float32, 6, 24, 1, (45, 45), (3, 3), how)
    before = rushlight.get_num_threads()
    try:
        rushlight.set_num_threads(1)
        alone = three(*given, how)
        rushlight.set_num_threads(threads)
        for a, b in zip(three(*given, how), alone, strict=True):
            np.testing.assert_array_equal(a, b)
    finally:
        rushlight.set_num_threads(before)
