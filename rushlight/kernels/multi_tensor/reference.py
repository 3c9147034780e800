"""Norms, factors, limits and copies of arrays with NumPy, for all types and layouts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

Arrays = Sequence[np.ndarray]


def norm(arrays: Arrays, *, order: float) -> Any:
    """The norm of order 1, 2 or inf of all elements together, computed in float64."""
    with np.errstate(all="ignore"):
        flat = np.concatenate([a.ravel() for a in arrays]).astype(np.float64)
        if order == 2:
            return np.sqrt(np.dot(flat, flat))
        np.abs(flat, flat)
        return flat.max() if order == math.inf else flat.sum()


def of_parts(parts: np.ndarray, *, order: float) -> Any:
    """The norm, from what chunks have found: sums of magnitudes or squares, or maxima. Nothing here
    looks at a number, so that compiled programs can do it, too."""
    if order == math.inf:
        return np.maximum.reduce(parts)
    with np.errstate(all="ignore"):
        found = np.add.reduce(parts)
        return np.sqrt(found) if order == 2 else found


def scale(arrays: Arrays, numbers: Any) -> None:
    """Multiply all elements by a number, in place."""
    with np.errstate(all="ignore"):
        for a in arrays:
            np.multiply(a, np.asarray(numbers[0], a.dtype), out=a)


def limit(arrays: Arrays, numbers: Any) -> None:
    """Bring all elements between two numbers, in place; NaN stays."""
    with np.errstate(all="ignore"):
        for a in arrays:
            low, high = (np.asarray(x, a.dtype) for x in numbers)
            np.minimum(np.maximum(a, low, out=a), high, out=a)
