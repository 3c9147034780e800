"""How gamma and beta numbers move with their parameters: implicit differentiation of the CDF.

A number x of a distribution F(x; a) that keeps its quantile while a changes obeys
``dx/da = -(dF/da) / (dF/dx)`` (Figurnov, Mohamed and Mnih 2018). Both functions sum the power
series of dF/da, with the density divided out, in float64. Rejection sampling is in
`rejection.py`.
"""

from __future__ import annotations

import numpy as np

from ..special.gamma import digamma

_MOST_TERMS = 20_000
_LARGE = 1e5  # from this shape parameter on a gamma number moves like a normal one


def gamma_slope(shape: np.ndarray, x: np.ndarray) -> np.ndarray:
    """dx/da of a gamma number x (rate 1) of shape parameter a; float64, broadcast.

    From ``P(a, x) = x^a e^-x / Gamma(a + 1) * sum_n x^n / ((a + 1) ... (a + n))``.
    """
    shape, x = np.broadcast_arrays(shape.astype(np.float64), x.astype(np.float64))
    out = np.empty(shape.shape)
    flat = out.reshape(-1)
    a, v = shape.reshape(-1), x.reshape(-1)
    good = (v > 0) & (a > 0) & np.isfinite(v) & np.isfinite(a)
    flat[~good] = np.where(v[~good] == 0, 0.0, np.nan)
    large = good & (a > _LARGE)
    # Two terms of the expansion of the quantile: x = a + sqrt(a) z + (z^2 - 1) / 3 + ...
    z = (v[large] - a[large]) / np.sqrt(a[large])
    flat[large] = 1.0 + z / (2.0 * np.sqrt(a[large])) - z * z / (6.0 * a[large])
    rest = good & ~large
    flat[rest] = _gamma_series(a[rest], v[rest])
    return out


def _gamma_series(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    psi = np.log(x) - digamma(a + 1.0)
    total = psi.copy()
    term = np.ones_like(a)
    weight = np.ones_like(a)  # sum of |terms| without psi: what the next term is compared with
    for n in range(1, _MOST_TERMS):
        term = term * (x / (a + n))
        psi = psi - 1.0 / (a + n)
        step = term * psi
        total += step
        weight += term
        if not np.any((np.abs(step) > 1e-17 * np.abs(total)) | (term > 1e-17 * weight)):
            break
    return -(x / a) * total


def beta_slope(a: np.ndarray, b: np.ndarray, x: np.ndarray) -> np.ndarray:
    """dx/da of a beta number x of parameters a and b; float64, broadcast.

    From ``I_x(a, b) = x^a (1 - x)^b / (a B(a, b)) * sum_n x^n (a + b)_n / (a + 1)_n`` below the
    mean, and from ``1 - I_(1-x)(b, a)`` above it, where that series would be slow. Near 0 the first
    and near 1 the second, on either side of the mean: there the other one is slow.
    """
    a, b, x = np.broadcast_arrays(*(v.astype(np.float64) for v in (a, b, x)))
    out = np.empty(a.shape)
    flat = out.reshape(-1)
    a, b, x = a.reshape(-1), b.reshape(-1), x.reshape(-1)
    good = (x > 0) & (x < 1) & (a > 0) & (b > 0) & np.isfinite(a) & np.isfinite(b)
    flat[~good] = np.where((x[~good] == 0) | (x[~good] == 1), 0.0, np.nan)
    near = np.minimum(x, 1.0 - x) * (a + b) < 2.5  # an end, whose series is short
    low = good & np.where(near, x <= 0.5, x * (a + b) <= a)
    high = good & ~low
    flat[low] = _beta_low(a[low], b[low], x[low])
    flat[high] = _beta_high(a[high], b[high], x[high])
    return out


def _beta_low(a: np.ndarray, b: np.ndarray, x: np.ndarray) -> np.ndarray:
    psi = np.log(x) - digamma(a + 1.0) + digamma(a + b)
    total = _hypergeometric(a, a + b, x, psi, True)
    return -x * (1.0 - x) / a * total


def _beta_high(a: np.ndarray, b: np.ndarray, x: np.ndarray) -> np.ndarray:
    y = 1.0 - x
    psi = np.log(x) - digamma(a) + digamma(a + b)
    return y * x / b * _hypergeometric(b, a + b, y, psi, False)


def _hypergeometric(
    c: np.ndarray, d: np.ndarray, x: np.ndarray, psi: np.ndarray, lower: bool
) -> np.ndarray:
    """The sum of ``(d)_n / (c + 1)_n x^n`` times the logarithmic derivative of that term, which
    starts as `psi` and grows with d, and with c as well where `lower`."""
    total = psi.copy()
    term = np.ones_like(c)
    weight = np.ones_like(c)
    for n in range(1, _MOST_TERMS):
        term = term * ((d + (n - 1)) / (c + n) * x)
        psi = psi + 1.0 / (d + (n - 1))
        if lower:
            psi = psi - 1.0 / (c + n)
        step = term * psi
        total += step
        weight += term
        if not np.any((np.abs(step) > 1e-17 * np.abs(total)) | (term > 1e-17 * weight)):
            break
    return total
