"""Angles, inverse hyperbolic functions, the gamma function's logarithm and its slope, erfinv.

All compute in float64, eight lanes at a time where a register holds them; float32 is rounded once.
The methods are those of `special/reference.py` and `special/gamma.py`, which state their sources;
here all branches are computed and one is chosen.

Not here: exp, log, sin, erf and what is made of them (`vecmath.py`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

from ..special import gamma, tables
from ..special import reference as libm
from . import vecmath
from .ir import F64, Function, Value, element
from .vecmath import copysign, fabs, horner

INF, NAN = math.inf, math.nan
LARGE = 2.0**55  # from there on sqrt(x*x + 1) is x, and log(1 + x) is log(x)
LN2 = math.log(2)
PI = math.pi
PI_LOST = 1.2246467991473532e-16  # pi - PI


def in_float64(write: Callable[..., Value]) -> Callable[..., Value]:
    """The function computed in float64 and rounded to the type it is given."""

    @functools.wraps(write)
    def function(f: Function, *xs: Value) -> Value:
        return f.convert(write(f, *[f.convert(x, F64) for x in xs]), element(xs[0].type))

    return function


# -- angles --------------------------------------------------------------------------------------


def angle(f: Function, y: Value, x: Value) -> Value:
    """The angle of the point (x, y) in the first quadrant, NaN where one is."""
    steep = y > x
    above, below = f.select(steep, x, y), f.select(steep, y, x)
    q = above / below
    same = f.select(below == 0.0, f.const(y.type, 0.0), 1.0)
    q = f.select(above == below, same, q)  # 0 by 0, infinity by infinity
    z = q * q
    a = f.fma(q * z, horner(f, tables.ATAN, z), q)
    return f.select(steep, (PI / 2 - a) + PI_LOST / 2, a)


@in_float64
def atan(f: Function, x: Value) -> Value:
    """The angle whose tangent is x."""
    return copysign(f, angle(f, fabs(f, x), f.const(x.type, 1.0)), x)


@in_float64
def atan2(f: Function, y: Value, x: Value) -> Value:
    """The angle of the point (x, y), in all four quadrants."""
    a = angle(f, fabs(f, y), fabs(f, x))
    left = copysign(f, f.const(x.type, 1.0), x) < 0.0
    return copysign(f, f.select(left, (PI - a) + PI_LOST, a), y)


@in_float64
def asin(f: Function, x: Value) -> Value:
    """The angle whose sine is x; NaN beyond 1."""
    t = fabs(f, x)
    return copysign(f, angle(f, t, f.sqrt((1.0 - t) * (t + 1.0))), x)


@in_float64
def acos(f: Function, x: Value) -> Value:
    """The angle whose cosine is x; NaN beyond 1."""
    return angle(f, f.sqrt(1.0 - x), f.sqrt(x + 1.0)) * 2.0


# -- inverse hyperbolic functions ----------------------------------------------------------------


@in_float64
def asinh(f: Function, x: Value) -> Value:
    """log(x + sqrt(x*x + 1))."""
    t = fabs(f, x)
    large = t > LARGE
    s = f.select(large, 0.0, t * t)
    y = vecmath.log1p(f, t + s / (f.sqrt(s + 1.0) + 1.0))
    return copysign(f, f.select(large, y + LN2, y), x)


@in_float64
def acosh(f: Function, x: Value) -> Value:
    """log(x + sqrt(x*x - 1)); NaN below 1."""
    large = x > LARGE
    u = x - 1.0
    more = f.select(large, 0.0, f.sqrt(f.select(large, 1.0, u) * (u + 2.0)))
    y = vecmath.log1p(f, u + more)
    return f.select(x < 1.0, NAN, f.select(large, y + LN2, y))


@in_float64
def atanh(f: Function, x: Value) -> Value:
    """log((1 + x) / (1 - x)) / 2; NaN beyond 1."""
    t = fabs(f, x)
    return copysign(f, vecmath.log1p(f, (t + t) / (1.0 - t)) * 0.5, x)


# -- erfinv --------------------------------------------------------------------------------------


@in_float64
def erfinv(f: Function, x: Value) -> Value:
    """The inverse of erf: infinite at -1 and 1, NaN beyond. Wichura, 1988, AS 241."""
    q, tail = x * 0.5, (1.0 - fabs(f, x)) * 0.5
    near = fabs(f, q) <= 0.425
    r = f.sqrt(-vecmath.log(f, tail))
    middle = r <= 5.0
    t = f.select(near, f.fma(-q, q, 0.180625), f.select(middle, r - 1.6, r - 5.0))
    parts = []
    for k in (0, 1):
        rows = (libm.AS241_CENTRE[k], libm.AS241_TAIL[k], libm.AS241_FAR[k])
        value = None
        for a, b, c in zip(*rows, strict=True):
            chosen = f.select(near, a, f.select(middle, f.const(t.type, b), c))
            value = chosen if value is None else f.fma(value, t, chosen)
        assert value is not None
        parts.append(value)
    v = parts[0] / parts[1]
    v = f.select(near, q * v, copysign(f, f.select(tail == 0.0, INF, v), q))
    return f.select(tail >= 0.0, v * libm.SQRT1_2, NAN)


# -- gamma ---------------------------------------------------------------------------------------


def sin_and_cos_pi(f: Function, x: Value) -> tuple[Value, Value]:
    """|sin(pi x)| and the cotangent's sign times |cos(pi x)|, exact at integers."""
    part = x - f.same("rint", x)  # in [-1/2, 1/2]
    steep = fabs(f, part) > 0.25
    turned = f.select(steep, 0.5 - fabs(f, part), fabs(f, part))
    sine, cosine = vecmath.sin_and_cos(f, turned * PI, 9)
    size = f.select(steep, cosine, sine)
    other = f.select(steep, sine, cosine)
    return size, copysign(f, other, part)


@in_float64
def lgamma(f: Function, x: Value) -> Value:
    """log |gamma(x)|; infinite at 0, -1, -2, … and at both infinities."""
    a = fabs(f, x)
    far = a >= 8.0
    steps = f.same("rint", a)
    z = a - steps
    product = f.const(x.type, 1.0)
    for k in range(3, 9):  # a = steps + z; divide out (a - 1) ... (2 + z)
        product = f.select(steps >= k, product * (z + (k - 1)), product)
    product = f.select(steps == 1.0, a, product)
    product = f.select(steps == 0.0, a * (a + 1.0), product)
    logarithm = vecmath.log(f, f.select(far, a, product))
    near = horner(f, tables.LGAMMA2, z * 2.0) * z
    near = near + f.select(steps < 2.0, -logarithm, logarithm)
    r = 1.0 / a
    error = horner(f, gamma.STIRLING, r * r) * r
    stirling = (a - 0.5) * (logarithm - 1.0) + (gamma.HALF_LOG_2PI - 0.5) + error
    right = f.select(far, stirling, near)
    right = f.select(a < 1e-17, -logarithm, right)
    size, _ = sin_and_cos_pi(f, a)
    left = vecmath.log(f, PI / (a * size)) - right
    y = f.select((x < 0.0) & (a >= 1e-17), left, right)
    y = f.select((x < 0.0) & (a == f.same("floor", a)), INF, y)
    return f.select((a == 0.0) | (a == INF), INF, y)


@in_float64
def digamma(f: Function, x: Value) -> Value:
    """The slope of lgamma; -inf at +0, inf at -0, NaN at the negative integers."""
    negative = x < 0.0
    v = f.select(negative, 1.0 - x, x)
    far = v >= 10.0
    whole = f.same("floor", v)
    z = v - whole
    high, low = tables.DIGAMMA_ROOT
    gap = (f.select(whole == 1.0, v - high, (z + 1.0) - high)) - low
    near = horner(f, tables.DIGAMMA1, z * 2.0 - 1.0) * gap
    above, below = f.const(x.type, 0.0), f.const(x.type, 1.0)
    for k in range(1, 9):  # the sum of 1/(z + k), as one fraction
        more = whole >= k + 1
        step = z + k
        above, below = (
            f.select(more, f.fma(above, step, below), above),
            f.select(more, below * step, below),
        )
    near = near + above / below
    near = f.select(whole == 0.0, near - 1.0 / v, near)
    r = 1.0 / v
    square = r * r
    series = horner(f, gamma.DIGAMMA_FAR, square)
    y = f.select(far, (vecmath.log(f, v) - r * 0.5) - square * series, near)
    sine, cosine = sin_and_cos_pi(f, x)
    y = f.select(negative, y - cosine / sine * PI, y)
    y = f.select(negative & (x == f.same("floor", x)), NAN, y)
    y = f.select(x == INF, x, y)
    return f.select(x == 0.0, copysign(f, f.const(x.type, INF), -x), y)


# -- x log x -------------------------------------------------------------------------------------


@in_float64
def entr(f: Function, x: Value) -> Value:
    """-x log x; 0 at 0, -inf below."""
    y = -x * vecmath.log(f, x)
    return f.select(x == 0.0, 0.0, f.select(x < 0.0, -INF, y))


def _times_log(log: Callable[..., Value]) -> Callable[..., Value]:
    def function(f: Function, x: Value, y: Value) -> Value:
        """x times a logarithm of y; 0 where x is 0, unless y is NaN."""
        return f.select((x == 0.0) & (y == y), 0.0, x * log(f, y))

    return in_float64(function)


xlogy = _times_log(vecmath.log)
xlog1py = _times_log(vecmath.log1p)
