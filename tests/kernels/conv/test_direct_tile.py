"""Which tiles outputs are cut into (what tiles compute: `test_direct_weight.py`)."""

from __future__ import annotations

import pytest

from rushlight.kernels import runtime
from rushlight.kernels.conv import direct_tile

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.mark.parametrize("e", ["float", "double"])
def test_widths(e: str) -> None:
    """Panels take all vectors, are at most as wide as a tile, and differ by one at most."""
    most, _ = direct_tile.shape()
    for m in (1, 7, 8, 9, 16, 17, 31, 33, 48, 64, 65, 81, 96, 512):
        vectors, widths = direct_tile.vectors_of(e, m), direct_tile.widths(e, m)
        assert direct_tile.lanes_of(e, m) - m < direct_tile.lanes_of(e, 1)
        assert 1 <= min(widths) <= max(widths) <= most
        assert max(widths) - min(widths) == len(widths) - 1
        panels = -(-vectors // most)
        assert panels * min(widths) <= vectors <= panels * max(widths)


def test_tiles_are_compiled_once() -> None:
    """The same table, whoever asks; each size that was asked for is there."""
    first = direct_tile.symbols("float", (1,))
    assert direct_tile.symbols("float", (1, 2)) == first
