"""Kernels take small rows too: their error against float64 is not larger than NumPy's.

Of each result the error of a thousand draws, as a root of the mean square; by a kernel, by the same
body read by NumPy, and by NumPy calls as one writes them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.loss import select as loss
from rushlight.kernels.norm import select as norm
from rushlight.kernels.softmax import select as softmax

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
DRAWS, N = 1000, 32
LEAST = ("SOFTMAX_LEAST", "LOSS_LEAST", "NORM_LEAST", "UNIT_LEAST")
RNG = np.random.default_rng(0)
X = (RNG.standard_normal((DRAWS, N)) * 2 + 1).astype(np.float32)
G, W = (RNG.standard_normal(s).astype(np.float32) for s in ((DRAWS, N), N))
T = RNG.integers(0, N, DRAWS)
EPS = 1e-5


def plain_softmax(x: Any, g: Any) -> list[Any]:
    y = np.exp(x - x.max(1, keepdims=True))
    y /= y.sum(1, keepdims=True)
    gy = g * y
    return [y, gy - y * gy.sum(1, keepdims=True)]


def plain_log_softmax(x: Any, g: Any) -> list[Any]:
    y = x - x.max(1, keepdims=True)
    y -= np.log(np.exp(y).sum(1, keepdims=True))
    return [y, g - np.exp(y) * g.sum(1, keepdims=True)]


def plain_layer_norm(x: Any, g: Any) -> list[Any]:
    w = W.astype(x.dtype)
    mean = x.mean(1, keepdims=True)
    rstd = 1 / np.sqrt(((x - mean) ** 2).mean(1, keepdims=True) + x.dtype.type(EPS))
    xh = (x - mean) * rstd
    h = g * w
    dx = (h - xh * (h * xh).mean(1, keepdims=True) - h.mean(1, keepdims=True)) * rstd
    return [xh * w, dx, (g * xh).sum(0)]


def plain_unit(x: Any, g: Any) -> list[Any]:
    length = np.sqrt((x * x).sum(1, keepdims=True))
    along = (g * x).sum(1, keepdims=True)
    return [x / length, g / length - x * (along / length / length / length)]


def plain_cross_entropy(x: Any, g: Any) -> list[Any]:
    logs, _ = plain_log_softmax(x, g)
    each = g[:, 0]
    dx = np.exp(logs) * each[:, None]
    dx[np.arange(len(T)), T] -= each
    return [-logs[np.arange(len(T)), T], dx]


def plain_batch_norm(x: Any, g: Any) -> list[Any]:
    return [a.T if a.ndim == 2 else a for a in _channels(x.T, g.T)]


def _channels(x: Any, g: Any) -> list[Any]:
    mean = x.mean(1, keepdims=True)
    rstd = 1 / np.sqrt(((x - mean) ** 2).mean(1, keepdims=True) + x.dtype.type(EPS))
    xh = (x - mean) * rstd
    dw, db = (g * xh).sum(1, keepdims=True), g.sum(1, keepdims=True)
    n = x.dtype.type(x.shape[1])
    return [xh, (g - xh * (dw / n) - db / n) * rstd, dw[:, 0]]


def by_plans(name: str) -> list[Any]:
    """The results by whatever the limits choose."""
    if name == "softmax":
        y = softmax.softmax(X, 1)
        return [y, softmax.softmax_grad(G, y, 1)]
    if name == "log_softmax":
        y = softmax.log_softmax(X, 1)
        return [y, softmax.log_softmax_grad(G, y, 1)]
    if name == "layer_norm":
        y, mean, rstd = norm.rows(X, N, W, None, EPS)
        return [y, *norm.rows_gradient(G, X, N, W, mean, rstd, (True, True, False))[:2]]
    if name == "batch_norm":
        y, mean, var = norm.channels(X, None, None, None, None, EPS)
        return [y, *norm.channels_gradient(G, X, None, mean, var, EPS, True, True)[:2]]
    if name == "unit":
        y, length = norm.unit(X, 1, 1e-12, True)
        return [y, norm.unit_gradient(G, X, length, 1, 1e-12, True)]
    y, sums, total = loss.cross_entropy(X, T, None, "none", -100, 0.0)
    g = np.ascontiguousarray(G[:, 0])
    return [y, loss.cross_entropy_gradient(g, X, T, None, sums, total, "none", -100, 0.0)]


PLAIN: dict[str, Callable[..., list[Any]]] = {
    "softmax": plain_softmax, "log_softmax": plain_log_softmax, "layer_norm": plain_layer_norm,
    "batch_norm": plain_batch_norm, "unit": plain_unit, "cross_entropy": plain_cross_entropy,
}  # fmt: skip


@pytest.mark.parametrize("name", PLAIN)
def test_errors_are_not_larger(name: str, limits: Any) -> None:
    exact = PLAIN[name](X.astype(np.float64), G.astype(np.float64))
    with limits(**dict.fromkeys(LEAST, 1)):
        kernel = by_plans(name)
    with limits(**dict.fromkeys(LEAST, 1 << 60)):
        numpy = by_plans(name)
    plain = PLAIN[name](X, G)
    for best, a, b, c in zip(exact, kernel, numpy, plain, strict=True):
        errors = [float(np.sqrt(np.mean((v - best) ** 2))) for v in (a, b, c)]
        print(name, [f"{e:.3g}" for e in errors])
        assert errors[0] <= 1.05 * errors[2]
        assert errors[1] <= 1.05 * errors[2]
