"""Cells and steps in machine code: each time by a launch of its own, and what plans say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.rnn import cells, formulas, select
from rushlight.kernels.rnn.reference import Numpy

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.mark.parametrize("size", [1, 7, 16, 37])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_lstm_cell_against_the_formula(size: int, dtype: Any, rng: np.random.Generator) -> None:
    gates = rng.standard_normal((5, 4 * size)).astype(dtype)
    c = rng.standard_normal((5, size)).astype(dtype)
    wanted = formulas.lstm(Numpy, *gates.reshape(5, 4, size).swapaxes(0, 1), c)
    cell, out, h = (np.empty_like(c) for _ in range(3))
    element = "float" if dtype == np.float32 else "double"
    plan = select.plan_cell("lstm", element, ("gates", "cell", "out", "c", "h"), size, 5)
    plan.run(gates, cell, out, c, h)
    close = {"rtol": 1e-5, "atol": 1e-6} if dtype == np.float32 else {"rtol": 1e-12}
    np.testing.assert_allclose(h, wanted[-1], **close)
    np.testing.assert_array_equal(cell, c)
    np.testing.assert_array_equal(out, h)
    np.testing.assert_allclose(gates.reshape(5, 4, size)[:, 2], wanted[2], **close)


@pytest.mark.usefixtures("without_amx")
def test_a_series_is_its_launches_one_by_one(
    rng: np.random.Generator, on_pointers: Any
) -> None:
    """All steps of a layer in one native call give the bits of each launch by itself."""
    size, sizes = 6, (3, 2, 2)
    w = rng.standard_normal((size, size)).astype(np.float32)
    matrix = select.packed(w, 3)
    plan = select.plan_steps(select.TANH, "float", sizes, False, size, False)
    first = rng.standard_normal((7, size)).astype(np.float32)
    found = []
    for run in (plan.run, lambda *given: on_pointers(plan, *given)):
        out, h = first.copy(), np.ones((3, size), np.float32)
        run(out, h, None, matrix.panels, None)
        found.append((out, h))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])
    assert "series of 6 launches" in plan.describe()
    assert "cell_tanh: h' = tanh(x)" in plan.describe()


def test_interfaces_name_operands() -> None:
    made = cells.interface("gru", ("gates", "inner", "out", "product", "h"))
    assert [*made.types] == ["gates", "inner", "out", "product", "h", "n", "rows", "each"]
