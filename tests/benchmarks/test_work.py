"""Every row of the benchmarks runs under Rushlight at a tiny size; nothing is timed."""

from __future__ import annotations

import pytest

import rushlight
from benchmarks import overhead
from benchmarks.work import ROWS, SMALL, SPECIAL


@pytest.mark.parametrize("name", list(ROWS))
def test_row_runs(name: str) -> None:
    rushlight.manual_seed(0)
    row = ROWS[name]
    call = row.make(rushlight, **row.tiny)
    for _ in range(2):
        call()


def test_rows_are_named_once_and_their_aim_is_below_their_limit() -> None:
    assert not set(ROWS) & set(SPECIAL)
    assert all(name == row.name and row.aim < row.at_most for name, row in ROWS.items())
    assert all(aim < at_most for _, at_most, aim in SPECIAL.values())


def test_small_rows_are_those_of_the_overhead_table() -> None:
    assert {case for case, _, _ in SMALL.values()} <= set(overhead.cases(rushlight))


def test_operations_of_a_convolution() -> None:
    assert ROWS["conv64"].flops == 2 * 8 * 64 * 64 * 9 * 56 * 56
    assert ROWS["conv64_grad"].flops == 3 * ROWS["conv64"].flops


def test_backward_rows_leave_gradients_of_one_call() -> None:
    call = ROWS["tanh"].make(rushlight, n=3)
    call()
    call()  # would double what accumulates
    x = next(c.cell_contents for c in call.__closure__ if isinstance(c.cell_contents, tuple))[0]
    assert rushlight.allclose(x.grad, 1 - rushlight.tanh(x.detach()) ** 2)
