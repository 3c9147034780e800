"""Products with packed panels: odd sizes, strides, batches, biases, several blocks of K and N."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime
from rushlight.kernels.matmul import select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def plan_of(a: Any, b: Any) -> Any:
    return select.plan(a.dtype, a.shape, a.strides, b.dtype, b.shape, b.strides)


def check(a: Any, b: Any, way: str, on_pointers: Callable[..., Any]) -> None:
    """The plan goes this way; its error is that of rounding; threads and pointers change no bit."""
    plan = plan_of(a, b)
    assert plan.name == f"matmul.{way}"
    y = plan.run(a, b, None, 1.0, 0.0)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    size = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
    eps = np.finfo(a.dtype).eps * (2 if a.dtype == np.float64 else 1)
    assert (np.abs(y - exact) <= (a.shape[-1] + 2) * eps * size + 1e-300).all()
    before = rushlight.get_num_threads()
    try:
        for threads in (1, 2, 3):
            rushlight.set_num_threads(threads)
            np.testing.assert_array_equal(plan.run(a, b, None, 1.0, 0.0), y)
    finally:
        rushlight.set_num_threads(before)
    np.testing.assert_array_equal(on_pointers(plan, a, b, None, alpha=1.0, beta=0.0), y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("m", "k", "n"), [(257, 130, 129), (300, 513, 200), (400, 70, 1100), (130, 200, 513)]
)
def test_against_float64(
    m: int, k: int, n: int, dtype: Any, rng: np.random.Generator, on_pointers: Any, limits: Any
) -> None:
    with limits(MATMUL_LEAST_PACKED=1, MATMUL_AMX_LEAST=1 << 60):
        for turned in (False, True):
            a = rng.standard_normal((m, k)).astype(dtype)
            b = rng.standard_normal((n, k) if turned else (k, n)).astype(dtype)
            check(a, b.T if turned else b, "gemm", on_pointers)


def test_a_batch(rng: np.random.Generator, on_pointers: Any, limits: Any) -> None:
    with limits(MATMUL_LEAST_PACKED=1, MATMUL_AMX_LEAST=1 << 60):
        a = rng.standard_normal((3, 260, 40)).astype(np.float32)
        b = rng.standard_normal((3, 40, 150)).astype(np.float32)
        check(a, b, "gemm", on_pointers)


def test_a_bias_belongs_to_the_first_block(rng: np.random.Generator, limits: Any) -> None:
    with limits(MATMUL_LEAST_PACKED=1, MATMUL_AMX_LEAST=1 << 60):
        x, w = rng.standard_normal((300, 600)), rng.standard_normal((600, 140))
        bias = rng.standard_normal(140)
        y = select.linear(x, w, bias)
        np.testing.assert_allclose(y, x @ w + bias, rtol=1e-12, atol=1e-11)
