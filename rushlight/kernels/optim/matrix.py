"""Updates that see a parameter as a matrix: Adafactor's factored variance, Muon's orthogonal step.

Both run under no_grad only, on ndarrays. The elementwise optimisers are in `formulas.py`.
"""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np

_BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


def _lerp_(x: np.ndarray, y: np.ndarray, weight: float) -> None:
    """x + weight * (y - x), in place."""
    x *= 1 - weight
    x += weight * y


def _norm(x: np.ndarray) -> float:
    flat = x.reshape(-1)
    return math.sqrt(float(np.dot(flat, flat)))


def adafactor(
    p: np.ndarray,
    g: np.ndarray,
    step: float,
    row: np.ndarray | None,
    column: np.ndarray | None,
    variance: np.ndarray | None,
    *,
    lr: float,
    beta2_decay: float,
    eps1: float,
    eps2: float,
    d: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    """Adam without momentum whose second moment is a row times a column.

    Shazeer and Stern, Adafactor (arXiv:1804.04235). `row` is (..., n, 1), `column` (..., 1, m); a
    vector parameter keeps its whole `variance` instead.
    """
    if p.size == 0:
        return
    if maximize:
        g = -g
    fresh = step**beta2_decay
    size = min(lr, 1 / math.sqrt(step))
    alpha = max(eps2, _norm(p) / math.sqrt(p.size)) * size
    if weight_decay != 0:
        p *= 1 - lr * weight_decay
    square = g * g
    if row is not None and column is not None:
        _lerp_(row, square.mean(-1, keepdims=True), fresh)
        _lerp_(column, square.mean(-2, keepdims=True), fresh)
        estimate = row @ column
        estimate /= np.maximum(row.mean(-2, keepdims=True), eps1)
    else:
        assert variance is not None
        _lerp_(variance, square, fresh)
        estimate = variance.copy()
    np.maximum(estimate, eps1 * eps1, out=estimate)
    update = g / np.sqrt(estimate, estimate)
    clip = max(1.0, _norm(update) / (math.sqrt(update.size) * d))
    update *= -alpha / clip
    p += update


def muon(
    p: np.ndarray,
    g: np.ndarray,
    average: np.ndarray,
    *,
    lr: float,
    weight_decay: float,
    momentum: float,
    nesterov: bool,
    ns_coefficients: tuple[float, float, float],
    ns_steps: int,
    eps: float,
    adjust_lr_fn: str | None,
) -> None:
    """Step along the nearest orthogonal matrix to the averaged gradient (Jordan, Muon, 2024)."""
    _lerp_(average, g, 1 - momentum)
    update = g * (1 - momentum) + average * momentum if nesterov else average
    update = orthogonalize(update, ns_coefficients, ns_steps, eps)
    p *= 1 - lr * weight_decay
    p += (update * (-lr * _muon_ratio(adjust_lr_fn, p.shape))).astype(p.dtype)


def _muon_ratio(how: str | None, shape: tuple[int, ...]) -> float:
    rows, columns = shape
    if how == "match_rms_adamw":
        return 0.2 * math.sqrt(max(rows, columns))
    return math.sqrt(max(1, rows / columns))


def _rounded(x: Any) -> np.ndarray:
    """x in bfloat16 precision, held in float32 so that the products accumulate there."""
    return np.asarray(x, np.float32).astype(_BFLOAT16).astype(np.float32)


def orthogonalize(
    g: np.ndarray, coefficients: tuple[float, float, float], steps: int, eps: float
) -> np.ndarray:
    """Bring the singular values of `g` near 1 by Newton-Schulz iteration, in bfloat16 precision.

    The quintic's coefficients make the slope at 0 as large as they can, so it does not converge to
    exactly 1: the values end up between about 0.5 and 1.5.
    """
    a, b, c = coefficients
    tall = g.shape[0] > g.shape[1]
    x = _rounded(g.T if tall else g)
    x = _rounded(x / max(float(_rounded(_norm(x))), eps))
    for _ in range(steps):
        gram = _rounded(x @ x.T)
        update = _rounded(b * gram + c * (gram @ gram))
        x = _rounded(a * x + update @ x)
    return x.T if tall else x
