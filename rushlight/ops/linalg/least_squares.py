"""Least squares: linalg.lstsq.

Forward: LAPACK through numpy.linalg. Not here: systems with one solution (`solve.py`), the
pseudoinverse (`inverse.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd.door import wrap
from ...dtypes import type_name
from ...errors import message
from ...kernels.meta import MetaArray
from ..core.composite import composite
from ..core.record import op
from ..core.return_types import return_type
from ..core.samples import case
from ..core.shapes import real_of
from .inverse import linalg_pinv, pinv_rule
from .matmul import matmul
from .matrices import system
from .norm import need_float
from .operands import adjoint_, is_complex

Lstsq = return_type("linalg_lstsq", ("solution", "residuals", "rank", "singular_values"))


def least_squares_memory(batch: Any, a: Any, b: Any) -> Any:
    """Memory for solutions: LAPACK writes them over the right side, which has at least as many
    rows."""
    m, n = a.shape[-2:]
    return np.empty((*batch, b.shape[-1], max(m, n)), a.dtype).swapaxes(-1, -2)[..., :n, :]


def least_squares_shape(a: Any, b: Any, *, rcond: Any = None) -> tuple[MetaArray, ...]:
    """The shapes of solutions, ranks and singular values."""
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    values = MetaArray((*batch, min(a.shape[-2:])), real_of(a.dtype))
    solutions = least_squares_memory(batch, a, b)
    solutions = MetaArray(solutions.shape, a.dtype, solutions.strides)
    return solutions, MetaArray(batch, np.int64), values


@op(
    autocast="float32",
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
    x = least_squares_memory(batch, a, b)
    rank = np.empty(batch, np.int64)
    s = np.empty((*batch, min(a.shape[-2:])), a.real.dtype)
    limit = np.finfo(a.dtype).eps * max(a.shape[-2:]) if rcond is None else rcond
    for place in np.ndindex(batch):
        x[place], _, rank[place], s[place] = np.linalg.lstsq(a[place], b[place], rcond=limit)
    return x, rank, s


linalg_lstsq.shape(least_squares_shape)


@linalg_lstsq.joint
def _lstsq_rule(g: Any, _y: Any, a: Any, b: Any, *, needs: Any) -> Any:
    y = linalg_pinv(a)
    ga = None
    if needs[0]:
        ga = pinv_rule(matmul(g[0], adjoint_(b)), y, a)
    return ga, matmul(adjoint_(y), g[0])


def _lstsq_shape(A: Any, B: Any, rcond: float | None = None, *, driver: str | None = None) -> Any:
    *batch, m, n = A.shape
    dtype = A._a.dtype
    real = np.empty(0, dtype).real.dtype
    vector = A.ndim - 1 == B.ndim and tuple(B.shape) == tuple(A.shape[:-1])
    columns = () if vector else (B.shape[-1],)
    tall = m > n and driver not in (None, "gelsy")
    values = driver in ("gelsd", "gelss")
    return Lstsq(
        (
            MetaArray((*batch, n, *columns), dtype),
            MetaArray((*batch, *(columns or (1,))) if tall else (0,), real),
            MetaArray((0,) if driver == "gels" else batch, np.int64),
            MetaArray((*batch, min(m, n)) if values else (0,), real),
        )
    )


@composite(public="linalg", shape=_lstsq_shape, smooth=False, samples=[case((4, 3), (4, 2))])
def lstsq(A: Any, B: Any, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """The X that minimises |A @ X - B|: (solution, residuals, rank, singular_values).

    `A` (*, m, n), `B` (*, m, k); X (*, n, k), of least norm where several are best. `driver`:
    "gelsy" (default), "gels" (full rank), "gelsd" and "gelss" (which also give singular values).
    All but the default give the residuals, sums of squares for each column, if m > n and the rank
    is full. `rcond` is the relative size of singular values that count as zero.

    >>> A = torch.tensor([[1.0], [1.0]])
    >>> torch.linalg.lstsq(A, torch.tensor([[1.0], [4.0]])).solution
    tensor([[2.5000]])
    """
    need_float("linalg.lstsq", A)
    drivers = (None, "gels", "gelsy", "gelsd", "gelss")
    if driver not in drivers:
        raise RuntimeError(
            "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss), "
            f"got {driver}"
        )
    wrong = None
    if A.ndim < 2:
        wrong = "input must have at least 2 dimensions."
    elif B.ndim < 1:
        wrong = "other must have at least 1 dimension."
    elif not 0 <= A.ndim - B.ndim <= 1:
        wrong = (
            "input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) "
            "<= 1"
        )
    elif A._a.dtype != B._a.dtype:
        wrong = (
            "Expected input and other to have the same dtype, but got input's dtype "
            f"{type_name(A.dtype)} and other's dtype {type_name(B.dtype)}"
        )
    if wrong is not None:
        raise RuntimeError(message(f"torch.linalg.lstsq: {wrong}", f"{A.shape} and {B.shape}"))
    m, n = A.shape[-2:]
    vector = A.ndim - 1 == B.ndim and tuple(B.shape) == tuple(A.shape[:-1])
    b = B.unsqueeze(-1) if vector else B
    if b.ndim < 2 or b.shape[-2] != m:
        raise RuntimeError(
            message(
                "torch.linalg.lstsq: input.size(-2) should match "
                f"other.size({-1 if A.ndim - 1 == B.ndim == 1 else -2})",
                f"{tuple(A.shape)} and {tuple(B.shape)}",
            )
        )
    x, rank, s = linalg_lstsq(A, b, rcond=rcond)
    if driver == "gelss" and rcond is not None and rcond >= 1:
        x, rank = x * 0, rank * 0  # no singular value is larger; gelsd takes such an rcond for none
    residuals = x.detach().reshape(-1)[:0].clone() if x._fn is None else x.reshape(-1)[:0].clone()
    residuals = residuals.real.clone() if is_complex(residuals) else residuals
    # gelsy, which is the default, gives none
    if m > n and driver not in (None, "gelsy") and bool((rank._a == n).all()):
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
