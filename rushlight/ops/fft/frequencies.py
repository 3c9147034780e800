"""The frequencies of a transform and their order: fftfreq, rfftfreq, fftshift, ifftshift.

Not here: the transforms (`transforms_public.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...autograd.door import wrap
from ...device import META, refuse_pinned, usable
from ...kernels.meta import MetaArray
from ..core.composite import composite
from ..core.samples import case
from ..create.arguments import in_layout
from ..linalg.operands import finish


def made(a: Any, dtype: Any, requires_grad: bool, out: Any = None, device: Any = None) -> Any:
    """A tensor from computed numbers, by the conventions of factory functions."""
    kind = dtypes.get_default_dtype() if dtype is None else dtypes.of(dtype)
    t = wrap(np.asarray(a).astype(kind.np))
    if usable(device) is META:
        t = wrap(MetaArray(t.shape, kind.np))
    if out is not None:
        return finish("out", t, out)
    return t._require_grad() if requires_grad else t


def whole_count(name: str, n: Any) -> int:
    """The number of terms as an int."""
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise TypeError(f"{name}(): argument 'n' (position 1) must be int, not {type(n).__name__}")
    if name == "fft_fftfreq" and n < 0:
        refuse_size(n)
    return int(n)


def refuse_size(n: int) -> None:
    raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")


def in_cycles(terms: Any, n: int, d: float) -> Any:
    """terms / (n d), which are infinite, or NaN, where n d is 0."""
    with np.errstate(all="ignore"):
        return terms * (1.0 / np.float64(n * d))


@composite(public="fft", samples=[case(5), case(4, 0.5)])
def fftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """The frequencies of the terms of `fft`:
    `[0, 1, ..., (n - 1) // 2, -(n // 2), ..., -1] / (n * d)`.

    n: the number of terms; d: the distance of the samples, 1 by default. dtype, device and
    requires_grad are those of `torch.zeros`.

    >>> torch.fft.fftfreq(5)
    tensor([ 0.0000,  0.2000,  0.4000, -0.4000, -0.2000])
    >>> torch.fft.fftfreq(4, d=0.5)
    tensor([ 0.0000,  0.5000, -1.0000, -0.5000])
    """
    if pin_memory and out is None:
        refuse_pinned("fftfreq", pin_memory, device)
    if layout is not None:
        in_layout("fftfreq", layout, ())
    n = whole_count("fft_fftfreq", n)
    terms = np.concatenate([np.arange((n + 1) // 2), np.arange(-(n // 2), 0)])
    return made(in_cycles(terms, n, d), dtype, requires_grad, out, device)


@composite(public="fft", samples=[case(5), case(4, 0.5)])
def rfftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """The frequencies of the terms of `rfft`: `[0, 1, ..., n // 2] / (n * d)`.

    n: the number of real samples; d: their distance, 1 by default. dtype, device and requires_grad
    are those of `torch.zeros`.

    >>> torch.fft.rfftfreq(4, d=0.5)
    tensor([0.0000, 0.5000, 1.0000])
    """
    if pin_memory and out is None:
        refuse_pinned("rfftfreq", pin_memory, device)
    if layout is not None:
        in_layout("rfftfreq", layout, ())
    n = whole_count("fft_rfftfreq", n)
    count = int(n / 2) + 1  # as C divides
    if count < 0:
        refuse_size(count)
    return made(in_cycles(np.arange(count), n, d), dtype, requires_grad, out, device)


def _rolled(x: Any, dim: Any, back: bool) -> Any:
    dims = tuple(range(x.ndim)) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    shifts = tuple((x.shape[d] + 1) // 2 if back else x.shape[d] // 2 for d in dims)
    return x.roll(shifts, dims)


@composite(public="fft", samples=[case((3, 4)), case((3, 4), 1)])
def fftshift(input: Any, dim: Any = None) -> Any:
    """Move the term of frequency 0 to the middle, negative frequencies before it.

    dim: an int or a tuple; None, the default, shifts all dimensions.

    >>> torch.fft.fftshift(torch.fft.fftfreq(4))
    tensor([-0.5000, -0.2500,  0.0000,  0.2500])
    """
    return _rolled(input, dim, False)


@composite(public="fft", samples=[case((3, 4)), case((3, 4), 1)])
def ifftshift(input: Any, dim: Any = None) -> Any:
    """The inverse of `fftshift`: the term of frequency 0 comes first again.

    dim: an int or a tuple; None, the default, shifts all dimensions.

    >>> torch.fft.ifftshift(torch.tensor([-2.0, -1.0, 0.0, 1.0]))
    tensor([ 0.,  1., -2., -1.])
    """
    return _rolled(input, dim, True)
