"""The transforms of torch.fft with PyTorch's signatures: fft, rfft, hfft and their inverses, over
one dim, two or several.

Not here: the three records they call (`transforms.py`), frequencies and shifts (`frequencies.py`),
short-time transforms (`stft.py`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import door
from ...errors import axis, message
from ..core.composite import composite
from ..core.samples import case, cplx
from ..linalg.operands import finish
from .transforms import fft_c2c, fft_c2r, fft_r2c, fit

# -- arguments -------------------------------------------------------------------------------------


def normalisation(norm: str | None, sizes: Any, forward: bool) -> float:
    """The factor that a norm mode means."""
    if norm not in (None, "backward", "ortho", "forward"):
        raise RuntimeError(
            message(
                f'Invalid normalization mode: "{norm}"', hint='"backward", "ortho" or "forward"'
            )
        )
    n = math.prod(sizes)
    if norm == "ortho":
        return 1 / math.sqrt(n) if n else 1.0
    return 1 / n if (norm == "forward") == forward and n else 1.0


def prepared(x: Any, complex_: bool) -> Any:
    """The input as float32/float64 or complex64/complex128."""
    if door.state.autocast is not None and x.dtype in (dtypes.float16, dtypes.bfloat16):
        x = x.to(dtypes.float32)
    kind = x._a.dtype.kind
    if kind in "iub":
        x = x.to(dtypes.get_default_dtype())
    elif kind not in "fc" or x._a.dtype.itemsize == 2:
        raise RuntimeError(message(f"Unsupported dtype {x.dtype}", hint="x.float()"))
    if complex_ and x._a.dtype.kind not in "cW":
        x = x.to(dtypes.from_numpy(np.result_type(x._a.dtype, np.complex64)))
    return x


def real_only(name: str, x: Any) -> Any:
    """The input of a transform of real values."""
    if x._a.dtype.kind in "cW":
        raise RuntimeError(
            message(
                f"{name} expects a real input tensor, but got {x.dtype}",
                hint="torch.fft.fft, or x.real",
            )
        )
    return prepared(x, False)


def point(n: int) -> None:
    """Raise PyTorch's error for a transform of no points."""
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")


def dims_and_sizes(x: Any, s: Any, dim: Any) -> tuple[tuple[int, ...], list[int | None]]:
    """The dims of a transform over several, and the sizes asked for (None: as they are)."""
    if isinstance(dim, int):
        dim = (dim,)
    if isinstance(s, int):
        s = (s,)
    if dim is not None:
        if x.ndim == 0 and dim:
            raise IndexError(f"Dimension specified as {dim[0]} but tensor has no dimensions")
        dims = tuple(axis(d, x.ndim) for d in dim)
        if len(set(dims)) != len(dims):
            raise RuntimeError("FFT dims must be unique")
        if s is not None and len(s) != len(dims):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
    elif s is not None:
        if len(s) > x.ndim:
            raise RuntimeError(
                f"Got shape with {len(s)} values but input tensor only has {x.ndim} dimensions."
            )
        dims = tuple(range(x.ndim - len(s), x.ndim))
    else:
        dims = tuple(range(x.ndim))
    sizes: list[int | None] = (
        [None] * len(dims) if s is None else [None if n == -1 else n for n in s]
    )
    for n in sizes:
        if n is not None:
            point(n)
    return dims, sizes


def fitted(x: Any, dims: tuple[int, ...], sizes: list[int | None]) -> Any:
    """x cut or filled to the sizes that are given."""
    wanted = tuple(x.shape[d] if n is None else n for d, n in zip(dims, sizes, strict=True))
    for n in wanted:
        point(n)
    if wanted == tuple(x.shape[d] for d in dims):
        return x
    return fit(x, dims=dims, sizes=wanted)


def full(x: Any, s: Any, dim: Any, norm: str | None, forward: bool) -> Any:
    """A complex transform over several dims."""
    x = prepared(x, True)
    dims, sizes = dims_and_sizes(x, s, dim)
    x = fitted(x, dims, sizes)
    scale = normalisation(norm, [x.shape[d] for d in dims], forward)
    return fft_c2c(x, dims=dims, forward=forward, scale=scale)


def to_half(name: str, x: Any, s: Any, dim: Any, norm: str | None, forward: bool) -> Any:
    """A transform of real values, conjugated when it runs backward."""
    x = real_only(name, x)
    dims, sizes = dims_and_sizes(x, s, dim)
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    x = fitted(x, dims, sizes)
    scale = normalisation(norm, [x.shape[d] for d in dims], forward)
    if forward:
        return fft_r2c(x, dims=dims, scale=scale)
    y = fft_r2c(x, dims=dims[-1:], scale=scale).conj()
    return y if len(dims) == 1 else fft_c2c(y, dims=dims[:-1], forward=False)


def from_half(name: str, x: Any, s: Any, dim: Any, norm: str | None, forward: bool) -> Any:
    """A transform to real values, from half of the Hermitian input."""
    x = prepared(x, True)
    dims, sizes = dims_and_sizes(x, s, dim)
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    last = sizes[-1]
    n = 2 * (x.shape[dims[-1]] - 1) if last is None else last
    point(n)
    x = fitted(x, dims, [*sizes[:-1], n // 2 + 1])
    scale = normalisation(norm, [*(x.shape[d] for d in dims[:-1]), n], forward)
    return fft_c2r(x.conj() if forward else x, dims=dims, n=n, scale=scale)


def along(x: Any, n: int | None, dim: int, norm: str | None, forward: bool) -> Any:
    """A transform over one dim, of complex or real values."""
    if x._a.dtype.kind in "cW":
        return full(x, _one(n), (dim,), norm, forward)
    x = prepared(x, False)
    dims, sizes = dims_and_sizes(x, _one(n), (dim,))
    x = fitted(x, dims, sizes)
    scale = normalisation(norm, [x.shape[dims[0]]], forward)
    y = fft_r2c(x, dims=dims, scale=scale, onesided=False)
    return y if forward else y.conj()


# -- one dim ---------------------------------------------------------------------------------------


def _one(n: Any) -> Any:
    if n is None:
        return None
    point(n)  # where several sizes are given, -1 is the input's own
    return (n,)


@composite(public="fft", samples=[case((3, 4)), case(cplx((3, 4)), 6, 0, "ortho")])
def fft(
    input: Any, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Any = None
) -> Any:
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
    return finish("fft", along(input, n, dim, norm, True), out)


@composite(public="fft", samples=[case((3, 4)), case(cplx((3, 4)), 6, 0, "ortho")])
def ifft(
    input: Any, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Any = None
) -> Any:
    """The inverse of `fft`: `y[j] = sum over k of x[k] * exp(2 * pi * i * j * k / n) / n`.

    n: how many values are taken; dim: -1 by default; norm: that of the `fft` it undoes.

    >>> torch.fft.ifft(torch.fft.fft(torch.tensor([1.0, 2.0, 3.0, 4.0]))).real
    tensor([1., 2., 3., 4.])
    """
    return finish("ifft", along(input, n, dim, norm, False), out)


@composite(public="fft", samples=[case((3, 4)), case((3, 5), norm="forward")])
def rfft(
    input: Any, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Any = None
) -> Any:
    """The Fourier transform of real values: the first n // 2 + 1 terms; the others are their
    conjugates.

    input (*, n, *), real; the result (*, n // 2 + 1, *) is complex. RuntimeError for complex input.

    n: how many values are taken; dim: -1 by default; norm: "backward" (the default), "forward" or
    "ortho", as of `fft`.

    >>> torch.fft.rfft(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    tensor([10.+0.j, -2.+2.j, -2.+0.j])
    """
    return finish("rfft", to_half("rfft", input, _one(n), (dim,), norm, True), out)


@composite(public="fft", samples=[case(cplx((3, 4))), case(cplx((3, 4)), 5)])
def irfft(
    input: Any, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Any = None
) -> Any:
    """The inverse of `rfft`: real values from the first half of their terms.

    input (*, m, *), complex; the result (*, n, *) is real.

    n: the size of the result, by default 2 * (m - 1); give it where it was odd, as m does not tell.
    dim: -1 by default; norm: that of the `rfft` it undoes.

    >>> torch.fft.irfft(torch.fft.rfft(torch.tensor([1.0, 2.0, 3.0])), n=3)
    tensor([1., 2., 3.])
    """
    return finish("irfft", from_half("irfft", input, _one(n), (dim,), norm, False), out)


@composite(public="fft", samples=[case(cplx((3, 4))), case(cplx((3, 4)), 5)])
def hfft(
    input: Any, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Any = None
) -> Any:
    """The Fourier transform of a Hermitian signal, which is real: the first half of the signal is
    given.

    input (*, m, *), complex; the result (*, n, *) is real. n: its size, by default 2 * (m - 1).
    dim: -1 by default; norm: "backward" (the default), "forward" or "ortho", as of `fft`.

    >>> torch.fft.hfft(torch.tensor([10.0 + 0j, -2.0 + 2j, -2.0 + 0j]))
    tensor([ 4., 16., 12.,  8.])
    """
    return finish("hfft", from_half("hfft", input, _one(n), (dim,), norm, True), out)


@composite(public="fft", samples=[case((3, 4))])
def ihfft(
    input: Any, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Any = None
) -> Any:
    """The inverse of `hfft`: the first half of a Hermitian signal from its real transform.

    input (*, n, *), real; the result (*, n // 2 + 1, *) is complex. n, dim and norm are those of
    `rfft`.

    >>> torch.fft.ihfft(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    tensor([ 2.5000-0.0000j, -0.5000-0.5000j, -0.5000-0.0000j])
    """
    return finish("ihfft", to_half("ihfft", input, _one(n), (dim,), norm, False), out)


# -- several dims ----------------------------------------------------------------------------------


@composite(public="fft", samples=[case((2, 3, 4)), case(cplx((3, 4)), [4, 3])])
def fftn(
    input: Any, s: Any = None, dim: Any = None, norm: str | None = None, *, out: Any = None
) -> Any:
    """The Fourier transform over several dimensions, one after the other.

    s: the sizes to which these dimensions are cut or filled with zeros; -1 leaves one as it is.
    dim: the dimensions; by default the last len(s), or all. norm: "backward" (the default),
    "forward" or "ortho", as of `fft`, with n the product of the sizes. RuntimeError for a dimension
    named twice.

    >>> torch.fft.fftn(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[10.+0.j, -2.+0.j],
            [-4.+0.j,  0.+0.j]])
    """
    return finish("fftn", full(input, s, dim, norm, True), out)


@composite(public="fft", samples=[case((2, 3, 4)), case(cplx((3, 4)), dim=(0,))])
def ifftn(
    input: Any, s: Any = None, dim: Any = None, norm: str | None = None, *, out: Any = None
) -> Any:
    """The inverse of `fftn`, whose parameters it has.

    >>> torch.fft.ifftn(torch.fft.fftn(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))).real
    tensor([[1., 2.],
            [3., 4.]])
    """
    return finish("ifftn", full(input, s, dim, norm, False), out)


@composite(public="fft", samples=[case((2, 3, 4)), case((3, 4), norm="ortho")])
def rfftn(
    input: Any, s: Any = None, dim: Any = None, norm: str | None = None, *, out: Any = None
) -> Any:
    """The Fourier transform of real values over several dimensions, of the last of which the first
    half is returned.

    input, real; in the result the last of `dim` has the size n // 2 + 1. s, dim and norm are those
    of `fftn`.

    >>> torch.fft.rfftn(torch.tensor([[1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, 1.0]])).shape
    torch.Size([2, 3])
    """
    return finish("rfftn", to_half("rfftn", input, s, dim, norm, True), out)


@composite(public="fft", samples=[case(cplx((2, 3, 4)))])
def irfftn(
    input: Any, s: Any = None, dim: Any = None, norm: str | None = None, *, out: Any = None
) -> Any:
    """The inverse of `rfftn`: real values. The last of s is the size of the last dimension of the
    result, by default 2 * (m - 1).

    >>> x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    >>> torch.fft.irfftn(torch.fft.rfftn(x), s=x.shape)
    tensor([[1., 2., 3.],
            [4., 5., 6.]])
    """
    return finish("irfftn", from_half("irfftn", input, s, dim, norm, False), out)


@composite(public="fft", samples=[case(cplx((3, 4)))])
def hfftn(
    input: Any, s: Any = None, dim: Any = None, norm: str | None = None, *, out: Any = None
) -> Any:
    """The Fourier transform of a signal that is Hermitian over several dimensions, which is real:
    the first half of the last of them is given.

    s, dim and norm are those of `irfftn`.

    >>> torch.fft.hfftn(torch.ones(2, 3, dtype=torch.complex64))
    tensor([[8., 0., 0., 0.],
            [0., 0., 0., 0.]])
    """
    return finish("hfftn", from_half("hfftn", input, s, dim, norm, True), out)


@composite(public="fft", samples=[case((3, 4))])
def ihfftn(
    input: Any, s: Any = None, dim: Any = None, norm: str | None = None, *, out: Any = None
) -> Any:
    """The inverse of `hfftn`: half of a Hermitian signal from its real transform.

    s, dim and norm are those of `rfftn`.

    >>> torch.fft.ihfftn(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[ 2.5000-0.j, -0.5000-0.j],
            [-1.0000+0.j,  0.0000+0.j]])
    """
    return finish("ihfftn", to_half("ihfftn", input, s, dim, norm, False), out)


def _over_two(name: str, inner: Any, doc: str) -> None:
    def two(
        input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, out: Any = None
    ) -> Any:
        return inner(input, s, dim, norm, out=out)

    two.__name__ = two.__qualname__ = name
    two.__doc__ = doc
    half = name in ("irfft2", "hfft2")  # what it takes is the half of a symmetric spectrum
    composite(
        two,
        public="fft",
        name=name,
        samples=[case(cplx((2, 3, 4)) if half else (2, 3, 4)), case((3, 4), [4, 2], norm="ortho")],
    )


_over_two(
    "fft2",
    fftn,
    """The Fourier transform over two dimensions, the last two by default: `fftn`.

    s: the two sizes; dim: (-2, -1) by default; norm: "backward" (the default), "forward" or
    "ortho".

    >>> torch.fft.fft2(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[10.+0.j, -2.+0.j],
            [-4.+0.j,  0.+0.j]])
    """,
)
_over_two(
    "ifft2",
    ifftn,
    """The inverse of `fft2`, whose parameters it has.

    >>> torch.fft.ifft2(torch.fft.fft2(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))).real
    tensor([[1., 2.],
            [3., 4.]])
    """,
)
_over_two(
    "rfft2",
    rfftn,
    """The Fourier transform of real values over two dimensions, the last two by default:
    `rfftn`. The last of them is halved.

    s: the two sizes; dim: (-2, -1) by default; norm: "backward" (the default), "forward" or
    "ortho".

    >>> torch.fft.rfft2(torch.ones(3, 8, 8)).shape
    torch.Size([3, 8, 5])
    """,
)
_over_two(
    "irfft2",
    irfftn,
    """The inverse of `rfft2`: real values. The last of s is the last size of the result, by
    default 2 * (m - 1).

    >>> x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    >>> torch.fft.irfft2(torch.fft.rfft2(x), s=x.shape)
    tensor([[1., 2., 3.],
            [4., 5., 6.]])
    """,
)
_over_two(
    "hfft2",
    hfftn,
    """The Fourier transform of a signal that is Hermitian over two dimensions, the last two by
    default: `hfftn`.

    >>> torch.fft.hfft2(torch.ones(2, 3, dtype=torch.complex64)).shape
    torch.Size([2, 4])
    """,
)
_over_two(
    "ihfft2",
    ihfftn,
    """The inverse of `hfft2`: half of a Hermitian signal from its real transform.

    >>> torch.fft.ihfft2(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[ 2.5000-0.j, -0.5000-0.j],
            [-1.0000+0.j,  0.0000+0.j]])
    """,
)
