"""Functions of a square matrix by its powers: matrix_exp, matrix_power.

Not here: the powers of single numbers (`vander.py`), inverses (`inverse.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd.door import wrap
from ...kernels.linalg import reference as kernels
from ...layout import contiguous_format
from ..core.composite import composite
from ..core.record import op
from ..core.samples import case, regular
from ..core.shapes import same
from ..shape.views import cat
from .inverse import linalg_inv
from .matmul import matmul
from .matrices import need_matrix, sample
from .norm import need_float
from .operands import adjoint_, finish


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
