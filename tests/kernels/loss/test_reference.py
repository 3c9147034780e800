"""Losses over classes by NumPy, against the definition in float64."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from rushlight.kernels.loss import cross_entropy, reference

SHAPES = [((5,), 0), ((1, 1), 1), ((4, 7), 1), ((3, 6, 2), 1), ((2, 5, 3, 2), 1)]


def by_definition(
    x: Any, t: Any, w: Any, dim: int, ignored: int, smoothing: float
) -> tuple[Any, Any]:
    """Losses, and the gradient of their sum, in float64, one target at a time."""
    x = x.astype(np.float64)
    c = x.shape[dim]
    w = np.ones(c) if w is None else w.astype(np.float64)
    rows, kinds = np.moveaxis(x, dim, -1).reshape(-1, c), t.reshape(-1)
    loss, slope = np.zeros(len(rows)), np.zeros(rows.shape)
    for i, (row, kind) in enumerate(zip(rows, kinds, strict=True)):
        if kind == ignored:
            continue
        q = smoothing / c * w
        q[kind] += (1 - smoothing) * w[kind]
        logs = row - row.max() - np.log(np.exp(row - row.max()).sum())
        loss[i], slope[i] = -(q * logs).sum(), np.exp(logs) * q.sum() - q
    moved = np.moveaxis(x, dim, -1).shape
    return loss.reshape(t.shape), np.moveaxis(slope.reshape(moved), -1, dim)


def both(
    x: Any, t: Any, w: Any, dim: int, ignored: int, smoothing: float, g: Any = None
) -> tuple[Any, Any]:
    """What the reference gives: losses (with their sums and so on), and the gradient, of their sum
    or given that of each."""
    c = x.shape[dim]
    smooth = "smooth_" if smoothing else ""
    wanted = ("sums", "loss") + (() if w is None else ("factor",))
    how = {"dim": dim, "ignored": ignored, "keep": 1 - smoothing, "share": smoothing / c}
    weights = float(c if w is None else w.astype(np.float64).sum())
    body = getattr(cross_entropy, f"{smooth}cross_entropy")
    more = {"wanted": wanted, "reduction": "none"}
    found = reference.losses(x, t, w, weights, body=body, **more, **how)
    body = getattr(cross_entropy, f"{smooth}cross_entropy_grad")
    g, g_is = (np.ones(()), "slope") if g is None else (g, "g")
    dx = reference.slopes(g, x, t, w, found[1], weights, body=body, g_is=g_is, **how)
    return found, dx


@pytest.mark.parametrize(("shape", "dim"), SHAPES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("ignored", [-100, 0])
def test_against_the_definition(
    shape: Any, dim: int, weighted: bool, smoothing: float, ignored: int, rng: np.random.Generator
) -> None:
    x = rng.standard_normal(shape) * 5 + 900
    t = rng.integers(0, shape[dim], shape[:dim] + shape[dim + 1 :])
    if t.size > 2:
        t.reshape(-1)[1] = ignored
    w = rng.random(shape[dim]) if weighted else None
    (status, sums, loss, *factor), dx = both(x, t, w, dim, ignored, smoothing)
    best, slope = by_definition(x, t, w, dim, ignored, smoothing)
    np.testing.assert_allclose(loss, best, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(dx, slope, rtol=1e-9, atol=1e-12)
    assert status.tolist() == [0, np.count_nonzero(t == ignored)]
    assert sums.shape == ((3 if smoothing else 2) * t.size + 1,)
    np.testing.assert_array_equal(sums[: t.size], x.max(dim).reshape(-1))
    assert sums[-1] == (factor[0].sum() if weighted else np.count_nonzero(t != ignored))
    if weighted:
        counted = np.where(t == ignored, 0.0, w[np.where(t == ignored, 0, t)])  # type: ignore[index]
        np.testing.assert_array_equal(factor[0], counted)
    # another layout, other types of targets and gradients of each loss
    g = rng.standard_normal(t.shape)
    other = both(np.asfortranarray(x), t.astype(np.int32), w, dim, ignored, smoothing, g)[1]
    np.testing.assert_allclose(other, slope * np.expand_dims(g, dim), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_narrow_scores_are_computed_in_float32(dtype: Any, rng: np.random.Generator) -> None:
    x, t = rng.standard_normal((6, 9)).astype(dtype), np.arange(6)
    (_, sums, loss), dx = both(x, t, None, 1, -100, 0.0)
    (_, _, wide), wide_dx = both(x.astype(np.float32), t, None, 1, -100, 0.0)
    assert sums.dtype == loss.dtype == np.float32
    np.testing.assert_array_equal(loss, wide)
    assert dx.dtype == dtype
    np.testing.assert_array_equal(dx, wide_dx.astype(dtype))


def test_scores_that_are_not_finite() -> None:
    """-inf is a class that cannot be; NaN and inf make their own row NaN."""
    x = np.zeros((4, 3))
    x[0, 1], x[1, 1], x[2, 1] = -np.inf, np.inf, np.nan
    (_, _, loss), dx = both(x, np.array([0, 0, 0, 0]), None, 1, -100, 0.0)
    np.testing.assert_allclose(loss, [np.log(2), np.nan, np.nan, np.log(3)])
    np.testing.assert_allclose(dx[0], [-0.5, 0, 0.5])
    assert np.isfinite(dx[3]).all()


def test_targets_that_are_no_class_are_counted_and_nothing_is_read() -> None:
    x, t = np.zeros((4, 3)), np.array([0, 3, -1, 7])
    found = both(x, np.array([0, 0, 7, 0]), None, 1, 7, 0.0)[0]
    assert found[0].tolist() == [0, 1]
    status, sums, loss, factor = reference.losses(
        x, t, np.ones(3), 3.0, body=cross_entropy.cross_entropy, dim=1,
        wanted=("sums", "loss", "factor"), reduction="none", ignored=7, keep=1.0, share=0.0,
    )  # fmt: skip
    assert status.tolist() == [2, 1]
    assert sums.shape == (9,)
    assert not loss.any()
    assert not factor.any()


@pytest.mark.parametrize("shape", [(0, 3), (2, 3, 0)])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_nothing(shape: Any, smoothing: float) -> None:
    x = np.empty(shape, np.float32)
    t = np.empty(shape[:1] + shape[2:], np.int64)
    (status, sums, loss), dx = both(x, t, None, 1, -100, smoothing)
    assert status.tolist() == [0, 0]
    assert sums.tolist() == [0.0]
    assert loss.shape == t.shape
    assert dx.shape == shape


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_and_means_and_their_gradients(weighted: bool, rng: np.random.Generator) -> None:
    x, t = rng.standard_normal((6, 4)), np.array([0, 3, 9, 1, 1, 2])
    w = rng.random(4) if weighted else None
    how = {"dim": 1, "ignored": 9, "keep": 1.0, "share": 0.0}
    found = {}
    for reduction in ("none", "sum", "mean"):
        found[reduction] = reference.losses(
            x, t, w, 4.0, body=cross_entropy.cross_entropy, reduction=reduction,
            wanted=("sums", "loss", "factor") if weighted else ("sums", "loss"), **how,
        )  # fmt: skip
        assert found[reduction][1].tobytes() == found["none"][1].tobytes()
    _, sums, loss = found["none"][:3]
    assert found["sum"][-1] == loss.sum()
    assert found["mean"][-1] == loss.sum() / sums[-1]
    body, g = cross_entropy.cross_entropy_grad, np.asarray(0.3)
    of_mean = reference.slopes(g, x, t, w, sums, 4.0, body=body, g_is="whole", **how)
    of_sum = reference.slopes(g / sums[-1], x, t, w, sums, 4.0, body=body, g_is="slope", **how)
    assert of_mean.tobytes() == of_sum.tobytes()
