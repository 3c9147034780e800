"""The kernel for single elements of a product of dense matrices, those at given places (SDDMM).

    y[k] = sum over j of a[rows[k], j] * b[cols[k], j]

This is the gradient of the values of a sparse matrix in a product with a dense one. A sum runs in
four vectors, whose lanes are added in a fixed order at the end.

Not here: when this is used, and whether indices are in range (`select.py`).
"""

from __future__ import annotations

import functools
from typing import Any

from ..codegen import half
from ..codegen.interface import Interface, Kernel
from ..codegen.ir import I32, I64, PTR, Module, Value, vector
from ..matmul.gemv import totals
from ..runtime import threads
from .csr_mm import width_of

SDDMM = Interface(
    "sddmm",
    "y[k] = the sum of a[rows[k], j] * b[cols[k], j] over j",
    arrays={
        "a": "rows without gaps inside",
        "b": "rows without gaps inside",
        "rows": "(count), int64, in range",
        "cols": "(count), integers in range",
        "y": "(count)",
    },
    ints={
        "count": "elements of the result",
        "width": "terms of a sum",
        "a_apart": "between rows of a, in elements",
        "b_apart": "between rows of b, in elements",
        "each": "elements that a chunk has",
        "chunks": "pieces of work, which threads share",
    },
)
VECTORS = 4


def build(e: str, i: str) -> Module:
    module = Module(SDDMM.name)
    threads.declare_run(module)
    f = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    word = SDDMM.words(f.args["context"])
    w, width, computed = width_of(e), word["width"], half.computed(e)
    first = f.args["index"] * word["each"]
    last = f.select(first + word["each"] < word["count"], first + word["each"], word["count"])
    zero = f.const(vector(computed, w), 0.0)
    with f.range(first, last) as k:
        a = word["a"].of(e).at(word["rows"].of(I64)[k] * word["a_apart"])
        b = word["b"].of(e).at(f.convert(word["cols"].of(i)[k], I64) * word["b_apart"])
        sums = [f.var(zero) for _ in range(VECTORS)]

        def add(part: int, j: Any, mask: Value | None = None, a: Any = a, b: Any = b,
                sums: Any = sums) -> None:  # fmt: skip
            x, y = half.load(f, a, j, w, mask), half.load(f, b, j, w, mask)
            sums[part].set(f.fma(x, y, sums[part].get()))

        fours, whole = width - width % (VECTORS * w), width - width % w
        with f.range(0, fours, VECTORS * w) as j:
            for part in range(VECTORS):
                add(part, j + part * w)
        with f.range(fours, whole, w) as j:
            add(0, j)
        with f.when(whole < width):
            add(0, whole, f.iota(vector(I32, w)) < f.convert(width - whole, I32))
        p, q, r, s = (v.get() for v in sums)
        half.store(f, word["y"].of(e), k, totals(f, [(p + q) + (r + s)])[0], None)
    f.ret()
    SDDMM.write(module, "chunks")
    return module


@functools.cache
def sddmm(e: str, i: str) -> Kernel:
    """For elements of a type and columns of another."""
    return Kernel(SDDMM, (e, i), lambda: build(e, i))
