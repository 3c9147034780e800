"""Vectors along the lines of planes: what depthwise convolutions, columns and padding share.

What lies outside a line is zero by a mask, so nothing need be padded. A mask says which lanes of
a vector lie inside; a load takes neighbours, every second element, or a gather.

Not here: the kernels (`conv/depthwise.py`, `conv/im2col.py`, `conv/col2im.py`, `pad/zero_pad.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..runtime import jit, threads
from .interface import Interface
from .ir import F64, I32, I64, PTR, Function, Module, Pointer, Value, vector

Ints = tuple[int, ...]
Taps = tuple[tuple[int, int], ...]  # (offset into the input, tap)


class PlaneKernel:
    """What the kernels share: their words, the chunks of planes, masks and loads.

    Args:
        e: element type.
        kernel: lines and columns of a window.
        step: stride along lines and columns of the input.
    """

    interface: Interface

    def __init__(self, e: str, kernel: Ints, step: Ints) -> None:
        self.e, self.kernel, self.step = e, kernel, step
        self.n = jit.target().lanes // (2 if e == F64 else 1)
        self.module = Module(self.interface.name)

    def begin(self) -> tuple[Function, dict[str, Any]]:
        """The function `chunk`, and its words by name."""
        threads.declare_run(self.module)
        f = self.module.function("chunk", None, [("words", PTR), ("index", I64)], private=True)
        get: dict[str, Any] = dict(self.interface.words(f.args["words"]))
        for name in self.interface.arrays:
            get[name] = get[name].of(self.e)
        return f, get

    def share(self, f: Function, get: dict[str, Any], count: str) -> tuple[Value, Value]:
        """The part of `count` that a chunk computes: from the first to before the last."""
        start = f.args["index"] * get["each"]
        stop = start + get["each"]
        return start, f.select(stop < get[count], stop, get[count])

    def finish(self, count: str) -> Module:
        """The function that hands out chunks of `each` of `count`."""

        def chunks(_f: Function, word: dict[str, Value]) -> Value:
            return (word[count] + (word["each"] - 1)) // word["each"]

        self.interface.write(self.module, chunks)
        return self.module

    def within(self, f: Function, first: Value, bound: Value, step: int = 1) -> Value:
        """Lanes whose place first + step * lane lies in [0, bound)."""
        t = vector(I32, self.n)
        places = f.iota(t) * step + f.convert(first, I32)
        return f.compare("lt", places, f.splat(f.convert(bound, I32), self.n), unsigned=True)

    def masks(self, f: Function, first: Value, bound: Value, also: Value | None) -> list[Value]:
        """The masks of a vector of inputs that begins at column `first`."""
        step = self.step[1]
        if step == 2 and also is None:
            return [self.within(f, first, bound), self.within(f, first + self.n, bound)]
        mask = self.within(f, first, bound, step)
        return [mask if also is None else mask & also]

    def load(self, f: Function, line: Pointer, first: Value, masks: list[Value]) -> Value:
        """The inputs at columns first, first + step, … of a line; zero where there is none."""
        n, step = self.n, self.step[1]
        if step == 1:
            return line.load_masked(first, masks[0])
        if len(masks) == 2:
            low = line.load_masked(first, masks[0])
            high = line.load_masked(first + n, masks[1])
            return f.shuffle(low, high, [2 * i for i in range(n)])
        t, places = vector(self.e, n), f.splat(first, n) + f.iota(vector(I64, n)) * step
        text = f"getelementptr {self.e}, ptr {line.text}, {places.type} {places.text}"
        pointers = f.emit(f"<{n} x ptr>", text)
        name = f"llvm.masked.gather.v{n}{'f64' if self.e == F64 else 'f32'}.v{n}p0"
        align = f.const(I32, 8 if self.e == F64 else 4)
        return f.intrinsic(name, t, [pointers, align, masks[0], f.const(t, 0)])

    def lines(
        self, f: Function, plane: Pointer, at: Value, taps: Taps, h: Value, wide: Value,
        body: Callable[[list[Pointer], list[Value] | None], None],
    ) -> None:  # fmt: skip
        """Write `body` for the lines at + offset of the taps.

        Once for lines that are all there, once with a condition for each; a line that is not there
        is replaced by the nearest one, which its condition says not to read.
        """
        offsets = [offset for offset, _ in taps]
        if not offsets:
            body([], None)
            return
        inside = (at + min(offsets) >= 0) & (at + max(offsets) < h)
        with f.when(inside) as branch:
            body([plane.at((at + offset) * wide) for offset in offsets], None)
        with branch.otherwise():
            found, there = [], []
            for offset in offsets:
                row = at + offset
                there.append((row >= 0) & (row < h))
                row = f.select(row < 0, f.const(I64, 0), row)
                row = f.select(row < h, row, h - 1)
                found.append(plane.at(row * wide))
            body(found, there)
