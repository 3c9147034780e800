"""Array kernels of linear algebra: LU, triangular systems, matrix exponential."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rushlight.kernels.linalg import reference as kernels

rng = np.random.default_rng(8)


def matrices(*shape, dtype=float):
    x = rng.normal(size=shape)
    return x + 1j * rng.normal(size=shape) if dtype is complex else x


@pytest.mark.parametrize("shape", [(5, 5), (3, 70, 70), (2, 7, 4), (2, 4, 7), (0, 3, 3), (3, 0)])
@pytest.mark.parametrize("dtype", [float, complex])
def test_lu_gives_the_matrix_back(shape, dtype):
    a = matrices(*shape, dtype=dtype)
    packed, pivots, info = kernels.lu_factor(a)
    p, low, up = kernels.lu_unpack(packed, pivots)
    np.testing.assert_allclose(p @ low @ up, a, atol=1e-12)
    assert (np.abs(low) <= math.sqrt(2) + 1e-9).all()  # pivoting by |re| + |im|, as LAPACK
    assert not info.any()


def test_lu_reports_the_first_zero_pivot():
    a = np.array([[1.0, 2, 3], [2, 4, 6], [1, 1, 1]])
    assert kernels.lu_factor(a)[2] == 3
    assert kernels.lu_factor(np.zeros((2, 2)))[2] == 1


@pytest.mark.parametrize("n", [1, 5, 100])
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("unit", [False, True])
def test_triangular_systems_read_one_triangle(n, upper, unit):
    a = matrices(2, n, n) / n + 2 * np.eye(n)
    b = matrices(n, 3)
    x = kernels.solve_triangular(a, b, upper=upper, unit=unit)
    read = np.triu(a) if upper else np.tril(a)
    if unit:
        read[:, np.arange(n), np.arange(n)] = 1
    np.testing.assert_allclose(read @ x, np.broadcast_to(b, (2, n, 3)), atol=1e-10)


def test_singular_triangular_systems_give_infinities():
    x = kernels.solve_triangular(np.array([[0.0, 1], [0, 1]]), np.ones((2, 1)), upper=False)
    assert np.isinf(x[0, 0])


@pytest.mark.parametrize("scale", [0.01, 1, 20])
def test_matrix_exponential_of_a_rotation(scale):
    turn = np.array([[0.0, -scale], [scale, 0]])
    wanted = [[math.cos(scale), -math.sin(scale)], [math.sin(scale), math.cos(scale)]]
    np.testing.assert_allclose(kernels.matrix_exp(turn), wanted, atol=1e-13)


def test_matrix_exponential_of_the_special():
    assert kernels.matrix_exp(np.zeros((2, 2))).tolist() == [[1, 0], [0, 1]]
    assert np.isnan(kernels.matrix_exp(np.full((2, 2), np.nan))).all()
    assert kernels.matrix_exp(np.zeros((0, 3, 3))).shape == (0, 3, 3)
    both = kernels.matrix_exp(np.stack([np.eye(2) * 30, np.eye(2) * 1e-3]))
    np.testing.assert_allclose(both[:, 0, 0], np.exp([30, 1e-3]), rtol=1e-13)


def test_householder_product_is_q():
    a = matrices(2, 5, 3)
    h, tau = np.linalg.qr(a, mode="raw")
    q = kernels.householder_product(h.mT, tau)
    np.testing.assert_allclose(q.mT @ q, np.broadcast_to(np.eye(3), (2, 3, 3)), atol=1e-12)
    np.testing.assert_allclose(q, np.linalg.qr(a)[0], atol=1e-12)


@pytest.mark.parametrize("upper", [False, True])
def test_what_is_not_finite_reaches_the_rows_that_depend_on_it(upper):
    a = np.triu(matrices(70, 70)) + 70 * np.eye(70)
    b = matrices(70, 2)
    b[40, 0] = np.nan
    x = kernels.solve_triangular(a if upper else a.T, b, upper=upper)
    rows = slice(41, None) if upper else slice(0, 40)
    assert np.isfinite(x[:, 1]).all()
    assert np.isfinite(x[rows, 0]).all()
    np.testing.assert_allclose(((a if upper else a.T) @ x)[:, 1], b[:, 1])
    assert np.isnan(x[: 41 if upper else 70, 0][0 if upper else 40 :]).all()
