"""The tile of a product: h rows by one or two vectors of C, in registers while A and B stream by.

The tiles of rows that are packed, or lie anyhow (DIRECT in `gemm.py`), are here, and what others
share with them that read A or B in ways of their own: `packing_tile.py`, `pairs.py` and
`conv/window_tile.py`. While a tile multiplies it asks for lines of memory: for its own of C, and
for what is packed next.

Not here: packing, and the loops over tiles (`gemm.py`); products without packing, whose tiles have
more columns (`small_gemm.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..codegen.ir import BYTES, I32, I64, PTR, Function, Module, Pointer, Value, lanes, vector
from ..runtime import jit

# Rows from which on a tile reads its numbers of A as operands of the products. Lower tiles multiply
# panels of B that come from the second level as fast as these come: loads that are twice as many
# wait there. A step of an LSTM with 16 rows a thread 1.05 of the time so, with 14 rows 0.98.
FOLDED = 9
# A tile asks for its rows of C, and for rows that are packed next, one after the other while it
# multiplies: a row of C with every so many of K. All rows of C at once, at the start, are more than
# a core waits for at a time, and the first products waited with them (decision 0061).
SPACED = 4
LINE = 64  # bytes of a line of a cache
# What tiles take besides, numbers and pointers, that ask for rows that are packed next.
NEXT = (("next_row",), ("next",))


def tile_rows(e: str) -> int:
    """MR: with two vectors of columns, the rows of which accumulators fill the registers."""
    return {16: 14, 8: 6, 4: 12}[jit.target().lanes]


def lanes_of(e: str) -> int:
    """How many elements of a type a vector of the machine has."""
    return jit.target().lanes * 4 // BYTES[e]


def add_products(f: Function, place: Pointer, row: Sequence[Value], sums: Sequence[Any]) -> None:
    """The number at a place times each of some vectors, added to their sums."""
    one = f.splat(place[0], lanes(row[0].type))
    for values, total in zip(row, sums, strict=True):
        total.set(f.fma(one, values, total.get()))


def add_products_of(
    f: Function, place: Pointer, row: Sequence[Value], sums: Sequence[Any]
) -> None:
    """The same by products that read the number themselves, for high tiles (`FOLDED`)."""
    for values, total in zip(row, sums, strict=True):
        total.set(f.fma_of(place, values, total.get()))


def ask(f: Function, k: Value, c: Pointer, step: Value, size: tuple[int, int]) -> None:
    """Ask for the row k / SPACED of a tile of C, to write it; for the last one where it has fewer.
    `step`: elements from one row to the next; `size`: rows and columns of the tile."""
    rows, columns = size
    i, last = k // SPACED, f.const(I64, rows - 1)
    line = c.at(step * f.select(i < last, i, last)) if rows > 1 else c
    for at in range(0, columns, LINE // BYTES[c.element]):
        f.prefetch(line.at(at), to_write=True)


def ask_now_and_then(
    f: Function, k: Value, c: Pointer, step: Value, size: tuple[int, int]
) -> None:
    """The same in a loop over each k."""
    with f.when(k % SPACED == 0):
        ask(f, k, c, step, size)


class Tile:
    """Writes tiles of one element type."""

    name = "tile"

    def __init__(self, e: str) -> None:
        self.e = e
        self.w, self.mr = lanes_of(e), tile_rows(e)
        self.nr = 2 * self.w
        # Of what is packed next, so many rows are asked for while a tile goes over their k.
        self.next_rows = LINE // BYTES[e] // SPACED
        self.module = Module(f"{self.name}_{e}")

    def build_tiles(self, heights: Sequence[int], direct: bool = False, vectors: int = 2) -> Module:
        """Tiles of some heights, in a table."""
        for h in heights:
            self.write_micro(h, direct, vectors)
        table = ", ".join(f"ptr @micro{h}" for h in heights)
        self.module.globals["tiles"] = f"@tiles = constant [{len(heights)} x ptr] [{table}]"
        return self.module

    def write_micro(self, h: int, direct: bool = False, vectors: int = 2) -> None:
        """An h x NR tile of C: sum over k of a column of A times a row of B.

        A is packed, h elements for each k; `direct`: it lies anyhow, by `a_row` and `a_col`. With
        one vector the second half of the columns is left out: a last panel may have no more.
        """
        w = self.w
        own = (("a_row", "a_col"), ()) if direct else NEXT
        f, sums = self.begin_tile(h, vectors, *own)
        a, b, c = (f.args[name].of(self.e) for name in "abc")
        if direct:  # three rows to a pointer: x86 adds a register, once or twice, at no cost
            a_row, a_col = f.args["a_row"], f.args["a_col"]
            ends = [f.var(a.at(a_row * i)) for i in range(0, h, 3)]

        def multiply(k: Value) -> None:
            row = [b.load(k * self.nr + j * w, w, aligned=True) for j in range(vectors)]
            for i in range(h):
                place = ends[i // 3].get().at(a_row * (i % 3)) if direct else a.at(k * h + i)
                add = add_products if direct or h < FOLDED else add_products_of
                add(f, place, row, sums[i])
            for end in ends if direct else ():
                end.set(end.get().at(a_col))

        if direct:
            with f.range(f.args["kc"]) as k:
                ask_now_and_then(f, k, c, f.args["ldc"], (h, vectors * w))
                multiply(k)
        else:
            self.by_packed_rows(f, h, vectors, multiply)
        self.write_sums(f, h, sums)

    def by_packed_rows(
        self, f: Function, h: int, vectors: int, multiply: Callable[[Value], None]
    ) -> None:
        """`multiply(k)` for each k of a tile whose A is packed, for SPACED of them at a time."""
        kc, row = f.args["kc"], f.args["next_row"]
        c, following = (f.args[name].of(self.e) for name in ("c", "next"))
        whole = kc - kc % SPACED
        with f.range(0, whole, SPACED) as k:
            ask(f, k, c, f.args["ldc"], (h, vectors * self.w))
            f.prefetch(following.at(k // SPACED % self.next_rows * row + k))
            with f.range(0, SPACED, unroll=SPACED) as i:
                multiply(k + i)
        with f.range(whole, kc) as k:
            multiply(k)

    def begin_tile(
        self, h: int, vectors: int, ints: Sequence[str] = (), pointers: Sequence[str] = ()
    ) -> tuple[Function, list[list[Any]]]:
        """The function of a tile, with some arguments of its own, and its sums, which are 0."""
        f = self.module.function(
            f"micro{h}", None,
            [("kc", I64), ("a", PTR), ("b", PTR), ("c", PTR), ("ldc", I64), ("add", I64),
             ("columns", I64), ("bias_row", PTR), ("bias_col", PTR), *((n, I64) for n in ints),
             *((n, PTR) for n in pointers)], private=True,
        )  # fmt: skip
        zero = f.const(vector(self.e, self.w), 0)
        return f, [[f.var(zero) for _ in range(vectors)] for _ in range(h)]

    def write_sums(self, f: Function, h: int, sums: list[list[Any]]) -> None:
        """The end of a tile: its sums, and what is added to them, go to C."""
        w, e, c, vectors = self.w, self.e, f.args["c"].of(self.e), len(sums[0])
        columns, ldc = f.args["columns"], f.args["ldc"]
        lanes = f.iota(vector(I32, w))
        masks = [lanes < f.convert(columns - j * w, I32) for j in range(vectors)]
        whole = columns == vectors * w
        values = [[f.var(s.get()) for s in line] for line in sums]
        null = Value(f, PTR, "null")
        with f.when(f.compare("ne", f.args["bias_row"], null)):
            bias = f.args["bias_row"].of(e)
            for i in range(h):
                one = f.splat(bias[i], w)
                for j in range(vectors):
                    values[i][j].set(values[i][j].get() + one)
        with f.when(f.compare("ne", f.args["bias_col"], null)):
            bias = f.args["bias_col"].of(e)
            for j in range(vectors):
                line = bias.load_masked(j * w, masks[j])
                for i in range(h):
                    values[i][j].set(values[i][j].get() + line)
        with f.when(f.args["add"] != 0):
            for i in range(h):
                for j in range(vectors):
                    old = c.load_masked(ldc * i + j * w, masks[j])
                    values[i][j].set(old + values[i][j].get())
        with f.when(whole) as branch:
            for i in range(h):
                for j in range(vectors):
                    c.store(values[i][j].get(), ldc * i + j * w)
        with branch.otherwise():
            for i in range(h):
                for j in range(vectors):
                    c.store_masked(values[i][j].get(), ldc * i + j * w, masks[j])
        f.ret()
