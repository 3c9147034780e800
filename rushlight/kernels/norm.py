"""What the normalisations share: moments over some dimensions, and a scale and shift by them.

Not here: which dimensions belong together, running statistics, gradients (`ops/norm.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import rows

Array = Any  # a numpy.ndarray, whose stubs do not know computed indices


_BLOCK = 1 << 16  # elements of a block of rows that stays in the cache between passes


def moments(x: Array, dims: tuple[int, ...]) -> tuple[Array, Array]:
    """Mean and biased variance over `dims`, which stay as 1; the variance in two passes."""
    if dims[0] and dims == tuple(range(dims[0], x.ndim)) and x.size:
        lead = x.shape[: dims[0]]
        found = rows.row_moments(x.reshape(math.prod(lead), -1))
        if found is not None:
            return tuple(m.reshape(lead + (1,) * len(dims)) for m in found)  # type: ignore[return-value]
        if x.size > _BLOCK:
            return _row_moments(x, dims)
    if dims == (0, *range(2, x.ndim)):
        found = rows.channel_moments(x)
        if found is not None:
            return tuple(m.reshape(1, -1, *[1] * (x.ndim - 2)) for m in found)  # type: ignore[return-value]
    count = x.dtype.type(max(1, math.prod(x.shape[d] for d in dims)))
    mean = np.asarray(np.add.reduce(x, axis=dims, keepdims=True) / count)
    apart = x - mean
    np.multiply(apart, apart, out=apart)
    return mean, np.asarray(np.add.reduce(apart, axis=dims, keepdims=True) / count)


def inverse_std(var: Array, eps: float) -> Array:
    """1 / sqrt(var + eps)."""
    return np.asarray(1 / np.sqrt(var + var.dtype.type(eps)))


def scale_shift(x: Array, mean: Array, rstd: Array, w: Array | None, b: Array | None) -> Array:
    """(x - mean) * rstd * w + b, with everything but x small: one product and one sum."""
    scale = rstd if w is None else rstd * w
    shift = -mean * scale if b is None else b - mean * scale
    if x.ndim > 2 and scale.shape == shift.shape == (1, x.shape[1], *[1] * (x.ndim - 2)):
        found = rows.channel_scale_shift(x, scale, shift)
        if found is not None:
            return found
    y = x * scale
    y += shift
    return y


def center_scale(x: Array, mean: Array, rstd: Array, w: Array | None, b: Array | None) -> Array:
    """The same where w and b have other dimensions than the moments."""
    y = x - mean
    y *= rstd
    if w is not None:
        y *= w
    if b is not None:
        y += b
    return y


# --- rows: dimensions at the end, in blocks ---


def _blocks(rows: int, length: int) -> Iterator[slice]:
    step = max(1, _BLOCK // max(1, length))
    return (slice(i, i + step) for i in range(0, rows, step))


def _row_moments(x: Array, dims: tuple[int, ...]) -> tuple[Array, Array]:
    shape = x.shape[: dims[0]] + (1,) * len(dims)
    length = math.prod(x.shape[dims[0] :])
    flat = x.reshape(-1, length)
    mean = np.empty((len(flat), 1), x.dtype)
    var = np.empty(len(flat), x.dtype)
    for at in _blocks(len(flat), length):
        part = flat[at]
        np.add.reduce(part, axis=1, keepdims=True, out=mean[at])
        mean[at] /= length
        apart = part - mean[at]
        np.einsum("ij,ij->i", apart, apart, out=var[at])
    var /= length
    return mean.reshape(shape), var.reshape(shape)


def standardize_rows(x: Array, mean: Array, rstd: Array, w: Array | None, b: Array | None) -> Array:
    """(x - mean) * rstd * w + b for rows x (R, D), moments (R, 1), parameters (D,)."""
    found = rows.standardize(x, mean, rstd, w, b)
    if found is not None:
        return found
    y = np.empty(x.shape, x.dtype)
    for at in _blocks(*x.shape):
        part = np.subtract(x[at], mean[at], out=y[at])
        part *= rstd[at]
        if w is not None:
            part *= w
        if b is not None:
            part += b
    return y


def standardize_rows_gradient(
    g: Array, x: Array, mean: Array, rstd: Array, w: Array | None, needs: tuple[bool, bool, bool]
) -> tuple[Array | None, Array | None, Array | None]:
    """Gradients of `standardize_rows` by x, w and b, in one pass over blocks of rows.

    With xh = (x - mean) * rstd and h = g * w: dx = rstd * (h - mean(h) - xh * mean(h * xh)).
    """
    found = rows.standardize_grad(g, x, mean, rstd, w, needs)
    if found is not None:
        return found
    length = x.shape[1]
    dx = np.empty(x.shape, x.dtype) if needs[0] else None
    dw = np.zeros(length, x.dtype) if needs[1] else None
    db = np.zeros(length, x.dtype) if needs[2] else None
    for at in _blocks(*x.shape):
        part = g[at]
        xh = x[at] - mean[at]
        xh *= rstd[at]
        if db is not None:
            db += part.sum(0)
        if dw is not None:
            dw += np.einsum("ij,ij->j", part, xh)
        if dx is not None:
            h = part if w is None else part * w
            along = np.einsum("ij,ij->i", h, xh)[:, None] / length
            xh *= along
            np.subtract(h, xh, out=xh)
            xh -= h.sum(1, keepdims=True) / length
            np.multiply(xh, rstd[at], out=dx[at])
    return dx, dw, db


# --- channels: dimension 1 of (N, C, L), in blocks ---


def standardize_channels_gradient(
    g: Array, x: Array, mean: Array, rstd: Array, w: Array | None, needs: tuple[bool, bool, bool]
) -> tuple[Array | None, Array, Array]:
    """Gradients of (x - mean) * rstd * w + b by x, w and b; moments and parameters (C,).

    Those of w and b are the sums that dx needs: with xh = (x - mean) * rstd and M = N * L,
    dx = rstd * w * (g - db / M - xh * dw / M).
    """
    found = rows.channel_grad(g, x, mean, rstd, w, needs[0])
    if found is not None:
        return found
    n, channels, length = x.shape
    count = x.dtype.type(n * length)
    dx = np.empty(x.shape, x.dtype) if needs[0] else None
    dw, db = np.empty(channels, x.dtype), np.empty(channels, x.dtype)
    scale = rstd if w is None else rstd * w
    step = max(1, _BLOCK // max(1, n * length))
    for i in range(0, channels, step):
        at = slice(i, i + step)
        part = np.ascontiguousarray(g[:, at])
        xh = x[:, at] - mean[at, None]
        xh *= rstd[at, None]
        db[at] = part.sum(2).sum(0)
        dw[at] = np.einsum("ncl,ncl->nc", part, xh).sum(0)
        if dx is not None:
            xh *= (dw[at] / count)[:, None]
            np.subtract(part, xh, out=xh)
            xh -= (db[at] / count)[:, None]
            np.multiply(xh, scale[at, None], out=dx[:, at])
    return dx, dw, db
