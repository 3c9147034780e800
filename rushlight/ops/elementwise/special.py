"""Special functions: erf, gamma and Bessel families, normal distribution, x log x, orthogonal
polynomials.

Derivatives are those of Abramowitz and Stegun, written with the functions themselves, so they can
be differentiated again. How the values are computed: `kernels/special/reference.py`,
`libm_gamma.py`, `libm_bessel.py`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...errors import message
from ...kernels.dense import laid_as
from ...kernels.special import airy, bessel, gamma
from ...kernels.special import reference as libm
from ..core.arguments import need_tensor
from ..core.composite import composite, store
from ..core.publication import write_out
from ..core.record import Op, intrinsic, op
from ..core.samples import arr, case, real
from ..core.shapes import same
from .formulas import cos, exp, log, log1p, sgn, sin, where

SHAPE = (3, 4)
POSITIVE = arr(SHAPE, 0.3, 6.0)
INV_SQRT_PI = 1 / math.sqrt(math.pi)
SQRT_2PI = math.sqrt(2 * math.pi)
EVERYWHERE = "torch Tensor special"

# -- the error function ----------------------------------------------------------------------------

erf = intrinsic(
    "erf", lambda input: libm.erf(input), lambda g, _y, x: g * (2 * INV_SQRT_PI * exp(-x * x)),
    nin=1, samples=real(-3, 3), public=EVERYWHERE,
    doc="The error function: 2/sqrt(pi) times the integral of exp(-t*t) from 0 to x.",
)  # fmt: skip
erfc = intrinsic(
    "erfc", lambda input: libm.erfc(input), lambda g, _y, x: g * (-2 * INV_SQRT_PI * exp(-x * x)),
    nin=1, samples=real(-3, 3), public=EVERYWHERE,
    doc="1 - erf(x), accurate where erf(x) is near 1.",
)  # fmt: skip
erfcx = intrinsic(
    "erfcx", lambda input: libm.erfcx(input), lambda g, y, x: g * (2 * x * y - 2 * INV_SQRT_PI),
    nin=1, samples=real(-2, 3), public="special",
    doc="exp(x*x) erfc(x), which neither overflows nor vanishes for large x.",
)  # fmt: skip
erfinv = intrinsic(
    "erfinv", lambda input: libm.erfinv(input),
    lambda g, y, _x: g * (0.5 / INV_SQRT_PI * exp(y * y)),
    inplace="method",
    nin=1, samples=real(-0.9, 0.9), public=EVERYWHERE,
    doc="The inverse of erf on (-1, 1); infinite at the ends, NaN outside.",
)  # fmt: skip

# -- the normal distribution -----------------------------------------------------------------------

ndtr = intrinsic(
    "ndtr", lambda input: libm.ndtr(input), lambda g, _y, x: g * (exp(-0.5 * x * x) / SQRT_2PI),
    nin=1, samples=real(-3, 3), public="special",
    doc="The distribution function of the standard normal distribution.",
)  # fmt: skip
ndtri = intrinsic(
    "ndtri", lambda input: libm.ndtri(input), lambda g, y, _x: g * (SQRT_2PI * exp(0.5 * y * y)),
    nin=1, samples=real(0.1, 0.9), public="special",
    doc="The quantile function of the standard normal distribution, the inverse of ndtr.",
)  # fmt: skip
log_ndtr = intrinsic(
    "log_ndtr", lambda input: libm.log_ndtr(input),
    lambda g, _y, x: g * (math.sqrt(2 / math.pi) / erfcx(x * -math.sqrt(0.5))),
    nin=1, samples=real(-6, 3), public="special",
    doc="log(ndtr(x)), accurate in the far left tail.",
)  # fmt: skip

# -- logistic and x log x --------------------------------------------------------------------------

expit = intrinsic(
    "expit", lambda x: 1 / (1 + np.exp(-x)), lambda g, y, _x: g * (y * (1 - y)),
    nin=1, samples=real(-6, 6), public="special", doc="1 / (1 + exp(-x)): the sigmoid.",
)  # fmt: skip
entr = intrinsic(
    "entr", lambda input: libm.entr(input), lambda g, _y, x: g * (-log(x) - 1),
    nin=1, samples=[case(POSITIVE)], public="special", doc="-x log(x); 0 at 0 and -inf below.",
)  # fmt: skip
xlogy = intrinsic(
    "xlogy", lambda input, other: libm.xlogy(input, other),
    lambda g, _y, a, b: g * where((a == 0) & (b <= 0), zero(b), log(b)),
    lambda g, _y, a, b: g * (a / b),
    inplace=True,
    nin=2, promote="float", samples=[case(SHAPE, POSITIVE), case(SHAPE, 2.5)], public=EVERYWHERE,
    doc="x log(y), and 0 where x is 0 (unless y is NaN).",
)  # fmt: skip
xlog1py = intrinsic(
    "xlog1py", lambda input, other: libm.xlog1py(input, other),
    lambda g, _y, a, b: g * where((a == 0) & (b <= -1), zero(b), log1p(b)),
    lambda g, _y, a, b: g * (a / (b + 1)),
    nin=2, promote="float", samples=[case(SHAPE, POSITIVE)], public="special",
    doc="x log(1 + y), and 0 where x is 0 (unless y is NaN).",
)  # fmt: skip


def zero(x: Any) -> Any:
    """A zero of the type of x."""
    return x.dtype.type(0) if isinstance(x, (np.ndarray, np.generic)) else 0.0


@op(
    samples=[case(arr(SHAPE, 0.1, 0.9)), case(arr(SHAPE, -0.5, 1.5), eps=0.05)],
    public=EVERYWHERE,
    promote="float",
    inplace=True,
    fresh=True,
)
def logit(input: Any, *, eps: float | None = None) -> Any:
    """log(x / (1 - x)); with eps, x is first brought into [eps, 1 - eps]."""
    if eps is not None:
        input = np.clip(input, input.dtype.type(eps), input.dtype.type(1 - eps))
    return libm.logit(input)


logit.shape(same)


@logit.vjp
def _logit_rule(g: Any, _y: Any, x: Any, *, eps: float | None) -> Any:
    slope = g / (x * (1 - x))
    low, high = (0.0, 1.0) if eps is None else (eps, 1 - eps)
    outside = zero(x) + (math.nan if eps is None else 0.0)
    return where((x < low) | (x > high), outside, slope)


# -- gamma functions -------------------------------------------------------------------------------

lgamma = intrinsic(
    "lgamma", lambda input: gamma.lgamma(input), lambda g, _y, x: g * digamma(x),
    inplace="method",
    nin=1, samples=[case(POSITIVE), case(arr(SHAPE, -1.9, -1.1))],
    aliases="special.gammaln", doc="log |gamma(x)|.",
)  # fmt: skip
digamma: Op = intrinsic(
    "digamma", lambda input: gamma.digamma(input), lambda g, _y, x: g * _trigamma(x),
    inplace="method",
    nin=1, samples=[case(POSITIVE), case(arr(SHAPE, -1.9, -1.1))], public=EVERYWHERE,
    aliases="special.psi", doc="The derivative of lgamma.",
)  # fmt: skip


@op(
    samples=[case(POSITIVE, n=1), case(POSITIVE, n=3), case(arr(SHAPE, -1.8, -1.2), n=1)],
    public="",
    promote="float",
    inplace=False,
    fresh=True,
    node="PolygammaBackward0",
)
def polygamma_n(input: Any, *, n: int) -> Any:
    """The n-th derivative of digamma."""
    return gamma.polygamma(n, input)


polygamma_n.shape(same)


polygamma_n.vjp(lambda g, _y, x, *, n: g * polygamma_n(x, n=n + 1))


def _trigamma(x: Any) -> Any:
    """The derivative of digamma."""
    return polygamma_n(x, n=1)


@composite(
    public="torch special",
    samples=[case(1, arr((3, 4), 0.5, 3)), case(2, arr((3, 4), 0.5, 3))],
)
def polygamma(n: int, input: Any, *, out: Any = None) -> Any:
    """The n-th derivative of digamma at input, n >= 0."""
    if isinstance(n, (bool, float)):
        raise TypeError(
            f"polygamma(): argument 'n' (position 1) must be int, not {type(n).__name__}"
        )
    if n < 0:
        raise RuntimeError(
            message("polygamma(n, x) does not support negative n.", f"n = {n}", "n >= 0")
        )
    need_tensor("special_polygamma", input, 2)
    y = digamma(input) if n == 0 else polygamma_n(input, n=int(n))
    return y if out is None else write_out("special", out, y)


@composite(public="Tensor", name="polygamma", samples=[case(arr((3, 4), 0.5, 3), 1)])
def _polygamma_method(input: Any, n: int) -> Any:
    """The n-th derivative of digamma."""
    return polygamma(n, input)


@composite(public="Tensor", name="polygamma_", smooth=False, samples=[case(arr((3, 4), 0.5, 3), 1)])
def _polygamma_inplace(input: Any, n: int) -> Any:
    """In-place form of `polygamma`."""
    return store(input, polygamma(n, input), "polygamma_")


@composite(public="torch Tensor", inplace="method", samples=[case(arr((3, 4), 2, 4), 2)])
def mvlgamma(input: Any, p: int, *, out: Any = None) -> Any:
    """The log of the p-variate gamma function: p (p-1)/4 log(pi) + sum of lgamma(x - j/2), j <
    p."""
    need_tensor("mvlgamma", input)
    if p < 1:
        raise RuntimeError(message("mvlgamma: p has to be greater than or equal to 1", f"p = {p}"))
    y = lgamma(input)
    for j in range(1, p):
        y = y + lgamma(input - j / 2)
    y = y + p * (p - 1) / 4 * math.log(math.pi)
    return y if out is None else write_out("special", out, y)


igamma = intrinsic(
    "igamma", lambda input, other: gamma.igamma(input, other),
    None, lambda g, _y, a, x: g * exp(-x + (a - 1) * log(x) - lgamma(a)),
    accepts="floating: igamma_cpu",
    numbers=(),
    nin=2, promote="float", samples=[case(POSITIVE, POSITIVE)], smooth=False,
    aliases="special.gammainc", doc="The regularised lower incomplete gamma function P(a, x).",
)  # fmt: skip
igammac = intrinsic(
    "igammac", lambda input, other: gamma.igammac(input, other),
    None, lambda g, _y, a, x: -g * exp(-x + (a - 1) * log(x) - lgamma(a)),
    accepts="floating: igammac_cpu",
    numbers=(),
    nin=2, promote="float", samples=[case(POSITIVE, POSITIVE)], smooth=False,
    aliases="special.gammaincc",
    doc="The regularised upper incomplete gamma function Q(a, x) = 1 - P(a, x).",
)  # fmt: skip
zeta: Op = intrinsic(
    "zeta", lambda input, other: gamma.zeta(input, other),
    None, lambda g, _y, s, q: -g * (s * zeta(s + 1, q)),
    nin=2, promote="float", samples=[case(arr(SHAPE, 1.5, 5), POSITIVE)], public="special",
    smooth=False, doc="The Hurwitz zeta function: the sum over k >= 0 of (q + k) to the power -s.",
)  # fmt: skip

# -- Bessel functions ------------------------------------------------------------------------------


def _nonzero(x: Any) -> Any:
    """x with 1 in place of 0, for quotients that are not used there."""
    return x + (x == 0)


i0 = intrinsic(
    "i0", lambda input: bessel.i0(input), lambda g, _y, x: g * i1(x),
    nin=1, samples=real(-5, 5), public=EVERYWHERE,
    aliases="special.modified_bessel_i0",
    doc="The modified Bessel function of the first kind, order 0.",
)  # fmt: skip
i0e = intrinsic(
    "i0e", lambda input: bessel.i0e(input), lambda g, y, x: g * (i1e(x) - sgn(x) * y),
    nin=1, samples=[case(arr(SHAPE, 0.2, 12)), case(arr(SHAPE, -12, -0.2))], public="special",
    doc="exp(-|x|) i0(x).",
)  # fmt: skip
i1: Op = intrinsic(
    "i1", lambda input: bessel.i1(input),
    lambda g, y, x: g * where(x == 0, zero(x) + 0.5, i0(x) - y / _nonzero(x)),
    nin=1, samples=[case(arr(SHAPE, 0.2, 5)), case(arr(SHAPE, -5, -0.2))], public="special",
    aliases="special.modified_bessel_i1",
    doc="The modified Bessel function of the first kind, order 1.",
)  # fmt: skip
i1e: Op = intrinsic(
    "i1e", lambda input: bessel.i1e(input),
    lambda g, y, x: g * where(x == 0, zero(x) + 0.5, i0e(x) - y * (sgn(x) + 1 / _nonzero(x))),
    nin=1, samples=[case(arr(SHAPE, 0.2, 12)), case(arr(SHAPE, -12, -0.2))], public="special",
    doc="exp(-|x|) i1(x).",
)  # fmt: skip
modified_bessel_k0 = intrinsic(
    "modified_bessel_k0", lambda input: bessel.k0(input),
    lambda g, _y, x: -g * modified_bessel_k1(x),
    nin=1, samples=real(0.3, 5), public="special",
    doc="The modified Bessel function of the second kind, order 0.",
)  # fmt: skip
modified_bessel_k1: Op = intrinsic(
    "modified_bessel_k1", lambda input: bessel.k1(input),
    lambda g, y, x: -g * (modified_bessel_k0(x) + y / x),
    nin=1, samples=real(0.3, 5), public="special",
    doc="The modified Bessel function of the second kind, order 1.",
)  # fmt: skip
scaled_modified_bessel_k0 = intrinsic(
    "scaled_modified_bessel_k0", lambda input: bessel.k0e(input),
    lambda g, y, x: g * (y - scaled_modified_bessel_k1(x)),
    nin=1, samples=real(0.3, 5), public="special", doc="exp(x) modified_bessel_k0(x).",
)  # fmt: skip
scaled_modified_bessel_k1: Op = intrinsic(
    "scaled_modified_bessel_k1", lambda input: bessel.k1e(input),
    lambda g, y, x: g * (y - scaled_modified_bessel_k0(x) - y / x),
    nin=1, samples=real(0.3, 5), public="special", doc="exp(x) modified_bessel_k1(x).",
)  # fmt: skip
bessel_j0 = intrinsic(
    "bessel_j0", lambda input: bessel.bessel_j0(input), lambda g, _y, x: -g * bessel_j1(x),
    nin=1, samples=real(-12, 12), public="special",
    doc="The Bessel function of the first kind, order 0.",
)  # fmt: skip
bessel_j1: Op = intrinsic(
    "bessel_j1", lambda input: bessel.bessel_j1(input),
    lambda g, y, x: g * where(x == 0, zero(x) + 0.5, bessel_j0(x) - y / _nonzero(x)),
    nin=1, samples=real(0.3, 12), public="special",
    doc="The Bessel function of the first kind, order 1.",
)  # fmt: skip
bessel_y0 = intrinsic(
    "bessel_y0", lambda input: bessel.bessel_y0(input), lambda g, _y, x: -g * bessel_y1(x),
    nin=1, samples=real(0.5, 12), public="special",
    doc="The Bessel function of the second kind, order 0.",
)  # fmt: skip
bessel_y1: Op = intrinsic(
    "bessel_y1", lambda input: bessel.bessel_y1(input), lambda g, y, x: g * (bessel_y0(x) - y / x),
    nin=1, samples=real(0.5, 12), public="special",
    doc="The Bessel function of the second kind, order 1.",
)  # fmt: skip
airy_ai = intrinsic(
    "airy_ai", lambda input: airy.airy_ai(input),
    nin=1, samples=real(-8, 4), public="special", doc="The Airy function Ai; without a derivative.",
)  # fmt: skip


def _spherical(x: Any) -> Any:
    small = np.abs(x) < 1e-4
    safe = np.where(small, x.dtype.type(1), x)
    y = np.where(small, 1 - x * x / 6, np.sin(safe) / safe)
    return np.where(np.isinf(x), x.dtype.type(0), y).astype(x.dtype, copy=False)


spherical_bessel_j0 = intrinsic(
    "spherical_bessel_j0", _spherical,
    lambda g, _y, x: g * where(x == 0, zero(x), (cos(x) - sin(x) / _nonzero(x)) / _nonzero(x)),
    accepts="floating integral bool: spherical_bessel_j0_cpu",
    nin=1, samples=real(0.3, 6), public="special",
    doc="sin(x)/x: the spherical Bessel function of order 0.",
)  # fmt: skip
sinc = intrinsic(
    "sinc", lambda input: (libm.sinc_complex if input.dtype.kind in "cW" else libm.sinc)(input),
    lambda g, _y, x: g * where(x == 0, zero(x), (cos(x * math.pi) - sinc(x)) / _nonzero(x)),
    nin=1, samples=real(0.2, 3), public=EVERYWHERE, holomorphic=True,
    doc="sin(pi x)/(pi x), and 1 at 0.",
)  # fmt: skip

# -- orthogonal polynomials ------------------------------------------------------------------------


def _recurrence(first: Any, step: Any) -> Any:
    """The forward of a polynomial family: P0 = 1, P1 = first(x), P(k+1) = step(k, x, P(k),
    P(k-1))."""

    def forward(x: Any, n: Any) -> Any:
        operands = x, n
        x, n = np.broadcast_arrays(x, np.asarray(n).astype(np.int64))
        out = np.where(n < 0, x.dtype.type(0), x.dtype.type(1))
        before, current = np.ones_like(x), first(x)
        last = int(n.max()) if n.size else 0
        for k in range(1, last + 1):
            out = np.where(n >= k, current, out)
            before, current = current, step(k, x, current, before)
        return laid_as(out.astype(x.dtype, copy=False), *operands)

    return forward


def _family(name: str, first: Any, step: Any, doc: str) -> Any:
    return intrinsic(
        name, _recurrence(first, step), nin=2, other="n", promote="float", public="special",
        accepts=f"floating integral bool: {name}_cpu",
        samples=[case(arr(SHAPE, -1, 1), 3), case(arr(SHAPE, -1, 1), arr(SHAPE, 0, 6, "int64"))],
        doc=doc,
    )  # fmt: skip


def _chebyshev(_k: int, x: Any, p: Any, q: Any) -> Any:
    return 2 * x * p - q


def _shifted(_k: int, x: Any, p: Any, q: Any) -> Any:
    return 2 * (2 * x - 1) * p - q


chebyshev_polynomial_t = _family("chebyshev_polynomial_t", lambda x: x + 0, _chebyshev, "T_n(x).")
chebyshev_polynomial_u = _family("chebyshev_polynomial_u", lambda x: 2 * x, _chebyshev, "U_n(x).")
chebyshev_polynomial_v = _family(
    "chebyshev_polynomial_v", lambda x: 2 * x - 1, _chebyshev, "V_n(x)."
)
chebyshev_polynomial_w = _family(
    "chebyshev_polynomial_w", lambda x: 2 * x + 1, _chebyshev, "W_n(x)."
)
shifted_chebyshev_polynomial_t = _family(
    "shifted_chebyshev_polynomial_t", lambda x: 2 * x - 1, _shifted, "T_n(2x - 1)."
)
shifted_chebyshev_polynomial_u = _family(
    "shifted_chebyshev_polynomial_u", lambda x: 4 * x - 2, _shifted, "U_n(2x - 1)."
)
shifted_chebyshev_polynomial_v = _family(
    "shifted_chebyshev_polynomial_v", lambda x: 4 * x - 3, _shifted, "V_n(2x - 1)."
)
shifted_chebyshev_polynomial_w = _family(
    "shifted_chebyshev_polynomial_w", lambda x: 4 * x - 1, _shifted, "W_n(2x - 1)."
)
hermite_polynomial_h = _family(
    "hermite_polynomial_h",
    lambda x: 2 * x,
    lambda k, x, p, q: 2 * x * p - 2 * k * q,
    "The physicists' Hermite polynomial H_n(x).",
)
hermite_polynomial_he = _family(
    "hermite_polynomial_he",
    lambda x: x + 0,
    lambda k, x, p, q: x * p - k * q,
    "The probabilists' Hermite polynomial He_n(x).",
)
laguerre_polynomial_l = _family(
    "laguerre_polynomial_l",
    lambda x: 1 - x,
    lambda k, x, p, q: ((2 * k + 1 - x) * p - k * q) / (k + 1),
    "The Laguerre polynomial L_n(x).",
)
legendre_polynomial_p = _family(
    "legendre_polynomial_p",
    lambda x: x + 0,
    lambda k, x, p, q: ((2 * k + 1) * x * p - k * q) / (k + 1),
    "The Legendre polynomial P_n(x).",
)

# -- further functions of torch.special ------------------------------------------------------------


@composite(public="special", samples=[case((3, 4), 1)])
def logsumexp(input: Any, dim: Any, keepdim: bool = False, *, out: Any = None) -> Any:
    """log of the sum of exp(x) over dims, as torch.logsumexp."""
    y = input.logsumexp(dim, keepdim)
    return y if out is None else write_out("logsumexp", out, y)


@composite(public="special", samples=[case(arr((3, 4), 2, 4), 2)])
def multigammaln(input: Any, p: int, *, out: Any = None) -> Any:
    """The same as `torch.mvlgamma`."""
    return mvlgamma(input, p, out=out)
