"""Identities of Bessel functions; values in digits are in `test_reference.py`."""

from __future__ import annotations

import numpy as np

from rushlight.kernels.special import bessel


def test_wronskian_of_the_first_and_second_kind() -> None:
    x = np.linspace(0.1, 60, 400)
    j0, j1 = bessel.bessel_j0(x), bessel.bessel_j1(x)
    y0, y1 = bessel.bessel_y0(x), bessel.bessel_y1(x)
    np.testing.assert_allclose(j1 * y0 - j0 * y1, 2 / (np.pi * x), rtol=1e-12)


def test_wronskian_of_the_modified_ones() -> None:
    x = np.linspace(0.1, 60, 400)
    found = bessel.i0e(x) * bessel.k1e(x) + bessel.i1e(x) * bessel.k0e(x)
    np.testing.assert_allclose(found, 1 / x, rtol=1e-12)
    x = np.linspace(-20, 20, 81)
    np.testing.assert_allclose(bessel.i1(x), -bessel.i1(-x))
    np.testing.assert_allclose(bessel.i0e(x), bessel.i0(x) * np.exp(-np.abs(x)), rtol=1e-13)
