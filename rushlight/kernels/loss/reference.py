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
    wanted: tuple[str, ...], reduction: str, ignored: int, keep: float, share: float,
) -> tuple[Array, ...]:  # fmt: skip
    """status; sums, loss and, with weights, factor of each target (`wanted`); and the losses' sum
    or mean, unless each is wanted."""
    c = computed(x.dtype)
    status = status_of(target, x.shape[dim], ignored)
    if status[0] or not x.size:
        sums = [np.zeros(target.shape, c)] * (3 if "smooth" in body.name else 2)
        found = [np.zeros(target.shape, c)] * (len(wanted) - 1)
    else:
        operands = {"x": x, "target": np.expand_dims(target.astype(np.int64, copy=False), dim)}
        if w is not None:
            operands["w"] = across(w, c, x.ndim, dim)
        floats = {"ignored": ignored, "keep": keep, "share": share, "weights": weights}
        sums, *found = by_numpy(body, operands, wanted, dim, floats)
        found = [a.reshape(target.shape) for a in found]
    loss, *factors = found
    total = np.asarray(factors[0].sum() if factors else loss.dtype.type(loss.size - int(status[1])))
    kept = np.concatenate([*(np.ravel(a) for a in sums), total.reshape(1)])
    if reduction == "none":
        return status, kept, *found
    y = np.add.reduce(loss, axis=None)
    if reduction == "mean":
        with np.errstate(all="ignore"):
            y = np.true_divide(y, total)
    return status, kept, *found, np.asarray(y)


def across(w: Array, dtype: Any, ndim: int, dim: int) -> Array:
    """A number for each class, shaped to broadcast."""
    return w.astype(dtype, copy=False).reshape([-1 if i == dim else 1 for i in range(ndim)])


def slopes(
    g: Array, x: Array, target: Array, w: Array | None, sums: Array, weights: float, *,
    body: RowBody, dim: int, g_is: str, ignored: int, keep: float, share: float,
) -> Array:  # fmt: skip
    """The gradient of x; `g_is` that of each loss ("g"), of their sum ("slope") or of their mean
    ("whole")."""
    if not x.size:
        return np.zeros(x.shape, x.dtype)
    c = computed(x.dtype)
    each = sums[:-1].reshape(-1, *target.shape)
    operands = {"x": x, "target": np.expand_dims(target.astype(np.int64, copy=False), dim),
                "sums": np.expand_dims(each, dim + 1)}  # fmt: skip
    if w is not None:
        operands["w"] = across(w, c, x.ndim, dim)
    if g_is == "g":
        operands["g"] = np.expand_dims(g.astype(c, copy=False), dim)
    elif g_is == "slope":
        operands["slope"] = np.asarray(g, c)
    else:
        with np.errstate(all="ignore"):
            operands["slope"] = np.asarray(np.true_divide(np.asarray(g, c), sums[-1]))
    floats = {"ignored": ignored, "keep": keep, "share": share, "weights": weights}
    return by_numpy(body, operands, ("dx",), dim, floats)[0]
