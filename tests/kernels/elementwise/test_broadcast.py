"""The kernel of operands that broadcast, called by pointers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime, tuning
from rushlight.kernels.elementwise import broadcast
from rushlight.kernels.elementwise.formula import Formula

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_pointers_give_the_bits_of_arrays(
    on_pointers: Any, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator, dtype: Any
) -> None:
    monkeypatch.setattr(tuning, "ELEMENTWISE_LEAST", 1)
    monkeypatch.setattr(tuning, "BROADCAST_SHORT", 1)
    x = (rng.standard_normal((7, 5, 33)) * 9).astype(dtype)
    known = Formula(lambda a, b, c: a * b + c, "mixed")
    for a, b in ((x, x[0, 0]), (x, x[:, :1, :1]), (x[..., ::2], x[0, :, :17]), (x, x[0, 0, :1])):
        wanted = a * b + dtype(2)
        plan = known.plan(a, b, 2)
        assert plan.name == "elementwise.broadcast"
        np.testing.assert_array_equal(known(a, b, 2), wanted)
        number = 2 if dtype == np.int32 else 2.0
        np.testing.assert_array_equal(on_pointers(plan, a, b, s0=number), wanted)


def test_pieces_hold_whole_rows_or_a_part_of_one() -> None:
    assert broadcast.pieces(100, False) == (broadcast.CHUNK // 100, broadcast.CHUNK)
    assert broadcast.pieces(10**6, False) == (1, broadcast.CHUNK)
    assert broadcast.pieces(100, True) == (broadcast.TILE, broadcast.TILE)
