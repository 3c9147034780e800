"""The kernel of weighted sums of a few positions along one axis: a dimension that is resized.

    y[o, j, i] = 0 + x[o, index[j, 0], i] * weight[j, 0] + x[o, index[j, 1], i] * weight[j, 1] + …

in this order, each product rounded. Where elements lie beside each other along i ("planes"), a
vector of them is computed at a time; where the axis is the innermost one ("row"), a vector of
outputs, whose inputs are gathered.

Not here: which positions and weights (`reference.py`), when it is used (`select.py`).
"""

from __future__ import annotations

from typing import Any

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import BYTES, I1, I32, I64, PTR, Function, Module, Value, mangled, vector
from ..runtime import jit, threads

LEAST_CHUNK = 1 << 13  # elements of a piece of work
INTERFACE = Interface(
    "resample_taps",
    "y[o, j, i] = sum over t of weight[t, j] * x[o, index[t, j], i]",
    arrays={
        "x": "(rows, size, inner)", "index": "int64 (taps, out), positions of x",
        "weight": "(taps, out), of x's type", "live": "int64 (out,), 0 where nothing is read",
        "y": "(rows, out, inner)",
    },
    ints={
        "rows": "rows of x and y", "size": "positions of x", "out": "positions of y",
        "inner": "elements beside each other at a position", "taps": "positions that are summed",
        "each": "rows of a chunk", "chunks": "chunks that threads share",
    },
)  # fmt: skip


def gathered(f: Function, x: Any, at: Value, mask: Value | None) -> Value:
    """The elements of x at the places of a vector."""
    n = jit.target().lanes // (2 if BYTES[x.element] == 8 else 1)
    pointers, t = f"<{n} x ptr>", vector(x.element, n)
    where = f.emit(pointers, f"getelementptr {x.element}, ptr {x.text}, {at}")
    every = f.const(vector(I1, n), True) if mask is None else mask
    name = f"llvm.masked.gather.{mangled(t)}.v{n}p0"
    return f.intrinsic(name, t, [where, f.const(I32, BYTES[x.element]), every, f.const(t, 0)])


def build(way: str, e: str, taps: int) -> Module:
    """The module of a kernel for a number of taps."""
    module = Module("resample_taps")
    threads.declare_run(module)
    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    w = INTERFACE.words(c.args["context"])
    lanes = jit.target().lanes // (2 if BYTES[e] == 8 else 1)
    wide = vector(e, lanes)
    index, weight, live = w["index"].of(I64), w["weight"].of(e), w["live"].of(I64)
    first = c.args["index"] * w["each"]
    last = c.select(first + w["each"] < w["rows"], first + w["each"], w["rows"])
    out, inner = w["out"], w["inner"]

    def along(n: Value, step: Any) -> None:
        """Whole vectors, then what is left."""
        whole = n - n % lanes
        with c.range(0, whole, lanes) as i:
            step(i, None)
        with c.when(whole < n):
            step(whole, c.iota(vector(I32, lanes)) < c.convert(n - whole, I32))

    with c.range(first, last) as row:
        x, y = w["x"].of(e).at(row * w["size"] * inner), w["y"].of(e).at(row * out * inner)

        def stored(to: Any, v: Value, at: Value, mask: Value | None) -> None:
            to.store(v, at) if mask is None else to.store_masked(v, at, mask)

        if way == "row":

            def outputs(j: Value, mask: Value | None) -> None:
                def read(a: Any, t: int) -> Value:
                    at = j + out * t
                    return a.load(at, lanes) if mask is None else a.load_masked(at, mask, 0)

                total = c.const(wide, 0)
                for t in range(taps):
                    total = total + gathered(c, x, read(index, t), mask) * read(weight, t)
                stored(y, c.select(read(live, 0) != 0, total, c.const(wide, 0)), j, mask)

            along(out, outputs)
        else:
            with c.range(out) as j:
                lines = [x.at(index[j + out * t] * inner) for t in range(taps)]
                factors = [c.splat(weight[j + out * t], lanes) for t in range(taps)]
                some, to = live[j] != 0, y.at(j * inner)

                def elements(
                    i: Value, mask: Value | None, lines: Any = lines, factors: Any = factors,
                    some: Value = some, to: Any = to,
                ) -> None:  # fmt: skip
                    total = c.const(wide, 0)
                    for line, factor in zip(lines, factors, strict=True):
                        v = line.load(i, lanes) if mask is None else line.load_masked(i, mask, 0)
                        total = total + v * factor
                    stored(to, c.select(some, total, c.const(wide, 0)), i, mask)

                along(inner, elements)
    c.ret()
    INTERFACE.write(module, "chunks")
    return module


def kernel(way: str, e: str, taps: int) -> Kernel:
    """The kernel of "planes" or "row", for elements "float" or "double"."""
    return Kernel(INTERFACE, (way, e, taps), lambda: build(way, e, taps))
