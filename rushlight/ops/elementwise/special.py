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
    doc="""The error function: `y = 2 / sqrt(pi) * integral of exp(-t * t) from 0 to x`, between -1
    and 1.

    >>> torch.erf(torch.tensor([0.0, 1.0, -2.0]))
    tensor([ 0.0000,  0.8427, -0.9953])
    """,
)  # fmt: skip
erfc = intrinsic(
    "erfc", lambda input: libm.erfc(input), lambda g, _y, x: g * (-2 * INV_SQRT_PI * exp(-x * x)),
    nin=1, samples=real(-3, 3), public=EVERYWHERE,
    doc="""The complementary error function: `y = 1 - erf(x)`, exact where erf(x) is near 1 too.

    >>> torch.erfc(torch.tensor([0.0, 1.0, 5.0]))
    tensor([1.0000e+00, 1.5730e-01, 1.5375e-12])
    """,
)  # fmt: skip
erfcx = intrinsic(
    "erfcx", lambda input: libm.erfcx(input), lambda g, y, x: g * (2 * x * y - 2 * INV_SQRT_PI),
    nin=1, samples=real(-2, 3), public="special",
    doc="""The scaled complementary error function: `y = exp(x * x) * erfc(x)`, which does not
    vanish for large x.

    >>> torch.special.erfcx(torch.tensor([0.0, 1.0, 50.0]))
    tensor([1.0000, 0.4276, 0.0113])
    """,
)  # fmt: skip
erfinv = intrinsic(
    "erfinv", lambda input: libm.erfinv(input),
    lambda g, y, _x: g * (0.5 / INV_SQRT_PI * exp(y * y)),
    inplace="method",
    nin=1, samples=real(-0.9, 0.9), public=EVERYWHERE,
    doc="""The inverse of erf: the x whose `erf(x)` is the element; infinite at -1 and 1, NaN
    outside.

    >>> torch.erfinv(torch.tensor([0.0, 0.5, -1.0]))
    tensor([0.0000, 0.4769,   -inf])
    """,
)  # fmt: skip

# -- the normal distribution -----------------------------------------------------------------------

ndtr = intrinsic(
    "ndtr", lambda input: libm.ndtr(input), lambda g, _y, x: g * (exp(-0.5 * x * x) / SQRT_2PI),
    nin=1, samples=real(-3, 3), public="special",
    doc="""The distribution function of the standard normal distribution: the share of it below x,
    `y = (1 + erf(x / sqrt(2))) / 2`.

    >>> torch.special.ndtr(torch.tensor([0.0, 1.96, -1.96]))
    tensor([0.5000, 0.9750, 0.0250])
    """,
)  # fmt: skip
ndtri = intrinsic(
    "ndtri", lambda input: libm.ndtri(input), lambda g, y, _x: g * (SQRT_2PI * exp(0.5 * y * y)),
    nin=1, samples=real(0.1, 0.9), public="special",
    doc="""The quantile function of the standard normal distribution: the x with `ndtr(x)` equal to
    the element.

    Infinite at 0 and 1, NaN outside.

    >>> torch.special.ndtri(torch.tensor([0.5, 0.975, 0.0]))
    tensor([0.0000, 1.9600,   -inf])
    """,
)  # fmt: skip
log_ndtr = intrinsic(
    "log_ndtr", lambda input: libm.log_ndtr(input),
    lambda g, _y, x: g * (math.sqrt(2 / math.pi) / erfcx(x * -math.sqrt(0.5))),
    nin=1, samples=real(-6, 3), public="special",
    doc="""`y = log(ndtr(x))`, exact in the far left tail, where ndtr(x) itself is 0.

    >>> torch.special.log_ndtr(torch.tensor([0.0, -1.0, -50.0]))
    tensor([-6.9315e-01, -1.8410e+00, -1.2548e+03])
    """,
)  # fmt: skip

# -- logistic and x log x --------------------------------------------------------------------------

expit = intrinsic(
    "expit", lambda x: 1 / (1 + np.exp(-x)), lambda g, y, _x: g * (y * (1 - y)),
    nin=1, samples=real(-6, 6), public="special",
    doc="""The logistic function: `y = 1 / (1 + exp(-x))`, the same as `torch.sigmoid`.

    >>> torch.special.expit(torch.tensor([0.0, 2.0, -2.0]))
    tensor([0.5000, 0.8808, 0.1192])
    """,
)  # fmt: skip
entr = intrinsic(
    "entr", lambda input: libm.entr(input), lambda g, _y, x: g * (-log(x) - 1),
    nin=1, samples=[case(POSITIVE)], public="special",
    doc="""The terms of an entropy: `y = -x * log(x)`; 0 at 0 and -inf below.

    >>> torch.special.entr(torch.tensor([0.5, 0.25, 0.0, -1.0]))
    tensor([0.3466, 0.3466, 0.0000,   -inf])
    """,
)  # fmt: skip
xlogy = intrinsic(
    "xlogy", lambda input, other: libm.xlogy(input, other),
    lambda g, _y, a, b: g * where(((a == 0) | (g == 0)) & (b <= 0), zero(b), log(b)),
    lambda g, _y, a, b: g * (a / b),
    inplace=True,
    nin=2, promote="float", samples=[case(SHAPE, POSITIVE), case(SHAPE, 2.5)], public=EVERYWHERE,
    doc="""`y = input * log(other)`, and 0 where input is 0, whatever other is (but NaN where other
    is NaN).

    input, other: tensors whose shapes broadcast, or one of them a number. Cross entropies with
    probabilities of 0 want this.

    >>> torch.xlogy(torch.tensor([0.0, 1.0, 2.0]), torch.tensor([0.0, 2.0, 3.0]))
    tensor([0.0000, 0.6931, 2.1972])
    """,
)  # fmt: skip
xlog1py = intrinsic(
    "xlog1py", lambda input, other: libm.xlog1py(input, other),
    lambda g, _y, a, b: g * where(((a == 0) | (g == 0)) & (b <= -1), zero(b), log1p(b)),
    lambda g, _y, a, b: g * (a / (b + 1)),
    nin=2, promote="float", samples=[case(SHAPE, POSITIVE)], public="special",
    doc="""`y = input * log(1 + other)`, and 0 where input is 0 (but NaN where other is NaN).

    input, other: tensors whose shapes broadcast, or one of them a number.

    >>> torch.special.xlog1py(torch.tensor([0.0, 1.0, 2.0]), torch.tensor([-1.0, 1.0, 1e-8]))
    tensor([0.0000e+00, 6.9315e-01, 2.0000e-08])
    """,
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
    """The inverse of the sigmoid: `y = log(x / (1 - x))`, for x in [0, 1]; NaN outside.

    eps: x is first brought into [eps, 1 - eps], so that the result is finite. The gradient is 0
    where that changes x. None, the default: no bounds.

    >>> torch.logit(torch.tensor([0.5, 0.9, 1.0]))
    tensor([0.0000, 2.1972,    inf])
    >>> torch.logit(torch.tensor([0.5, 0.9, 1.0]), eps=1e-3)
    tensor([0.0000, 2.1972, 6.9068])
    """
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
    aliases="special.gammaln",
    doc="""The logarithm of the gamma function: `y = log(|gamma(x)|)`; gamma(n) is `(n - 1)!`.

    Infinite at 0, -1, -2 and so on.

    >>> torch.lgamma(torch.tensor([1.0, 4.0, 0.5, -1.0]))
    tensor([0.0000, 1.7918, 0.5724,    inf])
    >>> torch.lgamma(torch.tensor(4.0)).exp()
    tensor(6.)
    """,
)  # fmt: skip
digamma: Op = intrinsic(
    "digamma", lambda input: gamma.digamma(input), lambda g, _y, x: g * _trigamma(x),
    inplace="method",
    nin=1, samples=[case(POSITIVE), case(arr(SHAPE, -1.9, -1.1))], public=EVERYWHERE,
    aliases="special.psi",
    doc="""The derivative of lgamma: `y = gamma'(x) / gamma(x)`.

    -inf at 0, NaN at -1, -2 and so on.

    >>> torch.digamma(torch.tensor([1.0, 0.5, 0.0]))
    tensor([-0.5772, -1.9635,    -inf])
    """,
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
    """The n-th derivative of digamma at the elements of input.

    n: an int, 0 or more: 0 is digamma itself, 1 the trigamma function. RuntimeError for a negative
    one.

    >>> torch.polygamma(1, torch.tensor([1.0, 0.5]))
    tensor([1.6449, 4.9348])
    """
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
    """The n-th derivative of digamma at the elements: `torch.polygamma(n, x)`.

    >>> torch.tensor([1.0, 0.5]).polygamma(1)
    tensor([1.6449, 4.9348])
    """
    return polygamma(n, input)


@composite(public="Tensor", name="polygamma_", smooth=False, samples=[case(arr((3, 4), 0.5, 3), 1)])
def _polygamma_inplace(input: Any, n: int) -> Any:
    """In-place form of `polygamma`."""
    return store(input, polygamma(n, input), "polygamma_")


@composite(public="torch Tensor", inplace="method", samples=[case(arr((3, 4), 2, 4), 2)])
def mvlgamma(input: Any, p: int, *, out: Any = None) -> Any:
    """The logarithm of the p-variate gamma function:
    `y = p * (p - 1) / 4 * log(pi) + sum of lgamma(x - j / 2) for j in 0 ... p - 1`.

    p: the number of dimensions, at least 1. Elements should be above `(p - 1) / 2`. Wishart
    distributions are normalised by it.

    >>> torch.mvlgamma(torch.tensor([2.0, 3.5]), p=2)
    tensor([0.4516, 2.4665])
    """
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
    aliases="special.gammainc",
    doc="""The regularised lower incomplete gamma function:
    `P(a, x) = integral of t ** (a - 1) * exp(-t) from 0 to x, divided by gamma(a)`, with a = input
    and x = other.

    Both are tensors of floats, not negative, whose shapes broadcast. There is a derivative by other
    alone; backward with a gradient for input raises.

    >>> torch.igamma(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 2.0, 3.0]))
    tensor([0.6321, 0.5940, 0.5768])
    """,
)  # fmt: skip
igammac = intrinsic(
    "igammac", lambda input, other: gamma.igammac(input, other),
    None, lambda g, _y, a, x: -g * exp(-x + (a - 1) * log(x) - lgamma(a)),
    accepts="floating: igammac_cpu",
    numbers=(),
    nin=2, promote="float", samples=[case(POSITIVE, POSITIVE)], smooth=False,
    aliases="special.gammaincc",
    doc="""The regularised upper incomplete gamma function: `Q(a, x) = 1 - P(a, x)`, with a = input
    and x = other, exact for large x too.

    Both are tensors of floats, not negative, whose shapes broadcast. There is a derivative by other
    alone.

    >>> torch.igammac(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 30.0]))
    tensor([3.6788e-01, 2.9009e-12])
    """,
)  # fmt: skip
zeta: Op = intrinsic(
    "zeta", lambda input, other: gamma.zeta(input, other),
    None, lambda g, _y, s, q: -g * (s * zeta(s + 1, q)),
    nin=2, promote="float", samples=[case(arr(SHAPE, 1.5, 5), POSITIVE)], public="special",
    smooth=False,
    doc="""The Hurwitz zeta function: `y = sum over k >= 0 of (other + k) ** -input`; Riemann's with
    other = 1.

    input, other: tensors whose shapes broadcast, or one of them a number. There is a derivative by
    other alone.

    >>> torch.special.zeta(torch.tensor([2.0, 4.0]), 1)
    tensor([1.6449, 1.0823])
    """,
)  # fmt: skip

# -- Bessel functions ------------------------------------------------------------------------------


def _nonzero(x: Any) -> Any:
    """x with 1 in place of 0, for quotients that are not used there."""
    return x + (x == 0)


i0 = intrinsic(
    "i0", lambda input: bessel.i0(input), lambda g, _y, x: g * i1(x),
    nin=1, samples=real(-5, 5), public=EVERYWHERE,
    aliases="special.modified_bessel_i0",
    doc="""The modified Bessel function of the first kind, order 0:
    `y = sum over k of (x * x / 4) ** k / (k!) ** 2`.

    `i0e` does not overflow for large x.

    >>> torch.i0(torch.tensor([0.0, 1.0, 5.0]))
    tensor([ 1.0000,  1.2661, 27.2399])
    """,
)  # fmt: skip
i0e = intrinsic(
    "i0e", lambda input: bessel.i0e(input), lambda g, y, x: g * (i1e(x) - sgn(x) * y),
    nin=1, samples=[case(arr(SHAPE, 0.2, 12)), case(arr(SHAPE, -12, -0.2))], public="special",
    doc="""The modified Bessel function of the first kind, order 0, scaled: `y = exp(-|x|) * i0(x)`.

    >>> torch.special.i0e(torch.tensor([0.0, 1.0, 500.0]))
    tensor([1.0000, 0.4658, 0.0178])
    """,
)  # fmt: skip
i1: Op = intrinsic(
    "i1", lambda input: bessel.i1(input),
    lambda g, y, x: g * where(x == 0, zero(x) + 0.5, i0(x) - y / _nonzero(x)),
    nin=1, samples=[case(arr(SHAPE, 0.2, 5)), case(arr(SHAPE, -5, -0.2))], public="special",
    aliases="special.modified_bessel_i1",
    doc="""The modified Bessel function of the first kind, order 1; the derivative of i0.

    >>> torch.special.i1(torch.tensor([0.0, 1.0, -5.0]))
    tensor([  0.0000,   0.5652, -24.3356])
    """,
)  # fmt: skip
i1e: Op = intrinsic(
    "i1e", lambda input: bessel.i1e(input),
    lambda g, y, x: g * where(x == 0, zero(x) + 0.5, i0e(x) - y * (sgn(x) + 1 / _nonzero(x))),
    nin=1, samples=[case(arr(SHAPE, 0.2, 12)), case(arr(SHAPE, -12, -0.2))], public="special",
    doc="""The modified Bessel function of the first kind, order 1, scaled: `y = exp(-|x|) * i1(x)`.

    >>> torch.special.i1e(torch.tensor([0.0, 1.0, 500.0]))
    tensor([0.0000, 0.2079, 0.0178])
    """,
)  # fmt: skip
modified_bessel_k0 = intrinsic(
    "modified_bessel_k0", lambda input: bessel.k0(input),
    lambda g, _y, x: -g * modified_bessel_k1(x),
    nin=1, samples=real(0.3, 5), public="special",
    doc="""The modified Bessel function of the second kind, order 0; infinite at 0, NaN below.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.modified_bessel_k0(torch.tensor([0.5, 1.0, 0.0]))
    tensor([0.9244, 0.4210,    inf])
    """,
)  # fmt: skip
modified_bessel_k1: Op = intrinsic(
    "modified_bessel_k1", lambda input: bessel.k1(input),
    lambda g, y, x: -g * (modified_bessel_k0(x) + y / x),
    nin=1, samples=real(0.3, 5), public="special",
    doc="""The modified Bessel function of the second kind, order 1; infinite at 0, NaN below.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.modified_bessel_k1(torch.tensor([0.5, 1.0, 0.0]))
    tensor([1.6564, 0.6019,    inf])
    """,
)  # fmt: skip
scaled_modified_bessel_k0 = intrinsic(
    "scaled_modified_bessel_k0", lambda input: bessel.k0e(input),
    lambda g, y, x: g * (y - scaled_modified_bessel_k1(x)),
    nin=1, samples=real(0.3, 5), public="special",
    doc="""The modified Bessel function of the second kind, order 0, scaled: `y = exp(x) * k0(x)`.

    It does not vanish for large x.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.scaled_modified_bessel_k0(torch.tensor([1.0, 500.0]))
    tensor([1.1445, 0.0560])
    """,
)  # fmt: skip
scaled_modified_bessel_k1: Op = intrinsic(
    "scaled_modified_bessel_k1", lambda input: bessel.k1e(input),
    lambda g, y, x: g * (y - scaled_modified_bessel_k0(x) - y / x),
    nin=1, samples=real(0.3, 5), public="special",
    doc="""The modified Bessel function of the second kind, order 1, scaled: `y = exp(x) * k1(x)`.

    It does not vanish for large x.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.scaled_modified_bessel_k1(torch.tensor([1.0, 500.0]))
    tensor([1.6362, 0.0561])
    """,
)  # fmt: skip
bessel_j0 = intrinsic(
    "bessel_j0", lambda input: bessel.bessel_j0(input), lambda g, _y, x: -g * bessel_j1(x),
    nin=1, samples=real(-12, 12), public="special",
    doc="""The Bessel function of the first kind, order 0.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.bessel_j0(torch.tensor([0.0, 1.0, 5.0]))
    tensor([ 1.0000,  0.7652, -0.1776])
    """,
)  # fmt: skip
bessel_j1: Op = intrinsic(
    "bessel_j1", lambda input: bessel.bessel_j1(input),
    lambda g, y, x: g * where(x == 0, zero(x) + 0.5, bessel_j0(x) - y / _nonzero(x)),
    nin=1, samples=real(0.3, 12), public="special",
    doc="""The Bessel function of the first kind, order 1; minus the derivative of bessel_j0.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.bessel_j1(torch.tensor([0.0, 1.0, -1.0]))
    tensor([ 0.0000,  0.4401, -0.4401])
    """,
)  # fmt: skip
bessel_y0 = intrinsic(
    "bessel_y0", lambda input: bessel.bessel_y0(input), lambda g, _y, x: -g * bessel_y1(x),
    nin=1, samples=real(0.5, 12), public="special",
    doc="""The Bessel function of the second kind, order 0; -inf at 0, NaN below.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.bessel_y0(torch.tensor([1.0, 5.0, 0.0]))
    tensor([ 0.0883, -0.3085,    -inf])
    """,
)  # fmt: skip
bessel_y1: Op = intrinsic(
    "bessel_y1", lambda input: bessel.bessel_y1(input), lambda g, y, x: g * (bessel_y0(x) - y / x),
    nin=1, samples=real(0.5, 12), public="special",
    doc="""The Bessel function of the second kind, order 1; -inf at 0, NaN below.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.bessel_y1(torch.tensor([1.0, 5.0, 0.0]))
    tensor([-0.7812,  0.1479,    -inf])
    """,
)  # fmt: skip
airy_ai = intrinsic(
    "airy_ai", lambda input: airy.airy_ai(input),
    nin=1, samples=real(-8, 4), public="special",
    doc="""The Airy function Ai, the solution of `y'' = x * y` that falls for large x. It has no
    derivative here, as in PyTorch.

    >>> torch.special.airy_ai(torch.tensor([0.0, 1.0, -2.0]))
    tensor([0.3550, 0.1353, 0.2274])
    """,
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
    doc="""The spherical Bessel function of order 0: `y = sin(x) / x`, and 1 at 0.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.spherical_bessel_j0(torch.tensor([0.0, 1.0, torch.pi]))
    tensor([ 1.0000e+00,  8.4147e-01, -2.7828e-08])
    """,
)  # fmt: skip
sinc = intrinsic(
    "sinc", lambda input: (libm.sinc_complex if input.dtype.kind in "cW" else libm.sinc)(input),
    lambda g, _y, x: g * where(x == 0, zero(x), (cos(x * math.pi) - sinc(x)) / _nonzero(x)),
    nin=1, samples=real(0.2, 3), public=EVERYWHERE, holomorphic=True,
    doc="""The normalised sine cardinal: `y = sin(pi * x) / (pi * x)`, and 1 at 0.

    >>> torch.sinc(torch.tensor([0.0, 0.5, 1.5]))
    tensor([ 1.0000,  0.6366, -0.2122])
    """,
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
            if k % 64 == 0 and np.isnan(current).all() and np.isnan(before).all():
                out = np.where(n > k, current, out)  # NaN is all that comes, of any degree
                break
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


chebyshev_polynomial_t = _family(
    "chebyshev_polynomial_t", lambda x: x + 0, _chebyshev,
    """The Chebyshev polynomial of the first kind, T_n(x): `T_0 = 1`, `T_1 = x`,
    `T_(k+1) = 2 * x * T_k - T_(k-1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.
    Without a derivative.

    >>> torch.special.chebyshev_polynomial_t(torch.tensor([0.5, -0.5]), 3)
    tensor([-1.,  1.])
    """)
chebyshev_polynomial_u = _family(
    "chebyshev_polynomial_u", lambda x: 2 * x, _chebyshev,
    """The Chebyshev polynomial of the second kind, U_n(x): `U_0 = 1`, `U_1 = 2 * x`,
    `U_(k+1) = 2 * x * U_k - U_(k-1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.
    Without a derivative.

    >>> torch.special.chebyshev_polynomial_u(torch.tensor([0.5, -0.25]), 3)
    tensor([-1.0000,  0.8750])
    """)
chebyshev_polynomial_v = _family(
    "chebyshev_polynomial_v", lambda x: 2 * x - 1, _chebyshev,
    """The Chebyshev polynomial of the third kind, V_n(x): `V_0 = 1`, `V_1 = 2 * x - 1`,
    `V_(k+1) = 2 * x * V_k - V_(k-1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.
    Without a derivative.

    >>> torch.special.chebyshev_polynomial_v(torch.tensor([0.5, -0.25]), 3)
    tensor([-1.0000,  1.6250])
    """
)
chebyshev_polynomial_w = _family(
    "chebyshev_polynomial_w", lambda x: 2 * x + 1, _chebyshev,
    """The Chebyshev polynomial of the fourth kind, W_n(x): `W_0 = 1`, `W_1 = 2 * x + 1`,
    `W_(k+1) = 2 * x * W_k - W_(k-1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.
    Without a derivative.

    >>> torch.special.chebyshev_polynomial_w(torch.tensor([0.5, -0.25]), 3)
    tensor([-1.0000,  0.1250])
    """
)
shifted_chebyshev_polynomial_t = _family(
    "shifted_chebyshev_polynomial_t", lambda x: 2 * x - 1, _shifted,
    """The Chebyshev polynomial of the first kind, moved to [0, 1]: `T_n(2 * x - 1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.

    >>> torch.special.shifted_chebyshev_polynomial_t(torch.tensor([0.5, 0.25]), 2)
    tensor([-1.0000, -0.5000])
    """
)
shifted_chebyshev_polynomial_u = _family(
    "shifted_chebyshev_polynomial_u", lambda x: 4 * x - 2, _shifted,
    """The Chebyshev polynomial of the second kind, moved to [0, 1]: `U_n(2 * x - 1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.

    >>> torch.special.shifted_chebyshev_polynomial_u(torch.tensor([0.5, 0.25]), 2)
    tensor([-1.,  0.])
    """
)
shifted_chebyshev_polynomial_v = _family(
    "shifted_chebyshev_polynomial_v", lambda x: 4 * x - 3, _shifted,
    """The Chebyshev polynomial of the third kind, moved to [0, 1]: `V_n(2 * x - 1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.

    >>> torch.special.shifted_chebyshev_polynomial_v(torch.tensor([0.5, 0.25]), 2)
    tensor([-1.,  1.])
    """
)
shifted_chebyshev_polynomial_w = _family(
    "shifted_chebyshev_polynomial_w", lambda x: 4 * x - 1, _shifted,
    """The Chebyshev polynomial of the fourth kind, moved to [0, 1]: `W_n(2 * x - 1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.

    >>> torch.special.shifted_chebyshev_polynomial_w(torch.tensor([0.5, 0.25]), 2)
    tensor([-1., -1.])
    """
)
hermite_polynomial_h = _family(
    "hermite_polynomial_h",
    lambda x: 2 * x,
    lambda k, x, p, q: 2 * x * p - 2 * k * q,
    """The physicists' Hermite polynomial H_n(x): `H_0 = 1`, `H_1 = 2 * x`,
    `H_(k+1) = 2 * x * H_k - 2 * k * H_(k-1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.

    >>> torch.special.hermite_polynomial_h(torch.tensor([1.0, 0.5]), 3)
    tensor([-4., -5.])
    """,
)
hermite_polynomial_he = _family(
    "hermite_polynomial_he",
    lambda x: x + 0,
    lambda k, x, p, q: x * p - k * q,
    """The probabilists' Hermite polynomial He_n(x): `He_0 = 1`, `He_1 = x`,
    `He_(k+1) = x * He_k - k * He_(k-1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.

    >>> torch.special.hermite_polynomial_he(torch.tensor([1.0, 2.0]), 3)
    tensor([-2.,  2.])
    """,
)
laguerre_polynomial_l = _family(
    "laguerre_polynomial_l",
    lambda x: 1 - x,
    lambda k, x, p, q: ((2 * k + 1 - x) * p - k * q) / (k + 1),
    """The Laguerre polynomial L_n(x): `L_0 = 1`, `L_1 = 1 - x`,
    `L_(k+1) = ((2 * k + 1 - x) * L_k - k * L_(k-1)) / (k + 1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.

    >>> torch.special.laguerre_polynomial_l(torch.tensor([0.5, 2.0]), 2)
    tensor([ 0.1250, -1.0000])
    """,
)
legendre_polynomial_p = _family(
    "legendre_polynomial_p",
    lambda x: x + 0,
    lambda k, x, p, q: ((2 * k + 1) * x * p - k * q) / (k + 1),
    """The Legendre polynomial P_n(x): `P_0 = 1`, `P_1 = x`,
    `P_(k+1) = ((2 * k + 1) * x * P_k - k * P_(k-1)) / (k + 1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.

    >>> torch.special.legendre_polynomial_p(torch.tensor([0.5, -1.0]), 2)
    tensor([-0.1250,  1.0000])
    """,
)

# -- further functions of torch.special ------------------------------------------------------------


@composite(public="special", samples=[case((3, 4), 1)])
def logsumexp(input: Any, dim: Any, keepdim: bool = False, *, out: Any = None) -> Any:
    """`y = log(sum of exp(x))` over the dimensions `dim`, without overflow: `torch.logsumexp`.

    dim: an int or a tuple; keepdim: these dimensions stay, with size 1 (False by default).

    >>> torch.special.logsumexp(torch.tensor([[0.0, 1.0], [1000.0, 1000.0]]), 1)
    tensor([   1.3133, 1000.6932])
    """
    y = input.logsumexp(dim, keepdim)
    return y if out is None else write_out("logsumexp", out, y)


@composite(public="special", samples=[case(arr((3, 4), 2, 4), 2)])
def multigammaln(input: Any, p: int, *, out: Any = None) -> Any:
    """The logarithm of the p-variate gamma function: `torch.mvlgamma`.

    >>> torch.special.multigammaln(torch.tensor([2.0, 3.5]), 2)
    tensor([0.4516, 2.4665])
    """
    return mvlgamma(input, p, out=out)
