"""What every road of a product has to show; read by the tests beside this file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import rushlight
from rushlight.kernels.matmul import select


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
