"""Series: a table of native calls, run in order by one call."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels.codegen.ir import I64, PTR, Module
from rushlight.kernels.runtime import jit, series

pytestmark = pytest.mark.skipif(not jit.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def test_calls_run_in_order() -> None:
    """Each call does x = x * words[1] + words[2] on the number that words[0] points to."""

    def build() -> Module:
        module = Module("toy")
        f = module.function("step", None, [("words", PTR)])
        words = f.args["words"].of(I64)
        place = f.args["words"].of(PTR)[0].of(I64)
        place[0] = place[0] * words[1] + words[2]
        f.ret()
        return module

    step = jit.load(("test_series",), build, ["step"])["step"]
    x = np.array([1], np.int64)
    at = x.ctypes.data
    words = np.array([at, 10, 2, at, 10, 3, at, 10, 4], np.int64)
    table = np.array([v for k in range(3) for v in (step, words.ctypes.data + 24 * k)], np.int64)
    series.kernel()(table, 3)
    assert x[0] == 1234
    series.kernel()(table, 0)
    assert x[0] == 1234
