"""Columns added up into images, against NumPy's sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.conv import reference, select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.mark.slow
def test_columns_are_summed_in_the_order_of_numpy(limits: Any) -> None:
    """Small integers: the products are exact, so any misplaced element shows."""
    rng = np.random.default_rng(0)
    for size, kernel, stride, padding in (
        ((7, 19), (3, 4), (2, 2), (1, 0)),
        ((5, 40), (2, 5), (3, 1), (0, 4)),
        ((33,), (4,), (4,), (1,)),
        ((4, 5), (4, 5), (1, 2), (0, 0)),
    ):
        how = (stride, padding, (1,) * len(size))
        out = reference.out_size(size, kernel, *how)
        g = rng.integers(-4, 5, (3, 6, *out)).astype(np.float32)
        w = rng.integers(-4, 5, (6, 2, *kernel)).astype(np.float32)
        g[0, 0, ..., -1] = np.nan
        for groups in (2, 1):
            wanted = reference.input_gradient_by_columns(g, w, size, *how, groups)
            key = (g.dtype, g.shape, g.strides, w.dtype, w.shape, w.strides, size)
            with limits(CONV_LEAST_WORK=1, CONV_FEW=1, DEPTHWISE_LEAST=1, CONV_FLIPPED_MORE=0):
                plan = select.plan_input(*key, *how, groups)
            way = "one_window" if groups == 1 and size == kernel else "col2im"
            assert plan.name == f"conv_input.{way}"
            np.testing.assert_array_equal(plan.run(g, w), wanted)


def test_images_are_taken_in_blocks(limits: Any) -> None:
    """Products that make columns of some images at a time, of a last block that is smaller."""
    rng = np.random.default_rng(1)
    least = {"CONV_LEAST_WORK": 1, "CONV_FEW": 1, "DEPTHWISE_LEAST": 1, "CONV_FLIPPED_MORE": 0}
    for size, groups in (((9, 8), 1), ((9, 8), 2), ((40, 40), 1), ((40, 40), 2)):
        how = ((2, 2), (1, 1), (1, 1))
        out = reference.out_size(size, (3, 3), *how)
        g = rng.integers(-4, 5, (7, 6, *out)).astype(np.float32)
        w = rng.integers(-4, 5, (6, 4, 3, 3)).astype(np.float32)
        key = (g.dtype, g.shape, g.strides, w.dtype, w.shape, w.strides, size)
        wanted = reference.input_gradient(g, w, size, *how, groups)
        for images in (1, 3, 7):
            with limits(**least, CONV_BLOCK=images * groups * 4 * 9 * out[0] * out[1]):
                plan = select.plan_input(*key, *how, groups)
            blocks = [x for x in plan.launches if "col2im" in x.describe()[0]]
            assert len(blocks) == -(-7 // images)
            np.testing.assert_array_equal(plan.run(g, w), wanted)
