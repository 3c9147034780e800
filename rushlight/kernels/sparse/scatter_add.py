"""The kernel that adds single elements at indices along a dimension, or writes them there.

    y[o, index[o, k, i], i] += x[o, k, i]          in the order of k

The arrays are seen as (outer, n, inner) and (outer, count, inner). No two columns (o, i) meet, so
threads share them; each element is added in the order, and rounded as, NumPy's `add.at` does it. Of
those that are written to one place the last one stays.

Not here: when this is used, and whether indices are in range (`select.py`).
"""

from __future__ import annotations

import functools

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import I64, PTR, Module, Pointer, Value
from ..runtime import threads

SCATTER_ADD = Interface(
    "scatter_add",
    "y[o, index[o, k, i], i] += x[o, k, i], in the order of k",
    arrays={
        "y": "(outer, n, inner), dense",
        "index": "(outer, count, inner), dense integers in [0, n)",
        "x": "(outer, count, inner), of steps of its own",
    },
    ints={
        "n": "elements of y along the dimension",
        "count": "elements of x along it",
        "inner": "elements side by side",
        "x_outer": "elements from one o to the next in x",
        "x_line": "from one k to the next",
        "x_step": "from one i to the next",
        "columns": "outer * inner",
        "each": "columns that a chunk has",
        "chunks": "pieces of work, which threads share",
    },
)


def build(e: str, i: str, adds: bool) -> Module:
    module = Module(SCATTER_ADD.name)
    threads.declare_run(module)
    f = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    word = SCATTER_ADD.words(f.args["context"])
    inner, n, count, columns = (word[k] for k in ("inner", "n", "count", "columns"))
    first = f.args["index"] * word["each"]
    last = f.select(first + word["each"] < columns, first + word["each"], columns)
    outer = f.var(first // inner)
    column = f.var(first)
    with f.repeat() as more:
        more.stop_if(column.get() >= last)
        o = outer.get()
        start, end = column.get() - o * inner, last - o * inner
        stop = f.select(end < inner, end, inner)
        y = word["y"].of(e).at(o * n * inner)
        x = word["x"].of(e).at(o * word["x_outer"])
        index = word["index"].of(i).at(o * count * inner)
        x_line, x_step = word["x_line"], word["x_step"]

        def put(at: Value, value: Value, y: Pointer = y) -> None:
            y[at] = y[at] + value if adds else value

        with f.when(inner == 1) as single, f.range(0, count, unroll=4) as k:
            put(f.convert(index[k], I64), x[k * x_line])
        with single.otherwise(), f.range(count) as k, f.range(start, stop) as j:
            at = f.convert(index[k * inner + j], I64) * inner + j
            put(at, x[k * x_line + j * x_step])
        outer.set(o + 1)
        column.set((o + 1) * inner)
    f.ret()
    SCATTER_ADD.write(module, "chunks")
    return module


@functools.cache
def scatter_add(e: str, i: str, adds: bool = True) -> Kernel:
    """For elements of a type and indices of another; not `adds`: elements are written."""
    return Kernel(SCATTER_ADD, (e, i, adds), lambda: build(e, i, adds))
