"""Maximum pooling by our own machine code: padding, planes, and when it is used.

Every function answers None (or False) for what `reference.py` does with NumPy: other types, three
dimensions, large windows, small arrays. The choice looks at types and shapes alone.

Not here: the kernels (`max_pool.py`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..elementwise import select as elementwise
from ..matmul.select import ELEMENTS

Array = Any
Ints = tuple[int, ...]
Frame = Callable[[Array, Ints, Ints, Any], Array]
LEAST = 1 if elementwise.ALWAYS else 2048  # elements of the result from which on a kernel is used
LARGEST = 36  # elements of a window whose taps are written out one by one
PLANES = 8192  # elements of the result that a chunk makes, in whole planes


@functools.lru_cache(maxsize=256)
def kernel(what: str, element: str, window: Ints, stride: Ints, dilation: Ints) -> Any:
    from . import max_pool as max_pool_kernels

    return max_pool_kernels.kernel(what, element, window, stride, dilation)


def two(kernel_: Ints, stride: Ints, dilation: Ints) -> tuple[Ints, Ints, Ints] | None:
    """Window, stride and dilation in two dimensions; None for what is left to NumPy."""
    if len(kernel_) > 2 or math.prod(kernel_) > LARGEST or math.prod(kernel_) == 1:
        return None
    lead = (1,) * (2 - len(kernel_))
    return lead + kernel_, lead + stride, lead + dilation


def usable(a: Array, size: int) -> bool:
    return a.dtype in ELEMENTS and size >= LEAST and bool(elementwise.jit())


def call(what: str, x: Array, y: Any, taps: Any, how: tuple[Ints, Ints, Ints], out: Ints,
         size: Ints, lead: int) -> None:  # fmt: skip
    """Run a kernel over all planes; `out` and `size` are the planes of result and input."""
    oh, ow = (1, *out)[-2:]
    h, w = (1, *size)[-2:]
    each = max(1, PLANES // max(1, oh * ow))
    elementwise.jit()[2].ready()
    kernel(what, ELEMENTS[x.dtype], *how)(x, y, taps, lead, oh, ow, h, w, each)


def framed(x: Array, how: tuple[Any, ...], out: Ints, frame: Frame) -> Array:
    """x with -inf around it, as far as the windows reach."""
    kernel_, stride, padding, dilation = how
    steps = zip(kernel_, stride, dilation, out, strict=True)
    reach = tuple((o - 1) * s + d * (k - 1) + 1 for k, s, d, o in steps)
    return np.ascontiguousarray(frame(x, padding, reach, -np.inf))


def max_pool(
    x: Array, kernel_: Ints, stride: Ints, padding: Ints, dilation: Ints, out: Ints, frame: Frame
) -> Array | None:
    """The maximum of each window; NaN wins, padding never does."""
    d = len(kernel_)
    lead = x.shape[: x.ndim - d]
    how = two(kernel_, stride, dilation)
    if how is None or not usable(x, math.prod(lead) * math.prod(out)):
        return None
    inner = framed(x, (kernel_, stride, padding, dilation), out, frame)
    y = np.empty(lead + out, x.dtype)
    call("max_pool", inner, y, None, how, out, inner.shape[-d:], math.prod(lead))
    return y


def max_tap(
    x: Array, y: Array, kernel_: Ints, stride: Ints, padding: Ints, dilation: Ints, out: Ints,
    frame: Frame,
) -> Array | None:  # fmt: skip
    """Which tap of its window holds each maximum y: the first of equals, the last of NaNs."""
    d = len(kernel_)
    how = two(kernel_, stride, dilation)
    if how is None or not usable(x, y.size):
        return None
    if any(padding) and np.fmin.reduce(y, axis=None) == -np.inf:
        return None  # a window of nothing but -inf: padding would look like its maximum
    inner = framed(x, (kernel_, stride, padding, dilation), out, frame)
    taps = np.empty(y.shape, np.uint8)
    lead = math.prod(x.shape[: x.ndim - d])
    call("max_tap", inner, None, taps, how, out, inner.shape[-d:], lead)
    return taps


def put_taps(
    g: Array, taps: Array, frame: Array, kernel_: Ints, stride: Ints, dilation: Ints
) -> bool:
    """Add each g into `frame`, zeros with padding, where its tap says; False: not done."""
    d = len(kernel_)
    how = two(kernel_, stride, dilation)
    if how is None or taps.dtype != np.uint8 or not usable(g, g.size):
        return False
    out, lead = g.shape[g.ndim - d :], math.prod(g.shape[: g.ndim - d])
    g, taps = np.ascontiguousarray(g), np.ascontiguousarray(taps)
    call("put_taps", g, frame, taps, how, out, frame.shape[frame.ndim - d :], lead)
    return True
