"""Losses over classes by NumPy: the bodies of `cross_entropy.py` on whole arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..codegen.row_body import RowBody, by_numpy, computed

Array = Any


def status_of(target: Array, classes: int, ignored: int) -> Array:
    """How many targets are no class, and how many do not count."""
    skipped = target == ignored
    wrong = ((target < 0) | (target >= classes)) & ~skipped
    return np.array([np.count_nonzero(wrong), np.count_nonzero(skipped)])


def losses(
    x: Array, target: Array, w: Array | None, weights: float, *, body: RowBody, dim: int,
    wanted: tuple[str, ...], ignored: int, keep: float, share: float,
) -> tuple[Array, ...]:  # fmt: skip
    """status, sums, loss and, with weights, factor of each target."""
    c = computed(x.dtype)
    status = status_of(target, x.shape[dim], ignored)
    if status[0] or not x.size:
        none = np.zeros(target.shape, c)
        sums = np.zeros((3 if "smooth" in body.name else 2, *target.shape), c)
        return (status, sums, none, *([none] if "factor" in wanted else []))
    operands = {"x": x, "target": np.expand_dims(target.astype(np.int64, copy=False), dim)}
    if w is not None:
        operands["w"] = across(w, c, x.ndim, dim)
    floats = {"ignored": ignored, "keep": keep, "share": share, "weights": weights}
    sums, *found = by_numpy(body, operands, wanted[1:], dim, floats)
    return (status, np.stack(sums).reshape(-1, *target.shape),
            *(a.reshape(target.shape) for a in found))  # fmt: skip


def across(w: Array, dtype: Any, ndim: int, dim: int) -> Array:
    """A number for each class, shaped to broadcast."""
    return w.astype(dtype, copy=False).reshape([-1 if i == dim else 1 for i in range(ndim)])


def slopes(
    g: Array | None, x: Array, target: Array, w: Array | None, sums: Array,
    slope: Array | float | None, weights: float, *, body: RowBody, dim: int, ignored: int,
    keep: float, share: float,
) -> Array:  # fmt: skip
    """The gradient of x, given `g` of each loss, or one `slope` for all."""
    if not x.size:
        return np.zeros(x.shape, x.dtype)
    c = computed(x.dtype)
    operands = {"x": x, "target": np.expand_dims(target.astype(np.int64, copy=False), dim),
                "sums": np.expand_dims(sums, dim + 1)}  # fmt: skip
    if w is not None:
        operands["w"] = across(w, c, x.ndim, dim)
    if g is not None:
        operands["g"] = np.expand_dims(g.astype(c, copy=False), dim)
    else:
        operands["slope"] = np.asarray(slope, c)
    floats = {"ignored": ignored, "keep": keep, "share": share, "weights": weights}
    return by_numpy(body, operands, ("dx",), dim, floats)[0]
