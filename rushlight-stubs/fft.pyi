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

def fft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The discrete Fourier transform along one dimension:
    `y[k] = sum over j of x[j] * exp(-2 * pi * i * j * k / n)`.

    input (*, n, *), real or complex; the result is complex, of the same shape. `rfft` computes half
    of it for real input.

    n: how many values are taken: the dimension is cut, or filled with zeros; by default its size.
    dim: -1 by default. norm: None or "backward", the default, scales nothing here and `ifft` by
    1/n; "forward" scales here by 1/n; "ortho" both by 1/sqrt(n). Integers give the default float
    type; RuntimeError for float16 and bfloat16.

    >>> torch.fft.fft(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    tensor([10.+0.j, -2.+2.j, -2.+0.j, -2.-2.j])
    """
def fft2(input: Tensor, s: _int | Sequence[_int] | None = None, dim: Dims = ..., norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The Fourier transform over two dimensions, the last two by default: `fftn`.

    s: the two sizes; dim: (-2, -1) by default; norm: "backward" (the default), "forward" or
    "ortho".

    >>> torch.fft.fft2(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[10.+0.j, -2.+0.j],
            [-4.+0.j,  0.+0.j]])
    """
def fftfreq(n: _int, d: _float = 1.0, *, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The frequencies of the terms of `fft`:
    `[0, 1, ..., (n - 1) // 2, -(n // 2), ..., -1] / (n * d)`.

    n: the number of terms; d: the distance of the samples, 1 by default. dtype, device and
    requires_grad are those of `torch.zeros`.

    >>> torch.fft.fftfreq(5)
    tensor([ 0.0000,  0.2000,  0.4000, -0.4000, -0.2000])
    >>> torch.fft.fftfreq(4, d=0.5)
    tensor([ 0.0000,  0.5000, -1.0000, -0.5000])
    """
def fftn(input: Tensor, s: _int | Sequence[_int] | None = None, dim: Dims | None = None, norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The Fourier transform over several dimensions, one after the other.

    s: the sizes to which these dimensions are cut or filled with zeros; -1 leaves one as it is.
    dim: the dimensions; by default the last len(s), or all. norm: "backward" (the default),
    "forward" or "ortho", as of `fft`, with n the product of the sizes. RuntimeError for a dimension
    named twice.

    >>> torch.fft.fftn(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[10.+0.j, -2.+0.j],
            [-4.+0.j,  0.+0.j]])
    """
def fftshift(input: Tensor, dim: Dims | None = None) -> Tensor:
    """Move the term of frequency 0 to the middle, negative frequencies before it.

    dim: an int or a tuple; None, the default, shifts all dimensions.

    >>> torch.fft.fftshift(torch.fft.fftfreq(4))
    tensor([-0.5000, -0.2500,  0.0000,  0.2500])
    """
def hfft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The Fourier transform of a Hermitian signal, which is real: the first half of the signal is
    given.

    input (*, m, *), complex; the result (*, n, *) is real. n: its size, by default 2 * (m - 1).
    dim: -1 by default; norm: "backward" (the default), "forward" or "ortho", as of `fft`.

    >>> torch.fft.hfft(torch.tensor([10.0 + 0j, -2.0 + 2j, -2.0 + 0j]))
    tensor([ 4., 16., 12.,  8.])
    """
def hfft2(input: Tensor, s: _int | Sequence[_int] | None = None, dim: Dims = ..., norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The Fourier transform of a signal that is Hermitian over two dimensions, the last two by
    default: `hfftn`.

    >>> torch.fft.hfft2(torch.ones(2, 3, dtype=torch.complex64)).shape
    torch.Size([2, 4])
    """
def hfftn(input: Tensor, s: _int | Sequence[_int] | None = None, dim: Dims | None = None, norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The Fourier transform of a signal that is Hermitian over several dimensions, which is real:
    the first half of the last of them is given.

    s, dim and norm are those of `irfftn`.

    >>> torch.fft.hfftn(torch.ones(2, 3, dtype=torch.complex64))
    tensor([[8., 0., 0., 0.],
            [0., 0., 0., 0.]])
    """
def ifft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `fft`: `y[j] = sum over k of x[k] * exp(2 * pi * i * j * k / n) / n`.

    n: how many values are taken; dim: -1 by default; norm: that of the `fft` it undoes.

    >>> torch.fft.ifft(torch.fft.fft(torch.tensor([1.0, 2.0, 3.0, 4.0]))).real
    tensor([1., 2., 3., 4.])
    """
def ifft2(input: Tensor, s: _int | Sequence[_int] | None = None, dim: Dims = ..., norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `fft2`, whose parameters it has.

    >>> torch.fft.ifft2(torch.fft.fft2(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))).real
    tensor([[1., 2.],
            [3., 4.]])
    """
def ifftn(input: Tensor, s: _int | Sequence[_int] | None = None, dim: Dims | None = None, norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `fftn`, whose parameters it has.

    >>> torch.fft.ifftn(torch.fft.fftn(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))).real
    tensor([[1., 2.],
            [3., 4.]])
    """
def ifftshift(input: Tensor, dim: Dims | None = None) -> Tensor:
    """The inverse of `fftshift`: the term of frequency 0 comes first again.

    dim: an int or a tuple; None, the default, shifts all dimensions.

    >>> torch.fft.ifftshift(torch.tensor([-2.0, -1.0, 0.0, 1.0]))
    tensor([ 0.,  1., -2., -1.])
    """
def ihfft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `hfft`: the first half of a Hermitian signal from its real transform.

    input (*, n, *), real; the result (*, n // 2 + 1, *) is complex. n, dim and norm are those of
    `rfft`.

    >>> torch.fft.ihfft(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    tensor([ 2.5000-0.0000j, -0.5000-0.5000j, -0.5000-0.0000j])
    """
def ihfft2(input: Tensor, s: _int | Sequence[_int] | None = None, dim: Dims = ..., norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `hfft2`: half of a Hermitian signal from its real transform.

    >>> torch.fft.ihfft2(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[ 2.5000-0.j, -0.5000-0.j],
            [-1.0000+0.j,  0.0000+0.j]])
    """
def ihfftn(input: Tensor, s: _int | Sequence[_int] | None = None, dim: Dims | None = None, norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `hfftn`: half of a Hermitian signal from its real transform.

    s, dim and norm are those of `rfftn`.

    >>> torch.fft.ihfftn(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[ 2.5000-0.j, -0.5000-0.j],
            [-1.0000+0.j,  0.0000+0.j]])
    """
def irfft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `rfft`: real values from the first half of their terms.

    input (*, m, *), complex; the result (*, n, *) is real.

    n: the size of the result, by default 2 * (m - 1); give it where it was odd, as m does not tell.
    dim: -1 by default; norm: that of the `rfft` it undoes.

    >>> torch.fft.irfft(torch.fft.rfft(torch.tensor([1.0, 2.0, 3.0])), n=3)
    tensor([1., 2., 3.])
    """
def irfft2(input: Tensor, s: _int | Sequence[_int] | None = None, dim: Dims = ..., norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `rfft2`: real values. The last of s is the last size of the result, by
    default 2 * (m - 1).

    >>> x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    >>> torch.fft.irfft2(torch.fft.rfft2(x), s=x.shape)
    tensor([[1., 2., 3.],
            [4., 5., 6.]])
    """
def irfftn(input: Tensor, s: _int | Sequence[_int] | None = None, dim: Dims | None = None, norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `rfftn`: real values. The last of s is the size of the last dimension of the
    result, by default 2 * (m - 1).

    >>> x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    >>> torch.fft.irfftn(torch.fft.rfftn(x), s=x.shape)
    tensor([[1., 2., 3.],
            [4., 5., 6.]])
    """
def rfft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The Fourier transform of real values: the first n // 2 + 1 terms; the others are their
    conjugates.

    input (*, n, *), real; the result (*, n // 2 + 1, *) is complex. RuntimeError for complex input.

    n: how many values are taken; dim: -1 by default; norm: "backward" (the default), "forward" or
    "ortho", as of `fft`.

    >>> torch.fft.rfft(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    tensor([10.+0.j, -2.+2.j, -2.+0.j])
    """
def rfft2(input: Tensor, s: _int | Sequence[_int] | None = None, dim: Dims = ..., norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The Fourier transform of real values over two dimensions, the last two by default:
    `rfftn`. The last of them is halved.

    s: the two sizes; dim: (-2, -1) by default; norm: "backward" (the default), "forward" or
    "ortho".

    >>> torch.fft.rfft2(torch.ones(3, 8, 8)).shape
    torch.Size([3, 8, 5])
    """
def rfftfreq(n: _int, d: _float = 1.0, *, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The frequencies of the terms of `rfft`: `[0, 1, ..., n // 2] / (n * d)`.

    n: the number of real samples; d: their distance, 1 by default. dtype, device and requires_grad
    are those of `torch.zeros`.

    >>> torch.fft.rfftfreq(4, d=0.5)
    tensor([0.0000, 0.5000, 1.0000])
    """
def rfftn(input: Tensor, s: _int | Sequence[_int] | None = None, dim: Dims | None = None, norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The Fourier transform of real values over several dimensions, of the last of which the first
    half is returned.

    input, real; in the result the last of `dim` has the size n // 2 + 1. s, dim and norm are those
    of `fftn`.

    >>> torch.fft.rfftn(torch.tensor([[1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, 1.0]])).shape
    torch.Size([2, 3])
    """
