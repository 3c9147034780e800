"""Normal numbers from pairs of uniform ones, computed as PyTorch's 8-wide vector kernel does.

PyTorch fills a float32 tensor of 16 elements or more with its own polynomials for log, sine and
cosine (those of Cephes) and with fused multiply-adds. This file takes the same steps in the same
order, so the result is the same bit for bit, and on every machine: NumPy's float32 functions are
three times as fast, but differ in the last bits from PyTorch's and from one processor to another.
A fused multiply-add of float32 is exact in float64 up to its one rounding, hence `_fma` below.

Not here: the same steps in machine code (`generator.py`), where the uniform numbers come from. Read
next: `distributions.py`.
"""

from __future__ import annotations

import numpy as np

_F = np.float32
_BLOCK = 2048  # groups of 16 worked on at a time: the scratch arrays stay in the second-level cache

# Cephes logf: a polynomial for log(1 + x) on [sqrt(1/2) - 1, sqrt(2) - 1], and log(2) in two parts.
_LOG = [
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
    -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
]  # fmt: skip
_LN2_HIGH, _LN2_LOW = 0.693359375, -2.12194440e-4
# Cephes sinf and cosf on [-pi/4, pi/4], and pi/4 in three parts (as multiples of an even quadrant).
_COS = [2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2]
_SIN = [-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1]
_QUARTER_PI = [0.78515625, 2.4187564849853515625e-4, 3.77489497744594108e-8]


def box_muller_16(u: np.ndarray, mean: float, std: float) -> np.ndarray:
    """Turn uniform float32 numbers into normal ones, in groups of 16.

    Eight numbers of a group give radii, the other eight angles:
    ``sqrt(-2 log(1 - u1)) * (cos, sin)(2 pi u2)``.

    Args:
        u: float32 in [0, 1), contiguous, a multiple of 16 long.
        mean, std: rounded to float32.

    Returns:
        float32 of the same length: in each group the eight cosines, then the eight sines.
    """
    out = np.empty_like(u)
    groups, result = u.reshape(-1, 2, 8), out.reshape(-1, 2, 8)
    for start in range(0, len(groups), _BLOCK):
        part = groups[start : start + _BLOCK]
        radius = np.sqrt(_F(-2) * _log(_F(1) - part[:, 0]))
        sine, cosine = _sincos(_F(2 * np.pi) * part[:, 1])
        done = result[start : start + _BLOCK]
        if mean == 0 and std == 1:
            np.multiply(radius, cosine, out=done[:, 0])
            np.multiply(radius, sine, out=done[:, 1])
        else:
            done[:, 0] = _fma(radius * cosine, _F(std), _F(mean))
            done[:, 1] = _fma(radius * sine, _F(std), _F(mean))
    return out


def _fma(a: np.ndarray, b: np.ndarray | np.float32, c: np.ndarray | np.float32) -> np.ndarray:
    """a * b + c in float32, rounded once (the product of two float32 is exact in float64)."""
    wide = a.astype(np.float64)
    wide *= b
    wide += c
    return wide.astype(_F)


def _horner(x: np.ndarray, coefficients: list[float]) -> np.ndarray:
    """A polynomial by Horner's rule, every step a fused multiply-add."""
    wide = x.astype(np.float64)
    y = wide * _F(coefficients[0])
    y += _F(coefficients[1])
    rounded = y.astype(_F)
    for c in coefficients[2:]:
        np.multiply(rounded, wide, out=y)
        y += _F(c)
        np.copyto(rounded, y, casting="same_kind")
    return rounded


def _log(x: np.ndarray) -> np.ndarray:
    """log(x) for x in (0, 1]."""
    fraction, exponent = np.frexp(x)  # fraction in [1/2, 1)
    below = fraction < _F(0.707106781186547524)
    e = (exponent - below).astype(_F)
    x = (fraction - _F(1)) + fraction * below  # a branch on random data would be much slower
    z = x * x
    y = _horner(x, _LOG) * x
    y = _fma(y, z, e * _F(_LN2_LOW))
    y = _fma(z, _F(-0.5), y)
    return _fma(e, _F(_LN2_HIGH), x + y)


def _sincos(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(sin(x), cos(x)) for x in [0, 2 pi)."""
    octant = (x * _F(4 / np.pi)).astype(np.int32)
    octant = (octant + 1) & ~1  # the nearest even one: x - octant * pi/4 lies in [-pi/4, pi/4]
    turns = octant.astype(np.float64)
    for part in _QUARTER_PI:
        x = (turns * _F(-part) + x).astype(_F)
    z = x * x
    cosine = _fma(_horner(z, _COS) * z, z, z * _F(-0.5)) + _F(1)
    sine = _fma(_horner(z, _SIN) * z, x, x)
    # In every other quadrant sine and cosine change places; then both get their signs. All that on
    # the bits, without a branch.
    s, c = sine.view(np.int32), cosine.view(np.int32)
    swap = (s ^ c) & -((octant >> 1) & 1)
    s ^= swap
    c ^= swap
    s ^= (octant & 4) << 29
    c ^= (~(octant - 2) & 4) << 29
    return sine, cosine
