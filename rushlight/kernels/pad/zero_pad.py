"""Images with a margin around them, in one pass: each line is written once, whatever it holds.

An image has up to three dimensions; a chunk is a number of its planes.

Not here: when it is used (`conv/select.py`).
"""

from __future__ import annotations

from typing import Any

from ..codegen.ir import Function, Module, Pointer, Value
from ..conv.depthwise import Depthwise
from ..runtime import builtin, jit, threads


class Frame(Depthwise):
    """y (images, od, oh, ow) is `value` but for x (images, d, h, w) that begins at front, top,
    left."""

    fields = ("x", "y", "value", "planes", "d", "h", "w", "front", "top", "left", "od", "oh", "ow",
              "each")  # fmt: skip
    pointers = 3

    def build(self) -> Module:
        f, get = self.begin()
        start = f.args["index"] * get["each"]
        stop = f.select(start + get["each"] < get["planes"], start + get["each"], get["planes"])
        margin = f.splat(get["value"][0], self.n)
        with f.range(start, stop) as plane:
            image, depth = plane // get["od"], plane % get["od"] - get["front"]
            here = (depth >= 0) & (depth < get["d"])
            with f.range(get["oh"]) as oy:
                line = get["y"].at((plane * get["oh"] + oy) * get["ow"])
                row = oy - get["top"]
                with f.when(here & (row >= 0) & (row < get["h"])) as branch:
                    source = get["x"].at(((image * get["d"] + depth) * get["h"] + row) * get["w"])
                    self.write(f, get, line, source, margin)
                with branch.otherwise():
                    self.write(f, get, line, None, margin)
        f.ret()
        return self.finish("planes", ["array", "array", "array"])

    def write(
        self, f: Function, get: Any, line: Pointer, source: Pointer | None, margin: Value
    ) -> None:
        ow = get["ow"]

        def values(at: Value) -> Value:
            if source is None:
                return margin
            first = at - get["left"]
            return source.load_masked(first, self.within(f, first, get["w"]), margin)

        whole = ow - ow % self.n
        with f.range(0, whole, self.n) as at:
            line.store(values(at), at)
        with f.when(whole < ow):
            line.store_masked(values(whole), whole, self.within(f, whole, ow))


def kernel(e: str) -> Any:
    """A compiled kernel as a Python function of Frame.fields."""
    found = jit.load(
        ("frame", e, jit.target().lanes),
        lambda: Frame(e, (1, 1), (1, 1)).build(),
        ["call"],
        {**builtin.symbols(), **threads.run_symbol()},
    )
    return builtin.function(found["call"], "frame")
