"""Identities of the gamma function and its like; values in digits are in `test_reference.py`."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels.special import gamma


def test_recurrences() -> None:
    x = np.linspace(0.05, 40, 500)
    np.testing.assert_allclose(gamma.lgamma(x + 1), gamma.lgamma(x) + np.log(x), atol=1e-12)
    np.testing.assert_allclose(gamma.digamma(x + 1), gamma.digamma(x) + 1 / x, atol=1e-12)
    np.testing.assert_allclose(gamma.trigamma(x + 1), gamma.trigamma(x) - 1 / x**2, atol=1e-10)
    np.testing.assert_allclose(gamma.polygamma(1, x), gamma.trigamma(x), rtol=1e-13)


def test_both_incomplete_functions_are_one() -> None:
    rng = np.random.default_rng(0)
    a, x = rng.uniform(0.01, 50, (2, 500))
    np.testing.assert_allclose(gamma.igamma(a, x) + gamma.igammac(a, x), 1, rtol=1e-12)
    np.testing.assert_allclose(gamma.igammac(np.ones(500), x), np.exp(-x), rtol=1e-11)


def test_zeta_of_a_shifted_argument() -> None:
    rng = np.random.default_rng(1)
    s, q = rng.uniform(1.1, 9, 300), rng.uniform(0.1, 20, 300)
    np.testing.assert_allclose(gamma.zeta(s, q), q**-s + gamma.zeta(s, q + 1), rtol=1e-11)


def test_igamma_of_large_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """An expansion takes the place of a series of sqrt(a) steps, with the same values."""
    steps = np.linspace(-30, 30, 61)
    for size in (1.1e5, 2e6):
        a = np.full(61, size)
        x = a + steps * np.sqrt(a)
        monkeypatch.setattr(gamma, "_LARGE", 1e5)
        found = gamma.igamma(a, x), gamma.igammac(a, x)
        monkeypatch.setattr(gamma, "_LARGE", np.inf)
        for mine, slow in zip(found, (gamma.igamma(a, x), gamma.igammac(a, x)), strict=True):
            np.testing.assert_allclose(mine, slow, rtol=1e-12, atol=1e-300)
    monkeypatch.undo()
    a = np.array([1e30, 1e30, 1e300])
    x = a * [1, 1 + 1e-14, 1 - 1e-9]
    np.testing.assert_allclose(gamma.igamma(a, x), [0.5, 1, 0], rtol=1e-12)
