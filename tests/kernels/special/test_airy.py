"""The Airy function: its equation, its values where they are known, and where it ends."""

from __future__ import annotations

import math

import numpy as np

from rushlight.kernels.special import airy


def test_values() -> None:
    known = {  # DLMF 9.4 and tables of Abramowitz and Stegun, 10.11
        0.0: 1 / (3 ** (2 / 3) * math.gamma(2 / 3)), 1.0: 0.1352924163128814,
        -1.0: 0.5355608832923521, 5.0: 1.0834442813607442e-4, -5.0: 0.3507610090241142,
    }  # fmt: skip
    found = airy.airy_ai(np.array(list(known)))
    np.testing.assert_allclose(found, list(known.values()), rtol=1e-12)


def test_the_equation_y_two_primes_is_x_y() -> None:
    x, h = np.linspace(-9, 6, 301), 1e-3
    low, mid, high = (airy.airy_ai(x + d) for d in (-h, 0.0, h))
    np.testing.assert_allclose((low - 2 * mid + high) / h**2, x * mid, atol=2e-5)


def test_both_ways_agree_where_they_meet() -> None:
    for x in (airy.NEAR, -airy.NEAR):
        beside = airy.airy_ai(np.nextafter([x, x], [np.inf, -np.inf]))
        np.testing.assert_allclose(beside[0], beside[1], rtol=1e-12)


def test_nan_and_large_numbers() -> None:
    found = airy.airy_ai(np.array([np.nan, 200.0]))
    assert np.isnan(found[0])
    assert found[1] == 0
