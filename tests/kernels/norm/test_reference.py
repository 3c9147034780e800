"""NumPy's normalisations: layouts, moments, nothing at all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels.norm import reference


@pytest.mark.parametrize("dims", [(0,), (0, 2), (1, 2), (2,)])
def test_moments(dims: tuple[int, ...], rng: Any) -> None:
    x = rng.standard_normal((4, 3, 5)) + 10
    mean, var = reference.moments(x, dims)
    np.testing.assert_allclose(mean, x.mean(dims, keepdims=True))
    np.testing.assert_allclose(var, x.var(dims, keepdims=True))


def draw(rng: np.random.Generator, *shape: int) -> Any:
    return rng.standard_normal(shape) + 1


@pytest.mark.parametrize("block", [1, 7, 1 << 16])
@pytest.mark.parametrize("shape", [(5, 3), (2, 4, 3), (1, 1), (0, 3)])
def test_rows(shape: Any, block: int, rng: np.random.Generator, limits: Any) -> None:
    """In blocks of any size, against the formula."""
    x, g, n = draw(rng, *shape), draw(rng, *shape), shape[-1]
    w, b = draw(rng, n), draw(rng, n)
    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    r = 1 / np.sqrt(var + 1e-5)
    xh, h = (x - mean) * r, g * w
    dx = r * (h - h.mean(-1, keepdims=True) - xh * (h * xh).mean(-1, keepdims=True))
    with limits(NORM_REFERENCE_BLOCK=block):
        y, m, rstd = reference.rows(x, w, b, length=n, eps=1e-5, centred=True)
        wanted = ("dx", "dw", "db")
        found = reference.rows_grad(g, x, w, m, rstd, length=n, wanted=wanted)
        one = reference.rows_grad(g, x, w, m, rstd, length=n, wanted=("db",))
    sums = tuple(range(x.ndim - 1))
    best = (xh * w + b, mean.reshape(-1), r.reshape(-1), dx, (g * xh).sum(sums), g.sum(sums))
    for got, value in zip((y, m, rstd, *found), best, strict=True):
        assert got.shape == value.shape
        np.testing.assert_allclose(got, value, rtol=1e-9, atol=1e-11)
    np.testing.assert_array_equal(one, found[2])


def test_rows_without_a_mean(rng: np.random.Generator) -> None:
    x = draw(rng, 4, 6)
    y, rstd = reference.rows(x, None, None, length=6, eps=0.1, centred=False)
    r = 1 / np.sqrt((x * x).mean(1) + 0.1)
    np.testing.assert_allclose(rstd, r)
    np.testing.assert_allclose(y, x * r[:, None])


@pytest.mark.parametrize("block", [1, 1 << 16])
@pytest.mark.parametrize("turned", [False, True])
def test_channels_are_rows_of_a_turned_array(
    block: int, turned: bool, rng: np.random.Generator, limits: Any
) -> None:
    """Also of x with gaps; by moments given, dx has no part of the mean."""
    x, g = draw(rng, 3, 4, 5), draw(rng, 3, 4, 5)
    if turned:
        x = np.asfortranarray(x)
    lines = [np.moveaxis(a, 1, 0).reshape(4, -1) for a in (x, g)]
    w, b = draw(rng, 4), draw(rng, 4)

    def back(a: Any) -> Any:
        return np.moveaxis(a.reshape(4, 3, 5), 0, 1)

    wanted, rows_mean, rstd = reference.rows(
        lines[0], None, None, length=15, eps=1e-5, centred=True
    )
    y, mean, var = reference.channels(x, w, b, None, None, eps=1e-5)
    np.testing.assert_allclose(y, back(wanted * w[:, None] + b[:, None]), rtol=1e-10)
    np.testing.assert_allclose(mean, rows_mean)
    np.testing.assert_allclose(1 / np.sqrt(var + 1e-5), rstd)
    again = reference.channels(x, w, b, mean, var, eps=1e-5)
    np.testing.assert_allclose(again, y, rtol=1e-10)
    with limits(NORM_REFERENCE_BLOCK=block):
        dx, dw, db = reference.channels_grad(
            g, x, w, mean, var, eps=1e-5, training=True, wanted=("dx", "dw", "db")
        )
        fixed = reference.channels_grad(
            g, x, w, mean, var, eps=1e-5, training=False, wanted=("dx",)
        )
    rows_dx = reference.rows_grad(
        lines[1] * w[:, None], lines[0], None, rows_mean, rstd, length=15, wanted=("dx",)
    )
    np.testing.assert_allclose(dx, back(rows_dx), rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(dw, (lines[1] * wanted).sum(1))
    np.testing.assert_allclose(db, lines[1].sum(1))
    np.testing.assert_allclose(fixed, back(lines[1] * (w * rstd)[:, None]))


def test_groups_are_rows_with_weights_of_channels(rng: np.random.Generator) -> None:
    x, g, w, b = draw(rng, 2, 6, 5), draw(rng, 2, 6, 5), draw(rng, 6), draw(rng, 6)
    y, mean, var = reference.groups(x, w, b, number=3, eps=1e-5)
    plain, rows_mean, rstd = reference.rows(
        x.reshape(6, 10), None, None, length=10, eps=1e-5, centred=True
    )
    xh = plain.reshape(2, 6, 5)
    np.testing.assert_allclose(y, xh * w[:, None] + b[:, None], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(mean, rows_mean)
    dx, dw, db = reference.groups_grad(
        g, x, w, mean, var, number=3, eps=1e-5, wanted=("dx", "dw", "db")
    )
    best = reference.rows_grad(
        (g * w[:, None]).reshape(6, 10), x.reshape(6, 10), None, rows_mean, rstd, length=10,
        wanted=("dx",),
    )  # fmt: skip
    np.testing.assert_allclose(dx, best.reshape(x.shape), rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(dw, (g * xh).sum((0, 2)), rtol=1e-9)
    np.testing.assert_allclose(db, g.sum((0, 2)))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_stays_in_its_channel(bad: float, rng: np.random.Generator) -> None:
    x = draw(rng, 3, 4, 5)
    x[1, 2, 3] = bad
    y, _, _ = reference.channels(x, None, None, None, None, eps=1e-5)
    np.testing.assert_array_equal(np.isnan(y).any((0, 2)), [False, False, True, False])
