"""Kernels for weighted sums of rows: the product of a sparse matrix (CSR) with a dense one.

    y[i] = sum over k in offset[i]..offset[i+1]-1 of weight[k] * x[index[k]]

That is what `embedding_bag` gives for bags of indices, what bilinear samples are (`roi_align`), and
with the entries brought to the order of their columns the gradient of each of them. Columns of y
are summed in registers, in the order of k and the type that is computed in, and rounded once; a row
belongs to one thread. `coo_to_csr` brings entries to the order of their rows, by counting.

Not here: when these are used, and whether indices are in range (`select.py`).
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from ..codegen import half
from ..codegen.interface import Interface, Kernel, Words
from ..codegen.ir import BYTES, F64, I32, I64, PTR, Function, Module, Value, vector
from ..codegen.lower import maximum, minimum
from ..runtime import jit, threads

CSR_MM = Interface(
    "csr_mm",
    "y[i] = the sum of weight[k] * x[index[k]] over k from offset[i] to offset[i+1] - 1",
    arrays={
        "x": "(n, width), rows without gaps inside",
        "index": "(count), integers in [0, n)",
        "offset": "(rows + 1), int64 that never fall, in [0, count]",
        "weight?": "(count); without it 1",
        "y": "(rows, width), dense; of kinds that add, what the sums are added to",
    },
    ints={
        "rows": "rows of y",
        "count": "entries",
        "width": "elements of a row",
        "apart": "between rows of x, in elements",
        "mean": "1: sums are divided by the number of their entries, else 0",
        "each": "rows of y that a chunk has",
        "chunks": "pieces of work, which threads share",
    },
)
COO_TO_CSR = Interface(
    "coo_to_csr",
    "entries in the order of their rows, those of one row in their own, and where each row's begin",
    arrays={
        "row": "(count), integers in [0, n)",
        "index?": "(count), integers; without them index[k] is k",
        "weight?": "(count), or nothing",
        "offset": "room for n + 1 int64",
        "indices": "room for count of the integers: index, in the new order",
        "weights?": "the same of weight",
    },
    ints={"count": "entries", "n": "rows"},
)
BLOCKS = (8, 4, 2, 1)  # vectors of a row that are summed side by side
PARTS = 4  # sums that a single vector is split into, so that additions do not wait for each other
AHEAD = 8  # so many entries before it is needed a row is fetched


class Kind(NamedTuple):
    """What the kernel's text depends on.

    Args:
        e: the type of the elements.
        indices: the type of the indices.
        weighted: whether there are weights.
        adds: whether sums are added to what is in y.
        how: "add", or "max" or "min" for extremes in place of sums; NaN is one.
        far: whether rows are fetched ahead, as those of a table that no cache holds.
    """

    e: str
    indices: str
    weighted: bool
    adds: bool
    far: bool
    how: str = "add"


NEUTRAL = {"add": 0.0, "max": float("-inf"), "min": float("inf")}


def width_of(e: str) -> int:
    return jit.target().lanes // (2 if e == F64 else 1)


class Sums:
    """Writes the sums of one row of y after the other."""

    def __init__(self, f: Function, word: Words, kind: Kind) -> None:
        self.f, self.word, self.kind = f, word, kind
        self.w, self.computed = width_of(kind.e), half.computed(kind.e)
        self.neutral = f.const(vector(self.computed, self.w), NEUTRAL[kind.how])

    def row(self, k: Value) -> Any:
        """The row of x that belongs to an entry."""
        at = self.f.convert(self.word["index"].of(self.kind.indices)[k], I64)
        return self.word["x"].of(self.kind.e).at(at * self.word["apart"])

    def joined(self, a: Value, b: Value) -> Value:
        """Two sums, or two extremes, as one."""
        if self.kind.how == "add":
            return a + b
        return maximum(self.f, a, b) if self.kind.how == "max" else minimum(self.f, a, b)

    def stretch(self, r: Value, j: Value, many: int, mask: Value | None = None) -> None:
        """The columns of some neighbouring vectors, from column j on."""
        f, word, w, e = self.f, self.word, self.w, self.kind.e
        offset = word["offset"].of(I64)
        begin, end = offset[r], offset[r + 1]
        parts = max(1, PARTS // many)
        sums = [[f.var(self.neutral) for _ in range(many)] for _ in range(parts)]
        target = word["y"].of(e).at(r * word["width"] + j)
        if self.kind.adds:
            for i, total in enumerate(sums[0]):
                total.set(half.load(f, target, i * w, w, mask))

        def add(k: Value, part: int) -> None:
            row = self.row(k).at(j)
            if self.kind.far:
                soon = k + AHEAD
                come = self.row(f.select(soon < word["count"], soon, k)).at(j)
                for i in range(0, many * w, max(w, 64 // BYTES[e])):
                    f.prefetch(come.at(i))
            factor = None
            if self.kind.weighted:
                weight = word["weight"].of(e)
                factor = f.splat(half.load(f, weight, k, 1, None), w)
            for i, total in enumerate(sums[part]):
                v = half.load(f, row, i * w, w, mask)
                s = total.get()
                if factor is None:
                    total.set(self.joined(s, v))
                else:
                    total.set(f.fma(factor, v, s))

        whole = begin
        if parts > 1:
            whole = end - (end - begin) % parts
            with f.range(begin, whole, parts) as k:
                for part in range(parts):
                    add(k + part, part)
        with f.range(whole, end) as k:
            add(k, 0)
        for part in range(1, parts):
            for total, more in zip(sums[0], sums[part], strict=True):
                total.set(self.joined(total.get(), more.get()))
        by = f.select(word["mean"] != 0, f.select(end - begin > 1, end - begin, 1), 1)
        divisor = f.splat(f.convert(by, self.computed), w)
        for i, total in enumerate(sums[0]):
            half.store(f, target, i * w, total.get() / divisor, mask)

    def whole_row(self, r: Value) -> None:
        """All columns: as many as possible side by side."""
        f, width, w = self.f, self.word["width"], self.w
        start: Any = f.const(I64, 0)
        for many in BLOCKS:
            stop = width - width % (many * w)
            with f.range(start, stop, many * w) as j:
                self.stretch(r, j, many)
            start = stop
        with f.when(start < width):
            self.stretch(r, start, 1, f.iota(vector(I32, w)) < f.convert(width - start, I32))


def build(kind: Kind) -> Module:
    module = Module(CSR_MM.name)
    threads.declare_run(module)
    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    word = CSR_MM.words(c.args["context"])
    first = c.args["index"] * word["each"]
    last = c.select(first + word["each"] < word["rows"], first + word["each"], word["rows"])
    sums = Sums(c, word, kind)
    with c.range(first, last) as r:
        if kind.adds:
            offset = word["offset"].of(I64)
            with c.when(offset[r] < offset[r + 1]):
                sums.whole_row(r)
        else:
            sums.whole_row(r)
    c.ret()
    CSR_MM.write(module, "chunks")
    return module


def build_order(row: str, index: str, weight: str) -> Module:
    """Count the entries of each row, add up to where each begins, put each entry to its place; by
    then every row's place is where the next one begins."""
    module = Module(COO_TO_CSR.name)
    f = COO_TO_CSR.begin_run(module)
    word = f.args
    key, first = word["row"].of(row), word["offset"].of(I64)
    moved = [("index", "indices", index)] * bool(index)
    moved += [("weight", "weights", weight)] * bool(weight)
    place = first.at(1)
    with f.range(word["n"] + 1) as r:
        first[r] = 0
    with f.range(word["count"]) as k:
        r = f.convert(key[k], I64)
        place[r] = place[r] + 1
    before = f.var(0)
    with f.range(word["n"]) as r:
        many, at = place[r], before.get()
        place[r] = at
        before.set(at + many)
    with f.range(word["count"]) as k:
        r = f.convert(key[k], I64)
        at = place[r]
        place[r] = at + 1
        if not index:
            word["indices"].of(I64)[at] = k
        for name, into, t in moved:
            word[into].of(t)[at] = word[name].of(t)[k]
    f.ret()
    COO_TO_CSR.write_invoke(module)
    return module


@functools.cache
def csr_mm(kind: Kind) -> Kernel:
    """The sums, for some types of operands."""
    return Kernel(CSR_MM, tuple(kind), lambda: build(kind))


@functools.cache
def coo_to_csr(row: str, index: str, weight: str) -> Kernel:
    """The order of entries, for integers of two types ("" without indices); weights are an integer
    of their size, or "" for none."""
    key = (row, index, weight)
    return Kernel(COO_TO_CSR, key, lambda: build_order(*key))
