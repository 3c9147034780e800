"""The kernel of weighted sums of a few positions, called as plans call it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.resample import taps

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.mark.parametrize("way", ["row", "planes"])
@pytest.mark.parametrize("each", [1, 3, 100])
def test_sums(way: str, each: int, rng: np.random.Generator) -> None:
    rows, size, out, count = 7, 9, 21, 3
    for inner in (1,) if way == "row" else (5, 16, 40):
        x = rng.standard_normal((rows, size, inner)).astype(np.float32)
        index = rng.integers(0, size, (count, out))
        weight = rng.standard_normal((count, out)).astype(np.float32)
        live = (rng.random(out) < 0.8).astype(np.int64)
        y: Any = np.full((rows, out, inner), 9, np.float32)
        kernel = taps.kernel(way, "float", count)
        chunks = -(-rows // each)
        kernel.call(x, index, weight, live, y, rows, size, out, inner, count, each, chunks)
        wanted = np.zeros_like(y)
        for t in range(count):
            wanted += x[:, index[t]] * weight[t][:, None]
        np.testing.assert_array_equal(y, wanted * live[:, None])
