"""Products that need no packing: small, narrow, tall and flat ones, and batches of small ones.

    C = alpha * A @ B + beta * D       A, B and D of any strides, D's columns side by side

B is read as it lies: a tile of C, some rows by up to four vectors of columns, stays in registers
while rows of B and single elements of A stream by. Where the columns of B do not lie side by side
(a transposed B), each thread first turns the panel that it is about to read, on its stack.

    for a unit (a product of the batch, some rows, some columns):
        for blocks of K, for panels of columns, for panels of rows: a tile

A batch has two levels of strides, so that heads that lie within positions need no copy. Units
depend on the shapes alone: the bits are the same for any number of threads.

Not here: large products (`gemm.py`), which of the two is used (`select.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import I32, I64, PTR, Module, Pointer, Value, vector
from ..runtime import jit, tables, threads
from .gemm import transposed
from .gemv import STRIDES
from .tile import ask_now_and_then, lanes_of

KC = 128  # rows of B a block: a panel stays in the first-level cache
ROWS = 48  # at most, of a unit for which columns of A are copied
MANY = 24  # rows from which on a panel of B is copied, which then stays in the first-level cache

INTERFACE = Interface(
    "small_gemm",
    "C = alpha * A @ B + beta * D, nothing packed",
    arrays={"a": "A (m, k)", "b": "B (k, n)", "c": "C (m, n)", "d?": "D (m, n), or nothing"},
    ints={
        **{f"a_{k}": STRIDES[k] for k in STRIDES},
        **{f"b_{k}": STRIDES[k] for k in STRIDES},
        **{f"c_{k}": STRIDES[k] for k in ("outer", "batch", "row")},
        **{f"d_{k}": STRIDES[k] for k in ("outer", "batch", "row")},
        "inner": "products along the inner dim of the batch",
        "m": "rows of A",
        "n": "columns of B",
        "k": "elements of a sum",
        "row_block": "rows of a unit",
        "row_blocks": "units along the rows of a product",
        "col_block": "columns of a unit",
        "col_blocks": "units along the columns of a product",
        "units": "units of all products",
        "each": "units of a chunk, which one thread computes",
    },
    floats={"alpha": "factor of the product", "beta": "factor of D"},
)
OPERANDS = ("a", "b", "c", "d")


def tile_heights() -> list[int]:
    """The most rows of a tile of 1, 2, … vectors of columns: what the registers hold."""
    return [10, 6, 4] if jit.target().lanes == 8 else [16, 12, 8, 6]


class SmallGemm:
    """Writes the module of one element type."""

    def __init__(self, e: str) -> None:
        self.e = e
        self.w = lanes_of(e)
        self.heights = tile_heights()
        self.nr = len(self.heights) * self.w
        self.module = Module(f"small_gemm_{e}")

    def build_tiles(self, places: Sequence[int]) -> Module:
        """Tiles at some places (from 1 on) of the table that `place_of` counts through."""
        names = []
        for place in places:
            v, h = (place - 1) // self.heights[0] + 1, (place - 1) % self.heights[0] + 1
            h = min(h, self.heights[v - 1])
            name = f"ptr @tile_{v}_{h}"
            if name not in names:
                self.write_tile(v, h)
            names.append(name)
        self.module.globals["tiles"] = (
            f"@tiles = constant [{len(names)} x ptr] [{', '.join(names)}]"
        )
        return self.module

    def build_copies(self) -> Module:
        """The copies, which every kind of product has."""
        self.write_turn()
        self.write_copy()
        return self.module

    def declare_tiles(self) -> None:
        """Call the tiles and copies of another module."""
        threads.declare_run(self.module)
        count = len(self.heights) * self.heights[0]
        self.module.globals["tiles"] = f"@tiles = external constant [{count} x ptr]"
        self.module.declare("turn", None, [PTR, PTR, *[I64] * 4])
        self.module.declare("copy", None, [PTR, I64, PTR, *[I64] * 3])
        self.most = self.module.table("most", I64, self.heights)

    def build(self) -> Module:
        self.declare_tiles()
        self.write_unit()
        self.write_chunk()
        INTERFACE.write(
            self.module, lambda _f, word: (word["units"] + (word["each"] - 1)) // word["each"]
        )
        return self.module

    # -- a tile ------------------------------------------------------------------------------

    def write_tile(self, v: int, h: int) -> None:
        """h rows by v vectors of C; the last vector may have fewer columns."""
        w, e = self.w, self.e
        f = self.module.function(
            f"tile_{v}_{h}", None,
            [("kc", I64), ("a", PTR), ("a_row", I64), ("a_col", I64), ("b", PTR), ("b_row", I64),
             ("c", PTR), ("c_row", I64), ("d", PTR), ("d_row", I64), ("columns", I64),
             ("alpha", e), ("beta", e)], private=True,
        )  # fmt: skip
        a_row, a_col, b_row, columns = (f.args[n] for n in ("a_row", "a_col", "b_row", "columns"))
        lanes = f.iota(vector(I32, w))
        mask = lanes < f.convert(columns - (v - 1) * w, I32)

        def load(p: Pointer, j: int) -> Value:
            return p.load(j * w, w) if j < v - 1 else p.load_masked(j * w, mask)

        zero = f.const(vector(e, w), 0)
        sums = [[f.var(zero) for _ in range(v)] for _ in range(h)]
        a, b = f.args["a"].of(e), f.args["b"].of(e)
        # Three rows to a pointer: x86 adds a register, once or twice, to another at no cost.
        ends = [f.var(a.at(a_row * i)) for i in range(0, h, 3)]
        row = f.var(b)
        c, d = f.args["c"].of(e), f.args["d"].of(e)
        with f.range(0, f.args["kc"]) as k:
            ask_now_and_then(f, k, c, f.args["c_row"], (h, v * w))
            line = [load(row.get(), j) for j in range(v)]
            for i in range(h):
                place = ends[i // 3].get()
                one = f.splat((place.at(a_row * (i % 3)) if i % 3 else place)[0], w)
                for j in range(v):
                    sums[i][j].set(f.fma(one, line[j], sums[i][j].get()))
            for end in ends:
                end.set(end.get().at(a_col))
            row.set(row.get().at(b_row))
        alpha, beta = (f.splat(f.args[n], w) for n in ("alpha", "beta"))
        values = sums
        with f.when(f.compare("ne", f.args["alpha"], 1.0)):
            for value in (one for each in values for one in each):
                value.set(value.get() * alpha)
        with f.when(f.compare("ne", f.args["d"], Value(f, PTR, "null"))):
            for i in range(h):
                other = d.at(f.args["d_row"] * i)
                for j in range(v):
                    values[i][j].set(f.fma(beta, load(other, j), values[i][j].get()))
        for i in range(h):
            place = c.at(f.args["c_row"] * i)
            for j in range(v):
                if j < v - 1:
                    place.store(values[i][j].get(), j * w)
                else:
                    place.store_masked(values[i][j].get(), j * w, mask)
        f.ret()

    # -- copies ------------------------------------------------------------------------------

    def write_turn(self) -> None:
        """Columns of B, kc long, as kc rows of NR elements. Columns past the end repeat one."""
        e, w, nr = self.e, self.w, self.nr
        f = self.module.function(
            "turn", None,
            [("to", PTR), ("b", PTR), ("row", I64), ("col", I64), ("columns", I64), ("kc", I64)],
        )  # fmt: skip
        to, b = f.args["to"].of(e), f.args["b"].of(e)
        row, col, columns, kc = (f.args[n] for n in ("row", "col", "columns", "kc"))
        whole = f.select(row == 1, kc - kc % w, f.const(I64, 0))
        with f.range(0, columns, w) as first:
            places = []
            for j in range(w):
                last = columns - 1
                at = f.select(last < first + j, last, first + j)
                places.append(b.at(at * col))
            with f.range(0, whole, w) as k:
                rows = [place.load(k, w) for place in places]
                for j, v in enumerate(transposed(f, rows)):
                    to.store(v, (k + j) * nr + first, aligned=True)
        with f.range(whole, kc) as k, f.range(columns) as j:
            to[k * nr + j] = b[k * row + j * col]
        f.ret()

    def write_copy(self) -> None:
        """Lines of n elements side by side, to lines that begin `step` elements after another."""
        e, w = self.e, self.w
        f = self.module.function(
            "copy", None,
            [("to", PTR), ("step", I64), ("x", PTR), ("line", I64), ("n", I64), ("lines", I64)],
        )  # fmt: skip
        to, x = f.args["to"].of(e), f.args["x"].of(e)
        step, line, n = (f.args[name] for name in ("step", "line", "n"))
        whole = n - n % w
        rest = f.iota(vector(I32, w)) < f.convert(n - whole, I32)
        with f.range(f.args["lines"]) as k:
            with f.range(0, whole, w) as i:
                to.store(x.load(k * line + i, w), k * step + i)
            to.store_masked(x.load_masked(k * line + whole, rest), k * step + whole, rest)
        f.ret()

    # -- units and chunks ----------------------------------------------------------------------

    def write_unit(self) -> None:
        """Some rows and columns of one product of the batch."""
        e, w, nr = self.e, self.w, self.nr
        names = ("batch", "first_row", "rows", "first_column", "columns")
        f = self.module.function(
            "unit", None, [("words", PTR), *((n, I64) for n in names)], private=True
        )
        word = INTERFACE.words(f.args["words"])
        batch, first_row, rows, first_column, columns = (f.args[n] for n in names)
        outer, inner = batch // word["inner"], batch % word["inner"]

        def matrix(name: str) -> Pointer:
            step = outer * word[f"{name}_outer"] + inner * word[f"{name}_batch"]
            if name != "b":
                step = step + first_row * word[f"{name}_row"]
            return word[name].of(e).at(step)

        a, b, c, d = (matrix(n) for n in OPERANDS)
        alpha, beta = (f.convert(word[n], e) for n in ("alpha", "beta"))
        turned, beside = f.buffer(e, KC * nr), f.buffer(e, KC * ROWS)
        heights, table = Pointer(f, self.most, I64), Pointer(f, "@tiles", PTR)
        null = Value(f, PTR, "null")
        k = word["k"]
        with f.range(0, k, KC) as pc:
            kc = f.select(k - pc < KC, k - pc, f.const(I64, KC))
            here, a_row, a_col = (
                f.var(x) for x in (a.at(pc * word["a_col"]), word["a_row"], word["a_col"])
            )
            with f.when((word["a_row"] == 1) & (rows > 1) & (rows <= ROWS)):
                given = [beside, f.const(I64, ROWS), here.get(), word["a_col"], rows, kc]
                f.call("copy", None, given)
                here.set(beside)
                a_col.set(ROWS)
            with f.range(0, columns, nr) as j:
                left = columns - j
                width = f.select(left < nr, left, f.const(I64, nr))
                column = first_column + j
                panel, step = f.var(b.at(pc * word["b_row"] + column * word["b_col"])), f.var(nr)
                with f.when((word["b_col"] == 1) & (rows < MANY)) as branch:
                    step.set(word["b_row"])
                with branch.otherwise():
                    with f.when(word["b_col"] == 1) as beside_each_other:
                        given = [turned, step.get(), panel.get(), word["b_row"], width, kc]
                        f.call("copy", None, given)
                    with beside_each_other.otherwise():
                        given = [turned, panel.get(), word["b_row"], word["b_col"], width, kc]
                        f.call("turn", None, given)
                    panel.set(turned)
                v = (width + (w - 1)) // w - 1
                most = heights[v]
                panels = (rows + most - 1) // most
                height, taller = rows // panels, rows % panels
                first = f.compare("eq", pc, 0)
                into = c.at(column)
                absent = f.compare("eq", word["d"], null)
                start_d = f.emit(PTR, f"select i1 {absent.text}, ptr {null.text}, "
                                      f"ptr {d.at(column).text}")  # fmt: skip
                other = f.emit(PTR, f"select i1 {first.text}, ptr {start_d.text}, ptr {into.text}")
                d_row = f.select(first, word["d_row"], word["c_row"])
                by = f.select(first, beta, f.const(e, 1.0))
                start = f.var(0)
                with f.range(panels) as p:
                    h = height + f.select(p < taller, f.const(I64, 1), 0)
                    at = start.get()
                    none = f.compare("eq", other, null)
                    below = other.of(e).at(at * d_row)
                    moved = f.emit(PTR, f"select i1 {none.text}, ptr null, ptr {below.text}")
                    f.call_pointer(
                        table[v * self.heights[0] + h - 1], None,
                        [kc, here.get().at(at * a_row.get()), a_row.get(), a_col.get(),
                         panel.get(), step.get(), into.at(at * word["c_row"]), word["c_row"],
                         moved, d_row, width, alpha, by],
                    )  # fmt: skip
                    start.set(at + h)
        f.ret()

    def write_chunk(self) -> None:
        """Some units, one after the other."""
        f = self.module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
        word = INTERFACE.words(f.args["context"])
        first = f.args["index"] * word["each"]
        after = first + word["each"]
        after = f.select(after < word["units"], after, word["units"])
        per = word["row_blocks"] * word["col_blocks"]
        with f.range(first, after) as unit:
            batch, rest = unit // per, unit % per
            column = rest // word["row_blocks"] * word["col_block"]
            row = rest % word["row_blocks"] * word["row_block"]
            rows, columns = word["m"] - row, word["n"] - column
            rows = f.select(rows < word["row_block"], rows, word["row_block"])
            columns = f.select(columns < word["col_block"], columns, word["col_block"])
            f.call("unit", None, [f.args["context"], batch, row, rows, column, columns])
        f.ret()


def tile_places(
    e: str, m: int, n: int, row_block: int, col_block: int
) -> tuple[int, ...]:
    """Which tiles a product needs whose units have at most so many rows and columns.

    A place of the table is (vectors of columns, rows); the same arithmetic as in `write_unit`.
    """
    heights = tile_heights()
    w = lanes_of(e)
    nr = len(heights) * w
    found = set()
    for columns in {min(n, col_block), n % col_block or col_block}:
        widths = {columns % nr} | ({nr} if columns >= nr else set())
        for width in widths - {0}:
            v = -(-width // w)
            for rows in {min(m, row_block), m % row_block or row_block}:
                panels = -(-rows // heights[v - 1])
                tall = {rows // panels, -(-rows // panels)}
                found |= {(v - 1) * heights[0] + h for h in tall}
    return tuple(sorted(found))


def tile_symbols(e: str, places: tuple[int, ...] | None = None) -> dict[str, int]:
    """Some tiles (or all) and the copies, which modules with small products import. A tile is
    compiled when it is first needed."""
    key = (e, jit.target().lanes)
    heights = tile_heights()
    tiles = tables.Table.of(("small_tile", *key), len(heights) * heights[0])
    tiles.fill(places, lambda some: SmallGemm(e).build_tiles(some))
    copies_key = ("small_copies", *key, KC, ROWS)
    copies = jit.load(copies_key, lambda: SmallGemm(e).build_copies(), ["turn", "copy"])
    return {"tiles": tiles.address, **copies}


@functools.cache
def kernel(e: str, places: tuple[int, ...] | None = None) -> Kernel:
    """The kernel of an element type, with the tiles of `tile_places`, or with all."""
    key = (e, KC, ROWS, MANY)
    return Kernel(INTERFACE, key, lambda: SmallGemm(e).build(), lambda: tile_symbols(e, places))
