"""Attention by NumPy, with the matrix of scores."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def bias_of(mask: Array, dtype: Any) -> Array:
    """What a mask adds to the scores: 0 or -inf for a bool one (True: may be looked at)."""
    if mask.dtype != bool:
        return mask
    return np.where(mask, dtype.type(0), dtype.type(-np.inf))


def causal_bias(rows: int, columns: int, dtype: Any) -> Array:
    """-inf above the diagonal that begins at the upper left corner."""
    later = np.arange(columns) > np.arange(rows)[:, None]
    return np.where(later, dtype.type(-np.inf), dtype.type(0))


def scores(q: Array, k: Array, mask: Array | None, scale: float, causal: bool) -> Array:
    """q k^T * scale + mask, (..., L, S), in memory of its own."""
    return biased(np.matmul(q * q.dtype.type(scale), k.swapaxes(-1, -2)), mask, causal)


def biased(w: Array, mask: Array | None, causal: bool) -> Array:
    """Scores with what masks add to them, in place where they fit."""
    if mask is not None:
        bias = bias_of(mask, w.dtype)
        w = np.add(w, bias, out=w) if fits(bias, w) else w + bias
    if causal:
        w += causal_bias(w.shape[-2], w.shape[-1], w.dtype)
    return w


def fits(bias: Array, w: Array) -> bool:
    """Whether the bias can be added in place."""
    return bias.ndim <= w.ndim and np.broadcast_shapes(bias.shape, w.shape) == w.shape


def weights(
    q: Array, k: Array, mask: Array | None, scale: float, causal: bool, safe: bool
) -> Array:
    """softmax(q k^T * scale + mask) over keys; `safe`: a row that sees nothing is 0, not NaN."""
    w = scores(q, k, mask, scale, causal)
    if w.size:
        top = np.maximum.reduce(w, axis=-1, keepdims=True)
        if safe and (mask is not None or causal):
            top = np.where(top == -np.inf, top.dtype.type(0), top)
        w -= top
        np.exp(w, out=w)
        rows = np.add.reduce(w, axis=-1, keepdims=True)
        if safe:
            rows[rows == 0] = 1
        w /= rows
    return w


def forward(
    q: Array, k: Array, v: Array, mask: Array | None, scale: float, *, causal: bool
) -> tuple[Array, Array]:
    """(result, logarithm of the sum of exp(scores) of each row; inf where that sum is 0)."""
    out = np.matmul(weights(q, k, mask, scale, causal, True), v)
    s = scores(q, k, mask, scale, causal)
    with np.errstate(divide="ignore"):
        kept = np.logaddexp.reduce(s, axis=-1)
    return out, np.where(kept == -np.inf, s.dtype.type(np.inf), kept)


def dense(mask: Array, *, shape: tuple[int, ...]) -> Array:
    """A mask broadcast to a shape, laid out row by row."""
    return np.ascontiguousarray(np.broadcast_to(mask, shape))


def zero(*arrays: Array) -> None:
    """0 everywhere."""
    for a in arrays:
        a[...] = 0
