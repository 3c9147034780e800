"""Average pooling by kernels against NumPy's road: windows, padding, layouts, types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels import runtime
from rushlight.kernels.pool import reference, select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")

WINDOWS = [  # size, kernel, stride, padding, ceil_mode, count_include_pad, divisor
    ((20,), (2,), (2,), (0,), False, True, None),
    ((37,), (3,), (2,), (1,), True, False, None),
    ((8, 16), (2, 2), (2, 2), (0, 0), False, True, None),
    ((9, 35), (3, 3), (1, 1), (1, 1), False, True, None),
    ((9, 35), (3, 2), (2, 3), (1, 1), True, False, None),
    ((7, 40), (1, 2), (3, 5), (0, 0), False, True, None),  # elements that no window holds
    ((6, 33), (4, 5), (1, 2), (2, 2), False, True, 3),
    ((4, 5, 18), (2, 3, 3), (2, 1, 2), (1, 1, 0), True, False, None),
]


@pytest.fixture(autouse=True)
def _every_size(limits: Any) -> Any:
    with limits(AVERAGE_POOL_LEAST=1):
        yield


def draw(seed: int, *shape: int, dtype: Any = np.float32) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def both(limits: Any, f: Any) -> None:
    """By a kernel and by NumPy."""
    got = f()
    with limits(AVERAGE_POOL_LEAST=1 << 60):
        wanted = f()
    assert got.shape == wanted.shape
    assert got.dtype == wanted.dtype
    eps = np.finfo(got.dtype).eps
    np.testing.assert_allclose(got, wanted, rtol=50 * eps, atol=50 * eps)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("case", WINDOWS)
def test_windows(case: Any, dtype: Any, limits: Any) -> None:
    size, kernel, stride, padding, ceil_mode, include, divisor = case
    d = len(size)
    out = reference.pool_size(size, kernel, stride, padding, (1,) * d, ceil_mode)
    x, g = draw(0, 3, 2, *size, dtype=dtype), draw(1, 3, 2, *out, dtype=dtype)
    rest = (stride, padding, out, include, divisor)
    key = (x.dtype, x.shape, x.strides, kernel, *rest)
    assert select.plan_avg_pool(*key).name == "avg_pool.windows"
    both(limits, lambda: select.avg_pool(x, kernel, *rest))
    both(limits, lambda: select.avg_pool(np.flip(x, -1), kernel, *rest))
    both(
        limits,
        lambda: select.avg_pool_input(g, size, kernel, stride, padding, include, divisor),
    )


@pytest.mark.parametrize(
    ("size", "out"),
    [((20,), (7,)), ((9, 35), (3, 8)), ((9, 35), (1, 1)), ((6, 8), (3, 4)), ((5, 6), (8, 20)),
     ((9, 35), (9, 5)), ((4, 5, 18), (2, 3, 7)), ((4, 5, 18), (1, 1, 1))],
)  # fmt: skip
def test_adaptive(size: Any, out: Any, limits: Any) -> None:
    x, g = draw(0, 5, 2, *size), draw(1, 5, 2, *out)
    both(limits, lambda: select.adaptive_avg(x, out))
    both(limits, lambda: select.adaptive_avg_input(g, size))


def test_not_a_number_stays_in_its_windows() -> None:
    x = np.zeros((1, 1, 6, 40), np.float32)
    x[0, 0, 3, 21] = np.nan
    y = select.avg_pool(x, (2, 2), (2, 2), (0, 0), (3, 20), True, None)
    assert np.argwhere(np.isnan(y)).tolist() == [[0, 0, 1, 10]]


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_the_same_bits_for_any_number_of_threads(threads: int) -> None:
    x = draw(0, 300, 17, 19)
    before = torch.get_num_threads()

    def everything() -> list[Any]:
        return [select.adaptive_avg(x, o) for o in ((1, 1), (5, 7))]

    try:
        torch.set_num_threads(1)
        alone = everything()
        torch.set_num_threads(threads)
        for a, b in zip(everything(), alone, strict=True):
            np.testing.assert_array_equal(a, b)
    finally:
        torch.set_num_threads(before)
