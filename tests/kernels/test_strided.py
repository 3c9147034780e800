"""Views of sizes and strides."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels.strided import expanded, view_with


def test_views_share_memory() -> None:
    x = np.arange(12.0)
    y = view_with(x, (3, 2), (32, 8))
    np.testing.assert_array_equal(y, [[0, 1], [4, 5], [8, 9]])
    y[1, 1] = 7
    assert x[5] == 7
    x.flags.writeable = False
    assert not view_with(x, (2,), (8,)).flags.writeable
    np.testing.assert_array_equal(view_with(x[::2], (3,), (16,)), [0, 2, 4])


def test_broadcasting_without_a_copy() -> None:
    x = np.arange(3.0)
    assert expanded(x, (4, 3)).strides == (0, 8)
    assert expanded(np.array(2.0), (2, 5)).strides == (0, 0)
    with pytest.raises(ValueError, match="broadcast"):
        expanded(x, (4, 2))
