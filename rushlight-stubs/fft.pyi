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
    """The discrete Fourier transform along dim, of n points (cut or filled with zeros)."""
def fft2(input: Tensor, s: _int | Sequence[_int] | None = None, dim: Dims = ..., norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """`fftn` over two dims, the last two by default."""
def fftfreq(n: _int, d: _float = 1.0, *, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The frequencies of the terms of fft: [0, 1, ..., -2, -1] / (n d)."""
def fftn(input: Tensor, s: _int | Sequence[_int] | None = None, dim: Dims | None = None, norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The transform over several dims (all by default), of sizes s."""
def fftshift(input: Tensor, dim: Dims | None = None) -> Tensor:
    """Moves the term of frequency 0 to the middle."""
def hfft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The real transform of a Hermitian signal, of which half is given."""
def hfft2(input: Tensor, s: _int | Sequence[_int] | None = None, dim: Dims = ..., norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """`hfftn` over two dims, the last two by default."""
def hfftn(input: Tensor, s: _int | Sequence[_int] | None = None, dim: Dims | None = None, norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The real transform of a Hermitian signal over several dims."""
def ifft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of fft."""
def ifft2(input: Tensor, s: _int | Sequence[_int] | None = None, dim: Dims = ..., norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """`ifftn` over two dims, the last two by default."""
def ifftn(input: Tensor, s: _int | Sequence[_int] | None = None, dim: Dims | None = None, norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of fftn."""
def ifftshift(input: Tensor, dim: Dims | None = None) -> Tensor:
    """The inverse of fftshift."""
def ihfft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of hfft."""
def ihfft2(input: Tensor, s: _int | Sequence[_int] | None = None, dim: Dims = ..., norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """`ihfftn` over two dims, the last two by default."""
def ihfftn(input: Tensor, s: _int | Sequence[_int] | None = None, dim: Dims | None = None, norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of hfftn."""
def irfft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of rfft; n is the size of the result, by default 2 (m - 1)."""
def irfft2(input: Tensor, s: _int | Sequence[_int] | None = None, dim: Dims = ..., norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """`irfftn` over two dims, the last two by default."""
def irfftn(input: Tensor, s: _int | Sequence[_int] | None = None, dim: Dims | None = None, norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of rfftn."""
def rfft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The transform of real values: its first n // 2 + 1 terms; the others mirror them.

    >>> import rushlight as torch
    >>> torch.fft.rfft(torch.ones(4)).shape
    torch.Size([3])
    """
def rfft2(input: Tensor, s: _int | Sequence[_int] | None = None, dim: Dims = ..., norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """`rfftn` over two dims, the last two by default."""
def rfftfreq(n: _int, d: _float = 1.0, *, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The frequencies of the terms of rfft."""
def rfftn(input: Tensor, s: _int | Sequence[_int] | None = None, dim: Dims | None = None, norm: _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The transform of real values over several dims; the last one is halved."""
