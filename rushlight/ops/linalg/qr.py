"""QR, and the reflections that it is made of: geqrf, householder_product.

Forward: LAPACK through numpy.linalg. Backward: the formulas that PyTorch uses. Not here: products
with Q that is not formed (ormqr in `covariance.py`), singular values (`spectral.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd.door import wrap
from ...autograd.unwritten import without_derivative
from ...dtypes import type_name
from ...errors import message
from ...kernels import dense
from ...kernels.meta import MetaArray
from ..core.composite import composite
from ..core.derivative import written_conj
from ..core.record import op
from ..core.return_types import return_type
from ..core.samples import case, regular
from ..elementwise.arithmetic import where
from ..shape.views import cat
from .matmul import matmul
from .matrices import column, in_columns, need_matrix, sample
from .operands import adjoint_, finish, is_complex
from .solve_triangular import linalg_solve_triangular
from .triangles import put_diagonal, take_diagonal, triu

Qr = return_type("linalg_qr", ("Q", "R"))
OldQr = return_type("qr", ("Q", "R"))
Geqrf = return_type("geqrf", ("a", "tau"))


def qr_shape(a: Any, *, mode: Any = "reduced") -> tuple[MetaArray, ...]:
    """The shapes of Q and R."""
    *batch, m, n = a.shape
    k = m if mode == "complete" else min(m, n)
    q = (0,) if mode == "r" else (*batch, m, k)
    shapes = q, (*batch, k, n)
    return tuple(dense.in_columns(MetaArray(shape, a.dtype)) for shape in shapes)


@op(
    autocast="float32",
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
        gx = _tall_qr(gq, gr[..., :, :m], q, r[..., :, :m])
        return cat(gx, gz, dim=-1)
    return _tall_qr(gq, gr, q, r)


def _tall_qr(gq: Any, gr: Any, q: Any, r: Any) -> Any:
    inner = triu(matmul(gr, adjoint_(r)) - matmul(adjoint_(q), gq))
    sym = inner + adjoint_(triu(inner, diagonal=1))
    if is_complex(sym):
        d = take_diagonal(inner)
        sym = sym - put_diagonal(d - d.real, rows=d.shape[-1], columns=d.shape[-1])
    # (gq + q sym) r^-H
    solved = linalg_solve_triangular(r, adjoint_(gq + matmul(q, sym)), upper=True)
    return written_conj(solved).mT


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


@composite(accepts="wide complex: geqrf_cpu", shape=_geqrf_shape, smooth=False,
           samples=[case((4, 3))])
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
    parts = dense.in_columns(h.mT), dense.batch_in_rows(tau)
    a, tau = (without_derivative("geqrf", wrap(t), input) for t in parts)
    return finish("geqrf", Geqrf((a, tau)), out)


@composite(
    autocast="float32",
    accepts="floating complex: orgqr_cpu", public="linalg", aliases="", samples=[case((4, 3), (3,))]
)
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
            f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]"
        )
    if tau.ndim != A.ndim - 1:
        raise RuntimeError(
            f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal "
            f"to {tau.ndim} and input.ndim is equal to {A.ndim}"
        )
    q = wrap(np.eye(m, n, dtype=A._a.dtype)).expand((*A.shape[:-2], m, n))
    for i in range(tau.shape[-1] - 1, -1, -1):
        head = wrap((np.arange(m) == i).astype(A._a.dtype))
        v = column(where(wrap(np.arange(m) > i), A[..., :, i], head))  # R above may not be finite
        q = q - tau[..., i, None, None] * matmul(v, matmul(adjoint_(v), q))
    return finish("householder_product", in_columns(q), out)


@composite(
    autocast="float32",
    accepts="floating complex: orgqr_cpu", public="torch Tensor", samples=[case((4, 3), (3,))]
)
def orgqr(input: Any, input2: Any, *, out: Any = None) -> Any:
    """The first columns of a product of reflections: the older name of
    `linalg.householder_product`.

    >>> a, tau = torch.geqrf(torch.tensor([[3.0, 1.0], [4.0, 2.0]]))
    >>> torch.orgqr(a, tau)
    tensor([[-0.6000, -0.8000],
            [-0.8000,  0.6000]])
    """
    return householder_product(input, input2, out=out)
