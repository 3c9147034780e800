"""The sum of two arrays that belong to no operation: gradients that meet.

Not here: a + b as an operation (`ops/elementwise/arithmetic.py`), whose kernel this is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import tuning
from .formula import fuse_step

Array = Any
_sum: Any = fuse_step(np.add, "add", numpy="arithmetic")


def added(a: Array, b: Array) -> Array:
    """a + b, of arrays of one type."""
    total = a + b if a.size < tuning.ELEMENTWISE_ARITHMETIC_LEAST else _sum(a, b)
    # (NumPy makes a number of two arrays without dims)
    return total if total.__class__ is np.ndarray else np.asarray(total)


def add_into(a: Array, b: Array) -> None:
    """a += b.

    Raises:
        ValueError, TypeError: where the sum is not of a's shape and type; a is as it was.
    """
    _sum.planned.into(np.add, a, b)
