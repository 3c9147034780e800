"""Views made from sizes and strides, quicker than NumPy's own helpers for small arrays."""

from __future__ import annotations

from typing import Any

import numpy as np


def view_with(a: Any, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """A view of `a` from its first element on, with these sizes and byte strides (unchecked)."""
    if a.ndim == 0 or a.flags.c_contiguous:
        try:
            return np.ndarray(shape, a.dtype, a, 0, strides)  # ten times quicker than as_strided
        except (ValueError, TypeError):  # read-only, or a type without a buffer format
            pass
    return as_strided(a, shape, strides, a.flags.writeable)


def as_strided(a: Any, shape: Any, strides: Any, writeable: bool = True) -> Any:
    """`np.lib.stride_tricks.as_strided`, which does not take arrays of complex32."""
    made = a.view(np.uint32) if a.dtype.kind == "W" else a
    made = np.lib.stride_tricks.as_strided(made, shape, strides, writeable=writeable)
    return made if made.dtype == a.dtype else made.view(a.dtype)


def expanded(a: Any, shape: tuple[int, ...]) -> Any:
    """`a` broadcast to `shape` without copying; ValueError when it does not broadcast."""
    if a.ndim == 0:
        return view_with(a, shape, (0,) * len(shape))
    return np.broadcast_to(a, shape)
