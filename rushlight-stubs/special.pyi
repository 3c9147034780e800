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
    """The Airy function Ai; without a derivative."""
def bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the first kind, order 0."""
def bessel_j1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the first kind, order 1."""
def bessel_y0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the second kind, order 0."""
def bessel_y1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the second kind, order 1."""
def chebyshev_polynomial_t(input: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """T_n(x)."""
def chebyshev_polynomial_u(input: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """U_n(x)."""
def chebyshev_polynomial_v(input: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """V_n(x)."""
def chebyshev_polynomial_w(input: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """W_n(x)."""
def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of lgamma."""
def entr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """-x log(x); 0 at 0 and -inf below."""
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The error function: 2/sqrt(pi) times the integral of exp(-t*t) from 0 to x."""
def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 - erf(x), accurate where erf(x) is near 1."""
def erfcx(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(x*x) erfc(x), which neither overflows nor vanishes for large x."""
def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of erf on (-1, 1); infinite at the ends, NaN outside."""
def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """2 to the x."""
def expit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 / (1 + exp(-x)): the sigmoid."""
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(x) - 1."""
def gammainc(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The regularised lower incomplete gamma function P(a, x)."""
def gammaincc(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The regularised upper incomplete gamma function Q(a, x) = 1 - P(a, x)."""
def gammaln(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log |gamma(x)|."""
def hermite_polynomial_h(input: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The physicists' Hermite polynomial H_n(x)."""
def hermite_polynomial_he(input: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The probabilists' Hermite polynomial He_n(x)."""
def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, order 0."""
def i0e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(-|x|) i0(x)."""
def i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, order 1."""
def i1e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(-|x|) i1(x)."""
def laguerre_polynomial_l(input: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Laguerre polynomial L_n(x)."""
def legendre_polynomial_p(input: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Legendre polynomial P_n(x)."""
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log(1 + x)."""
def log_ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log(ndtr(x)), accurate in the far left tail."""
def log_softmax(input: Tensor, dim: _int, dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """log(softmax(x)) along `dim`, without overflow."""
def logit(input: Tensor, eps: Tensor | Number | None = None, *, out: Tensor | None = None) -> Tensor:
    """log(x / (1 - x)); with eps, x is first brought into [eps, 1 - eps]."""
def logsumexp(input: Tensor, dim: Dims, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """log of the sum of exp(x) over dims, as torch.logsumexp."""
def modified_bessel_i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, order 0."""
def modified_bessel_i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, order 1."""
def modified_bessel_k0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the second kind, order 0."""
def modified_bessel_k1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the second kind, order 1."""
def multigammaln(input: Tensor, p: _int, *, out: Tensor | None = None) -> Tensor:
    """The same as `torch.mvlgamma`."""
def ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The distribution function of the standard normal distribution."""
def ndtri(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The quantile function of the standard normal distribution, the inverse of ndtr."""
def polygamma(n: _int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The n-th derivative of digamma at input, n >= 0."""
def psi(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of lgamma."""
def round(input: Tensor, *, decimals: _int = 0, out: Tensor | None = None) -> Tensor:
    """The nearest multiple of 10^-decimals; halves go to even."""
def scaled_modified_bessel_k0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(x) modified_bessel_k0(x)."""
def scaled_modified_bessel_k1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(x) modified_bessel_k1(x)."""
def shifted_chebyshev_polynomial_t(input: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """T_n(2x - 1)."""
def shifted_chebyshev_polynomial_u(input: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """U_n(2x - 1)."""
def shifted_chebyshev_polynomial_v(input: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """V_n(2x - 1)."""
def shifted_chebyshev_polynomial_w(input: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """W_n(2x - 1)."""
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """sin(pi x)/(pi x), and 1 at 0."""
def softmax(input: Tensor, dim: _int, dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`: numbers in [0, 1] that add up to 1.

    >>> import rushlight as torch
    >>> torch.softmax(torch.tensor([0., 0.]), 0)
    tensor([0.5000, 0.5000])
    """
def spherical_bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """sin(x)/x: the spherical Bessel function of order 0."""
def xlog1py(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """x log(1 + y), and 0 where x is 0 (unless y is NaN)."""
def xlogy(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """x log(y), and 0 where x is 0 (unless y is NaN)."""
def zeta(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Hurwitz zeta function: the sum over k >= 0 of (q + k) to the power -s."""
