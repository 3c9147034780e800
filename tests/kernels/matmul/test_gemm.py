"""Products with packed panels: odd sizes, strides, batches, biases, several blocks of K and N."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.matmul import select

from .products import check

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


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
