"""Triangles of matrices: a part of each line copied, the rest zeros."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels import runtime
from rushlight.kernels.copy import select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16, np.bool_, np.complex64])
@pytest.mark.parametrize("lower", [True, False])
def test_triangles(lower: bool, dtype: Any, rng: Any, by_threads: Any, on_pointers: Any) -> None:
    for shape in ((40, 40), (3, 70, 33), (2, 2, 5, 200), (300, 1)):
        x = (rng.standard_normal(shape) * 50).astype(dtype)
        for diagonal in (0, -3, 7, -500, 500, -(1 << 62), 1 << 62):
            plan = select.plan_triangle(x.dtype, shape, diagonal, lower)
            assert plan is not None
            y = by_threads(lambda plan=plan, x=x: plan.run(x))
            k = max(-600, min(diagonal, 600))
            wanted = np.tril(x, k) if lower else x - np.tril(x, k) if dtype != np.bool_ else (
                x & ~np.tri(*shape[-2:], k, bool)
            )  # fmt: skip
            np.testing.assert_array_equal(y, wanted)
            assert y.dtype == dtype
            assert on_pointers(plan, x).tobytes() == y.tobytes()


def test_what_has_no_kernel() -> None:
    assert select.plan_triangle(np.dtype(np.complex128), (40, 40), 0, True) is None
    assert select.plan_triangle(np.dtype(np.float32), (0, 40), 0, True) is None


@pytest.mark.parametrize("shape", [(40, 50), (2, 40, 50)])
def test_ops(shape: Any, rng: Any) -> None:
    """NaN outside leaves no trace; arrays that lie otherwise give the same."""
    x = rng.standard_normal(shape).astype(np.float32)
    x[..., 0, 49] = np.nan
    y = torch.tril(torch.from_numpy(x), -1)
    np.testing.assert_array_equal(y.numpy(), np.tril(np.nan_to_num(x), -1))
    turned = torch.from_numpy(np.asfortranarray(x))
    np.testing.assert_array_equal(torch.tril(turned, -1).numpy(), y.numpy())
    np.testing.assert_array_equal(torch.triu(turned, 2).numpy(), np.triu(x, 2))
