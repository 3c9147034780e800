"""Reductions of pieces against Python's sums, products and extremes; gradients by differences."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from rushlight.kernels.reduce import segments
from rushlight.kernels.sparse import select

OFFSETS = np.array([[0, 2, 2, 5], [0, 1, 4, 5]])
PLAIN: dict[str, Any] = {
    "sum": sum, "prod": math.prod, "max": max, "min": min,
    "mean": lambda x: sum(x) / len(x),
}  # fmt: skip


@pytest.mark.parametrize("reduce", PLAIN)
def test_values(reduce: str) -> None:
    x = np.random.default_rng(0).standard_normal((2, 5, 3))
    found = segments.forward(x, OFFSETS, reduce, None)
    assert found.shape == (2, 3, 3)
    for o, bounds in enumerate(OFFSETS):
        for k, (first, last) in enumerate(itertools.pairwise(bounds)):
            for j in range(3):
                if first < last:
                    want = PLAIN[reduce](x[o, first:last, j].tolist())
                    assert found[o, k, j] == pytest.approx(want, abs=1e-12)
    nothing = {"sum": 0, "prod": 1, "max": -np.inf, "min": np.inf}
    if reduce == "mean":
        assert np.isnan(found[0, 1]).all()
    else:
        assert (found[0, 1] == nothing[reduce]).all()


@pytest.mark.parametrize("reduce", PLAIN)
@pytest.mark.parametrize("initial", [None, 2.0])
def test_gradients(reduce: str, initial: float | None) -> None:
    rng = np.random.default_rng(1)
    x, g = rng.standard_normal((2, 5, 1)) * 3, rng.standard_normal((2, 3, 1))
    g[0, 1] = 0  # of the piece without elements
    y = segments.forward(x, OFFSETS, reduce, initial)
    found = segments.gradient(g, y, x, OFFSETS, reduce, initial)
    h = 1e-6
    for place in np.ndindex(x.shape):
        sides = []
        for d in (h, -h):
            moved = x.copy()
            moved[place] += d
            there = segments.forward(moved, OFFSETS, reduce, initial)
            sides.append(np.sum(np.where(np.isfinite(y), there, 0) * g))
        assert found[place] == pytest.approx((sides[0] - sides[1]) / (2 * h), abs=1e-6)


def test_ties_share_and_zeros_are_left_out() -> None:
    x, bounds, g = np.array([[[2.0], [2.0], [0.0]]]), np.array([[0, 3]]), np.ones((1, 1, 1))
    y = segments.forward(x, bounds, "max", None)
    assert segments.gradient(g, y, x, bounds, "max", None).ravel().tolist() == [0.5, 0.5, 0]
    y = segments.forward(x, bounds, "prod", None)
    assert segments.gradient(g, y, x, bounds, "prod", None).ravel().tolist() == [0, 0, 4]


@pytest.mark.parametrize("reduce", PLAIN)
@pytest.mark.parametrize("initial", [None, 0.0, 2.0])
def test_pieces_by_the_kernel_are_numpys(reduce: str, initial: Any, limits: Any) -> None:
    """Pieces of nothing, rows behind the last piece; offsets that fall are left to NumPy."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 30, 5))
    x[0, 3, 2] = x[1, 8, 4] = np.nan
    offsets = np.array([[0, 0, 4, 4, 28], [1, 2, 9, 20, 20]])
    found = []
    for least in (1, 1 << 60):
        with limits(CSR_LEAST=least):
            found.append(segments.forward(x, offsets, reduce, initial))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-14, atol=1e-14)
    assert not select.plain(x, offsets[:, ::-1])
    assert not select.plain(x, offsets + 5)
