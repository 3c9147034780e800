"""The transpose of padding by what is inside: NumPy's bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.pad import reference, select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
def test_sums(mode: str, dtype: Any, rng: Any, by_threads: Any, on_pointers: Any) -> None:
    for shape, pad in (
        ((3, 40), (5, 7)), ((3, 200), (0, 1)), ((2, 3, 7, 9), (1, 2, 3, 0)),
        ((2, 3, 7, 90), (2, 2, -1, 1)), ((2, 4, 5, 20), (-3, -2, 3, 3, 1, 0)),
        ((2, 3, 5), (0, 0, 0, 0)),
    ):  # fmt: skip
        g = rng.standard_normal(reference.padded_shape(shape, pad)).astype(dtype)
        g[rng.random(g.shape) < 0.1] = -0.0
        wanted = reference.to_sources(g, pad, mode)
        found = by_threads(lambda g=g, pad=pad: select.to_sources(g, pad, mode))
        assert (found.tobytes(), found.strides) == (wanted.tobytes(), wanted.strides)
        assert select.to_sources(np.asfortranarray(g), pad, mode).tobytes() == wanted.tobytes()
        if any(pad):
            plan = select.plan_folded(g.dtype, g.shape, g.strides, pad, mode)
            assert plan.name == "pad_folded.lines"
            assert on_pointers(plan, g).tobytes() == wanted.tobytes()


def test_what_has_no_kernel() -> None:
    g = np.arange(5)
    plan = select.plan_folded(g.dtype, g.shape, g.strides, (1, 1), "replicate")
    assert plan.name == "pad_folded.numpy"
    assert plan.run(g).tolist() == [1, 2, 7]
