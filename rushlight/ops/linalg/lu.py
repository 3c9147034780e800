"""LU: a matrix as a permutation and two triangles, and what is solved with them.

Forward: `kernels/linalg/`. Backward: the formulas that PyTorch uses. Not here: systems that are
not factored yet (`solve.py`), determinants (`inverse.py`), symmetric matrices (`ldl.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd.door import wrap
from ...errors import LinAlgError, message
from ...kernels import dense
from ...kernels.linalg import reference as kernels
from ...kernels.meta import MetaArray
from ..core.accepted import Accepted
from ..core.composite import composite
from ..core.record import op
from ..core.return_types import return_type
from ..core.samples import case, regular, values
from ..shape.views import cat
from .matmul import matmul
from .matrices import first_bad, in_columns, need_matrix, same_in_columns, sample
from .operands import adjoint_, constant, finish
from .solve import check_system
from .solve_triangular import linalg_solve_triangular
from .triangles import tril, triu

Lu = return_type("linalg_lu", ("P", "L", "U"))
LuFactor = return_type("linalg_lu_factor", ("LU", "pivots"))
LuFactorEx = return_type("linalg_lu_factor_ex", ("LU", "pivots", "info"))
LuUnpack = return_type("lu_unpack", ("P", "L", "U"))


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
    samples=[sample(3, 3), sample(2, 4, 3), sample(3, 5)],
    public="",
    fresh=True,
    outputs=3,
    differentiable=(1, 2),
)
def linalg_lu(a: Any, *, pivot: bool = True) -> Any:
    """a = P @ L @ U."""
    packed, pivots, _ = kernels.lu_factor(a, pivot=pivot)
    p, low, up = kernels.lu_unpack(packed, pivots)
    return p, dense.batch_in_rows(low), dense.batch_in_rows(up)


linalg_lu.shape(lu_shape)


def _lu_gradient(p: Any, low: Any, up: Any, gl: Any, gu: Any) -> Any:
    """The gradient of a = P L U from those of L and U (either may be None)."""
    m, n = low.shape[-2], up.shape[-1]
    k = min(m, n)
    gl = low * 0.0 if gl is None else gl
    gu = up * 0.0 if gu is None else gu
    low1, up1 = low[..., :k, :], up[..., :, :k]
    gl1, gu1 = gl[..., :k, :], gu[..., :, :k]
    more = None
    if n > k:  # the columns on the right are L^-1 P^T a2
        more = linalg_solve_triangular(adjoint_(low1), gu[..., :, k:], upper=True, unit=True)
        gl1 = gl1 - matmul(more, adjoint_(up[..., :, k:]))
    if m > k:  # the rows below are a2 U^-1
        low2 = low[..., k:, :]
        more = adjoint_(linalg_solve_triangular(up1, adjoint_(gl[..., k:, :]), upper=True))
        gu1 = gu1 - matmul(adjoint_(low2), more)
    phi = tril(matmul(adjoint_(low1), gl1), diagonal=-1) + triu(matmul(gu1, adjoint_(up1)))
    inner = adjoint_(linalg_solve_triangular(up1, adjoint_(phi), upper=True))
    square = linalg_solve_triangular(adjoint_(low1), inner, upper=True, unit=True)
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


@composite(accepts="floating complex: lu_cpu", public="linalg", samples=[case(regular(3))])
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


@composite(accepts="floating complex: lu_cpu", public="linalg", samples=[case(regular(3))])
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


@composite(accepts="floating complex: lu_cpu", public="linalg", samples=[case(regular(3))])
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
