"""Factorizations by rows and columns: cholesky, qr, lu, ldl.

Forward: LAPACK through numpy.linalg (LU and LDL: `kernels/linalg/`). Backward: the formulas
that PyTorch uses. Eigenvalues and singular values are in `spectral.py`, systems in `solve.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd.door import wrap
from ...dtypes import type_name
from ...errors import LinAlgError, message
from ...kernels import dense
from ...kernels.linalg import ldl
from ...kernels.linalg import reference as kernels
from ...kernels.meta import MetaArray
from ..core.accepted import Accepted
from ..core.composite import composite
from ..core.record import op
from ..core.return_types import return_type
from ..core.samples import Case, case, regular, spd, values
from ..shape.views import cat
from .matmul import adjoint_, constant, finish, is_complex, matmul
from .norm import need_float
from .triangles import put_diagonal, take_diagonal, tril, triu

Qr = return_type("linalg_qr", ("Q", "R"))
OldQr = return_type("qr", ("Q", "R"))
CholeskyEx = return_type("linalg_cholesky_ex", ("L", "info"))
Lu = return_type("linalg_lu", ("P", "L", "U"))
LuFactor = return_type("linalg_lu_factor", ("LU", "pivots"))
LuFactorEx = return_type("linalg_lu_factor_ex", ("LU", "pivots", "info"))
LuUnpack = return_type("lu_unpack", ("P", "L", "U"))
Geqrf = return_type("geqrf", ("a", "tau"))
LdlFactor = return_type("linalg_ldl_factor", ("LD", "pivots"))
LdlFactorEx = return_type("linalg_ldl_factor_ex", ("LD", "pivots", "info"))


class separated:
    """A sample: matrices with well separated eigenvalues and singular values."""

    def __init__(self, shape: tuple[int, ...], kind: str = "general") -> None:
        self.shape, self.kind = shape, kind

    def make(self, rng: np.random.Generator) -> Any:
        m, n = self.shape[-2:]
        k = min(m, n)
        x = rng.normal(size=self.shape)
        u, _, vh = np.linalg.svd(x, full_matrices=False)
        s = np.arange(1, k + 1) + rng.uniform(0, 0.4, (*self.shape[:-2], k))
        if self.kind == "symmetric":
            return (u * s[..., None, :]) @ u.mT
        if self.kind == "real eigenvalues":
            mix = x + 3 * np.eye(n)
            return mix @ (s[..., None] * np.linalg.inv(mix))
        return (u * s[..., None, :]) @ vh


class matrices(Case):
    """A case of one `separated` stack of matrices."""

    __slots__ = ()

    def make(self, rng: np.random.Generator) -> Any:
        return [self.args[0].make(rng), *self.args[1:]], dict(self.kw)


def sample(*shape: int, kind: str = "general", **kw: Any) -> Case:
    """A case with separated matrices of this shape."""
    return matrices((separated(shape, kind),), kw)


def need_matrix(name: str, x: Any, square: bool = False) -> None:
    """Raise PyTorch's errors unless x is a stack of (square) matrices of floats."""
    need_float(name, x)
    if x.ndim < 2:
        raise RuntimeError(
            message(
                f"{name}: The input tensor A must have at least 2 dimensions.",
                f"shape {tuple(x.shape)}",
            )
        )
    if square and x.shape[-1] != x.shape[-2]:
        raise RuntimeError(
            message(
                f"{name}: A must be batches of square matrices, "
                f"but they are {x.shape[-2]} by {x.shape[-1]} matrices",
                f"shape {tuple(x.shape)}",
                "A.shape[-2] == A.shape[-1]",
                "torch.linalg.lstsq or torch.linalg.pinv for matrices that are not square",
            )
        )


def same_in_columns(a: Any, **_kw: Any) -> MetaArray:
    """A result of the operand's shape, column by column."""
    made: MetaArray = dense.in_columns(MetaArray(a.shape, a.dtype))
    return made


def same_shape(a: Any, **_kw: Any) -> MetaArray:
    """The shape rule of functions of a matrix."""
    return MetaArray(a.shape, a.dtype)


def first_bad(infos: Any) -> tuple[str, int]:
    """How PyTorch's messages name the first matrix of a stack with an info, and that info."""
    if not infos.ndim:
        return "", int(infos)
    k = int(np.flatnonzero(infos)[0]) if infos.any() else 0
    return f"(Batch element {k}): ", int(infos.reshape(-1)[k])


def column(v: Any) -> Any:
    """A vector as a column."""
    return v[..., :, None]


def row(v: Any) -> Any:
    """A vector as a row."""
    return v[..., None, :]


def real_type(x: Any) -> Any:
    """The dtype of the magnitudes of x."""
    return x.real.dtype


# -- Cholesky --------------------------------------------------------------------------------------


def leading_minor(a: Any) -> int:
    """The order of the first leading minor that is not positive, 0 if all are."""
    for k in range(1, a.shape[-1] + 1):
        try:
            np.linalg.cholesky(a[:k, :k])
        except np.linalg.LinAlgError:
            return k
    return 0


def positive_definite_infos(a: Any) -> Any:
    """leading_minor of each matrix."""
    out = np.zeros(a.shape[:-2], np.int32)
    for place in np.ndindex(a.shape[:-2]):
        out[place] = leading_minor(a[place])
    return out


@op(
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
        low = np.linalg.cholesky(adjoint_(a) if upper else a)
    except np.linalg.LinAlgError:
        infos = positive_definite_infos(adjoint_(a) if upper else a)
        place, order = first_bad(infos)
        raise LinAlgError(
            message(
                f"linalg.cholesky: {place}The factorization could not be completed "
                f"because the input is not positive-definite (the leading minor of order {order} "
                "is "
                "not positive-definite).",
                wanted="a symmetric matrix with positive eigenvalues",
                hint="A + 1e-6 * torch.eye(n), or torch.linalg.eigh",
            )
        ) from None
    return dense.in_columns(adjoint_(low) if upper else low)


linalg_cholesky.shape(same_in_columns)


@linalg_cholesky.vjp
def _cholesky_rule(g: Any, y: Any, _a: Any, *, upper: bool) -> Any:
    from .solve import linalg_solve_triangular as solve

    if upper:
        g, y = adjoint_(g), adjoint_(y)
    phi = tril(matmul(adjoint_(y), g))
    both = phi + adjoint_(tril(phi, diagonal=-1))
    # a real diagonal: an imaginary part of it moves nothing that stays Hermitian
    if is_complex(both):
        d = take_diagonal(phi)
        both = both - put_diagonal(d - d.real, rows=d.shape[-1], columns=d.shape[-1])
    left = solve(adjoint_(y), both, upper=True)
    return adjoint_(solve(adjoint_(y), adjoint_(left), upper=True)) * 0.5


@composite(accepts="floating complex: cholesky_cpu",
           public="linalg", smooth=False, samples=[case(spd(3)), case(spd(2, 3, 3), upper=True)])
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


@op(samples=[sample(4, 3)], low="keep", fresh=True, public="", node="CloneBackward0")
def in_columns(input: Any) -> Any:
    """A copy that lies column by column, of what is composed as LAPACK would compute it."""
    return dense.in_columns(input.copy())


in_columns.vjp(lambda g, _y, _x: g)
in_columns.shape(same_in_columns)

# -- QR --------------------------------------------------------------------------------------------


def qr_shape(a: Any, *, mode: Any = "reduced") -> tuple[MetaArray, ...]:
    """The shapes of Q and R."""
    *batch, m, n = a.shape
    k = m if mode == "complete" else min(m, n)
    q = (0,) if mode == "r" else (*batch, m, k)
    shapes = q, (*batch, k, n)
    return tuple(dense.in_columns(MetaArray(shape, a.dtype)) for shape in shapes)


def lu_shape(a: Any, *, pivot: bool = True) -> tuple[MetaArray, ...]:
    """The shapes of P, L and U."""
    *batch, m, n = a.shape
    k = min(m, n)
    return tuple(MetaArray((*batch, *s), a.dtype) for s in ((m, m), (m, k), (k, n)))


def packed_shape(a: Any, *, pivot: bool = True) -> tuple[MetaArray, ...]:
    """The shapes of packed L and U, of the pivots, and of what LAPACK says."""
    *batch, m, n = a.shape
    places = MetaArray((*batch, min(m, n)), np.int32)
    return same_in_columns(a), places, MetaArray(batch, np.int32)


@op(
    samples=[sample(4, 3), sample(3, 3), sample(2, 3, 5), sample(2, 4, 2)],
    public="",
    fresh=True,
    outputs=2,
)
def linalg_qr(a: Any, *, mode: Any = "reduced") -> Any:
    """a = Q @ R."""
    a = a + 0  # LAPACK takes -0.0 for a negative number
    if mode == "r":
        return np.zeros(0, a.dtype), dense.in_columns(np.linalg.qr(a, mode="r"))
    q, r = np.linalg.qr(a, mode=mode)
    return dense.in_columns(q), dense.in_columns(r)


linalg_qr.shape(qr_shape)


@linalg_qr.vjp
def _qr_rule(g: Any, y: Any, _a: Any, *, mode: str, shapes: Any) -> Any:
    from .solve import linalg_solve_triangular as solve

    m, n = shapes[0][-2:]
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. "
            "Please use linalg.qr(A, mode='reduced') if you are going to require the derivative"
        )
    if mode == "complete" and m > n:
        raise RuntimeError(
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols. "
            "Use mode='reduced'"
        )
    q, r = y
    gq, gr = g
    if gq is None:
        gq = q * 0.0
    if gr is None:
        gr = r * 0.0
    if m < n:
        # a = [x | z], r = [u | v] with v = q^H z: the gradient of v goes to z and to q
        z = matmul(q, r[..., :, m:])
        gz = matmul(q, gr[..., :, m:])
        gq = gq + matmul(z, adjoint_(gr[..., :, m:]))
        gx = _tall_qr(gq, gr[..., :, :m], q, r[..., :, :m], solve)
        return cat(gx, gz, dim=-1)
    return _tall_qr(gq, gr, q, r, solve)


def _tall_qr(gq: Any, gr: Any, q: Any, r: Any, solve: Any) -> Any:
    inner = triu(matmul(gr, adjoint_(r)) - matmul(adjoint_(q), gq))
    sym = inner + adjoint_(triu(inner, diagonal=1))
    if is_complex(sym):
        d = take_diagonal(inner)
        sym = sym - put_diagonal(d - d.real, rows=d.shape[-1], columns=d.shape[-1])
    # (gq + q sym) r^-H
    return adjoint_(solve(r, adjoint_(gq + matmul(q, sym)), upper=True))


@composite(
    public="linalg",
    ambiguous=True,
    smooth=False,
    samples=[case(regular(3)), case((4, 2)), case((2, 4), "complete")],
)
def qr(A: Any, mode: str = "reduced", *, out: Any = None) -> Any:
    """A = Q @ R: orthonormal columns in Q, R upper triangular.

    `A` (*, m, n); with k = min(m, n) the result is (*, m, k) and (*, k, n) for `mode="reduced"`,
    (*, m, m) and (*, m, n) for "complete"; "r" computes R alone, Q is empty. Signs are LAPACK's.
    Differentiable where the first k columns are independent.

    >>> A = torch.tensor([[3.0, 1.0], [4.0, 2.0]])
    >>> Q, R = torch.linalg.qr(A)
    >>> R
    tensor([[-5.0000, -2.2000],
            [ 0.0000,  0.4000]])
    >>> torch.allclose(Q @ R, A)
    True
    """
    need_matrix("linalg.qr", A)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', "
            "or 'complete'"
        )
    return finish("qr", Qr(linalg_qr(A, mode=mode)), out)


@composite(public="torch Tensor", name="qr", samples=[case((4, 2))])
def _old_qr(input: Any, some: bool = True, *, out: Any = None) -> Any:
    """A = Q @ R; the older form of `linalg.qr`, of which `some=False` is mode="complete".

    >>> A = torch.tensor([[3.0, 1.0], [4.0, 2.0]])
    >>> torch.qr(A).R
    tensor([[-5.0000, -2.2000],
            [ 0.0000,  0.4000]])
    """
    need_matrix("qr", input)
    return finish("qr", OldQr(linalg_qr(input, mode="reduced" if some else "complete")), out)


def _geqrf_shape(input: Any, **_: Any) -> Any:
    shape, dtype = tuple(input.shape), input._a.dtype
    reflections = dense.in_columns(MetaArray(shape, dtype))
    return Geqrf((reflections, MetaArray((*shape[:-2], min(shape[-2:])), dtype)))


@composite(accepts="wide complex: geqrf_cpu",
           shape=_geqrf_shape, samples=[case((4, 3))])
def geqrf(input: Any, *, out: Any = None) -> Any:
    """(a, tau): a QR decomposition in LAPACK's packed form.

    R is on and above the diagonal of `a` (*, m, n); below it are the vectors v of the reflections
    1 - tau v v^H whose product is Q: see `linalg.householder_product` and `ormqr`. No derivative.

    >>> x = torch.tensor([[3.0, 1.0], [4.0, 2.0]])
    >>> torch.geqrf(x)
    torch.return_types.geqrf(
    a=tensor([[-5.0000, -2.2000],
            [ 0.5000,  0.4000]]),
    tau=tensor([1.6000, 0.0000]))
    """
    need_matrix("geqrf", input)
    h, tau = np.linalg.qr(input._a + 0, mode="raw")  # LAPACK takes -0.0 for a negative number
    return finish("geqrf", Geqrf((wrap(dense.in_columns(h.mT)), wrap(tau))), out)


@composite(accepts="floating complex: orgqr_cpu",
           public="linalg", aliases="", samples=[case((4, 3), (3,))])
def householder_product(A: Any, tau: Any, *, out: Any = None) -> Any:
    """The first columns of the product of the reflections that `geqrf` returns: Q of a QR.

    `A` (*, m, n) with the vectors below its diagonal, `tau` (*, k); Q (*, m, n).

    >>> A = torch.tensor([[3.0, 1.0], [4.0, 2.0]])
    >>> torch.linalg.householder_product(*torch.geqrf(A))
    tensor([[-0.6000, -0.8000],
            [-0.8000,  0.6000]])
    """
    name = "torch.linalg.householder_product"
    if A.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    need_matrix(name, A)
    m, n = A.shape[-2:]
    if not tau.ndim:
        raise IndexError("Dimension specified as -1 but tensor has no dimensions")
    if tau._a.dtype != A._a.dtype:
        raise RuntimeError(
            message(
                f"{name}: tau dtype {type_name(tau.dtype)} does not match input dtype "
                f"{type_name(A.dtype)}",
                hint="tau.to(A.dtype)",
            )
        )
    if tau.shape[-1] > n:
        raise RuntimeError(
            f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]"
        )
    if m < n:
        raise RuntimeError(
            f"{name}: input.shape[-2] must be greater than or equal to "
            "input.shape[-1]"
        )
    if tau.ndim != A.ndim - 1:
        raise RuntimeError(
            f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal "
            f"to {tau.ndim} and input.ndim is equal to {A.ndim}"
        )
    q = wrap(np.eye(m, n, dtype=A._a.dtype)).expand((*A.shape[:-2], m, n))
    for i in range(tau.shape[-1] - 1, -1, -1):
        below = wrap((np.arange(m) > i).astype(A._a.dtype))
        head = wrap((np.arange(m) == i).astype(A._a.dtype))
        v = column(A[..., :, i] * below + head)
        q = q - tau[..., i, None, None] * matmul(v, matmul(adjoint_(v), q))
    return finish("householder_product", in_columns(q), out)


@composite(accepts="floating complex: orgqr_cpu",
           public="torch Tensor", samples=[case((4, 3), (3,))])
def orgqr(input: Any, input2: Any, *, out: Any = None) -> Any:
    """The first columns of a product of reflections: the older name of
    `linalg.householder_product`.

    >>> a, tau = torch.geqrf(torch.tensor([[3.0, 1.0], [4.0, 2.0]]))
    >>> torch.orgqr(a, tau)
    tensor([[-0.6000, -0.8000],
            [-0.8000,  0.6000]])
    """
    return householder_product(input, input2, out=out)


# -- LU --------------------------------------------------------------------------------------------


@op(
    samples=[sample(3, 3), sample(2, 4, 3), sample(3, 5)],
    public="",
    fresh=True,
    outputs=3,
    differentiable=(1, 2),
)
def linalg_lu(a: Any, *, pivot: bool = True) -> Any:
    """a = P @ L @ U."""
    packed, pivots, _ = kernels.lu_factor(a, pivot=pivot)
    return kernels.lu_unpack(packed, pivots)


linalg_lu.shape(lu_shape)


def _lu_gradient(p: Any, low: Any, up: Any, gl: Any, gu: Any) -> Any:
    """The gradient of a = P L U from those of L and U (either may be None)."""
    from .solve import linalg_solve_triangular as solve

    m, n = low.shape[-2], up.shape[-1]
    k = min(m, n)
    gl = low * 0.0 if gl is None else gl
    gu = up * 0.0 if gu is None else gu
    low1, up1 = low[..., :k, :], up[..., :, :k]
    gl1, gu1 = gl[..., :k, :], gu[..., :, :k]
    more = None
    if n > k:  # the columns on the right are L^-1 P^T a2
        more = solve(adjoint_(low1), gu[..., :, k:], upper=True, unit=True)
        gl1 = gl1 - matmul(more, adjoint_(up[..., :, k:]))
    if m > k:  # the rows below are a2 U^-1
        low2 = low[..., k:, :]
        more = adjoint_(solve(up1, adjoint_(gl[..., k:, :]), upper=True))
        gu1 = gu1 - matmul(adjoint_(low2), more)
    phi = tril(matmul(adjoint_(low1), gl1), diagonal=-1) + triu(matmul(gu1, adjoint_(up1)))
    inner = adjoint_(solve(up1, adjoint_(phi), upper=True))
    square = solve(adjoint_(low1), inner, upper=True, unit=True)
    if more is not None:
        square = cat(square, more, dim=-1 if n > k else -2)
    return matmul(p, square)


@linalg_lu.vjp
def _lu_rule(g: Any, y: Any, _a: Any) -> Any:
    return _lu_gradient(y[0], y[1], y[2], g[1], g[2])


@op(
    samples=[sample(3, 3), sample(2, 4, 3), sample(3, 5)],
    public="",
    fresh=True,
    outputs=3,
    differentiable=(0,),
)
def linalg_lu_factor(a: Any, *, pivot: bool = True) -> Any:
    """LU in LAPACK's packed form, pivots, info."""
    packed, pivots, info = kernels.lu_factor(a, pivot=pivot)
    return dense.in_columns(packed), pivots, info


linalg_lu_factor.shape(packed_shape)


@linalg_lu_factor.vjp
def _lu_factor_rule(g: Any, y: Any, _a: Any) -> Any:
    packed, pivots, _ = y
    m, n = packed.shape[-2:]
    k = min(m, n)
    low = tril(packed[..., :, :k], diagonal=-1) + constant(np.eye(m, k), packed)
    order = kernels.permutation(pivots if isinstance(pivots, np.ndarray) else pivots._a, m)
    p = constant(np.swapaxes(np.eye(m)[order], -1, -2), packed)
    gl = tril(g[0][..., :, :k], diagonal=-1)
    return _lu_gradient(p, low, triu(packed[..., :k, :]), gl, triu(g[0][..., :k, :]))


@composite(accepts="floating complex: lu_cpu",
           public="linalg", samples=[case(regular(3))])
def lu(A: Any, *, pivot: bool = True, out: Any = None) -> Any:
    """A = P @ L @ U: a permutation, a lower triangular matrix with ones on the diagonal, an upper
    one.

    `A` (*, m, n), with k = min(m, n) L is (*, m, k) and U (*, k, n). Rows are exchanged for the
    largest pivot; `pivot=False` exchanges none (PyTorch has that on CUDA alone).

    >>> A = torch.tensor([[1.0, 2.0], [4.0, 4.0]])
    >>> P, L, U = torch.linalg.lu(A)
    >>> L
    tensor([[1.0000, 0.0000],
            [0.2500, 1.0000]])
    >>> U
    tensor([[4., 4.],
            [0., 1.]])
    """
    need_matrix("linalg.lu", A)
    return finish("lu", Lu(linalg_lu(A, pivot=pivot)), out)


@composite(accepts="floating complex: lu_cpu",
           public="linalg", samples=[case(regular(3))])
def lu_factor_ex(A: Any, *, pivot: bool = True, check_errors: bool = False, out: Any = None) -> Any:
    """(LU, pivots, info): `lu_factor`, which tells instead of raising.

    `info` is 0, or the place of the first pivot that is zero, counted from 1; with
    `check_errors=True` it raises after all.

    >>> torch.linalg.lu_factor_ex(torch.zeros(2, 2)).info
    tensor(1, dtype=torch.int32)
    """
    need_matrix("linalg.lu_factor_ex", A)
    result = LuFactorEx(linalg_lu_factor(A, pivot=pivot))
    if check_errors:
        check_pivots("linalg.lu_factor_ex", result[2]._a)
    return finish("lu_factor_ex", result, out)


def check_pivots(name: str, infos: Any) -> None:
    """Raise LinAlgError if a factorization met a zero pivot."""
    if not infos.any():
        return
    place, k = first_bad(infos)
    raise LinAlgError(
        message(
            f"{name}: {place}U[{k},{k}] is zero and "
            "using it on lu_solve would result in a division by zero.",
            hint="torch.linalg.lu_factor_ex(A), which reports info instead",
        )
    )


@composite(accepts="floating complex: lu_cpu",
           public="linalg", samples=[case(regular(3))])
def lu_factor(A: Any, *, pivot: bool = True, out: Any = None) -> Any:
    """(LU, pivots) of matrices (*, m, n) in LAPACK's packed form, for `linalg.lu_solve`.

    U is on and above the diagonal of LU, L without its ones below; row i was exchanged with row
    pivots[i], counted from 1 (int32). LinAlgError if a pivot is zero.

    >>> A = torch.tensor([[1.0, 2.0], [4.0, 4.0]])
    >>> torch.linalg.lu_factor(A)
    torch.return_types.linalg_lu_factor(
    LU=tensor([[4.0000, 4.0000],
            [0.2500, 1.0000]]),
    pivots=tensor([2, 2], dtype=torch.int32))
    """
    need_matrix("linalg.lu_factor", A)
    packed, pivots, infos = linalg_lu_factor(A, pivot=pivot)
    if infos.device.type != "meta":
        check_pivots("linalg.lu_factor", infos._a)
    return finish("lu_factor", LuFactor((packed, pivots)), out)


@composite(loose="get_infos", public="torch Tensor", name="lu", samples=[case(regular(3))])
def _old_lu(A: Any, pivot: bool = True, get_infos: bool = False, out: Any = None) -> Any:
    """(LU, pivots), with `get_infos=True` (LU, pivots, info): the older form of `linalg.lu_factor`.

    >>> A = torch.tensor([[1.0, 2.0], [4.0, 4.0]])
    >>> LU, pivots = torch.lu(A)
    >>> LU
    tensor([[4.0000, 4.0000],
            [0.2500, 1.0000]])
    """
    if A.ndim < 2:
        need_matrix("torch.lu_factor", A)
    LU.check_array(A._a.dtype)
    packed, pivots, infos = linalg_lu_factor(A, pivot=pivot)
    parts = (packed, pivots, infos) if get_infos else (packed, pivots)
    return finish("lu", parts, out)


LU = Accepted("floating complex: lu_cpu")  # looked at after the dimensions


def _unpacked_shape(
    LU_data: Any, LU_pivots: Any, unpack_data: bool = True, unpack_pivots: bool = True, **_: Any
) -> Any:
    *batch, m, n = LU_data.shape
    k, dtype = min(m, n), LU_data._a.dtype
    none = MetaArray((0,), dtype)
    p = MetaArray((*batch, m, m), dtype) if unpack_pivots else none
    if not unpack_data:
        return LuUnpack((p, none, none))
    return LuUnpack((p, MetaArray((*batch, m, k), dtype), MetaArray((*batch, k, n), dtype)))


@composite(
    shape=_unpacked_shape,
    public="torch",
    samples=[case(regular(3), values([1, 2, 3], "int32"))],
)
def lu_unpack(
    LU_data: Any,
    LU_pivots: Any,
    unpack_data: bool = True,
    unpack_pivots: bool = True,
    *,
    out: Any = None,
) -> Any:
    """(P, L, U) of what `linalg.lu_factor` returns: A = P @ L @ U.

    With `unpack_data=False` L and U are empty, with `unpack_pivots=False` P.

    >>> A = torch.tensor([[1.0, 2.0], [4.0, 4.0]])
    >>> P, L, U = torch.lu_unpack(*torch.linalg.lu_factor(A))
    >>> P
    tensor([[0., 1.],
            [1., 0.]])
    """
    if LU_data.ndim < 2:
        raise RuntimeError(
            message(
                "torch.lu_unpack: Expected tensor with 2 or more dimensions. Got size: "
                f"{list(LU_data.shape)} instead"
            )
        )
    m, n = LU_data.shape[-2:]
    k = min(m, n)
    places = LU_pivots._a
    if unpack_pivots and not places.ndim:
        raise RuntimeError(
            message(
                "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive.Did you "
                "properly pass the result of lu_factor?",
                "a 0-d tensor",
                f"LU_pivots of shape {tuple(LU_data.shape[:-2])} + ({k},)",
            )
        )
    if unpack_pivots and places.dtype != np.int32:
        raise RuntimeError(
            message(
                "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 "
                "dtype.",
                str(LU_pivots.dtype),
                hint="LU_pivots.int()",
            )
        )
    if unpack_pivots and places.size and (places.min() < 1 or places.max() > m):
        raise RuntimeError(
            message(
                "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive.Did you "
                "properly pass the result of lu_factor?",
                f"{places.min()} to {places.max()}",
                f"1 to {m}",
            )
        )
    empty = wrap(np.zeros(0, LU_data._a.dtype))
    p, low, up = empty, empty, empty
    if unpack_pivots:
        order = kernels.permutation(LU_pivots._a, m)
        p = constant(np.ascontiguousarray(np.swapaxes(np.eye(m)[order], -1, -2)), LU_data)
    if unpack_data:
        low = tril(LU_data[..., :, :k], diagonal=-1) + constant(np.eye(m, k), LU_data)
        up = triu(LU_data[..., :k, :])
    return finish("lu_unpack", LuUnpack((p, low, up)), out)


# -- LDL -------------------------------------------------------------------------------------------


def _ldl_shape(a: Any, *, hermitian: bool = False) -> tuple[MetaArray, ...]:
    batch = a.shape[:-2]
    places = MetaArray(a.shape[:-1], np.int32)
    return MetaArray(a.shape, a.dtype), places, MetaArray(batch, np.int32)


@op(
    samples=[sample(3, 3, kind="symmetric")],
    public="",
    fresh=True,
    smooth=False,
    outputs=3,
    differentiable=(0,),
)
def linalg_ldl_factor(a: Any, *, hermitian: bool = False) -> Any:
    """LD in LAPACK's packed form, pivots, info; the lower triangle of a is read."""
    return ldl.factor(a, hermitian)


linalg_ldl_factor.shape(_ldl_shape)
linalg_ldl_factor.vjp(None)  # as in PyTorch: asking for it says that there is none


@composite(public="linalg", smooth=False, samples=[case(regular(3))])
def ldl_factor_ex(
    A: Any, *, hermitian: bool = False, check_errors: bool = False, out: Any = None
) -> Any:
    """(LD, pivots, info): `ldl_factor`, which tells instead of raising.

    `info` is 0, or the place of the first zero on the diagonal of D, counted from 1; with
    `check_errors=True` it raises after all. `hermitian` as of `ldl_factor`.

    >>> torch.linalg.ldl_factor_ex(torch.eye(2)).info
    tensor(0, dtype=torch.int32)
    """
    return finish("ldl_factor_ex", _ldl("ldl_factor_ex", A, hermitian, check_errors), out)


def _ldl(name: str, A: Any, hermitian: bool, check_errors: bool) -> Any:
    need_matrix("torch.linalg.ldl_factor_ex", A, square=True)
    result = LdlFactorEx(linalg_ldl_factor(A, hermitian=hermitian))
    info = result[2]
    if check_errors and info.device.type != "meta" and info._a.any():
        raise RuntimeError(
            message(
                f"torch.linalg.{name}: D[{int(info._a.max())},{int(info._a.max())}] is zero",
                "a singular matrix",
                hint="torch.linalg.ldl_factor_ex(A), which reports info instead",
            )
        )
    return result


@composite(public="linalg", smooth=False, samples=[case(regular(3))])
def ldl_factor(A: Any, *, hermitian: bool = False, out: Any = None) -> Any:
    """(LD, pivots) of a symmetric (or Hermitian) indefinite A, for `linalg.ldl_solve`.

    A = P @ L @ D @ L^T @ P^T, in LAPACK's packed form: L has ones on its diagonal, D blocks of
    1 x 1 and 2 x 2. `A` (*, n, n), of which the lower triangle is read; `hermitian`: L^H in place
    of L^T. RuntimeError if D is singular.

    >>> LD, pivots = torch.linalg.ldl_factor(torch.tensor([[0.0, 2.0], [2.0, 0.0]]))
    >>> torch.linalg.ldl_solve(LD, pivots, torch.tensor([[2.0], [4.0]])).mT
    tensor([[2., 1.]])
    """
    LD, pivots, _ = _ldl("ldl_factor", A, hermitian, check_errors=True)
    return finish("ldl_factor", LdlFactor((LD, pivots)), out)
