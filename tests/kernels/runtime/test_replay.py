"""Replay: native calls whose arrays come anew each time."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels.codegen.ir import I64, PTR, Module
from rushlight.kernels.runtime import builtin, jit, replay

pytestmark = pytest.mark.skipif(not jit.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.mark.parametrize("release", [0, 1])
def test_the_addresses_of_arrays_are_written_before_the_calls(release: int) -> None:
    """Each call does x = x * words[1] + words[2] on the number that words[0] points to."""

    def build() -> Module:
        module = Module("toy")
        f = module.function("step", None, [("words", PTR)])
        words = f.args["words"].of(I64)
        place = f.args["words"].of(PTR)[0].of(I64)
        place[0] = place[0] * words[1] + words[2]
        f.ret()
        return module

    step = jit.load(("test_replay",), build, ["step"])["step"]
    words = np.array([0, 10, 2, 0, 10, 3], np.int64)
    at = words.ctypes.data
    calls = np.array([step, at, step, at + 24], np.int64)
    # the first call works on the second number of array 1, the second one on array 2
    patches = np.array([1, 8, at, 2, 0, at + 24], np.int64)
    head = np.array([2, patches.ctypes.data, 2, calls.ctypes.data, release], np.int64)
    assert len(head) == replay.HEAD
    for start in (1, 5):
        a, b = np.array([7, start], np.int64), np.array([start], np.int64)
        assert replay.kernel()(head, a, b) is None
        assert a.tolist() == [7, 10 * start + 2]
        assert b.tolist() == [10 * start + 3]


def test_nothing_to_do() -> None:
    head = np.zeros(replay.HEAD, np.int64)
    assert replay.kernel()(head) is None
    assert "PyEval_SaveThread" in builtin.symbols()
