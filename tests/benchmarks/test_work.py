"""Every row of the benchmarks runs under Rushlight at a tiny size; nothing is timed."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import rushlight
from benchmarks import in_front, machine, overhead
from benchmarks.work import FIRST, ROWS, SMALL, SPECIAL
from rushlight.kernels.runtime import jit


@pytest.mark.long
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


def test_first_steps_are_special_rows() -> None:
    assert set(FIRST) == {name for name in SPECIAL if name.startswith("first")}


@pytest.mark.slow
@pytest.mark.skipif(not jit.available(), reason="no machine code here")
def test_rows_in_front_of_kernels_take_kernels_out() -> None:
    """In a process of its own: nothing is computed, and every row has met kernels."""
    program = """
import json
import rushlight as torch
from benchmarks import in_front
names = in_front.take_out()
x = torch.zeros(100_000)
found = {"computed": bool((x.exp().numpy() == 1).all())}
for row in in_front.rows():
    call = row.make(torch)
    call(), call()
    found[row.name] = len(names)
print(json.dumps(found))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=machine.ROOT
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert not found.pop("computed")
    assert list(found) == [row.name for row in in_front.rows()]
    counts = list(found.values())
    for before, after in zip(counts[1::2], counts[2::2], strict=False):
        assert before < after, found  # each case has a kernel of its own


def test_operations_of_a_convolution() -> None:
    assert ROWS["conv64"].flops == 2 * 8 * 64 * 64 * 9 * 56 * 56
    assert ROWS["conv64_grad"].flops == 3 * ROWS["conv64"].flops


def test_backward_rows_leave_gradients_of_one_call() -> None:
    call = ROWS["tanh"].make(rushlight, n=3)
    call()
    call()  # would double what accumulates
    x = next(c.cell_contents for c in call.__closure__ if isinstance(c.cell_contents, tuple))[0]
    assert rushlight.allclose(x.grad, 1 - rushlight.tanh(x.detach()) ** 2)
