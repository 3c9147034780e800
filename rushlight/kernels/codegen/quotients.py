"""Remainders and rounded quotients of floats, exact as the C library's and NumPy's.

The remainder of x by y, both positive, is x - q y with the whole part q of x / y. The division is
rounded, so q may be one too large where x / y is just below a whole number; then x - q y is
negative, and y is added. A fused multiply-add computes x - q y without rounding as long as q has no
more digits than the type. Beyond that, and for infinities, NaN and zeros, the C library's `fmod` is
called for the lanes that need it.

Source: Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed., section 4.7 (the remainder is
a floating-point number); `remainder` and `floor_divide` follow CPython's float_divmod, as those of
NumPy do.

Not here: integers, which NumPy divides.
"""

from __future__ import annotations

from .ir import F32, F64, Function, Value, element
from .vecmath import copysign, fabs, lane_by_lane, unless_any

EXACT = {F32: 2.0**23, F64: 2.0**52}  # whole parts below this have no more digits than the type


def fmod(f: Function, a: Value, b: Value) -> Value:
    """a - b trunc(a / b), with the sign of a."""
    x, y = fabs(f, a), fabs(f, b)
    q = f.same("trunc", x / y)
    r = f.fma(-q, y, x)
    r = f.select(r < 0.0, r + y, r)
    r = copysign(f, f.select(x < y, x, r), a)  # (0 times an infinite y would be NaN)
    far = ~(q < EXACT[element(a.type)])
    return unless_any(f, far, r, lambda: lane_by_lane(f, "fmod", a, b))


def opposite(f: Function, m: Value, b: Value) -> Value:
    """Whether a remainder has another sign than the divisor."""
    return (m != 0.0) & ((m < 0.0) ^ (b < 0.0))


def remainder(f: Function, a: Value, b: Value) -> Value:
    """a - b floor(a / b), with the sign of b."""
    m = fmod(f, a, b)
    m = f.select(opposite(f, m, b), m + b, m)
    return f.select(m == 0.0, copysign(f, f.const(m.type, 0.0), b), m)


def floor_divide(f: Function, a: Value, b: Value) -> Value:
    """floor(a / b), of the exact quotient; a / b where b is 0."""
    m = fmod(f, a, b)
    whole, q = (a - m) / b, a / b
    whole = f.select(opposite(f, m, b), whole - 1.0, whole)
    low = f.same("floor", whole)
    low = f.select(whole - low > 0.5, low + 1.0, low)
    low = f.select(whole == 0.0, copysign(f, f.const(low.type, 0.0), q), low)
    return f.select(b == 0.0, q, low)


def trunc_divide(f: Function, a: Value, b: Value) -> Value:
    """a / b, rounded, without its fraction."""
    return f.same("trunc", a / b)
