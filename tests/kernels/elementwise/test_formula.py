"""Formulas as functions of arrays: what is found again, numbers, narrow operands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime
from rushlight.kernels.elementwise import formula
from rushlight.kernels.elementwise.lowered import LOW
from rushlight.ops.core.record import registry

pytestmark = [
    pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0"),
    pytest.mark.usefixtures("every_size"),
]


@pytest.mark.parametrize("name", ["leaky_relu", "elu", "hardtanh", "softplus", "celu", "threshold"])
def test_one_kernel_serves_all_constants(name: str) -> None:
    """Forward and rule, given as floats and as ints, agree with NumPy and are two kernels each."""
    rng = np.random.default_rng(0)
    op = registry[name]
    x, g = rng.uniform(-3, 3, (2, 100)).astype(np.float32)
    rule = op.get_rules()[0]
    forward, backward = formula.Formula(op.formula, name), formula.Formula(rule, name)
    for k in range(70):
        kw: dict[str, Any] = {n: float(rng.uniform(0.1, 2)) for n in op.defaults}
        if k % 10 == 0:
            kw = {n: k + 1 for n in op.defaults}
        y = op.formula(x, **kw)
        got = forward(x, **kw)
        np.testing.assert_allclose(got, y, rtol=1e-6, atol=1e-7)
        picked = {n: kw[n] for n in (op.rule_names[0] if op.rule_names else ())}
        got = backward(g, y, x, **picked)
        np.testing.assert_allclose(got, rule(g, y, x, **picked), rtol=1e-6, atol=1e-7)
    assert len(forward.lowered) == len(backward.lowered) == 2
    assert all(forward.lowered.values())
    assert all(backward.lowered.values())


def test_a_stand_in_beside_a_large_array_is_refused() -> None:
    """A kernel would read memory that is not there."""
    x = rushlight.ones(1 << 20)
    y = x * rushlight.ones(1 << 20, device="meta")
    assert y.is_meta
    assert y.shape == x.shape


@pytest.mark.parametrize("low", LOW)
def test_narrow_operands_at_any_place_are_computed_wide(low: Any) -> None:
    """The result is of the first narrow type; what is given beside it stays as it is."""
    seen = []

    def product(a: Any, b: Any) -> Any:
        seen.append((a.dtype, b.dtype))
        return a * b

    fused = formula.fuse(product, "product_of_two", alone=False)
    wide, narrow = np.ones(3, np.float32), np.ones(3, low)
    for given in ((wide, narrow), (narrow, wide), (narrow, narrow)):
        assert fused(*given).dtype == low
    assert set(seen) == {(np.dtype(np.float32),) * 2}
    assert fused(wide, wide).dtype == np.float32


def test_what_is_found_is_what_was_chosen(limits: Any) -> None:
    """A plan that is made of few elements is not for calls that NumPy computes: whether a kernel
    does is a matter of sizes, never of what was called before."""
    sigmoid = registry["sigmoid"]
    x = np.linspace(-9, 9, 13, dtype=np.float32)
    by_numpy = sigmoid.fn(x)
    by_kernel = sigmoid.fn.planned(x)
    assert by_numpy.tobytes() == sigmoid.fn(x).tobytes()
    with limits(ELEMENTWISE_LEAST=1, ELEMENTWISE_FUNCTION_LEAST=1, ELEMENTWISE_STEPS_LEAST=1):
        for _ in range(2):
            np.testing.assert_array_max_ulp(sigmoid.fn(x), by_kernel, 8)
    assert by_numpy.tobytes() == sigmoid.fn(x).tobytes()


def test_numbers_are_not_part_of_what_is_found() -> None:
    slope = registry["leaky_relu"].fn
    large = np.linspace(-1, 1, 50000, dtype=np.float32)
    for number in (0.1, 0.25, 3.0):
        for _ in range(2):
            y = slope(large, negative_slope=number)
            np.testing.assert_array_equal(y, np.where(large > 0, large, large * np.float32(number)))
    before = len(slope.planned.runs)
    slope(large, negative_slope=0.7)
    assert len(slope.planned.runs) == before
    for other in (large.reshape(500, 100).T, large[::2], large.astype(np.float64)):
        wanted = np.where(other > 0, other, other * other.dtype.type(0.1))
        for _ in range(2):
            np.testing.assert_array_equal(slope(other, negative_slope=0.1), wanted)
