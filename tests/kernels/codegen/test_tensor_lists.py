"""Lists of arrays as tables: what a kernel may work on, and what it sees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.codegen import tensor_lists

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def gather(arrays: list[Any], width: int = 2, writes: tuple[bool, ...] = (True, False)) -> Any:
    table = np.full(tensor_lists.room(len(arrays) // width, width), -7, np.int64)
    return tensor_lists.gather("float", width, writes)(arrays, table), table


def zeros(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return np.zeros(shape, dtype)


def test_a_table_has_addresses_and_starts() -> None:
    a, b, c, d = zeros(3, 5), zeros(3, 5), zeros(0, 4), zeros(0, 4)
    e, f = zeros(6, 2).T, zeros(6, 2).T
    total, table = gather([a, b, c, d, e, f])
    assert total == 27
    assert table.tolist() == [
        a.ctypes.data, b.ctypes.data, 0, c.ctypes.data, d.ctypes.data, 15,
        e.ctypes.data, f.ctypes.data, 15, -7, -7, 27,
    ]  # fmt: skip
    assert gather([])[0] == 0


def test_what_is_refused() -> None:
    good = zeros(4, 3)
    fixed, odd = zeros(4, 3), np.zeros(49, np.uint8)[1:].view(np.float32).reshape(4, 3)
    fixed.flags.writeable = False
    bad = [
        zeros(3, 4), zeros(12), zeros(4, 3, dtype=np.float64), zeros(3, 4).T, zeros(4, 6)[:, ::2],
        good.astype(">f4"), odd, [0.0] * 12, good.view(np.matrix),
    ]  # fmt: skip
    for other in bad:
        assert gather([good, other])[0] == -1
        assert gather([zeros(2), zeros(2), good, other])[0] == -1
    assert gather([fixed, good])[0] == -1
    assert gather([good, fixed])[0] == 12  # only read
    assert gather([good, zeros(4, 3), good, zeros(4, 3)])[0] == -1  # two threads would write to it


def test_sizes_cover_all_elements() -> None:
    for total in (1, 100, 16384, 16385, 1_000_003):
        ints = tensor_lists.sizes(5, total)
        assert ints["each"] * (ints["chunks"] - 1) < total <= ints["each"] * ints["chunks"]


def test_the_interface_says_what_a_row_is() -> None:
    made = tensor_lists.interface("thing", "y = x", {"y": "written", "x": "read"}, "none")
    assert "Arrays of a row: y: written; x: read" in made.documentation()
