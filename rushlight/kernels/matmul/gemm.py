"""Matrix products: C = A @ B (+ C) (+ bias), for operands of any strides, alone or in batches.

After Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication (2008), and Van Zee
and van de Geijn, BLIS (2015):

    for N columns and `depth` rows of B:            packed into panels of NR columns, by all threads
        for groups of rows of A x groups of panels:     a chunk, which one thread computes:
            for blocks of K:                                its rows of A are packed
                for each panel of B, each panel of A:           and the micro-kernel runs:
                    an h x NR tile of C stays in registers while A and B stream by

Rows are dealt evenly over panels of at most MR rows, so every height up to MR has a micro-kernel.
There is a second one for few rows of A and a B that stays packed, which reads A where it lies
(DIRECT): with few rows, many chunks would pack the same ones. A third one packs rows while it
multiplies (FUSED; where rows lie side by side, as in gradients of weights: `packing_tile.py`).

Blocks and chunks depend on the shapes alone: the bits are the same for any number of threads.

Packing is a pluggable part: a subclass may read B from elsewhere (`conv/implicit_gemm.py`: an
image's windows). Not here: when this is used instead of NumPy's BLAS (`select.py`).
"""

from __future__ import annotations

import functools
from typing import Any

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import BYTES, I32, I64, PTR, Function, Module, Pointer, Value, vector
from ..runtime import jit, tables, threads
from .tile import Tile, lanes_of, tile_rows

KC = 256  # rows of B a block: a panel of B (KC x NR) stays in the first-level cache
NC = 1024  # columns of B a block: the packed block (KC x NC) stays in the second level
ROOM = KC * NC  # elements of B that are packed at a time, unless one block of K has more
CHUNKS = 16  # of a product that threads share, or more
SHARE = 4  # many groups of rows are a multiple of this, so that threads get equally many
GROUPS = 8  # of rows that tiles pack, where there were fewer of whole groups: halves will do
APART = 2048  # bytes between columns of A from which on several panels are packed in one go
AHEAD = 8  # rows of K whose lines are asked for before they are packed
AHEAD_B = 32  # and rows of B, whose panels are as narrow as two lines: 0.88 to 0.99 of the time

# How rows of A are read: packed by a loop in front of the tiles, where they lie, or where they lie
# by the tiles of the first panel of B, which pack them for the others.
PACKED, DIRECT, FUSED = 0, 1, 2

INTERFACE = Interface(
    "gemm",
    "C = A @ B (+ C) (+ bias), B packed into panels",
    arrays={
        "a": "A (m, k)",
        "b": "B (k, n)",
        "c": "C (m, n), columns side by side",
        "bias_row?": "a number for each row of C",
        "bias_col?": "a number for each column of C",
        "packed": "room for the panels of B: `packed_size` or, in modes 1 and 2, `whole_size`",
    },
    ints={
        "a_row": "elements from one row of A to the next",
        "a_col": "elements from one column of A to the next",
        "a_batch": "elements from one A to the next",
        "b_row": "elements from one row of B to the next",
        "b_col": "elements from one column of B to the next",
        "b_batch": "elements from one B to the next",
        "c_row": "elements from one row of C to the next",
        "c_batch": "elements from one C to the next",
        "m": "rows of A",
        "n": "columns of B",
        "k": "elements of a sum",
        "batch": "products",
        "accumulate": "1: C is added to, 0: it is written",
        "mode": "0: pack and multiply by blocks, 1: pack all of B, 2: multiply by what 1 packed",
        "rows": "how rows of A are read: 0 PACKED, 1 DIRECT, 2 FUSED (only with an a_row of 1)",
        "block": "rows of B, KC at most, whose products are summed in one go: it decides on bits",
        "depth": "rows of B that are packed at a time, a multiple of block; with mode 2 at least k",
        "chunks": "how many are wanted, if there are columns enough, for threads to share",
    },
    state=("jc", "nc", "pd", "after", "panels", "height", "taller", "col_panels", "col_group",
           "row_groups", "col_groups"),
)  # fmt: skip

PACKING = ("rows", "block", "depth", "chunks")  # what of them says how vectors pack


def group() -> int:
    """Panels of rows that a chunk packs, at most MR x KC elements each, on the stack. A panel of B
    is read once for all of them, from the second level or beyond: 4 panels of 14 rows, 8 of 6."""
    return 8 if jit.target().lanes == 8 else 4


class Words:
    """The packed arguments and the state of a kernel, by name, from within one function."""

    def __init__(self, f: Function, place: Value, interface: Interface = INTERFACE) -> None:
        self.fn, self.place, self.interface = f, place.of(I64), interface

    def get(self, name: str) -> Value:
        place = self.place.at(self.interface.places[name])
        return place.of(self.interface.packed[name])[0]

    def set(self, name: str, value: Any) -> None:
        self.interface.set(self.place, **{name: value})

    def pointer(self, name: str, e: str) -> Pointer:
        return self.get(name).of(e)


def transposed(f: Function, rows: list[Value]) -> list[Value]:
    """W vectors of W lanes, turned: lane i of vector k becomes lane k of vector i."""
    w = len(rows)
    step = 1
    while step < w:  # squares of 2, 4, 8, … rows: each exchanges its two off-diagonal parts
        new = list(rows)
        for i in range(w):
            if not i & step:
                a, b = rows[i], rows[i + step]
                low = [k if not k & step else w + k - step for k in range(w)]
                high = [k + step if not k & step else w + k for k in range(w)]
                new[i], new[i + step] = f.shuffle(a, b, low), f.shuffle(a, b, high)
        rows = new
        step *= 2
    return rows


class Gemm(Tile):
    """Writes the module of one element type."""

    name = "gemm"

    def __init__(self, e: str) -> None:
        super().__init__(e)
        self.group = group()

    def build_pack(self) -> Module:
        """The packing of rows, which every kind of product has."""
        self.write_pack_a()
        self.write_pack_columns()
        return self.module

    def declare_tile(self) -> None:
        """Call the tiles of another module."""
        threads.declare_run(self.module)
        for table in ("micro", "direct", "packing_tile"):
            self.module.globals[table] = f"@{table} = external constant [{self.mr} x ptr]"
        self.module.declare("pack_a", None, [PTR, PTR, I64, I64, I64, I64])
        self.module.declare("pack_columns", None, [PTR, PTR, I64, I64, I64, I64, I64])

    def build(self) -> Module:
        self.declare_tile()
        self.write_pack_b()
        self.write_packing()
        self.write_compute()
        self.write_run()
        INTERFACE.write_invoke(self.module)
        return self.module

    # -- packing -----------------------------------------------------------------------------

    def write_pack_a(self) -> None:
        """h rows of A, kc long, as kc columns of h elements. Writes up to W elements too many."""
        e, w = self.e, self.w
        f = self.module.function(
            "pack_a", None,
            [("to", PTR), ("a", PTR), ("row", I64), ("col", I64), ("h", I64), ("kc", I64)],
        )  # fmt: skip
        to, a = f.args["to"].of(e), f.args["a"].of(e)
        row, col, h, kc = (f.args[n] for n in ("row", "col", "h", "kc"))

        def element_wise(first: Any) -> None:
            with f.range(first, kc) as k, f.range(h) as i:
                to[k * h + i] = a[i * row + k * col]

        with f.when(col == 1) as branch:  # along rows: turned in registers, W x W at a time
            whole = kc - kc % w
            with f.range(0, whole, w) as k:
                for first in reversed(range(0, self.mr, w)):
                    with f.when(h > first):
                        rows = []
                        for i in range(first, first + w):
                            last = h - 1
                            at = f.select(last < i, last, f.const(I64, i))
                            rows.append(a.load(at * row + k, w))
                        for j, v in enumerate(transposed(f, rows)):
                            to.store(v, (k + j) * h + first)
            element_wise(whole)
        with branch.otherwise():
            with f.when(row == 1) as inner:  # along columns: copied
                full = h - h % w
                rest = f.iota(vector(I32, w)) < f.convert(h - full, I32)
                with f.range(kc) as k:
                    with f.range(0, full, w) as i:
                        to.store(a.load(k * col + i, w), k * h + i)
                    # the lanes past h lie where the next column comes
                    to.store(a.load_masked(k * col + full, rest), k * h + full)
            with inner.otherwise():
                element_wise(0)
        f.ret()

    def write_pack_columns(self) -> None:
        """`own` panels of an A whose rows lie side by side, of which the first `taller` have h + 1
        rows. They are packed in one go, for the lines of A that they share a part of would else be
        read again for each, and rows far apart displace each other in the first-level cache."""
        e, w = self.e, self.w
        f = self.module.function(
            "pack_columns", None,
            [("to", PTR), ("a", PTR), ("col", I64), ("h", I64), ("taller", I64), ("own", I64),
             ("kc", I64)],
        )  # fmt: skip
        to, a = f.args["to"].of(e), f.args["a"].of(e)
        col, kc, lanes = f.args["col"], f.args["kc"], f.iota(vector(I32, w))
        panels, start = [], f.const(I64, 0)
        for p in range(self.group):
            h = f.args["h"] + f.select(f.args["taller"] > p, f.const(I64, 1), 0)
            h = f.select(f.args["own"] > p, h, f.const(I64, 0))
            masks = [lanes < f.convert(h - i, I32) for i in range(0, self.mr, w)]
            panels.append((to.at(self.panel_size(kc) * p), h, start, masks))
            start = start + h
        with f.range(kc) as k:
            line = a.at(k * col)
            ahead = line.at(col * AHEAD)
            for i in range(0, self.group * self.mr, w):
                f.prefetch(ahead.at(i))
            for place, h, first, masks in panels:
                for i, mask in enumerate(masks):
                    place.store(line.load_masked(first + i * w, mask), k * h + i * w)
        f.ret()

    def panel_size(self, kc: Any) -> Any:
        """Elements from one packed panel of rows to the next: packing writes some too many."""
        return kc * self.mr + 2 * self.w

    def write_pack_b(self) -> None:
        """NR columns of B, kc long, as kc rows of NR elements. Columns past the end repeat one."""
        e, w, nr = self.e, self.w, self.nr
        f = self.module.function(
            "pack_b", None,
            [("to", PTR), ("b", PTR), ("row", I64), ("col", I64), ("columns", I64), ("kc", I64)],
            private=True,
        )  # fmt: skip
        to, b = f.args["to"].of(e), f.args["b"].of(e)
        row, col, columns, kc = (f.args[n] for n in ("row", "col", "columns", "kc"))
        last = columns - 1

        def clamped(j: Any) -> Value:
            j = f.const(I64, j)
            return f.select(last < j, last, j)

        def element_wise(first: Any) -> None:
            with f.range(first, kc) as k, f.range(nr) as j:
                to[k * nr + j] = b[k * row + clamped(j) * col]

        with f.when(col == 1) as branch:
            with f.when(columns == nr) as full, f.range(kc) as k:
                for j in range(0, nr, w):
                    f.prefetch(b.at((k + AHEAD_B) * row + j))
                for j in range(0, nr, w):
                    to.store(b.load(k * row + j, w), k * nr + j, aligned=True)
            with full.otherwise():
                lanes = f.iota(vector(I32, w))
                masks = [lanes < f.convert(columns - j, I32) for j in range(0, nr, w)]
                with f.range(kc) as k:
                    for j, mask in zip(range(0, nr, w), masks, strict=True):
                        to.store(b.load_masked(k * row + j, mask), k * nr + j, aligned=True)
        with branch.otherwise():
            with f.when(row == 1) as inner:
                whole = kc - kc % w
                for first in range(0, nr, w):
                    places = [clamped(j) * col for j in range(first, first + w)]
                    with f.range(0, whole, w) as k:
                        rows = [b.load(place + k, w) for place in places]
                        for j, v in enumerate(transposed(f, rows)):
                            to.store(v, (k + j) * nr + first, aligned=True)
                element_wise(whole)
            with inner.otherwise():
                element_wise(0)
        f.ret()

    # -- the chunks --------------------------------------------------------------------------

    def write_packing(self) -> None:
        """A chunk of packing: one panel of B of one product of the batch."""
        f = self.module.function("packing", None, [("words", PTR), ("index", I64)], private=True)
        words = Words(f, f.args["words"])
        panels, products = words.get("col_panels"), words.get("batch")
        of_block = products * panels
        number, rest = f.args["index"] // of_block, f.args["index"] % of_block
        block = words.get("block")
        begin = number * block
        pc = words.get("pd") + begin
        left = words.get("after") - pc
        kc = f.select(left < block, left, block)
        batch, panel = rest // panels, rest % panels
        first = panel * self.nr
        left = words.get("nc") - first
        columns = f.select(left < self.nr, left, f.const(I64, self.nr))
        row, col = words.get("b_row"), words.get("b_col")
        b = words.pointer("b", self.e).at(
            batch * words.get("b_batch") + pc * row + (words.get("jc") + first) * col
        )
        to = words.pointer("packed", self.e).at((begin * of_block + rest * kc) * self.nr)
        f.call("pack_b", None, [to, b, row, col, columns, kc])
        f.ret()

    def write_compute(self) -> None:
        """A chunk of the product: some panels of rows times some panels of columns."""
        e, nr = self.e, self.nr
        f = self.module.function("compute", None, [("words", PTR), ("index", I64)], private=True)
        words = Words(f, f.args["words"])
        get = words.get
        col_groups, col_panels, products = get("col_groups"), get("col_panels"), get("batch")
        row_groups = get("row_groups")
        per_product = row_groups * col_groups
        batch, rest = f.args["index"] // per_product, f.args["index"] % per_product
        # Neighbouring chunks share columns: a thread's part of them reads the panels of B that are
        # its part of the packing, which are in the cache of its core.
        row_group, col_group = rest % row_groups, rest // row_groups
        height, taller, panels = get("height"), get("taller"), get("panels")

        def first_of(group: Value) -> Value:
            """Panels are dealt evenly over groups, the larger groups first: a thread's part of the
            chunks begins with them, and who comes first to the end of his helps with the rest."""
            return (group * panels + (row_groups - 1)) // row_groups

        first_panel = first_of(row_group)
        own_panels = first_of(row_group + 1) - first_panel
        rows = f.buffer(e, self.group * self.panel_size(KC))
        matrix = words.pointer("a", e).at(batch * get("a_batch"))
        c = words.pointer("c", e).at(batch * get("c_batch") + get("jc"))
        first = col_group * get("col_group")
        last = first + get("col_group")
        last = f.select(last < col_panels, last, col_panels)
        null = Value(f, PTR, "null")
        direct, fused = get("rows") == DIRECT, get("rows") == FUSED
        table, directly, packing = (
            Pointer(f, f"@{name}", PTR) for name in ("micro", "direct", "packing_tile")
        )

        def start_of(panel: Value) -> Value:
            return panel * height + f.select(panel < taller, panel, taller)

        def height_of(panel: Value) -> Value:
            return height + f.select(panel < taller, f.const(I64, 1), 0)

        block = get("block")
        with f.range(get("pd"), get("after"), block) as pc:
            left = get("after") - pc
            kc = f.select(left < block, left, block)
            a, size = matrix.at(pc * get("a_col")), self.panel_size(kc)
            with f.when(get("rows") == PACKED):
                far = get("a_col") >= APART // BYTES[e]
                together = (get("a_row") == 1) & far & (own_panels > 2)
                with f.when(together) as lies_along:
                    source = a.at(start_of(first_panel))
                    given = [rows, source, get("a_col"), height, taller - first_panel]
                    f.call("pack_columns", None, [*given, own_panels, kc])
                with lies_along.otherwise(), f.range(own_panels) as p:
                    panel = first_panel + p
                    source = a.at(start_of(panel) * get("a_row"))
                    given = [rows.at(p * size), source, get("a_row"), get("a_col")]
                    f.call("pack_a", None, [*given, height_of(panel), kc])
            # What is packed next: the next block of K of these rows, or the rows of the next chunk.
            # It is asked for where rows are packed one by one, some of them by each tile.
            start, after = start_of(first_panel), start_of(first_panel + own_panels)
            more = pc + kc < get("after")
            following = matrix.at(
                f.select(more, start, after) * get("a_row") + f.select(more, pc + kc, get("pd"))
            )
            by_rows = (get("rows") == PACKED) & (get("a_col") == 1)
            there = more | (row_group + 1 < row_groups)  # others may write what lies behind A
            wanted = f.select(by_rows & there, after - start, f.const(I64, 0))
            begin = (pc - get("pd")) * products + batch * kc
            packed = words.pointer("packed", e).at(begin * col_panels * nr)
            # the first block of K writes C, unless C is to be added to; the others always add
            add = f.select(pc > 0, f.const(I64, 1), get("accumulate"))

            def bias(name: str, place: Value, pc: Value = pc) -> Value:
                """A bias belongs to the first block of rows of B."""
                there = (pc == 0) & f.compare("ne", get(name), null)
                found = words.pointer(name, e).at(place)
                return f.emit(PTR, f"select i1 {there.text}, ptr {found.text}, ptr {null.text}")

            with f.range(first, last) as j, f.range(own_panels) as p:
                panel = first_panel + p
                start, h = start_of(panel), height_of(panel)
                left = get("nc") - j * nr
                columns = f.select(left < nr, left, f.const(I64, nr))
                given = [packed.at(j * kc * nr), c.at(start * get("c_row") + j * nr), get("c_row"),
                         add, columns, bias("bias_row", start),
                         bias("bias_col", get("jc") + j * nr)]  # fmt: skip
                source, own = a.at(start * get("a_row")), rows.at(p * size)
                with f.when(direct) as branch:
                    strides = [get("a_row"), get("a_col")]
                    f.call_pointer(directly[h - 1], None, [kc, source, *given, *strides])
                with branch.otherwise():
                    with f.when(fused & (j == first)) as packs:
                        to = [get("a_col"), own]
                        f.call_pointer(packing[h - 1], None, [kc, source, *given, *to])
                    with packs.otherwise():
                        first_asked = ((j - first) * own_panels + p) * self.next_rows
                        asks = first_asked < wanted
                        line = following.at(first_asked * get("a_row"))
                        place = f.emit(
                            PTR, f"select i1 {asks.text}, ptr {line.text}, ptr {own.text}"
                        )
                        step = f.select(asks, get("a_row"), f.const(I64, 0))
                        f.call_pointer(table[h - 1], None, [kc, own, *given, step, place])
        f.ret()

    def write_run(self) -> None:
        """The loops over what is packed of B at a time, by `mode`: 0 packs and uses one part after
        the other in the same room, 1 packs all, one behind the other, and does no more, 2 uses what
        1 has packed."""
        f = INTERFACE.begin_run(self.module)
        place = INTERFACE.pack(f)
        words = Words(f, place)
        m, n, k, batch = (f.args[x] for x in ("m", "n", "k", "batch"))
        panels = (m + (self.mr - 1)) // self.mr
        row_groups = (panels + (self.group - 1)) // self.group
        halves = f.select(panels < 2 * GROUPS, (panels + 1) // 2, f.const(I64, GROUPS))
        fused = f.args["rows"] == FUSED
        more = fused & (panels >= GROUPS) & (row_groups < halves)
        row_groups = f.select(more, (halves + 1) // 2 * 2, row_groups)
        many = row_groups > 2 * SHARE
        row_groups = f.select(many, (row_groups + (SHARE - 1)) // SHARE * SHARE, row_groups)
        words.set("panels", panels)
        words.set("height", m // panels)
        words.set("taller", m % panels)
        words.set("row_groups", row_groups)
        packing, compute = Value(f, PTR, "@packing"), Value(f, PTR, "@compute")
        depth, mode, block = f.args["depth"], f.args["mode"], f.args["block"]
        room = f.var(words.get("packed"))
        with f.range(0, n, NC) as jc:
            left = n - jc
            nc = f.select(left < NC, left, f.const(I64, NC))
            col_panels = (nc + (self.nr - 1)) // self.nr
            # Of two panels at least, for each chunk packs its rows of A anew, or of four, of which
            # the first one's tiles pack.
            chunks, rows = f.args["chunks"], batch * row_groups
            wanted = f.select(rows < chunks, chunks // rows, f.const(I64, 1))
            group = (col_panels + (wanted - 1)) // wanted
            least = f.select(fused, f.const(I64, 4), f.const(I64, 2))
            group = f.select(group < least, least, group)
            col_groups = (col_panels + (group - 1)) // group
            for word, amount in (("jc", jc), ("nc", nc), ("col_panels", col_panels),
                                ("col_group", group), ("col_groups", col_groups)):  # fmt: skip
                words.set(word, amount)
            with f.range(0, k, depth) as pd:
                after = f.select(k - pd < depth, k, pd + depth)
                words.set("pd", pd)
                words.set("after", after)
                words.set("packed", room.get())
                blocks = (after - pd + (block - 1)) // block
                with f.when(mode != 2):
                    f.call("pool_run", None, [packing, place, blocks * batch * col_panels])
                with f.when(mode != 1):
                    f.call("pool_run", None, [compute, place, batch * row_groups * col_groups])
                with f.when(mode != 0):
                    used = (after - pd) * batch * col_panels * self.nr
                    room.set(room.get().of(self.e).at(used))
        f.ret()


def panel_heights(e: str, m: int) -> tuple[int, ...]:
    """The heights of the panels that m rows are cut into."""
    panels = -(-m // tile_rows(e))
    return (m // panels, m // panels + 1) if m % panels else (m // panels,)


def tile_symbols(
    e: str, heights: tuple[int, ...] | None = None, rows: int = PACKED
) -> dict[str, int]:
    """The tiles of some heights (or of all) for rows of A that are read in one way, and the packing
    of A, which modules with products import. A tile is compiled when its height is first needed:
    each takes a twentieth of a second."""
    from . import packing_tile

    key = (e, jit.target().lanes)
    micro = tables.Table.of(("tile", *key), tile_rows(e))
    directly = tables.Table.of(("direct_tile", *key), tile_rows(e))
    needed = directly if rows == DIRECT else micro
    needed.fill(heights, lambda some: Tile(e).build_tiles(some, rows == DIRECT))
    packing = packing_tile.table(e, heights if rows == FUSED else ())
    pack = jit.load(
        ("pack_rows", *key), lambda: Gemm(e).build_pack(), ["pack_a", "pack_columns"]
    )
    tiles = {"micro": micro, "direct": directly, "packing_tile": packing}
    return {name: table.address for name, table in tiles.items()} | pack


def narrow_symbols(e: str, heights: tuple[int, ...] | None = None) -> dict[str, int]:
    """The tiles of some heights (or of all) that have one vector of columns."""
    table = tables.Table.of(("narrow_tile", e, jit.target().lanes), tile_rows(e))
    table.fill(heights, lambda some: Tile(e).build_tiles(some, vectors=1))
    return {"narrow": table.address}


@functools.cache
def kernel(e: str, heights: tuple[int, ...] | None = None, rows: int = PACKED) -> Kernel:
    """The kernel of an element type, with tiles for panels of these heights, or of all, and for
    rows of A that are read in this way."""
    key = (e, KC, NC, GROUPS, group())
    return Kernel(INTERFACE, key, lambda: Gemm(e).build(), lambda: tile_symbols(e, heights, rows))


def rows_read(e: str, m: int) -> int:
    """How m rows of A are read by products with a matrix that stays packed: where they lie, if they
    are few."""
    return DIRECT if m <= group() * tile_rows(e) else PACKED


def whole_size(e: str, n: int, k: int) -> int:
    """Elements of the room that all of B is packed into (mode 1)."""
    nr = 2 * lanes_of(e)
    return sum(-(-min(n - j, NC) // nr) for j in range(0, n, NC)) * nr * k


def depth_of(n: int, k: int, batch: int, rows: int = PACKED) -> int:
    """How many rows of B are packed at a time in mode 0: a block, or more of a narrow B, for then
    threads wait less often for each other. Half as many where A is read with them, from beyond the
    second-level cache: 128 x 768 x 512 takes 0.95 of the time so, with A in rows 1.02."""
    width, room = batch * NC if n > NC else batch * n, ROOM // 2 if rows == FUSED else ROOM
    return min(max(1, room // (width * KC)), blocks_of(k)) * KC


def blocks_of(k: int) -> int:
    """How many blocks of K there are."""
    return -(-k // KC)


def packed_size(e: str, n: int, batch: int, depth: int) -> int:
    """Elements of the room that B is packed into (mode 0)."""
    nr = 2 * lanes_of(e)
    return batch * depth * nr * -(-min(n, NC) // nr)
