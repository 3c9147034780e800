"""The Airy function Ai on arrays.

Near 0 its power series; elsewhere the integral of Gil, Segura and Temme (2001) for Ai, by one
generalized Gauss-Laguerre rule: with zeta = 2/3 x^(3/2),

    Ai(x) = exp(-zeta) (9 zeta)^(-1/6) c  int_0^inf (2 + t/zeta)^(-1/6) t^(-1/6) exp(-t) dt

and for negative x the real part of the same at x exp(i pi/3), where zeta is imaginary.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from rushlight.kernels.special.reference import blocked, pick

__all__ = ["airy_ai"]

Array = np.ndarray[Any, Any]

NEAR = 2.0  # up to here the series loses less than two digits
NODES = 64
AT_ZERO = 1 / (3 ** (2 / 3) * math.gamma(2 / 3))
SLOPE = -1 / (3 ** (1 / 3) * math.gamma(1 / 3))


@functools.cache
def rule() -> tuple[Array, Array]:
    """Nodes and weights for t^(-1/6) exp(-t), from the recurrence of Laguerre's polynomials."""
    k = np.arange(NODES, dtype=np.float64)
    power = -1 / 6
    beside = np.sqrt(k[1:] * (k[1:] + power))
    t, v = np.linalg.eigh(np.diag(2 * k + 1 + power) + np.diag(beside, 1) + np.diag(beside, -1))
    weights = math.gamma(1 + power) * v[0] ** 2
    kept = weights > 1e-22
    return t[kept], weights[kept]


def _near(x: Array) -> Array:
    f, g = np.ones_like(x), x.copy()
    cube, a, b = x * x * x, f.copy(), x.copy()
    for k in range(1, 16):
        a *= cube / (3 * k * (3 * k - 1))
        b *= cube / (3 * k * (3 * k + 1))
        f += a
        g += b
    return AT_ZERO * f + SLOPE * g


def _integral(zeta: Array) -> Array:
    """The integral, for one kind of numbers or the other, and the constant in front of it."""
    total = np.zeros_like(zeta)
    for t, weight in zip(*rule(), strict=True):
        total += weight * (2 + t / zeta) ** (-1 / 6)
    return total / (math.sqrt(math.pi) * 48 ** (1 / 6) * math.gamma(5 / 6))


def _positive(x: Array) -> Array:
    zeta = x * np.sqrt(x) * (2 / 3)
    return np.exp(-zeta) * zeta ** (-1 / 6) * _integral(zeta)


def _negative(x: Array) -> Array:
    size = -x
    zeta = size * np.sqrt(size) * (2 / 3)
    # zeta turned by a quarter: exp(-i zeta), and its root of the sixth order by pi/12
    turned = np.exp(1j * (math.pi / 3 - math.pi / 12 - zeta)) * zeta ** (-1 / 6)
    return 2 * (turned * _integral(1j * zeta)).real


@blocked
def airy_ai(x: Array) -> Array:
    """Ai(x); NaN for the infinities, as PyTorch's."""
    y = np.full_like(x, np.nan)
    finite = np.isfinite(x)
    pick(y, finite & (np.abs(x) <= NEAR), _near, x)
    pick(y, finite & (x > NEAR), _positive, x)
    pick(y, finite & (x < -NEAR), _negative, x)
    return y
