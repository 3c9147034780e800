"""LDL of symmetric and Hermitian matrices that need not be positive definite, and its systems.

Forward: `kernels/linalg/ldl.py`. There are no derivatives, as in PyTorch. Not here: positive
definite matrices (`cholesky.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import axis, message
from ...kernels.linalg import ldl
from ...kernels.meta import MetaArray
from ..core.composite import composite
from ..core.record import op
from ..core.return_types import return_type
from ..core.samples import case, regular, values
from .matrices import need_matrix, sample, system_shape
from .operands import finish

LdlFactor = return_type("linalg_ldl_factor", ("LD", "pivots"))
LdlFactorEx = return_type("linalg_ldl_factor_ex", ("LD", "pivots", "info"))


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


linalg_ldl_solve.shape(lambda a, _p, b, **_: system_shape(a, b))
linalg_ldl_solve.vjp(None, None, None)  # as in PyTorch


@composite(
    public="linalg",
    smooth=False,
    samples=[case(regular(3), values([1, 2, 3], "int32"), (3, 2))],
)
def ldl_solve(LD: Any, pivots: Any, B: Any, *, hermitian: bool = False, out: Any = None) -> Any:
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
