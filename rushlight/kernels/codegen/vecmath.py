"""exp, log, sin, tanh, erf and their like, for vectors of float32 and float64.

Each function writes the instructions for one vector (any number of lanes) and returns its value.
Every lane is computed in the same way wherever it stands, so the results of an array do not depend
on how it is cut. Polynomials are Taylor or Chebyshev series whose coefficients are written as what
they are. float32 functions that need more digits inside compute in float64.

Errors, measured by tests/kernels/codegen/test_vecmath.py: float32 within 2 ulp, float64 within 4.

Source of the reductions: Muller, Elementary Functions, 3rd ed., chapters 4, 6 and 11; Cody and
Waite, Software Manual for the Elementary Functions (1980).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ..runtime import jit
from ..special import tables
from . import piecewise
from .ir import F32, F64, I32, I64, Function, Value, element, lanes

LN2_HI = {F32: 0.693145751953125, F64: 6.93147180369123816490e-01}  # few bits: n * LN2_HI is exact
LN2_LO = {F32: 1.42860682030941723212e-6, F64: 1.90821492927058770002e-10}
MAGIC = {F32: 1.5 * 2**23, F64: 1.5 * 2**52}  # x + MAGIC has the rounded x in its low bits
FRACTION = {F32: 23, F64: 52}
BIAS = {F32: 127, F64: 1023}
INTEGER = {F32: I32, F64: I64}
EXP_TERMS = {F32: 8, F64: 14}
LOG_TERMS = {F32: 5, F64: 11}
INF = math.inf
NAN = math.nan


def horner(f: Function, coefficients: Sequence[float], x: Value) -> Value:
    """The polynomial with these coefficients, highest power first."""
    y = f.const(x.type, coefficients[0])
    for c in coefficients[1:]:
        y = f.fma(y, x, f.const(x.type, c))
    return y


def wide(write: Callable[[Function, Value], Value]) -> Callable[[Function, Value], Value]:
    """The function computed in float64 whatever it is given."""

    def function(f: Function, x: Value) -> Value:
        return f.convert(write(f, f.convert(x, F64)), element(x.type))

    function.__doc__ = write.__doc__
    function.__name__ = write.__name__
    return function


def held(f: Function, x: Value, low: float, high: float) -> Value:
    """x between low and high; NaN stays."""
    x = f.select(x < low, low, x)
    return f.select(x > high, high, x)


def copysign(f: Function, size: Value, sign: Value) -> Value:
    return f.same("copysign", size, sign)


def fabs(f: Function, x: Value) -> Value:
    return f.fabs(x)


def sqrt(f: Function, x: Value) -> Value:
    return f.sqrt(x)


# -- exponentials --------------------------------------------------------------------------------


def power_of_two(f: Function, n: Value) -> Value:
    """2**n of integers within the range of normal numbers."""
    e = F32 if element(n.type) == I32 else F64
    return f.bits((n + BIAS[e]) << FRACTION[e], e)


def scaled(f: Function, y: Value, n: Value, whole: Value) -> Value:
    """y * 2**n, also where 2**n or the result is not a normal number; `whole` is n as integers."""
    e = element(y.type)
    if lanes(y.type) == WHOLE[e] and has_scale():
        mask, how = f.const(f"i{WHOLE[e]}", -1), f.const(I32, 4)  # all lanes; the usual rounding
        name = f"llvm.x86.avx512.mask.scalef.p{'s' if e == F32 else 'd'}.512"
        return f.intrinsic(name, y.type, [y, n, y, mask, how])
    half = whole >> 1
    return y * power_of_two(f, half) * power_of_two(f, whole - half)


WHOLE = {F32: 16, F64: 8}  # lanes of 512 bits


def has_scale() -> bool:
    """Whether the CPU multiplies by powers of two in one step (AVX-512)."""
    t = jit.target()
    return t.lanes == 16 and t.machine.triple.startswith("x86_64")


def nearest(f: Function, x: Value, factor: float) -> tuple[Value, Value]:
    """The integer nearest to x * factor, as a float and as an integer."""
    e = element(x.type)
    shifted = f.fma(x, factor, MAGIC[e])
    magic = f.const(x.type, MAGIC[e])
    whole = f.bits(shifted, INTEGER[e]) - f.bits(magic, INTEGER[e])
    return shifted - magic, whole


def reduced_exp(f: Function, x: Value) -> tuple[Value, Value, Value]:
    """(r, n, n as integers) with x = n ln 2 + r, |r| <= ln(2)/2."""
    e = element(x.type)
    n, whole = nearest(f, x, 1 / math.log(2))
    r = f.fma(n, -LN2_HI[e], x)
    return f.fma(n, -LN2_LO[e], r), n, whole


EXP_RANGE = {F32: (-104.0, 89.0), F64: (-746.0, 710.0)}  # beyond: 0 and infinity


def expm1_near_zero(f: Function, r: Value) -> Value:
    """e**r - 1 for |r| <= ln(2)/2, by its series."""
    series = [1 / math.factorial(k) for k in reversed(range(2, EXP_TERMS[element(r.type)]))]
    return f.fma(horner(f, series, r), r * r, r)


def exp(f: Function, x: Value) -> Value:
    """e**x."""
    r, n, whole = reduced_exp(f, held(f, x, *EXP_RANGE[element(x.type)]))
    return scaled(f, expm1_near_zero(f, r) + 1.0, n, whole)


def exp_below_zero(f: Function, x: Value) -> Value:
    """e**x of numbers that are not above zero (a little above does no harm); NaN stays."""
    least = EXP_RANGE[element(x.type)][0]
    r, n, whole = reduced_exp(f, f.select(x < least, least, x))
    return scaled(f, expm1_near_zero(f, r) + 1.0, n, whole)


def exp2(f: Function, x: Value) -> Value:
    """2**x."""
    e = element(x.type)
    x = held(f, x, -1080.0 if e == F64 else -152.0, 1025.0 if e == F64 else 129.0)
    n, whole = nearest(f, x, 1.0)
    return scaled(f, expm1_near_zero(f, (x - n) * math.log(2)) + 1.0, n, whole)


def expm1(f: Function, x: Value) -> Value:
    """e**x - 1."""
    e = element(x.type)
    r, n, whole = reduced_exp(f, held(f, x, -40.0, EXP_RANGE[e][1]))
    small = expm1_near_zero(f, r)
    most = 2 * FRACTION[e]
    down = power_of_two(f, -f.select(whole > most, most, whole))
    y = scaled(f, small + (1.0 - down), n, whole)  # y = 2**n (small + 1 - 2**-n)
    return f.select(x == 0.0, x, y)


# -- logarithms ----------------------------------------------------------------------------------


def split(f: Function, x: Value) -> tuple[Value, Value]:
    """(m, n) with x = m 2**n, m in [sqrt(1/2), sqrt(2)), for positive finite x."""
    e = element(x.type)
    i = INTEGER[e]
    bits, least = FRACTION[e], 2.0 ** (2 - BIAS[e])
    tiny = x < least
    x = f.select(tiny, x * 2.0 ** (bits + 1), x)
    root = f.bits(f.const(x.type, math.sqrt(0.5)), i)
    shifted = f.bits(x, i) - root
    n = shifted >> bits
    m = f.bits((shifted & ((1 << bits) - 1)) + root, e)
    n = f.select(tiny, n - (bits + 1), n)
    return m, f.convert(n, e)


def log_near_one(f: Function, u: Value) -> tuple[Value, Value]:
    """log(1 + u) as u plus the returned correction, for 1 + u in [sqrt(1/2), sqrt(2))."""
    s = u / (u + 2.0)
    z = s * s
    series = [2 / (2 * k + 1) for k in reversed(range(1, LOG_TERMS[element(u.type)] + 1))]
    more = horner(f, series, z) * z  # log(1 + u) = 2 s + s * more, 2 s = u - s u
    half = u * u * 0.5
    return u, s * (half + more) - half


def finished_log(f: Function, x: Value, y: Value) -> Value:
    """The logarithm y with its special values."""
    y = f.select(x == INF, x, y)
    y = f.select(x == 0.0, -INF, y)
    y = f.select(x < 0.0, NAN, y)
    return f.select(x != x, x, y)


def log(f: Function, x: Value) -> Value:
    """The natural logarithm."""
    e = element(x.type)
    m, n = split(f, x)
    u, more = log_near_one(f, m - 1.0)
    y = f.fma(n, LN2_HI[e], u + f.fma(n, LN2_LO[e], more))
    return finished_log(f, x, y)


def log_to_base(name: str, base: float) -> Callable[[Function, Value], Value]:
    """log2 and log10: the digits before and after the point apart."""
    per_two, per_e = math.log(2) / math.log(base), 1 / math.log(base)
    if base == 2:
        per_two = 1.0

    def function(f: Function, x: Value) -> Value:
        m, n = split(f, x)
        u, more = log_near_one(f, m - 1.0)
        y = f.fma(n, per_two, (u + more) * per_e)
        return finished_log(f, x, y)

    function.__doc__ = f"The logarithm to base {base:g}."
    function.__name__ = name
    return function


_log2_64 = log_to_base("log2", 2.0)
_log10_64 = log_to_base("log10", 10.0)
log2 = _log2_64
log10 = wide(_log10_64)


def log1p(f: Function, x: Value) -> Value:
    """log(1 + x) without losing the digits of a small x."""
    e = element(x.type)
    total = x + 1.0
    lost = f.select(x > 1.0, 1.0 - (total - x), x - (total - 1.0)) / total
    m, n = split(f, total)
    same = n == 0.0
    u, more = log_near_one(f, f.select(same, x, m - 1.0))
    more = more + f.select(same, 0.0, lost)
    y = f.fma(n, LN2_HI[e], u + f.fma(n, LN2_LO[e], more))
    y = f.select(fabs(f, x) < 2.0 ** (-FRACTION[e] - 2), x, y)
    return finished_log(f, total, y)


def logaddexp(f: Function, a: Value, b: Value) -> Value:
    """log(e**a + e**b), from the larger of them; equal infinities stay."""
    y = f.select(a > b, a, b) + log1p(f, exp(f, -fabs(f, a - b)))
    return f.select(a == b, a + math.log(2), f.select((a != a) | (b != b), a + b, y))


def logaddexp2(f: Function, a: Value, b: Value) -> Value:
    """log2(2**a + 2**b), likewise."""
    more = log1p(f, exp2(f, -fabs(f, a - b))) * math.log2(math.e)
    y = f.select(a > b, a, b) + more
    return f.select(a == b, a + 1.0, f.select((a != a) | (b != b), a + b, y))


# -- trigonometry --------------------------------------------------------------------------------

HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33)
FAR = 1e5  # beyond, the C library reduces the argument


def reduced_angle(f: Function, x: Value) -> tuple[Value, Value]:
    """(r, n): x = n pi/2 + r, |r| <= pi/4, for float64 |x| < FAR."""
    n, whole = nearest(f, x, 2 / math.pi)
    r = f.fma(n, -HALF_PI[0], x)
    r = f.fma(n, -HALF_PI[1], r)
    return f.fma(n, -HALF_PI[2], r), whole


def sin_and_cos(f: Function, r: Value, terms: int) -> tuple[Value, Value]:
    """Both for |r| <= pi/4, by their series."""
    z = r * r
    odd = [(-1) ** k / math.factorial(2 * k + 1) for k in reversed(range(1, terms))]
    even = [(-1) ** k / math.factorial(2 * k) for k in reversed(range(2, terms + 1))]
    sine = f.fma(horner(f, odd, z) * z, r, r)
    half = z * 0.5
    near = 1.0 - half  # the rounding error of this difference is added back
    cosine = near + f.fma(horner(f, even, z), z * z, (1.0 - near) - half)
    return sine, cosine


def lane_by_lane(f: Function, name: str, *xs: Value) -> Value:
    """A function of the C library, called for each lane."""
    n = lanes(xs[0].type)
    e = element(xs[0].type)
    symbol = name + ("f" if e == F32 else "")
    f.module.declare(symbol, e, [e] * len(xs))
    if n == 1:
        return f.call(symbol, e, xs)
    place = f.buffer(e, n)
    sources = [f.buffer(e, n) for _ in xs]
    for source, x in zip(sources, xs, strict=True):
        source.store(x)
    with f.range(n) as i:
        place[i] = f.call(symbol, e, [source[i] for source in sources])
    return place.load(0, n)


def unless_any(f: Function, bad: Value, y: Value, slow: Callable[[], Value]) -> Value:
    """y; where any lane is bad, the lanes of slow() in the place of bad ones."""
    n = lanes(bad.type)
    some = bad
    if n > 1:
        some = f.intrinsic(f"llvm.vector.reduce.or.v{n}i1", "i1", [bad])
    result = f.var(y)
    with f.when(some):
        result.set(f.select(bad, slow(), y))
    return result.get()


def _turned(kind: str) -> Callable[[Function, Value], Value]:
    """sin, cos or tan from the reduced angle and its quadrant."""

    def function(f: Function, given: Value) -> Value:
        x = f.convert(given, F64)
        r, n = reduced_angle(f, x)
        sine, cosine = sin_and_cos(f, r, 9 if element(given.type) == F64 else 6)
        odd = (n & 1) == 1
        if kind == "tan":
            y = f.select(odd, -cosine, sine) / f.select(odd, sine, cosine)
        else:
            quadrant = n + 1 if kind == "cos" else n
            y = f.select((quadrant & 1) == 1, cosine, sine)
            y = f.select((quadrant & 2) == 2, -y, y)
        y = f.convert(y, element(given.type))
        if kind != "cos":
            y = f.select(given == 0.0, given, y)
        far = ~(fabs(f, given) < FAR)  # NaN and infinity too
        return unless_any(f, far, y, lambda: lane_by_lane(f, kind, given))

    function.__name__ = kind
    function.__doc__ = f"{kind} of radians."
    return function


sin, cos, tan = _turned("sin"), _turned("cos"), _turned("tan")


# -- hyperbolic and logistic ---------------------------------------------------------------------


def tanh_fraction(terms: int) -> tuple[list[float], list[float]]:
    """tanh(x)/x - 1 as a quotient of polynomials in x*x, highest power first: Lambert's continued
    fraction x/(1 + x*x/(3 + x*x/(5 + ...))), cut after some terms."""
    top, bottom = [2 * terms - 1], [1]  # of 1/(value so far), by powers of z = x*x, lowest first
    for odd in range(2 * terms - 3, 0, -2):  # odd + z * bottom / top
        longer = max(len(top), len(bottom) + 1)
        new = [0] * longer
        for k, c in enumerate(top):
            new[k] += odd * c
        for k, c in enumerate(bottom):
            new[k + 1] += c
        top, bottom = new, top
    less = [a - b for a, b in zip(bottom + [0] * (len(top) - len(bottom)), top, strict=True)]
    return [float(c) for c in reversed(less)], [float(c) for c in reversed(top)]


def tanh(f: Function, x: Value) -> Value:
    """The hyperbolic tangent. float64: a continued fraction near 0, 1 - 2 / (e**2x + 1) elsewhere,
    with one division for both."""
    if element(x.type) == F32:
        return piecewise.tanh(f, x)
    size = fabs(f, x)
    grown = exp(f, f.select(size > 20.0, 20.0, size) * 2.0)
    near = size < 0.6
    above, below = tanh_fraction(9)
    z = size * size
    part = f.select(near, horner(f, above, z), -2.0) / f.select(
        near, horner(f, below, z), grown + 1.0
    )
    base = f.select(near, size, 1.0)
    return copysign(f, f.fma(base, part, base), x)


def half_exp(f: Function, x: Value) -> Value:
    """e**x / 2, also where e**x is too large."""
    low, high = EXP_RANGE[element(x.type)]
    r, n, whole = reduced_exp(f, held(f, x, low, high + 1.0))
    return scaled(f, expm1_near_zero(f, r) + 1.0, n - 1.0, whole - 1)


def sinh(f: Function, x: Value) -> Value:
    """(e**x - e**-x) / 2; near 0 its series."""
    size = fabs(f, x)
    half = half_exp(f, f.select(size > 1.0, size, 1.0))
    z = x * x
    terms = 7 if element(x.type) == F32 else 11
    series = [1 / math.factorial(2 * k + 1) for k in reversed(range(1, terms))]
    near = f.fma(horner(f, series, z) * z, x, x)
    y = f.select(size > 1.0, copysign(f, half - 0.25 / half, x), near)
    return f.select(x != x, x, y)


def cosh(f: Function, x: Value) -> Value:
    """(e**x + e**-x) / 2."""
    half = half_exp(f, fabs(f, x))
    return half + 0.25 / half


def sigmoid(f: Function, x: Value) -> Value:
    """1 / (1 + e**-x), to the last digits on both sides."""
    z = exp(f, -fabs(f, x))
    total = z + 1.0
    lost = z - (total - 1.0)
    right = x >= 0.0
    y = f.select(right, 1.0, z) / total
    inverse = f.select(right, y, 1.0 - y)  # 1 / total
    return f.fma(-(y * lost), inverse, y)


# -- the error function --------------------------------------------------------------------------


def _erfc_right(f: Function, x: Value) -> Value:
    """erfc for float64 x >= 1/2: exp(-x*x) erfcx(x), with the rounding error of the square."""
    t = (x - 4.0) / (x + 4.0)
    right = horner(f, tables.ERFCX, t) / (x * 2.0 + 1.0)
    square = x * x
    lost = f.fma(x, x, -square)
    return exp(f, -square) * (1.0 - lost) * right


def _erf64(f: Function, x: Value) -> Value:
    size = fabs(f, x)
    near = x * horner(f, tables.ERF, f.fma(x * x, 2.0, -1.0))
    far = 1.0 - _erfc_right(f, f.select(size > 7.0, 7.0, size))
    y = f.select(size <= 1.0, near, copysign(f, far, x))
    return f.select(x != x, x, y)


def erf(f: Function, x: Value) -> Value:
    """2/sqrt(pi) times the integral of exp(-t*t) from 0 to x."""
    return piecewise.erf(f, x) if element(x.type) == F32 else _erf64(f, x)


@wide
def erfc(f: Function, x: Value) -> Value:
    """1 - erf(x)."""
    size = f.select(fabs(f, x) > 27.5, 27.5, fabs(f, x))
    near = 1.0 - x * horner(f, tables.ERF, f.fma(x * x, 2.0, -1.0))
    right = _erfc_right(f, size)
    y = f.select(x < 0.0, 2.0 - right, right)
    y = f.select(fabs(f, x) < 0.5, near, y)
    return f.select(x != x, x, y)


# -- powers --------------------------------------------------------------------------------------


def pow(f: Function, x: Value, y: Value) -> Value:
    """x**y; float64 by the C library, float32 through float64 logarithms."""
    if element(x.type) == F64:
        return lane_by_lane(f, "pow", x, y)
    a, b = f.convert(x, F64), f.convert(y, F64)
    z = f.convert(exp2(f, log2(f, a) * b), F32)
    plain = (x > 0.0) & (x < INF) & (fabs(f, y) < INF)
    return unless_any(f, ~plain, z, lambda: lane_by_lane(f, "pow", x, y))
