"""What the normalisations share: moments over some dimensions, and a scale and shift by them.

Not here: which dimensions belong together, running statistics, gradients (`ops/norm.py`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


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


def scale_shift(x: Array, mean: Array, rstd: Array, w: Array | None, b: Array | None) -> Array:
    """(x - mean) * rstd * w + b, with everything but x small: one product and one sum."""
    scale = rstd if w is None else rstd * w
    shift = -mean * scale if b is None else b - mean * scale
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
