"""Attention that keeps its weights: two products and a softmax, each planned as any other.

Not here: attention by blocks of keys, which keeps none (`select.py`), NumPy's way
(`reference.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..matmul.select import product
from ..softmax.select import softmax
from .reference import biased

Array = Any


def weights(
    q: Array, k: Array, mask: Array | None, scale: float, causal: bool, safe: bool
) -> Array:
    """softmax(q k^T * scale + mask) over keys, (..., L, S); `safe`: a row that sees nothing is 0,
    not NaN."""
    w = biased(product(q * q.dtype.type(scale), k.swapaxes(-1, -2)), mask, causal)
    if not w.size:
        return w
    y = softmax(w, -1)
    if safe and (mask is not None or causal):
        unknown = np.isnan(y[..., 0])  # of rows of nothing but -inf, or with NaN in them
        if unknown.any():
            y[unknown & (w == -np.inf).all(-1)] = 0
    return y
