"""Convolutions whose windows are written out, so that one product does it all.

A kernel that walks through windows packs the weights first. Where there are few positions, as in
the last layers of a network, that costs more than the multiplications; a product that reads the
weights as they lie, or splits them for a matrix unit, does not.

Every function answers None for what other kernels do. Not here: the copy (`im2col.py`), the
products (`matmul/select.py`), the transpose of it all (`conv_native.columns_input`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ..elementwise import select as elementwise
from ..matmul.select import ELEMENTS, has_amx, product
from ..tuning import MATMUL_AMX_LEAST, MATMUL_AMX_SIDE

Array = Any
Ints = tuple[int, ...]
# Multiplications from which on windows are written out.
LEAST_WORK = 1 if elementwise.ALWAYS else 1 << 20
FEW = 64  # output positions of all images, up to which no kernel that packs weights is as fast
FEW_LARGE, LARGE = 192, 1 << 19  # the same for weights of so many elements
SMALL = 32  # positions of an image up to which the matrix unit wants whole columns
SMALL_WEIGHT = 64  # the same for a weight's gradient
MOST = 1 << 26  # bytes of columns
CHUNK = 1 << 14  # elements that are copied at a time


def suited(dtype: Any, other: Any, n: int, w: Ints, groups: int, p: int) -> bool:
    """Whether a convolution with weights of shape `w`, or its transpose, is for columns."""
    if not usable(dtype, other, n, w, groups, p):
        return False
    few = FEW_LARGE if math.prod(w) >= LARGE else FEW
    return n * p <= few or (p <= SMALL and by_unit(dtype, n, w, groups, p))


def usable(dtype: Any, other: Any, n: int, w: Ints, groups: int, p: int) -> bool:
    if dtype not in ELEMENTS or other != dtype or len(w) > 4 or not elementwise.jit():
        return False
    columns = groups * math.prod(w[1:]) * n * p
    work = columns * (w[0] // groups)
    return work >= LEAST_WORK and 0 < columns * dtype.itemsize <= MOST


def by_unit(dtype: Any, n: int, w: Ints, groups: int, p: int) -> bool:
    """Whether the product is made by the CPU's matrix unit."""
    m, k = w[0] // groups, math.prod(w[1:])
    large = min(m, k, n * p) >= MATMUL_AMX_SIDE and m * k * n * p >= MATMUL_AMX_LEAST
    return dtype == np.float32 and groups == 1 and large and has_amx()


@functools.cache
def kernel(element: str, step: int) -> Any:
    from . import im2col

    return im2col.kernel(element, step)


def columns(
    x: Array, kernel_: Ints, stride: Ints, padding: Ints, dilation: Ints, out: Ints
) -> Array:
    """(C * taps, positions * images): the images innermost."""
    n, c, size, lead = x.shape[0], x.shape[1], x.shape[2:], (1,) * (2 - len(out))
    if math.prod(out) == 1 and kernel_ == size and not any(padding) and max(dilation) == 1:
        return x.reshape(n, -1).T  # the only window is the whole image
    x = np.ascontiguousarray(x[0] if n == 1 else np.moveaxis(x, 0, -1))
    rows, length = c * math.prod(kernel_), math.prod(out) * n
    y = np.empty((rows, length), x.dtype)
    step = stride[-1] if n == 1 or stride[-1] == 1 else 0
    numbers = [lead + v for v in (kernel_, size, out, stride, dilation)]
    (kh, kw), (h, w), (oh, ow), (sy, sx), (dy, dx) = numbers
    py, px = (0, *padding)[-2:]
    call = kernel(ELEMENTS[x.dtype], step)
    elementwise.jit()[2].ready()
    call(x, y, rows, kh, kw, h, w, n, oh, ow, sy, sx, py, px, dy, dx, max(1, CHUNK // length))
    return y


def forward(
    x: Array, w: Array, bias: Array | None, stride: Ints, padding: Ints, dilation: Ints,
    groups: int, out: Ints,
) -> Array | None:  # fmt: skip
    """`conv.conv`. x is not padded."""
    n, o = x.shape[0], w.shape[0]
    if min(padding) < 0 or not suited(x.dtype, w.dtype, n, w.shape, groups, math.prod(out)):
        return None
    col = columns(x, w.shape[2:], stride, padding, dilation, out)
    if groups == 1:
        y = product(w.reshape(o, -1), col)
    else:
        y = product(w.reshape(groups, o // groups, -1), col.reshape(groups, -1, col.shape[1]))
    y = y.reshape(o, *out, n)
    if bias is not None:
        y += bias.reshape(-1, *[1] * (y.ndim - 1))
    return np.ascontiguousarray(np.moveaxis(y, -1, 0))


def weight(
    x: Array, g: Array, kernel_: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Array | None:
    """`conv.conv_weight`. x is not padded."""
    n, o, out = g.shape[0], g.shape[1], g.shape[2:]
    shape, p = (o, x.shape[1] // groups, *kernel_), math.prod(out)
    if min(padding) < 0 or not usable(x.dtype, g.dtype, n, shape, groups, p):
        return None
    if p > SMALL_WEIGHT or not by_unit(x.dtype, n, shape, groups, p):
        return None
    col = columns(x, kernel_, stride, padding, dilation, out)
    return product(np.moveaxis(g, 0, -1).reshape(o, -1), col.T).reshape(shape)
