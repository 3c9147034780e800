"""Sums of narrow floats whose error does not grow with their length.

Large arrays go to machine code (`select.py`). NumPy adds pairwise along the axis that is
contiguous in memory, but one after the other along an outer axis. Long outer axes are therefore
summed in blocks here. Nothing here knows about Tensors.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import select

NP: Any = np  # NumPy's stubs do not know `keepdims` as a variable
BLOCK = 256
NARROW = (np.dtype(np.float32), np.dtype(np.complex64))


def add_reduce(x: Any, axes: tuple[int, ...], keepdims: bool = False) -> Any:
    """`np.add.reduce`; float32 over long leading axes of a contiguous array block by block."""
    if x.size >= select.LEAST:
        found = select.reduced("add", x, axes, keepdims)
        if found is not None:
            return found
    if x.dtype in NARROW and axes and x.ndim > len(axes):
        if x.flags.c_contiguous:
            y = leading(x, axes)
        elif x.flags.f_contiguous:  # the same from the other end
            y = leading(x.T, tuple(x.ndim - 1 - d for d in axes))
            y = None if y is None else y.T
        else:
            y = None
        if y is not None:
            return np.expand_dims(y, axes) if keepdims else y
    return NP.add.reduce(x, axis=axes, keepdims=keepdims)


def leading(x: Any, axes: tuple[int, ...]) -> Any:
    """The sum over long leading axes of a contiguous array; None for others."""
    k = len(axes)
    n = math.prod(x.shape[:k])
    if n < 4 * BLOCK or not x.size or sorted(axes) != list(range(k)):
        return None
    return blocks(x.reshape(n, -1)).reshape(x.shape[k:])


def blocks(x: Any) -> Any:
    """The sum over the first axis of a matrix: of blocks of rows, then of their sums."""
    while len(x) >= 4 * BLOCK:
        n = len(x) // BLOCK * BLOCK
        sums = np.add.reduce(x[:n].reshape(-1, BLOCK, x.shape[1]), axis=1)
        if n < len(x):
            sums[-1] += np.add.reduce(x[n:], axis=0)
        x = sums
    return np.add.reduce(x, axis=0)
