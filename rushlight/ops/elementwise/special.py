"""Special functions: erf, the normal distribution, logistic functions, x log x, sinc.

Derivatives are written with the functions themselves, so they can be differentiated again. How the
values are computed: `kernels/special/reference.py`. Not here: gamma functions (`gamma.py`), Bessel
functions (`bessel.py`), orthogonal polynomials (`polynomials.py`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...kernels.elementwise.formula import fuse
from ...kernels.special import reference as libm
from ..core.composite import composite
from ..core.publication import write_out
from ..core.record import intrinsic, op
from ..core.samples import arr, case, real
from ..core.shapes import same
from .elementary import wide
from .formulas import abs, cos, exp, log, log1p, where

SHAPE = (3, 4)
POSITIVE = arr(SHAPE, 0.3, 6.0)
INV_SQRT_PI = 1 / math.sqrt(math.pi)
SQRT_2PI = math.sqrt(2 * math.pi)
EVERYWHERE = "torch Tensor special"

# -- the error function ----------------------------------------------------------------------------

erf = intrinsic(
    "erf", lambda input: libm.erf(input), lambda g, _y, x: g * (2 * INV_SQRT_PI * exp(-x * x)),
    nin=1, numpy="steps", samples=real(-3, 3), public=EVERYWHERE,
    doc="""The error function: `y = 2 / sqrt(pi) * integral of exp(-t * t) from 0 to x`, between -1
    and 1.

    >>> torch.erf(torch.tensor([0.0, 1.0, -2.0]))
    tensor([ 0.0000,  0.8427, -0.9953])
    """,
)  # fmt: skip
erfc = intrinsic(
    "erfc", lambda input: libm.erfc(input), lambda g, _y, x: g * (-2 * INV_SQRT_PI * exp(-x * x)),
    nin=1, numpy="steps", samples=real(-3, 3), public=EVERYWHERE,
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
    nin=1, numpy="steps", samples=real(-0.9, 0.9), public=EVERYWHERE,
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
    nin=1, numpy="steps", samples=[case(POSITIVE)], public="special",
    doc="""The terms of an entropy: `y = -x * log(x)`; 0 at 0 and -inf below.

    >>> torch.special.entr(torch.tensor([0.5, 0.25, 0.0, -1.0]))
    tensor([0.3466, 0.3466, 0.0000,   -inf])
    """,
)  # fmt: skip


def _times_log(g: Any, none: Any, outside: Any, y: Any) -> Any:
    """g * y; 0 at `none`, whatever g is, and where g is 0 and the logarithm y has no value. A
    product all the same, for its derivative in g is the tangent."""
    return where(none, zero(y), g * where(none | ((g == 0) & outside), zero(y), y))


xlogy = intrinsic(
    "xlogy", lambda input, other: libm.xlogy(input, other),
    lambda g, _y, a, b: _times_log(g, (a == 0) & (b <= 0), b <= 0, log(wide(b))),
    lambda g, _y, a, b: g * (a / b),
    inplace=True,
    nin=2, promote="float", numpy="steps",
    samples=[case(SHAPE, POSITIVE), case(SHAPE, 2.5)], public=EVERYWHERE,
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
    lambda g, _y, a, b: _times_log(g, (a == 0) & (b <= -1), b <= -1, log1p(wide(b))),
    lambda g, _y, a, b: g * (a / (b + 1)),
    nin=2, promote="float", numpy="steps", samples=[case(SHAPE, POSITIVE)], public="special",
    doc="""`y = input * log(1 + other)`, and 0 where input is 0 (but NaN where other is NaN).

    input, other: tensors whose shapes broadcast, or one of them a number.

    >>> torch.special.xlog1py(torch.tensor([0.0, 1.0, 2.0]), torch.tensor([-1.0, 1.0, 1e-8]))
    tensor([0.0000e+00, 6.9315e-01, 2.0000e-08])
    """,
)  # fmt: skip


def zero(x: Any) -> Any:
    """A zero of the type of x."""
    return x.dtype.type(0) if isinstance(x, (np.ndarray, np.generic)) else 0.0


def _odds(x: Any) -> Any:
    """`libm.logit` of the variable of a formula."""
    near = log1p((2 * x - 1) / (1 - x))  # 1/2, where the quotient would lose digits
    return where(abs(x - 0.5) < 0.2, near, log(x / (1 - x)))


_log_of_odds = fuse(libm.logit, "logit", _odds, alone=False, numpy="steps")


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
    return _log_of_odds(input)


logit.shape(same)


@logit.vjp
def _logit_rule(g: Any, _y: Any, x: Any, *, eps: float | None) -> Any:
    low, high = (0.0, 1.0) if eps is None else (eps, 1 - eps)
    inside = (x >= low) & (x <= high)
    one = zero(x) + 1
    below = where(inside, x * (1 - x), one)
    if eps is None:
        return g * where(inside, one, one * math.nan) / below  # linear in g everywhere
    return where(inside, g / below, zero(x))

# -- sinc and logsumexp ----------------------------------------------------------------------------


def no_zero(x: Any) -> Any:
    """x with 1 in place of 0, for quotients that are not used there."""
    return x + (x == 0)
sinc = intrinsic(
    "sinc", lambda input: (libm.sinc_complex if input.dtype.kind in "cW" else libm.sinc)(input),
    lambda g, _y, x: where(x == 0, zero(x), g * ((cos(x * math.pi) - sinc(x)) / no_zero(x))),
    nin=1, samples=real(0.2, 3), public=EVERYWHERE, holomorphic=True,
    doc="""The normalised sine cardinal: `y = sin(pi * x) / (pi * x)`, and 1 at 0.

    >>> torch.sinc(torch.tensor([0.0, 0.5, 1.5]))
    tensor([ 1.0000,  0.6366, -0.2122])
    """,
)  # fmt: skip

@composite(public="special", samples=[case((3, 4), 1)])
def logsumexp(input: Any, dim: Any, keepdim: bool = False, *, out: Any = None) -> Any:
    """`y = log(sum of exp(x))` over the dimensions `dim`, without overflow: `torch.logsumexp`.

    dim: an int or a tuple; keepdim: these dimensions stay, with size 1 (False by default).

    >>> torch.special.logsumexp(torch.tensor([[0.0, 1.0], [1000.0, 1000.0]]), 1)
    tensor([   1.3133, 1000.6932])
    """
    y = input.logsumexp(dim, keepdim)
    return y if out is None else write_out("logsumexp", out, y)
