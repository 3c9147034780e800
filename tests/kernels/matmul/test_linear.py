"""The gradients of a linear layer in one plan have the bits of its two products."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.matmul import linear, select
from rushlight.kernels.reduce.select import add_leading
from tests.kernels.matmul.products import layer_gradients

NATIVE = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
RNG = np.random.default_rng(3)


def operands(lead: tuple[int, ...], n: int, k: int, dtype: Any = np.float32) -> list[Any]:
    """g, x and w."""
    shapes = (*lead, n), (*lead, k), (n, k)
    return [RNG.integers(-9, 9, s).astype(dtype) / 8 for s in shapes]


def one_by_one(g: Any, x: Any, w: Any) -> list[Any]:
    rows = g.reshape(-1, g.shape[-1]), x.reshape(-1, x.shape[-1])
    return [select.product(g, w), select.product(rows[0].T, rows[1])]


def same_bits(g: Any, x: Any, w: Any) -> None:
    found = layer_gradients(g, x, w, True)
    assert found is not None
    assert len(layer_gradients(g, x, w) or ()) == 2
    sums = add_leading(g, g.ndim - 1)
    for ours, wanted in zip(found, [*one_by_one(g, x, w), sums], strict=True):
        assert ours.dtype == wanted.dtype
        assert ours.strides == wanted.strides
        np.testing.assert_array_equal(ours, wanted)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("lead", "n", "k"),
    [
        ((2,), 3, 4),  # by NumPy
        ((16,), 16, 16),
        ((64,), 128, 96),
        ((1,), 300, 200),
        ((2, 7), 40, 30),
        ((3, 1, 5), 64, 17),
        ((4096,), 4, 8),  # in slices
        ((300,), 520, 260),  # packed
    ],
)
def test_bits_of_two_products(lead: tuple[int, ...], n: int, k: int, dtype: Any) -> None:
    same_bits(*operands(lead, n, k, dtype))


@NATIVE
def test_layouts() -> None:
    g, x, w = operands((64,), 48, 32)
    same_bits(np.asfortranarray(g), x, w)
    same_bits(g, x, np.asfortranarray(w))
    same_bits(np.broadcast_to(np.float32(2), g.shape), x, w)
    same_bits(g[::2], x[::2], w)
    g, x, w = operands((4, 32), 48, 32)
    same_bits(g, x, w)
    assert layer_gradients(g.transpose(1, 0, 2), x.transpose(1, 0, 2), w) is None


def test_slices_of_what_has_gaps() -> None:
    """NumPy adds the slices, and looks at how they lie."""
    g, x, w = operands((8192,), 4, 8)
    assert layer_gradients(g[::2], x[::2], w) is None or same_bits(g[::2], x[::2], w) is None


@NATIVE
def test_one_plan() -> None:
    g, x, w = operands((64,), 128, 96)
    key = [v for a in (g, x, w) for v in (a.dtype, a.shape, a.strides)]
    plan = linear.plan_gradients(*key)
    assert plan is not None
    ways = select.plan_product(g, w).way, select.plan_product(g.T, x).way
    assert plan.way == ", ".join(ways)
    assert plan.flops == 2 * 2 * 64 * 128 * 96
    assert linear.plan_gradients(*key) is plan


def test_no_elements() -> None:
    for lead in ((0,), (2, 0)):
        g, x, w = operands(lead, 3, 4)
        found = layer_gradients(g, x, w)
        if found is not None:
            for ours, wanted in zip(found, one_by_one(g, x, w), strict=True):
                np.testing.assert_array_equal(ours, wanted)


@pytest.mark.parametrize("lead", [(1,), (1, 1), (2,), (3, 1)])
def test_few_rows(lead: Any) -> None:
    """The gradient of a bias is memory of its own, of one row too."""
    g, x, w = operands(lead, 3, 4)
    found = layer_gradients(g, x, w, True)
    assert found is not None
    wanted = (*one_by_one(g, x, w), g.sum(axis=tuple(range(len(lead)))))
    for ours, one in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(ours, one)
        assert not np.shares_memory(ours, g)


@NATIVE
def test_the_gradient_of_a_bias_is_not_farther_from_float64(rng: np.random.Generator) -> None:
    """Than NumPy's sum of few rows."""
    ours = theirs = 0.0
    for _ in range(100):
        m, n = rng.integers(2, 70, 2)
        g = rng.standard_normal((m, n)).astype(np.float32) * 3
        x, w = np.zeros((m, 3), np.float32), np.zeros((n, 3), np.float32)
        found = layer_gradients(g, x, w, True)
        assert found is not None
        wanted = g.astype(np.float64).sum(0)
        ours += float(np.abs(found[2] - wanted).mean())
        theirs += float(np.abs(g.sum(0) - wanted).mean())
    assert ours <= theirs
