"""Fourier transforms as records: complex to complex, real to half, half to real.

These three, over numpy.fft, carry all names of torch.fft: each is the adjoint of another, so their
rules are each other. `scale` is the normalisation, folded into the record. Not here: the names
(`transforms_public.py`), short-time transforms and window functions (`stft.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...kernels.fft import select
from ...kernels.meta import MetaArray
from ..core.record import op
from ..core.samples import arr, case
from ..linalg.operands import constant


@op(
    samples=[
        case(arr((5,), dtype="complex128"), dims=(0,)),
        case(arr((3, 4), dtype="complex128"), dims=(0, 1), forward=False, scale=0.5),
    ],
    public="",
    fresh=True,
    node="FftC2CBackward0",
)
def fft_c2c(x: Any, *, dims: tuple[int, ...], forward: bool = True, scale: float = 1.0) -> Any:
    """The discrete Fourier transform over dims: sums of x exp(-2 pi i jk/n) (+ when not
    forward)."""
    if x.size == 0 or not dims:
        return x.copy()
    return select.c2c(x, dims, forward, scale)


fft_c2c.planned(
    lambda x, *, dims, forward=True, scale=1.0: select.plan(
        "c2c", x.dtype, x.shape, x.strides, dims, forward, 0, scale
    )
)


fft_c2c.shape(lambda x, **_kw: _meta(x.shape, x.dtype))
fft_c2c.vjp(
    lambda g, _y, _x, *, dims, forward, scale: fft_c2c(
        g, dims=dims, forward=not forward, scale=scale
    )
)


def _meta(shape: tuple[int, ...], dtype: Any) -> MetaArray:
    return MetaArray(shape, dtype)


def _half_shape(
    x: Any, *, dims: tuple[int, ...], scale: float = 1.0, onesided: bool = True
) -> Any:
    shape = list(x.shape)
    if onesided:
        shape[dims[-1]] = shape[dims[-1]] // 2 + 1
    return _meta(tuple(shape), np.result_type(x.dtype, np.complex64))


@op(
    samples=[
        case((5,), dims=(0,)),
        case((3, 4), dims=(0, 1), scale=0.5),
        case((3, 4), dims=(1,), onesided=False),
    ],
    public="",
    fresh=True,
    node="FftR2CBackward0",
)
def fft_r2c(
    x: Any, *, dims: tuple[int, ...], scale: float = 1.0, onesided: bool = True
) -> Any:
    """The transform of real values; of the last of dims only the first half (n // 2 + 1) is
    returned if `onesided`."""
    if x.size == 0:
        shape = _half_shape(x, dims=dims, onesided=onesided).shape
        return np.zeros(shape, np.result_type(x.dtype, np.complex64))
    return select.r2c(x, dims, scale, onesided)


fft_r2c.planned(
    lambda x, *, dims, scale=1.0, onesided=True: select.plan(
        "r2c" if onesided else "full", x.dtype, x.shape, x.strides, dims, True, x.shape[dims[-1]],
        scale,
    )
)  # fmt: skip


fft_r2c.shape(_half_shape)


@fft_r2c.vjp
def _r2c_rule(
    g: Any, _y: Any, _x: Any, *, dims: Any, scale: float, onesided: bool, shapes: Any
) -> Any:
    full = fit(g, dims=dims[-1:], sizes=(shapes[0][dims[-1]],)) if onesided else g
    return fft_c2c(full, dims=dims, forward=False, scale=scale).real


@op(
    samples=[
        case(arr((3,), dtype="complex128"), dims=(0,), n=5),
        case(arr((3, 3), dtype="complex128"), dims=(0, 1), n=4),
    ],
    public="",
    fresh=True,
    node="FftC2RBackward0",
)
def fft_c2r(x: Any, *, dims: tuple[int, ...], n: int, scale: float = 1.0) -> Any:
    """The inverse of fft_r2c (without its 1/n); n is the size of the last of dims in the result."""
    return select.c2r(x, dims, n, scale)


fft_c2r.planned(
    lambda x, *, dims, n, scale=1.0: select.plan(
        "c2r", x.dtype, x.shape, x.strides, dims, False, n, scale
    )
)


def _whole_shape(x: Any, *, dims: tuple[int, ...], n: int, **_kw: Any) -> Any:
    shape = list(x.shape)
    shape[dims[-1]] = n
    return _meta(
        tuple(shape), x.real.dtype if isinstance(x, np.ndarray) else np.zeros(0, x.dtype).real.dtype
    )


fft_c2r.shape(_whole_shape)


@fft_c2r.vjp
def _c2r_rule(g: Any, _y: Any, _x: Any, *, dims: Any, n: int, scale: float) -> Any:
    half = fft_r2c(g, dims=dims, scale=scale)
    weight = np.ones(n // 2 + 1)
    weight[1 : n - n // 2] = 2  # these stand for two: themselves and their mirror images
    return half * constant(weight.reshape((-1,) + (1,) * (g.ndim - 1 - dims[-1])), half)


def fit_shape(x: Any, *, dims: tuple[int, ...], sizes: tuple[int, ...]) -> MetaArray:
    """The shape with these sizes in these dims."""
    shape = list(x.shape)
    for d, n in zip(dims, sizes, strict=True):
        shape[d] = n
    return MetaArray(tuple(shape), x.dtype)


@op(
    samples=[case((3, 4), dims=(0, 1), sizes=(5, 2)), case((3, 4), dims=(1,), sizes=(4,))],
    public="",
    fresh=True,
)
def fit(x: Any, *, dims: tuple[int, ...], sizes: tuple[int, ...]) -> Any:
    """x with these dims cut, or filled with zeros at the end, to these sizes."""
    shape = list(x.shape)
    inside = [slice(None)] * x.ndim
    for d, n in zip(dims, sizes, strict=True):
        inside[d] = slice(0, min(n, shape[d]))
        shape[d] = n
    y = np.zeros(shape, x.dtype)
    y[tuple(inside)] = x[tuple(inside)]
    return y


fit.shape(fit_shape)


fit.vjp(
    lambda g, _y, _x, *, dims, shapes: fit(g, dims=dims, sizes=tuple(shapes[0][d] for d in dims))
)
