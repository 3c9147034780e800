"""The kernel of padding's transpose along one axis: what each position was shown as, added up.

    y[o, j, i] = 0 + x[o, shown in place, i] + x[o, shown in the margins, i] + …

in the order of the positions, as NumPy's way adds them. Where elements lie beside each other along
i ("planes"), a vector of them is added at a time; along the innermost axis ("row") what was shown
in place is copied, and the margins are added to it one by one.

Not here: tables, NumPy's way (`reference.py`), when it is used (`select.py`).
"""

from __future__ import annotations

import functools
from typing import Any

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import F64, I64, PTR, Module, Pointer, Value, vector
from ..runtime import jit, threads

INTERFACE = Interface(
    "folded",
    "y[o, source[k], i] = the sum of x[o, k, i]",
    arrays={
        "x": "(rows, size, inner)", "y": "(rows, out, inner)",
        "source": "int64 (size,), positions of y",
        "margins": "int64 (many,), the positions of x that are not shown in place, in order",
    },
    ints={
        "rows": "rows of x and y", "size": "positions of x", "out": "positions of y",
        "inner": "elements beside each other at a position",
        "many": "positions in the margins",
        "first": "the first position of x that is shown in place", "to": "its position of y",
        "count": "positions that are shown in place",
        "each": "rows of a chunk", "chunks": "pieces of work, which threads share",
    },
)  # fmt: skip


class Folded:
    """Writes the kernel of "planes" or "row" for elements "float" or "double"."""

    def __init__(self, way: str, e: str) -> None:
        self.way, self.e = way, e
        self.n = jit.target().lanes // (2 if e == F64 else 1)

    def build(self) -> Module:
        module = Module(INTERFACE.name)
        threads.declare_run(module)
        f = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
        self.f, w = f, INTERFACE.words(f.args["context"])
        source, margins, inner = w["source"].of(I64), w["margins"].of(I64), w["inner"]
        start = f.args["index"] * w["each"]
        stop = f.select(start + w["each"] < w["rows"], start + w["each"], w["rows"])
        with f.range(start, stop) as row:
            x = w["x"].of(self.e).at(row * w["size"] * inner)
            y = w["y"].of(self.e).at(row * w["out"] * inner)
            self.line(y, None, w["to"] * inner)
            self.line(y.at(w["to"] * inner), x.at(w["first"] * inner), w["count"] * inner)
            behind = w["to"] + w["count"]
            self.line(y.at(behind * inner), None, (w["out"] - behind) * inner)
            with f.range(w["many"]) as m:
                k = margins[m]
                if self.way == "row":
                    place = y.at(source[k])
                    place[0] = place[0] + x[k]
                else:
                    to = y.at(source[k] * inner)
                    self.line(to, x.at(k * inner), inner, to)
        f.ret()
        INTERFACE.write(module, "chunks")
        return module

    def line(self, y: Pointer, x: Pointer | None, count: Value, to: Pointer | None = None) -> None:
        """y = 0, 0 + x, or what is there + x."""
        f, n = self.f, self.n

        def sum_at(i: Value, n: int) -> Any:
            before = f.const(vector(self.e, n), 0.0) if to is None else to.load(i, n)
            return before if x is None else before + x.load(i, n)

        whole = count - count % n
        with f.range(0, whole, n) as i:
            y.store(sum_at(i, n), i)
        with f.range(whole, count) as i:
            y.store(sum_at(i, 1), i)


@functools.cache
def kernel(way: str, e: str) -> Kernel:
    """The kernel of a way for a type of elements."""
    return Kernel(INTERFACE, (way, e), lambda: Folded(way, e).build())
