"""Running sums, products and extremes of large arrays in machine code, and when that is used.

`scanned` and `placed` answer None for what NumPy does: small arrays and other types. float32 is
added and multiplied in float64. Work is cut by shape, so results do not depend on the number of
threads.

Not here: the kernels (`scan.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ..elementwise import select as elementwise

Array = Any
LEAST = 1 if elementwise.ALWAYS else 4096  # elements from which on a kernel is used
PIECE = 16384  # elements of a piece of work
COLUMNS = 512  # as in `scan.py`
ELEMENTS = {
    np.dtype(np.float32): "float",
    np.dtype(np.float64): "double",
    np.dtype(np.int64): "i64",
}
MANY = 8  # lines for which exponentials side by side are worth turning a matrix twice
NOTHING = np.empty(0, np.int64)


@functools.lru_cache(maxsize=64)
def kernel(direction: str, how: str, element: str, places: bool, back: bool) -> Any:
    from . import scan

    return scan.kernel(direction, how, element, places, back)


def scanned(
    how: str, x: Array, d: int, back: bool = False, places: bool = False
) -> tuple[Array, Array] | None:
    """(running results, last places of the extreme) along dim d, in range; None: use NumPy.

    Args:
        how: "add", "mul", "max", "min" or "logadd" (log of the sum of exponentials).
        back: from the end to the start.
        places: whether places are wanted, of "max" and "min".
    """
    if x.__class__ is not np.ndarray or x.size < max(LEAST, 1) or x.dtype not in ELEMENTS:
        return None
    if not x.flags.aligned or not elementwise.jit():
        return None
    count, rows, n = math.prod(x.shape[:d]), x.shape[d], math.prod(x.shape[d + 1 :])
    element = ELEMENTS[x.dtype]
    along = n == 1
    if rows >= 1 << 31 or (along and how == "mul" and element == "double"):
        return None  # products of neighbours may overflow where one after the other does not
    if along and how == "logadd" and count >= MANY:
        turned = scanned(how, np.ascontiguousarray(x.reshape(count, rows).T), 0, back)
        assert turned is not None
        return np.ascontiguousarray(turned[0].T).reshape(x.shape), NOTHING
    x = np.ascontiguousarray(x)
    y = np.empty(x.shape, x.dtype)
    at = np.empty(x.shape, np.int64) if places else NOTHING
    call = kernel("along" if along else "across", how, element, places, back)
    part = partat = NOTHING
    if along:
        segment, parts, each = rows, 1, max(1, PIECE // rows)
        if rows >= 4 * PIECE and how != "mul":
            segment, each = PIECE, 1
            parts = -(-rows // segment)
            part = np.empty(count * parts, np.float64)
            partat = np.empty(count * parts if places else 0, np.int64)
        numbers = (count, rows, segment, parts, each, -(-count // each) * parts)
    else:
        tiles = -(-n // COLUMNS)
        numbers = (count, n, rows, tiles, 1, count * tiles)
    elementwise.jit()[2].ready()
    call(x, y, at, part, partat, *numbers)
    return y, at
