"""Normalisations of rows, channels and groups, and their gradients, with NumPy: the reference.

All are y = (x - mean) * rstd * w + b with rstd = (var + eps) ** -0.5. float16 and bfloat16 are
computed in float32, which moments and gradients of w and b then are.

Not here: large arrays (`select.py`, which every function asks first), running statistics
(`ops/nn/norm_public.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..softmax.select import computed
from . import select

Array = Any  # a numpy.ndarray, whose stubs do not know computed indices
Needs = tuple[bool, bool, bool]

_BLOCK = 1 << 16  # elements of a block of rows that stays in the cache between passes


def moments(x: Array, dims: tuple[int, ...]) -> tuple[Array, Array]:
    """Mean and biased variance over `dims`, which stay as 1; the variance in two passes."""
    count = x.dtype.type(max(1, math.prod(x.shape[d] for d in dims)))
    mean = np.asarray(np.add.reduce(x, axis=dims, keepdims=True) / count)
    apart = x - mean
    np.multiply(apart, apart, out=apart)
    return mean, np.asarray(np.add.reduce(apart, axis=dims, keepdims=True) / count)


def inverse_std(var: Array, eps: float) -> Array:
    """1 / sqrt(var + eps)."""
    return np.asarray(1 / np.sqrt(var + var.dtype.type(eps)))


def wide(a: Array | None, dtype: Any, shape: tuple[int, ...]) -> Array | None:
    """A parameter in the type that is computed in, and another shape."""
    if a is None:
        return None
    a = a.reshape(shape)
    return a if a.dtype == dtype else a.astype(dtype)


# -- rows: the last `length` elements are normalised, w and b are (length) -----------------------


def _blocks(rows: int, length: int) -> Iterator[slice]:
    step = max(1, _BLOCK // max(1, length))
    return (slice(i, i + step) for i in range(0, rows, step))


def rows(
    x: Array, length: int, w: Array | None, b: Array | None, eps: float, centred: bool = True
) -> tuple[Array, Array | None, Array]:
    """y, mean and rstd of each row; without `centred` the mean counts as 0 (RMS norm)."""
    dtype = computed(x.dtype)
    w, b = wide(w, dtype, (length,)), wide(b, dtype, (length,))
    found = select.rows(x, length, w, b, eps, centred)
    if found is not None:
        return found
    flat = x.reshape(-1, length) if x.size else x.reshape(0, max(1, length))
    y = np.empty(flat.shape, x.dtype)
    mean, var = np.zeros((len(flat), 1), dtype), np.empty(len(flat), dtype)
    for at in _blocks(*flat.shape):
        part = flat[at].astype(dtype)
        if centred:
            np.add.reduce(part, axis=1, keepdims=True, out=mean[at])
            mean[at] /= length
            part = part - mean[at]
        np.einsum("ij,ij->i", part, part, out=var[at])
        var[at] /= length
        part *= inverse_std(var[at], eps)[:, None]
        if w is not None:
            part *= w
        if b is not None:
            part += b
        y[at] = part
    return y.reshape(x.shape), mean.reshape(-1) if centred else None, inverse_std(var, eps)


def rows_gradient(
    g: Array, x: Array, length: int, w: Array | None, mean: Array | None, rstd: Array, needs: Needs
) -> tuple[Array | None, Array | None, Array | None]:
    """Gradients of `rows` by x, w and b, in one pass over blocks of rows.

    With xh = (x - mean) * rstd and h = g * w: dx = rstd * (h - mean(h) - xh * mean(h * xh));
    without a mean, dx = rstd * (h - xh * mean(h * xh)).
    """
    dtype = computed(x.dtype)
    w = wide(w, dtype, (length,))
    found = select.rows_grad(g, x, length, w, mean, rstd, needs) if x.size else None
    if found is not None:
        return found
    shape = x.shape
    g, x = (a.reshape(-1, length) if a.size else a.reshape(0, max(1, length)) for a in (g, x))
    dx = np.empty(shape, x.dtype) if needs[0] else None
    dw = np.zeros(length, dtype) if needs[1] else None
    db = np.zeros(length, dtype) if needs[2] else None
    for at in _blocks(*x.shape):
        part = g[at].astype(dtype, copy=False)
        scale = rstd[at, None]
        xh = x[at].astype(dtype)
        if mean is not None:
            xh -= mean[at, None]
        xh *= scale
        if db is not None:
            db += part.sum(0)
        if dw is not None:
            dw += np.einsum("ij,ij->j", part, xh)
        if dx is not None:
            h = part if w is None else part * w
            xh *= np.einsum("ij,ij->i", h, xh)[:, None] / length
            np.subtract(h, xh, out=xh)
            if mean is not None:
                xh -= h.sum(1, keepdims=True) / length
            dx.reshape(x.shape)[at] = xh * scale
    return dx, dw, db


# -- channels: dimension 1 of (N, C, ...) --------------------------------------------------------


def across(a: Array | None, ndim: int) -> Array | None:
    """(C,) as (1, C, 1, ...)."""
    return None if a is None else a.reshape((1, -1) + (1,) * (ndim - 2))


def channels(
    x: Array, w: Array | None, b: Array | None, mean: Array | None, var: Array | None, eps: float
) -> tuple[Array, Array, Array]:
    """Each channel normalised by the moments given, or its own; these are (C,)."""
    dtype, c, ndim = computed(x.dtype), (x.shape[1],), x.ndim
    w, b = wide(w, dtype, c), wide(b, dtype, c)
    training = mean is None
    if mean is None or var is None:
        mean, var = np.empty(c, dtype), np.empty(c, dtype)
    else:
        mean, var = wide(mean, dtype, c), wide(var, dtype, c)
    y = select.channels(x, w, b, mean, var, eps, training) if x.size else None
    if y is not None:
        return y, mean, var  # type: ignore[return-value]
    full = x.astype(dtype, copy=False)
    if training:
        mean, var = (m.reshape(c) for m in moments(full, (0, *range(2, ndim))))
    rstd = inverse_std(var, eps)  # type: ignore[arg-type]
    scale = rstd if w is None else rstd * w
    shift = -mean * scale if b is None else b - mean * scale  # type: ignore[operator]
    y = full * across(scale, ndim)
    y += across(shift, ndim)
    return y.astype(x.dtype, copy=False), mean, var  # type: ignore[return-value]


def channels_gradient(
    g: Array, x: Array, w: Array | None, mean: Array, var: Array, eps: float, training: bool,
    need_x: bool,
) -> tuple[Array | None, Array, Array]:  # fmt: skip
    """Gradients of `channels` by x, w and b. Those of w and b are the sums that dx needs:

    with xh = (x - mean) * rstd and M elements of a channel,
    dx = rstd * w * (g - db / M - xh * dw / M) when `training`, else dx = rstd * w * g.
    """
    dtype, c = computed(x.dtype), (x.shape[1],)
    w, mean, var = wide(w, dtype, c), wide(mean, dtype, c), wide(var, dtype, c)
    found = None
    if x.size:
        found = select.channels_grad(g, x, w, mean, var, eps, training, need_x)
    if found is not None:
        return found
    shape = x.shape
    n, number, length = shape[0], shape[1], math.prod(shape[2:])
    g, x = g.reshape(n, number, length), x.reshape(n, number, length)
    count = dtype.type(max(1, n * length))
    dx = np.empty(shape, x.dtype) if need_x else None
    dw, db = np.empty(number, dtype), np.empty(number, dtype)
    rstd = inverse_std(var, eps)
    scale = rstd if w is None else rstd * w
    step = max(1, _BLOCK // max(1, n * length))
    for i in range(0, number, step):
        at = slice(i, i + step)
        part = np.ascontiguousarray(g[:, at], dtype)
        xh = x[:, at] - mean[at, None]
        xh *= rstd[at, None]
        db[at] = part.sum(2).sum(0)
        dw[at] = np.einsum("ncl,ncl->nc", part, xh).sum(0)
        if dx is None:
            continue
        if training:
            xh *= (dw[at] / count)[:, None]
            np.subtract(part, xh, out=xh)
            xh -= (db[at] / count)[:, None]
            part = xh
        dx.reshape(x.shape)[:, at] = part * scale[at, None]
    return dx, dw, db


# -- groups of channels of each sample: x (N, C, ...), w and b (C) -------------------------------


def grouped(shape: tuple[int, ...], groups: int) -> tuple[int, ...]:
    """(N, C, ...) as (N, groups, C / groups, positions)."""
    return (shape[0], groups, shape[1] // groups, math.prod(shape[2:]))


def groups(
    x: Array, number: int, w: Array | None, b: Array | None, eps: float
) -> tuple[Array, Array, Array]:
    """y, and mean and variance of each group, (N * number,)."""
    dtype, c = computed(x.dtype), (x.shape[1],)
    w, b = wide(w, dtype, c), wide(b, dtype, c)
    found = select.groups(x, number, w, b, eps) if x.size else None
    if found is not None:
        return found
    full = x.reshape(grouped(x.shape, number)).astype(dtype, copy=False)
    mean, var = moments(full, (2, 3))
    rstd = inverse_std(var, eps)
    scale = rstd if w is None else rstd * w.reshape(1, number, -1, 1)
    shift = -mean * scale if b is None else b.reshape(1, number, -1, 1) - mean * scale
    y = full * scale
    y += shift
    return y.reshape(x.shape).astype(x.dtype, copy=False), mean.reshape(-1), var.reshape(-1)


def groups_gradient(
    g: Array, x: Array, number: int, w: Array | None, mean: Array, var: Array, eps: float,
    needs: Needs,
) -> tuple[Array | None, Array | None, Array | None]:  # fmt: skip
    """Gradients of `groups` by x, w and b.

    With xh = (x - mean) * rstd and h = g * w: dx = rstd * (h - mean(h) - xh * mean(h * xh)).
    """
    dtype, c = computed(x.dtype), (x.shape[1],)
    w = wide(w, dtype, c)
    found = select.groups_grad(g, x, number, w, mean, var, eps, needs) if x.size else None
    if found is not None:
        return found
    shape = grouped(x.shape, number)
    mean, rstd = (m.reshape(shape[0], number, 1, 1) for m in (mean, inverse_std(var, eps)))
    part = g.reshape(shape).astype(dtype, copy=False)
    xh = x.reshape(shape) - mean
    xh *= rstd
    dw = np.einsum("ngcl,ngcl->gc", part, xh).reshape(c) if needs[1] else None
    db = part.sum(3).sum(0).reshape(c) if needs[2] else None
    if not needs[0]:
        return None, dw, db
    h = part if w is None else part * w.reshape(1, number, -1, 1)
    count = dtype.type(max(1, shape[2] * shape[3]))
    xh *= np.einsum("ngcl,ngcl->ng", h, xh)[:, :, None, None] / count
    np.subtract(h, xh, out=xh)
    xh -= h.sum((2, 3), keepdims=True) / count
    xh *= rstd
    return xh.astype(x.dtype, copy=False).reshape(x.shape), dw, db


# -- the length of a row made 1 ------------------------------------------------------------------


def unit(x: Array, dim: int, eps: float, stops: bool) -> tuple[Array, Array]:
    """x / max(norm, eps), and the norm sqrt(sum(x ** 2)) along `dim`, which stays as 1."""
    found = select.unit(x, dim, eps, stops)
    if found is not None:
        return found
    norm = np.sqrt(np.add.reduce(x * x, axis=dim, keepdims=True))
    return x / np.maximum(norm, x.dtype.type(eps)), norm


def unit_gradient(g: Array, x: Array, norm: Array, dim: int, eps: float, stops: bool) -> Array:
    """The gradient of `unit`: with l = max(norm, eps), g / l - x * sum(g * x) / (l * l * norm).

    The second part is 0 where the norm is, and with `stops` where the norm is below eps.
    """
    found = select.unit_grad(g, x, norm, dim, eps, stops)
    if found is not None:
        return found
    length = np.maximum(norm, x.dtype.type(eps))
    with np.errstate(all="ignore"):
        slope = np.add.reduce(g * x, axis=dim, keepdims=True) / length / length / norm
    none = (norm == 0) | (norm < eps) if stops else norm == 0
    return np.asarray(g / length - x * np.where(none, x.dtype.type(0), slope))
