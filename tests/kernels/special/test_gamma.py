"""Identities of the gamma function and its like; values in digits are in `test_reference.py`."""

from __future__ import annotations

import numpy as np

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
