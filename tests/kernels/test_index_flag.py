"""Whether indices are in range, by the kernel and by NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import index_flag, indices, runtime

ARRAYS = {
    "rows": np.arange(40).reshape(4, 10),
    "one long row": np.arange(1000).reshape(1, 1000),
    "one": np.array([[5]]),
    "none": np.zeros((1, 0), np.int64),
    "negative": np.array([[3, 1, -1, 2]]),
    "turned": np.arange(40).reshape(4, 10).T,
    "every other": np.arange(40).reshape(4, 10)[:, ::2],
}
RANGES = ((0, 1000), (0, 999), (0, 40), (0, 39), (1, 40), (-1, 4), (5, 6), (-(1 << 62), 1 << 62))


def expected(a: Any, low: int, high: int) -> bool:
    return all(low <= x < high for x in a.reshape(-1).tolist())


@pytest.mark.parametrize("dtype", index_flag.ELEMENTS)
@pytest.mark.parametrize("name", ARRAYS)
def test_ranges(name: str, dtype: Any) -> None:
    a = ARRAYS[name]
    narrow = np.empty_like(a, dtype, subok=False)
    narrow[...] = a
    for low, high in RANGES:
        want = expected(a, low, high)
        assert indices.within(narrow, low, high) == want
        if not runtime.available():
            continue
        flag = np.zeros(1, np.int64)
        apart, step = (s // narrow.itemsize for s in narrow.strides)
        kernel = index_flag.flag(index_flag.ELEMENTS[dtype])
        kernel.call(narrow, flag, *narrow.shape, apart, step, low, high)
        assert flag[0] == (not want)
