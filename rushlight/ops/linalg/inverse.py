"""Inverses, pseudoinverses and determinants.

The rules use the inverse that was computed; a determinant has a gradient also where there is no
inverse. Systems of equations are in `solve.py`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...autograd.door import wrap
from ...autograd.node import TensorBase
from ...dtypes import type_name
from ...errors import LinAlgError, message
from ...kernels import dense
from ...kernels.linalg import reference as kernels
from ...kernels.meta import MetaArray
from ..core.composite import composite
from ..core.record import op
from ..core.return_types import return_type
from ..core.samples import case, made, regular, spd
from ..core.shapes import real_of, same
from ..elementwise.formulas import log, where
from ..reduce import sums
from .matmul import matmul
from .matrices import first_bad, need_matrix, same_in_columns, sample
from .operands import adjoint_, finish, is_complex
from .spectral import rank_tolerance

InvEx = return_type("linalg_inv_ex", ("inverse", "info"))
Slogdet = return_type("linalg_slogdet", ("sign", "logabsdet"))
OldSlogdet = return_type("slogdet", ("sign", "logabsdet"))


def singular(name: str, infos: Any, last: int) -> LinAlgError:
    """The error about the first matrix of a stack that has no inverse."""
    place, k = first_bad(infos)
    return LinAlgError(
        message(
            f"{name}: {place}The diagonal element {k or last} is zero, the inversion could not be "
            "completed because the input matrix is singular.",
            hint="torch.linalg.pinv or torch.linalg.lstsq, or add a small multiple of the identity",
        )
    )


# -- inverse ---------------------------------------------------------------------------------------


@op(
    autocast="float32",
    samples=[sample(3, 3), sample(2, 3, 3)],
    public="",
    fresh=True,
    node="LinalgInvExBackward0",
)
def linalg_inv(a: Any) -> Any:
    """The inverse of square matrices."""
    try:
        return dense.in_columns(np.linalg.inv(a))
    except np.linalg.LinAlgError:
        raise singular("linalg.inv", kernels.lu_factor(a)[2], a.shape[-1]) from None


def _inverse_rule(g: Any, y: Any, _a: Any) -> Any:
    yh = adjoint_(y)
    return -matmul(yh, matmul(g, yh))


linalg_inv.shape(same_in_columns)
linalg_inv.vjp(_inverse_rule)


@op(autocast="float32", samples=[sample(3, 3)], public="", fresh=True, node="LinalgInvExBackward0")
def linalg_inv_quiet(a: Any) -> Any:
    """The inverse; infinities instead of an exception for singular matrices."""
    try:
        return dense.in_columns(np.linalg.inv(a))
    except np.linalg.LinAlgError:
        y = dense.in_columns(np.empty(a.shape, a.dtype))
        for place in np.ndindex(a.shape[:-2]):
            try:
                y[place] = np.linalg.inv(a[place])
            except np.linalg.LinAlgError:
                y[place] = np.inf
        return y


linalg_inv_quiet.shape(same_in_columns)
linalg_inv_quiet.vjp(_inverse_rule)


@composite(public="linalg", samples=[case(regular(3)), case(regular(2, 3, 3))])
def inv(A: Any, *, out: Any = None) -> Any:
    """The inverse of square matrices (*, n, n); LinAlgError if one is singular.

    `linalg.solve(A, B)` is faster and more exact than `inv(A) @ B`.

    >>> A = torch.tensor([[2.0, 0.0], [1.0, 1.0]])
    >>> torch.linalg.inv(A)
    tensor([[ 0.5000,  0.0000],
            [-0.5000,  1.0000]])
    """
    need_matrix("linalg.inv", A, square=True)
    return finish("inv", linalg_inv(A), out)


@composite(public="torch Tensor", samples=[case(regular(3))])
def inverse(input: Any, *, out: Any = None) -> Any:
    """The inverse of square matrices (*, n, n): another name of `linalg.inv`.

    >>> A = torch.tensor([[2.0, 0.0], [1.0, 1.0]])
    >>> torch.inverse(A)
    tensor([[ 0.5000,  0.0000],
            [-0.5000,  1.0000]])
    """
    return inv(input, out=out)


def _inv_ex_shape(A: Any, **_: Any) -> Any:
    return InvEx((MetaArray(A.shape, A._a.dtype), MetaArray(A.shape[:-2], np.int32)))


@composite(shape=_inv_ex_shape, public="linalg", samples=[case(regular(3))])
def inv_ex(A: Any, *, check_errors: bool = False, out: Any = None) -> Any:
    """(inverse, info): `linalg.inv`, which tells instead of raising.

    `info` (int32) is 0, or the place of the first pivot that is zero, counted from 1. With
    `check_errors=True` it raises after all.

    >>> torch.linalg.inv_ex(torch.zeros(2, 2)).info
    tensor(1, dtype=torch.int32)
    """
    need_matrix("linalg.inv_ex", A, square=True)
    try:
        y, info = linalg_inv(A), np.zeros(A.shape[:-2], np.int32)
    except LinAlgError:
        if check_errors:
            raise
        y, info = linalg_inv_quiet(A), kernels.lu_factor(A._a)[2]
    return finish("inv_ex", InvEx((y, wrap(info))), out)


@op(
    autocast="float32",
    samples=[sample(4, 3), sample(2, 3, 4), sample(3, 3)],
    public="",
    fresh=True,
)
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
    return dense.batch_in_rows((adjoint_(vh) * inverse_s[..., None, :]) @ adjoint_(u))


linalg_pinv.shape(lambda a, **_: MetaArray((*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype))


def pinv_rule(g: Any, y: Any, a: Any) -> Any:
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


linalg_pinv.vjp(pinv_rule)


def _number(x: Any) -> Any:
    """A tolerance as a hashable static parameter: nested tuples of one for each matrix."""

    def frozen(v: Any) -> Any:
        return tuple(frozen(i) for i in v) if isinstance(v, list) else v

    return frozen(x.tolist()) if hasattr(x, "_a") else x


@composite(public="linalg", smooth=False, samples=[case((4, 3)), case(spd(3), hermitian=True)])
def pinv(
    A: Any,
    rcond: Any = None,
    hermitian: bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
    out: Any = None,
) -> Any:
    """The Moore-Penrose pseudoinverse (*, n, m) of matrices (*, m, n).

    By singular values, of which those not above max(atol, rtol * the largest) count as zero; `rtol`
    is max(m, n) * eps by default, or 0 if `atol` is given. `hermitian=True`: by eigenvalues,
    reading the lower triangle. `rcond` is an older name of `rtol`.

    >>> A = torch.tensor([[1.0], [1.0]])
    >>> torch.linalg.pinv(A)
    tensor([[0.5000, 0.5000]])
    """
    if A.ndim < 2 or A._a.dtype.kind not in "fc":
        raise RuntimeError(
            message(
                f"linalg.pinv({type_name(A.dtype)}{{{list(A.shape)}}}): expected a tensor with 2 "
                "or more dimensions of float, double, cfloat or cdouble types"
            )
        )
    # without elements there is nothing to decompose, whatever the shape
    need_matrix("linalg.pinv", A, square=hermitian and A._a.size > 0)
    for name, tolerance in (("rcond", rcond), ("atol", atol), ("rtol", rtol)):
        if isinstance(tolerance, TensorBase) and is_complex(tolerance):
            kind = type_name(tolerance.dtype)
            raise RuntimeError(
                f"torch.linalg.pinv: {name} tensor of complex type is not supported. Got {kind}"
            )
    rtol = rcond if rtol is None else rtol
    y = linalg_pinv(A, atol=_number(atol), rtol=_number(rtol), hermitian=hermitian)
    return finish("pinv", y, out)


@composite(autocast="float32", public="torch Tensor", samples=[case((4, 3))])
def pinverse(input: Any, rcond: float = 1e-15) -> Any:
    """The pseudoinverse (*, n, m) of matrices (*, m, n): `linalg.pinv` with a relative tolerance.

    >>> A = torch.tensor([[1.0], [1.0]])
    >>> torch.pinverse(A)
    tensor([[0.5000, 0.5000]])
    """
    return pinv(input, rcond)


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
    with np.errstate(over="ignore"):  # NumPy computes in double and casts: infinite is an answer
        return dense.batch_in_rows(np.linalg.det(a))


linalg_det.shape(lambda a: MetaArray(a.shape[:-2], a.dtype))


@linalg_det.vjp
def _det_rule(g: Any, _y: Any, a: Any) -> Any:
    return g[..., None, None] * linalg_cofactor(a)


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


linalg_cofactor.shape(same)


@linalg_cofactor.vjp
def _cofactor_rule(g: Any, y: Any, a: Any) -> Any:
    b = linalg_inv_quiet(a).mT
    total = sums.sum(g * y, dim=(-2, -1), keepdim=True)
    return total * b - matmul(b, matmul(g.mT, y))


def need_precision(name: str, A: Any) -> None:
    """Raise PyTorch's error for float16 and bfloat16."""
    if A.dtype.low:
        kind = type_name(A.dtype)
        raise RuntimeError(
            message(f"{name}: Low precision dtypes not supported. Got {kind}", hint="x.float()")
        )


@composite(
    public="linalg torch Tensor",
    words={"input": "A"},
    samples=[case(regular(3)), case(regular(2, 3, 3))],
)
def det(A: Any, *, out: Any = None) -> Any:
    """The determinant of square matrices (*, n, n): (*), by LU decomposition.

    Its gradient, det(A) * A^-T, is that of the cofactors and so exists for singular matrices too.
    Of large matrices the determinant over- or underflows: see `linalg.slogdet`.

    >>> A = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> torch.linalg.det(A)
    tensor(-2.)
    """
    need_matrix("linalg.det", A, square=True)
    if A.dtype.low:
        kind = type_name(A.dtype)
        raise NotImplementedError(
            message(f"\"lu_cpu\" not implemented for '{kind}'", hint="another dtype: x.float()")
        )
    return finish("det", linalg_det(A), out)


@op(
    samples=[sample(3, 3), sample(2, 3, 3)],
    public="",
    fresh=True,
    outputs=2,
    differentiable=(0, 1),
    saves=(0,),
    node="LinalgSlogdetBackward0",
)
def linalg_slogdet(a: Any) -> Any:
    """Sign and log of the magnitude of the determinant."""
    sign, size = np.linalg.slogdet(a)
    return dense.batch_in_rows(sign), dense.batch_in_rows(size)


linalg_slogdet.shape(
    lambda a: (MetaArray(a.shape[:-2], a.dtype), MetaArray(a.shape[:-2], real_of(a.dtype)))
)


@linalg_slogdet.vjp
def _slogdet_rule(g: Any, y: Any, a: Any) -> Any:
    gs, gl = g
    if gl is None and not is_complex(a):
        return None  # a sign of real numbers does not move
    inverse_h = adjoint_(linalg_inv_quiet(a))
    if not is_complex(a):
        return inverse_h * gl[..., None, None]
    total: Any = gl
    if gs is not None:
        turn = (y[0].conj() * gs).imag * 1j
        total = turn if total is None else total + turn
    return inverse_h * total[..., None, None]


@composite(public="linalg", samples=[case(regular(3))])
def slogdet(A: Any, *, out: Any = None) -> Any:
    """(sign, logabsdet) of square matrices (*, n, n): the determinant is sign * exp(logabsdet).

    Does not overflow where `det` does. Of singular matrices (0, -inf).

    >>> A = torch.diag(torch.tensor([1e30, -1e30]))
    >>> torch.linalg.slogdet(A)
    torch.return_types.linalg_slogdet(
    sign=tensor(-1.),
    logabsdet=tensor(138.1551))
    """
    need_matrix("linalg.slogdet", A, square=True)
    need_precision("linalg.slogdet", A)
    return finish("slogdet", Slogdet(linalg_slogdet(A)), out)


@composite(public="torch Tensor", name="slogdet", samples=[case(regular(3))])
def _old_slogdet(input: Any) -> Any:
    """(sign, logabsdet) of square matrices: the determinant is sign * exp(logabsdet).

    >>> x = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    >>> torch.slogdet(x)
    torch.return_types.slogdet(
    sign=tensor(-1.),
    logabsdet=tensor(0.))
    """
    need_matrix("slogdet", input, square=True)
    need_precision("linalg.slogdet", input)
    return OldSlogdet(linalg_slogdet(input))


@composite(public="torch Tensor", samples=[case(spd(3))])
def logdet(input: Any) -> Any:
    """The log of the determinant of square matrices (*, n, n); NaN where that is negative, -inf for
    0.

    >>> x = torch.eye(2) * 3
    >>> torch.logdet(x)
    tensor(2.1972)
    """
    need_matrix("logdet", input, square=True)
    need_precision("logdet", input)
    sign, size = linalg_slogdet(input)
    if is_complex(input):
        return size + log(sign)
    return where(sign == -1.0, size * 0.0 + math.nan, size)
