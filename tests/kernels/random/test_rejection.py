"""Gamma, Dirichlet and binomial numbers: their moments, and the stream that they leave behind."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels.random import rejection
from rushlight.kernels.random.mersenne_twister import Twister

N = 20_000


@pytest.mark.parametrize("shape", [0.3, 1.0, 7.5])
def test_gamma(shape: float) -> None:
    x = rejection.standard_gamma(np.full(N, shape), Twister(5))
    assert (x >= 0).all()
    assert x.mean() == pytest.approx(shape, abs=5 * np.sqrt(shape / N))
    assert x.var() == pytest.approx(shape, rel=0.15)


def test_dirichlet() -> None:
    parts = np.array([0.5, 2.0, 3.5])
    x = rejection.dirichlet(np.broadcast_to(parts, (N, 3)).copy(), Twister(5))
    np.testing.assert_allclose(x.sum(-1), 1, rtol=1e-6)
    np.testing.assert_allclose(x.mean(0), parts / parts.sum(), atol=0.01)


@pytest.mark.parametrize(("count", "p"), [(3, 0.2), (40, 0.5), (500, 0.9), (10, 0.0), (10, 1.0)])
def test_binomial(count: int, p: float) -> None:
    x = rejection.binomial(np.full(N, float(count)), np.full(N, p), Twister(5))
    assert ((x >= 0) & (x <= count) & (x == np.floor(x))).all()
    assert x.mean() == pytest.approx(count * p, abs=5 * np.sqrt(count * p * (1 - p) / N) + 1e-9)


def test_the_same_seed_gives_the_same_numbers() -> None:
    found = [rejection.standard_gamma(np.full(50, 0.7), Twister(9)) for _ in range(2)]
    np.testing.assert_array_equal(*found)
