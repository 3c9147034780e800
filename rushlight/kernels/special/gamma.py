"""Gamma functions on arrays: lgamma, digamma, polygamma, zeta, igamma, igammac.

Conventions (blocks, float64 inside) are those of `libm`. Methods: shifts to a short interval with a
fitted polynomial for small arguments, the Stirling series for large ones, reflection for negative
ones; Euler-Maclaurin for the Hurwitz zeta function; series and continued fraction for the
incomplete gamma functions.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rushlight.kernels.special import tables
from rushlight.kernels.special.reference import (
    blocked,
    blocked2,
    erfc,
    horner,
    pick,
    refuse_complex,
    sinpi,
)

__all__ = ["digamma", "igamma", "igammac", "lgamma", "polygamma", "trigamma", "zeta"]

Array = np.ndarray[Any, Any]

# B(2k) / (2k (2k-1)), highest first: the correction of Stirling's formula, in 1/x**2 after a factor
# 1/x.
STIRLING = (
    -3617 / 122400,
    1 / 156,
    -691 / 360360,
    1 / 1188,
    -1 / 1680,
    1 / 1260,
    -1 / 360,
    1 / 12,
)
# B(2k) / (2k), highest first: the same for digamma.
DIGAMMA_FAR = (
    -3617 / 8160,
    1 / 12,
    -691 / 32760,
    1 / 132,
    -1 / 240,
    1 / 252,
    -1 / 120,
    1 / 12,
)
HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)


def _stirling_error(x: Array) -> Array:
    """lgamma(x) - [(x - 1/2) log x - x + log(2 pi)/2] for x >= 8."""
    r = 1 / x
    return horner(STIRLING, r * r) * r


def _lgamma_far(x: Array) -> Array:
    y = (x - 0.5) * (np.log(x) - 1) + (HALF_LOG_2PI - 0.5) + _stirling_error(x)
    np.copyto(y, np.inf, where=np.isinf(x))
    return y


def _lgamma_near(x: Array) -> Array:
    """0 < x < 8: walk to 2 + z with |z| <= 1/2 and use lgamma(2 + z) = z P(z), which keeps the
    zeros at 1 and 2."""
    steps = np.round(x)
    z = x - steps
    y = horner(tables.LGAMMA2, 2 * z) * z
    product = np.ones_like(x)
    for k in range(3, 9):  # x = steps + z; divide out (x - 1) ... (2 + z)
        np.multiply(product, z + (k - 1), out=product, where=steps >= k)
    np.copyto(product, x, where=steps == 1)
    np.copyto(product, x * (1 + x), where=steps == 0)
    logarithm = np.log(product)
    y += np.where(steps < 2, -logarithm, logarithm)
    np.copyto(y, -np.log(x), where=x < 1e-17)
    return y


def _lgamma_left(x: Array) -> Array:
    """x < 0, by reflection: lgamma(x) = log(pi / |x sin(pi x)|) - lgamma(-x)."""
    y = np.log(np.pi / np.abs(x * sinpi(x))) - _lgamma_block(-x)
    tiny = x > -1e-17
    np.copyto(y, -np.log(-x), where=tiny)
    np.copyto(y, np.inf, where=x == np.floor(x))
    return y


def _lgamma_block(x: Array) -> Array:
    y = x.copy()
    pick(y, (x > 0) & (x < 8), _lgamma_near, x)
    pick(y, x >= 8, _lgamma_far, x)
    pick(y, x < 0, _lgamma_left, x)
    np.copyto(y, np.inf, where=(x == 0) | np.isinf(x))
    return y


@blocked
def lgamma(x: Array) -> Array:
    """log |gamma(x)|; inf at 0, -1, -2, ... and at both infinities."""
    return _lgamma_block(x)


def _digamma_right(x: Array) -> Array:
    """x > 0: recurrence onto [1, 2) below 10, the asymptotic series from there on."""
    y = np.empty_like(x)

    def near(v: Array) -> Array:
        whole = np.floor(v)
        z = v - whole
        shifted = z + 1  # in [1, 2]
        high, low = tables.DIGAMMA_ROOT
        # for v in [1, 2) the difference uses v itself, so nothing is lost next to the root
        gap = np.where(whole == 1, v - high, shifted - high) - low
        total = horner(tables.DIGAMMA1, 2 * z - 1) * gap
        for k in range(1, 9):
            np.add(total, 1 / (z + k), out=total, where=whole >= k + 1)
        np.subtract(total, 1 / v, out=total, where=whole == 0)
        return total

    def far(v: Array) -> Array:
        r = 1 / (v * v)
        return np.log(v) - 0.5 / v - r * horner(DIGAMMA_FAR, r)

    pick(y, x < 10, near, x)
    pick(y, x >= 10, far, x)
    np.copyto(y, np.nan, where=np.isnan(x))
    return y


@blocked
def digamma(x: Array) -> Array:
    """The derivative of lgamma; -inf at +0, inf at -0, nan at the negative integers."""
    y = x.copy()
    pick(y, x > 0, _digamma_right, x)

    def left(v: Array) -> Array:
        part = v - np.round(v)
        z = _digamma_right(1 - v) - np.pi / np.tan(np.pi * part)
        np.copyto(z, np.nan, where=v == np.floor(v))
        return z

    pick(y, x < 0, left, x)
    np.copyto(y, np.copysign(np.inf, -x), where=x == 0)
    return y


# (2k)! / B(2k), the Euler-Maclaurin weights of the Hurwitz zeta function.
_BERNOULLI = (
    1 / 6,
    -1 / 30,
    1 / 42,
    -1 / 30,
    5 / 66,
    -691 / 2730,
    7 / 6,
    -3617 / 510,
    43867 / 798,
    -174611 / 330,
    854513 / 138,
    -236364091 / 2730,
)
_EULER_MACLAURIN = tuple(math.factorial(2 * k) / b for k, b in enumerate(_BERNOULLI, 1))


def _zeta_block(s: Array, q: Array) -> Array:
    """The sum of (q + k)**-s: eleven or more terms, then the Euler-Maclaurin tail."""
    a = q.copy()
    total = np.power(a, -s)
    walking = np.ones(a.shape, bool)
    step = 0
    while step < 10 or (walking.any() and step < 100_000):
        a = np.where(walking, a + 1, a)
        total += np.where(walking, np.power(a, -s), 0)
        step += 1
        walking = (a <= 9) if step >= 10 else walking
    last = np.power(a, -s)
    total += last * a / (s - 1) - 0.5 * last
    factor = np.ones_like(s)
    power = last
    k = 0
    for weight in _EULER_MACLAURIN:
        factor = factor * (s + k)
        power = power / a
        total += factor * power / weight
        k += 1
        factor = factor * (s + k)
        power = power / a
        k += 1
    return total


def _zeta_left(s: Array, q: Array) -> Array:
    """The same far left of 0, for whole s: the sum over all whole numbers, which is that of the
    part of q behind the point, without what lies to the left of q."""
    part = q - np.floor(q)
    beyond = _zeta_block(s, 1 - part) - _zeta_any(s, 1 - q)
    return _zeta_block(s, part) + np.where(np.fmod(s, 2) == 0, beyond, -beyond)


def _zeta_any(s: Array, q: Array) -> Array:
    """For positive q: the sum, or far from the origin, where a loop adds nothing that double
    precision sees, its integral."""
    y = np.empty_like(q)
    far = q > 1e9
    pick(y, far, lambda u, v: (1 / (u - 1) + 1 / (2 * v)) * np.power(v, 1 - u), s, q)
    pick(y, ~far, _zeta_block, s, q)
    return y


@blocked2
def zeta(s: Array, q: Array) -> Array:
    """The Hurwitz zeta function: the sum over k >= 0 of (q + k)**-s."""
    y = np.full_like(s, np.nan)
    whole = q == np.floor(q)
    good = (s > 1) & ((q > 0) | (~whole & (s == np.floor(s)))) & np.isfinite(q) & np.isfinite(s)
    left = good & (q < -50)
    pick(y, left, _zeta_left, s, q)
    pick(y, good & ~left, _zeta_any, s, q)
    np.copyto(y, np.inf, where=(s == 1) | ((s == np.inf) & (q < 1)))
    np.copyto(y, 1.0, where=(s == np.inf) & (q == 1))
    np.copyto(y, np.inf, where=~(s <= 1) & (q <= 0) & whole)  # of NaN too
    return y


@blocked
def trigamma(x: Array) -> Array:
    """The second derivative of lgamma, by reflection left of 1/2."""
    left = x < 0.5
    v = np.where(left, 1 - x, x)
    y = np.full_like(x, np.nan)
    fine = np.isfinite(v)
    pick(y, fine, lambda u: _zeta_block(np.full_like(u, 2.0), u), v)
    np.copyto(y, 0.0, where=x == np.inf)
    s = np.pi / sinpi(x)
    y = np.where(left, s * s - y, y)
    np.copyto(y, np.inf, where=x == 0)
    return y


def polygamma(n: int, x: Array) -> Array:
    """The n-th derivative of digamma: (-1)**(n+1) n! zeta(n+1, x)."""
    if n == 0:
        return digamma(x)
    if n == 1:
        return trigamma(x)
    x = np.asarray(x)
    refuse_complex("polygamma", x)
    dtype = x.dtype if x.dtype.kind == "f" else np.dtype(np.float64)
    y = zeta(np.asarray(n + 1.0), x.astype(np.float64, copy=False))
    scale = math.exp(math.lgamma(n + 1)) if n > 20 else float(math.factorial(n))
    with np.errstate(all="ignore"):
        return np.asarray((scale if n % 2 else -scale) * y).astype(dtype, copy=False)


# Incomplete gamma functions ----------------------------------------------------------------------


def _log1p_minus(d: Array) -> Array:
    """log1p(d) - d without cancellation for small d."""
    y = np.log1p(d) - d
    small = np.abs(d) < 0.1

    def series(v: Array) -> Array:
        # log1p(d) = 2 atanh(s) with s = d / (2 + d), so the difference is s (2 s s (1/3 + s s/5 +
        # ...) - d)
        s = v / (2 + v)
        z = s * s
        tail = horner([1 / k for k in range(23, 1, -2)], z)
        return s * (2 * z * tail - v)

    pick(y, small, series, d)
    return y


def _prefactor(a: Array, x: Array) -> Array:
    """x**a exp(-x) / gamma(a + 1): for large a in Loader's form, in which large logarithms do not
    cancel."""
    y = np.exp(a * np.log(x) - x - _lgamma_block(a + 1))

    def large(u: Array, v: Array) -> Array:
        exponent = u * _log1p_minus((v - u) / u) - _stirling_error(u)
        return np.exp(exponent) / np.sqrt(2 * np.pi * u)

    pick(y, a >= 8, large, a, x)
    return y


def _lower_series(a: Array, x: Array) -> Array:
    """P(a, x) = prefactor * (1 + x/(a+1) + x*x/((a+1)(a+2)) + ...), for x below about a."""
    total = np.ones_like(x)
    term = np.ones_like(x)
    k = a.copy()
    for _ in range(200_000):
        k += 1
        term *= x / k
        total += term
        if not (term > total * 1e-17).any():
            break
    return _prefactor(a, x) * total


def _upper_fraction(a: Array, x: Array) -> Array:
    """Q(a, x) by Lentz's form of the continued fraction, for x above about a."""
    tiny = 1e-300
    b = x + 1 - a
    c = np.full_like(x, 1 / tiny)
    d = 1 / np.where(b == 0, tiny, b)
    h = d.copy()
    done = np.zeros(x.shape, bool)
    close = np.zeros(x.shape, np.int16)
    for i in range(1, 200_000):
        numerator = -i * (i - a)
        b += 2
        d = numerator * d + b
        np.copyto(d, tiny, where=np.abs(d) < tiny)
        c = b + numerator / c
        np.copyto(c, tiny, where=np.abs(c) < tiny)
        d = 1 / d
        change = d * c
        h *= change
        away = np.abs(change - 1)
        done |= ~(away > 3e-16)
        if done.all():
            break
        # Some factors come no closer to 1 than the rounding of d * c, however long one waits; each
        # element has its own time, for among many there is always one that is just not there.
        close += ~(away > 1e-15)
        done |= close >= 64
    return _prefactor(a, x) * a * h


def _upper_small(a: Array, x: Array) -> Array:
    """Q(a, x) for x <= 1.1: 1 - x**a/gamma(a+1) in small pieces, plus the alternating series."""
    u = a * np.log(x) - _lgamma_block(a + 1)
    first = -np.expm1(u)
    total = np.zeros_like(x)
    term = np.ones_like(x)
    for k in range(1, 40):
        term *= -x / k
        total += term / (a + k)
    return first - np.exp(u) * a * total


# Temme's uniform expansion for large a, where x/a is near 1: coefficients in eta of what 1/a**0 and
# 1/a**1 are multiplied with, highest first. N. M. Temme, "The asymptotic expansion of the
# incomplete gamma functions", SIAM J. Math. Anal. 10 (1979).
_TEMME = (
    (
        -2.1854485106799922e-6, 3.9192631785224378e-5, -1.7875514403292181e-4,
        3.5273368606701940e-4, 1 / 864, -2 / 135, 1 / 12, -1 / 3,
    ),
    (2.0576131687242798e-4, -9.9022633744855967e-4, 2.6455026455026455e-3, -1 / 288, -1 / 540),
)  # fmt: skip
_LARGE, _NEAR = 1e5, 0.1  # from where on, and how near


def _large(a: Array, x: Array, side: float) -> Array:
    """P (side -1) or Q (side 1) for large a and x near it, where a series takes sqrt(a) steps."""
    d = (x - a) / a
    phi = -_log1p_minus(d)
    eta = np.copysign(np.sqrt(2 * phi), d)
    first, second = (horner(row, eta) for row in _TEMME)
    rest = np.exp(-a * phi) / np.sqrt(2 * np.pi * a) * (first + second / a)
    return erfc(side * np.copysign(np.sqrt(a * phi), d)) / 2 + side * rest


def _incomplete(a: Array, x: Array) -> tuple[Array, Array]:
    """P and Q, each computed where it is the smaller one."""
    lower = np.full_like(x, np.nan)
    upper = np.full_like(x, np.nan)
    good = (a > 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
    large = good & (a >= _LARGE) & (np.abs(x - a) <= _NEAR * a)
    pick(lower, large, lambda u, v: _large(u, v, -1.0), a, x)
    pick(upper, large, lambda u, v: _large(u, v, 1.0), a, x)
    good &= ~large
    near_zero = good & (x <= 1.1) & ((x > 0.5) & (a < x) | (x <= 0.5) & (a * np.log(x) > -0.4))
    series = good & ~near_zero & (x <= np.maximum(a, 1.1))
    fraction = good & ~near_zero & ~series
    pick(upper, near_zero, _upper_small, a, x)
    pick(upper, fraction, _upper_fraction, a, x)
    pick(lower, series, _lower_series, a, x)
    np.copyto(lower, 1 - upper, where=near_zero | fraction)
    np.copyto(upper, 1 - lower, where=series)
    fine = (a >= 0) & (x >= 0)
    ends = (
        (((a > 0) | np.isnan(a)) & (x == 0), 0.0),
        (fine & (a == 0) & (x > 0), 1.0),
        (fine & np.isinf(a) & np.isfinite(x), 0.0),
        (fine & np.isinf(x) & np.isfinite(a), 1.0),
    )
    for mask, value in ends:
        np.copyto(lower, value, where=mask)
        np.copyto(upper, 1 - value, where=mask)
    return lower, upper


@blocked2
def igamma(a: Array, x: Array) -> Array:
    """The regularised lower incomplete gamma function P(a, x)."""
    return _incomplete(a, x)[0]


@blocked2
def igammac(a: Array, x: Array) -> Array:
    """The regularised upper incomplete gamma function Q(a, x) = 1 - P(a, x)."""
    return _incomplete(a, x)[1]
