"""Extremes and where they stand, by NumPy: right for every type and layout."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dense import in_rows

Array = Any
UFUNCS: dict[str, Any] = {"max": np.maximum, "min": np.minimum}
FIND: dict[str, Any] = {"max": np.argmax, "min": np.argmin}
METHODS: dict[str, Any] = {"max": np.ndarray.argmax, "min": np.ndarray.argmin}


def find(how: str, x: Array, d: int | None) -> Array:
    """The first place of the extreme along dim d, or in the flattened array."""
    return FIND[how](x.astype(np.float32) if x.dtype.kind == "V" else x, axis=d)


def places(x: Array, *, how: str, d: int | None) -> Array:
    """`find` in int64, always an array."""
    return np.asarray(find(how, x, d), np.int64)


def extremes(x: Array, *, how: str, d: int, keepdims: bool) -> tuple[Array, Array]:
    """(extremes along dim d, their first places)."""
    if x.dtype.kind in "fiu":
        # The array's own method takes less time; the compiler's spies know NumPy's function alone.
        first = METHODS[how] if type(x) is np.ndarray else FIND[how]
        return (
            in_rows(np.asarray(UFUNCS[how].reduce(x, axis=d, keepdims=keepdims))),
            in_rows(np.asarray(first(x, axis=d, keepdims=keepdims))),
        )
    where = np.expand_dims(find(how, x, d), d)
    values = np.take_along_axis(x, where, d)
    if not keepdims:
        values, where = values.squeeze(d), where.squeeze(d)
    values = np.ascontiguousarray(values).reshape(values.shape)
    return values, in_rows(where.astype(np.int64, copy=False))


def first_of_blocks(y: Array, at: Array, *, how: str, shape: Any) -> tuple[Array, Array]:
    """What blocks of rows gave (matrices, blocks, columns) as one row, in a shape."""
    if y.shape[1] > 1:
        first = FIND[how](y, axis=1)[:, None]
        y, at = np.take_along_axis(y, first, 1), np.take_along_axis(at, first, 1)
    return y.reshape(shape), at.astype(np.int64, copy=False).reshape(shape)
