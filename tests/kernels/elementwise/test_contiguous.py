"""The kernel of operands that lie alike: results past the cache, and calls by pointers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime, tuning
from rushlight.kernels.elementwise.formula import Formula
from rushlight.ops.core.record import registry

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.mark.parametrize("size", [1, 5, 16, 100, 70_001, 300_000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_far_results(monkeypatch: pytest.MonkeyPatch, dtype: Any, size: int) -> None:
    monkeypatch.setattr(tuning, "ELEMENTWISE_LEAST", 1)
    x = np.linspace(-6, 6, size, dtype=dtype)
    formula = registry["mish"].formula
    wanted = Formula(formula, "mish")(x)
    monkeypatch.setattr(tuning, "ELEMENTWISE_FAR", 1)
    (launch,) = Formula(formula, "mish").plan(x).launches
    room = np.empty(size + 17, dtype)
    for start in range(17):  # a result begins anywhere in a line of the cache
        room[:] = 7
        launch.kernel.call(x, room[start:], *launch.ints)
        np.testing.assert_array_equal(room[start : start + size], wanted)
        assert (room[:start] == 7).all()
        assert (room[start + size :] == 7).all()


@pytest.mark.parametrize("shape", [(1,), (5, 7), (70_001,)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_pointers_give_the_bits_of_arrays(
    on_pointers: Any, monkeypatch: pytest.MonkeyPatch, dtype: Any, shape: Any
) -> None:
    monkeypatch.setattr(tuning, "ELEMENTWISE_LEAST", 1)
    x = np.linspace(-6, 6, int(np.prod(shape)), dtype=np.float32).reshape(shape).astype(dtype)
    x.flat[0] = np.nan
    for a in (x, np.asfortranarray(x)):
        known = Formula(registry["leaky_relu"].formula, "leaky_relu")
        got = on_pointers(known.plan(a, negative_slope=0.3), a, negative_slope=0.3)
        np.testing.assert_array_equal(got, known(a, negative_slope=0.3))
        assert got.strides == a.strides


def test_whole_numbers_are_operands_too(
    on_pointers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "ELEMENTWISE_LEAST", 1)
    x = np.arange(-50, 51)
    known = Formula(lambda a, b: a * b + 1, "times")
    for number in (3, -(2**40)):
        plan = known.plan(x, number)
        assert plan.name == "elementwise.contiguous"
        np.testing.assert_array_equal(known(x, number), x * number + 1)
        np.testing.assert_array_equal(on_pointers(plan, x, s0=number), x * number + 1)
    assert len(known.lowered) == 1
