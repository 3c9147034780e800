"""Products of matrices: the choice between NumPy's BLAS and our own machine code.

`product(a, b, bias)` computes stacks of matrices of any strides without copying them; it answers
None for what NumPy does better or alone: small products, vectors, narrow results, other types. The
choice looks at types and shapes alone, so the same call gives the same bits every time.

Not here: the kernel itself (`llvm/gemm.py`).
"""

from __future__ import annotations

import functools
import math
import threading
from typing import Any

import numpy as np

from . import fused

Array = Any
LEAST_WORK = 1 if fused.ALWAYS else 1 << 19  # multiplications from which on our kernel is used
NARROW = 1 if fused.ALWAYS else 16  # columns of a result below which most of a tile is wasted
ELEMENTS = {np.dtype(np.float32): "float", np.dtype(np.float64): "double"}


class _Room(threading.local):
    """Memory that B is packed into, kept for the next product of this thread."""

    kept: Any = None


_room = _Room()
MOST_KEPT = 1 << 23  # bytes


def room(nbytes: int) -> Array:
    """At least `nbytes` bytes that begin at a cache line."""
    kept = _room.kept
    if kept is None or kept.nbytes < nbytes:
        raw = np.empty(nbytes + 64, np.uint8)
        start = -raw.ctypes.data % 64
        kept = raw[start : start + nbytes]
        if nbytes <= MOST_KEPT:
            _room.kept = kept
    return kept


@functools.cache
def kernel(element: str) -> Any:
    """(the kernel, size of its packed operand); None without machine code."""
    if not fused.jit():
        return None
    from .llvm import gemm

    return gemm.kernel(element), gemm.packed_size


def steps(x: Array) -> tuple[int, ...] | None:
    """Strides in elements; None when an element does not begin at a multiple of its size."""
    size = x.itemsize
    if any(s % size for s in x.strides):
        return None
    return tuple([s // size for s in x.strides])


def one_batch(x: Array, batch: tuple[int, ...]) -> Array | None:
    """A stack of matrices with its leading dims (broadcast to `batch`) as one; None: not by a
    view."""
    if x.ndim == 2:
        if not batch:
            return x[None]
        return np.broadcast_to(x, (math.prod(batch), *x.shape))
    if x.shape[:-2] != batch:
        x = np.broadcast_to(x, (*batch, *x.shape[-2:]))
    if x.ndim == 3:
        return x
    try:
        return np.reshape(x, (math.prod(batch), *x.shape[-2:]), copy=False)
    except ValueError:  # the dims do not merge
        return None


def product(a: Array, b: Array, bias: Array | None = None) -> Array | None:
    """a @ b (+ bias for each column) by our kernel; None when NumPy should do it.

    Shapes: a (..., M, K), b (..., K, N), bias (N). Types: float32 or float64, all the same.
    """
    dtype = a.dtype
    if a.ndim < 2 or b.ndim < 2 or dtype not in ELEMENTS or b.dtype != dtype:
        return None
    m, k = a.shape[-2:]
    n = b.shape[-1]
    if n < NARROW or m * n * k < LEAST_WORK // max(math.prod(a.shape[:-2]), 1) or not m * k:
        return None
    found = kernel(ELEMENTS[dtype])
    if found is None:
        return None
    if a.ndim > 2 and b.ndim == 2 and a.flags.c_contiguous:  # one tall product
        y = product(a.reshape(-1, k), b, bias)
        return None if y is None else y.reshape(*a.shape[:-1], n)
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a3, b3 = one_batch(a, batch), one_batch(b, batch)
    if a3 is None or b3 is None:
        return None
    sa, sb = steps(a3), steps(b3)
    if sa is None or sb is None or (bias is not None and not usable(bias, dtype, n)):
        return None
    count = math.prod(batch)
    call, packed_size = found
    fused.jit()[2].ready()
    y = np.empty((*batch, m, n), dtype)
    packed = room(packed_size(ELEMENTS[dtype], n, count) * dtype.itemsize)
    call(a3, sa[1], sa[2], sa[0], b3, sb[1], sb[2], sb[0], y, n, m * n, None, bias,
         m, n, k, count, packed, 0, 0)  # fmt: skip
    return y


class Packed:
    """A matrix B (K, N) kept as the kernel reads it, for many products with few rows each.

    Built only where `packs(b)`.
    """

    __slots__ = ("call", "k", "n", "room")

    def __init__(self, b: Array) -> None:
        from .llvm import gemm

        e = ELEMENTS[b.dtype]
        self.call = gemm.kernel(e)
        self.k, self.n = b.shape
        size = gemm.whole_size(e, self.n, self.k) * b.itemsize
        raw = np.empty(size + 64, np.uint8)
        start = -raw.ctypes.data % 64
        self.room = raw[start : start + size]
        row, col = steps(b)  # type: ignore[misc]
        fused.jit()[2].ready()
        self.call(b, 0, 0, 0, b, row, col, 0, b, 0, 0, None, None, 1, self.n, self.k, 1,
                  self.room, 0, 1)  # fmt: skip

    def into(self, a: Array, c: Array, bias: Array | None = None, accumulate: bool = False) -> None:
        """c = a @ B (+ bias for each column) (+ c); the rows of a and c are without gaps."""
        self.call(a, self.k, 1, 0, self.room, 0, 0, 0, c, self.n, 0, None, bias,
                  a.shape[0], self.n, self.k, 1, self.room, 1 if accumulate else 0, 2)  # fmt: skip


def packs(b: Array) -> bool:
    """Whether our kernel multiplies by the matrix b."""
    return bool(
        b.ndim == 2 and b.dtype in ELEMENTS and b.shape[1] >= NARROW and b.size
        and steps(b) is not None and kernel(ELEMENTS[b.dtype]) is not None
    )  # fmt: skip


def usable(bias: Array, dtype: Any, n: int) -> bool:
    return bool(bias.dtype == dtype and bias.shape == (n,) and bias.flags.c_contiguous)
