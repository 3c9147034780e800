"""A matrix that stays packed, for many products."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.matmul.packed import Packed

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.mark.parametrize(("k", "n"), [(1, 1), (300, 40), (513, 1100)])
def test_a_matrix_packed_once(k: int, n: int) -> None:
    rng = np.random.default_rng(k)
    b, a = rng.standard_normal((n, k)).T, rng.standard_normal((9, k))
    bias, c = rng.standard_normal(n), rng.standard_normal((9, n))
    first = c.copy()
    packed = Packed(b)
    packed.into(a, c, accumulate=True)
    np.testing.assert_allclose(c, first + a @ b, atol=1e-9)
    packed.into(a, c, bias)
    np.testing.assert_allclose(c, a @ b + bias, atol=1e-9)
