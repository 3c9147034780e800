"""The tile of a weight's gradient: some elements of a window times some vectors of outputs.

    c (rows, outputs) (+)= sum over p of x[tap[row] + position[p]] * g (p, outputs)

Elements of windows are read where they lie, as single numbers that are multiplied by whole vectors
of g. So no window is turned or packed, whatever strides and dilations there are: turning them for a
product of matrices took 12 % of the time with 64 outputs, 30 to 45 % with strides, with few outputs
or a kernel of one element.

The sums are those of a product in blocks of KC positions, bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..codegen.ir import F64, I32, I64, PTR, Function, Module, Pointer, vector
from ..matmul import pairs as of_pairs
from ..matmul.tile import add_products
from ..runtime import jit, tables

# Vectors of outputs of a tile, at most, and elements of windows: so many sums, the vectors of g and
# the number at hand fit the registers, and the addresses of windows the general ones. More of
# either is not faster (4 x 6 with AVX-512), 2 x 12 was half as fast.
SHAPES = {16: (3, 8), 8: (2, 6), 4: (3, 8)}  # by lanes of float32


def shape() -> tuple[int, int]:
    """Vectors of outputs of a tile, at most, and elements of windows."""
    return SHAPES[jit.target().lanes]


class DirectTile:
    """Writes the tiles of an element type; `pairs`: of pairs of bfloat16 (`pairs.py`)."""

    def __init__(self, e: str, pairs: bool = False) -> None:
        self.e = e
        self.add_products = of_pairs.add_products if pairs else add_products
        self.w = jit.target().lanes // (2 if e == F64 else 1)
        self.module = Module(f"direct_tile_{e}")

    def build_tiles(self, sizes: Sequence[int]) -> Module:
        """Tiles of some numbers of vectors, in a table."""
        for size in sizes:
            self.write_tile(size)
        table = ", ".join(f"ptr @tile{size}" for size in sizes)
        self.module.globals["tiles"] = f"@tiles = constant [{len(sizes)} x ptr] [{table}]"
        return self.module

    def write_tile(self, vectors: int) -> None:
        """`rows` of the rows of a tile are wanted: those past them repeat the last one."""
        w, e = self.w, self.e
        f = self.module.function(
            f"tile{vectors}", None,
            [("kc", I64), ("x", PTR), ("tap", PTR), ("position", PTR), ("g", PTR), ("c", PTR),
             ("add", I64), ("rows", I64)], private=True,
        )  # fmt: skip
        x, g, c = (f.args[n].of(e) for n in "xgc")
        tap, position = f.args["tap"].of(I64), f.args["position"].of(I32)
        last, step = f.args["rows"] - 1, vectors * w
        wanted = [f.select(last < i, last, f.const(I64, i)) for i in range(shape()[1])]
        windows = [x.at(tap[i]) for i in wanted]
        lines = [c.at(i * step) for i in wanted]
        for line in lines:  # they are wanted at the end, by when they have come
            for j in range(vectors):
                f.prefetch(line.at(j * w), to_write=True)
        zero = f.const(vector(e, w), 0)
        sums: list[list[Any]] = [[f.var(zero) for _ in range(vectors)] for _ in wanted]
        with f.range(0, f.args["kc"], unroll=2) as p:
            place = f.convert(position[p], I64)
            row = [g.load(p * step + j * w, w, aligned=True) for j in range(vectors)]
            for i, window in enumerate(windows):
                self.add_products(f, window.at(place), row, sums[i])
        self.write_sums(f, lines, sums)

    def write_sums(self, f: Function, lines: list[Pointer], sums: list[list[Any]]) -> None:
        """The end of a tile: its sums go where they belong, or are added to what is there."""
        w = self.w
        with f.when(f.args["add"] != 0):
            for line, own in zip(lines, sums, strict=True):
                for j, total in enumerate(own):
                    total.set(line.load(j * w, w) + total.get())
        for line, own in zip(lines, sums, strict=True):
            for j, total in enumerate(own):
                line.store(total.get(), j * w)
        f.ret()


def vectors_of(e: str, m: int) -> int:
    """Vectors that m outputs take."""
    return -(-m // (jit.target().lanes // (2 if e == F64 else 1)))


def lanes_of(e: str, m: int) -> int:
    """And lanes: m up to whole vectors."""
    return vectors_of(e, m) * (jit.target().lanes // (2 if e == F64 else 1))


def widths(e: str, m: int) -> tuple[int, ...]:
    """The numbers of vectors of the tiles that m outputs are cut into."""
    vectors = vectors_of(e, m)
    tiles = -(-vectors // shape()[0])
    least = vectors // tiles
    return (least, least + 1) if vectors % tiles else (least,)


def symbols(
    e: str, sizes: tuple[int, ...] | None = None, pairs: bool = False
) -> dict[str, int]:
    """The tiles of these numbers of vectors, or of all."""
    table = tables.Table.of(("direct_tile", *of_pairs.key(pairs), e, *shape()), shape()[0])
    table.fill(sizes, lambda some: DirectTile(e, pairs).build_tiles(some))
    return {"direct_tiles": table.address}
