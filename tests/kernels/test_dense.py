"""Memory for results: expanded dimensions say nothing about the order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import dense

BASE = np.arange(24.0).reshape(2, 3, 4)
ARRAYS: dict[str, Any] = {
    "rows": BASE,
    "turned": BASE.transpose(2, 0, 1),
    "every other": BASE[:, ::2],
    "expanded in front": np.broadcast_to(BASE[0], (5, 3, 4)),
    "expanded within": np.broadcast_to(BASE[:, :1], (2, 3, 4)),
    "expanded behind": np.broadcast_to(BASE[..., :1], (2, 3, 4)),
    "turned and expanded": np.broadcast_to(BASE[0].T[:, None], (4, 2, 3)),
    "one number": np.broadcast_to(np.float64(3), (2, 2)),
    "none": np.broadcast_to(np.zeros((0, 1)), (0, 3)),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_without_gaps_and_alike(name: str) -> None:
    a = ARRAYS[name]
    for made in (dense.copied(a), dense.copied(a, np.float32), dense.empty_like(a)):
        assert made.shape == a.shape
        order = np.argsort([-s for s in made.strides], kind="stable")
        assert made.transpose(order).flags.c_contiguous
        assert made.flags.writeable
    assert np.array_equal(dense.copied(a), a)
    assert dense.copied(a, np.float32).dtype == np.float32
    assert dense.empty_like(a, np.int8).dtype == np.int8


def test_orders() -> None:
    # As PyTorch's: an expanded dimension stays where it is, the others keep their order.
    assert dense.copied(ARRAYS["expanded in front"]).flags.c_contiguous
    assert dense.copied(ARRAYS["expanded within"]).flags.c_contiguous
    assert dense.copied(ARRAYS["expanded behind"]).flags.c_contiguous
    assert dense.copied(ARRAYS["turned"]).strides == np.copy(ARRAYS["turned"], "K").strides
    assert dense.inner_to_outer(BASE) == [2, 1, 0]
    assert dense.inner_to_outer(BASE.T) == [0, 1, 2]
