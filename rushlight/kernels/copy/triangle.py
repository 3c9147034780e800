"""The kernel of triangles of matrices: a part of each line is copied, the rest is zeros.

Not here: when it is used (`select.py`), masks of triangles (`elementwise/where.py`).
"""

from __future__ import annotations

import functools
from typing import Any

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import BYTES, I64, PTR, Module, Pointer, Value, vector
from ..runtime import jit, threads

INTERFACE = Interface(
    "triangle",
    "y[r, c] = x[r, c] up to column r % height + diagonal, or behind it; else 0",
    arrays={"x": "(lines, width)", "y": "(lines, width)"},
    ints={
        "lines": "lines of all matrices", "height": "lines of a matrix", "width": "their columns",
        "diagonal": "the last column that counts as lower in a matrix's first line",
        "each": "lines of a chunk", "chunks": "pieces of work, which threads share",
    },
)  # fmt: skip


def build(e: str, lower: bool) -> Module:
    """The module for elements of a type, and the lower or the upper part."""
    module = Module(INTERFACE.name)
    threads.declare_run(module)
    f = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    w = INTERFACE.words(f.args["context"])
    n, width = jit.target().lanes * 4 // BYTES[e], w["width"]
    zero = f.const(vector(e, n), 0)
    start = f.args["index"] * w["each"]
    stop = f.select(start + w["each"] < w["lines"], start + w["each"], w["lines"])
    row = f.var(start % w["height"])  # divided once: then lines are counted

    def part(y: Pointer, x: Pointer | None, first: Value, last: Value) -> None:
        def value(i: Value, n: int) -> Any:
            return (zero if n > 1 else f.const(e, 0)) if x is None else x.load(i, n)

        whole = last - (last - first) % n
        with f.range(first, whole, n) as i:
            y.store(value(i, n), i)
        with f.range(whole, last) as i:
            y.store(value(i, 1), i)

    with f.range(start, stop) as line:
        r = row.get()
        end = r + w["diagonal"] + 1
        end = f.select(end < 0, 0, f.select(end < width, end, width))
        x, y = (w[k].of(e).at(line * width) for k in ("x", "y"))
        part(y, x if lower else None, f.const(I64, 0), end)
        part(y, None if lower else x, end, width)
        row.set(f.select(r + 1 == w["height"], 0, r + 1))
    f.ret()
    INTERFACE.write(module, "chunks")
    return module


@functools.cache
def kernel(e: str, lower: bool) -> Kernel:
    """The kernel for elements of a type, and the lower or the upper part."""
    return Kernel(INTERFACE, (e, lower), lambda: build(e, lower))
