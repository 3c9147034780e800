"""Special functions on arrays: the error-function family and the x log x family, NumPy only.

Each public function takes a float32 or float64 array (integers become float64) and returns a new
array of the same float dtype. Inside, the work is done in float64 on blocks that stay in the cache,
so float32 results are rounded once and temporaries are small. Gamma functions are in `libm_gamma`,
Bessel functions in `libm_bessel`, their polynomials in `libm_tables`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.errors import message
from rushlight.kernels.dense import laid_as
from rushlight.kernels.special import tables

__all__ = [
    "entr",
    "erf",
    "erfc",
    "erfcx",
    "erfinv",
    "expit",
    "log_ndtr",
    "logit",
    "logsigmoid",
    "ndtr",
    "ndtri",
    "sinc",
    "xlog1py",
    "xlogy",
]

Array = np.ndarray[Any, Any]

BLOCK = 8192  # elements: a few float64 temporaries of this size fit in a 1 MB second-level cache
SQRT1_2 = math.sqrt(0.5)


def horner(coefficients: Sequence[float], x: Array) -> Array:
    """The polynomial with these coefficients (highest power first) at x; the result is a new
    array."""
    y = x * coefficients[0]
    y += coefficients[1]
    for c in coefficients[2:]:
        y *= x
        y += c
    return y


def _flat(x: Array) -> tuple[Array, Array]:
    """An empty result laid out like x, and a flat view of it to fill in the order of
    `x.ravel("K")`."""
    out = np.empty_like(x)
    order = sorted(range(x.ndim), key=lambda d: -abs(x.strides[d]))
    view = out.transpose(order)
    if view.flags.c_contiguous and x.transpose(order).flags.c_contiguous:
        return out, view.reshape(-1)
    out = np.empty(x.shape, x.dtype)
    return out, out.reshape(-1)


def refuse_complex(name: str, *arrays: Array) -> None:
    """These functions are of real numbers; a cast would drop the imaginary parts in silence."""
    for a in arrays:
        if a.dtype.kind == "c":
            word = "ComplexFloat" if a.dtype.itemsize == 8 else "ComplexDouble"
            raise NotImplementedError(
                message(
                    f"\"{name.strip('_')}_cpu\" not implemented for '{word}'",
                    wanted="a floating or integer type",
                    hint="x.real, if the imaginary parts are of no matter",
                )
            )


def blocked(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Lift a function of one flat float64 block to arrays of any shape, layout and float dtype."""

    @functools.wraps(function)
    def lifted(x: Array) -> Array:
        x = np.asarray(x)
        if x.dtype.kind != "f":
            refuse_complex(function.__name__, x)
            x = x.astype(np.float64)
        with np.errstate(all="ignore"):
            if x.size <= BLOCK:
                flat = np.ascontiguousarray(x).reshape(-1).astype(np.float64, copy=False)
                y = function(flat).astype(x.dtype, copy=False).reshape(x.shape)
                return laid_as(y, x) if x.ndim > 1 else y
            out, target = _flat(x)
            order = sorted(range(x.ndim), key=lambda d: -abs(x.strides[d]))
            dense = x.transpose(order)
            source = (
                dense.reshape(-1)
                if dense.flags.c_contiguous
                else np.ascontiguousarray(x).reshape(-1)
            )
            for start in range(0, x.size, BLOCK):
                piece = source[start : start + BLOCK].astype(np.float64, copy=False)
                target[start : start + BLOCK] = function(piece)
        return out

    return lifted


def blocked2(function: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    """The same for two arguments, which broadcast against each other."""

    @functools.wraps(function)
    def lifted(a: Array, b: Array) -> Array:
        a, b = np.asarray(a), np.asarray(b)
        dtype = np.result_type(a, b)
        if dtype.kind != "f":
            refuse_complex(function.__name__, a, b)
            dtype = np.dtype(np.float64)
        operands = a, b
        a, b = np.broadcast_arrays(a, b)
        out = np.empty(a.shape, dtype)
        target, a, b = out.reshape(-1), a.reshape(-1), b.reshape(-1)
        with np.errstate(all="ignore"):
            for start in range(0, out.size, BLOCK):
                piece = slice(start, start + BLOCK)
                target[piece] = function(
                    a[piece].astype(np.float64, copy=False), b[piece].astype(np.float64, copy=False)
                )
        return laid_as(out, *operands)

    return lifted


def pick(y: Array, mask: Array, function: Callable[..., Array], *xs: Array) -> None:
    """Set y where mask, from function of the arguments there; costs nothing where the mask is
    empty."""
    if mask.all():
        if y.size:
            y[...] = function(*xs)
    elif mask.any():
        y[mask] = function(*(x[mask] for x in xs))


# The error function and its relatives ------------------------------------------------------------


def _erf_near(x: Array) -> Array:
    """erf for |x| <= 1."""
    t = x * x
    t *= 2
    t -= 1
    t = horner(tables.ERF, t)
    t *= x
    return t


def _erfcx_right(x: Array) -> Array:
    """exp(x*x) erfc(x) for x >= 0: a polynomial in (x - 4)/(x + 4), after Shepherd and Laframboise
    (1981)."""
    t = (x - 4) / (x + 4)
    np.copyto(t, 1.0, where=np.isinf(x))
    y = horner(tables.ERFCX, t)
    y /= 1 + 2 * x
    return y


def _exp_minus_square(x: Array) -> Array:
    """exp(-x*x) without the error of rounding x*x: x is split into a short head and a tail."""
    head = x.astype(np.float32).astype(np.float64)
    tail = (x - head) * (x + head)
    y = np.exp(-head * head) * np.exp(-tail)
    np.copyto(y, 0.0, where=np.abs(x) > 28)
    return y


def _erfc_right(x: Array) -> Array:
    """erfc for x >= 1/2."""
    return _exp_minus_square(x) * _erfcx_right(x)


def _erf64(x: Array) -> Array:
    size = np.abs(x)
    near = size <= 1
    y = x.copy()
    pick(y, near, _erf_near, x)
    pick(y, size > 1, lambda v: np.copysign(1 - _erfc_right(np.abs(v)), v), x)
    return y


def _erf32(x: Array) -> Array:
    """erf to 1e-9, which float32 rounds to the right neighbour: one rational function, no
    branches."""
    x = np.clip(x, -4, 4)
    z = x * x
    y = horner(tables.ERF32_P, z)
    y *= x
    y /= horner(tables.ERF32_Q, z)
    return y


_blocked_erf32 = blocked(_erf32)
_blocked_erf64 = blocked(_erf64)


def erf(x: Array) -> Array:
    """2/sqrt(pi) times the integral of exp(-t*t) from 0 to x."""
    return _blocked_erf32(x) if x.dtype == np.float32 else _blocked_erf64(x)


@blocked
def erfc(x: Array) -> Array:
    """1 - erf(x), without cancellation for large x."""
    y = x.copy()
    pick(y, np.abs(x) < 0.5, lambda v: 1 - _erf_near(v), x)
    pick(y, x >= 0.5, _erfc_right, x)
    pick(y, x <= -0.5, lambda v: 2 - _erfc_right(-v), x)
    return y


@blocked
def erfcx(x: Array) -> Array:
    """exp(x*x) erfc(x)."""
    y = x.copy()
    pick(y, x >= 0, _erfcx_right, x)
    pick(y, x < 0, _erfcx_left, x)
    return y


def _erfcx_left(x: Array) -> Array:
    head = x.astype(np.float32).astype(np.float64)
    grown = np.exp(head * head) * np.exp((x - head) * (x + head))
    y = 2 * grown - _erfcx_right(-x)
    np.copyto(y, np.inf, where=x < -27)
    return y


# Wichura's algorithm AS 241 (Applied Statistics 37, 1988): the normal quantile to about 1e-16.
AS241_CENTRE = (
    (
        2.5090809287301226727e3,
        3.3430575583588128105e4,
        6.7265770927008700853e4,
        4.5921953931549871457e4,
        1.3731693765509461125e4,
        1.9715909503065514427e3,
        1.3314166789178437745e2,
        3.3871328727963666080e0,
    ),
    (
        5.2264952788528545610e3,
        2.8729085735721942674e4,
        3.9307895800092710610e4,
        2.1213794301586595867e4,
        5.3941960214247511077e3,
        6.8718700749205790830e2,
        4.2313330701600911252e1,
        1.0,
    ),
)
AS241_TAIL = (
    (
        7.74545014278341407640e-4,
        2.27238449892691845833e-2,
        2.41780725177450611770e-1,
        1.27045825245236838258e0,
        3.64784832476320460504e0,
        5.76949722146069140550e0,
        4.63033784615654529590e0,
        1.42343711074968357734e0,
    ),
    (
        1.05075007164441684324e-9,
        5.47593808499534494600e-4,
        1.51986665636164571966e-2,
        1.48103976427480074590e-1,
        6.89767334985100004550e-1,
        1.67638483018380384940e0,
        2.05319162663775882187e0,
        1.0,
    ),
)
AS241_FAR = (
    (
        2.01033439929228813265e-7,
        2.71155556874348757815e-5,
        1.24266094738807843860e-3,
        2.65321895265761230930e-2,
        2.96560571828504891230e-1,
        1.78482653991729133580e0,
        5.46378491116411436990e0,
        6.65790464350110377720e0,
    ),
    (
        2.04426310338993978564e-15,
        1.42151175831644588870e-7,
        1.84631831751005468180e-5,
        7.86869131145613259100e-4,
        1.48753612908506148525e-2,
        1.36929880922735805310e-1,
        5.99832206555887937690e-1,
        1.0,
    ),
)


def _quantile(offset: Array, tail: Array) -> Array:
    """The normal quantile of 1/2 + offset, where tail = 1/2 - |offset| is given without
    rounding."""
    y = np.full_like(offset, np.nan)

    def centre(q: Array) -> Array:
        r = 0.180625 - q * q
        return q * horner(AS241_CENTRE[0], r) / horner(AS241_CENTRE[1], r)

    def outside(q: Array, p: Array) -> Array:
        r = np.sqrt(-np.log(p))
        v = np.where(
            r <= 5,
            horner(AS241_TAIL[0], r - 1.6) / horner(AS241_TAIL[1], r - 1.6),
            horner(AS241_FAR[0], r - 5) / horner(AS241_FAR[1], r - 5),
        )
        np.copyto(v, np.inf, where=p == 0)
        return np.copysign(v, q)

    near = np.abs(offset) <= 0.425
    pick(y, near, centre, offset)
    pick(y, ~near & (tail >= 0), outside, offset, tail)
    return y


@blocked
def ndtri(x: Array) -> Array:
    """The x for which the normal distribution function is the given probability."""
    return _quantile(x - 0.5, np.where(x < 0.5, x, 1 - x))


@blocked
def erfinv(x: Array) -> Array:
    """The inverse of erf on [-1, 1]; infinite at the ends, nan outside."""
    return _quantile(x * 0.5, (1 - np.abs(x)) * 0.5) * SQRT1_2


@blocked
def ndtr(x: Array) -> Array:
    """The normal distribution function (1 + erf(x / sqrt 2)) / 2."""
    z = x * SQRT1_2
    y = x.copy()
    pick(y, np.abs(z) < 0.5, lambda v: 0.5 + 0.5 * _erf_near(v), z)
    pick(y, z >= 0.5, lambda v: 1 - 0.5 * _erfc_right(v), z)
    pick(y, x <= -SQRT1_2, _ndtr_left, x)
    return y


def _ndtr_left(x: Array) -> Array:
    """For x <= -0.7: exp(-x*x/2) erfcx(-x / sqrt 2)/2, the exponent split so that the tail keeps
    its digits."""
    head = x.astype(np.float32).astype(np.float64)
    y = np.exp(-0.5 * head * head) * np.exp(-0.5 * (x - head) * (x + head))
    y *= 0.5 * _erfcx_right(-x * SQRT1_2)
    np.copyto(y, 0.0, where=x < -40)
    return y


@blocked
def log_ndtr(x: Array) -> Array:
    """log of the normal distribution function, for arguments down to -1e150 and beyond."""
    y = x.copy()
    pick(y, x < -1, lambda v: np.log(0.5 * _erfcx_right(-v * SQRT1_2)) - 0.5 * v * v, x)
    pick(y, (x >= -1) & (x < 1), lambda v: np.log(_ndtr_any(v)), x)
    pick(y, x >= 1, lambda v: np.log1p(-_ndtr_left(-v)), x)
    np.copyto(y, -np.inf, where=x == -np.inf)
    return y


_ndtr_any: Callable[[Array], Array] = ndtr.__wrapped__  # type: ignore[attr-defined]


# Logistic functions ------------------------------------------------------------------------------


@blocked
def expit(x: Array) -> Array:
    """1 / (1 + exp(-x))."""
    return 1 / (1 + np.exp(-x))


@blocked
def logsigmoid(x: Array) -> Array:
    """log(1 / (1 + exp(-x))) = min(x, 0) - log1p(exp(-|x|))."""
    return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))


@blocked
def logit(x: Array) -> Array:
    """log(x / (1 - x)); near 1/2 through log1p, where the quotient would lose digits."""
    y = np.log(x / (1 - x))
    pick(y, np.abs(x - 0.5) < 0.2, lambda v: np.log1p((2 * v - 1) / (1 - v)), x)
    return y


# x log x -----------------------------------------------------------------------------------------


@blocked
def entr(x: Array) -> Array:
    """-x log x for x > 0, 0 at 0, -inf below."""
    y = -x * np.log(x)
    np.copyto(y, 0.0, where=x == 0)
    np.copyto(y, -np.inf, where=x < 0)
    return y


@blocked2
def xlogy(x: Array, y: Array) -> Array:
    """x log y, and 0 where x is 0 (unless y is nan)."""
    z = x * np.log(y)
    np.copyto(z, 0.0, where=(x == 0) & ~np.isnan(y))
    return z


@blocked2
def xlog1py(x: Array, y: Array) -> Array:
    """x log(1 + y), and 0 where x is 0 (unless y is nan)."""
    z = x * np.log1p(y)
    np.copyto(z, 0.0, where=(x == 0) & ~np.isnan(y))
    return z


def sinpi(x: Array) -> Array:
    """sin(pi x), exact at integers; x is a float64 array."""
    whole = np.round(x)
    y = np.sin(np.pi * (x - whole))
    return np.where(np.fmod(whole, 2) == 0, y, -y)


@blocked
def sinc(x: Array) -> Array:
    """sin(pi x)/(pi x), and 1 at 0."""
    y = sinpi(x) / (np.pi * x)
    np.copyto(y, 1.0, where=x == 0)
    return y


def sinc_complex(x: Array) -> Array:
    """sinc of complex numbers."""
    safe = np.where(x == 0, x.dtype.type(1), x) * x.real.dtype.type(np.pi)
    return np.where(x == 0, x.dtype.type(1), np.sin(safe) / safe)
