"""Average pooling by machine code: the tables of windows, and when it is used.

Every function answers None for what `reference.py` does with NumPy: other types, small arrays. Not
here: the kernels (`average_pool.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ..elementwise import select as elementwise
from ..matmul.select import ELEMENTS
from ..softmax.select import ELEMENTS_OF_CHUNK

Array = Any
Ints = tuple[int, ...]
Spans = tuple[tuple[Ints, Ints, Ints], ...]  # along each dimension: starts, ends, counts
LEAST = 1 if elementwise.ALWAYS else 4096  # elements of the input from which on a kernel is used
WIDEST = 4096  # columns of a line at most


@functools.lru_cache(maxsize=32)
def kernel(name: str, element: str) -> Any:
    from ..codegen import rows
    from . import average_pool

    if name == "windows":
        return average_pool.windows(element, False)
    if name == "transposed":
        return average_pool.windows(element, True)
    kinds = {"mean": {"x": "row", "y": "one"}, "spread": {"g": "one", "dx": "row"}}[name]
    return rows.kernel(getattr(average_pool, name), element, kinds)


def strided(
    size: Ints, kernel_: Ints, stride: Ints, padding: Ints, out: Ints, count_include_pad: bool,
    divisor: int | None,
) -> Spans:  # fmt: skip
    """The windows of an average pool, cut to what is there."""
    found = []
    for i, (n, k, s, p, o) in enumerate(zip(size, kernel_, stride, padding, out, strict=True)):
        start = np.arange(o) * s - p
        end = np.minimum(start + k, n + p)  # a hanging window does not count beyond the padding
        first, last = np.clip(start, 0, n), np.clip(end, 0, n)
        counts = end - start if count_include_pad else last - first
        if divisor is not None:
            counts = np.full(o, divisor if i == 0 else 1)
        found.append((tuple(first.tolist()), tuple(last.tolist()), tuple(counts.tolist())))
    return tuple(found)


def adaptive(size: Ints, out: Ints) -> Spans:
    """The windows floor(i n / o) .. ceil((i + 1) n / o)."""
    found = []
    for n, o in zip(size, out, strict=True):
        first = tuple(i * n // o for i in range(o))
        last = tuple(-(-(i + 1) * n // o) for i in range(o))
        found.append((first, last, tuple(b - a for a, b in zip(first, last, strict=True))))
    return tuple(found)


@functools.lru_cache(maxsize=128)
def tables(how: str, dtype: Any, transposed: bool, *key: Any) -> tuple[Any, ...]:
    """The operands of `llvm.average` that say where windows lie, and `most`."""
    spans: Spans = strided(*key) if how == "strided" else adaptive(*key)
    size = key[0]
    ranges = [[range(a, b) for a, b in zip(first, last, strict=True)] for first, last, _ in spans]
    if transposed:  # for each place the windows that hold it
        ranges = [
            [held(found, place) for place in range(n)]
            for found, n in zip(ranges, size, strict=True)
        ]
    counts = [np.asarray(c, dtype) for _, _, c in spans]
    sources = [len(s[0]) for s in spans] if transposed else list(size)
    lines: list[list[int]] = [[0]]
    rows_count = np.ones(1, dtype)
    for found, source, count in zip(ranges[:-1], sources, counts, strict=False):
        lines = [
            [a * source + b for a in before for b in here] for before in lines for here in found
        ]
        rows_count = (rows_count[:, None] * count).reshape(-1)
    starts = np.cumsum([0, *map(len, lines)]).astype(np.int64)
    flat = np.array([line for found in lines for line in found] or [0], np.int64)
    left = np.array([r.start for r in ranges[-1]], np.int32)
    right = np.array([r.stop for r in ranges[-1]], np.int32)
    most = int((right - left).max(initial=0))
    return (flat, starts, left, right, rows_count, counts[-1]), most


def held(windows: list[range], place: int) -> range:
    """Which windows hold a place: neighbours, for their starts and ends never go back."""
    found = [i for i, window in enumerate(windows) if place in window]
    return range(found[0], found[-1] + 1) if found else range(0)


def usable(x: Array, other: int) -> bool:
    return (
        x.__class__ is np.ndarray
        and x.dtype in ELEMENTS
        and max(x.size, other) >= LEAST
        and x.size > 0
        and x.shape[-1] <= WIDEST
        and bool(elementwise.jit())
    )


def pooled(x: Array, out: Ints, how: str, *key: Any) -> Array | None:
    """The mean of each window; `key` is what `strided` or `adaptive` is called with."""
    if not usable(x, 0) or not math.prod(out):
        return None
    return call(x, key[0], out, tables(how, x.dtype, False, *key), "windows")


def spread(g: Array, size: Ints, how: str, *key: Any) -> Array | None:
    """The transpose of `pooled`, to planes of `size`."""
    lead = math.prod(g.shape[: g.ndim - len(size)])
    if not usable(g, lead * math.prod(size)) or not math.prod(size):
        return None
    return call(
        g, g.shape[g.ndim - len(size) :], size, tables(how, g.dtype, True, *key), "transposed"
    )


def call(x: Array, size: Ints, out: Ints, found: tuple[Any, ...], name: str) -> Array:
    d = len(size)
    x, lead = np.ascontiguousarray(x), x.shape[: x.ndim - d]
    y = np.empty(lead + out, x.dtype)
    planes, (operands, most) = math.prod(lead), found
    lines, width = (math.prod(s[:-1]) for s in (size, out)), (size[-1], out[-1])
    h, oh = lines
    each = max(1, 2 * ELEMENTS_OF_CHUNK // max(math.prod(size), math.prod(out)))
    elementwise.jit()[2].ready()
    kernel(name, ELEMENTS[x.dtype])(
        x, y, *operands, planes, h, width[0], oh, width[1], most, each, -(-planes // each)
    )
    return y


# -- one window for the whole plane --------------------------------------------------------------


def whole_mean(x: Array, d: int) -> Array | None:
    """The mean over the last d dimensions, which stay as 1."""
    if not usable(x, 0):
        return None
    x, lead = np.ascontiguousarray(x), x.shape[: x.ndim - d]
    y = np.empty(lead + (1,) * d, x.dtype)
    over_rows("mean", x, y, y.size, x.size // y.size)
    return y


def whole_spread(g: Array, size: Ints) -> Array | None:
    """Each number of g (lead, 1, ...) over a plane of `size`, divided by its elements."""
    n = math.prod(size)
    if not n or not usable(g, g.size * n):
        return None
    dx = np.empty(g.shape[: g.ndim - len(size)] + size, g.dtype)
    over_rows("spread", np.ascontiguousarray(g), dx, g.size, n)
    return dx


def over_rows(name: str, source: Array, target: Array, rows: int, n: int) -> None:
    each = max(1, 2 * ELEMENTS_OF_CHUNK // n)
    elementwise.jit()[2].ready()
    kernel(name, ELEMENTS[source.dtype])(source, target, n, rows, 1, each, -(-rows // each))
