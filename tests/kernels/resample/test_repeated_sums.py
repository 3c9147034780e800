"""The transpose of nearest neighbours by whole factors: NumPy's bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.resample import reference, select
from rushlight.kernels.resample.reference import Resize

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("factor", [1, 2, 3, 4])
def test_sums(factor: int, dtype: Any, rng: Any, by_threads: Any, on_pointers: Any) -> None:
    for size in ((5,), (70,), (3, 5), (4, 33), (2, 16)):
        how = tuple(Resize("nearest", n, n * factor) for n in size)
        g = rng.standard_normal((2, 3, *(n * factor for n in size))).astype(dtype)
        g[rng.random(g.shape) < 0.1] = -0.0
        wanted = g
        for i, h in enumerate(how):
            wanted = reference.along(wanted, 2 + i, select.table_of(h, g.dtype, True))
        plan = select.plan_repeated_sums(g.dtype, g.shape, g.strides, how)
        if len(size) == 1 and factor > 1:
            assert plan is not None
        found = by_threads(lambda g=g, how=how: select.resize_input(g, how))
        assert (found.tobytes(), found.strides) == (wanted.tobytes(), wanted.strides)
        if plan is not None:
            assert plan.name == "nearest.sums"
            assert on_pointers(plan, g).tobytes() == wanted.tobytes()


def test_other_factors(rng: Any) -> None:
    for how in (
        (Resize("nearest", 3, 7),), (Resize("nearest", 3, 6), Resize("nearest", 3, 9)),
        (Resize("nearest", 2, 10),), tuple(Resize("nearest", 2, 4) for _ in range(3)),
    ):  # fmt: skip
        shape = (2, *(h.out for h in how))
        g = rng.standard_normal(shape).astype(np.float32)
        assert select.plan_repeated_sums(g.dtype, g.shape, g.strides, how) is None
        assert select.resize_input(g, how).shape == (2, *(h.size for h in how))
