"""Reductions of consecutive pieces along a dimension, as `torch.segment_reduce` has them.

Arrays come as (outer, n, inner), offsets as (outer, segments + 1): piece i of a row is
[offsets[i], offsets[i+1]).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..sparse import select as sums

Array = np.ndarray[Any, Any]

UFUNCS = {
    "sum": (np.add, 0.0),
    "mean": (np.add, 0.0),
    "prod": (np.multiply, 1.0),
    "max": (np.maximum, -np.inf),
    "min": (np.minimum, np.inf),
}


def forward(x: Array, offsets: Array, reduce: str, initial: float | None) -> Array:
    """(outer, segments, inner)."""
    bare = initial is None or (initial == 0 and reduce in ("sum", "mean"))
    if bare and reduce != "prod" and sums.plain(x, offsets):
        return _by_rows(x, offsets, reduce, initial)
    ufunc, start = UFUNCS[reduce]
    start = start if initial is None else initial
    counts = np.diff(offsets)
    out = np.full((x.shape[0], counts.shape[1], x.shape[2]), start, x.dtype)
    with np.errstate(all="ignore"):
        for row, bounds, count, result in zip(x, offsets, counts, out, strict=True):
            some = np.flatnonzero(count)
            if len(some):
                pieces = ufunc.reduceat(row[: bounds[-1]], bounds[:-1][some], axis=0)
                result[some] = ufunc(pieces, start, dtype=x.dtype)
    if reduce == "mean":
        empty = counts == 0
        out /= np.where(empty, 1, counts)[:, :, None]
        if initial is None:
            out[empty] = np.nan
    return out


def _by_rows(x: Array, offsets: Array, reduce: str, initial: float | None) -> Array:
    """The same by the kernel."""
    places, mean = np.arange(x.shape[1]), reduce == "mean"
    how = reduce if reduce in ("max", "min") else "add"
    found = [sums.csr_mm(a, places, o, None, mean, how) for a, o in zip(x, offsets, strict=True)]
    out = np.stack(found) if len(found) > 1 else found[0][None]
    if mean and initial is None:
        out[np.diff(offsets) == 0] = np.nan
    return out


def gradient(
    g: Array, y: Array, x: Array, offsets: Array, reduce: str, initial: float | None
) -> Array:
    """The gradient of x; extremes that occur several times share it."""
    dx = np.zeros_like(x)
    for o, (bounds, count) in enumerate(zip(offsets, np.diff(offsets), strict=True)):
        inside = slice(bounds[0], bounds[-1])
        spread = np.repeat(np.arange(len(count)), count)
        part, whole, go = x[o, inside], y[o][spread], g[o][spread]
        if reduce in ("sum", "mean"):
            dx[o, inside] = go if reduce == "sum" else go / count[spread][:, None]
        elif reduce == "prod":
            start = 1.0 if initial is None else initial
            dx[o, inside] = go * _others(part, whole, bounds - bounds[0], start)
        else:
            chosen = (part == whole) | np.isnan(part)
            ties = np.zeros(y[o].shape, x.dtype)
            some = np.flatnonzero(count)
            if len(some):
                begins = bounds[:-1][some] - bounds[0]
                ties[some] = np.add.reduceat(chosen, begins, axis=0, dtype=x.dtype)
            dx[o, inside] = np.where(chosen, go / np.maximum(ties[spread], 1), 0)
    return dx


def _others(part: Array, whole: Array, bounds: Array, start: float) -> Array:
    """The products of all elements of a piece but one."""
    plain = (part != 0) & ~np.isnan(part)
    out = np.divide(whole, part, out=np.zeros_like(part), where=plain)
    for k, j in zip(*np.nonzero(~plain), strict=True):
        piece = int(np.searchsorted(bounds, k, "right")) - 1
        rest = np.delete(part[bounds[piece] : bounds[piece + 1], j], k - bounds[piece])
        out[k, j] = start * rest.prod()
    return out
