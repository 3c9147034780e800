"""The kernel that finds the rows of a bag's maxima.

    y[i, j] = the index[k], offset[i] <= k < offset[i+1], whose x[index[k], j] is the largest

Of equal ones it is the first, and a NaN is the largest where it comes first only, as in PyTorch's
`embedding_bag`. A row of y belongs to one thread.

Not here: when this is used, and whether indices are in range (`select.py`).
"""

from __future__ import annotations

import functools

from ..codegen import half
from ..codegen.interface import Interface, Kernel, Words
from ..codegen.ir import BYTES, I32, I64, PTR, Function, Module, Value, vector
from ..runtime import threads
from .csr_mm import AHEAD, width_of

CSR_ARGMAX = Interface(
    "csr_argmax",
    "y[i, j] = the index[k] of the largest x[index[k], j], k from offset[i] to offset[i + 1] - 1",
    arrays={
        "x": "(n, width), rows without gaps inside",
        "index": "(count), integers in [0, n)",
        "offset": "(rows + 1), int64 that never fall, in [0, count]",
        "y": "(rows, width), int64, dense; 0 where a row has no entries",
    },
    ints={
        "rows": "rows of y",
        "count": "entries",
        "width": "elements of a row",
        "apart": "between rows of x, in elements",
        "each": "rows of y that a chunk has",
        "chunks": "pieces of work, which threads share",
    },
)
BLOCKS = (4, 1)  # vectors of a row that are looked at side by side


class Largest:
    """Writes the places of the maxima of one row of y after the other."""

    def __init__(self, f: Function, word: Words, e: str, indices: str) -> None:
        self.f, self.word, self.e, self.indices = f, word, e, indices
        self.w = width_of(e)

    def index(self, k: Value) -> Value:
        return self.f.convert(self.word["index"].of(self.indices)[k], I64)

    def stretch(self, r: Value, j: Value, many: int, mask: Value | None = None) -> None:
        """The columns of some neighbouring vectors, from column j on."""
        f, word, w = self.f, self.word, self.w
        x, offset = word["x"].of(self.e), word["offset"].of(I64)
        begin, end = offset[r], offset[r + 1]
        target = word["y"].of(I64).at(r * word["width"] + j)
        with f.when(begin < end) as branch:
            at = self.index(begin)
            row = x.at(at * word["apart"] + j)
            best = [f.var(half.load(f, row, i * w, w, mask)) for i in range(many)]
            place = [f.var(f.splat(at, w)) for _ in range(many)]
            with f.range(begin + 1, end) as k:
                at = self.index(k)
                row = x.at(at * word["apart"] + j)
                soon = k + AHEAD
                come = x.at(
                    self.index(f.select(soon < word["count"], soon, k)) * word["apart"] + j
                )
                for i in range(0, many * w, max(w, 64 // BYTES[self.e])):
                    f.prefetch(come.at(i))
                for i in range(many):
                    v = half.load(f, row, i * w, w, mask)
                    larger = v > best[i].get()
                    best[i].set(f.select(larger, v, best[i].get()))
                    place[i].set(f.select(larger, f.splat(at, w), place[i].get()))
            for i in range(many):
                self.store(target, i * w, place[i].get(), mask)
        with branch.otherwise():
            for i in range(many):
                self.store(target, i * w, f.const(vector(I64, w), 0), mask)

    def store(self, target: Value, i: int, v: Value, mask: Value | None) -> None:
        if mask is None:
            target.of(I64).store(v, i)
        else:
            target.of(I64).store_masked(v, i, mask)


def build(e: str, indices: str) -> Module:
    module = Module(CSR_ARGMAX.name)
    threads.declare_run(module)
    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    word = CSR_ARGMAX.words(c.args["context"])
    width = word["width"]
    first = c.args["index"] * word["each"]
    last = c.select(first + word["each"] < word["rows"], first + word["each"], word["rows"])
    largest = Largest(c, word, e, indices)
    w = largest.w
    with c.range(first, last) as r:
        start = c.const(I64, 0)
        for many in BLOCKS:
            stop = width - width % (many * w)
            with c.range(start, stop, many * w) as j:
                largest.stretch(r, j, many)
            start = stop
        with c.when(start < width):
            mask = c.iota(vector(I32, w)) < c.convert(width - start, I32)
            largest.stretch(r, start, 1, mask)
    c.ret()
    CSR_ARGMAX.write(module, "chunks")
    return module


@functools.cache
def csr_argmax(e: str, indices: str) -> Kernel:
    """For elements of a type and indices of another."""
    return Kernel(CSR_ARGMAX, (e, indices), lambda: build(e, indices))
