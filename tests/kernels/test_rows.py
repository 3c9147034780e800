"""Row kernels against float64: softmax and normalisations, over lengths, layouts and extremes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels import fused, rows

pytestmark = pytest.mark.skipif(not fused.jit(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
LENGTHS = [1, 2, 7, 15, 16, 17, 63, 64, 65, 130, 1000]


@pytest.fixture(autouse=True)
def _every_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "LEAST", 1)
    monkeypatch.setattr(rows, "SHORT", 1)


def draw(seed: int, *shape: int, dtype: Any = np.float32) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def close(got: Any, wanted: Any, scale: float = 1.0) -> None:
    assert got is not None
    assert got.shape == wanted.shape
    eps = np.finfo(got.dtype).eps
    top = np.abs(wanted).max(initial=1e-30)
    np.testing.assert_allclose(got, wanted, rtol=60 * eps * scale, atol=20 * eps * scale * top)


def soft(x: Any) -> Any:
    x = x.astype(np.float64)
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_softmax_family(n: int, dtype: Any) -> None:
    x, g = 5 * draw(0, 9, n, dtype=dtype), draw(1, 9, n, dtype=dtype)
    y = soft(x)
    close(rows.softmax(x, -1), y)
    close(rows.log_softmax(x, 1), np.log(y))
    wide = g.astype(np.float64)
    narrow = y.astype(dtype)
    close(rows.softmax_grad(g, narrow, -1), y * (wide - (wide * y).sum(-1, keepdims=True)), 4)
    log = np.log(y).astype(dtype)
    close(rows.log_softmax_grad(g, log, -1), wide - y * wide.sum(-1, keepdims=True), 8)


def test_softmax_of_extremes() -> None:
    inf, nan = np.inf, np.nan
    x = np.array([[1e30, -1e30, 0], [-inf, 0, 0], [nan, 1, 2], [1, nan, 2], [-inf] * 3], np.float32)
    y, log = rows.softmax(x, -1), rows.log_softmax(x, -1)
    assert y is not None
    assert log is not None
    np.testing.assert_array_equal(y[:2], [[1, 0, 0], [0, 0.5, 0.5]])
    assert np.isnan(y[2:]).all()
    assert np.isnan(log[2:]).all()
    assert log[1, 0] == -inf


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("affine", [True, False])
def test_rows_with_moments(n: int, affine: bool) -> None:
    x, g = draw(0, 300, n) + 3, draw(1, 300, n)
    w, b = (draw(2, n), draw(3, n)) if affine else (None, None)
    X = x.astype(np.float64)
    mean, var = X.mean(1), X.var(1)
    found = rows.row_moments(x)
    assert found is not None
    close(found[0], mean, 4)
    close(found[1], var, 20)
    rstd = 1 / np.sqrt(var + 1e-5)
    m32, r32 = mean.astype(np.float32)[:, None], rstd.astype(np.float32)[:, None]
    xh = (X - m32) * r32
    close(
        rows.standardize(x, m32, r32, w, b),
        xh * (1 if w is None else w) + (0 if b is None else b),
        20,
    )
    needs = (True, affine, affine)
    got = rows.standardize_grad(g, x, m32, r32, w, needs)
    assert got is not None
    h = g.astype(np.float64) * (1 if w is None else w)
    dx = r32 * (h - h.mean(1, keepdims=True) - xh * (h * xh).mean(1, keepdims=True))
    close(got[0], dx, 100)
    if affine:
        close(got[1], (g * xh).sum(0), 200)
        close(got[2], g.astype(np.float64).sum(0), 200)


@pytest.mark.parametrize("length", LENGTHS)
def test_channels(length: int) -> None:
    x, g = draw(0, 4, 5, length, 2) - 2, draw(1, 4, 5, length, 2)
    w = draw(2, 5)
    X, G = x.astype(np.float64), g.astype(np.float64)
    mean, var = X.mean((0, 2, 3)), X.var((0, 2, 3))
    found = rows.channel_moments(x)
    assert found is not None
    close(found[0], mean, 4)
    close(found[1], var, 20)
    rstd = (1 / np.sqrt(var + 1e-5)).astype(np.float32)
    mean = mean.astype(np.float32)
    across = lambda v: v.reshape(1, -1, 1, 1)  # noqa: E731
    close(rows.channel_scale_shift(x, rstd, mean), X * across(rstd) + across(mean), 8)
    xh = (X - across(mean)) * across(rstd)
    got = rows.channel_grad(g, x, mean, rstd, w, True)
    assert got is not None
    dw, db = (G * xh).sum((0, 2, 3)), G.sum((0, 2, 3))
    close(got[1], dw, 100)
    close(got[2], db, 100)
    m = x.size // 5
    close(got[0], across(rstd * w) * (G - across(db) / m - xh * across(dw) / m), 100)


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_the_same_bits_for_any_number_of_threads(threads: int) -> None:
    x, g = draw(0, 700, 90), draw(1, 700, 90)
    one, w = np.ones((700, 1), np.float32), draw(2, 90)
    before = torch.get_num_threads()

    def everything() -> list[Any]:
        return [rows.softmax(x, -1), *(rows.standardize_grad(g, x, one, one, w, (True,) * 3) or ())]

    try:
        torch.set_num_threads(1)
        alone = everything()
        torch.set_num_threads(threads)
        for a, b in zip(everything(), alone, strict=True):
            np.testing.assert_array_equal(a, b)
    finally:
        torch.set_num_threads(before)


def test_layers_pass_gradcheck_through_kernels() -> None:
    torch.manual_seed(0)
    x = torch.randn(4, 6, 5, dtype=torch.float64, requires_grad=True)
    F = torch.nn.functional
    for f in (
        lambda t: F.softmax(t, -1),
        lambda t: F.log_softmax(t, -1),
        lambda t: F.layer_norm(t, (5,)),
        lambda t: F.batch_norm(t, None, None, training=True),
        lambda t: F.group_norm(t, 2),
        lambda t: F.instance_norm(t),
    ):
        assert torch.autograd.gradcheck(f, (x,))
        assert torch.autograd.gradgradcheck(f, (x,))
