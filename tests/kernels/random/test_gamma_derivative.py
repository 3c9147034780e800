"""How gamma and beta numbers move with their parameters, against mpmath's functions."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from rushlight.kernels.random import gamma_derivative as implicit


@pytest.mark.parametrize(("a", "x"), [(0.3, 0.1), (1.0, 0.7), (2.5, 4.0), (30.0, 25.0)])
def test_gamma(a: float, x: float) -> None:
    """dx/da at a fixed quantile: -(dP/da) / (dP/dx)."""
    with mpmath.workdps(40):
        slope = mpmath.diff(lambda s: mpmath.gammainc(s, 0, x, regularized=True), a)
        density = mpmath.mpf(x) ** (a - 1) * mpmath.exp(-x) / mpmath.gamma(a)
    got = implicit.gamma_slope(np.array(a), np.array(x))
    assert float(got) == pytest.approx(float(-slope / density), rel=1e-9)


ENDS = [(0.01, 100.0, 1.05e-4), (0.01, 100.0, 0.02), (100.0, 0.01, 0.9998), (10.0, 0.01, 0.5)]


@pytest.mark.parametrize(
    ("a", "b", "x"), [(0.5, 0.5, 0.2), (2.0, 3.0, 0.4), (5.0, 1.5, 0.9), *ENDS]
)
def test_beta(a: float, b: float, x: float) -> None:
    with mpmath.workdps(40):
        slope = mpmath.diff(lambda s: mpmath.betainc(s, b, 0, x, regularized=True), a)
        density = mpmath.mpf(x) ** (a - 1) * (1 - mpmath.mpf(x)) ** (b - 1) / mpmath.beta(a, b)
    got = implicit.beta_slope(*(np.array(v) for v in (a, b, x)))
    assert float(got) == pytest.approx(float(-slope / density), rel=1e-8)


def test_what_has_no_slope() -> None:
    assert implicit.gamma_slope(np.array(2.0), np.array(0.0)) == 0
    assert np.isnan(implicit.gamma_slope(np.array(-1.0), np.array(1.0)))
