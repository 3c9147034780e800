"""Normalisations and their gradients, with NumPy and by kernels, against float64."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels import rows as row_plans
from rushlight.kernels import runtime
from rushlight.kernels.norm import reference, select

NATIVE = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
ROADS = ["numpy", pytest.param("native", marks=NATIVE)]
EPS = 1e-5


@pytest.fixture(params=ROADS)
def road(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, limits: Any) -> Any:
    """Everything by NumPy, in small blocks; or everything by kernels, which is seen to."""
    for module in (select, row_plans):
        made = module.Plan

        def seen(name: str, *args: Any, made: Any = made, **kw: Any) -> Any:
            assert name.endswith("numpy") == (request.param == "numpy")
            return made(name, *args, **kw)

        monkeypatch.setattr(module, "Plan", seen)
    least = 1 << 60 if request.param == "numpy" else 1
    with limits(NORM_REFERENCE_BLOCK=40, NORM_LEAST=least, UNIT_LEAST=least):
        yield str(request.param)


def draw(seed: int, *shape: int, dtype: Any = np.float32) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def close(got: Any, wanted: Any) -> None:
    """Within what sums of a few hundred numbers lose, and the rounding of the result."""
    assert got.shape == wanted.shape
    own = float(ml_dtypes.finfo(got.dtype).eps)
    eps = max(own, 100 * (own if got.dtype == np.float64 else np.finfo(np.float32).eps))
    top = np.abs(wanted).max(initial=1e-30)
    np.testing.assert_allclose(got.astype(np.float64), wanted, rtol=eps, atol=eps * top)


def formula(
    x: Any, g: Any, w: Any, b: Any, dims: tuple[int, ...], others: tuple[int, ...]
) -> tuple[Any, Any, Any, Any]:
    """y, dx, dw, db in float64; w and b shaped to broadcast, `others` where they are summed."""
    x, g = x.astype(np.float64), g.astype(np.float64)
    mean, var = x.mean(dims, keepdims=True), x.var(dims, keepdims=True)
    rstd = 1 / np.sqrt(var + EPS)
    xh, h = (x - mean) * rstd, g if w is None else g * w
    dx = rstd * (h - h.mean(dims, keepdims=True) - xh * (h * xh).mean(dims, keepdims=True))
    y = xh * (1 if w is None else w) + (0 if b is None else b)
    return y, dx, (g * xh).sum(others), g.sum(others)


def check(got: Any, wanted: Any, needs: Any = (True, True, True)) -> None:
    for need, a, b in zip(needs, got, wanted, strict=True):
        if need:
            close(a, b)


LENGTHS = [1, 2, 7, 16, 17, 64, 65, 130, 600]
TYPES = [np.float32, np.float64, np.float16, ml_dtypes.bfloat16]
NEEDS = [(True, True, True), (True, False, False), (False, True, True), (True, False, True)]


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.usefixtures("road")
def test_rows(n: int, affine: bool) -> None:
    x, g = draw(0, 3, 107, n) + 3, draw(1, 3, 107, n)
    w, b = (draw(2, n), draw(3, n)) if affine else (None, None)
    y, mean, rstd = select.rows(x, n, w, b, EPS)
    expected = formula(x, g, w, b, (2,), (0, 1))
    if n > 2:  # else the variance may be next to 0, and its inverse enlarges what the mean loses
        close(y, expected[0])
        needs = (True, affine, affine)
        check(select.rows_gradient(g, x, n, w, mean, rstd, needs), expected[1:], needs)
    assert mean is not None
    close(mean, x.astype(np.float64).mean(2).reshape(-1))


@pytest.mark.parametrize("needs", NEEDS)
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.usefixtures("road")
def test_gradients_of_some_inputs(needs: Any, weighted: bool) -> None:
    x, g, w = draw(0, 6, 30) + 2, draw(1, 6, 30), draw(2, 30) if weighted else None
    _, mean, rstd = select.rows(x, 30, w, None, EPS)
    check(
        select.rows_gradient(g, x, 30, w, mean, rstd, needs),
        formula(x, g, w, None, (1,), (0,))[1:],
        needs,
    )
    x, g, w = x.reshape(3, 2, 30), g.reshape(3, 2, 30), draw(3, 2) if weighted else None
    _, mean, var = select.groups(x, 2, w, None, EPS)
    got = select.groups_gradient(g, x, 2, w, mean, var, EPS, needs)
    check(got, formula(x, g, None if w is None else w[:, None], None, (2,), (0, 2))[1:], needs)


@pytest.mark.usefixtures("road")
def test_rows_without_a_mean() -> None:
    x, g, w = draw(0, 50, 70) + 1, draw(1, 50, 70), draw(2, 70)
    y, mean, rstd = select.rows(x, 70, w, None, EPS, False)
    assert mean is None
    X, G = x.astype(np.float64), g.astype(np.float64)
    r = 1 / np.sqrt((X * X).mean(1, keepdims=True) + EPS)
    close(y, X * r * w)
    dx = r * (G * w - X * r * (G * w * X * r).mean(1, keepdims=True))
    check(select.rows_gradient(g, x, 70, w, None, rstd, (True, True, False))[:2],
          (dx, (G * X * r).sum(0)), (True, True))  # fmt: skip


@pytest.mark.parametrize("length", [1, 8, 17, 64, 130, 800])
@pytest.mark.parametrize("channels", [3, 64, 70])
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.usefixtures("road")
def test_channels(length: int, channels: int, affine: bool) -> None:
    shape = (5, channels, length) if length > 1 else (700, channels)
    dims = (0, 2) if length > 1 else (0,)
    x, g = draw(0, *shape) - 2, draw(1, *shape)
    w, b = (draw(2, channels), draw(3, channels)) if affine else (None, None)
    across = [None if v is None else v.reshape(-1, *[1] * (len(shape) - 2)) for v in (w, b)]
    y, mean, var = select.channels(x, w, b, None, None, EPS)
    X = x.astype(np.float64)
    close(mean, X.mean(dims))
    close(var, X.var(dims))
    expected = formula(x, g, *across, dims, dims)
    close(y, expected[0])
    check(select.channels_gradient(g, x, w, mean, var, EPS, True, True), expected[1:])
    dx, dw, db = select.channels_gradient(g, x, w, mean, var, EPS, True, False)
    assert dx is None
    check((dw, db), expected[2:], (True, True))


@pytest.mark.parametrize("shape", [(4, 6, 20), (300, 70)])
@pytest.mark.usefixtures("road")
def test_channels_by_given_moments(shape: Any) -> None:
    x, g, c = draw(0, *shape), draw(1, *shape), shape[1]
    w, b, mean, var = draw(2, c), draw(3, c), draw(4, c), draw(5, c) ** 2
    dims, tail = (0, *range(2, len(shape))), [1] * (len(shape) - 2)
    W, B, M, R = (v.reshape(-1, *tail) for v in (w, b, mean, 1 / np.sqrt(var.astype(float) + EPS)))
    xh = (x.astype(np.float64) - M) * R
    close(select.channels(x, w, b, mean, var, EPS)[0], xh * W + B)
    got = select.channels_gradient(g, x, w, mean, var, EPS, False, True)
    check(got, (g * (R * W), (g * xh).sum(dims), g.astype(float).sum(dims)))


@pytest.mark.parametrize("number", [1, 2, 6])
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("length", [8, 17, 130])
@pytest.mark.usefixtures("road")
def test_groups(number: int, affine: bool, length: int) -> None:
    x, g = draw(0, 5, 6, length) + 1, draw(1, 5, 6, length)
    w, b = (draw(2, 6), draw(3, 6)) if affine else (None, None)
    y, mean, var = select.groups(x, number, w, b, EPS)
    split = (5, number, 6 // number, length)
    W, B = (None if v is None else v.reshape(1, number, -1, 1) for v in (w, b))
    expected = formula(x.reshape(split), g.reshape(split), W, B, (2, 3), (0, 3))
    close(y.reshape(split), expected[0])
    dx, dw, db = select.groups_gradient(g, x, number, w, mean, var, EPS, (True, True, True))
    assert dw is not None
    assert db is not None
    assert dx is not None
    check((dx.reshape(split), dw.reshape(number, -1), db.reshape(number, -1)), expected[1:])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.usefixtures("road")
def test_every_type(dtype: Any) -> None:
    """Narrow types are computed in float32, and their moments stay there."""
    x, g, w = (
        draw(0, 6, 10, 33).astype(dtype),
        draw(1, 6, 10, 33).astype(dtype),
        draw(2, 10).astype(dtype),
    )
    W = w.astype(np.float64)[:, None]
    wide = np.float32 if np.dtype(dtype).itemsize == 2 else dtype
    y, mean, var = select.channels(x, w, None, None, None, EPS)
    assert y.dtype == dtype
    assert mean.dtype == var.dtype == wide
    expected = formula(x, g, W, None, (0, 2), (0, 2))
    close(y, expected[0])
    check(select.channels_gradient(g, x, w, mean, var, EPS, True, True), expected[1:])
    y, mean, var = select.groups(x, 5, w, None, EPS)
    split = (6, 5, 2, 33)
    expected = formula(x.reshape(split), g.reshape(split), W.reshape(5, 2, 1), None, (2, 3), (0, 3))
    close(y.reshape(split), expected[0])
    dx = select.groups_gradient(g, x, 5, w, mean, var, EPS, (True, True, True))[0]
    assert dx is not None
    assert dx.dtype == dtype
    close(dx.reshape(split), expected[1])
    w = draw(3, 33).astype(dtype)
    y, mean, rstd = select.rows(x, 33, w, w, EPS)
    expected = formula(x, g, w.astype(np.float64), w.astype(np.float64), (2,), (0, 1))
    close(y, expected[0])
    check(select.rows_gradient(g, x, 33, w, mean, rstd, (True, True, True)), expected[1:])


@pytest.mark.parametrize("shape", [(5, 7), (9, 130), (3, 20, 70)])
@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("stops", [True, False])
@pytest.mark.usefixtures("road")
def test_units(shape: Any, dim: int, stops: bool) -> None:
    """Also rows of zeros and rows shorter than the floor."""
    dim %= len(shape)
    x, g = draw(0, *shape), draw(1, *shape)
    small = np.moveaxis(x, dim, 0)[:, 0]
    small *= 0.01
    small[..., -1] *= 0
    X, G, eps = x.astype(np.float64), g.astype(np.float64), 0.2
    size = np.sqrt((X * X).sum(dim, keepdims=True))
    length = np.maximum(size, eps)
    y, kept = select.unit(x, dim, eps, stops)
    close(y, X / length)
    close(kept, size)
    none = (size == 0) | ((size < eps) & stops)
    slope = (G * X).sum(dim, keepdims=True) / (length**2 * np.where(size == 0, 1, size))
    wanted = G / length - X * np.where(none, 0, slope)
    close(select.unit_gradient(g, x, kept, dim, eps, stops), wanted)


@pytest.mark.usefixtures("road")
def test_numbers_far_from_zero() -> None:
    """The variance is that of the distances from the mean, not a difference of large sums."""
    x = draw(0, 64, 8, 16) + 1000
    _, _, var = select.channels(x, None, None, None, None, EPS)
    np.testing.assert_allclose(var, x.astype(np.float64).var((0, 2)), rtol=1e-4)
    _, _, var = select.groups(x, 4, None, None, EPS)
    wanted = x.reshape(64 * 4, -1).astype(np.float64).var(1)
    np.testing.assert_allclose(var, wanted, rtol=1e-3)


@pytest.mark.usefixtures("road")
def test_not_a_number_stays_in_its_row() -> None:
    x = draw(0, 8, 40)
    x[3, 5], x[5, 7] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        y, _, _ = select.rows(x, 40, None, None, EPS)
    bad = np.isnan(y).any(1)
    assert bad.tolist() == [i in (3, 5) for i in range(8)]


def test_empty() -> None:
    mean, var = reference.moments(np.zeros((0, 3)), (0,))
    assert mean.tolist() == [[0, 0, 0]]
    assert var.shape == (1, 3)
    none = np.zeros((0, 5), np.float32)
    y, mean, rstd = select.rows(none, 5, None, None, EPS)
    assert y.shape == (0, 5)
    assert (
        select.rows_gradient(none, none, 5, None, mean, rstd, (True, True, True))[1].tolist()
        == [0] * 5
    )


@pytest.mark.parametrize("dims", [(0,), (0, 2), (1, 2), (2,)])
def test_moments(dims: tuple[int, ...], rng: Any) -> None:
    x = rng.standard_normal((4, 3, 5)) + 10
    mean, var = reference.moments(x, dims)
    np.testing.assert_allclose(mean, x.mean(dims, keepdims=True))
    np.testing.assert_allclose(var, x.var(dims, keepdims=True))


@NATIVE
@pytest.mark.parametrize("threads", [2, 3, 8])
def test_the_same_bits_for_any_number_of_threads(threads: int) -> None:
    x, g, w = draw(0, 700, 90), draw(1, 700, 90), draw(2, 90)
    planes, c = x.reshape(70, 30, 30), w[:30]
    before = torch.get_num_threads()

    def everything() -> list[Any]:
        y, mean, rstd = select.rows(x, 90, w, w, EPS)
        found = [y, mean, *select.rows_gradient(g, x, 90, w, mean, rstd, (True, True, True))]
        for a in (x, planes):
            v = w if a is x else c
            y, mean, var = select.channels(a, v, v, None, None, EPS)
            grads = select.channels_gradient(
                g.reshape(a.shape), a, v, mean, var, EPS, True, True
            )
            found += [y, mean, var, *grads]
        y, mean, var = select.groups(planes, 5, c, c, EPS)
        parts = (g.reshape(planes.shape), planes, 5, c, mean, var, EPS)
        return [*found, y, *select.groups_gradient(*parts, (True, True, True))]

    try:
        torch.set_num_threads(1)
        alone = everything()
        torch.set_num_threads(threads)
        for a, b in zip(everything(), alone, strict=True):
            np.testing.assert_array_equal(a, b)
    finally:
        torch.set_num_threads(before)
