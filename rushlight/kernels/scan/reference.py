"""Running results by NumPy: right for every type and layout."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dense import in_rows

Array = Any
UFUNCS: dict[str, Any] = {
    "add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum,
    "logadd": np.logaddexp,
}  # fmt: skip


def accumulate(x: Array, *, how: str, d: int, back: bool) -> Array:
    """Running results along dim d; `back`: from the end to the start."""
    ufunc = UFUNCS[how]
    if back:
        return np.ascontiguousarray(np.flip(ufunc.accumulate(np.flip(x, d), axis=d), d))
    if x.dtype == np.float32 and how in ("add", "mul"):
        # one after the other: errors would add up
        return in_rows(ufunc.accumulate(x, axis=d, dtype=np.float64).astype(np.float32))
    return in_rows(ufunc.accumulate(x, axis=d))


def extremes(x: Array, *, how: str, d: int) -> tuple[Array, Array]:
    """(running extremes along dim d, their last places)."""
    values = UFUNCS[how].accumulate(x, axis=d)
    place = np.arange(x.shape[d]).reshape((x.shape[d],) + (1,) * (x.ndim - d - 1))
    hit = x == values
    if x.dtype.kind == "f":
        hit = hit | np.isnan(x)
    places = np.maximum.accumulate(np.where(hit, place, 0), axis=d)
    return in_rows(values), in_rows(places)


def columns(x: Array, *, count: int, rows: int) -> Array:
    """Lines as the columns of a dense matrix."""
    return np.ascontiguousarray(x.reshape(count, rows).T)


def lines(y: Array, *, shape: Any) -> Array:
    """And back."""
    return np.ascontiguousarray(y.T).reshape(shape)
