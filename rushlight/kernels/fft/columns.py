"""The kernel of short Fourier transforms along a dim that is not the innermost one: neighbours in
memory are transforms side by side, which the first pass reads and the last one writes.

Each block of them is read before it is written, so the result may take the operand's place. Not
here: transforms along rows (`rows.py`, `long.py`), the passes (`passes.py`), when it is used
(`select.py`).
"""

from __future__ import annotations

import functools

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import I64, PTR, Function, Module, Pointer, Value
from ..runtime import threads
from .passes import Passes, lanes_of
from .rows import SCHEDULE

INTERFACE = Interface(
    "fft_columns",
    "y = scale * the transform of x along its middle dim",
    arrays={
        "x": "(outer, points, inner) complex numbers", "y": "the same, or x itself", **SCHEDULE,
        "room?": "buffers of all chunks, where they are too large for the stack",
    },
    ints={
        "points": "points of a transform", "inner": "transforms side by side",
        "passes": "passes", "blocks": "vectors along inner, of each matrix",
        "units": "blocks of all matrices", "each": "units that are one chunk",
        "chunks": "chunks that threads share",
        "buffer": "numbers of a buffer in `room`; 0: buffers are on the stack",
    },
    floats={"scale": "factor of the results"},
)  # fmt: skip


def chosen(c: Function, condition: Value, a: Pointer, b: Pointer) -> Pointer:
    """One of two pointers."""
    return c.select(condition, a, b).of(a.element)


def build(e: str, radices: tuple[int, ...], back: bool) -> Module:
    """The module."""
    module = Module("fft_columns")
    threads.declare_run(module)
    passes = Passes(module, e, radices, back, ("first", "middle", "last"))
    w = lanes_of(e)
    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    word = INTERFACE.words(c.args["context"])
    stack, size = passes.buffers(c), word["buffer"]
    apart = word["room"].of(e).at(c.args["index"] * size * 2)
    room = (chosen(c, size == 0, stack[0], apart), chosen(c, size == 0, stack[1], apart.at(size)))
    begin = c.args["index"] * word["each"]
    end = begin + word["each"]
    end = c.select(end < word["units"], end, word["units"])
    step, scale = word["inner"] * 2, c.convert(word["scale"], e)
    with c.range(begin, end) as unit:
        block = unit % word["blocks"] * w
        place = unit // word["blocks"] * word["points"] * step + block * 2
        left = word["inner"] - block
        count = c.select(left < w, left, c.const(I64, w))
        x, y = word["x"].of(e).at(place), word["y"].of(e).at(place)
        passes.transform_memory(c, word, room, x, step, y, step, count, scale)
    c.ret()
    INTERFACE.write(module, "chunks")
    return module


@functools.cache
def kernel(e: str, radices: tuple[int, ...], back: bool) -> Kernel:
    """The kernel of transforms whose passes have these radices."""
    return Kernel(INTERFACE, (e, radices, back), lambda: build(e, radices, back))
