"""Shape rules that many ops share; an op of its own sort states its own beside it.

    tril.shape(same)                            as the operand
    select_backward.shape(given)                the shape is a parameter
    mse_loss.shape(loss)                        one number, or one an element: `reduction`

A rule gets what the op gets, with `MetaArray`s for arrays, and returns metadata.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import axis
from ...kernels.meta import MetaArray
from .types import ShapeRule

INT64 = np.dtype(np.int64)


def real_of(dtype: Any) -> Any:
    """The type of the parts of a complex type; any other type itself."""
    return np.empty(0, dtype).real.dtype


def same(x: Any, *_: Any, **__: Any) -> MetaArray:
    """The shape and type of the first operand."""
    return MetaArray(x.shape, x.dtype)


def on(check: Any) -> ShapeRule:
    """`same`, after `check` of the call has passed."""

    def rule(x: Any, *more: Any, **kw: Any) -> MetaArray:
        check(x, *more, **kw)
        return MetaArray(x.shape, x.dtype)

    return rule


def along(x: Any, *_: Any, dim: int, **__: Any) -> MetaArray:
    """`same`, for a `dim` in range."""
    axis(dim, x.ndim)
    return MetaArray(x.shape, x.dtype)


def given(x: Any, *_: Any, shape: Any, **__: Any) -> MetaArray:
    """The shape that is a parameter, the type of the first operand."""
    return MetaArray(tuple(shape), x.dtype)


def broadcast(*xs: Any, **_: Any) -> MetaArray:
    """The operands' shapes broadcast, their common type."""
    arrays = [x for x in xs if hasattr(x, "shape")]
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    return MetaArray(shape, np.result_type(*(a.dtype for a in arrays)))


def loss(*xs: Any, reduction: str, **_: Any) -> MetaArray:
    """One number, or with reduction "none" the operands' shapes broadcast."""
    each = broadcast(*xs)
    return each if reduction == "none" else MetaArray((), each.dtype)


def scalar(x: Any, *_: Any, **__: Any) -> MetaArray:
    """One number of the operand's type."""
    return MetaArray((), x.dtype)


def sized(x: Any, *_: Any, size: Any, **__: Any) -> MetaArray:
    """Batch and channels as they are, then the sizes that are a parameter."""
    kept = x.shape[: x.ndim - len(size)]
    return MetaArray((*kept, *size), x.dtype)
