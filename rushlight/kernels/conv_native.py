"""Convolutions by our own machine code: tables of offsets, room, and when it is used.

`forward` and `weight` answer None for what `conv.py` does with NumPy: other types, depthwise
kernels, images with few output positions. The choice looks at types and shapes alone.

Not here: the kernels (`llvm/conv.py`), the products themselves and their meaning (`conv.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from . import fused
from .matmul import ELEMENTS, room

Array = Any
Ints = tuple[int, ...]
LEAST_WORK = 1 if fused.ALWAYS else 1 << 15  # multiplications from which on a kernel is used
FEW = 1 if fused.ALWAYS else 24  # output positions of an image below which tiles are mostly empty
SLICES = 16  # chunks wanted of a weight's gradient, so that threads have something to share


@functools.cache
def kernels(element: str) -> Any:
    """(forward, weight, columns of a tile); None without machine code."""
    if not fused.jit():
        return None
    from .llvm import conv

    forward, weight = (conv.kernel(which, element) for which in (conv.Forward, conv.Weight))
    return forward, weight, conv.lanes(element)


@functools.lru_cache(maxsize=256)
def tables(
    size: Ints, kernel: Ints, stride: Ints, dilation: Ints, out: Ints, channels: int, extra: int
) -> tuple[Array, Array]:
    """(position, tap): element (k, p) of the windows of an image is x[tap[k] + position[p]].

    `position` is int32 and ends in `extra` copies of its last entry, for vectors that run over.
    """
    steps = [math.prod(size[i + 1 :]) for i in range(len(size))]
    position = offsets(out, [s * step for s, step in zip(stride, steps, strict=True)])
    taps = [d * step for d, step in zip(dilation, steps, strict=True)]
    tap = offsets((channels, *kernel), [math.prod(size), *taps])
    position = np.concatenate([position, np.full(extra, position[-1])])
    return position.astype(np.int32), tap


def offsets(counts: Ints, steps: list[int]) -> Array:
    """All sums of one multiple below its count of each step, in row-major order."""
    table = np.zeros(1, np.int64)
    for n, step in zip(counts, steps, strict=True):
        table = (table[:, None] + np.arange(n) * step).reshape(-1)
    return table


def found(x: Array, w: Array, groups: int, rows: int, work: int, positions: int) -> Any:
    """The kernels for these operands; None when NumPy should do it."""
    dtype = x.dtype
    if dtype not in ELEMENTS or w.dtype != dtype or positions < FEW or work < LEAST_WORK:
        return None
    if groups > 1 and rows == 1:  # depthwise: a tile would have one row
        return None
    if x[0].size >= 1 << 31:
        return None
    return kernels(ELEMENTS[dtype])


def forward(
    x: Array, w: Array, bias: Array | None, stride: Ints, dilation: Ints, groups: int, out: Ints
) -> Array | None:
    """`conv` of an image that is padded already."""
    n, c = x.shape[0], x.shape[1] // groups
    m, kernel, size = w.shape[0] // groups, w.shape[2:], x.shape[2:]
    k, p = c * math.prod(kernel), math.prod(out)
    have = found(x, w, groups, m, n * groups * m * k * p, p)
    if have is None or not n * m * k * p:
        return None
    call, _, tile = have
    position, tap = tables(size, kernel, stride, dilation, out, c, 2 * tile)
    y = np.empty((n, groups * m, *out), x.dtype)
    if bias is not None:
        bias = np.ascontiguousarray(bias, x.dtype)
    packed = room(groups * m * k * x.itemsize)
    fused.jit()[2].ready()
    call(np.ascontiguousarray(x), np.ascontiguousarray(w), y, bias, position, tap, packed,
         n, groups, m, p, k, c * math.prod(size))  # fmt: skip
    return y


def weight(
    x: Array, g: Array, kernel: Ints, stride: Ints, dilation: Ints, groups: int
) -> Array | None:
    """`conv_weight` of an image that is padded already."""
    n, c = x.shape[0], x.shape[1] // groups
    m, out, size = g.shape[1] // groups, g.shape[2:], x.shape[2:]
    k, p = c * math.prod(kernel), math.prod(out)
    have = found(x, g, groups, m, n * groups * m * k * p, p)
    if have is None or not n * m * k * p:
        return None
    _, call, tile = have
    position, tap = tables(size, kernel, stride, dilation, out, c, 2 * tile)
    chunks = groups * -(-k // (4 * tile))
    each = -(-n // min(n, max(1, SLICES // chunks)))  # images a slice
    slices = -(-n // each)
    dw = np.empty((slices, groups * m, c, *kernel), x.dtype)
    fused.jit()[2].ready()
    call(np.ascontiguousarray(x), np.ascontiguousarray(g), dw, position, tap,
         n, groups, m, p, k, c * math.prod(size), slices, each)  # fmt: skip
    return dw.sum(0) if slices > 1 else dw[0]
