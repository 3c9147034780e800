"""Columns added up into images: the transpose of taking windows (`im2col.py`).

The same walk as the gradient of a depthwise convolution's input, but each tap has a plane of its
own instead of a weight.

Not here: the choice (`select.py`), the walk (`depthwise.py`).
"""

from __future__ import annotations

import functools
from typing import Any

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import Function, Pointer, Value, Variable
from ..codegen.planes import Ints, Taps
from .depthwise import SIZES, Sum, backward_phases

INTERFACE = Interface(
    "col2im",
    "each plane of y = the sum over taps of planes of x, shifted",
    arrays={
        "x": "columns: planes (in_h, in_w) of each image, channel and tap, steps apart",
        "y": "planes (planes, out_h, out_w)",
    },
    ints={
        "planes": "planes of y: images times channels",
        "channels": "channels of an image",
        "image_step": "elements from an image of x to the next",
        "channel_step": "elements from a channel of x to the next",
        "tap_step": "elements from a tap of x to the next",
        **{k: text.format("y", "x") for k, text in SIZES.items()},
        "each": "planes of y that a chunk computes",
    },
)


class Col2Im(Sum):
    """y[plane] = the sum over taps of a plane of columns each: the transpose of taking windows."""

    interface = INTERFACE

    def operands(self, f: Function, get: Any, plane: Value) -> tuple[Pointer, list[Value]]:
        image, channel = plane // get["channels"], plane % get["channels"]
        first = image * get["image_step"] + channel * get["channel_step"]
        taps = self.kernel[0] * self.kernel[1]
        return get["x"].at(first), [get["tap_step"] * t for t in range(taps)]

    def add(
        self, f: Function, get: Any, given: tuple[Pointer, list[Value]], sums: list[Variable],
        masks: dict[int, list[Value]], taps: Taps, at: Value, q: Value,
    ) -> None:  # fmt: skip
        x, shifts = given

        def body(lines: list[Pointer], there: list[Value] | None) -> None:
            totals = [s.get() for s in sums]
            for i, (line, (_, ky)) in enumerate(zip(lines, taps, strict=True)):
                for c, phase in enumerate(self.columns):
                    for offset, kx in phase:
                        use = masks[offset]
                        if there is not None:
                            use = [m & f.splat(there[i], self.n) for m in use]
                        plane = line.at(shifts[ky * self.kernel[1] + kx])
                        totals[c] = totals[c] + self.load(f, plane, q + offset, use)
            for s, total in zip(sums, totals, strict=True):
                s.set(total)

        self.lines(f, x, at, taps, get["in_h"], get["in_w"], body)


@functools.cache
def kernel(e: str, size: Ints, stride: Ints, padding: Ints, dilation: Ints) -> Kernel:
    """The kernel of an element type and of numbers in two dimensions."""
    how = zip(size, stride, padding, dilation, strict=True)
    rows, columns = (backward_phases(*h) for h in how)
    return Kernel(
        INTERFACE, (e, size, stride, padding, dilation),
        lambda: Col2Im(e, size, (1, 1), rows, columns, False).build(),
    )  # fmt: skip
