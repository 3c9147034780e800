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
    """The table of some calls, with their words behind it."""
    count, step = len(calls), step_of_numbers()
    pairs = [(step, 8 * (2 * count + 3 * k)) for k in range(count)]
    return np.array([v for some in (*pairs, *calls) for v in some], np.int64)


def test_calls_run_in_order() -> None:
    x = np.array([1], np.int64)
    at = x.ctypes.data
    table, run = table_of((at, 10, 2), (at, 10, 3), (at, 10, 4)), series.kernel().call
    run(table, np.array([0, 3]), 1)
    assert x[0] == 1234
    run(table, np.array([0, 0]), 1)
    run(table, np.array([0]), 0)
    assert x[0] == 1234


def test_calls_of_a_share_run_in_order(by_threads: Any) -> None:
    """Shares of several lengths, one of them empty, by any number of threads."""
    x = np.zeros(40, np.int64)
    calls, begins = [], [0]
    for k in range(len(x)):
        calls += [(x.ctypes.data + 8 * k, 10, digit) for digit in range(k % 5)]
        begins.append(len(calls))
    table = table_of(*calls)

    def run() -> np.ndarray:
        x[:] = 1
        series.kernel().call(table, np.array(begins), len(x))
        return x.copy()

    assert by_threads(run).tolist() == [1, 10, 101, 1012, 10123] * 8
