"""Copies of rows whose beginnings are any steps apart, in both arrays: a part of a joined array.

Not here: copies whose result is dense (`contiguous.py`, `broadcast.py`).
"""

from __future__ import annotations

import math

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import BYTES, I32, I64, PTR, Module, vector
from ..runtime import jit, threads

CHUNK = 1 << 16  # elements of a piece of work
INTERFACE = Interface(
    "copy_rows",
    "y = x, row by row",
    arrays={"x": "rows, each dense", "y": "rows, each dense"},
    ints={
        "rows": "rows", "n": "elements of a row", "from_": "between rows of x, in elements",
        "to": "between rows of y, in elements", "each": "rows of a piece", "chunks": "pieces",
    },
)  # fmt: skip


def pieces(rows: int, n: int) -> tuple[int, int]:
    """Rows of a piece of work, and how many pieces there are."""
    each = max(1, CHUNK // max(1, n))
    return each, math.ceil(rows / each)


def build(element: str) -> Module:
    module = Module("copy_rows")
    threads.declare_run(module)
    width = jit.target().lanes // (2 if BYTES[element] == 8 else 1)
    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    words = INTERFACE.words(c.args["context"])
    n, rows = words["n"], words["rows"]
    first = c.args["index"] * words["each"]
    last = c.select(first + words["each"] < rows, first + words["each"], rows)
    whole = n - n % width
    with c.range(first, last) as row:
        x = words["x"].of(element).at(row * words["from_"])
        y = words["y"].of(element).at(row * words["to"])
        with c.range(0, whole, width, unroll=4) as i:
            y.store(x.load(i, width), i)
        with c.when(whole < n):
            mask = c.iota(vector(I32, width)) < c.convert(n - whole, I32)
            y.store_masked(x.load_masked(whole, mask, 0), whole, mask)
    c.ret()
    INTERFACE.write(module, "chunks")
    return module


def kernel(element: str) -> Kernel:
    """The kernel for elements that are an integer of their size: "i8" to "i64"."""
    return Kernel(INTERFACE, (element,), lambda: build(element))
