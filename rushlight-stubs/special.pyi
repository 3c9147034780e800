"""Made by tools/stubs.py: change the tables there, or the sources."""

import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, Self, TypeAlias, TypeGuard, TypeVar, overload

from rushlight import return_types as return_types
from rushlight.layout import memory_format
from rushlight.random import Generator
from rushlight.size import Size
from rushlight.tensor import Tensor
from rushlight._stub_types import (
    Device as Device,
    Dims as Dims,
    Number as Number,
    _device as _device,
    _dtype as _dtype,
    _layout as _layout,
    _bool as _bool,
    _bytes as _bytes,
    _complex as _complex,
    _float as _float,
    _int as _int,
    _str as _str,
)

def airy_ai(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Airy function Ai, the solution of `y'' = x * y` that falls for large x. It has no
    derivative here, as in PyTorch.

    >>> torch.special.airy_ai(torch.tensor([0.0, 1.0, -2.0]))
    tensor([0.3550, 0.1353, 0.2274])
    """
def bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the first kind, order 0.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.bessel_j0(torch.tensor([0.0, 1.0, 5.0]))
    tensor([ 1.0000,  0.7652, -0.1776])
    """
def bessel_j1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the first kind, order 1; minus the derivative of bessel_j0.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.bessel_j1(torch.tensor([0.0, 1.0, -1.0]))
    tensor([ 0.0000,  0.4401, -0.4401])
    """
def bessel_y0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the second kind, order 0; -inf at 0, NaN below.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.bessel_y0(torch.tensor([1.0, 5.0, 0.0]))
    tensor([ 0.0883, -0.3085,    -inf])
    """
def bessel_y1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the second kind, order 1; -inf at 0, NaN below.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.bessel_y1(torch.tensor([1.0, 5.0, 0.0]))
    tensor([-0.7812,  0.1479,    -inf])
    """
def chebyshev_polynomial_t(input: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial of the first kind, T_n(x): `T_0 = 1`, `T_1 = x`,
    `T_(k+1) = 2 * x * T_k - T_(k-1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.
    Without a derivative.

    >>> torch.special.chebyshev_polynomial_t(torch.tensor([0.5, -0.5]), 3)
    tensor([-1.,  1.])
    """
def chebyshev_polynomial_u(input: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial of the second kind, U_n(x): `U_0 = 1`, `U_1 = 2 * x`,
    `U_(k+1) = 2 * x * U_k - U_(k-1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.
    Without a derivative.

    >>> torch.special.chebyshev_polynomial_u(torch.tensor([0.5, -0.25]), 3)
    tensor([-1.0000,  0.8750])
    """
def chebyshev_polynomial_v(input: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial of the third kind, V_n(x): `V_0 = 1`, `V_1 = 2 * x - 1`,
    `V_(k+1) = 2 * x * V_k - V_(k-1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.
    Without a derivative.

    >>> torch.special.chebyshev_polynomial_v(torch.tensor([0.5, -0.25]), 3)
    tensor([-1.0000,  1.6250])
    """
def chebyshev_polynomial_w(input: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial of the fourth kind, W_n(x): `W_0 = 1`, `W_1 = 2 * x + 1`,
    `W_(k+1) = 2 * x * W_k - W_(k-1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.
    Without a derivative.

    >>> torch.special.chebyshev_polynomial_w(torch.tensor([0.5, -0.25]), 3)
    tensor([-1.0000,  0.1250])
    """
def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of lgamma: `y = gamma'(x) / gamma(x)`.

    -inf at 0, NaN at -1, -2 and so on.

    >>> torch.digamma(torch.tensor([1.0, 0.5, 0.0]))
    tensor([-0.5772, -1.9635,    -inf])
    """
def entr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The terms of an entropy: `y = -x * log(x)`; 0 at 0 and -inf below.

    >>> torch.special.entr(torch.tensor([0.5, 0.25, 0.0, -1.0]))
    tensor([0.3466, 0.3466, 0.0000,   -inf])
    """
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The error function: `y = 2 / sqrt(pi) * integral of exp(-t * t) from 0 to x`, between -1
    and 1.

    >>> torch.erf(torch.tensor([0.0, 1.0, -2.0]))
    tensor([ 0.0000,  0.8427, -0.9953])
    """
def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The complementary error function: `y = 1 - erf(x)`, exact where erf(x) is near 1 too.

    >>> torch.erfc(torch.tensor([0.0, 1.0, 5.0]))
    tensor([1.0000e+00, 1.5730e-01, 1.5375e-12])
    """
def erfcx(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The scaled complementary error function: `y = exp(x * x) * erfc(x)`, which does not
    vanish for large x.

    >>> torch.special.erfcx(torch.tensor([0.0, 1.0, 50.0]))
    tensor([1.0000, 0.4276, 0.0113])
    """
def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of erf: the x whose `erf(x)` is the element; infinite at -1 and 1, NaN
    outside.

    >>> torch.erfinv(torch.tensor([0.0, 0.5, -1.0]))
    tensor([0.0000, 0.4769,   -inf])
    """
def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Two to the power of each element: `y = 2 ** x`.

    Integers and bools give the default float type.

    >>> torch.exp2(torch.tensor([0.0, 3.0, -1.0]))
    tensor([1.0000, 8.0000, 0.5000])
    """
def expit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logistic function: `y = 1 / (1 + exp(-x))`, the same as `torch.sigmoid`.

    >>> torch.special.expit(torch.tensor([0.0, 2.0, -2.0]))
    tensor([0.5000, 0.8808, 0.1192])
    """
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`y = exp(x) - 1`, exact for small x too, where exp(x) is so near 1 that the difference
    would lose its digits.

    >>> x = torch.tensor([1e-8, 1.0])
    >>> torch.expm1(x)
    tensor([1.0000e-08, 1.7183e+00])
    >>> torch.exp(x) - 1
    tensor([0.0000, 1.7183])
    """
def gammainc(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The regularised lower incomplete gamma function:
    `P(a, x) = integral of t ** (a - 1) * exp(-t) from 0 to x, divided by gamma(a)`, with a = input
    and x = other.

    Both are tensors of floats, not negative, whose shapes broadcast. There is a derivative by other
    alone; backward with a gradient for input raises.

    >>> torch.igamma(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 2.0, 3.0]))
    tensor([0.6321, 0.5940, 0.5768])
    """
def gammaincc(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The regularised upper incomplete gamma function: `Q(a, x) = 1 - P(a, x)`, with a = input
    and x = other, exact for large x too.

    Both are tensors of floats, not negative, whose shapes broadcast. There is a derivative by other
    alone.

    >>> torch.igammac(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 30.0]))
    tensor([3.6788e-01, 2.9009e-12])
    """
def gammaln(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the gamma function: `y = log(|gamma(x)|)`; gamma(n) is `(n - 1)!`.

    Infinite at 0, -1, -2 and so on.

    >>> torch.lgamma(torch.tensor([1.0, 4.0, 0.5, -1.0]))
    tensor([0.0000, 1.7918, 0.5724,    inf])
    >>> torch.lgamma(torch.tensor(4.0)).exp()
    tensor(6.)
    """
def hermite_polynomial_h(input: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The physicists' Hermite polynomial H_n(x): `H_0 = 1`, `H_1 = 2 * x`,
    `H_(k+1) = 2 * x * H_k - 2 * k * H_(k-1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.

    >>> torch.special.hermite_polynomial_h(torch.tensor([1.0, 0.5]), 3)
    tensor([-4., -5.])
    """
def hermite_polynomial_he(input: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The probabilists' Hermite polynomial He_n(x): `He_0 = 1`, `He_1 = x`,
    `He_(k+1) = x * He_k - k * He_(k-1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.

    >>> torch.special.hermite_polynomial_he(torch.tensor([1.0, 2.0]), 3)
    tensor([-2.,  2.])
    """
def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, order 0:
    `y = sum over k of (x * x / 4) ** k / (k!) ** 2`.

    `i0e` does not overflow for large x.

    >>> torch.i0(torch.tensor([0.0, 1.0, 5.0]))
    tensor([ 1.0000,  1.2661, 27.2399])
    """
def i0e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, order 0, scaled: `y = exp(-|x|) * i0(x)`.

    >>> torch.special.i0e(torch.tensor([0.0, 1.0, 500.0]))
    tensor([1.0000, 0.4658, 0.0178])
    """
def i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, order 1; the derivative of i0.

    >>> torch.special.i1(torch.tensor([0.0, 1.0, -5.0]))
    tensor([  0.0000,   0.5652, -24.3356])
    """
def i1e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, order 1, scaled: `y = exp(-|x|) * i1(x)`.

    >>> torch.special.i1e(torch.tensor([0.0, 1.0, 500.0]))
    tensor([0.0000, 0.2079, 0.0178])
    """
def laguerre_polynomial_l(input: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Laguerre polynomial L_n(x): `L_0 = 1`, `L_1 = 1 - x`,
    `L_(k+1) = ((2 * k + 1 - x) * L_k - k * L_(k-1)) / (k + 1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.

    >>> torch.special.laguerre_polynomial_l(torch.tensor([0.5, 2.0]), 2)
    tensor([ 0.1250, -1.0000])
    """
def legendre_polynomial_p(input: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Legendre polynomial P_n(x): `P_0 = 1`, `P_1 = x`,
    `P_(k+1) = ((2 * k + 1) * x * P_k - k * P_(k-1)) / (k + 1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.

    >>> torch.special.legendre_polynomial_p(torch.tensor([0.5, -1.0]), 2)
    tensor([-0.1250,  1.0000])
    """
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`y = log(1 + x)`, exact for small x too, where 1 + x would lose the digits of x.

    -inf for -1, NaN below.

    >>> x = torch.tensor([1e-8, 1.0, -1.0])
    >>> torch.log1p(x)
    tensor([1.0000e-08, 6.9315e-01,       -inf])
    >>> torch.log(1 + x)
    tensor([0.0000, 0.6931,   -inf])
    """
def log_ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`y = log(ndtr(x))`, exact in the far left tail, where ndtr(x) itself is 0.

    >>> torch.special.log_ndtr(torch.tensor([0.0, -1.0, -50.0]))
    tensor([-6.9315e-01, -1.8410e+00, -1.2548e+03])
    """
def log_softmax(input: Tensor, dim: _int, dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """log(softmax(x)) along `dim`, without overflow: x - log(sum(exp(x))).

    `dtype` converts before; integers need one.

    >>> x = torch.tensor([0.0, 1000.0])
    >>> torch.log_softmax(x, 0)
    tensor([-1000.,     0.])
    """
def logit(input: Tensor, eps: Tensor | Number | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of the sigmoid: `y = log(x / (1 - x))`, for x in [0, 1]; NaN outside.

    eps: x is first brought into [eps, 1 - eps], so that the result is finite. The gradient is 0
    where that changes x. None, the default: no bounds.

    >>> torch.logit(torch.tensor([0.5, 0.9, 1.0]))
    tensor([0.0000, 2.1972,    inf])
    >>> torch.logit(torch.tensor([0.5, 0.9, 1.0]), eps=1e-3)
    tensor([0.0000, 2.1972, 6.9068])
    """
def logsumexp(input: Tensor, dim: Dims, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """`y = log(sum of exp(x))` over the dimensions `dim`, without overflow: `torch.logsumexp`.

    dim: an int or a tuple; keepdim: these dimensions stay, with size 1 (False by default).

    >>> torch.special.logsumexp(torch.tensor([[0.0, 1.0], [1000.0, 1000.0]]), 1)
    tensor([   1.3133, 1000.6932])
    """
def modified_bessel_i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, order 0:
    `y = sum over k of (x * x / 4) ** k / (k!) ** 2`.

    `i0e` does not overflow for large x.

    >>> torch.i0(torch.tensor([0.0, 1.0, 5.0]))
    tensor([ 1.0000,  1.2661, 27.2399])
    """
def modified_bessel_i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, order 1; the derivative of i0.

    >>> torch.special.i1(torch.tensor([0.0, 1.0, -5.0]))
    tensor([  0.0000,   0.5652, -24.3356])
    """
def modified_bessel_k0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the second kind, order 0; infinite at 0, NaN below.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.modified_bessel_k0(torch.tensor([0.5, 1.0, 0.0]))
    tensor([0.9244, 0.4210,    inf])
    """
def modified_bessel_k1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the second kind, order 1; infinite at 0, NaN below.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.modified_bessel_k1(torch.tensor([0.5, 1.0, 0.0]))
    tensor([1.6564, 0.6019,    inf])
    """
def multigammaln(input: Tensor, p: _int, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the p-variate gamma function: `torch.mvlgamma`.

    >>> torch.special.multigammaln(torch.tensor([2.0, 3.5]), 2)
    tensor([0.4516, 2.4665])
    """
def ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The distribution function of the standard normal distribution: the share of it below x,
    `y = (1 + erf(x / sqrt(2))) / 2`.

    >>> torch.special.ndtr(torch.tensor([0.0, 1.96, -1.96]))
    tensor([0.5000, 0.9750, 0.0250])
    """
def ndtri(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The quantile function of the standard normal distribution: the x with `ndtr(x)` equal to
    the element.

    Infinite at 0 and 1, NaN outside.

    >>> torch.special.ndtri(torch.tensor([0.5, 0.975, 0.0]))
    tensor([0.0000, 1.9600,   -inf])
    """
def polygamma(n: _int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The n-th derivative of digamma at the elements of input.

    n: an int, 0 or more: 0 is digamma itself, 1 the trigamma function. RuntimeError for a negative
    one.

    >>> torch.polygamma(1, torch.tensor([1.0, 0.5]))
    tensor([1.6449, 4.9348])
    """
def psi(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of lgamma: `y = gamma'(x) / gamma(x)`.

    -inf at 0, NaN at -1, -2 and so on.

    >>> torch.digamma(torch.tensor([1.0, 0.5, 0.0]))
    tensor([-0.5772, -1.9635,    -inf])
    """
def round(input: Tensor, *, decimals: _int = 0, out: Tensor | None = None) -> Tensor:
    """The nearest integer, or the nearest multiple of `10 ** -decimals`; halves go to the even
    neighbour.

    decimals: digits kept after the point; negative ones round to tens, hundreds and so on. Integers
    take no decimals (NotImplementedError). The gradient is 0 everywhere.

    >>> torch.round(torch.tensor([0.5, 1.5, 2.5, -0.7]))
    tensor([ 0.,  2.,  2., -1.])
    >>> torch.round(torch.tensor([3.14159, 271.828]), decimals=2)
    tensor([  3.1400, 271.8300])
    >>> torch.round(torch.tensor([1234.0]), decimals=-2)
    tensor([1200.])
    """
def scaled_modified_bessel_k0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the second kind, order 0, scaled: `y = exp(x) * k0(x)`.

    It does not vanish for large x.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.scaled_modified_bessel_k0(torch.tensor([1.0, 500.0]))
    tensor([1.1445, 0.0560])
    """
def scaled_modified_bessel_k1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the second kind, order 1, scaled: `y = exp(x) * k1(x)`.

    It does not vanish for large x.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.scaled_modified_bessel_k1(torch.tensor([1.0, 500.0]))
    tensor([1.6362, 0.0561])
    """
def shifted_chebyshev_polynomial_t(input: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial of the first kind, moved to [0, 1]: `T_n(2 * x - 1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.

    >>> torch.special.shifted_chebyshev_polynomial_t(torch.tensor([0.5, 0.25]), 2)
    tensor([-1.0000, -0.5000])
    """
def shifted_chebyshev_polynomial_u(input: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial of the second kind, moved to [0, 1]: `U_n(2 * x - 1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.

    >>> torch.special.shifted_chebyshev_polynomial_u(torch.tensor([0.5, 0.25]), 2)
    tensor([-1.,  0.])
    """
def shifted_chebyshev_polynomial_v(input: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial of the third kind, moved to [0, 1]: `V_n(2 * x - 1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.

    >>> torch.special.shifted_chebyshev_polynomial_v(torch.tensor([0.5, 0.25]), 2)
    tensor([-1.,  1.])
    """
def shifted_chebyshev_polynomial_w(input: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial of the fourth kind, moved to [0, 1]: `W_n(2 * x - 1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.

    >>> torch.special.shifted_chebyshev_polynomial_w(torch.tensor([0.5, 0.25]), 2)
    tensor([-1., -1.])
    """
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The normalised sine cardinal: `y = sin(pi * x) / (pi * x)`, and 1 at 0.

    >>> torch.sinc(torch.tensor([0.0, 0.5, 1.5]))
    tensor([ 1.0000,  0.6366, -0.2122])
    """
def softmax(input: Tensor, dim: _int, dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`: numbers in [0, 1] that add up to 1.

    >>> torch.softmax(torch.tensor([0., 0.]), 0)
    tensor([0.5000, 0.5000])
    """
def spherical_bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The spherical Bessel function of order 0: `y = sin(x) / x`, and 1 at 0.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.spherical_bessel_j0(torch.tensor([0.0, 1.0, torch.pi]))
    tensor([ 1.0000e+00,  8.4147e-01, -2.7828e-08])
    """
def xlog1py(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`y = input * log(1 + other)`, and 0 where input is 0 (but NaN where other is NaN).

    input, other: tensors whose shapes broadcast, or one of them a number.

    >>> torch.special.xlog1py(torch.tensor([0.0, 1.0, 2.0]), torch.tensor([-1.0, 1.0, 1e-8]))
    tensor([0.0000e+00, 6.9315e-01, 2.0000e-08])
    """
def xlogy(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`y = input * log(other)`, and 0 where input is 0, whatever other is (but NaN where other
    is NaN).

    input, other: tensors whose shapes broadcast, or one of them a number. Cross entropies with
    probabilities of 0 want this.

    >>> torch.xlogy(torch.tensor([0.0, 1.0, 2.0]), torch.tensor([0.0, 2.0, 3.0]))
    tensor([0.0000, 0.6931, 2.1972])
    """
def zeta(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Hurwitz zeta function: `y = sum over k >= 0 of (other + k) ** -input`; Riemann's with
    other = 1.

    input, other: tensors whose shapes broadcast, or one of them a number. There is a derivative by
    other alone.

    >>> torch.special.zeta(torch.tensor([2.0, 4.0]), 1)
    tensor([1.6449, 1.0823])
    """
