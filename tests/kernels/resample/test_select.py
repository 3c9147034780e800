"""Resizing by the kernel has the bits of NumPy's sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.resample import reference, select
from rushlight.kernels.resample.reference import Resize

NATIVE = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
HOW = [
    Resize("linear", 23, 46), Resize("linear", 23, 46, align_corners=True), Resize("linear", 23, 9),
    Resize("linear", 23, 70, scale=3.05), Resize("cubic", 23, 50), Resize("cubic", 23, 1),
    Resize("linear", 23, 12, antialias=True), Resize("cubic", 23, 40, antialias=True),
    Resize("nearest", 23, 31), Resize("linear", 23, 23),
]  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("how", HOW, ids=str)
def test_bits(how: Resize, turned: bool, dtype: Any, rng: np.random.Generator) -> None:
    n = how.out if turned else how.size
    for shape, axis in (((40, 9, n), 2), ((30, n, 37), 1), ((n, 300), 0), ((70, n, 3), 1)):
        x = rng.standard_normal(shape).astype(dtype)
        x.flat[3], x.flat[-1], x.flat[50] = np.inf, np.nan, -0.0
        with np.errstate(all="ignore"):
            found = select.along(x, axis, how, turned)
            wanted = reference.along(x, axis, select.table_of(how, x.dtype, turned))
        assert found.dtype == wanted.dtype
        assert found.strides == wanted.strides
        np.testing.assert_array_equal(found, wanted)


@NATIVE
def test_ways() -> None:
    f32 = np.dtype(np.float32)
    made = select.plan(f32, (8, 64, 28, 28), 3, Resize("linear", 28, 56), False)
    assert made is not None
    assert made.way == "row"
    assert made.outputs["y"].shape == (8, 64, 28, 56)
    assert made.flops == 4 * 8 * 64 * 28 * 56
    made = select.plan(f32, (8, 64, 28, 56), 2, Resize("linear", 28, 56), False)
    assert made is not None
    assert made.way == "planes"
    assert select.plan(f32, (8, 28), 1, Resize("nearest", 28, 56), False) is None
