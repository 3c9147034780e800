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
    plan = select.plan_cell(select.LSTM, element, ("gates", "cell", "out", "c", "h"), size, 5)
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
    plan = select.plan_steps(select.TANH, "float", sizes, False, size, False, (size, 1))
    first = rng.standard_normal((7, size)).astype(np.float32)
    found = []
    for run in (plan.run, lambda *given: on_pointers(plan, *given)):
        out, h = first.copy(), np.ones((3, size), np.float32)
        run(out, h, None, w, None)
        found.append((out, h))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])
    assert "series of 6 launches" in plan.describe()
    assert "cell_tanh: h' = tanh(x)" in plan.describe()


@pytest.mark.usefixtures("without_amx")
@pytest.mark.parametrize("sizes", [(9, 9, 9), (9, 7, 2, 1)])
@pytest.mark.parametrize(
    "steps", [select.LSTM, select.LSTM_GRADIENT, select.GRU, select.GRU_GRADIENT, select.TANH,
              select.TANH_GRADIENT], ids=lambda s: s.cell,
)  # fmt: skip
@pytest.mark.parametrize("threads", [2, 3])
def test_shares_of_the_batch_give_the_bits_of_all_together(
    steps: Any, sizes: Any, threads: int, rng: np.random.Generator, limits: Any
) -> None:
    """Sequences know nothing of each other; those that have ended are left out of a share."""
    size, rows, widths = 6, sum(sizes), dict(steps.rows)
    gathered = steps.before and sizes[0] != sizes[-1]
    operands = steps.operands(True)
    k = size * widths.get(steps.factor, 1)
    n = 3 * size if steps.into == "product" else size * widths.get(steps.into, 1)
    w = rng.standard_normal((k, n)).astype(np.float32)
    shapes = {o: (rows, widths[o] * size) if o in widths else
              (sizes[0], 3 * size if o == "product" else size) for o in operands}  # fmt: skip
    given = {o: rng.standard_normal(shape).astype(np.float32) for o, shape in shapes.items()}
    history = rng.standard_normal((rows, size)).astype(np.float32)
    found = []
    with limits(RNN_SHARE_ROWS=(2, 64), RNN_SHARE_LEAST=1):
        for count in (1, threads):
            plan = select.plan_steps(
                steps, "float", sizes, steps.before, size, True, (n, 1), False, gathered, count
            )
            _packing, series = plan.launches
            assert len(series.shares) == count
            arrays = {o: a.copy() for o, a in given.items()}
            plan.run(*arrays.values(), history, w, None)
            found.append(arrays)
        assert f"in {len(series.shares)} shares" in plan.describe()
    for o in operands:
        np.testing.assert_array_equal(found[0][o], found[1][o], err_msg=o)


def test_shares_are_for_several_threads_and_weights_that_stay(limits: Any) -> None:
    def shares(rows: int, times: int, weights: int, threads: int) -> list[int]:
        return select.shares_of((rows,) * times, weights, 4, threads)

    with limits(RNN_SHARE_ROWS=(8, 64), RNN_SHARE_LEAST=1 << 20):
        assert shares(32, 64, 1 << 18, 2) == [0, 16, 32]
        assert shares(33, 64, 1 << 18, 3) == [0, 11, 22, 33]
        assert not shares(32, 64, 1 << 18, 1)
        assert not shares(32, 64, 1 << 18, 8)  # of 4 rows
        assert not shares(200, 64, 1 << 18, 2)  # of 100
        assert not shares(32, 64, 1 << 20, 2)  # the weights have 4 MB
        assert not shares(32, 2, 1 << 10, 2)


def test_interfaces_name_operands() -> None:
    made = cells.interface("gru", ("gates", "inner", "out", "product", "h"))
    assert [*made.types] == ["gates", "inner", "out", "product", "h", "n", "rows", "each",
                             "next"]  # fmt: skip


@pytest.mark.parametrize("reverse", [False, True])
def test_a_cell_asks_for_the_rows_of_the_next_time(reverse: bool) -> None:
    """So many rows further on as these begin there; the last one asks for its own."""
    plan = select.plan_steps(select.TANH, "float", (5, 3, 2), reverse, 6, False, (6, 1))
    launches = [dict(launch.fields()) for launch in plan.launches[1].launches]
    cells = [fields for fields in launches if "each" in fields]
    begins = [fields["out"][1] // (6 * 4) for fields in cells]
    assert begins == ([8, 5, 0] if reverse else [0, 5, 8])
    assert [fields["next"] for fields in cells] == ([-3, -5, 0] if reverse else [5, 3, 0])
