"""Square systems: linalg.solve, solve_ex, tensorsolve.

The rules never invert twice: they solve with the matrix at hand. Not here: triangular matrices
(`solve_triangular.py`), matrices that are factored already (`cholesky.py`, `lu.py`, `ldl.py`),
least squares (`least_squares.py`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...autograd.door import wrap
from ...errors import LinAlgError, message
from ...kernels import dense
from ...kernels.linalg import reference as kernels
from ...kernels.meta import MetaArray
from ..core.composite import composite
from ..core.record import op
from ..core.return_types import return_type
from ..core.samples import case, made, regular
from .inverse import linalg_inv_quiet
from .matmul import matmul
from .matrices import first_bad, need_matrix, system, system_shape
from .operands import adjoint_, finish

SolveEx = return_type("linalg_solve_ex", ("result", "info"))


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


linalg_solve.shape(system_shape)


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


@composite(
    autocast="float32",
    public="linalg",
    samples=[case(regular(3), (3, 2)), case(regular(3), (3,))],
)
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
