"""Images whose lines are lines of others: padding by what is inside, and nearest neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.pad import reference as pad_reference
from rushlight.kernels.pad import select as pad
from rushlight.kernels.resample import reference, select
from rushlight.kernels.resample.reference import Resize

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")

DTYPES = (np.float32, np.float64, np.int16, np.uint8, np.bool_, np.complex64)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
def test_padding(mode: str, dtype: Any, rng: Any, by_threads: Any, on_pointers: Any) -> None:
    for shape, sides in (
        ((3, 40), (5, 7)), ((3, 200), (0, 1)), ((2, 3, 7, 9), (1, 2, 3, 0)),
        ((2, 3, 7, 90), (2, 2, -1, 1)), ((2, 4, 5, 20), (-3, -2, 3, 3, 1, 0)),
    ):  # fmt: skip
        x = (rng.standard_normal(shape) * 50).astype(dtype)
        wanted = pad_reference.by_sources(x, sides, mode)
        plan = pad.plan_shown(x.dtype, x.shape, x.strides, sides, mode)
        assert plan.name == "pad_shown.lines"
        y = by_threads(lambda plan=plan, x=x: plan.run(x))
        assert (y.tobytes(), y.strides) == (wanted.tobytes(), wanted.strides)
        assert on_pointers(plan, x).tobytes() == wanted.tobytes()
        assert pad.by_sources(np.asfortranarray(x), sides, mode).tobytes() == wanted.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mode", ["nearest", "nearest-exact"])
def test_nearest_neighbours(mode: str, dtype: Any, rng: Any, by_threads: Any) -> None:
    for size, out in (
        ((70,), (140,)), ((7,), (10,)), ((5, 20), (10, 40)), ((5, 20), (15, 60)),
        ((5, 20), (25, 100)), ((5, 200), (10, 200)), ((5, 40), (2, 9)), ((5, 40), (7, 66)),
        ((3, 4, 17), (6, 8, 34)), ((3, 4, 17), (3, 5, 70)),
    ):  # fmt: skip
        x = (rng.standard_normal((2, 3, *size)) * 50).astype(dtype)
        how = tuple(Resize(mode, a, b) for a, b in zip(size, out, strict=True))
        wanted = x
        for i, h in enumerate(how):
            wanted = reference.along(wanted, 2 + i, select.table_of(h, x.dtype, False))
        y = by_threads(lambda x=x, how=how: select.resize(x, how))
        assert (y.tobytes(), y.strides) == (wanted.tobytes(), wanted.strides)


def test_what_has_no_kernel() -> None:
    x = np.arange(6, dtype=np.complex128).reshape(1, 6)
    plan = pad.plan_shown(x.dtype, x.shape, x.strides, (1, 1), "reflect")
    assert plan.name == "pad_shown.numpy"
    assert plan.run(x).tolist() == [[1, 0, 1, 2, 3, 4, 5, 4]]
    assert select.resize(x, (Resize("nearest", 6, 3),)).tolist() == [[0, 2, 4]]
