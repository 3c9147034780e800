"""The kernel of images whose every line is a line of another image: padding by what is inside, and
nearest neighbours.

    y[o, d, r, c] = x[o, depths[d], lines[r], columns[c]]

Columns are of three kinds: "edges" lie beside each other in x but for some at both ends, which a
table names; "repeat2" to "repeat4" are each column so many times; "table" has a place for each.
Where a line is the one above again, and costs more than a copy, it is copied from there.

Not here: tables, and when it is used (`pad/select.py`, `resample/select.py`).
"""

from __future__ import annotations

import functools
from typing import Any

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import BYTES, F32, F64, I32, I64, PTR, Module, Pointer, Value, vector
from ..runtime import jit, threads

INTERFACE = Interface(
    "shown",
    "y[o, d, r, c] = x[o, depths[d], lines[r], columns[c]]",
    arrays={
        "x": "(outer, in_d, in_h, in_w)", "y": "(outer, out_d, out_h, out_w)",
        "depths": "int64 (out_d,), planes of x", "lines": "int64 (out_h,), lines of x",
        "columns": "int64 (out_w,), columns of x",
    },
    ints={
        "count": "lines of y",
        "in_d": "planes of an image of x", "in_h": "lines of a plane of x", "in_w": "their columns",
        "out_d": "planes of an image of y", "out_h": "lines of a plane of y",
        "out_w": "their columns",
        "left": "columns of y before those that lie beside each other in x",
        "end": "and those before the others behind them",
        "each": "lines of a chunk", "chunks": "pieces of work, which threads share",
    },
)  # fmt: skip
ELEMENTS = {1: "i8", 2: "i16", 4: "i32", 8: "i64"}  # by their bytes: they are not looked at
REPEATED = (2, 3, 4)
NUMBERS = {I32: F32, I64: F64}  # of the same size, for instructions that gather


class Shown:
    """Writes the kernel.

    Args:
        e: what an element is called.
        columns: "edges", "repeat2" …, "table".
    """

    def __init__(self, e: str, columns: str) -> None:
        self.e, self.columns = e, columns
        self.n = jit.target().lanes * 4 // BYTES[e]

    def build(self) -> Module:
        module = Module(INTERFACE.name)
        threads.declare_run(module)
        f = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
        self.f, self.w = f, INTERFACE.words(f.args["context"])
        w = self.w
        first = f.args["index"] * w["each"]
        last = f.select(first + w["each"] < w["count"], first + w["each"], w["count"])
        # divided once: then lines are counted
        row, plane = f.var(first % w["out_h"]), f.var(first / w["out_h"])
        above = f.var(f.const(I64, -1))
        depths, lines = w["depths"].of(I64), w["lines"].of(I64)
        with f.range(first, last) as line:
            r, p = row.get(), plane.get()
            y = w["y"].of(self.e).at(line * w["out_w"])
            image = p / w["out_d"]
            at = (image * w["in_d"] + depths[p - image * w["out_d"]]) * w["in_h"] + lines[r]
            if self.columns == "table":
                with f.when(at == above.get()) as branch:
                    self.copied(y.at(0 - w["out_w"]), y, w["out_w"])
                with branch.otherwise():
                    self.write(w["x"].of(self.e).at(at * w["in_w"]), y)
            else:
                self.write(w["x"].of(self.e).at(at * w["in_w"]), y)
            above.set(at)
            over = r + 1 == w["out_h"]
            row.set(f.select(over, 0, r + 1))
            plane.set(f.select(over, p + 1, p))
        f.ret()
        INTERFACE.write(module, "chunks")
        return module

    def write(self, x: Pointer, y: Pointer) -> None:
        """A line."""
        f, w = self.f, self.w
        columns = w["columns"].of(I64)
        if self.columns == "edges":
            with f.range(0, w["left"]) as c:
                y[c] = x[columns[c]]
            with f.when(w["left"] < w["end"]):
                self.copied(x.at(columns[w["left"]]), y.at(w["left"]), w["end"] - w["left"])
            with f.range(w["end"], w["out_w"]) as c:
                y[c] = x[columns[c]]
        elif self.columns == "table":
            self.gathered(x, y, columns)
        else:
            self.repeated(x, y, int(self.columns[-1]))

    def spans(self, count: Value, step: Any, one: Any) -> None:
        """Whole vectors, the last of which may begin within the one before; few elements singly."""
        f, n = self.f, self.n
        with f.when(count >= n) as branch:
            with f.range(0, count - (n - 1), n) as i:
                step(i)
            with f.when(count % n != 0):
                step(count - n)
        with branch.otherwise(), f.range(count) as i:
            one(i)

    def copied(self, x: Pointer, y: Pointer, count: Value) -> None:
        def one(i: Value) -> None:
            y[i] = x[i]

        self.spans(count, lambda i: y.store(x.load(i, self.n), i), one)

    def repeated(self, x: Pointer, y: Pointer, times: int) -> None:
        n = self.n

        def step(i: Value) -> None:
            v, to = x.load(i, n), y.at(i * times)
            for k in range(times):
                to.store(self.f.shuffle(v, None, [(k * n + j) // times for j in range(n)]), k * n)

        def one(i: Value) -> None:
            for k in range(times):
                y[i * times + k] = x[i]

        self.spans(self.w["in_w"], step, one)

    def gathered(self, x: Pointer, y: Pointer, columns: Pointer) -> None:
        def one(i: Value) -> None:
            y[i] = x[columns[i]]

        if self.e not in NUMBERS:  # there is no instruction that gathers
            with self.f.range(self.w["out_w"]) as i:
                one(i)
            return
        self.spans(self.w["out_w"], lambda i: self.gather(x, y, columns, i), one)

    def gather(self, x: Pointer, y: Pointer, columns: Pointer, i: Value) -> None:
        f, n, e = self.f, self.n, NUMBERS[self.e]
        t, at = vector(e, n), columns.load(i, n)
        places = f.emit(f"<{n} x ptr>", f"getelementptr {e}, ptr {x.text}, {at}")
        name = f"llvm.masked.gather.v{n}{'f32' if e == F32 else 'f64'}.v{n}p0"
        every, align = f.const(vector("i1", n), True), f.const(I32, BYTES[e])
        y.of(e).store(f.intrinsic(name, t, [places, align, every, f.const(t, 0)]), i)


@functools.cache
def kernel(e: str, columns: str) -> Kernel:
    """The kernel for elements of a size and columns of a kind."""
    return Kernel(INTERFACE, (e, columns), lambda: Shown(e, columns).build())
