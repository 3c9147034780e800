"""Windows of an image written out as columns, for products over few positions.

y (C, taps, oh, ow, n) = x (C, h, w, n) at oy * stride + ky * dilation - padding, and so for the
other axis; zero outside. The images of a batch lie innermost, so that what is copied at once is
long where maps are small.

Not here: when columns are used (`select_im2col.py`), the transpose (`depthwise.Fold`).
"""

from __future__ import annotations

from typing import Any

from ..codegen.ir import Function, Module, Pointer, Value
from ..runtime import builtin, jit, threads
from .depthwise import Depthwise


class Columns(Depthwise):
    """`step`: the stride along a line of one image, or 0 for several images that are strided."""

    fields = ("x", "y", "rows", "kh", "kw", "h", "w", "n", "oh", "ow", "sy", "sx", "py", "px",
              "dy", "dx", "each")  # fmt: skip
    pointers = 2

    def build(self) -> Module:
        f, get = self.begin()
        step, n = self.step[1], get["n"]
        start = f.args["index"] * get["each"]
        stop = f.select(start + get["each"] < get["rows"], start + get["each"], get["rows"])
        length, bound = get["ow"] * n, get["w"] * n
        with f.range(start, stop) as row:
            channel, tap = row // (get["kh"] * get["kw"]), row % (get["kh"] * get["kw"])
            ky, kx = tap // get["kw"], tap % get["kw"]
            first = kx * get["dx"] - get["px"]
            with f.range(get["oh"]) as oy:
                iy = oy * get["sy"] + ky * get["dy"] - get["py"]
                there = f.splat((iy >= 0) & (iy < get["h"]), self.n)
                source = get["x"].at((channel * get["h"] + iy) * bound)
                line = get["y"].at((row * get["oh"] + oy) * length)
                if step:
                    self.write_line(f, get, source, line, there, first)
                else:
                    self.write_runs(f, get, source, line, there, first)
        f.ret()
        return self.finish("rows", ["array", "array"])

    def write_line(
        self, f: Function, get: Any, source: Pointer, line: Pointer, there: Value, first: Value
    ) -> None:
        """Windows whose images are neighbours, or of one image."""
        length, bound = get["ow"] * get["n"], get["w"] * get["n"]
        whole = length - length % self.n

        def values(at: Value) -> Value:
            begin = at * self.step[1] + first * get["n"]
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
        n = get["n"]
        with f.range(get["ow"]) as ox, f.range(0, n, self.n) as at:
            ix = ox * get["sx"] + first
            inside = f.splat((ix >= 0) & (ix < get["w"]), self.n)
            real = self.within(f, at, n)
            value = source.load_masked(ix * n + at, real & there & inside)
            line.store_masked(value, ox * n + at, real)


def kernel(e: str, step: int) -> Any:
    """A compiled kernel as a Python function of Columns.fields."""
    found = jit.load(
        ("columns", e, step, jit.target().lanes),
        lambda: Columns(e, (1, 1), (1, step)).build(),
        ["call"],
        {**builtin.symbols(), **threads.run_symbol()},
    )
    return builtin.function(found["call"], "columns")
