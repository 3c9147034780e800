"""The kernel of the transpose of nearest neighbours by a whole factor: the sums of small windows.

    y[r, c] = (x[k r, k c] + x[k r + 1, k c] + …) + (x[k r, k c + 1] + …) + …

Lines are added first and then columns, as NumPy's way does it, one dimension after the other.

Not here: other factors (`reference.py`), when it is used (`select.py`).
"""

from __future__ import annotations

import functools
from typing import Any

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import F64, I64, PTR, Module, Value
from ..runtime import jit, threads

INTERFACE = Interface(
    "repeated_sums",
    "y[r, c] = the sum of a window of x",
    arrays={"x": "(lines * high, width * wide)", "y": "(lines, width)"},
    ints={
        "lines": "lines of y", "width": "elements of a line of y",
        "each": "lines of a chunk", "chunks": "pieces of work, which threads share",
    },
)  # fmt: skip
MOST = 4  # the largest factor


def build(e: str, high: int, wide: int) -> Module:
    """The module of a kernel for windows of a size."""
    module = Module(INTERFACE.name)
    threads.declare_run(module)
    f = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    w = INTERFACE.words(f.args["context"])
    n = jit.target().lanes // (2 if e == F64 else 1)
    width = w["width"]
    start = f.args["index"] * w["each"]
    stop = f.select(start + w["each"] < w["lines"], start + w["each"], w["lines"])
    with f.range(start, stop) as r:
        x = w["x"].of(e).at(r * high * width * wide)
        y = w["y"].of(e).at(r * width)
        lines = [x.at(width * wide * k) for k in range(high)]

        def total(values: list[Value]) -> Any:
            return sum(values[1:], start=values[0])

        def step(i: Value, n: int, lines: Any = lines, y: Any = y) -> None:
            at = i * wide
            if n == 1:
                columns = [total([a[at + k] for a in lines]) for k in range(wide)]
            else:
                parts = [total([a.load(at + k * n, n) for a in lines]) for k in range(wide)]
                columns = [picked(f, parts, wide, k, n) for k in range(wide)]
            y.store(total(columns), i)

        whole = width - width % n
        with f.range(0, whole, n) as i:
            step(i, n)
        with f.range(whole, width) as i:
            step(i, 1)
    f.ret()
    INTERFACE.write(module, "chunks")
    return module


def picked(f: Any, parts: list[Value], wide: int, k: int, n: int) -> Value:
    """Elements k, k + wide, … of some vectors of n, one after the other."""
    if len(parts) == 1:
        return parts[0]
    found: Any = None  # lanes that were found so far
    for p, part in enumerate(parts):
        lanes = [i * wide + k - p * n for i in range(n)]
        if found is None:
            found = f.shuffle(part, None, [j if 0 <= j < n else 0 for j in lanes])
        else:
            order = [n + j if 0 <= j < n else i for i, j in enumerate(lanes)]
            found = f.shuffle(found, part, order)
    return found


@functools.cache
def kernel(e: str, high: int, wide: int) -> Kernel:
    """The kernel for "float" or "double" and windows of `high` lines and `wide` columns."""
    return Kernel(INTERFACE, (e, high, wide), lambda: build(e, high, wide))
