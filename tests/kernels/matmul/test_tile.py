"""Tiles of products: each height, and lengths of K around the steps in which they ask for lines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.matmul import gemm, tile

from .test_gemm import product_by

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM, or RUSHLIGHT_JIT=0")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_height_and_few_of_k(dtype: Any, rng: np.random.Generator) -> None:
    """Whole numbers, whose sums are exact; rows packed, and where they lie."""
    for m in range(1, tile.tile_rows("float") + 1):
        for k in (*range(1, 2 * tile.SPACED + 2), 4 * m + 3):
            a, b = (rng.integers(-9, 9, s).astype(dtype) for s in ((1, m, k), (1, k, 39)))
            for rows in (gemm.PACKED, gemm.DIRECT):
                np.testing.assert_array_equal(product_by(a, b, rows, gemm.KC), a @ b)


def test_rows_of_the_next_chunk_and_the_next_block(rng: np.random.Generator) -> None:
    """Tiles ask for both; nothing follows the last chunk of each product."""
    m, k = 9 * tile.tile_rows("float") + 1, 2 * gemm.KC + 3
    a, b = (rng.integers(-9, 9, s).astype(np.float32) for s in ((2, m, k), (2, k, 70)))
    np.testing.assert_array_equal(product_by(a, b, gemm.PACKED, gemm.KC, 2), a @ b)


def test_a_tile_asks_for_each_line_of_its_rows() -> None:
    """Of C to write them: as many in a step of K as a row has. And one of what is packed next."""
    for vectors in (1, 2):
        made = tile.Tile("float")
        text = made.build_tiles((5,), vectors=vectors).text()
        asked = text.count("call void @llvm.prefetch.p0(")
        assert asked == 1 + -(-vectors * made.w * 4 // tile.LINE)
        assert text.count(", i32 1, i32 3, i32 1)") == asked - 1
