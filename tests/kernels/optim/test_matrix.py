"""Updates that see a parameter as a matrix: Adafactor's factored variance, Muon's steps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from rushlight.kernels.optim import matrix

QUINTIC = (3.4445, -4.7750, 2.0315)
ADAFACTOR = {"lr": 0.1, "beta2_decay": -0.8, "eps1": 1e-7, "eps2": 1e-3, "d": 1.0,
             "weight_decay": 0.0, "maximize": False}  # fmt: skip
MUON = {"lr": 0.1, "weight_decay": 0.1, "momentum": 0.9, "nesterov": True,
        "ns_coefficients": QUINTIC, "ns_steps": 5, "eps": 1e-7, "adjust_lr_fn": None}  # fmt: skip


def test_muon_steps_along_an_orthogonal_matrix() -> None:
    rng = np.random.default_rng(0)
    for shape in ((6, 4), (4, 6)):
        g = rng.standard_normal(shape).astype(np.float32)
        u = matrix.orthogonalize(g, QUINTIC, 5, 1e-7)
        assert u.shape == shape
        values = np.linalg.svd(u, compute_uv=False)
        assert values.min() > 0.5
        assert values.max() < 1.5


def test_the_singular_vectors_stay(rng: np.random.Generator) -> None:
    """Each step is a polynomial of the singular values alone, in bfloat16 precision."""
    u, _, vt = np.linalg.svd(rng.standard_normal((5, 3)), full_matrices=False)
    sizes = np.array([3.0, 2.0, 1.0])
    a, b, c = QUINTIC
    wanted = sizes / math.sqrt((sizes**2).sum())
    for _ in range(5):
        wanted = a * wanted + b * wanted**3 + c * wanted**5
    got = matrix.orthogonalize(((u * sizes) @ vt).astype(np.float32), QUINTIC, 5, 1e-7)
    np.testing.assert_allclose(u.T @ got @ vt.T, np.diag(wanted), atol=0.06)


def test_nothing_is_divided_by_a_norm_of_zero() -> None:
    assert not matrix.orthogonalize(np.zeros((3, 2), np.float32), QUINTIC, 5, 1e-7).any()


@pytest.mark.parametrize("nesterov", [False, True])
@pytest.mark.parametrize(("adjust", "shape", "ratio"), [
    (None, (6, 4), math.sqrt(1.5)), (None, (4, 6), 1.0), ("original", (4, 6), 1.0),
    ("match_rms_adamw", (4, 9), 0.2 * 3),
])  # fmt: skip
def test_muon(
    nesterov: bool, adjust: Any, shape: Any, ratio: float, rng: np.random.Generator
) -> None:
    """The average, the look-ahead, the decay and the size of the step."""
    p, g, average = (rng.standard_normal(shape).astype(np.float32) for _ in range(3))
    kept = 0.9 * average + 0.1 * g
    ahead = 0.1 * g + 0.9 * kept if nesterov else kept
    direction = matrix.orthogonalize(ahead.astype(np.float32), QUINTIC, 5, 1e-7)
    wanted = p * (1 - 0.1 * 0.1) - 0.1 * ratio * direction
    matrix.muon(p, g, average, **{**MUON, "nesterov": nesterov, "adjust_lr_fn": adjust})
    np.testing.assert_allclose(average, kept, rtol=1e-6, atol=1e-7)
    # what the average loses may tip a rounding to bfloat16
    np.testing.assert_allclose(p, wanted, rtol=2e-2, atol=2e-3)


def plain_adafactor(p: Any, g: Any, v: Any, step: int, how: dict[str, Any]) -> tuple[Any, Any]:
    """The same in float64, with the whole matrix of squares; and what the average of them is."""
    g = -g if how["maximize"] else g
    fresh = step ** how["beta2_decay"]
    v = v + fresh * (g * g - v)
    alpha = max(how["eps2"], float(np.sqrt((p * p).mean()))) * min(how["lr"], 1 / math.sqrt(step))
    p = p * (1 - how["lr"] * how["weight_decay"])
    if p.ndim > 1:
        rows, columns = v.mean(-1, keepdims=True), v.mean(-2, keepdims=True)
        estimate = rows @ columns / np.maximum(rows.mean(-2, keepdims=True), how["eps1"])
    else:
        estimate = v
    update = g / np.sqrt(np.maximum(estimate, how["eps1"] ** 2))
    clip = max(1.0, float(np.sqrt((update * update).mean())) / how["d"])
    return p - alpha / clip * update, v


@pytest.mark.parametrize("shape", [(5,), (4, 3), (2, 3, 4), (1, 1), (1,)])
@pytest.mark.parametrize(
    "more", [{}, {"weight_decay": 0.3, "maximize": True}, {"d": 8.0, "lr": 0.9}]
)
def test_adafactor(shape: Any, more: dict[str, Any], rng: np.random.Generator) -> None:
    """A row and a column stand for the average of the squares, over some steps."""
    how = {**ADAFACTOR, **more}
    p, v = rng.standard_normal(shape), np.zeros(shape)
    mine, wanted = p.copy(), p
    row = column = variance = None
    if len(shape) > 1:
        row, column = np.zeros((*shape[:-1], 1)), np.zeros((*shape[:-2], 1, shape[-1]))
    else:
        variance = np.zeros(shape)
    for step in range(1, 4):
        g = rng.standard_normal(shape)
        matrix.adafactor(mine, g, step, row, column, variance, **how)
        wanted, v = plain_adafactor(wanted, g, v, step, how)
        np.testing.assert_allclose(mine, wanted, rtol=1e-9, atol=1e-12)
    if row is not None:
        np.testing.assert_allclose(row, v.mean(-1, keepdims=True), rtol=1e-9)
        np.testing.assert_allclose(column, v.mean(-2, keepdims=True), rtol=1e-9)
    else:
        np.testing.assert_allclose(variance, v, rtol=1e-9)


def test_adafactor_of_nothing() -> None:
    p = np.zeros((0, 3))
    matrix.adafactor(p, p, 1, np.zeros((0, 1)), np.zeros((1, 3)), None, **ADAFACTOR)
