"""Padding on arrays: constants, reflection, replication, wrapping around; and their transposes.

`pad` is (left, right) pairs from the last dimension on, as PyTorch writes it; negative ones crop.
Not here: which kernel computes a constant margin (`select.py`), argument checks (`ops/nn/pad.py`).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from .. import tuning

Array = Any  # a numpy.ndarray, whose stubs do not know computed indices
Ints = tuple[int, ...]
FEW = 4  # positions that are added one by one sooner than together


def pairs(pad: Ints, ndim: int) -> list[tuple[int, int, int]]:
    """(axis, left, right) of every dimension that changes."""
    found = [(ndim - 1 - i, pad[2 * i], pad[2 * i + 1]) for i in range(len(pad) // 2)]
    return [p for p in found if p[1] or p[2]]


def padded_shape(shape: Ints, pad: Ints) -> Ints:
    """The shape of an array that is padded."""
    sizes = list(shape)
    for axis, left, right in pairs(pad, len(shape)):
        sizes[axis] += left + right
    return tuple(sizes)


@functools.lru_cache(maxsize=4096)
def margins(shape: Ints, pad: Ints) -> tuple[Ints, tuple[slice, ...], tuple[slice, ...]]:
    """(the padded shape, what of it is filled, by what of the array)."""
    full = list(shape)
    source = [slice(None)] * len(shape)
    target = [slice(None)] * len(shape)
    for axis, left, right in pairs(pad, len(shape)):
        full[axis] += left + right
        source[axis] = slice(max(0, -left), shape[axis] - max(0, -right))
        target[axis] = slice(max(0, left), full[axis] - max(0, right))
    return tuple(full), tuple(target), tuple(source)


def constant(x: Array, pad: Ints, value: Any) -> Array:
    """x in a frame of `value`."""
    shape, target, source = margins(x.shape, pad)
    y = np.full(shape, value, x.dtype) if value else np.zeros(shape, x.dtype)
    y[target] = x[source]
    return y


def sources(n: int, left: int, right: int, mode: str, some: Array | None = None) -> Array:
    """Which of n positions each position of the padded dimension shows, or `some` of these do."""
    if some is None:
        some = np.arange(n + left + right)
    if mode == "circular":  # cropped first: what was cut off does not come back
        cut = max(0, -left)
        rest = n - cut - max(0, -right)
        return (some - max(0, left)) % rest + cut
    at = some - left
    if mode == "reflect" and n > 1:
        at = np.abs(at) % (2 * n - 2)
        return np.minimum(at, 2 * n - 2 - at)
    return np.clip(at, 0, n - 1)


def in_place(n: int, left: int, right: int) -> tuple[int, int, slice]:
    """(start, end, what of n positions they show in order) of a padded dimension."""
    start, end = max(0, left), n + left + min(0, right)
    if end < start:  # so much is cut off that nothing of the middle is left
        start = end = n + left + right
    return start, end, slice(max(0, -left), n - max(0, -right))


def by_sources(x: Array, pad: Ints, mode: str) -> Array:
    """x continued beyond its edges as `mode` says."""
    for axis, left, right in pairs(pad, x.ndim):
        n, lead = x.shape[axis], (slice(None),) * axis
        if n < tuning.PAD_EDGES_LONG and x.size < tuning.PAD_EDGES_LEAST:
            x = np.take(x, sources(n, left, right, mode), axis)
            continue
        start, end, inside = in_place(n, left, right)
        y = np.empty((*x.shape[:axis], n + left + right, *x.shape[axis + 1 :]), x.dtype)
        if start < end:
            y[(*lead, slice(start, end))] = x[(*lead, inside)]
        for some in (range(start), range(end, y.shape[axis])):
            if some:
                source = sources(n, left, right, mode, np.arange(some.start, some.stop))
                y[(*lead, slice(some.start, some.stop))] = np.take(x, source, axis)
        x = y
    return x


def to_sources(g: Array, pad: Ints, mode: str) -> Array:
    """The transpose of `by_sources`: what each position was shown as, added up."""
    for axis, left, right in pairs(pad, g.ndim):
        n = g.shape[axis] - left - right
        lead = (slice(None),) * axis
        x = np.zeros((*g.shape[:axis], n, *g.shape[axis + 1 :]), g.dtype)
        start, end, inside = in_place(n, left, right)
        if start < end:
            x[(*lead, inside)] += g[(*lead, slice(start, end))]
        for some in (range(start), range(end, g.shape[axis])):
            if not some:
                continue
            source = sources(n, left, right, mode, np.arange(some.start, some.stop)).tolist()
            if len(some) > FEW and len(set(source)) == len(some):
                x[(*lead, source)] += g[(*lead, slice(some.start, some.stop))]
                continue
            for i, at in zip(some, source, strict=True):  # few, or some show the same position
                x[(*lead, at)] += g[(*lead, i)]
        g = x
    return g
