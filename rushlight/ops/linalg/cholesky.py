"""Cholesky: the factor of a positive definite matrix, and what is solved and inverted with it.

Forward: LAPACK through numpy.linalg. Backward: the formulas that PyTorch uses. Not here: other
factorizations (`qr.py`, `lu.py`, `ldl.py`), systems that are not factored yet (`solve.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd.door import wrap
from ...dtypes import type_name
from ...errors import LinAlgError, message
from ...kernels import dense
from ...kernels.meta import MetaArray
from ..core.composite import composite
from ..core.record import op
from ..core.return_types import return_type
from ..core.samples import case, regular, spd
from .inverse import singular
from .matmul import matmul
from .matrices import first_bad, need_matrix, same_in_columns, sample, system_shape
from .operands import adjoint_, constant, finish, is_complex
from .solve_triangular import linalg_solve_triangular
from .triangles import put_diagonal, take_diagonal, tril

CholeskyEx = return_type("linalg_cholesky_ex", ("L", "info"))


def leading_minor(a: Any) -> int:
    """The order of the first leading minor that is not positive, 0 if all are."""
    for k in range(1, a.shape[-1] + 1):
        try:
            factored(a[:k, :k])
        except np.linalg.LinAlgError:
            return k
    return 0


def factored(a: Any) -> Any:
    """NumPy's factor, which hands NaN on: a pivot that is NaN leaves its mark on the last one."""
    low = np.linalg.cholesky(a)
    last = low[..., -1, -1]
    if last.size and np.isnan(last).any():
        raise np.linalg.LinAlgError
    return low


def positive_definite_infos(a: Any) -> Any:
    """leading_minor of each matrix."""
    out = np.zeros(a.shape[:-2], np.int32)
    for place in np.ndindex(a.shape[:-2]):
        out[place] = leading_minor(a[place])
    return out


@op(
    autocast="float32",
    samples=[sample(3, 3, kind="symmetric"), sample(2, 3, 3, kind="symmetric", upper=True)],
    public="",
    fresh=True,
    smooth=False,  # the gradient is the symmetric one, a difference in one element is not
)
def linalg_cholesky(a: Any, *, upper: bool = False) -> Any:
    """L with L @ L^H = a; reads the lower triangle (the upper one when upper)."""
    if a.size == 0:
        return a.copy()
    try:
        low = factored(adjoint_(a) if upper else a)
    except np.linalg.LinAlgError:
        infos = positive_definite_infos(adjoint_(a) if upper else a)
        place, order = first_bad(infos)
        raise LinAlgError(
            message(
                f"linalg.cholesky: {place}The factorization could not be completed "
                f"because the input is not positive-definite (the leading minor of order {order} "
                "is not positive-definite).",
                wanted="a symmetric matrix with positive eigenvalues",
                hint="A + 1e-6 * torch.eye(n), or torch.linalg.eigh",
            )
        ) from None
    return dense.in_columns(adjoint_(low) if upper else low)


linalg_cholesky.shape(same_in_columns)


@linalg_cholesky.vjp
def _cholesky_rule(g: Any, y: Any, _a: Any, *, upper: bool) -> Any:
    if upper:
        g, y = adjoint_(g), adjoint_(y)
    phi = tril(matmul(adjoint_(y), g))
    both = phi + adjoint_(tril(phi, diagonal=-1))
    # a real diagonal: an imaginary part of it moves nothing that stays Hermitian
    if is_complex(both):
        d = take_diagonal(phi)
        both = both - put_diagonal(d - d.real, rows=d.shape[-1], columns=d.shape[-1])
    left = linalg_solve_triangular(adjoint_(y), both, upper=True)
    return adjoint_(linalg_solve_triangular(adjoint_(y), adjoint_(left), upper=True)) * 0.5


@composite(
    accepts="floating complex: cholesky_cpu",
    public="linalg",
    smooth=False,
    samples=[case(spd(3)), case(spd(2, 3, 3), upper=True)],
)
def cholesky(A: Any, *, upper: bool = False, out: Any = None) -> Any:
    """The lower triangular L with L @ L^H = A, for Hermitian positive definite A (*, n, n).

    `upper=True`: the upper triangular U with U^H @ U = A. Only that triangle of A is read.
    LinAlgError if a matrix is not positive definite; `cholesky_ex` tells instead of raising.

    >>> A = torch.tensor([[4.0, 2.0], [2.0, 5.0]])
    >>> torch.linalg.cholesky(A)
    tensor([[2., 0.],
            [1., 2.]])
    """
    need_matrix("linalg.cholesky", A, square=True)
    return finish("cholesky", linalg_cholesky(A, upper=upper), out)


@composite(public="torch Tensor", name="cholesky", smooth=False, samples=[case(spd(3))])
def _old_cholesky(input: Any, upper: bool = False, *, out: Any = None) -> Any:
    """The lower (or upper) triangular factor of a positive definite matrix: `linalg.cholesky` is
    newer.

    >>> A = torch.tensor([[4.0, 2.0], [2.0, 5.0]])
    >>> torch.cholesky(A)
    tensor([[2., 0.],
            [1., 2.]])
    """
    if not input.numel():  # of whatever shape and type
        return finish("cholesky", input.clone(), out)
    return cholesky(input, upper=upper, out=out)


def _cholesky_ex_shape(A: Any, **_: Any) -> Any:
    dtype = A._a.dtype
    return CholeskyEx((MetaArray(A.shape, dtype), MetaArray(A.shape[:-2], np.int32)))


@composite(
    shape=_cholesky_ex_shape,
    public="linalg",
    smooth=False,
    samples=[case(spd(3))],
)
def cholesky_ex(A: Any, *, upper: bool = False, check_errors: bool = False, out: Any = None) -> Any:
    """(L, info): `cholesky`, which tells instead of raising.

    `info` (int32) is 0, or the size of the first leading block that is not positive definite; L is
    then not to be used. With `check_errors=True` it raises after all.

    >>> torch.linalg.cholesky_ex(torch.tensor([[1.0, 0.0], [0.0, -1.0]])).info
    tensor(2, dtype=torch.int32)
    """
    need_matrix("linalg.cholesky_ex", A, square=True)
    try:
        result = CholeskyEx(
            (linalg_cholesky(A, upper=upper), wrap(np.zeros(A.shape[:-2], np.int32)))
        )
    except LinAlgError:
        if check_errors:
            raise
        infos = positive_definite_infos(adjoint_(A._a) if upper else A._a)
        factors = dense.in_columns(np.zeros_like(A._a))
        for place in np.ndindex(infos.shape):
            if infos[place] == 0:
                factors[place] = linalg_cholesky.fn(A._a[place], upper=upper)
            else:
                factors[place] = np.tril(A._a[place])
        result = CholeskyEx((wrap(factors), wrap(infos)))
    return finish("cholesky_ex", result, out)


@op(
    samples=[case((3, 2), regular(3), upper=False), case((3, 2), regular(3), upper=True)],
    smooth=False,  # the gradient is that of A = L @ L^H, also where L is no triangle
    public="",
    fresh=True,
    node="CholeskySolveBackward0",
)
def solve_by_factor(input: Any, L: Any, *, upper: bool) -> Any:
    """The X with A @ X = input, from the triangle of L."""
    low = adjoint_(L) if upper else L
    half = linalg_solve_triangular(low, input, upper=False)
    return linalg_solve_triangular(adjoint_(low), half, upper=True)


solve_by_factor.shape(lambda b, a, **kw: system_shape(a, b))


@solve_by_factor.joint
def _by_factor_rule(g: Any, y: Any, _b: Any, L: Any, *, upper: bool, needs: Any) -> Any:
    gb = solve_by_factor(g, L, upper=upper)
    if not needs[1]:
        return gb, None
    both = matmul(gb, adjoint_(y))
    both = both + adjoint_(both)
    return gb, -(matmul(L, both) if upper else matmul(both, L))


@composite(
    autocast="float32",
    accepts="floating complex: cholesky_solve_cpu", smooth=False, samples=[case((3, 2), regular(3))]
)
def cholesky_solve(input: Any, input2: Any, upper: bool = False, *, out: Any = None) -> Any:
    """The X with A @ X = input, where `input2` is the Cholesky factor of A.

    L (*, n, n) with A = L @ L^H, or U with A = U^H @ U if `upper`; `input` (*, n, k).

    >>> A = torch.tensor([[4.0, 2.0], [2.0, 5.0]])
    >>> b = torch.tensor([[8.0], [12.0]])
    >>> torch.cholesky_solve(b, torch.linalg.cholesky(A))
    tensor([[1.],
            [2.]])
    """
    L = input2
    for letter, t in (("b", input), ("u", L)):
        if t.ndim < 2:
            raise RuntimeError(
                message(
                    f"{letter} should have at least 2 dimensions, but has {t.ndim} dimensions "
                    "instead",
                    wanted="input (*, n, k), L (*, n, n)",
                )
            )
    m, n = L.shape[-2:]
    if m != n:
        raise RuntimeError(
            message(f"A must be batches of square matrices, but they are {m} by {n} matrices")
        )
    if input.shape[-2] != n:
        raise RuntimeError(
            message(
                f"Incompatible matrix sizes for cholesky_solve: each A matrix is {m} by {n} but "
                f"each b matrix is {input.shape[-2]} by {input.shape[-1]}"
            )
        )
    if input._a.dtype != L._a.dtype:
        raise RuntimeError(
            message(
                "Expected b and A to have the same dtype, but found b of type "
                f"{type_name(input.dtype)} and A of type {type_name(L.dtype)} instead."
            )
        )
    return finish("cholesky_solve", solve_by_factor(input, L, upper=upper), out)


@composite(
    autocast="float32",
    accepts="floating complex: cholesky_inverse_out_cpu", smooth=False, samples=[case(regular(3))]
)
def cholesky_inverse(input: Any, upper: bool = False, *, out: Any = None) -> Any:
    """The inverse of A from its Cholesky factor, which is `input`: L, or U if `upper`.

    >>> L = torch.tensor([[2.0, 0.0], [2.0, 1.0]])
    >>> torch.cholesky_inverse(L)
    tensor([[ 1.2500, -1.0000],
            [-1.0000,  1.0000]])
    """
    L = input
    need_matrix("cholesky_inverse", L, square=True)
    if L._a.__class__ is np.ndarray:
        zeros = L._a.diagonal(0, -2, -1) == 0
        if zeros.any():
            infos = np.where(zeros.any(-1), zeros.argmax(-1) + 1, 0)
            raise singular("cholesky_inverse", infos, L.shape[-1])
    eye = constant(np.broadcast_to(np.eye(L.shape[-1]), L.shape), L)
    return finish("cholesky_inverse", cholesky_solve(eye, L, upper), out)
