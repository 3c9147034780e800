"""Images sampled in rows of channels at the points of a grid, and the gradients, against NumPy."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.resample import reference, select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")

PADDINGS = ("zeros", "border", "reflection")
HOWS = [
    (mode, padding, (i + j) % 2 == 0)
    for (i, mode), (j, padding) in product(
        enumerate(("bilinear", "nearest", "bicubic")), enumerate(PADDINGS)
    )
]
WAY = "rows"
CHANNELS = (5, 16, 37)


def arrays(rng: Any, channels: int, size: Any, out: Any, dtype: Any) -> tuple[Any, Any, Any]:
    """Images, a grid that goes over their edges, and a gradient."""
    d = len(size)
    x = rng.standard_normal((2, channels, *size)).astype(dtype)
    grid = rng.uniform(-2.2, 2.2, (2, *out, d)).astype(dtype)
    return x, grid, rng.standard_normal((2, channels, *out)).astype(dtype)


def check(
    x: Any, grid: Any, g: Any, how: Any, by_threads: Any, on_pointers: Any, way: str = WAY
) -> None:
    """The plans of both gradients and of the samples, against NumPy's ways."""
    layouts = [select.layout(a) for a in (x, grid)]
    plan = select.plan_grid(*layouts, *how)
    assert plan.name == f"grid_sample.{way}"
    y = by_threads(lambda: plan.run(x, grid))
    np.testing.assert_array_equal(y, reference.grid_sample(x, grid, how))
    assert on_pointers(plan, x, grid).tobytes() == y.tobytes()
    eps = 64 * np.finfo(x.dtype).eps
    plan = select.plan_grid_gradients(select.layout(g), *layouts, True, True, *how)
    dx, dgrid = by_threads(lambda: plan.run(g, x, grid))
    of_image, of_grid = reference.grid_image_gradient, reference.grid_gradient
    for found, wanted in ((dx, of_image(g, x, grid, how)), (dgrid, of_grid(g, x, grid, how))):
        np.testing.assert_allclose(found, wanted, rtol=eps, atol=eps * 8 * len(x[0]))
    for needs, both in (((True, False), (dx, None)), ((False, True), (None, dgrid))):
        for found, wanted in zip(select.grid_gradients(g, x, grid, needs, *how), both, strict=True):
            assert (found is None) if wanted is None else found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("how", HOWS)
def test_images(how: Any, rng: Any, by_threads: Any, on_pointers: Any) -> None:
    for channels in CHANNELS:
        sample = arrays(rng, channels, (5, 7), (6, 9), np.float32)
        check(*sample, how, by_threads, on_pointers)


@pytest.mark.slow
@pytest.mark.parametrize("padding", PADDINGS)
def test_volumes(padding: str, rng: Any, by_threads: Any, on_pointers: Any) -> None:
    sample = arrays(rng, 6, (3, 4, 5), (2, 3, 7), np.float64)
    check(*sample, ("bilinear", padding, True), by_threads, on_pointers)


@pytest.mark.slow
def test_sizes_of_one(rng: Any, by_threads: Any, on_pointers: Any) -> None:
    for how in HOWS:
        sample = arrays(rng, 4, (1, 1), (1, 3), np.float64)
        check(*sample, how, by_threads, on_pointers)


def test_arrays_that_lie_apart(rng: Any, by_threads: Any, on_pointers: Any) -> None:
    x, grid, g = arrays(rng, 6, (5, 7), (6, 9), np.float32)
    x, g = (np.moveaxis(np.ascontiguousarray(np.moveaxis(a, 1, -1)), -1, 1) for a in (x, g))
    grid = np.moveaxis(np.ascontiguousarray(np.moveaxis(grid, -1, 0)), 0, -1)
    how = ("bilinear", "zeros", False)
    y = by_threads(lambda: select.grid_sample(x, grid, *how))
    np.testing.assert_array_equal(y, reference.grid_sample(x, grid, how))
    assert y.flags.c_contiguous
    for found in select.grid_gradients(g, x, grid, (True, True), *how):
        assert found is not None
        assert found.flags.c_contiguous


@pytest.mark.parametrize("channels", [2, 5])
def test_what_is_not_finite(channels: int, rng: Any) -> None:
    """Places outside count nothing, even where the nearest element is infinite."""
    x, grid, g = arrays(rng, channels, (3, 4), (1, 5), np.float32)
    x[:, :, 0, 0] = np.inf
    grid[0, 0, :4] = [[-1.1, -1.1], [-5, -5], [np.nan, 0], [0, np.inf]]
    for how in HOWS:
        with np.errstate(invalid="ignore"):
            wanted = reference.grid_sample(x, grid, how)
            wanted_dx = reference.grid_image_gradient(g, x, grid, how)
        y = select.grid_sample(x, grid, *how)
        np.testing.assert_array_equal(y, wanted)
        if how[1] == "zeros" and how[0] != "nearest":
            assert (y[0, :, 0, 1] == 0).all()
            assert np.isnan(y[0, :, 0, 2]).all()
        dx, _ = select.grid_gradients(g, x, grid, (True, False), *how)
        np.testing.assert_allclose(dx, wanted_dx, rtol=1e-5, atol=1e-5)
