"""The kernels that copy, called with pieces of every size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.copy import select, strided

NATIVE = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
pytestmark = NATIVE


@pytest.mark.parametrize("square", [(1, 1), (16, 16), (7, 5), (200, 3)])
@pytest.mark.parametrize("chunk", [1, 5, 40, 1 << 15])
def test_pieces(square: tuple[int, int], chunk: int, limits: Any, rng: np.random.Generator) -> None:
    for shape, order in (
        ((40, 50), (1, 0)), ((3, 40, 50), (0, 2, 1)), ((3, 5, 7, 11), (2, 0, 3, 1)),
        ((5, 3, 17), (0, 2, 1)), ((5, 17, 3), (0, 2, 1)), ((40, 50), (0, 1)),
    ):  # fmt: skip
        x = rng.standard_normal(shape).astype(np.float32).transpose(order)
        y = np.zeros(x.shape, np.float64)
        with limits(COPY_SQUARE=square, COPY_CHUNK=chunk):
            made = select.plan(x.dtype, y.dtype, x.shape, x.strides, y.strides)
            (launch,) = made.launches
            fields = dict(launch.fields())  # type: ignore[union-attr]
            assert fields["pieces"] <= fields["each"] * fields["chunks"]
            made.run(x, y)
        np.testing.assert_array_equal(y, x)


def test_a_square_is_turned_in_registers() -> None:
    """Every vector's width, on a CPU that has it: the text alone."""
    for way in ("turned", "interleaved3", "separated4", "rows", "reversed", "filled", "apart"):
        for kinds in (
            ("i32", "i32"),
            ("i64", "i64"),
            ("s8", "s8"),
            ("u8", "float"),
            ("bfloat", "half"),
        ):
            text = strided.build(way, *kinds).text()
            assert "define" in text
            if way == "turned":
                assert text.count("shufflevector") >= 8


def test_interface() -> None:
    assert strided.kernel("rows", "i32", "i32").interface is strided.INTERFACE
    assert "from_row" in strided.INTERFACE.documentation()
