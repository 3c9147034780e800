"""Windows of an image written out as columns, for products over few positions.

y (C, taps, oh, ow, n) = x (C, h, w, n) at oy * stride + ky * dilation - padding, and so for the
other axis; zero outside. The images of a batch lie innermost, so that what is copied at once is
long where maps are small.

Not here: when columns are used (`select.py`), the transpose (`col2im.py`).
"""

from __future__ import annotations

import functools
from typing import Any

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import Function, Module, Pointer, Value
from ..codegen.planes import PlaneKernel

INTERFACE = Interface(
    "im2col",
    "y = the windows of x as columns, the images innermost",
    arrays={
        "x": "(channels, in_h, in_w, images)",
        "y": "(channels, kernel_h, kernel_w, out_h, out_w, images)",
    },
    ints={
        "rows": "rows of y: channels times kernel positions",
        "kernel_h": "lines of a window",
        "kernel_w": "columns of a window",
        "in_h": "lines of an image",
        "in_w": "columns of an image",
        "images": "images",
        "out_h": "lines of windows",
        "out_w": "columns of windows",
        "stride_h": "lines from one window to the next",
        "stride_w": "columns from one window to the next",
        "padding_h": "lines of zeros above an image",
        "padding_w": "columns of zeros before an image",
        "dilation_h": "lines from one element of a window to the next",
        "dilation_w": "columns from one element of a window to the next",
        "each": "rows that a chunk writes",
    },
)


class Im2Col(PlaneKernel):
    """`step`: the stride along a line of one image, or 0 for several images that are strided."""

    interface = INTERFACE

    def build(self) -> Module:
        f, get = self.begin()
        step, n = self.step[1], get["images"]
        start, stop = self.share(f, get, "rows")
        length, bound = get["out_w"] * n, get["in_w"] * n
        with f.range(start, stop) as row:
            taps = get["kernel_h"] * get["kernel_w"]
            channel, tap = row // taps, row % taps
            ky, kx = tap // get["kernel_w"], tap % get["kernel_w"]
            first = kx * get["dilation_w"] - get["padding_w"]
            with f.range(get["out_h"]) as oy:
                iy = oy * get["stride_h"] + ky * get["dilation_h"] - get["padding_h"]
                there = f.splat((iy >= 0) & (iy < get["in_h"]), self.n)
                source = get["x"].at((channel * get["in_h"] + iy) * bound)
                line = get["y"].at((row * get["out_h"] + oy) * length)
                if step:
                    self.write_line(f, get, source, line, there, first)
                else:
                    self.write_runs(f, get, source, line, there, first)
        f.ret()
        return self.finish("rows")

    def write_line(
        self, f: Function, get: Any, source: Pointer, line: Pointer, there: Value, first: Value
    ) -> None:
        """Windows whose images are neighbours, or of one image."""
        length, bound = get["out_w"] * get["images"], get["in_w"] * get["images"]
        whole = length - length % self.n

        def values(at: Value) -> Value:
            begin = at * self.step[1] + first * get["images"]
            masks = [m & there for m in self.masks(f, begin, bound, None)]
            return self.load(f, source, begin, masks)

        with f.range(0, whole, self.n) as at:
            line.store(values(at), at)
        with f.when(whole < length):
            line.store_masked(values(whole), whole, self.within(f, whole, length))

    def write_runs(
        self, f: Function, get: Any, source: Pointer, line: Pointer, there: Value, first: Value
    ) -> None:
        """The images of one window after those of another."""
        n = get["images"]
        with f.range(get["out_w"]) as ox, f.range(0, n, self.n) as at:
            ix = ox * get["stride_w"] + first
            inside = f.splat((ix >= 0) & (ix < get["in_w"]), self.n)
            real = self.within(f, at, n)
            value = source.load_masked(ix * n + at, real & there & inside)
            line.store_masked(value, ox * n + at, real)


@functools.cache
def kernel(e: str, step: int) -> Kernel:
    """The kernel of an element type; `step` as in `Im2Col`."""
    return Kernel(INTERFACE, (e, step), lambda: Im2Col(e, (1, 1), (1, step)).build())
