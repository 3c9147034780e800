"""What stands where an ndarray would: MetaArray, the shape, type and strides of an array without
its data (the 'meta' device), and the base of sparse arrays (`sparse/arrays.py`)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


class SparseArray:
    """An array of which only some elements are stored; the classes are in `sparse/arrays.py`, which
    is executed when a program makes a first one."""

    __slots__ = ()
    __array_ufunc__ = None  # NumPy's functions refuse it, and its own operators are asked


class MetaArray:
    """Stands where an ndarray would; answers every question that needs no data."""

    __slots__ = ("dtype", "shape", "strides")
    base = None
    flags = None
    __array_ufunc__ = None  # NumPy's functions refuse it (comparisons would compare objects)

    def __init__(
        self, shape: tuple[int, ...], dtype: Any, strides: tuple[int, ...] | None = None
    ) -> None:
        self.shape = tuple(shape)
        self.dtype = np.dtype(dtype)
        self.strides = (
            contiguous_strides(self.shape, self.dtype.itemsize) if strides is None else strides
        )

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    def astype(self, dtype: Any) -> MetaArray:
        return MetaArray(self.shape, dtype)

    def copy(self, order: str = "C") -> MetaArray:
        return MetaArray(self.shape, self.dtype)

    def standin(self) -> Any:
        """A real ndarray of this shape and these strides over one element: never to be read for
        its values."""
        if self.size == 0:
            return np.empty(self.shape, self.dtype)
        one = np.ones(1, self.dtype)
        return np.lib.stride_tricks.as_strided(one, self.shape, self.strides, writeable=False)

    def zeros(self) -> Any:
        """A real ndarray of ones with zero strides: may be read, takes no memory."""
        return np.broadcast_to(np.ones((), self.dtype), self.shape)


def contiguous_strides(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Row-major strides in bytes; a size-0 dimension counts as 1, as in PyTorch."""
    strides = []
    step = itemsize
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def inserted_strides(shape: tuple[int, ...], steps: tuple[int, ...]) -> tuple[int, ...]:
    """Strides as PyTorch counts them: NumPy has 0 for a new dimension of one element, PyTorch what
    lies behind it."""
    found = list(steps)
    for i in range(len(shape) - 1, -1, -1):
        if found[i] == 0 and shape[i] == 1:
            found[i] = shape[i + 1] * found[i + 1] if i + 1 < len(shape) else 1
    return tuple(found)
