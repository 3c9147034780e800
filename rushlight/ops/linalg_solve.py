"""Inverses and systems: inv, pinv, det, slogdet, solve, lstsq, triangular systems, matrix_exp,
matrix_power.

The rules never invert twice: they solve with the matrix at hand. Factorizations are in
`linalg_factor.py`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..autograd.door import wrap
from ..errors import LinAlgError, message
from ..kernels import linalg as kernels
from ..kernels.meta import MetaArray
from . import reduce
from .linalg import adjoint_, constant, finish, is_complex, matmul
from .linalg_factor import (
    batch_prefix,
    need_matrix,
    same_shape,
    sample,
)
from .linalg_norm import need_float
from .linalg_parts import tril, triu
from .linalg_spectral import rank_tolerance
from .math import log, where
from .record import composite, op
from .return_types import return_type
from .samples import Case, case
from .shape import cat

InvEx = return_type("linalg_inv_ex", ("inverse", "info"))
SolveEx = return_type("linalg_solve_ex", ("result", "info"))
Slogdet = return_type("linalg_slogdet", ("sign", "logabsdet"))
OldSlogdet = return_type("slogdet", ("sign", "logabsdet"))
Lstsq = return_type("linalg_lstsq", ("solution", "residuals", "rank", "singular_values"))
TriangularSolve = return_type("triangular_solve", ("solution", "cloned_coefficient"))


def singular(name: str, a: Any, what: str = "the inversion") -> LinAlgError:
    """The error about the first matrix of a stack that has no inverse."""
    infos = kernels.lu_factor(a)[2]
    place = tuple(int(i[0]) for i in np.nonzero(infos)) if infos.ndim and infos.any() else ()
    k = int(infos[place]) if infos.any() and (place or not infos.ndim) else a.shape[-1]
    return LinAlgError(
        message(
            f"{name}: {batch_prefix(place)}The diagonal element {k} is zero, {what} could not be "
            "completed because the input matrix is singular.",
            hint="torch.linalg.pinv or torch.linalg.lstsq, or add a small multiple of the identity",
        )
    )


# -- inverse ---------------------------------------------------------------------------------------


@op(samples=[sample(3, 3), sample(2, 3, 3)], public="", fresh=True, node="LinalgInvExBackward0")
def linalg_inv(a: Any) -> Any:
    """The inverse of square matrices."""
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        raise singular("linalg.inv", a) from None


def _inverse_rule(g: Any, y: Any, _a: Any) -> Any:
    yh = adjoint_(y)
    return -matmul(yh, matmul(g, yh))


linalg_inv.shape(same_shape)
linalg_inv.vjp(_inverse_rule)


@op(samples=[sample(3, 3)], public="", fresh=True, node="LinalgInvExBackward0")
def linalg_inv_quiet(a: Any) -> Any:
    """The inverse; infinities instead of an exception for singular matrices."""
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        y = np.empty_like(a)
        for place in np.ndindex(a.shape[:-2]):
            try:
                y[place] = np.linalg.inv(a[place])
            except np.linalg.LinAlgError:
                y[place] = np.inf
        return y


linalg_inv_quiet.shape(same_shape)
linalg_inv_quiet.vjp(_inverse_rule)


@composite(public="linalg")
def inv(A: Any, *, out: Any = None) -> Any:
    """The inverse of square matrices; LinAlgError if one is singular."""
    need_matrix("linalg.inv", A, square=True)
    return finish("inv", linalg_inv(A), out)


@composite(public="torch Tensor")
def inverse(input: Any, *, out: Any = None) -> Any:
    """The inverse of square matrices (linalg.inv)."""
    return inv(input, out=out)


@composite(public="linalg")
def inv_ex(A: Any, *, check_errors: bool = False, out: Any = None) -> Any:
    """(inverse, info) without an exception: info is the first zero pivot, counted from 1."""
    need_matrix("linalg.inv_ex", A, square=True)
    try:
        y, info = linalg_inv(A), np.zeros(A.shape[:-2], np.int32)
    except LinAlgError:
        if check_errors:
            raise
        y, info = linalg_inv_quiet(A), kernels.lu_factor(A._a)[2]
    return finish("inv_ex", InvEx((y, wrap(info))), out)


@op(samples=[sample(4, 3), sample(2, 3, 4), sample(3, 3)], public="", fresh=True)
def linalg_pinv(a: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """The pseudoinverse, singular values below the tolerance left out."""
    if a.size == 0:
        return np.zeros((*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype)
    if hermitian:
        values, v = np.linalg.eigh(a)
        size = np.abs(values)
        u, vh, s = v, adjoint_(v), values
    else:
        u, s, vh = np.linalg.svd(a, full_matrices=False)
        size = s
    keep = size > np.asarray(rank_tolerance(a, size, atol, rtol))[..., None]
    with np.errstate(divide="ignore"):
        inverse_s = np.where(keep, 1 / s, 0).astype(s.dtype)
    return (adjoint_(vh) * inverse_s[..., None, :]) @ adjoint_(u)


def _pinv_rule(g: Any, y: Any, a: Any) -> Any:
    m, n = a.shape[-2:]
    yh, gh = adjoint_(y), adjoint_(g)
    if m <= n:
        k = matmul(gh, y)
        ky = matmul(k, yh)
        return (
            ky
            - adjoint_(matmul(y, k))
            - matmul(matmul(a, y), ky)
            + matmul(matmul(yh, y), gh - matmul(k, a))
        )
    k = matmul(y, gh)
    yk = matmul(yh, k)
    return (
        yk
        - adjoint_(matmul(k, y))
        + matmul(matmul(gh - matmul(a, k), y), yh)
        - matmul(matmul(yk, y), a)
    )


linalg_pinv.vjp(_pinv_rule)


def _number(x: Any) -> Any:
    """A tolerance as a hashable static parameter."""
    if hasattr(x, "_a"):
        if x.ndim:
            raise NotImplementedError("pinv: one tolerance for each matrix is not supported")
        return x.item()
    return x


@composite(public="linalg")
def pinv(
    A: Any,
    rcond: Any = None,
    hermitian: bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
    out: Any = None,
) -> Any:
    """The Moore-Penrose pseudoinverse, by SVD (or eigenvalues when hermitian)."""
    need_matrix("linalg.pinv", A, square=hermitian)
    rtol = rcond if rtol is None else rtol
    y = linalg_pinv(A, atol=_number(atol), rtol=_number(rtol), hermitian=hermitian)
    return finish("pinv", y, out)


@composite(public="torch Tensor")
def pinverse(input: Any, rcond: float = 1e-15) -> Any:
    """The pseudoinverse (linalg.pinv with a relative tolerance)."""
    return pinv(input, rcond)


# -- determinants ----------------------------------------------------------------------------------


@op(
    samples=[sample(3, 3), sample(2, 3, 3), case((1, 1))],
    public="",
    fresh=True,
    holomorphic=True,
    node="LinalgDetBackward0",
)
def linalg_det(a: Any) -> Any:
    """The determinant of square matrices."""
    return np.linalg.det(a)


linalg_det.shape(lambda a: MetaArray(a.shape[:-2], a.dtype))
linalg_det.vjp(lambda g, _y, a: g[..., None, None] * linalg_cofactor(a))


@op(samples=[sample(3, 3), sample(2, 3, 3)], public="", fresh=True, holomorphic=True)
def linalg_cofactor(a: Any) -> Any:
    """The matrix of cofactors, det(a) a^-T, finite also for singular a: by SVD and partial
    products."""
    if a.size == 0:
        return a.copy()
    u, s, vh = np.linalg.svd(a)
    n = s.shape[-1]
    left = np.ones_like(s)
    right = np.ones_like(s)
    for i in range(1, n):
        left[..., i] = left[..., i - 1] * s[..., i - 1]
        right[..., n - 1 - i] = right[..., n - i] * s[..., n - i]
    turn = np.linalg.det(u) * np.linalg.det(vh)
    y = (u.conj() * (left * right)[..., None, :]) @ vh.conj()
    return (turn[..., None, None] * y).astype(a.dtype, copy=False)


@linalg_cofactor.vjp
def _cofactor_rule(g: Any, y: Any, a: Any) -> Any:
    b = linalg_inv_quiet(a).mT
    total = reduce.sum(g * y, dim=(-2, -1), keepdim=True)
    return total * b - matmul(b, matmul(g.mT, y))


@composite(public="linalg torch Tensor")
def det(A: Any, *, out: Any = None) -> Any:
    """The determinant of square matrices."""
    need_matrix("linalg.det", A, square=True)
    return finish("det", linalg_det(A), out)


@op(
    samples=[sample(3, 3), sample(2, 3, 3)],
    public="",
    fresh=True,
    outputs=2,
    differentiable=(0, 1),
    node="LinalgSlogdetBackward0",
)
def linalg_slogdet(a: Any) -> Any:
    """Sign and log of the magnitude of the determinant."""
    sign, size = np.linalg.slogdet(a)
    return np.asarray(sign), np.asarray(size)


@linalg_slogdet.vjp
def _slogdet_rule(g: Any, y: Any, a: Any) -> Any:
    gs, gl = g
    inverse_h = adjoint_(linalg_inv_quiet(a))
    if not is_complex(a):
        return inverse_h * (gl[..., None, None] if gl is not None else 0.0)
    total = None if gl is None else gl
    if gs is not None:
        turn = (y[0].conj() * gs).imag * 1j
        total = turn if total is None else total + turn
    return inverse_h * total[..., None, None]


@composite(public="linalg")
def slogdet(A: Any, *, out: Any = None) -> Any:
    """(sign, logabsdet): the determinant is sign * exp(logabsdet)."""
    need_matrix("linalg.slogdet", A, square=True)
    return finish("slogdet", Slogdet(linalg_slogdet(A)), out)


@composite(public="torch Tensor", name="slogdet")
def _old_slogdet(input: Any) -> Any:
    """(sign, logabsdet) of the determinant."""
    need_matrix("slogdet", input, square=True)
    return OldSlogdet(linalg_slogdet(input))


@composite(public="torch Tensor")
def logdet(input: Any) -> Any:
    """The log of the determinant; NaN where that is negative."""
    need_matrix("logdet", input, square=True)
    sign, size = linalg_slogdet(input)
    if is_complex(input):
        return size + log(sign)
    return where(sign == -1.0, size * 0.0 + math.nan, size)


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
    return MetaArray((*batch, *b.shape[-2:]), b.dtype)


@op(
    samples=[system((3, 3), (3, 2)), system((2, 3, 3), (3, 2)), system((3, 3), (2, 3, 1))],
    public="",
    fresh=True,
    node="LinalgSolveExBackward0",
)
def linalg_solve(a: Any, b: Any) -> Any:
    """The x with a @ x = b, for matrices b."""
    try:
        return np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        raise singular("torch.linalg.solve", a, "the solve") from None


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


@composite(public="linalg")
def solve(A: Any, B: Any, *, left: bool = True, out: Any = None) -> Any:
    """The X with A @ X = B (X @ A = B when not left); B is a matrix, or a vector."""
    vector = is_vector_side(A, B)
    check_system("linalg.solve", A, B, left, vector)
    if vector:
        y = linalg_solve(A if left else A.mT, B.unsqueeze(-1)).squeeze(-1)
    elif left:
        y = linalg_solve(A, B)
    else:
        y = linalg_solve(A.mT, B.mT).mT
    return finish("solve", y, out)


@composite(public="linalg")
def solve_ex(
    A: Any, B: Any, *, left: bool = True, check_errors: bool = False, out: Any = None
) -> Any:
    """(result, info) without an exception for singular matrices."""
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
    return kernels.solve_triangular(a, b, upper=upper, unit=unit)


linalg_solve_triangular.shape(_broadcast_shape)


@linalg_solve_triangular.joint
def _triangular_rule(
    g: Any, y: Any, a: Any, _b: Any, *, upper: bool, unit: bool, needs: Any
) -> Any:
    gb = linalg_solve_triangular(adjoint_(a), g, upper=not upper, unit=unit)
    ga = None
    if needs[0]:
        full = -matmul(gb, adjoint_(y))
        skip = int(unit)
        ga = triu(full, diagonal=skip) if upper else tril(full, diagonal=-skip)
    return ga, gb


@composite(public="linalg")
def solve_triangular(
    A: Any,
    B: Any,
    *,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
    out: Any = None,
) -> Any:
    """The X with A @ X = B (X @ A = B when not left) for triangular A."""
    check_system("linalg.solve_triangular", A, B, left, False)
    if left:
        y = linalg_solve_triangular(A, B, upper=upper, unit=unitriangular)
    else:
        y = linalg_solve_triangular(A.mT, B.mT, upper=not upper, unit=unitriangular).mT
    return finish("solve_triangular", y, out)


@composite
def triangular_solve(
    input: Any,
    A: Any,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
    *,
    out: Any = None,
) -> Any:
    """(X, A) with A @ X = input for triangular A; the older form of linalg.solve_triangular."""
    a, up = (A.mT, not upper) if transpose else (A, upper)
    y = linalg_solve_triangular(a, input, upper=up, unit=unitriangular)
    return finish("triangular_solve", TriangularSolve((y, A.clone())), out)


@composite
def cholesky_solve(input: Any, L: Any, upper: bool = False, *, out: Any = None) -> Any:
    """The X with A @ X = input, from the Cholesky factor L of A."""
    low = adjoint_(L) if upper else L
    half = linalg_solve_triangular(low, input, upper=False)
    return finish("cholesky_solve", linalg_solve_triangular(adjoint_(low), half, upper=True), out)


@composite
def cholesky_inverse(L: Any, upper: bool = False, *, out: Any = None) -> Any:
    """The inverse of A from its Cholesky factor L."""
    eye = constant(np.broadcast_to(np.eye(L.shape[-1]), L.shape), L)
    return finish("cholesky_inverse", cholesky_solve(eye, L, upper), out)


@composite(public="linalg", name="lu_solve")
def lu_solve(
    LU: Any, pivots: Any, B: Any, *, left: bool = True, adjoint: bool = False, out: Any = None
) -> Any:
    """The X with A @ X = B, from `linalg.lu_factor` of A (A^H when adjoint; X @ A when not
    left)."""
    if not left:
        y = lu_solve(LU, pivots, adjoint_(B), adjoint=not adjoint)
        return finish("lu_solve", adjoint_(y), out)
    order = kernels.permutation(pivots._a, LU.shape[-1])
    p = constant(np.eye(LU.shape[-1])[order], LU)  # P^T
    if adjoint:
        half = linalg_solve_triangular(adjoint_(LU), B, upper=False)
        y = linalg_solve_triangular(adjoint_(LU), half, upper=True, unit=True)
        y = matmul(p.mT, y)
    else:
        half = linalg_solve_triangular(LU, matmul(p, B), upper=False, unit=True)
        y = linalg_solve_triangular(LU, half, upper=True)
    return finish("lu_solve", y, out)


@composite(public="torch Tensor", name="lu_solve")
def _old_lu_solve(b: Any, LU_data: Any, LU_pivots: Any, *, out: Any = None) -> Any:
    """The x with A @ x = b from the packed LU of A; the older form of linalg.lu_solve."""
    return lu_solve(LU_data, LU_pivots, b, out=out)


# -- least squares ---------------------------------------------------------------------------------


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
    x = np.empty((*batch, a.shape[-1], b.shape[-1]), a.dtype)
    rank = np.empty(batch, np.int64)
    s = np.empty((*batch, min(a.shape[-2:])), a.real.dtype)
    limit = np.finfo(a.dtype).eps * max(a.shape[-2:]) if rcond is None else rcond
    for place in np.ndindex(batch):
        x[place], _, rank[place], s[place] = np.linalg.lstsq(a[place], b[place], rcond=limit)
    return x, rank, s


@linalg_lstsq.joint
def _lstsq_rule(g: Any, _y: Any, a: Any, b: Any, *, needs: Any) -> Any:
    y = linalg_pinv(a)
    ga = None
    if needs[0]:
        ga = _pinv_rule(matmul(g[0], adjoint_(b)), y, a)
    return ga, matmul(adjoint_(y), g[0])


@composite(public="linalg")
def lstsq(A: Any, B: Any, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """The X that minimises |A @ X - B|: (solution, residuals, rank, singular_values)."""
    need_float("linalg.lstsq", A)
    drivers = (None, "gels", "gelsy", "gelsd", "gelss")
    if driver not in drivers:
        raise RuntimeError(
            "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss), "
            f"got {driver}"
        )
    m, n = A.shape[-2:]
    vector = A.ndim - 1 == B.ndim and tuple(B.shape) == tuple(A.shape[:-1])
    b = B.unsqueeze(-1) if vector else B
    if b.ndim < 2 or b.shape[-2] != m:
        raise RuntimeError(
            message(
                "torch.linalg.lstsq: input.size(-2) should match other.size(-2)",
                f"{tuple(A.shape)} and {tuple(B.shape)}",
            )
        )
    x, rank, s = linalg_lstsq(A, b, rcond=rcond)
    residuals = wrap(np.zeros(0, s._a.dtype))
    if m > n and driver != "gelsy" and bool((rank == n).all()):
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


@linalg_matrix_exp.vjp
def _matrix_exp_rule(g: Any, _y: Any, a: Any) -> Any:
    # the upper right block of exp [[a^H, g], [0, a^H]] is the derivative in direction g
    ah = adjoint_(a)
    n = a.shape[-1]
    top, low = cat(ah, g, dim=-1), cat(ah * 0.0, ah, dim=-1)
    return linalg_matrix_exp(cat(top, low, dim=-2))[..., :n, n:]


@composite(public="linalg torch Tensor")
def matrix_exp(A: Any) -> Any:
    """The matrix exponential: the sum of A^k / k!."""
    need_matrix("linalg.matrix_exp", A, square=True)
    return linalg_matrix_exp(A)


@composite(public="linalg torch Tensor")
def matrix_power(A: Any, n: int, *, out: Any = None) -> Any:
    """A multiplied with itself n times; the inverse's power for negative n."""
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        need_matrix(
            "linalg.matrix_power", A.double() if A._a.dtype.kind in "iub" else A, square=True
        )
    if n < 0:
        A, n = linalg_inv(A), -n
    if n == 0:
        eye = np.broadcast_to(np.eye(A.shape[-1], dtype=A._a.dtype), A.shape).copy()
        return finish("matrix_power", wrap(eye), out)
    result = None
    while n:
        if n & 1:
            result = A if result is None else matmul(result, A)
        n >>= 1
        if n:
            A = matmul(A, A)
    return finish("matrix_power", result if result is not A else A.clone(), out)


@composite(public="linalg")
def tensorinv(A: Any, ind: int = 2, *, out: Any = None) -> Any:
    """The inverse of A seen as a matrix from its dims after ind to those before."""
    if ind <= 0:
        raise RuntimeError("Expected a strictly positive integer for 'ind'")
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


@composite(public="linalg")
def tensorsolve(A: Any, B: Any, dims: Any = None, *, out: Any = None) -> Any:
    """The X with tensordot(A, X, X.ndim) = B."""
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


@composite(public="linalg")
def vander(x: Any, N: int | None = None) -> Any:
    """The powers x^0 ... x^(N-1) of each element, ascending, in a new last dim."""
    x = x.reshape((1,)) if x.ndim == 0 else x
    n = x.shape[-1] if N is None else N
    if n <= 1 and N is not None:
        raise RuntimeError("N must be greater than 1.")
    powers = [x * 0 + 1]
    while len(powers) < n:
        powers.append(powers[-1] * x)
    return cat(*[p[..., None] for p in powers], dim=-1)


@composite(public="torch", name="vander")
def _old_vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """The Vandermonde matrix of a vector, highest power first unless increasing."""
    n = x.shape[0] if N is None else N
    powers = [x * 0 + 1]
    while len(powers) < n:
        powers.append(powers[-1] * x)
    powers = powers[:n] if increasing else powers[:n][::-1]
    return cat(*[p[..., None] for p in powers], dim=-1) if n else x[:, None][:, :0]


@composite(public="linalg", name="matmul")
def _linalg_matmul(input: Any, other: Any, *, out: Any = None) -> Any:
    """The matrix product, as torch.matmul."""
    return matmul.public_function()(input, other, out=out)


@composite(public="linalg", name="diagonal")
def _linalg_diagonal(A: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """The diagonal of the last two dims, as a view."""
    return A.diagonal(offset, dim1, dim2)
