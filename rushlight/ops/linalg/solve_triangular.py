"""Systems with a triangular matrix: linalg.solve_triangular, and triangular_solve.

The rules never invert: they solve with the triangle at hand. Not here: other square systems
(`solve.py`), taking triangles (`triangles.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dtypes import type_name
from ...errors import message
from ...kernels import dense
from ...kernels.linalg import reference as kernels
from ...kernels.meta import MetaArray
from ..core.composite import composite
from ..core.record import op
from ..core.return_types import return_type
from ..core.samples import case, regular
from .matmul import matmul
from .matrices import in_columns, system, system_shape
from .operands import adjoint_, finish
from .solve import check_system
from .triangles import tril, triu

TriangularSolve = return_type("triangular_solve", ("solution", "cloned_coefficient"))


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


linalg_solve_triangular.shape(system_shape)


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


@composite(accepts="floating complex: triangular_solve_cpu", samples=[case((3, 2), regular(3))])
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
    autocast="float32",
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
    y = system_shape(A, b)
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
