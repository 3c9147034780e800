"""Images with a margin around them, in one pass: each line is written once, whatever it holds.

An image has up to three dimensions; a chunk is a number of its planes.

Not here: when it is used (`select.py`).
"""

from __future__ import annotations

import functools
from typing import Any

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import Function, Module, Pointer, Value
from ..codegen.planes import PlaneKernel

INTERFACE = Interface(
    "zero_pad",
    "y = x with a margin of one value, which is mostly zero",
    arrays={
        "x": "(images, in_d, in_h, in_w)",
        "y": "(images, out_d, out_h, out_w)",
    },
    ints={
        "planes": "planes of y: images times out_d",
        "in_d": "planes of an image of x",
        "in_h": "lines of a plane of x",
        "in_w": "columns of a plane of x",
        "front": "planes of y before the first of x; negative where x is cropped",
        "top": "lines of y above the first of x",
        "left": "columns of y before the first of x",
        "out_d": "planes of an image of y",
        "out_h": "lines of a plane of y",
        "out_w": "columns of a plane of y",
        "each": "planes of y that a chunk writes",
    },
    floats={"value": "what the margin is filled with"},
)


class ZeroPad(PlaneKernel):
    """The kernel of an element type."""

    interface = INTERFACE

    def build(self) -> Module:
        f, get = self.begin()
        start, stop = self.share(f, get, "planes")
        margin = f.splat(f.convert(get["value"], self.e), self.n)
        with f.range(start, stop) as plane:
            image, depth = plane // get["out_d"], plane % get["out_d"] - get["front"]
            here = (depth >= 0) & (depth < get["in_d"])
            with f.range(get["out_h"]) as oy:
                line = get["y"].at((plane * get["out_h"] + oy) * get["out_w"])
                row = oy - get["top"]
                with f.when(here & (row >= 0) & (row < get["in_h"])) as branch:
                    place = (image * get["in_d"] + depth) * get["in_h"] + row
                    source = get["x"].at(place * get["in_w"])
                    self.write(f, get, line, source, margin)
                with branch.otherwise():
                    self.write(f, get, line, None, margin)
        f.ret()
        return self.finish("planes")

    def write(
        self, f: Function, get: Any, line: Pointer, source: Pointer | None, margin: Value
    ) -> None:
        ow = get["out_w"]

        def values(at: Value) -> Value:
            if source is None:
                return margin
            first = at - get["left"]
            return source.load_masked(first, self.within(f, first, get["in_w"]), margin)

        whole = ow - ow % self.n
        with f.range(0, whole, self.n) as at:
            line.store(values(at), at)
        with f.when(whole < ow):
            line.store_masked(values(whole), whole, self.within(f, whole, ow))


@functools.cache
def kernel(e: str) -> Kernel:
    """The kernel of an element type."""
    return Kernel(INTERFACE, (e,), lambda: ZeroPad(e, (1, 1), (1, 1)).build())
