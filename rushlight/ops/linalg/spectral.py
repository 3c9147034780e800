"""Eigenvalues and singular values: eig, eigh, svd, and what follows from them (rank, condition
number).

Forward: LAPACK through numpy.linalg. Backward: the formulas that PyTorch uses, which divide only by
differences of eigenvalues or of squared singular values. Other factorizations: `cholesky.py`,
`qr.py`, `lu.py`, `ldl.py`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...autograd import door, forward_ad, views
from ...autograd.door import wrap
from ...autograd.node import TensorBase
from ...errors import LinAlgError, message
from ...kernels import dense
from ...kernels.meta import MetaArray
from ..core.composite import composite
from ..core.record import op
from ..core.return_types import return_type
from ..core.samples import case, regular, spd
from ..core.shapes import real_of
from ..elementwise.formulas import where
from .matmul import matmul
from .matrices import column, need_matrix, row, same_in_columns, sample
from .operands import adjoint_, constant, finish, is_complex
from .triangles import put_diagonal, take_diagonal

Eig = return_type("linalg_eig", ("eigenvalues", "eigenvectors"))
Eigh = return_type("linalg_eigh", ("eigenvalues", "eigenvectors"))
Svd = return_type("linalg_svd", ("U", "S", "Vh"))
OldSvd = return_type("svd", ("U", "S", "V"))


# -- eigenvalues -----------------------------------------------------------------------------------


def differences(v: Any) -> Any:
    """v_j - v_i with ones on the diagonal, a safe denominator there."""
    n = v.shape[-1]
    return row(v) - column(v) + constant(np.eye(n), v)


def off_diagonal(x: Any) -> Any:
    """x with a zero diagonal."""
    return x * constant(1 - np.eye(x.shape[-1]), x)


def eig_shape(a: Any, *, finite: bool = True) -> tuple[MetaArray, MetaArray]:
    """The shapes of eigenvalues and eigenvectors, which are complex."""
    kind = np.result_type(a.dtype, np.complex64)
    return MetaArray(a.shape[:-1], kind), dense.in_columns(MetaArray(a.shape, kind))


def svd_shape(a: Any, *, full_matrices: bool = False) -> tuple[MetaArray, ...]:
    """The shapes of U, S and Vh."""
    *batch, m, n = a.shape
    k = min(m, n)
    u, v = (m, n) if full_matrices else (k, k)
    values = MetaArray((*batch, k), real_of(a.dtype))
    left, right = (MetaArray((*batch, *s), a.dtype) for s in ((m, u), (v, n)))
    return dense.in_columns(left), values, dense.in_columns(right)


@op(
    autocast="float32",
    samples=[sample(3, 3, kind="symmetric"), sample(2, 4, 4, kind="symmetric", uplo="U")],
    public="",
    fresh=True,
    smooth=False,  # the gradient is the symmetric one, a difference in one element is not
    outputs=2,
    node="LinalgEighBackward0",
)
def linalg_eigh(a: Any, *, uplo: Any = "L") -> Any:
    """Eigenvalues (ascending) and eigenvectors of Hermitian matrices."""
    if a.size == 0:
        return np.zeros(a.shape[:-1], a.real.dtype), a.copy()
    try:
        values, vectors = np.linalg.eigh(a, UPLO=uplo)
    except np.linalg.LinAlgError as failed:
        raise LinAlgError(f"linalg.eigh: The algorithm failed to converge ({failed})") from None
    return dense.batch_in_rows(values), dense.in_columns(vectors)


linalg_eigh.shape(
    lambda a, *, uplo="L": (MetaArray(a.shape[:-1], real_of(a.dtype)), same_in_columns(a))
)


def refuse_phases(name: str, what: str, turned: Any) -> None:
    """Raise PyTorch's error where a loss depends on the phases of complex vectors, which nobody
    has fixed: along them its derivative is the imaginary part of these numbers.
    """
    a = turned._a if isinstance(turned, TensorBase) else turned
    if a.__class__ is np.ndarray and not np.allclose(a.imag, 0, rtol=1e-2, atol=1e-2):
        raise RuntimeError(
            message(
                f"{name}: The {what} in the complex case are specified up to multiplication by "
                "e^{i phi}. The specified loss function depends on this quantity, so it is "
                "ill-defined.",
                hint="a loss of what has no phase: v.abs(), or v @ v.mH",
            )
        )


@linalg_eigh.vjp
def _eigh_rule(g: Any, y: Any, _a: Any) -> Any:
    values, v = y
    gl, gv = g
    vh = adjoint_(v)
    if gv is None:
        return matmul(v * row(gl), vh)
    inner = matmul(vh, gv)
    if is_complex(v):
        refuse_phases("linalg_eigh_backward", "eigenvectors", take_diagonal(inner))
    inner = off_diagonal((inner - adjoint_(inner)) * 0.5) / differences(values)
    if gl is not None:
        inner = inner + put_diagonal(gl, rows=gl.shape[-1], columns=gl.shape[-1])
    return matmul(matmul(v, inner), vh)


@composite(accepts="floating complex: linalg_eigh_cpu",
           public="linalg", smooth=False, samples=[case(spd(3))])
def eigh(A: Any, UPLO: str = "L", *, out: Any = None) -> Any:
    """(eigenvalues, eigenvectors) of Hermitian matrices (*, n, n): A = V @ diag(w) @ V^H.

    The eigenvalues w (*, n) ascend; the columns of V (*, n, n) are orthonormal. Only the lower
    triangle is read, with `UPLO="U"` the upper one. Signs (phases) of eigenvectors are LAPACK's
    choice; their gradient is not finite where eigenvalues are equal.

    >>> torch.linalg.eigh(torch.tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([1., 2.])
    """
    need_matrix("linalg.eigh", A, square=True)
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    return finish("eigh", Eigh(linalg_eigh(A, uplo=UPLO.upper())), out)


@composite(accepts="floating complex: linalg_eigh_cpu",
           public="linalg", smooth=False, samples=[case(spd(3))])
def eigvalsh(A: Any, UPLO: str = "L", *, out: Any = None) -> Any:
    """The eigenvalues (*, n) of symmetric or Hermitian matrices (*, n, n), ascending.

    Only the lower triangle is read, with `UPLO="U"` the upper one.

    >>> A = torch.tensor([[2.0, 1.0], [1.0, 2.0]])
    >>> torch.linalg.eigvalsh(A)
    tensor([1., 3.])
    """
    return finish("eigvalsh", eigh(A, UPLO)[0], out)


@op(
    autocast="float32",
    samples=[sample(3, 3, kind="real eigenvalues")],
    public="",
    fresh=True,
    outputs=2,
    smooth=False,
)
def linalg_eig(a: Any, *, finite: bool = True) -> Any:
    """Eigenvalues and eigenvectors of general matrices, always complex.

    A matrix that is not finite is refused, or has NaN for them where it need not be finite.
    """
    kind = np.result_type(a.dtype, np.complex64)
    wrong = ~np.isfinite(a).all(axis=(-2, -1))
    if wrong.any():
        if finite:
            raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")
        a = np.where(wrong[..., None, None], a.dtype.type(0), a)  # LAPACK may go on for ever
    values, vectors = np.linalg.eig(a)
    values, vectors = values.astype(kind, copy=False), vectors.astype(kind, copy=False)
    if wrong.any():
        values, vectors = np.array(values), np.array(vectors)
        values[wrong] = vectors[wrong] = complex(np.nan, np.nan)
    return dense.batch_in_rows(values), dense.in_columns(vectors)


linalg_eig.shape(eig_shape)


@linalg_eig.vjp
def _eig_rule(g: Any, y: Any, a: Any) -> Any:
    from .solve import linalg_solve

    values, v = y
    gl, gv = g
    vh = adjoint_(v)
    if gv is None:
        inner = put_diagonal(gl, rows=gl.shape[-1], columns=gl.shape[-1])
    else:
        vg = matmul(vh, gv)
        refuse_phases("linalg_eig_backward", "eigenvectors", take_diagonal(vg))
        # eigenvectors have norm 1: what would change the norm is taken out
        inner = vg - matmul(vh, v) * row(take_diagonal(vg).real)
        inner = off_diagonal(inner) / differences(values.conj())
        if gl is not None:
            inner = inner + put_diagonal(gl, rows=gl.shape[-1], columns=gl.shape[-1])
    out = linalg_solve(vh, matmul(inner, vh))
    return out if is_complex(a) else out.real


@composite(public="linalg", ambiguous=True, smooth=False, samples=[case(regular(3))])
def eig(A: Any, *, out: Any = None) -> Any:
    """Eigenvalues (*, n) and eigenvectors (*, n, n) of square matrices, always complex.

    A @ V = V @ diag(w); the columns of V have norm 1. For symmetric matrices `eigh` is faster and
    real.

    >>> A = torch.tensor([[0.0, -1.0], [1.0, 0.0]])
    >>> torch.linalg.eig(A).eigenvalues
    tensor([0.+1.j, 0.-1.j])
    """
    need_matrix("linalg.eig", A, square=True)
    return finish("eig", Eig(linalg_eig(A)), out)


@composite(public="linalg", ambiguous=True, samples=[case(regular(3))])
def eigvals(A: Any, *, out: Any = None) -> Any:
    """The eigenvalues (*, n) of square matrices (*, n, n), always complex.

    >>> A = torch.tensor([[0.0, -1.0], [1.0, 0.0]])
    >>> torch.linalg.eigvals(A)
    tensor([0.+1.j, 0.-1.j])
    """
    need_matrix("linalg.eigvals", A, square=True)
    derived = door.state.enabled and views.needs_grad((A,))
    finite = bool(derived or forward_ad.tangent_of(A) is not None)
    return finish("eigvals", linalg_eig(A, finite=finite)[0], out)


# -- singular values -------------------------------------------------------------------------------


@op(
    autocast="float32",
    samples=[sample(3, 3), sample(4, 3), sample(2, 3, 4)],
    public="",
    fresh=True,
    outputs=3,
)
def linalg_svd(a: Any, *, full_matrices: bool = False) -> Any:
    """a = U @ diag(S) @ Vh."""
    if 0 in a.shape[-2:]:
        m, n = a.shape[-2:]
        k = min(m, n)
        sides = (m, n) if full_matrices else (k, k)
        u = np.broadcast_to(np.eye(m, sides[0], dtype=a.dtype), (*a.shape[:-2], m, sides[0]))
        vh = np.broadcast_to(np.eye(sides[1], n, dtype=a.dtype), (*a.shape[:-2], sides[1], n))
        s = np.zeros((*a.shape[:-2], k), a.real.dtype)
        return dense.in_columns(u.copy()), s, dense.in_columns(vh.copy())
    wrong = np.isnan(a).any(axis=(-2, -1))
    if wrong.any():
        where = f"(Batch element {int(np.argmax(wrong))}): " if a.ndim > 2 else ""
        raise LinAlgError(
            f"linalg.svd: {where}The algorithm failed to converge because the input matrix "
            "contained non-finite values."
        )
    infinite = np.isinf(a).any(axis=(-2, -1))
    if infinite.any():  # with which LAPACK may go on for ever
        a = np.where(infinite[..., None, None], a.dtype.type(0), a)
    try:
        u, s, vh = np.linalg.svd(a, full_matrices=full_matrices)
    except np.linalg.LinAlgError as failed:
        raise LinAlgError(
            f"linalg.svd: The algorithm failed to converge because the input matrix is "
            f"ill-conditioned or has too many repeated singular values. ({failed})"
        ) from None
    if infinite.any():
        u, s, vh = np.array(u), np.array(s), np.array(vh)
        u[infinite] = s[infinite] = vh[infinite] = np.nan
    return dense.in_columns(u), dense.batch_in_rows(s), dense.in_columns(vh)


linalg_svd.shape(svd_shape)


@linalg_svd.vjp
def _svd_rule(g: Any, y: Any, _a: Any, *, shapes: Any) -> Any:
    m, n = shapes[0][-2:]
    k = min(m, n)
    u, s, vh = y
    gu, gs, gvh = g
    u, vh = u[..., :, :k], vh[..., :k, :]  # of full matrices the first k columns have a gradient
    if gu is None and gvh is None:
        return matmul(u * row(gs), vh)
    s = s + 0 * s
    uh, v = adjoint_(u), adjoint_(vh)
    squares = row(s * s) - column(s * s) + constant(np.eye(k), s)
    inner = turned = None
    if gu is not None:
        gu = gu[..., :, :k]
        skew = turned = matmul(uh, gu)
        skew = skew - adjoint_(skew)
        inner = off_diagonal(skew) / squares * row(s)
        if is_complex(skew):
            inner = inner + put_diagonal(take_diagonal(skew) / (2 * s), rows=k, columns=k)
    if gvh is not None:
        gvh = gvh[..., :k, :]
        skew = matmul(vh, adjoint_(gvh))
        turned = skew if turned is None else turned + skew
        skew = skew - adjoint_(skew)
        part = column(s) * (off_diagonal(skew) / squares)
        inner = part if inner is None else inner + part
    if is_complex(u):
        refuse_phases("svd_backward", "singular vectors", take_diagonal(turned))
    if gs is not None:
        inner = inner + put_diagonal(gs, rows=k, columns=k)
    if m > k and gu is not None:
        left = gu - matmul(u, matmul(uh, gu))
        out = matmul(matmul(u, inner) + left / row(s), vh)
    else:
        out = matmul(matmul(u, inner), vh)
    if n > k and gvh is not None:
        right = gvh - matmul(matmul(gvh, v), vh)
        out = out + matmul(u / row(s), right)
    return out


@composite(
    public="linalg",
    ambiguous=True,
    smooth=False,
    samples=[case((3, 4)), case((4, 3), False)],
)
def svd(A: Any, full_matrices: bool = True, *, driver: str | None = None, out: Any = None) -> Any:
    """A = U @ diag(S) @ Vh, with the singular values S in descending order.

    `A` (*, m, n), with k = min(m, n) S is (*, k); U (*, m, m) and Vh (*, n, n), or with
    `full_matrices=False` (*, m, k) and (*, k, n). The gradient of U and Vh is finite only where the
    singular values differ. `driver` is CUDA's.

    >>> A = torch.tensor([[3.0, 0.0], [0.0, -4.0], [0.0, 0.0]])
    >>> U, S, Vh = torch.linalg.svd(A, full_matrices=False)
    >>> S
    tensor([4., 3.])
    >>> torch.allclose(U @ torch.diag(S) @ Vh, A)
    True
    """
    need_matrix("linalg.svd", A)
    return finish("svd", Svd(linalg_svd(A, full_matrices=full_matrices)), out)


@composite(public="linalg", samples=[case((3, 4))])
def svdvals(A: Any, *, driver: str | None = None, out: Any = None) -> Any:
    """The singular values (*, min(m, n)) of matrices (*, m, n), in descending order.

    >>> A = torch.tensor([[3.0, 0.0], [0.0, -4.0]])
    >>> torch.linalg.svdvals(A)
    tensor([4., 3.])
    """
    need_matrix("linalg.svdvals", A)
    return finish("svdvals", linalg_svd(A, full_matrices=False)[1], out)


@composite(public="torch Tensor", name="svd", ambiguous=True, smooth=False, samples=[case((4, 3))])
def _old_svd(input: Any, some: bool = True, compute_uv: bool = True, *, out: Any = None) -> Any:
    """(U, S, V) with input = U @ diag(S) @ V^H: the older form of `linalg.svd`.

    `some=True` is full_matrices=False; V, not its conjugate transpose, is returned. With
    `compute_uv=False` U and V are zeros.

    >>> A = torch.tensor([[3.0, 0.0], [0.0, -4.0]])
    >>> torch.svd(A).S
    tensor([4., 3.])
    """
    need_matrix("svd", input)
    u, s, vh = linalg_svd(input, full_matrices=not some)
    if not compute_uv:
        m, n = input.shape[-2:]
        u, vh = (wrap(np.zeros((*input.shape[:-2], k, k), input._a.dtype)) for k in (m, n))
    return finish("svd", OldSvd((u, s, adjoint_(vh))), out)


def rank_tolerance(a: Any, s: Any, atol: Any, rtol: Any) -> Any:
    """The threshold below which singular values (or |eigenvalues|) count as zero."""
    atol, rtol = (t._a if hasattr(t, "_a") else t for t in (atol, rtol))
    if rtol is None:
        eps = np.finfo(a.dtype).eps
        rtol = 0.0 if atol is not None and np.any(np.asarray(atol) > 0) else eps * max(a.shape[-2:])
    top = s.max(axis=-1, initial=0)
    return np.maximum(np.asarray(0 if atol is None else atol), np.asarray(rtol) * top)


@composite(
    autocast="float32",
    shape=lambda A,
    *_,
    **kw: MetaArray(A.shape[:-2], np.int64),
    public="linalg",
    accepts="wide complex: This function doesn't handle types other than float and double",
    samples=[case((3, 4)), case(spd(3), hermitian=True)],
)
def matrix_rank(
    A: Any,
    tol: Any = None,
    hermitian: bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
    out: Any = None,
) -> Any:
    """The number of singular values of matrices (*, m, n) that are not zero, int64.

    Those above max(atol, rtol * the largest) count; `rtol` is max(m, n) * eps by default, or 0 if
    `atol` is given. `hermitian=True`: by eigenvalues. `tol` is an older name of `atol`.

    >>> A = torch.tensor([[1.0, 2.0], [2.0, 4.0]])
    >>> torch.linalg.matrix_rank(A)
    tensor(1)
    """
    if A.ndim > 1 and not A.numel():
        return finish("matrix_rank", wrap(np.zeros(A.shape[:-2], np.int64)), out)
    need_matrix("linalg.matrix_rank", A, square=hermitian)
    a = door.resolved(A._a)
    s = np.abs(dense.batch_in_rows(np.linalg.eigvalsh(a))) if hermitian else linalg_svd.fn(a)[1]
    limit = rank_tolerance(a, s, atol, rtol)
    if tol is not None:
        limit = np.asarray(door.resolved(tol._a) if hasattr(tol, "_a") else tol)
    rank = (s > limit[..., None]).sum(axis=-1)
    return finish("matrix_rank", wrap(np.asarray(rank, np.int64)), out)


def infinite_norms(A: Any) -> Any:
    """The nuclear norms of matrices of which some are infinite: infinity, without asking LAPACK."""
    from .norm import matrix_norm

    infinite = A.isinf().any(-1).any(-1)
    return where(infinite, math.inf, matrix_norm(A.nan_to_num(0, 0, 0), "nuc"))


@composite(public="linalg", samples=[case(regular(3)), case(regular(3), 1)])
def cond(A: Any, p: Any = None, *, out: Any = None) -> Any:
    """The condition number of matrices (*, n, n): the norm of A times the norm of its inverse.

    `p` as `ord` of `linalg.matrix_norm`; without it, and for 2 and -2, from the singular values,
    for matrices of any shape.

    >>> A = torch.tensor([[4.0, 0.0], [0.0, 2.0]])
    >>> torch.linalg.cond(A)
    tensor(2.)
    """
    from .inverse import linalg_inv_quiet
    from .norm import matrix_norm

    if p not in (None, 1, -1, 2, -2, math.inf, -math.inf, "fro", "nuc"):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    if isinstance(p, str):
        need_matrix(f"linalg.cond(ord={p})", A, square=True)
    if A.ndim > 1 and not A.numel():  # of whatever type
        return finish("cond", A.real.new_zeros(A.shape[:-2]), out)
    need_matrix("linalg.cond", A, square=p not in (None, 2, -2))
    if p in (None, 2, -2):
        s = linalg_svd(A)[1]
        if s.shape[-1] == 0:
            y = s.sum(-1)
        else:
            y = s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    else:
        inverse = linalg_inv_quiet(A)
        if p == "nuc" and inverse._a.__class__ is np.ndarray and np.isinf(inverse._a).any():
            turned = infinite_norms(inverse)
        else:
            turned = matrix_norm(inverse, p)
        y = matrix_norm(A, p) * turned
        if A.shape[-1] and y._a.__class__ is not MetaArray and np.isinf(turned._a).any():
            y = where(turned == math.inf, turned, y)  # singular, though the norm may be 0
    return finish("cond", y, out)
