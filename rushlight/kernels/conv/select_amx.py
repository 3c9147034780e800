"""Convolutions by the CPU's matrix unit: tables, room, and when it is used.

Every function answers None for what `select.py` or NumPy does: other types, few channels or
positions, three dimensions, numbers that cannot be split (infinities, NaN, numbers from 2**110 on).

Not here: the kernels (`amx_conv.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ... import config
from ..elementwise import select as elementwise
from ..matmul.select import has_amx
from ..runtime.workspace import workspace

Array = Any
Ints = tuple[int, ...]
LEAST_WORK = 1 if elementwise.ALWAYS else 1 << 22  # multiplications from which on the unit is used
# Output positions of all images, below which vectors are as fast.
FEW = 1 if elementwise.ALWAYS else 32
FEW_OF_WEIGHT = 1 if elementwise.ALWAYS else 128  # the same for a weight's gradient
USEFUL = 0.0 if elementwise.ALWAYS else 0.45  # the least share of a tile's work that counts
USEFUL_OF_WEIGHT = 0.0 if elementwise.ALWAYS else 0.55
MOST = 1 << 23  # bytes of split images at a time
TOGETHER = 1 << 20  # bytes of split operands that a weight's gradient goes through for each tap
CHUNKS = 16  # chunks that there should be
PANEL, GROUP = 32, 16  # as in `amx_conv.py`
SPARE = 32  # pixels that an image has behind its end at least, for tiles that run over


class Plan:
    """What a convolution of these sizes needs, made once."""

    def __init__(
        self, size: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, out: Ints
    ) -> None:
        lead = 2 - len(kernel)
        size, kernel, out = ((1,) * lead + s for s in (size, kernel, out))
        stride, dilation = ((1,) * lead + s for s in (stride, dilation))
        padding = (0,) * lead + padding
        self.grid = tuple(
            max(-(-(s + 2 * p) // d), o + (k - 1) * e // d)
            for s, p, d, o, k, e in zip(size, padding, stride, out, kernel, dilation, strict=True)
        )
        high, wide = self.grid
        positions = (out[0] - 1) * wide + out[1]
        self.steps = -(-positions // PANEL)
        self.pixels = -(-(math.prod(stride) * high * wide + 2 * SPARE) // PANEL) * PANEL
        self.useful = math.prod(out) / (self.steps * PANEL)
        self.given = (*size, *padding, *stride, high, wide, self.pixels, math.prod(out))
        p = np.arange(self.steps * PANEL)
        counts = (p % wide < out[1]) & (p // wide < out[0])
        bits = counts.reshape(-1, GROUP) @ (1 << np.arange(GROUP))
        before = np.cumsum(counts) - counts
        self.first = np.minimum(before[::GROUP], math.prod(out) - 1).astype(np.int32)
        self.mask = bits.astype(np.int32)
        y, x = np.meshgrid(*(np.arange(k) * d for k, d in zip(kernel, dilation, strict=True)),
                           indexing="ij")  # fmt: skip
        phase = y % stride[0] * stride[1] + x % stride[1]
        tap = (phase * high + y // stride[0]) * wide + x // stride[1]
        self.tap = tap.reshape(-1).astype(np.int64)


plan = functools.lru_cache(maxsize=256)(Plan)


def planned(
    x: Array, kernel_size: Ints, stride: Ints, padding: Ints, dilation: Ints, out: Ints,
    useful: float,
) -> Plan | None:  # fmt: skip
    """The plan where padding and sizes allow one and enough of a tile's work counts."""
    if min(padding) < 0 or max(x.shape[2:]) + 2 * max(padding) >= 1 << 28:
        return None
    made = plan(x.shape[2:], kernel_size, stride, padding, dilation, out)
    return made if made.useful >= useful else None


def chosen(
    dtype: Any, other: Any, n: int, groups: int, c: int, o: int, taps: int, p: int, few: int
) -> bool:
    """Whether operands of these types and sizes are for the matrix unit."""
    if dtype != np.float32 or other != np.float32 or n * p < few:
        return False
    if n * groups * c * o * taps * p < LEAST_WORK or not n * groups * c * o * taps * p:
        return False
    filled = c / (-(-c // PANEL) * PANEL) * o / (-(-o // GROUP) * GROUP)
    return filled >= USEFUL and has_amx()


def kernel(which: str) -> Any:
    from ..matmul import amx
    from . import amx_conv

    parts = amx.PARTS[config.current.matmul_precision]
    kind = amx_conv.Forward if which == "forward" else amx_conv.Weight
    return compiled(kind, parts), parts


@functools.cache
def compiled(kind: Any, parts: int) -> Any:
    from . import amx_conv

    return amx_conv.kernel(kind, parts)


@functools.lru_cache(maxsize=256)
def straight_places(taps: int) -> Array:
    return np.arange(taps)


@functools.lru_cache(maxsize=256)
def turned_places(taps: int) -> Array:
    return np.arange(taps)[::-1].copy()


def forward(
    x: Array, w: Array, bias: Array | None, stride: Ints, padding: Ints, dilation: Ints,
    groups: int, out: Ints, turned: bool = False,
) -> Array | None:  # fmt: skip
    """`conv.conv`; `turned` as in `conv_native.forward`. x is not padded."""
    n, c = x.shape[0], x.shape[1] // groups
    o, size = w.shape[1] if turned else w.shape[0] // groups, w.shape[2:]
    taps, p = math.prod(size), math.prod(out)
    if len(size) > 2 or not chosen(x.dtype, w.dtype, n, groups, c, o, taps, p, FEW):
        return None
    made = planned(x, size, stride, padding, dilation, out, USEFUL)
    if made is None:
        return None
    call, parts = kernel("forward")
    x, w = np.ascontiguousarray(x), np.ascontiguousarray(w)
    y = np.empty((n, groups * o, *out), x.dtype)
    if bias is not None:
        bias = np.ascontiguousarray(bias, x.dtype)
    # element (output i, channel j, tap t) of a group's weights
    row, col = (taps, w.shape[1] * taps) if turned else (w.shape[1] * taps, taps)
    places = (turned_places if turned else straight_places)(taps)
    blocks, panels = -(-c // PANEL), -(-o // PANEL)
    each_image = groups * blocks * parts * made.pixels * 64
    many = min(n, max(1, MOST // each_image))
    weights = groups * panels * blocks * taps * 2 * parts * 1024
    space = workspace(weights + many * each_image)
    elementwise.jit()[2].ready()
    flag = np.zeros(8, np.int64)
    for i in range(0, n, many):
        part = x[i : i + many]
        total = part.shape[0] * made.steps
        each = max(1, min(32, -(-total * panels * groups // CHUNKS)))
        call(part, space[weights:], flag, part.shape[0], groups, c, o, *made.given, made.steps,
             taps, made.first, made.mask, made.tap, w, space, y, bias, places, row, col,
             w.shape[0] // groups * w.shape[1] * taps, i, each)  # fmt: skip
        if flag[0]:
            return None
    return y


def weight(
    x: Array, g: Array, kernel_size: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Array | None:
    """`conv.conv_weight`. x is not padded."""
    n, c, o = x.shape[0], x.shape[1] // groups, g.shape[1] // groups
    taps, out = math.prod(kernel_size), g.shape[2:]
    p = math.prod(out)
    if len(out) > 2 or not chosen(x.dtype, g.dtype, n, groups, c, o, taps, p, FEW_OF_WEIGHT):
        return None
    made = planned(x, kernel_size, stride, padding, dilation, out, USEFUL_OF_WEIGHT)
    if made is None:
        return None
    call, parts = kernel("weight")
    x, g = np.ascontiguousarray(x), np.ascontiguousarray(g)
    channels, outputs = -(-c // PANEL), -(-o // PANEL)
    each_image = groups * channels * PANEL * made.pixels * 2 * parts
    each_output = groups * outputs * made.steps * 2 * parts * 1024
    many = min(n, max(1, 2 * MOST // (each_image + each_output)))
    used = (each_image // channels + each_output // outputs) // groups
    together = max(1, TOGETHER // used)
    space = workspace(many * (each_image + each_output))
    elementwise.jit()[2].ready()
    flag = np.zeros(8, np.int64)
    total: Any = None
    for i in range(0, n, many):
        part = x[i : i + many]
        count = part.shape[0]
        each = -(-count // min(count, max(1, CHUNKS // 2 // (groups * channels * outputs))))
        slices = -(-count // each)
        dw = np.empty((slices, groups * o, c, *kernel_size), x.dtype)
        call(part, space[count * each_output :], flag, count, groups, c, o, *made.given, made.steps,
             taps, made.first, made.mask, made.tap, g[i : i + many], space, dw, slices, each,
             together)  # fmt: skip
        if flag[0]:
            return None
        if slices > 1:
            dw = dw.sum(0)[None]
        total = dw[0] if total is None else total + dw[0]
    return total
