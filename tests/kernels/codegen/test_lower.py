"""From formulas to instructions: which have them, and in which types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime, tuning
from rushlight.kernels.codegen import lower
from rushlight.kernels.codegen.expr import Trace
from rushlight.kernels.elementwise.formula import Formula
from rushlight.kernels.elementwise.select import NUMPY
from rushlight.ops.core.record import registry

native = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def test_ops_without_instructions_are_replaced_by_their_formulas() -> None:
    trace = Trace()
    x = trace.variable("x")
    assert repr(lower.expanded(trace.call(registry["silu"], (x,)), trace)) == (
        "div(x, add(1, exp(neg(x))))"
    )
    with pytest.raises(lower.NoKernel, match="nextafter"):
        lower.expanded(trace.call(registry["nextafter"], (x, x)), trace)


def test_which_formulas_are_true_or_false() -> None:
    trace = Trace()
    x, y = trace.variable("x"), trace.variable("y")
    assert lower.is_boolean(x > y, set())
    assert lower.is_boolean((x > y) & y, {"y"})
    assert not lower.is_boolean((x > y) & y, set())
    assert not lower.is_boolean(x + y, {"x", "y"})


@native
@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
def test_extremes_of_nan(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(tuning, "ELEMENTWISE_FUNCTION_LEAST", 1)
    points = [1.0, -1.0, np.nan, np.inf, -np.inf]
    a, b = (v.ravel().copy() for v in np.meshgrid(points, points))
    known = Formula(registry[name], name, alone=True)
    np.testing.assert_array_equal(known(a, b), getattr(np, name)(a, b))


@native
@pytest.mark.parametrize(
    ("formula", "dtype", "has"),
    [(lambda x: x + 0.5, np.int64, False), (lambda x: x + 2.0, np.int64, True),
     (lambda x: x & 1, np.float32, False), (lambda x: x**0.5, np.float64, True),
     (lambda x: x * 2, bool, False), (lambda x: ~x, bool, True)],
)  # fmt: skip
def test_types_that_a_step_has(
    monkeypatch: pytest.MonkeyPatch, formula: Any, dtype: Any, has: bool
) -> None:
    monkeypatch.setattr(tuning, "ELEMENTWISE_LEAST", 1)
    known = Formula(formula, "step")
    assert (known.plan(np.ones(5, dtype)).name != NUMPY) == has
