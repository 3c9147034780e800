"""Maximum pooling by kernels equals NumPy's, bit for bit: windows, strides, padding, NaN, ties."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.pool import reference, select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def everything(x: Any, how: tuple[Any, ...], out: Any, seed: int) -> list[Any]:
    kernel, stride, padding, dilation = how
    y = select.max_pool(x, kernel, stride, padding, dilation, out)
    taps = select.max_tap(x, y, kernel, stride, padding, dilation)
    g = np.random.default_rng(seed).integers(-8, 8, y.shape).astype(x.dtype)  # sums are exact
    dx = select.put_taps(g, taps, x.shape[2:], kernel, stride, padding, dilation)
    both = select.max_pool_input(g, y, x, kernel, stride, padding, dilation)
    np.testing.assert_array_equal(both, dx)
    return [y, taps, dx]


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 5))]
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_random_windows(seed: int, dtype: Any, limits: Any) -> None:
    rng = np.random.default_rng(seed)
    tried = 0
    for _ in range(15):
        d = int(rng.integers(1, 3))
        pick = lambda low, high, d=d: tuple(int(v) for v in rng.integers(low, high, d))  # noqa: E731
        kernel, stride, dilation = pick(1, 5), pick(1, 4), pick(1, 3)
        padding = tuple(int(rng.integers(0, k // 2 + 1)) for k in kernel)
        size = pick(3, 45)
        out = reference.pool_size(size, kernel, stride, padding, dilation, bool(rng.integers(2)))
        if min(out) < 1 or np.prod(kernel) == 1:
            continue
        x = rng.integers(-4, 4, (2, 3, *size)).astype(dtype)  # many equal values
        x[rng.random(x.shape) < 0.03] = np.nan
        if seed % 2:
            x[rng.random(x.shape) < 0.3] = -np.inf
        how = (kernel, stride, padding, dilation)
        with limits(MAX_POOL_LEAST=1):
            ours = everything(x, how, out, seed)
        with limits(MAX_POOL_LEAST=1 << 60):
            wanted = everything(x, how, out, seed)
        for a, b in zip(ours, wanted, strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)
        tried += 1
    assert tried


def test_the_last_vector_reads_no_further_than_its_line(limits: Any) -> None:
    big = np.full((1, 1, 4, 66), np.inf, np.float32)
    big[..., :64] = 1
    x = np.ascontiguousarray(big[..., :64])
    with limits(MAX_POOL_LEAST=1):
        y = select.max_pool(x, (2, 2), (2, 2), (0, 0), (1, 1), (2, 32))
    np.testing.assert_array_equal(y, np.ones((1, 1, 2, 32)))
