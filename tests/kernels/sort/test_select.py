"""Which calls are searched by a kernel, and that the others get the same from NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.sort import select


@pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
def test_what_is_left_to_numpy() -> None:
    s, v = np.arange(9.0), np.zeros(5000)
    assert select.by_kernel(s, v, None)
    assert not select.by_kernel(s[:0], v, None)
    assert not select.by_kernel(s, v.astype(np.float32), None)
    assert not select.by_kernel(s.astype(np.int16), v.astype(np.int16), None)
    assert not select.by_kernel(np.zeros((5000, 9)), np.zeros((5000, 1)), None)
    assert not select.by_kernel(s, v, np.arange(9))


def test_the_others() -> None:
    s, v = np.arange(9.0), np.full(5000, 2.5, np.float32)
    assert (select.searchsorted(s, v, False, None) == 3).all()
    assert (select.searchsorted(s[::-1], v, True, np.arange(9)[::-1]) == 3).all()
    assert (select.searchsorted(s[:0], v, True, None) == 0).all()
