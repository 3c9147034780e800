"""Series: a table of native calls, run by one call, in order or share by share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels.codegen.ir import I64, PTR, Module
from rushlight.kernels.runtime import jit, series

pytestmark = pytest.mark.skipif(not jit.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def step_of_numbers() -> int:
    """A call that does x = x * words[1] + words[2] on the number that words[0] points to."""

    def build() -> Module:
        module = Module("toy")
        f = module.function("step", None, [("words", PTR)])
        words = f.args["words"].of(I64)
        place = f.args["words"].of(PTR)[0].of(I64)
        place[0] = place[0] * words[1] + words[2]
        f.ret()
        return module

    return jit.load(("test_series",), build, ["step"])["step"]


def table_of(*calls: tuple[int, int, int]) -> np.ndarray:
    """The table of some calls, (place in the first array, factor, number): behind it their words,
    each with the pair that adds the array's address."""
    step, n = step_of_numbers(), len(series.HEAD)
    table = [0] * (n * len(calls))
    for k, call in enumerate(calls):
        table[n * k : n * k + n] = step, len(table), 3, len(table) + 3, 1
        table += [*call, 0, 0]
    return np.array(table, np.int64)


def test_calls_run_in_order() -> None:
    x = np.array([0, 1], np.int64)
    table, run = table_of((8, 10, 2), (8, 10, 3), (8, 10, 4)), series.kernel(1).call
    for end, shares, wanted in ((3, 1, 1234), (0, 1, 1234), (0, 0, 1234)):
        run(table, np.array([0, end]), x, shares)
        assert x.tolist() == [0, wanted]
    again = np.array([0, 5], np.int64)  # of another array
    run(table, np.array([0, 1]), again, 1)
    assert again.tolist() == [0, 52]


def test_calls_of_a_share_run_in_order(by_threads: Any) -> None:
    """Shares of several lengths, one of them empty, by any number of threads."""
    x = np.zeros(40, np.int64)
    calls, begins = [], [0]
    for k in range(len(x)):
        calls += [(8 * k, 10, digit) for digit in range(k % 5)]
        begins.append(len(calls))
    table = table_of(*calls)

    def run() -> np.ndarray:
        x[:] = 1
        series.kernel(1).call(table, np.array(begins), x, len(x))
        return x.copy()

    assert by_threads(run).tolist() == [1, 10, 101, 1012, 10123] * 8


def test_an_array_that_is_not_there_has_no_address() -> None:
    """None may come for an array; the second one of two is added where it is asked for."""
    x, y = np.array([3], np.int64), np.array([4], np.int64)
    table = table_of((0, 2, 1))
    table[-1] = 1
    run = series.kernel(2).call
    run(table, np.array([0, 1]), x, y, 1)
    run(table, np.array([0, 1]), None, y, 1)
    assert (x[0], y[0]) == (3, 19)
