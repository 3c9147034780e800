"""Attention that keeps its weights: two products and a softmax, each planned as any other.

Not here: attention by blocks of keys, which keeps none (`select.py`), NumPy's way
(`reference.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..matmul.select import product
from ..softmax.select import softmax
from .reference import bias_of, causal_bias, fits

Array = Any


def weights(
    q: Array, k: Array, mask: Array | None, scale: float, causal: bool, safe: bool
) -> Array:
    """softmax(q k^T * scale + mask) over keys, (..., L, S); `safe`: a row that sees nothing is 0,
    not NaN."""
    w = product(q * q.dtype.type(scale), k.swapaxes(-1, -2))
    if mask is not None:
        bias = bias_of(mask, w.dtype)
        w = np.add(w, bias, out=w) if fits(bias, w) else w + bias
    if causal:
        w += causal_bias(w.shape[-2], w.shape[-1], w.dtype)
    if not w.size:
        return w
    y = softmax(w, -1)
    if safe and (mask is not None or causal):
        unknown = np.isnan(y[..., 0])  # of rows of nothing but -inf, or with NaN in them
        if unknown.any():
            y[unknown & (w == -np.inf).all(-1)] = 0
    return y
