"""The tile of a product that reads rows of A that lie side by side, and packs them while it
multiplies.

A gradient of weights is g^T @ x: A is g, turned, so h neighbouring rows of it are h neighbouring
numbers in memory for each k. Loading and storing those fits beside the multiplications: the tiles
of the first panel of B take little more time than the others, which then read what has been packed.

Elsewhere rows are packed in a loop of their own (`gemm.py`).
"""

from __future__ import annotations

from ..codegen.ir import I32, vector
from ..runtime import jit, tables
from .tile import Tile, ask_now_and_then, tile_rows

LANES = 16  # of a vector: with fewer a mask is not an operand of a load, and the loop would be slow
AHEAD = 32  # rows of K whose lines are asked for before they are read


class PackingTile(Tile):
    """Writes the tiles: arguments as those of `Tile.write_micro`, then how far the columns of A are
    apart, and where they are packed."""

    def write_micro(self, h: int, direct: bool = False, vectors: int = 2) -> None:
        """An h x NR tile. Packing writes up to W elements too many."""
        w, e, nr = self.w, self.e, self.nr
        f, sums = self.begin_tile(h, 2, ["a_col"], ["to"])
        a, b, c, to = (f.args[n].of(e) for n in ("a", "b", "c", "to"))
        lanes = f.iota(vector(I32, w))
        a_col = f.args["a_col"]
        column, packed = f.var(a), f.var(to)
        ahead = a_col * AHEAD
        with f.range(f.args["kc"]) as k:
            line = column.get()
            ask_now_and_then(f, k, c, f.args["ldc"], (h, nr))
            f.prefetch(line.at(ahead))
            if h > 1:
                f.prefetch(line.at(ahead + (h - 1)))
            for first in range(0, h, w):
                if h - first >= w:
                    values = line.load(first, w)
                else:
                    values = line.load_masked(first, lanes < (h - first))
                packed.get().store(values, first)
            row = [b.load(k * nr + j * w, w, aligned=True) for j in range(2)]
            for i in range(h):
                one = f.splat(line[i], w)
                for j in range(2):
                    sums[i][j].set(f.fma(one, row[j], sums[i][j].get()))
            column.set(line.at(a_col))
            packed.set(packed.get().at(h))
        self.write_sums(f, h, sums)


def is_fast() -> bool:
    """Whether rows are packed while they are multiplied."""
    return jit.target().lanes == LANES


def table(e: str, heights: tuple[int, ...] | None) -> tables.Table:
    """The tiles, of which those of some heights (or all) are made."""
    made = tables.Table.of(("packing_tile", e, AHEAD, jit.target().lanes), tile_rows(e))
    if is_fast():
        made.fill(heights, lambda some: PackingTile(e).build_tiles(some))
    return made
