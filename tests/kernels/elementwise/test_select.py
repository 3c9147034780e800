"""Which way computes a call of a formula: over layouts, operands that broadcast, and exponents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime
from rushlight.ops.core.record import registry

pytestmark = [
    pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0"),
    pytest.mark.usefixtures("every_size"),
]


@pytest.mark.parametrize(
    "layout", ["dense", "transposed", "channels_last", "strided", "broadcast", "empty", "one"]
)
def test_layouts(layout: str) -> None:
    x = np.linspace(-3, 3, 120, dtype=np.float32)
    a: Any = {
        "dense": x.reshape(2, 3, 4, 5),
        "transposed": x.reshape(10, 12).T,
        "channels_last": x.reshape(2, 4, 5, 3).transpose(0, 3, 1, 2),
        "strided": x[::2],
        "broadcast": np.broadcast_to(x[:5], (4, 5)),
        "empty": x[:0],
        "one": x[:1].reshape(1, 1, 1),
    }[layout]
    silu = registry["silu"]
    got = silu.fn(a)
    np.testing.assert_allclose(got, a / (1 + np.exp(-a)), rtol=1e-5, atol=1e-7)
    assert got.shape == a.shape


def test_mixed_operands() -> None:
    lerp = registry["lerp"]
    a, b = np.arange(8, dtype=np.float32), np.ones(8, np.float32)
    for weight in (np.float32(0.25), np.array(0.25, np.float32), np.full(8, 0.25, np.float32)):
        np.testing.assert_allclose(lerp.fn(a, b, weight), a + 0.25 * (b - a))
    np.testing.assert_allclose(lerp.fn(a[:, None], b[None], a[:, None]).shape, (8, 8))


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_the_same_bits_for_any_number_of_threads(threads: int) -> None:
    before = rushlight.get_num_threads()
    x = np.linspace(-6, 6, 100_003, dtype=np.float32)
    try:
        rushlight.set_num_threads(1)
        alone = registry["mish"].fn(x)
        rushlight.set_num_threads(threads)
        np.testing.assert_array_equal(registry["mish"].fn(x), alone)
    finally:
        rushlight.set_num_threads(before)


def test_gradients_pass_gradcheck_through_kernels() -> None:
    rushlight.manual_seed(0)
    x = rushlight.randn(5, 7, dtype=rushlight.float64, requires_grad=True)
    for f in (rushlight.nn.functional.gelu, rushlight.sigmoid, rushlight.nn.functional.mish):
        assert rushlight.autograd.gradcheck(f, (x,))
        assert rushlight.autograd.gradgradcheck(f, (x,))


@pytest.mark.parametrize("exponent", [2, 3, 0.5, -1, -2, 1])
def test_exponents_that_are_products(exponent: float) -> None:
    """Powers and their slopes by products, as NumPy computes them, also of negative numbers."""
    x = np.linspace(-3, 3, 4001, dtype=np.float32)
    op = registry["pow"]
    known = op.fn.planned
    b = np.array(exponent, np.float32)
    with np.errstate(all="ignore"):
        got = known(x, b)
        np.testing.assert_allclose(got, op.formula(x, b), rtol=3e-7)
        rule = op.get_rules()[0]
        slope = op.plain_node.rules[0].planned
        got = slope(x, x, x, b)
        np.testing.assert_allclose(got, rule(x, None, x, b), rtol=6e-7)
    assert "x3" not in slope.plan(x, x, x, b).launches[0].arrays  # the exponent is in the code
    assert known.plan(x, b).operands == ("x0", "x1")
    assert known.plan(x, b).launches[0].arrays == ("x0", "y")
