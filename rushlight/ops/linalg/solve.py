"""Inverses and systems: inv, pinv, det, slogdet, solve, lstsq, triangular systems, matrix_exp,
matrix_power.

The rules never invert twice: they solve with the matrix at hand. Factorizations are in
`factor.py`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd.door import wrap
from ...dtypes import type_name
from ...errors import LinAlgError, axis, message
from ...kernels import dense
from ...kernels.linalg import ldl
from ...kernels.linalg import reference as kernels
from ...kernels.meta import MetaArray
from ...layout import contiguous_format
from ..core.composite import composite
from ..core.record import op
from ..core.return_types import return_type
from ..core.samples import Case, case, made, regular, values
from ..core.shapes import real_of, same
from ..shape.views import cat
from .factor import first_bad, in_columns, need_matrix, sample
from .inverse import inv, linalg_inv, linalg_inv_quiet, linalg_pinv, pinv_rule, singular
from .matmul import adjoint_, constant, finish, is_complex, matmul
from .norm import need_float
from .triangles import tril, triu

SolveEx = return_type("linalg_solve_ex", ("result", "info"))
Lstsq = return_type("linalg_lstsq", ("solution", "residuals", "rank", "singular_values"))
TriangularSolve = return_type("triangular_solve", ("solution", "cloned_coefficient"))


# -- systems ---------------------------------------------------------------------------------------


class _System(Case):
    """A case of one matrix with its right-hand side."""

    __slots__ = ()

    def make(self, rng: np.random.Generator) -> Any:
        a = self.args[0].make(rng) if hasattr(self.args[0], "make") else self.args[0]
        return [a, rng.normal(size=self.args[1])], dict(self.kw)


def system(shape: tuple[int, ...], right: tuple[int, ...], **kw: Any) -> Case:
    """A well conditioned system."""
    return _System((sample(*shape).args[0], right), kw)


def _broadcast_shape(a: Any, b: Any, **_kw: Any) -> MetaArray:
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    made: MetaArray = dense.in_columns(MetaArray((*batch, *b.shape[-2:]), b.dtype))
    return made


@op(
    samples=[system((3, 3), (3, 2)), system((2, 3, 3), (3, 2)), system((3, 3), (2, 3, 1))],
    public="",
    fresh=True,
    node="LinalgSolveExBackward0",
)
def linalg_solve(a: Any, b: Any) -> Any:
    """The x with a @ x = b, for matrices b."""
    try:
        return dense.in_columns(np.linalg.solve(a, b))
    except np.linalg.LinAlgError:
        place, _ = first_bad(kernels.lu_factor(a)[2])
        raise LinAlgError(
            message(
                f"torch.linalg.solve: {place}The solver failed because the input matrix is "
                "singular.",
                hint="torch.linalg.lstsq, or add a small multiple of the identity",
            )
        ) from None


linalg_solve.shape(_broadcast_shape)


@linalg_solve.joint
def _solve_rule(g: Any, y: Any, a: Any, _b: Any, *, needs: Any) -> Any:
    gb = linalg_solve(adjoint_(a), g)
    return (-matmul(gb, adjoint_(y)) if needs[0] else None), gb


def is_vector_side(a: Any, b: Any) -> bool:
    """Whether b is a (stack of) vectors by PyTorch's rule: b.shape == a.shape[:-1]."""
    return b.ndim == 1 or (a.ndim - 1 == b.ndim and tuple(b.shape) == tuple(a.shape[:-1]))


def check_system(name: str, a: Any, b: Any, left: bool, vector: bool) -> None:
    """Raise PyTorch's errors unless the sizes and types of a system fit."""
    need_matrix(name, a, square=True)
    if a._a.dtype != b._a.dtype:
        raise RuntimeError(
            message(
                f"{name}: Expected A and B to have the same dtype, but found A of type {a.dtype} "
                f"and B of type {b.dtype} instead"
            )
        )
    size = b.shape[-1 if vector or not left else -2] if b.ndim else None
    if size != a.shape[-1]:
        equation = "AX = B" if left else "XA = B"
        raise RuntimeError(
            message(
                f"{name}: Incompatible shapes of A and B for the equation {equation} "
                f"({a.shape[-2]}x{a.shape[-1]} and {'x'.join(map(str, b.shape[-2:]))})",
                f"A {tuple(a.shape)}, B {tuple(b.shape)}",
            )
        )


@composite(public="linalg", samples=[case(regular(3), (3, 2)), case(regular(3), (3,))])
def solve(A: Any, B: Any, *, left: bool = True, out: Any = None) -> Any:
    """The X with A @ X = B (with `left=False` X @ A = B), for square A (*, n, n).

    `B` is (*, n, k), or a vector (n,) (for a stack of matrices (*, n)). LinAlgError if A is
    singular.

    >>> A = torch.tensor([[2.0, 0.0], [1.0, 4.0]])
    >>> torch.linalg.solve(A, torch.tensor([2.0, 9.0]))
    tensor([1., 2.])
    """
    vector = is_vector_side(A, B)
    check_system("linalg.solve", A, B, left, vector)
    if vector:
        y = linalg_solve(A if left else A.mT, B.unsqueeze(-1)).squeeze(-1)
    elif left:
        y = linalg_solve(A, B)
    else:
        y = linalg_solve(A.mT, B.mT).mT
    return finish("solve", y, out)


def _solve_ex_shape(A: Any, B: Any, *, left: bool = True, **_: Any) -> Any:
    return SolveEx((solve(A, B, left=left)._a, MetaArray(A.shape[:-2], np.int32)))


@composite(
    shape=_solve_ex_shape,
    public="linalg",
    samples=[case(regular(3), (3, 2))],
)
def solve_ex(
    A: Any, B: Any, *, left: bool = True, check_errors: bool = False, out: Any = None
) -> Any:
    """(result, info): `linalg.solve`, which tells instead of raising.

    `info` (int32) is 0, or the place of the first pivot that is zero, counted from 1; with
    `check_errors=True` it raises after all.

    >>> torch.linalg.solve_ex(torch.zeros(2, 2), torch.ones(2)).info
    tensor(1, dtype=torch.int32)
    """
    try:
        y, info = solve(A, B, left=left), np.zeros(A.shape[:-2], np.int32)
    except LinAlgError:
        if check_errors:
            raise
        info = kernels.lu_factor(A._a)[2]
        y = matmul(linalg_inv_quiet(A), B) if left else matmul(B, linalg_inv_quiet(A))
    return finish("solve_ex", SolveEx((y, wrap(info))), out)


@op(
    samples=[
        system((3, 3), (3, 2), upper=True),
        system((2, 3, 3), (3, 2), upper=False),
        system((3, 3), (3, 2), upper=False, unit=True),
    ],
    public="",
    fresh=True,
    node="LinalgSolveTriangularBackward0",
)
def linalg_solve_triangular(a: Any, b: Any, *, upper: bool, unit: bool = False) -> Any:
    """The x with a @ x = b, where only one triangle of a is read."""
    return dense.in_columns(kernels.solve_triangular(a, b, upper=upper, unit=unit))


linalg_solve_triangular.shape(_broadcast_shape)


@linalg_solve_triangular.joint
def _triangular_rule(
    g: Any, y: Any, a: Any, _b: Any, *, upper: bool, unit: bool, needs: Any
) -> Any:
    return triangular_gradients(g, y, a, upper, unit, needs[0])


def triangular_gradients(g: Any, y: Any, a: Any, upper: bool, unit: bool, first: bool) -> Any:
    """(the gradient of the triangle a, where it is wanted, and of b) of the y with a @ y = b."""
    gb = linalg_solve_triangular(adjoint_(a), g, upper=not upper, unit=unit)
    ga = None
    if first:
        full = -matmul(gb, adjoint_(y))
        skip = int(unit)
        ga = triu(full, diagonal=skip) if upper else tril(full, diagonal=-skip)
    return ga, gb


@composite(
    accepts="floating complex: triangular_solve_cpu",
    public="linalg",
    samples=[
        case(regular(3), (3, 2), upper=True),
        case(regular(3), (2, 3), upper=False, left=False),
    ],
)
def solve_triangular(
    A: Any,
    B: Any,
    *,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
    out: Any = None,
) -> Any:
    """The X with A @ X = B (with `left=False` X @ A = B), for triangular A (*, n, n).

    `upper` says which triangle is read; `unitriangular`: the diagonal counts as ones. `B` (*, n,
    k). Nothing is checked: zeros on the diagonal give infinities.

    >>> A = torch.tensor([[2.0, 0.0], [1.0, 4.0]])
    >>> torch.linalg.solve_triangular(A, torch.tensor([[2.0], [9.0]]), upper=False)
    tensor([[1.],
            [2.]])
    """
    if B.ndim < 2:
        raise RuntimeError(
            message(
                "linalg.solve_triangular: The input tensor B must have at least 2 dimensions.",
                f"{tuple(B.shape)}",
                hint="B.unsqueeze(-1)",
            )
        )
    if A._a.dtype != B._a.dtype:
        B = B.to(A.dtype)  # unlike solve(), which wants one type
    check_system("linalg.solve_triangular", A, B, left, False)
    if left:
        y = linalg_solve_triangular(A, B, upper=upper, unit=unitriangular)
    else:
        y = linalg_solve_triangular(A.mT, B.mT, upper=not upper, unit=unitriangular).mT
        y = in_columns(y)
    return finish("solve_triangular", y, out)


@composite(accepts="floating complex: triangular_solve_cpu",
           samples=[case((3, 2), regular(3))])
def triangular_solve(
    input: Any,
    A: Any,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
    *,
    out: Any = None,
) -> Any:
    """(X, A) with A @ X = input for triangular A: the older form of `linalg.solve_triangular`.

    `upper` says which triangle is read, `transpose` solves A^T @ X = input, `unitriangular` takes
    the diagonal for ones.

    >>> b, A = torch.tensor([[2.0], [9.0]]), torch.tensor([[2.0, 0.0], [1.0, 4.0]])
    >>> torch.triangular_solve(b, A, upper=False).solution
    tensor([[1.],
            [2.]])
    """
    for name, x in (("b", input), ("A", A)):
        if x.ndim < 2:
            raise RuntimeError(
                f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it "
                f"has {x.ndim} dimensions instead"
            )
    if input._a.dtype != A._a.dtype:
        raise RuntimeError(
            message(
                "Expected b and A to have the same dtype, but found b of type "
                f"{type_name(input.dtype)} and A of type {type_name(A.dtype)} instead."
            )
        )
    if A.shape[-1] != A.shape[-2]:
        raise RuntimeError(
            f"A must be batches of square matrices, but they are {A.shape[-2]} by {A.shape[-1]} "
            "matrices"
        )
    if A.shape[-1] != input.shape[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for triangular_solve: each A matrix is {A.shape[-1]} by "
            f"{A.shape[-1]} but each b matrix is {input.shape[-2]} by {input.shape[-1]}"
        )
    y = solve_and_copy(input, A, upper=upper, transposed=transpose, unit=unitriangular)
    return finish("triangular_solve", TriangularSolve(y), out)


@op(
    samples=[
        case((3, 2), regular(3), upper=True, transposed=False, unit=False),
        case((3, 2), regular(3), upper=False, transposed=True, unit=False),
    ],
    public="",
    fresh=True,
    outputs=2,
    node="TriangularSolveBackward0",
)
def solve_and_copy(b: Any, A: Any, *, upper: bool, transposed: bool, unit: bool) -> Any:
    """(the solution of a triangular system, a copy of A)."""
    a = np.swapaxes(A, -1, -2) if transposed else A
    y = kernels.solve_triangular(a, b, upper=upper != transposed, unit=unit)
    copied = np.broadcast_to(A, (*y.shape[:-2], *A.shape[-2:])).copy()
    return dense.in_columns(y), dense.in_columns(copied)


@solve_and_copy.shape
def _(b: Any, A: Any, **_: Any) -> Any:
    y = _broadcast_shape(A, b)
    return y, dense.in_columns(MetaArray((*y.shape[:-2], *A.shape[-2:]), A.dtype))


@solve_and_copy.joint
def _(
    g: Any, y: Any, _b: Any, A: Any, *, upper: bool, transposed: bool, unit: bool, needs: Any
) -> Any:
    gy, copied = g
    if gy is None:
        return None, copied
    a, up = (A.mT, not upper) if transposed else (A, upper)
    to_a, to_b = triangular_gradients(gy, y[0], a, up, unit, needs[1])
    if to_a is not None:
        to_a = to_a.mT if transposed else to_a
        to_a = to_a if copied is None else to_a + copied
    return to_b, to_a


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


solve_by_factor.shape(lambda b, a, **kw: _broadcast_shape(a, b))


@solve_by_factor.joint
def _by_factor_rule(g: Any, y: Any, _b: Any, L: Any, *, upper: bool, needs: Any) -> Any:
    gb = solve_by_factor(g, L, upper=upper)
    if not needs[1]:
        return gb, None
    both = matmul(gb, adjoint_(y))
    both = both + adjoint_(both)
    return gb, -(matmul(L, both) if upper else matmul(both, L))


@composite(accepts="floating complex: cholesky_solve_cpu",
           smooth=False, samples=[case((3, 2), regular(3))])
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


@composite(accepts="floating complex: cholesky_inverse_out_cpu",
           smooth=False, samples=[case(regular(3))])
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


def check_factored(LU: Any, pivots: Any, B: Any, left: bool) -> None:
    """Raise PyTorch's errors unless these are a factorization and a right side that fit."""
    name = "linalg.lu_solve"
    if not pivots.ndim:
        raise IndexError("Dimension specified as -1 but tensor has no dimensions")
    need_matrix("torch." + name, LU, square=True)
    if B.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor B must have at least 2 dimensions.")
    wrong = None
    if pivots._a.dtype != np.int32:
        wrong = f"{name}: pivots should be a Tensor of scalar type torch.int32"
    elif LU._a.dtype != B._a.dtype:
        wrong = (
            f"{name}: Expected LU and B to have the same dtype, but found LU of type {LU.dtype} "
            f"and B of type {B.dtype} instead"
        )
    elif tuple(pivots.shape) != tuple(LU.shape[:-1]):
        wrong = f"{name}: Number of pivots per batch should be same as the dimension of the matrix"
    elif pivots._a.__class__ is not MetaArray and pivots.numel():
        for bound, found in (
            ("greater or equal to 1", pivots._a.min() < 1),
            ("smaller or equal to LU.size(-2)", pivots._a.max() > LU.shape[-2]),
        ):
            if found:
                wrong = (
                    f"Pivots given to lu_solve must all be {bound}. Did you properly pass the "
                    "result of lu_factor?"
                )
    if wrong is not None:
        raise RuntimeError(message(wrong, f"pivots of shape {tuple(pivots.shape)}"))
    check_system(name, LU, B, left, False)


@composite(
    accepts=(
        "floating complex: torch.linalg.lu_solve: Expected a floating point or complex tensor "
        "as input. Got {}"
    ),
    public="linalg",
    name="lu_solve",
    shape=lambda LU, pivots, B, **_: MetaArray(B.shape, B._a.dtype),
    samples=[case(regular(3), values([1, 2, 3], "int32"), (3, 2))],
)
def lu_solve(
    LU: Any, pivots: Any, B: Any, *, left: bool = True, adjoint: bool = False, out: Any = None
) -> Any:
    """The X with A @ X = B, from what `linalg.lu_factor` says of A.

    `LU` (*, n, n), `pivots` (*, n), `B` (*, n, k). `left=False`: X @ A = B; `adjoint=True`: A^H @ X
    = B.

    >>> LU, pivots = torch.linalg.lu_factor(torch.tensor([[2.0, 0.0], [1.0, 4.0]]))
    >>> torch.linalg.lu_solve(LU, pivots, torch.tensor([[2.0], [9.0]]))
    tensor([[1.],
            [2.]])
    """
    check_factored(LU, pivots, B, left)
    if not left:
        y = lu_solve(LU, pivots, adjoint_(B), adjoint=not adjoint)
        y = adjoint_(y).resolve_conj()
        return finish("lu_solve", y, out)
    order = kernels.permutation(pivots._a, LU.shape[-1])
    p = constant(np.eye(LU.shape[-1])[order], LU)  # P^T
    if adjoint:
        half = linalg_solve_triangular(adjoint_(LU), B, upper=False)
        y = linalg_solve_triangular(adjoint_(LU), half, upper=True, unit=True)
        y = in_columns(matmul(p.mT, y))
    else:
        half = linalg_solve_triangular(LU, matmul(p, B), upper=False, unit=True)
        y = linalg_solve_triangular(LU, half, upper=True)
    return finish("lu_solve", y, out)


@composite(
    public="torch Tensor",
    name="lu_solve",
    shape=lambda input, LU, pivots, **_: MetaArray(input.shape, input._a.dtype),
    samples=[case((3, 2), regular(3), values([1, 2, 3], "int32"))],
)
def _old_lu_solve(input: Any, LU_data: Any, LU_pivots: Any, *, out: Any = None) -> Any:
    """The X with A @ X = input, from the packed LU of A: the older form of `linalg.lu_solve`.

    `input` (*, n, k), `LU_data` (*, n, n) and `LU_pivots` (*, n) as `linalg.lu_factor` returns
    them.

    >>> LU, pivots = torch.linalg.lu_factor(torch.tensor([[2.0, 0.0], [1.0, 4.0]]))
    >>> b = torch.tensor([[2.0], [9.0]])
    >>> torch.lu_solve(b, LU, pivots)
    tensor([[1.],
            [2.]])
    """
    return lu_solve(LU_data, LU_pivots, input, out=out)


@op(
    samples=[case(regular(3), values([1, 2, 3], "int32"), (3, 2))],
    public="",
    fresh=True,
    smooth=False,
    constant=(1,),
)
def linalg_ldl_solve(packed: Any, pivots: Any, b: Any, *, hermitian: bool = False) -> Any:
    """The x with a @ x = b, from what `linalg.ldl_factor` says of a."""
    return ldl.solve(packed, pivots, b, hermitian)


linalg_ldl_solve.shape(lambda a, _p, b, **_: _broadcast_shape(a, b))
linalg_ldl_solve.vjp(None, None, None)  # as in PyTorch


@composite(
    public="linalg",
    smooth=False,
    samples=[case(regular(3), values([1, 2, 3], "int32"), (3, 2))],
)
def ldl_solve(
    LD: Any, pivots: Any, B: Any, *, hermitian: bool = False, out: Any = None
) -> Any:
    """The X with A @ X = B, from what `linalg.ldl_factor` says of a symmetric or Hermitian A.

    `LD` (*, n, n), `pivots` (*, n), `B` (*, n, k); `hermitian` as it was for the factors.

    >>> LD, pivots = torch.linalg.ldl_factor(torch.tensor([[0.0, 2.0], [2.0, 0.0]]))
    >>> torch.linalg.ldl_solve(LD, pivots, torch.tensor([[2.0], [4.0]]))
    tensor([[2.],
            [1.]])
    """
    name = "torch.linalg.ldl_solve"
    need_matrix(name, LD, square=True)
    wrong = None
    axis(-2, B.ndim)
    if pivots.shape != LD.shape[:-1]:
        wrong = (
            f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots "
            f"with shape {list(pivots.shape)} instead"
        )
    elif pivots._a.dtype.kind not in "iu":
        wrong = f"{name}: Expected pivots to be integers. Got {pivots.dtype}"
    elif LD._a.dtype != B._a.dtype:
        wrong = (
            f"{name}: Expected b and A to have the same dtype, but found b of type {B.dtype} "
            f"and A of type {LD.dtype} instead."
        )
    elif B.shape[-2] != LD.shape[-1]:
        n = LD.shape[-1]
        wrong = (
            f"Incompatible matrix sizes for {name}: each A matrix is {n} by {n} but each b "
            f"matrix is {B.shape[-2]} by {B.shape[-1]}"
        )
    if wrong is not None:
        raise RuntimeError(message(wrong, f"LD {tuple(LD.shape)}, B {tuple(B.shape)}"))
    return finish("ldl_solve", linalg_ldl_solve(LD, pivots, B, hermitian=hermitian), out)


# -- least squares ---------------------------------------------------------------------------------


def least_squares_memory(batch: Any, a: Any, b: Any) -> Any:
    """Memory for solutions: LAPACK writes them over the right side, which has at least as many
    rows."""
    m, n = a.shape[-2:]
    return np.empty((*batch, b.shape[-1], max(m, n)), a.dtype).swapaxes(-1, -2)[..., :n, :]


def least_squares_shape(a: Any, b: Any, *, rcond: Any = None) -> tuple[MetaArray, ...]:
    """The shapes of solutions, ranks and singular values."""
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    values = MetaArray((*batch, min(a.shape[-2:])), real_of(a.dtype))
    solutions = least_squares_memory(batch, a, b)
    solutions = MetaArray(solutions.shape, a.dtype, solutions.strides)
    return solutions, MetaArray(batch, np.int64), values


@op(
    samples=[system((4, 3), (4, 2)), system((2, 3, 4), (2, 3, 1))],
    public="",
    fresh=True,
    outputs=3,
    differentiable=(0,),
    node="LinalgLstsqBackward0",
)
def linalg_lstsq(a: Any, b: Any, *, rcond: float | None = None) -> Any:
    """Least squares solutions of least norm, ranks, singular values."""
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a = np.broadcast_to(a, (*batch, *a.shape[-2:]))
    b = np.broadcast_to(b, (*batch, *b.shape[-2:]))
    x = least_squares_memory(batch, a, b)
    rank = np.empty(batch, np.int64)
    s = np.empty((*batch, min(a.shape[-2:])), a.real.dtype)
    limit = np.finfo(a.dtype).eps * max(a.shape[-2:]) if rcond is None else rcond
    for place in np.ndindex(batch):
        x[place], _, rank[place], s[place] = np.linalg.lstsq(a[place], b[place], rcond=limit)
    return x, rank, s


linalg_lstsq.shape(least_squares_shape)


@linalg_lstsq.joint
def _lstsq_rule(g: Any, _y: Any, a: Any, b: Any, *, needs: Any) -> Any:
    y = linalg_pinv(a)
    ga = None
    if needs[0]:
        ga = pinv_rule(matmul(g[0], adjoint_(b)), y, a)
    return ga, matmul(adjoint_(y), g[0])


def _lstsq_shape(
    A: Any, B: Any, rcond: float | None = None, *, driver: str | None = None
) -> Any:
    *batch, m, n = A.shape
    dtype = A._a.dtype
    real = np.empty(0, dtype).real.dtype
    vector = A.ndim - 1 == B.ndim and tuple(B.shape) == tuple(A.shape[:-1])
    columns = () if vector else (B.shape[-1],)
    tall = m > n and driver not in (None, "gelsy")
    values = driver in ("gelsd", "gelss")
    return Lstsq(
        (
            MetaArray((*batch, n, *columns), dtype),
            MetaArray((*batch, *(columns or (1,))) if tall else (0,), real),
            MetaArray((0,) if driver == "gels" else batch, np.int64),
            MetaArray((*batch, min(m, n)) if values else (0,), real),
        )
    )


@composite(
    public="linalg", shape=_lstsq_shape, smooth=False, samples=[case((4, 3), (4, 2))]
)
def lstsq(A: Any, B: Any, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """The X that minimises |A @ X - B|: (solution, residuals, rank, singular_values).

    `A` (*, m, n), `B` (*, m, k); X (*, n, k), of least norm where several are best. `driver`:
    "gelsy" (default), "gels" (full rank), "gelsd" and "gelss" (which also give singular values).
    All but the default give the residuals, sums of squares for each column, if m > n and the rank
    is full. `rcond` is the relative size of singular values that count as zero.

    >>> A = torch.tensor([[1.0], [1.0]])
    >>> torch.linalg.lstsq(A, torch.tensor([[1.0], [4.0]])).solution
    tensor([[2.5000]])
    """
    need_float("linalg.lstsq", A)
    drivers = (None, "gels", "gelsy", "gelsd", "gelss")
    if driver not in drivers:
        raise RuntimeError(
            "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss), "
            f"got {driver}"
        )
    wrong = None
    if A.ndim < 2:
        wrong = "input must have at least 2 dimensions."
    elif B.ndim < 1:
        wrong = "other must have at least 1 dimension."
    elif not 0 <= A.ndim - B.ndim <= 1:
        wrong = (
            "input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) "
            "<= 1"
        )
    elif A._a.dtype != B._a.dtype:
        wrong = (
            "Expected input and other to have the same dtype, but got input's dtype "
            f"{type_name(A.dtype)} and other's dtype {type_name(B.dtype)}"
        )
    if wrong is not None:
        raise RuntimeError(message(f"torch.linalg.lstsq: {wrong}", f"{A.shape} and {B.shape}"))
    m, n = A.shape[-2:]
    vector = A.ndim - 1 == B.ndim and tuple(B.shape) == tuple(A.shape[:-1])
    b = B.unsqueeze(-1) if vector else B
    if b.ndim < 2 or b.shape[-2] != m:
        raise RuntimeError(
            message(
                "torch.linalg.lstsq: input.size(-2) should match "
                f"other.size({-1 if A.ndim - 1 == B.ndim == 1 else -2})",
                f"{tuple(A.shape)} and {tuple(B.shape)}",
            )
        )
    x, rank, s = linalg_lstsq(A, b, rcond=rcond)
    if driver == "gelss" and rcond is not None and rcond >= 1:
        x, rank = x * 0, rank * 0  # no singular value is larger; gelsd takes such an rcond for none
    residuals = x.detach().reshape(-1)[:0].clone() if x._fn is None else x.reshape(-1)[:0].clone()
    residuals = residuals.real.clone() if is_complex(residuals) else residuals
    # gelsy, which is the default, gives none
    if m > n and driver not in (None, "gelsy") and bool((rank._a == n).all()):
        d = matmul(A, x) - b
        residuals = (d * (d.conj() if is_complex(d) else d)).sum(-2)
        residuals = residuals.real if is_complex(d) else residuals
    none = wrap(np.zeros(0, np.int64)), wrap(np.zeros(0, s._a.dtype))
    return Lstsq(
        (
            x.squeeze(-1) if vector else x,
            residuals,
            none[0] if driver == "gels" else rank,
            s if driver in ("gelsd", "gelss") else none[1],
        )
    )


# -- functions of a matrix -------------------------------------------------------------------------


@op(samples=[sample(3, 3), sample(2, 3, 3)], public="", fresh=True, node="LinalgMatrixExpBackward0")
def linalg_matrix_exp(a: Any) -> Any:
    """exp of square matrices."""
    return kernels.matrix_exp(a)


linalg_matrix_exp.shape(same)


@linalg_matrix_exp.vjp
def _matrix_exp_rule(g: Any, _y: Any, a: Any) -> Any:
    # the upper right block of exp [[a^H, g], [0, a^H]] is the derivative in direction g
    ah = adjoint_(a)
    n = a.shape[-1]
    top, low = cat(ah, g, dim=-1), cat(ah * 0.0, ah, dim=-1)
    return linalg_matrix_exp(cat(top, low, dim=-2))[..., :n, n:]


@composite(public="linalg torch Tensor", words={"input": "A"}, samples=[case((3, 3))])
def matrix_exp(A: Any) -> Any:
    """The matrix exponential of square matrices (*, n, n): the sum of A^k / k! over k.

    >>> A = torch.tensor([[0.0, 1.0], [0.0, 0.0]])
    >>> torch.linalg.matrix_exp(A)
    tensor([[1., 1.],
            [0., 1.]])
    """
    need_matrix("linalg.matrix_exp", A, square=True)
    return linalg_matrix_exp(A)


@composite(
    public="linalg torch Tensor",
    words={"input": "A"},
    samples=[case(regular(3), 3), case(regular(3), -1)],
)
def matrix_power(A: Any, n: int, *, out: Any = None) -> Any:
    """Square matrices (*, n, n) multiplied with themselves n times.

    n = 0 gives the identity; for negative n it is the inverse's power.

    >>> A = torch.tensor([[1.0, 1.0], [0.0, 1.0]])
    >>> torch.linalg.matrix_power(A, 3)
    tensor([[1., 3.],
            [0., 1.]])
    """
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        need_matrix(
            "linalg.matrix_power", A.double() if A._a.dtype.kind in "iub" else A, square=True
        )
    given = A
    if n < 0:
        need_float("linalg.inv", A)
        A, n = linalg_inv(A), -n
    if n == 0:
        eye = np.broadcast_to(np.eye(A.shape[-1], dtype=A._a.dtype), A.shape).copy()
        y = wrap(eye) + A * 0 if A.requires_grad else wrap(eye)
        return finish("matrix_power", y, out)
    if n == 1 and A is given:
        return finish("matrix_power", A.clone(memory_format=contiguous_format), out)
    result: Any = None
    while n:
        if n & 1:
            result = A if result is None else matmul(result, A)
        n >>= 1
        if n:
            A = matmul(A, A)
    return finish("matrix_power", result if result is not A else A.clone(), out)


@composite(public="linalg", samples=[case(made(lambda rng: regular(6).make(rng).reshape(2, 3, 6)))])
def tensorinv(A: Any, ind: int = 2, *, out: Any = None) -> Any:
    """The inverse for `tensordot`: A counts as a matrix from its dimensions after `ind` to those
    before.

    Their products must be equal; `tensordot(tensorinv(A, ind), B, ind)` is `tensorsolve(A, B)`.

    >>> A = torch.eye(4).reshape(2, 2, 4) * 2
    >>> torch.linalg.tensorinv(A, ind=2).shape
    torch.Size([4, 2, 2])
    """
    if ind <= 0:
        raise RuntimeError("Expected a strictly positive integer for 'ind'")
    if ind > A.ndim:
        raise RuntimeError(
            message(f"ArrayRef: invalid slice, N = {ind}; size = {A.ndim}", wanted="ind <= A.ndim")
        )
    head, tail = tuple(A.shape[:ind]), tuple(A.shape[ind:])
    if math.prod(head) != math.prod(tail):
        raise RuntimeError(
            message(
                "Expected self to satisfy the requirement prod(self.shape[ind:]) == "
                f"prod(self.shape[:ind]), but got {math.prod(tail)} != {math.prod(head)}"
            )
        )
    y = inv(A.reshape((math.prod(head), math.prod(tail)))).reshape((*tail, *head))
    return finish("tensorinv", y, out)


@composite(
    public="linalg",
    samples=[case(made(lambda rng: regular(6).make(rng).reshape(2, 3, 6)), (2, 3))],
)
def tensorsolve(A: Any, B: Any, dims: Any = None, *, out: Any = None) -> Any:
    """The X with tensordot(A, X, X.ndim) = B.

    A has the dimensions of B, then those of X, or after the dimensions `dims` were moved to the
    end.

    >>> A = torch.eye(4).reshape(2, 2, 4) * 2
    >>> torch.linalg.tensorsolve(A, torch.tensor([[2.0, 4.0], [6.0, 8.0]]))
    tensor([1., 2., 3., 4.])
    """
    if dims is not None:
        dims = [d % A.ndim for d in dims]
        A = A.permute((*[d for d in range(A.ndim) if d not in dims], *dims))
    shape = tuple(A.shape[B.ndim :])
    if math.prod(shape) != B.numel():
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
            f"prod(self.shape[:other.ndim]), but got {math.prod(shape)} != {B.numel()}"
        )
    y = solve(A.reshape((B.numel(), math.prod(shape))), B.reshape((B.numel(),)))
    return finish("tensorsolve", y.reshape(shape), out)


@composite(public="linalg", samples=[case((3,)), case((3,), N=5)])
def vander(x: Any, *, N: int | None = None) -> Any:
    """The powers x^0, x^1, ... x^(N-1) of each element, in a new last dimension; N is the last
    size.

    >>> torch.linalg.vander(torch.tensor([2, 3]), N=4)
    tensor([[ 1,  2,  4,  8],
            [ 1,  3,  9, 27]])
    """
    x = x.reshape((1,)) if x.ndim == 0 else x
    if x._a.dtype.kind == "b":
        raise RuntimeError(
            message(
                "linalg.vander supports floating point, complex, and integer tensors, but got Bool",
                hint="x.int()",
            )
        )
    if x._a.dtype.kind in "iu":
        x = x.to(dtypes.int64)
    n = x.shape[-1] if N is None else N
    if n <= 1:
        raise RuntimeError("N must be greater than 1.")
    return _powers(x, n)


def _powers(x: Any, n: int) -> Any:
    """x^0 ... x^(n-1) of each element, in a new last dim."""
    one = x.new_ones((*x.shape, 1))
    if n < 2:
        return one[..., :n]
    return cat(one, x[..., None].expand(*x.shape, n - 1).cumprod(-1), dim=-1)


@composite(public="torch", name="vander", samples=[case((3,)), case((3,), 4, True)])
def _old_vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """The Vandermonde matrix (n, N) of a vector (n,): powers, the highest first unless
    `increasing`.

    >>> x = torch.tensor([2, 3])
    >>> torch.vander(x, 4)
    tensor([[ 8,  4,  2,  1],
            [27,  9,  3,  1]])
    >>> torch.vander(x, 4, increasing=True)
    tensor([[ 1,  2,  4,  8],
            [ 1,  3,  9, 27]])
    """
    if isinstance(N, bool):
        raise TypeError("vander(): argument 'N' (position 2) must be int, not bool")
    if N is not None and N < 0:
        raise RuntimeError("N must be non-negative.")
    if x.ndim != 1:
        raise RuntimeError(
            message("x must be a one-dimensional tensor.", f"{tuple(x.shape)}", hint="x.flatten()")
        )
    if x._a.dtype.kind in "biu":
        x = x.to(dtypes.int64)
    n = x.shape[0] if N is None else N
    powers = _powers(x, n)
    return powers if increasing else powers.flip(-1)


@composite(public="linalg", name="matmul", samples=[case((2, 3), (3, 4))])
def _linalg_matmul(input: Any, other: Any, *, out: Any = None) -> Any:
    """The matrix product of vectors, matrices and stacks of matrices: another name of
    `torch.matmul`.

    >>> torch.linalg.matmul(torch.eye(2) * 2, torch.tensor([1.0, 2.0]))
    tensor([2., 4.])
    """
    return matmul.public_function()(input, other, out=out)


@composite(public="linalg", name="diagonal", samples=[case((3, 4)), case((3, 4), offset=1)])
def _linalg_diagonal(A: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """A view of the diagonals of matrices (*, m, n), as the last dimension.

    `torch.diagonal`, but of the last two dimensions by default.

    >>> torch.linalg.diagonal(torch.eye(2))
    tensor([1., 1.])
    """
    return A.diagonal(offset, dim1, dim2)
