"""The kernel that looks, before a compiled step runs again, whether its indices are in range.

Eager calls ask `indices.py`.
"""

from __future__ import annotations

import functools

import numpy as np

from .codegen.interface import Interface, Kernel
from .codegen.ir import I64, Module, Value, vector
from .runtime import jit

ELEMENTS = {np.dtype(np.int64): "i64", np.dtype(np.int32): "i32"}

FLAG = Interface(
    "index_flag",
    "flag[0] = 1 where an index is not in low..high-1",
    arrays={"index": "rows of integers", "flag": "one int64, else left as it is"},
    ints={
        "rows": "rows", "n": "indices of a row", "apart": "between rows, in elements",
        "step": "between indices of a row, in elements", "low": "the first that is in range",
        "high": "the one behind the last",
    },
)  # fmt: skip


def build(element: str) -> Module:
    module = Module("index_flag")
    f = FLAG.begin_run(module)
    word = f.args
    width = jit.target().lanes // 2
    wide = vector(I64, width)
    span = word["high"] - word["low"]
    found, many = f.var(0), f.var(f.splat(f.const(I64, 0), width), wide)

    def outside(x: Value) -> Value:
        x = f.convert(x, I64) - word["low"]
        return f.convert(f.compare("ge", x, span, unsigned=True), I64)

    with f.range(word["rows"]) as row:
        x = word["index"].of(element).at(row * word["apart"])
        dense = f.select(word["step"] == 1, word["n"] - word["n"] % width, 0)
        with f.range(0, dense, width) as i:
            many.set(many.get() | outside(x.load(i, width)))
        with f.range(dense, word["n"]) as i:
            found.set(found.get() | outside(x[i * word["step"]]))
    name = f"llvm.vector.reduce.or.v{width}i64"
    bad = found.get() | f.intrinsic(name, I64, [many.get()])
    with f.when(bad != 0):
        word["flag"].of(I64)[0] = f.const(I64, 1)
    f.ret()
    FLAG.write_invoke(module)
    return module


@functools.cache
def flag(element: str) -> Kernel:
    """The kernel for indices of "i64" or "i32"."""
    return Kernel(FLAG, (element,), lambda: build(element))
