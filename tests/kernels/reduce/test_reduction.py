"""The kernel of reductions, called by pointers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime, tuning
from rushlight.kernels.reduce.select import NUMPY, Reduction

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.mark.parametrize(
    ("shape", "dims"),
    [((5,), (0,)), ((7, 33), (1,)), ((7, 33), (0,)), ((3, 300_000), (1,)), ((3000, 300), (0,)),
     ((4, 3, 5, 6), (0, 2))],
)  # fmt: skip
@pytest.mark.parametrize("how", ["add", "max"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16])
def test_pointers_give_the_bits_of_arrays(
    on_pointers: Any, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator, dtype: Any,
    how: str, shape: Any, dims: Any,
) -> None:  # fmt: skip
    monkeypatch.setattr(tuning, "REDUCE_LEAST", 1)
    x = (rng.standard_normal(shape) * 9).astype(dtype)
    fold = Reduction(how)
    plan = fold.plan((x,), dims)
    assert plan.name != NUMPY
    np.testing.assert_array_equal(on_pointers(plan, x, over=1.0), fold((x,), dims))


def test_large_cells_have_partial_results(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.ones((3, 300_000), np.float32)
    plan = Reduction("add").plan((x,), (1,))
    assert plan.workspace == {"part_y": 8 * 3 * 5}
    np.testing.assert_array_equal(plan.run(x, 1.0), x.sum(1))
