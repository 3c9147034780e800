"""Bessel functions on arrays: i0, i0e, i1, i1e, k0, k0e, k1, k1e, j0, j1, y0, y1.

Conventions (blocks, float64 inside) are those of `libm`. Up to 8: the power series (I), or a
polynomial after the first zeros have been divided out (J). Beyond: the amplitude-and-phase form
with fitted amplitudes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rushlight.kernels.special import tables
from rushlight.kernels.special.reference import blocked, horner, pick

__all__ = [
    "bessel_j0",
    "bessel_j1",
    "bessel_y0",
    "bessel_y1",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "k0",
    "k0e",
    "k1",
    "k1e",
]

Array = np.ndarray[Any, Any]

# z**k / (k! (k+n)!) with z = x*x/4: all terms are positive, so Horner's rule loses nothing up to x
# = 8.
_SERIES = tuple(
    tuple(1 / (math.factorial(k) * math.factorial(k + n)) for k in range(26, -1, -1))
    for n in (0, 1)
)
_FAR = (tables.I0_FAR, tables.I1_FAR)


def _modified(order: int, x: Array, scaled: bool) -> Array:
    size = np.abs(x)
    y = x.copy()

    def near(v: Array) -> Array:
        z = horner(_SERIES[order], v * v * 0.25)
        if order:
            z *= v * 0.5
        return z * np.exp(-v) if scaled else z

    def far(v: Array) -> Array:
        z = horner(_FAR[order], 16 / v - 1) / np.sqrt(v)
        if scaled:
            return z
        half = np.exp(v * 0.5)  # exp(v) alone would overflow before the result does
        return z * half * half

    pick(y, size <= 8, near, size)
    pick(y, size > 8, far, size)
    if not scaled:
        np.copyto(y, np.nan, where=size == np.inf)  # as PyTorch's, which has inf * 0 there
    return np.where(x < 0, -y, y) if order else y


@blocked
def i0(x: Array) -> Array:
    """The modified Bessel function of the first kind, order 0."""
    return _modified(0, x, scaled=False)


@blocked
def i0e(x: Array) -> Array:
    """exp(-|x|) i0(x)."""
    return _modified(0, x, scaled=True)


@blocked
def i1(x: Array) -> Array:
    """The modified Bessel function of the first kind, order 1."""
    return _modified(1, x, scaled=False)


@blocked
def i1e(x: Array) -> Array:
    """exp(-|x|) i1(x)."""
    return _modified(1, x, scaled=True)


_K_NEAR = (tables.K0_NEAR, tables.K1_NEAR)
_K_FAR = (tables.K0_FAR, tables.K1_FAR)


def _modified_second(order: int, x: Array, scaled: bool) -> Array:
    y = np.full_like(x, np.nan)

    def near(v: Array) -> Array:
        t = v * v / 2 - 1
        z = horner(_K_NEAR[order], t)
        i = _modified(order, v, scaled=False) * np.log(v)
        z = z - i if order == 0 else z * v + i + 1 / v
        return z * np.exp(v) if scaled else z

    def far(v: Array) -> Array:
        z = horner(_K_FAR[order], 4 / v - 1) / np.sqrt(v)
        return z if scaled else z * np.exp(-v)

    pick(y, (x > 0) & (x <= 2), near, x)
    pick(y, x > 2, far, x)
    np.copyto(y, np.inf, where=x == 0)
    return y


@blocked
def k0(x: Array) -> Array:
    """The modified Bessel function of the second kind, order 0; nan for negative x."""
    return _modified_second(0, x, scaled=False)


@blocked
def k0e(x: Array) -> Array:
    """exp(x) k0(x)."""
    return _modified_second(0, x, scaled=True)


@blocked
def k1(x: Array) -> Array:
    """The modified Bessel function of the second kind, order 1; nan for negative x."""
    return _modified_second(1, x, scaled=False)


@blocked
def k1e(x: Array) -> Array:
    """exp(x) k1(x)."""
    return _modified_second(1, x, scaled=True)


def _from_zero(x: Array, zero: tuple[float, float]) -> Array:
    """x*x - zero*zero for x >= 0, keeping its digits next to the zero, which is given in two
    parts."""
    return ((x - zero[0]) - zero[1]) * ((x + zero[0]) + zero[1])


def _j_near(order: int, x: Array) -> Array:
    """0 <= x <= 8."""
    t = x * x / 32 - 1
    if order == 0:
        gap = _from_zero(x, tables.J0_ZERO1) * _from_zero(x, tables.J0_ZERO2)
        return horner(tables.J0_NEAR, t) * gap
    gap = _from_zero(x, tables.J1_ZERO1) * _from_zero(x, tables.J1_ZERO2)
    return horner(tables.J1_NEAR, t) * gap * x


_AMPLITUDES = ((tables.P0_FAR, tables.Q0_FAR), (tables.P1_FAR, tables.Q1_FAR))


def _hankel_far(order: int, x: Array, second: bool) -> Array:
    """J (or Y, when second) for x > 8 as sqrt(2/(pi x)) (P cos - Q sin) of x - (2 order + 1)
    pi/4."""
    t = 128 / (x * x) - 1
    p = horner(_AMPLITUDES[order][0], t)
    q = horner(_AMPLITUDES[order][1], t) / x
    sin, cos = np.sin(x), np.cos(x)
    # cos and sin of the shifted angle, times sqrt 2, by the addition theorem
    shifted_cos, shifted_sin = (cos + sin, sin - cos) if order == 0 else (sin - cos, -sin - cos)
    y = p * shifted_sin + q * shifted_cos if second else p * shifted_cos - q * shifted_sin
    y /= np.sqrt(np.pi * x)
    return y


def _first_kind(order: int, x: Array) -> Array:
    size = np.abs(x)
    y = x.copy()
    pick(y, size <= 8, lambda v: _j_near(order, v), size)
    pick(y, size > 8, lambda v: _hankel_far(order, v, second=False), size)
    np.copyto(y, np.nan, where=np.isinf(x))  # as PyTorch's: no phase is left
    return np.where(x < 0, -y, y) if order else y


def _second_kind(order: int, x: Array) -> Array:
    y = np.full_like(x, np.nan)

    def near(v: Array) -> Array:
        t = v * v / 32 - 1
        j = _j_near(order, v) * np.log(v)
        if order == 0:
            return horner(tables.Y0_NEAR, t) + (2 / np.pi) * j
        return horner(tables.Y1_NEAR, t) * v + (2 / np.pi) * (j - 1 / v)

    pick(y, (x > 0) & (x <= 8), near, x)
    pick(y, x > 8, lambda v: _hankel_far(order, v, second=True), x)
    np.copyto(y, -np.inf, where=x == 0)
    np.copyto(y, np.nan, where=x == np.inf)
    return y


@blocked
def bessel_j0(x: Array) -> Array:
    """The Bessel function of the first kind, order 0."""
    return _first_kind(0, x)


@blocked
def bessel_j1(x: Array) -> Array:
    """The Bessel function of the first kind, order 1."""
    return _first_kind(1, x)


@blocked
def bessel_y0(x: Array) -> Array:
    """The Bessel function of the second kind, order 0; nan for negative x."""
    return _second_kind(0, x)


@blocked
def bessel_y1(x: Array) -> Array:
    """The Bessel function of the second kind, order 1; nan for negative x."""
    return _second_kind(1, x)
