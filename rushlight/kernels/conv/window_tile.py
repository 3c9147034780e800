"""The tile of a product that reads windows where they lie, and packs them while it multiplies.

Loads and stores of windows fit beside the multiplications: the first panel of weights takes little
more time than the others, which then read what it has packed. Packing in a loop of its own took 6
to 12 % of a convolution's time (3 x 3, 64 to 256 channels, a CPU with AVX-512).

A vector of windows is up to two lines of an image, side by side. Everything else (a stride, lines
shorter than half a vector) is packed by `implicit_gemm.py`.
"""

from __future__ import annotations

from typing import NamedTuple

from ..codegen.ir import I32, I64, PTR, Function, Value, vector
from ..matmul import pairs as of_pairs
from ..matmul.tile import Tile, add_products, ask_now_and_then, tile_rows
from ..runtime import jit, tables

LANES = 16  # of a vector: with fewer a mask is not an operand of a load, and the loop would be slow
AHEAD = 32  # positions: the next panel's windows are fetched while this one is computed


class Lines(NamedTuple):
    """A vector of windows as parts of two lines: `first`, `second`: what to add to the position of
    a lane; `here`, `there`: which lanes are of each line; `fits`: whether that is all of them."""

    first: Value
    second: Value
    here: Value
    there: Value
    fits: Value
    is_one: Value


def lines_of(f: Function, index: Value, count: Value, w: int) -> Lines:
    """The lines of a vector of positions of which the first `count` are wanted."""
    steps = index - f.iota(vector(I32, w))  # equal where positions are neighbours
    last = f.select(count < w, count, f.const(I64, w)) - 1
    last = f.select(last < 0, f.const(I64, 0), last)
    first, second = f.lane(steps, 0), f.lane(steps, last)
    wanted = f.iota(vector(I32, w)) < f.convert(count, I32)
    here = (steps == first) & wanted
    there = (steps == second) & wanted & ~here

    def holds(mask: Value) -> Value:
        return f.intrinsic(f"llvm.vector.reduce.and.v{w}i1", "i1", [mask])  # type: ignore[no-any-return]

    return Lines(
        f.convert(first, I64), f.convert(second, I64), here, there,
        holds(here | there | ~wanted), holds(here),
    )  # fmt: skip


class WindowTile(Tile):
    """Writes the tiles: arguments as those of `Tile.write_micro`, then x, where the block of K
    begins in the table of taps, and where the panel begins in the table of positions. `b` is where
    the panel is packed. `pairs`: of numbers that are pairs of bfloat16 (`pairs.py`)."""

    def __init__(self, e: str, pairs: bool = False) -> None:
        super().__init__(e)
        self.add_products = of_pairs.add_products if pairs else add_products

    def write_micro(self, h: int, direct: bool = False, vectors: int = 2) -> None:
        """An h x NR tile, always of both vectors, for all are packed; a column of windows that is
        not wanted is packed as zeros."""
        w, e, nr = self.w, self.e, self.nr
        f = self.module.function(
            f"micro{h}", None,
            [("kc", I64), ("a", PTR), ("b", PTR), ("c", PTR), ("ldc", I64), ("add", I64),
             ("columns", I64), ("bias_row", PTR), ("bias_col", PTR), ("x", PTR), ("tap", PTR),
             ("position", PTR)], private=True,
        )  # fmt: skip
        a, b, c, x = (f.args[n].of(e) for n in "abcx")
        tap, position = f.args["tap"].of(I64), f.args["position"].of(I32)
        columns = f.args["columns"]
        both = [lines_of(f, position.load(v, w), columns - v, w) for v in range(0, nr, w)]
        zero = f.const(vector(e, w), 0)
        sums = [[f.var(zero) for _ in range(2)] for _ in range(h)]

        def multiply(is_one: bool) -> None:
            with f.range(f.args["kc"]) as k:
                ask_now_and_then(f, k, c, f.args["ldc"], (h, nr))
                windows = x.at(tap[k])
                row = []
                for j, at in enumerate(both):
                    f.prefetch(windows.at(at.first + AHEAD))
                    if is_one:
                        values = windows.load(at.first, w)
                    else:
                        values = windows.load_masked(at.first, at.here)
                        values = windows.load_masked(at.second, at.there, values)
                    b.store(values, k * nr + j * w, aligned=True)
                    row.append(values)
                for i in range(h):
                    self.add_products(f, a.at(k * h + i), row, sums[i])

        with f.when(both[0].is_one & both[1].is_one) as branch:
            multiply(True)
        with branch.otherwise():
            multiply(False)
        self.write_sums(f, h, sums)


def is_fast() -> bool:
    """Whether windows are packed while they are multiplied."""
    return jit.target().lanes == LANES


def symbols(
    e: str, heights: tuple[int, ...] | None = None, pairs: bool = False
) -> dict[str, int]:
    """The tiles of the first panels of weights that are cut into panels of these heights, or all,
    which modules with convolutions import."""
    kind = ("window_tile", *of_pairs.key(pairs), e, AHEAD, jit.target().lanes)
    table = tables.Table.of(kind, tile_rows(e))
    if is_fast():
        first = None if heights is None else (max(heights),)
        table.fill(first, lambda some: WindowTile(e, pairs).build_tiles(some))
    return {"windows": table.address}
