"""Formulas as data: one node for equal steps, and derivatives."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels.codegen.expr import Expr, Trace, depends, derive, order
from rushlight.ops.core.record import registry

exp, sin = registry["exp"], registry["sin"]


def test_equal_steps_are_one_node() -> None:
    trace = Trace()
    x, y = trace.variable("x"), trace.variable("y")
    root = (x + y) * (x + y)
    assert root.args[0] is root.args[1]
    nodes = [repr(node) for node in order(root)]
    assert nodes == ["x", "y", "add(x, y)", "mul(add(x, y), add(x, y))"]
    assert depends(root, [y])
    assert not depends(root, [trace.variable("z")])


def test_steps_that_do_nothing_are_left_out() -> None:
    x = Trace().variable("x")
    assert x + 0 is x
    assert 0 + x is x
    assert x - 0 is x
    assert x * 1 is x
    assert x / 1 is x
    assert repr(2 - x) == "sub(2, x)"
    assert repr(x**2) == "pow(x, 2)"


def test_a_formula_cannot_branch() -> None:
    x = Trace().variable("x")
    with pytest.raises(TypeError, match="use where"):
        _ = 1 if x > 0 else 2


def test_derivatives_of_formulas() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-1, 1, (2, 20))
    g = rng.uniform(-1, 1, 20)
    by_a, by_b = derive(lambda x, y: exp(x * y) + sin(x), 2)
    np.testing.assert_allclose(by_a(g, None, a, b), g * (b * np.exp(a * b) + np.cos(a)))
    np.testing.assert_allclose(by_b(g, None, a, b), g * a * np.exp(a * b))
    (none,) = derive(lambda x: x > 0, 1)
    np.testing.assert_array_equal(none(g, None, a), np.zeros(20))
    assert isinstance(by_a.formula, Expr)
