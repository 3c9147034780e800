"""Softmax and its like: which kernel computes them, by metadata alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.meta import MetaArray
from rushlight.kernels.softmax import select

NATIVE = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def plan_of(name: str, x: Any, dim: int = -1) -> Any:
    return select.plan(name, x.dtype, x.shape, x.strides, dim)


def test_a_gradient_in_another_layout(rng: np.random.Generator) -> None:
    g, y = (rng.standard_normal(s).astype(np.float32) for s in ((40, 60), (60, 40)))
    g = g.T
    plain = np.ascontiguousarray(g)
    np.testing.assert_array_equal(select.softmax_grad(g, y, 1), select.softmax_grad(plain, y, 1))


@NATIVE
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_the_limit(name: str, limits: Any) -> None:
    """Kernels from so many elements on; which one, the dimension says."""
    x = np.empty((4, 8), np.float32)
    for least, ways in ((32, ("rows", "columns")), (33, ("numpy", "numpy"))):
        with limits(SOFTMAX_LEAST=least):
            assert tuple(plan_of(name, x, d).way for d in (1, 0)) == ways
            grad = select.plan_grad(name, x.dtype, x.shape, x.dtype, x.strides, x.strides, 1)
            assert grad.name == f"{name}_grad.{ways[0]}"


def test_what_numpy_does(limits: Any) -> None:
    """Types without kernels, gradients of another type, nothing at all."""
    with limits(SOFTMAX_LEAST=0):
        for x in (np.empty((4, 99), np.complex64), np.empty((0, 99), np.float32)):
            assert plan_of("softmax", x).way == "numpy"
        single, double = np.dtype("f4"), np.dtype("f8")
        mixed = select.plan_grad("softmax", single, (4, 99), double, (792, 8), (396, 4), 1)
        assert mixed.way == "numpy"
    assert select.softmax(np.empty((0, 3), np.float32), 1).shape == (0, 3)
    assert select.log_softmax(np.empty((3, 0), np.float32), 1).shape == (3, 0)


def test_a_plan_is_made_of_metadata_and_kept(limits: Any) -> None:
    """The memory is never touched: there is one number for all elements."""
    x = MetaArray((300, 70), np.float32, (4, 1200)).standin()
    with limits():
        made = plan_of("softmax", x)
        assert plan_of("softmax", x) is made
        assert plan_of("softmax", x, -2) is not made
        assert made.outputs["y"].shape == (300, 70)
        assert made.flops == 5 * 300 * 70
        assert made.bytes == 2 * 4 * 300 * 70


def test_dimensions_that_are_none() -> None:
    with pytest.raises(IndexError, match="out of range"):
        select.softmax(np.ones((3, 4)), 2)
