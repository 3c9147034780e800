"""Products, norms and factorizations on the samples of PyTorch's operator tables."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

PRODUCTS = [
    "matmul",
    "mm",
    "bmm",
    "mv",
    "dot",
    "vdot",
    "inner",
    "outer",
    "addmm",
    "addmv",
    "addbmm",
    "baddbmm",
    "addr",
    "tensordot",
    "kron",
    "einsum",
    "cross",
    "trace",
    "tril",
    "triu",
    "diag",
    "linalg.cross",
    "linalg.multi_dot",
    "linalg.vecdot",
    "linalg.diagonal",
]
NORMS = [
    "norm",
    "dist",
    "cdist",
    "renorm",
    "linalg.norm",
    "linalg.vector_norm",
    "linalg.matrix_norm",
    "linalg.cond",
]
FUNCTIONS = [
    "pinverse",
    "logdet",
    "linalg.inv",
    "linalg.inv_ex",
    "linalg.pinv",
    "linalg.det",
    "linalg.slogdet",
    "linalg.solve",
    "linalg.solve_ex",
    "linalg.solve_triangular",
    "triangular_solve",
    "linalg.lu",
    "linalg.lu_factor",
    "linalg.lu_factor_ex",
    "linalg.lu_solve",
    "lu_unpack",
    "linalg.matrix_rank",
    "linalg.svdvals",
    "linalg.eigvalsh",
    "linalg.tensorinv",
    "linalg.tensorsolve",
    "linalg.vander",
]
# PyTorch gives the triangle that is never read a gradient too, or a phase of its own choosing
VALUES_ONLY = [
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "linalg.cholesky",
    "linalg.cholesky_ex",
    "linalg.matrix_power",
    "linalg.householder_product",
    "matrix_exp",
]


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int64"])
def test_products(compare_op, name, dtype):
    compare_op(name, dtype)


@pytest.mark.parametrize("name", ["linear", "bilinear"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_layers(compare_op, name, dtype):
    compare_op(f"nn.functional.{name}", dtype)


@pytest.mark.parametrize("name", NORMS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_norms(compare_op, name, dtype):
    compare_op(name, dtype)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_functions_of_matrices(compare_op, name, dtype):
    compare_op(name, dtype)


@pytest.mark.parametrize("name", VALUES_ONLY)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_values(compare_op, name, dtype):
    compare_op(name, dtype, gradients=False)


def both(shape, seed=0):
    import rushlight

    x = np.random.default_rng(seed).normal(size=shape)
    return torch.from_numpy(x).requires_grad_(), rushlight.from_numpy(x.copy()).requires_grad_()


FREE_OF_PHASES = {
    "svd": lambda t, x: (lambda r: (r[0] ** 2 @ r[1].diag() @ r[2] ** 2).sum())(
        t.linalg.svd(x, False)
    ),
    "eigh": lambda t, x: (lambda r: (r[1] ** 2 @ r[0]).sin().sum())(t.linalg.eigh(x + x.mT)),
    "qr": lambda t, x: (lambda r: (r[0] ** 2).sum() + (r[1] ** 3).abs().sum())(t.linalg.qr(x)),
    "eig": lambda t, x: (lambda r: r[0].abs().sum() + (r[1].abs() ** 3).sum())(t.linalg.eig(x)),
    "cholesky": lambda t, x: (
        t.linalg.cholesky(x @ x.mT + t.eye(len(x), dtype=t.float64)) ** 3
    ).sum(),
    "lstsq": lambda t, x: (t.linalg.lstsq(x, x[:, :1] ** 2).solution ** 2).sum(),
    "matrix_exp": lambda t, x: (t.linalg.matrix_exp(x) ** 2).sum(),
    "det": lambda t, x: t.linalg.det(x) ** 2,
}


@pytest.mark.parametrize("name", FREE_OF_PHASES)
def test_gradients_where_signs_are_free(name):
    import rushlight

    a, b = both((4, 4))
    f = FREE_OF_PHASES[name]
    ya, yb = f(torch, a), f(rushlight, b)
    assert yb.item() == pytest.approx(ya.item(), rel=1e-9)
    ya.backward()
    yb.backward()
    np.testing.assert_allclose(b.grad.numpy(), a.grad.numpy(), rtol=1e-7, atol=1e-9)


def test_error_words_are_pytorchs():
    import rushlight

    a, b = np.ones((4, 3), np.float32), np.ones((5, 2), np.float32)
    for f in (lambda t: t.from_numpy(a) @ t.from_numpy(b), lambda t: t.linalg.inv(t.zeros(3, 3))):
        with pytest.raises(RuntimeError) as theirs:
            f(torch)
        with pytest.raises(RuntimeError) as ours:
            f(rushlight)
        assert str(theirs.value).split(", the")[0] in str(ours.value)
