"""Images of few channels sampled where they lie, and the gradients, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.resample import select
from tests.kernels.resample.test_grid_rows import HOWS, PADDINGS, arrays, check

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.mark.parametrize("how", HOWS)
def test_images(how: Any, rng: Any, by_threads: Any, on_pointers: Any) -> None:
    for channels in (1, 3):
        sample = arrays(rng, channels, (5, 7), (6, 9), np.float32)
        check(*sample, how, by_threads, on_pointers, "planes")


@pytest.mark.slow
@pytest.mark.parametrize("padding", PADDINGS)
def test_volumes(padding: str, rng: Any, by_threads: Any, on_pointers: Any) -> None:
    sample = arrays(rng, 2, (3, 4, 5), (2, 3, 7), np.float64)
    check(*sample, ("bilinear", padding, True), by_threads, on_pointers, "planes")


@pytest.mark.slow
@pytest.mark.parametrize("how", HOWS)
def test_the_same_bits_as_rows(how: Any, rng: Any, limits: Any) -> None:
    """But for products of gradients with images, which rows sum in another order."""
    x, grid, g = arrays(rng, 3, (5, 7), (6, 9), np.float32)
    found = []
    for narrow in (1, 4):
        with limits(GRID_NARROW=narrow):
            dx, _ = select.grid_gradients(g, x, grid, (True, False), *how)
            found.append((select.grid_sample(x, grid, *how).tobytes(), dx.tobytes()))
    assert found[0] == found[1]
