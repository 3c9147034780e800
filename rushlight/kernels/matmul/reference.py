"""Products of matrices by NumPy, and the sums around kernels' products."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dense import copied
from ..runtime.blas import dot
from ..tuning import BLAS_SHARED_BY_VECTOR

Array = Any


def product(a: Array, b: Array) -> Array:
    """a @ b; a stack times one matrix becomes a single product when the stack is contiguous."""
    if a.ndim < 3 and b.ndim < 3:
        if a.size == 1 or b.size == 1:  # `dot` scales by the one number, and 0 times NaN is 0 there
            return np.asarray(np.matmul(a, b))
        # The method of the array, without `np.dot`'s question who overrides it: BLAS does not share
        # a product as small as this.
        return np.asarray(a.dot(b)) if a.size * b.shape[-1] < BLAS_SHARED_BY_VECTOR else dot(a, b)
    a, b = blas_ready(a), blas_ready(b)
    if a.ndim > 2 and b.ndim == 2 and a.flags.c_contiguous and a.size:
        out = np.matmul(a.reshape(-1, a.shape[-1]), b)
        return out.reshape(*a.shape[:-1], b.shape[-1])
    return np.asarray(np.matmul(a, b, order="C"))  # a stack in rows, however those of a and b lie


def blas_ready(a: Array) -> Array:
    """a, copied if BLAS cannot read it: NumPy's own loop for such strides is about 50 times
    slower."""
    if a.ndim < 2 or a.dtype.kind not in "fc":
        return a
    rows, columns = a.strides[-2:]
    size = a.itemsize
    if columns == size and rows >= size * a.shape[-1] and rows % size == 0:
        return a
    if rows == size and columns >= size * a.shape[-2] and columns % size == 0:
        return a
    return np.ascontiguousarray(a)


def scale_and_add(y: Array, d: Array | None, alpha: float, beta: float) -> None:
    """y = alpha * y + beta * d, in place."""
    y *= y.dtype.type(alpha)
    if d is not None:
        y += d * y.dtype.type(beta)


def added_slices(
    parts: Array, a: Array, b: Array, d: Array | None, alpha: float, beta: float, *, rest: int
) -> Array:
    """alpha * (the sum of `parts`, and the product of the last `rest` steps of k) + beta * d."""
    y = np.add.reduce(parts, axis=0)
    if rest:
        ends = a[..., -rest:], b[-rest:] if b.ndim == 1 else b[..., -rest:, :]
        if a.dtype != y.dtype:  # narrow floats, which kernels read as they are
            ends = copied(ends[0], y.dtype), copied(ends[1], y.dtype)
        y += np.matmul(*ends)
    if alpha != 1:
        y *= y.dtype.type(alpha)
    if d is not None:
        y += d * y.dtype.type(beta)
    return np.asarray(y)


def dense(d: Array, *, shape: tuple[int, ...]) -> Array:
    """d broadcast to a shape, laid out row by row."""
    return np.ascontiguousarray(np.broadcast_to(d, shape))
