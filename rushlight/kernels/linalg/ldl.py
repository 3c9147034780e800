"""Symmetric and Hermitian matrices as L D L^T, by Bunch and Kaufman's pivoting (1977).

D has blocks of one and two rows. L and D share the lower triangle, and what was exchanged is in
`pivots`, counted from 1: the form of LAPACK's `sytrf` and `hetrf`. A positive pivot is a block of
one row that changed places with that row; two equal negative ones are a block of two rows, of which
the second changed places.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

GROWTH = (1 + math.sqrt(17)) / 8  # keeps the growth of a step of one row and of two alike


def _size(x: Any) -> Any:
    """|re| + |im|, what LAPACK compares."""
    return np.abs(x.real) + np.abs(x.imag) if x.dtype.kind == "c" else np.abs(x)


def _columns(x: Array) -> Array:
    """The matrices column by column in memory, as LAPACK leaves them."""
    return np.ascontiguousarray(x.mT).mT


def factor(a: Array, hermitian: bool) -> tuple[Array, Array, Array]:
    """(LD, pivots, info) of a stack of matrices; info is the first zero on D's diagonal, from 1."""
    n = a.shape[-1]
    packed = np.tril(a).reshape(math.prod(a.shape[:-2]), n, n)
    pivots = np.zeros((len(packed), n), np.int32)
    info = np.zeros(len(packed), np.int32)
    with np.errstate(all="ignore"):
        for i, one in enumerate(packed):
            info[i] = _factor(one, pivots[i], hermitian and a.dtype.kind == "c")
    batch = a.shape[:-2]
    return _columns(packed.reshape(a.shape)), pivots.reshape(*batch, n), info.reshape(batch)


def _factor(a: Array, pivots: Array, hermitian: bool) -> int:
    """One matrix, in place, of which the lower triangle is read and written."""
    n, k, info = len(a), 0, 0
    while k < n:
        if hermitian:
            a[k, k] = a[k, k].real
        width, row = _pivot(a, k)
        if row < 0:  # nothing but zeros, or NaN, in what is left of the column
            info = info or k + 1
            pivots[k] = k + 1
            k += 1
            continue
        last = k + width - 1
        _exchange(a, last, row, k, hermitian)
        if width == 1:
            pivots[k] = row + 1
            below = a[k + 1 :, k].copy()
            a[k + 1 :, k] /= a[k, k]
            update = np.outer(below, _turned(a[k + 1 :, k], hermitian))
        else:
            pivots[k] = pivots[last] = -(row + 1)
            d = np.array([[a[k, k], _turned(a[last, k], hermitian)], [a[last, k], a[last, last]]])
            if hermitian:
                d[1, 1] = a[last, last] = a[last, last].real
            below = a[last + 1 :, k : last + 1].copy()
            a[last + 1 :, k : last + 1] = np.linalg.solve(d.T, below.T).T
            update = below @ _turned(a[last + 1 :, k : last + 1], hermitian).T
        rest = a[last + 1 :, last + 1 :]
        rest -= np.tril(update)
        k += width
    return info


def _turned(x: Any, hermitian: bool) -> Any:
    return x.conj() if hermitian else x


def _pivot(a: Array, k: int) -> tuple[int, int]:
    """How many rows the block at k has, and the row that changes places with its last one."""
    n = len(a)
    here = _size(a[k, k])
    below = _size(a[k + 1 :, k])
    row = k + 1 + int(np.argmax(below)) if k + 1 < n else k
    largest = below[row - k - 1] if k + 1 < n else here * 0
    if max(here, largest) == 0 or here != here:
        return 1, -1
    if here >= GROWTH * largest:
        return 1, k
    others = np.concatenate([_size(a[row, k:row]), _size(a[row + 1 :, row])])
    beside = others.max()
    if here >= GROWTH * largest * (largest / beside):
        return 1, k
    if _size(a[row, row]) >= GROWTH * beside:
        return 1, row
    return 2, row


def _exchange(a: Array, i: int, j: int, k: int, hermitian: bool) -> None:
    """Rows and columns i and j of the symmetric part that begins at k, of its lower triangle."""
    if i == j:
        return
    a[[i, j], k:i] = a[[j, i], k:i]
    a[i, i], a[j, j] = a[j, j], a[i, i]
    a[j + 1 :, [i, j]] = a[j + 1 :, [j, i]]
    between = a[i + 1 : j, i].copy()
    a[i + 1 : j, i] = _turned(a[j, i + 1 : j], hermitian)
    a[j, i + 1 : j] = _turned(between, hermitian)
    if hermitian:
        a[j, i] = a[j, i].conj()


def solve(packed: Array, pivots: Array, b: Array, hermitian: bool) -> Array:
    """x of a x = b, from what `factor` returned; the batch dims of all three are broadcast."""
    n, columns = b.shape[-2:]
    batch = np.broadcast_shapes(packed.shape[:-2], b.shape[:-2])
    count = math.prod(batch)
    x = np.array(np.broadcast_to(b, (*batch, n, columns))).reshape(count, n, columns)
    a = np.broadcast_to(packed, (*batch, n, n)).reshape(count, n, n)
    p = np.broadcast_to(pivots, (*batch, n)).reshape(count, n)
    turn = hermitian and b.dtype.kind == "c"
    with np.errstate(all="ignore"):
        for i in range(len(x)):
            _solve(a[i], p[i], x[i], turn)
    return _columns(x.reshape(*batch, n, columns))


def _solve(a: Array, pivots: Array, x: Array, hermitian: bool) -> None:
    n, k = len(a), 0
    starts = []
    while k < n:  # L D y = b
        width = 1 if pivots[k] > 0 else 2
        last = k + width - 1
        row = abs(int(pivots[last])) - 1
        x[[last, row]] = x[[row, last]]
        x[last + 1 :] -= a[last + 1 :, k : last + 1] @ x[k : last + 1]
        if width == 1:
            x[k] /= a[k, k]
        else:
            d = np.array([[a[k, k], _turned(a[last, k], hermitian)], [a[last, k], a[last, last]]])
            x[k : last + 1] = np.linalg.solve(d, x[k : last + 1])
        starts.append((k, last, row))
        k += width
    for k, last, row in reversed(starts):  # L^T x = y
        x[k : last + 1] -= _turned(a[last + 1 :, k : last + 1], hermitian).T @ x[last + 1 :]
        x[[last, row]] = x[[row, last]]
