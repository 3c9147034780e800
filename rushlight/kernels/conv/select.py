"""Convolutions by our own machine code: tables of offsets, room, and when it is used.

Every function answers None for what `reference.py` does with NumPy: other types, small problems,
very large or three-dimensional depthwise kernels. The choice looks at types and shapes alone.

Not here: the kernels (`implicit_gemm.py`, `depthwise.py`, `pad/zero_pad.py`), the products
themselves and their meaning (`reference.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ..elementwise import select as elementwise
from ..matmul.select import ELEMENTS, product
from ..runtime.workspace import workspace

Array = Any
Ints = tuple[int, ...]
Numbers = tuple[Ints, Ints, Ints, Ints]  # kernel, stride, padding, dilation
LEAST_WORK = 1 if elementwise.ALWAYS else 1 << 15  # multiplications from which on a kernel is used
# Output positions of all images below which tiles are mostly empty.
FEW = 1 if elementwise.ALWAYS else 24
# Elements of a depthwise result from which on a kernel is used.
LEAST = 1 if elementwise.ALWAYS else 2048
TAPS = 49  # the largest kernel whose depthwise taps are written out one by one
PLANES = 8192  # elements of a depthwise result that a chunk makes, in whole planes
BLOCK = 1 << 21  # elements of a block of columns: less than that, and threads wait for each other
FULL = 64  # output positions of an image below which several images share a panel
NARROW = 128  # output positions below which a product is made for many images at once
SLICES = 16  # chunks wanted of a weight's gradient, so that threads have something to share


@functools.cache
def kernels(element: str) -> Any:
    """(forward, weight, columns of a tile); None without machine code."""
    if not elementwise.jit():
        return None
    from . import implicit_gemm

    forward, weight = (
        implicit_gemm.kernel(which, element)
        for which in (implicit_gemm.Forward, implicit_gemm.Weight)
    )
    return forward, weight, implicit_gemm.lanes(element)


@functools.lru_cache(maxsize=256)
def tables(
    size: Ints, kernel: Ints, stride: Ints, dilation: Ints, out: Ints, channels: int, extra: int,
    images: int = 1, image: int = 0,
) -> tuple[Array, Array]:  # fmt: skip
    """(position, tap): element (k, p) of the windows of an image is x[tap[k] + position[p]].

    Positions may go on through several images of `image` elements. `position` is int32 and ends
    in `extra` copies of its last entry, for vectors that run over.
    """
    steps = [math.prod(size[i + 1 :]) for i in range(len(size))]
    strides = [s * step for s, step in zip(stride, steps, strict=True)]
    position = offsets((images, *out), [image, *strides])
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


@functools.cache
def frame_kernel(element: str) -> Any:
    from ..pad import zero_pad

    return zero_pad.kernel(element)


def framed(x: Array, padding: Ints, value: Any) -> Array | None:
    """`conv.padded` of an array without gaps; None when NumPy should do it."""
    d = len(padding)
    if x.dtype not in ELEMENTS or d > 3 or x.size < LEAST or not elementwise.jit():
        return None
    if not x.flags.c_contiguous or min(padding) < 0 or max(x.shape[-d:]) + max(padding) >= 1 << 29:
        return None
    size = x.shape[x.ndim - d :]
    full = tuple(s + 2 * p for s, p in zip(size, padding, strict=True))
    y = np.empty(x.shape[: x.ndim - d] + full, x.dtype)
    lead = (1,) * (3 - d)
    planes = y.size // math.prod(full[-2:])
    call = frame_kernel(ELEMENTS[x.dtype])
    elementwise.jit()[2].ready()
    call(x, y, np.full(1, value, x.dtype), planes, *lead, *size, *(0,) * (3 - d), *padding,
         *lead, *full, max(1, PLANES // math.prod(full[-2:])))  # fmt: skip
    return y


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


@functools.lru_cache(maxsize=256)
def turned_places(inputs: int, outputs: int, kernel: Ints) -> Array:
    """Where in a weight (outputs, inputs, *kernel) column (output, turned tap) of row 0 lies."""
    taps = math.prod(kernel)
    return offsets((outputs, taps), [inputs * taps, -1]) + taps - 1


def forward(
    x: Array, w: Array, bias: Array | None, stride: Ints, dilation: Ints, groups: int, out: Ints,
    turned: bool = False,
) -> Array | None:  # fmt: skip
    """`conv` of an image that is padded already.

    `turned`: with the weight whose convolution is the transpose of w's, channels swapped and kernel
    turned.
    """
    n, c = x.shape[0], x.shape[1] // groups
    m, kernel, size = w.shape[1] if turned else w.shape[0] // groups, w.shape[2:], x.shape[2:]
    places = turned_places(m, c, kernel) if turned else None
    k, p = c * math.prod(kernel), math.prod(out)
    have = found(x, w, groups, m, n * groups * m * k * p, n * p)
    if have is None or not n * m * k * p:
        return None
    call, _, tile = have
    images = together(x, p, tile)
    position, tap = tables(
        size, kernel, stride, dilation, out, c, 2 * tile, images, x[0].size if images > 1 else 0
    )
    y = np.empty((n // images, groups * m, images * p), x.dtype)
    if bias is not None:
        bias = np.ascontiguousarray(bias, x.dtype)
    packed = workspace(groups * m * k * x.itemsize)
    elementwise.jit()[2].ready()
    call(np.ascontiguousarray(x), np.ascontiguousarray(w), y, bias, position, tap, packed, places,
         math.prod(kernel), n // images, groups, m, images * p, k,
         c * math.prod(size))  # fmt: skip
    if images > 1:
        y = np.ascontiguousarray(y.reshape(-1, n, p).swapaxes(0, 1))
    return y.reshape(n, -1, *out)


def together(x: Array, positions: int, tile: int) -> int:
    """How many images share a panel of positions: all where its panels are not full."""
    few = positions < FULL or (positions < 4 * FULL and positions % tile > 0)
    return x.shape[0] if few and x.size < 1 << 31 else 1


def weight(
    x: Array, g: Array, kernel: Ints, stride: Ints, dilation: Ints, groups: int
) -> Array | None:
    """`conv_weight` of an image that is padded already."""
    n, c = x.shape[0], x.shape[1] // groups
    m, out, size = g.shape[1] // groups, g.shape[2:], x.shape[2:]
    k, p = c * math.prod(kernel), math.prod(out)
    have = found(x, g, groups, m, n * groups * m * k * p, n * p)
    if have is None or not n * m * k * p:
        return None
    _, call, tile = have
    images = together(x, p, tile)
    position, tap = tables(
        size, kernel, stride, dilation, out, c, 2 * tile, images, x[0].size if images > 1 else 0
    )
    if images > 1:
        g = g.reshape(n, groups * m, p).swapaxes(0, 1)
        n, p = 1, n * p
    chunks = groups * -(-k // (4 * tile))
    each = -(-n // min(n, max(1, SLICES // chunks)))  # images a slice
    slices = -(-n // each)
    dw = np.empty((slices, groups * m, c, *kernel), x.dtype)
    elementwise.jit()[2].ready()
    call(np.ascontiguousarray(x), np.ascontiguousarray(g), dw, position, tap,
         n, groups, m, p, k, c * math.prod(size), slices, each)  # fmt: skip
    return dw.sum(0) if slices > 1 else dw[0]


# -- depthwise -----------------------------------------------------------------------------------


@functools.lru_cache(maxsize=256)
def depthwise_kernel(what: str, element: str, summed: bool, how: Numbers) -> Any:
    from . import depthwise

    return depthwise.kernel(what, element, *how, summed)


def planar(
    x: Array, w: Array, size: int, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints
) -> Numbers | None:
    """The numbers of a depthwise convolution in two dimensions; None when NumPy should do it."""
    if x.dtype not in ELEMENTS or w.dtype != x.dtype or size < LEAST or not elementwise.jit():
        return None
    if len(kernel) > 2 or math.prod(kernel) > TAPS or not x.size or x[0, 0].size >= 1 << 30:
        return None
    if max(stride) > 8:  # the way back has a phase for each residue
        return None
    lead = 2 - len(kernel)
    return (
        (1,) * lead + kernel, (1,) * lead + stride, (0,) * lead + padding, (1,) * lead + dilation
    )  # fmt: skip


def depthwise(
    x: Array, w: Array, bias: Array | None, stride: Ints, padding: Ints, dilation: Ints, out: Ints
) -> Array | None:
    """`conv` with a kernel for each plane; x is not padded."""
    n, rows = x.shape[0], w.shape[0]
    size = n * rows * math.prod(out)
    how = planar(x, w, size, w.shape[2:], stride, padding, dilation)
    if how is None:
        return None
    y = np.empty((n, rows, *out), x.dtype)
    if bias is not None:
        bias = np.ascontiguousarray(bias, x.dtype)
    call = depthwise_kernel("forward", ELEMENTS[x.dtype], False, how)
    elementwise.jit()[2].ready()
    call(np.ascontiguousarray(x), np.ascontiguousarray(w), y, bias, n * rows, 1,
         rows // x.shape[1], rows, *(1, *out)[-2:], *(1, *x.shape[2:])[-2:],
         max(1, PLANES // math.prod(out)))  # fmt: skip
    return y


def depthwise_input(
    g: Array, w: Array, channels: int, size: Ints, stride: Ints, padding: Ints, dilation: Ints
) -> Array | None:
    """`conv_input` with a kernel for each plane."""
    n, rows = g.shape[0], w.shape[0]
    many = rows // channels
    planes = n * channels
    how = planar(g, w, planes * math.prod(size), w.shape[2:], stride, padding, dilation)
    if how is None:
        return None
    x = np.empty((n, channels, *size), g.dtype)
    call = depthwise_kernel("input", ELEMENTS[g.dtype], many > 1, how)
    elementwise.jit()[2].ready()
    call(np.ascontiguousarray(g), np.ascontiguousarray(w), x, None, planes, many, 1, rows,
         *(1, *size)[-2:], *(1, *g.shape[2:])[-2:],
         max(1, PLANES // math.prod(size)))  # fmt: skip
    return x


def depthwise_weight(
    x: Array, g: Array, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints
) -> Array | None:
    """`conv_weight` with a kernel for each plane; x is not padded."""
    n, rows = g.shape[:2]
    how = planar(x, g, g.size, kernel, stride, padding, dilation)
    if how is None:
        return None
    dw = np.empty((rows, 1, *kernel), x.dtype)
    call = depthwise_kernel("weight", ELEMENTS[x.dtype], False, how)
    elementwise.jit()[2].ready()
    call(np.ascontiguousarray(x), np.ascontiguousarray(g), dw, n, rows // x.shape[1], rows,
         *(1, *g.shape[2:])[-2:], *(1, *x.shape[2:])[-2:],
         max(1, PLANES // (n * math.prod(g.shape[2:]))))  # fmt: skip
    return dw


# -- the gradient of the input by columns ---------------------------------------------------------


def columns_input(
    g: Array, w: Array, size: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Array | None:
    """`conv_input` as a product that makes columns, block by block, and their sum."""
    n, o = g.shape[:2]
    c, kernel, out = w.shape[1] * groups, w.shape[2:], g.shape[2:]
    taps, p = math.prod(kernel), math.prod(out)
    work = n * o * w[0].size * p
    how = planar(g, w, work, kernel, stride, padding, dilation)
    if how is None or work < LEAST_WORK or n * p < FEW:
        return None
    if p == 1 and groups == 1 and size == kernel and not any(padding) and max(dilation) == 1:
        left, right = g.reshape(n, o), w.reshape(o, -1)  # the only window is the whole image
        return product(left, right).reshape(n, c, *size)
    x = np.empty((n, c, *size), g.dtype)
    call = depthwise_kernel("fold", ELEMENTS[g.dtype], False, how)
    wt = w.reshape(groups, o // groups, -1).swapaxes(1, 2)
    many = max(1, BLOCK // (c * taps * p))
    g = g.reshape(n, groups, o // groups, p)
    each = max(1, PLANES // math.prod(size))
    for i in range(0, n, many):
        part = g[i : i + many]
        count = part.shape[0]
        if p < NARROW:  # (groups, rows, images, positions)
            part = part.transpose(1, 2, 0, 3).reshape(groups, o // groups, -1)
            steps = (p, taps * count * p, count * p)
        else:
            steps = (c * taps * p, taps * p, p)
        left = wt[0] if groups == 1 else wt
        right = part.reshape(*(part.shape[0],) * (p >= NARROW), o, -1) if groups == 1 else part
        columns = product(left, right)
        elementwise.jit()[2].ready()
        call(columns, columns, x[i : i + count], None, count * c, 1, 1, c,
             *(1, *size)[-2:], *(1, *out)[-2:], each, c, *steps)  # fmt: skip
    return x
