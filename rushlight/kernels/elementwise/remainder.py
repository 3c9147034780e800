"""Remainders of integers by NumPy.

NumPy divides by one number in vectors (it multiplies by a reciprocal), but has no such remainder:
of many numbers it is what the quotient leaves.

Not here: remainders of floats, which are formulas.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import tuning

Array = Any


def remainder(a: Array, b: Array) -> Array:
    """a - b * floor(a / b), with the sign of b; b has no 0."""
    whole = a.dtype.kind in "iu" and b.dtype.kind in "iu"
    if b.ndim or not whole or a.size < tuning.REMAINDER_LEAST:
        return np.remainder(a, b)
    y = np.floor_divide(a, b)
    y *= b
    return np.subtract(a, y, out=y)
