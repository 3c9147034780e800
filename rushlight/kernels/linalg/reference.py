"""Dense linear algebra that numpy.linalg does not have: LU, triangular solves, matrix exponential.

All functions work on stacks of matrices (batch dimensions first), real and complex. The
factorizations that NumPy has (Cholesky, QR, SVD, eigenvalues) are called directly by
`ops/linalg/cholesky.py`, `qr.py`, `spectral.py`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..tuning import LINALG_LEAF

__all__ = [
    "householder_product",
    "lu_factor",
    "lu_unpack",
    "matrix_exp",
    "permutation",
    "solve_triangular",
]

Array = np.ndarray[Any, Any]


# Triangular systems ------------------------------------------------------------------------------

def _solve_upper(a: Array, b: Array) -> Array:
    n = a.shape[-1]
    if n <= LINALG_LEAF:
        # LU of an upper triangular matrix does no pivoting and no arithmetic: this is back
        # substitution
        return np.linalg.solve(a, b)
    half = n // 2
    low = _solve_upper(a[..., half:, half:], b[..., half:, :])
    top = _solve_upper(
        a[..., :half, :half], b[..., :half, :] - np.matmul(a[..., :half, half:], low)
    )
    return np.concatenate([top, low], axis=-2)


def solve_triangular(a: Array, b: Array, *, upper: bool, unit: bool = False) -> Array:
    """The solution of a @ x = b, reading one triangle of a; zeros on the diagonal give inf or nan,
    as in BLAS."""
    n = a.shape[-1]
    a = np.triu(a) if upper else np.tril(a)
    if unit:
        a[..., np.arange(n), np.arange(n)] = 1
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    b = np.broadcast_to(b, (*batch, *b.shape[-2:]))
    if 0 in b.shape or n == 0:
        return np.zeros(b.shape, np.result_type(a, b))
    if not upper:
        a, b = a[..., ::-1, ::-1], b[..., ::-1, :]
    try:
        x = _solve_upper(a, b)
        # LU multiplies by zeros, too, what is not finite
        exact = bool(np.isfinite(x).all())
    except np.linalg.LinAlgError:
        exact = False
    if not exact:
        x = _substitute(a, b)
    return np.ascontiguousarray(x[..., ::-1, :]) if not upper else x


def _substitute(a: Array, b: Array) -> Array:
    """Row by row, for singular matrices, where the quotients become inf and nan without an
    exception, and for numbers that are not finite, which reach the rows alone that depend on
    them."""
    x = np.array(
        np.broadcast_to(b, (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *b.shape[-2:]))
    )
    with np.errstate(all="ignore"):
        for i in range(a.shape[-1] - 1, -1, -1):
            x[..., i, :] /= a[..., i, i, None]
            x[..., :i, :] -= a[..., :i, i, None] * x[..., i, None, :]
    return x


# LU ----------------------------------------------------------------------------------------------


def lu_factor(a: Array, *, pivot: bool = True) -> tuple[Array, Array, Array]:
    """LU with partial pivoting in LAPACK's packed form: (LU, pivots from 1, info)."""
    m, n = a.shape[-2:]
    k = min(m, n)
    lu = np.array(a).reshape(math.prod(a.shape[:-2]), m, n)
    count = len(lu)
    pivots = np.tile(np.arange(1, k + 1, dtype=np.int32), (count, 1))
    info = np.zeros(count, np.int32)
    every = np.arange(count)
    block = 32
    with np.errstate(all="ignore"):
        for start in range(0, k, block):
            stop = min(start + block, k)
            for j in range(start, stop):
                if pivot and m - j > 1:
                    best = np.argmax(_size(lu[:, j:, j]), axis=1) + j
                    pivots[:, j] = best + 1
                    moved = every[best != j]
                    if len(moved):
                        rows = lu[moved, best[moved]].copy()
                        lu[moved, best[moved]] = lu[moved, j]
                        lu[moved, j] = rows
                head = lu[:, j, j]
                zero = head == 0
                if zero.any():
                    info[zero & (info == 0)] = j + 1
                    head = np.where(zero, 1, head)
                lu[:, j + 1 :, j] /= head[:, None]
                lu[:, j + 1 :, j + 1 : stop] -= (
                    lu[:, j + 1 :, j, None] * lu[:, j, None, j + 1 : stop]
                )
            if stop < n:
                corner = lu[:, start:stop, start:stop]
                right = solve_triangular(corner, lu[:, start:stop, stop:], upper=False, unit=True)
                lu[:, start:stop, stop:] = right
                if stop < m:
                    lu[:, stop:, stop:] -= np.matmul(lu[:, stop:, start:stop], right)
    batch = a.shape[:-2]
    return lu.reshape(a.shape), pivots.reshape(*batch, k), info.reshape(batch)


def _size(x: Array) -> Array:
    return np.abs(x.real) + np.abs(x.imag) if x.dtype.kind == "c" else np.abs(x)


def permutation(pivots: Array, rows: int) -> Array:
    """For each matrix the row order that the interchanges make: (P.T @ a)[i] = a[order[i]]."""
    flat = (
        pivots.reshape(-1, pivots.shape[-1])
        if pivots.size
        else pivots.reshape(math.prod(pivots.shape[:-1]), pivots.shape[-1])
    )
    order = np.tile(np.arange(rows), (len(flat), 1))
    every = np.arange(len(flat))
    for j in range(flat.shape[1]):
        other = flat[:, j].astype(np.intp) - 1
        kept = order[every, j].copy()
        order[every, j] = order[every, other]
        order[every, other] = kept
    return order.reshape(*pivots.shape[:-1], rows)


def lu_unpack(lu: Array, pivots: Array) -> tuple[Array, Array, Array]:
    """P, L, U with a = P @ L @ U."""
    m, n = lu.shape[-2:]
    k = min(m, n)
    lower = np.tril(lu[..., :, :k], -1)
    lower[..., np.arange(k), np.arange(k)] = 1
    upper = np.triu(lu[..., :k, :])
    order = permutation(pivots, m)
    p = np.zeros((*lu.shape[:-2], m, m), lu.dtype)
    np.put_along_axis(p, order[..., None, :], np.asarray(1, lu.dtype), axis=-2)
    return p, lower, upper


# Matrix exponential ------------------------------------------------------------------------------

_PADE13 = (
    64764752532480000.0,
    32382376266240000.0,
    7771770303897600.0,
    1187353796428800.0,
    129060195264000.0,
    10559470521600.0,
    670442572800.0,
    33522128640.0,
    1323241920.0,
    40840800.0,
    960960.0,
    16380.0,
    182.0,
    1.0,
)


def matrix_exp(a: Array) -> Array:
    """exp of square matrices: scaling and squaring with the [13/13] Padé form (Higham 2005), in
    double precision."""
    if a.size == 0:
        return a.copy()
    work = a.astype(np.result_type(a.dtype, np.float64))
    norms = np.abs(work).sum(axis=-2).max(axis=-1)
    bad = ~np.isfinite(norms)
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.where(bad | (norms <= 5.37), 0, np.ceil(np.log2(norms / 5.371920351148152)))
    steps = np.maximum(steps, 0).astype(int)
    work = work / (2.0**steps)[..., None, None]
    if bad.any():
        work[bad] = 0
    b = _PADE13
    eye = np.eye(a.shape[-1], dtype=work.dtype)
    a2 = work @ work
    a4 = a2 @ a2
    a6 = a2 @ a4
    u = work @ (
        a6 @ (b[13] * a6 + b[11] * a4 + b[9] * a2) + b[7] * a6 + b[5] * a4 + b[3] * a2 + b[1] * eye
    )
    v = a6 @ (b[12] * a6 + b[10] * a4 + b[8] * a2) + b[6] * a6 + b[4] * a4 + b[2] * a2 + b[0] * eye
    y = np.linalg.solve(v - u, v + u)
    y[norms == 0] = eye  # exactly
    for step in range(int(steps.max())):
        squared = y @ y
        y = np.where((steps > step)[..., None, None], squared, y)
    if bad.any():
        y[bad] = np.nan
    return y.astype(a.dtype, copy=False)


def householder_product(h: Array, tau: Array) -> Array:
    """The first n columns of the product of the reflections I - tau v v^H, v below the diagonal of
    h."""
    m, n = h.shape[-2:]
    batch = np.broadcast_shapes(h.shape[:-2], tau.shape[:-1])
    q = np.zeros((*batch, m, n), np.result_type(h, tau))
    q[..., np.arange(n), np.arange(n)] = 1
    for i in range(tau.shape[-1] - 1, -1, -1):
        v = np.zeros((*batch, m), q.dtype)
        v[..., i] = 1
        v[..., i + 1 :] = h[..., i + 1 :, i]
        row = np.matmul(v.conj()[..., None, :], q)
        q -= tau[..., i, None, None] * v[..., :, None] * row
    return q
