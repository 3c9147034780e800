"""Extremes of large arrays with the places they stand in, in machine code, and when that is used.

Not here: the kernels (`argreduce.py`), extremes alone (`reduce/select.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ..elementwise import select as elementwise
from ..matmul.select import ELEMENTS

Array = Any
LEAST = 1 if elementwise.ALWAYS else 131072  # elements from which on a kernel is used
SHORT = 1 if elementwise.ALWAYS else 16  # elements along memory below which NumPy is quicker


@functools.lru_cache(maxsize=64)
def kernel(how: str, element: str) -> Any:
    from . import argreduce

    return argreduce.kernel(how, element)


def located(how: str, x: Array, d: int) -> tuple[Array, Array] | None:
    """("max" or "min" of x over dim d, the first places): for a dim that is not the last.

    None when NumPy should do it.
    """
    if (
        x.size < LEAST
        or d == x.ndim - 1
        or x.dtype not in ELEMENTS
        or not x.flags.c_contiguous
        or not x.flags.aligned
        or not elementwise.jit()
    ):
        return None
    count, rows, n = math.prod(x.shape[:d]), x.shape[d], math.prod(x.shape[d + 1 :])
    if n < SHORT or rows >= 1 << 31:
        return None
    from .argreduce import BLOCK, width_of

    element = ELEMENTS[x.dtype]
    block = max(BLOCK, -(-rows // 8))
    blocks = -(-rows // block)
    y = np.empty((count, blocks, n), x.dtype)
    at = np.empty(y.shape, np.int32 if element == "float" else np.int64)
    elementwise.jit()[2].ready()
    kernel(how, element)(x, y, at, rows, n, block, count * blocks * -(-n // width_of(element)))
    if blocks > 1:
        find = np.argmax if how == "max" else np.argmin
        first = find(y, axis=1)[:, None]
        y, at = np.take_along_axis(y, first, 1), np.take_along_axis(at, first, 1)
    shape = (*x.shape[:d], *x.shape[d + 1 :])
    return y.reshape(shape), at.astype(np.int64, copy=False).reshape(shape)
