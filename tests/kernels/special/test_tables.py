"""The polynomials of special functions, against what they are fitted to."""

from __future__ import annotations

import math

import numpy as np

from rushlight.kernels.special import tables


def test_highest_powers_stand_first() -> None:
    x = np.linspace(-1, 1, 101)
    exact = np.array([math.erf(v) for v in x])
    np.testing.assert_allclose(x * np.polyval(tables.ERF, 2 * x * x - 1), exact, rtol=1e-14)
    x = np.linspace(-4, 4, 101)
    exact = np.array([math.erf(v) for v in x])
    near = x * np.polyval(tables.ERF32_P, x * x) / np.polyval(tables.ERF32_Q, x * x)
    np.testing.assert_allclose(near, exact, rtol=2e-9)
