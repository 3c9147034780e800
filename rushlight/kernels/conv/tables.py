"""Tables of offsets that convolutions' kernels read: where windows begin, and how they go on.

They depend on shapes alone, so plans hold them as constants; plans of the same shapes share them.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

Array = Any
Ints = tuple[int, ...]
PANEL, GROUP = 32, 16  # positions of a panel and of a tile, as in `amx_conv.py`
SPARE = 32  # pixels that an image has behind its end at least, for tiles that run over


def offsets(counts: Ints, steps: list[int]) -> Array:
    """All sums of one multiple below its count of each step, in row-major order."""
    table = np.zeros(1, np.int64)
    for n, step in zip(counts, steps, strict=True):
        table = (table[:, None] + np.arange(n) * step).reshape(-1)
    return table


@functools.lru_cache(maxsize=256)
def window_offsets(
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


@functools.lru_cache(maxsize=256)
def flipped_offsets(inputs: int, outputs: int, kernel: Ints) -> Array:
    """Where in a weight (outputs, inputs, *kernel) column (output, flipped tap) of row 0 lies."""
    taps = math.prod(kernel)
    return offsets((outputs, taps), [inputs * taps, -1]) + taps - 1


@functools.lru_cache(maxsize=256)
def tap_offsets(taps: int, flipped: bool) -> Array:
    """Where the taps of a kernel lie, or of the flipped one."""
    return np.arange(taps)[::-1].copy() if flipped else np.arange(taps)


class Grid:
    """How the matrix unit goes through images of these sizes.

    Attributes:
        grid: lines and columns of an image that holds every stride-th pixel.
        steps: panels of 32 positions along the lines of such images, those at their ends among
            them.
        pixels: of all such images and some more, a multiple of 32.
        useful: the share of positions that are outputs.
        first, mask: which output position is the first of 16 that counts, and which count.
        tap: how far each tap lies from its position, in pixels.
    """

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
        self.ints = {
            "h": size[0], "w": size[1], "padding_h": padding[0], "padding_w": padding[1],
            "stride_h": stride[0], "stride_w": stride[1], "grid_h": high, "grid_w": wide,
            "pixels": self.pixels, "p": math.prod(out), "steps": self.steps,
            "taps": math.prod(kernel),
        }  # fmt: skip


grid = functools.lru_cache(maxsize=256)(Grid)
