"""Matrix products of float32 on the matrix unit: C = A @ B (+ C) (+ bias).

The kernel is called like that of `gemm.py`, and leaves to it what holds a number that cannot be
split (`amx.py`: infinities, NaN, numbers from 2**110 on). Operands of bfloat16 need not be split:
another kernel packs them as they are, and multiplies them whatever they hold.

    for blocks of the batch, of K and of the lines of one operand:
        the lines are split and packed, by all threads
        for panels of the other operand, by all threads:
            the panel is split and packed; it meets each packed panel of the first in a tile

The block of the first operand, the one with fewer lines, stays in the second-level cache. A panel
has 32 rows of A or columns of B; a step of it, 32 elements of k, has two tiles of each part. Blocks
and chunks depend on the shapes alone: the bits are the same for any number of threads.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import BF16, F32, I32, I64, PTR, Function, Module, Pointer, Value, vector
from ..runtime import threads
from . import amx, gemm
from .amx import least, shares
from .gemm import Words

PANEL = 32  # rows of A or columns of B in a panel
LINES, DEPTH = 1024, 1024  # of the block of the shared operand
ROOM = 1 << 22  # bytes of the shared operand that a block of the batch may have
GROUP = 4  # panels that a chunk packs at most, and computes
CHUNKS = 8  # chunks that there should be, where there are panels enough

_OF_GEMM = gemm.INTERFACE
INTERFACE = Interface(
    "amx_gemm",
    "C = A @ B (+ C) (+ bias) on the matrix unit",
    arrays={
        **{k + "?" * (k in _OF_GEMM.optional): text for k, text in _OF_GEMM.arrays.items()},
        "packed": "room for the shared operand's panels: `packed_bytes`",
    },
    ints={k: _OF_GEMM.ints[k] for k in _OF_GEMM.ints if k not in ("mode", *gemm.PACKING)},
    state=("first", "count", "lines", "begin", "pc", "kc", "steps", "shared", "own", "group",
           "groups", "at_once", "flag"),
)  # fmt: skip


class AmxGemm:
    """Writes the module for one number of parts, and operands of float32 or of bfloat16."""

    def __init__(self, parts: int, e: str = F32) -> None:
        self.parts, self.e = parts, e
        self.refuses = e == F32  # a bfloat16 number need not be split
        self.step_bytes = 2 * parts * amx.TILE  # of a panel
        self.module = Module(f"amx_gemm_{parts}" if self.refuses else "amx_gemm_bfloat16")

    def build(self) -> Any:
        threads.declare_run(self.module)
        amx.configure(self.module)
        if self.refuses:
            self.module.declare("plain_run", None, list(gemm.INTERFACE.types.values()))
        for left in (True, False):
            amx.write_pack(self.module, self.parts, left, self.e)
        for rows in (1, 2):
            for columns in (1, 2):
                self.write_tile(rows, columns)
        for left in (True, False):
            self.write_packing(left)
            self.write_compute(left)
        self.write_run()
        INTERFACE.write_invoke(self.module)
        return self.module

    # -- a tile of the result ----------------------------------------------------------------

    def write_tile(self, rows: int, columns: int) -> None:
        """Up to 32 x 32 elements of C (rows and columns of 16): one panel times another."""
        f = self.module.function(
            f"tile{rows}{columns}", None,
            [("steps", I64), ("a", PTR), ("b", PTR), ("c", PTR), ("ldc", I64), ("add", I64),
             ("height", I64), ("width", I64), ("bias_row", PTR), ("bias_col", PTR)], private=True,
        )  # fmt: skip
        a, b, c = f.args["a"].of("i8"), f.args["b"].of("i8"), f.args["c"].of(F32)
        ldc, height, width = (f.args[n] for n in ("ldc", "height", "width"))
        square = f.buffer(F32, PANEL * PANEL)
        null = Value(f, PTR, "null")
        tiles = [(i, j, i * 2 + j) for i in range(rows) for j in range(columns)]
        direct = (
            (height == rows * amx.SIDE) & (width == columns * amx.SIDE)
            & f.compare("eq", f.args["bias_row"], null) & f.compare("eq", f.args["bias_col"], null)
        )  # fmt: skip

        def corner(i: int, j: int) -> Pointer:
            return c.at(ldc * (i * amx.SIDE) + j * amx.SIDE)

        with f.when(direct & (f.args["add"] != 0)) as branch:
            for i, j, t in tiles:
                amx.load(f, t, corner(i, j), ldc * 4)
        with branch.otherwise():
            for _, _, t in tiles:
                amx.zero(f, t)
        with f.range(f.args["steps"]) as s:
            here, there = a.at(s * self.step_bytes), b.at(s * self.step_bytes)

            def left(tile: int, part: int, i: int) -> None:
                amx.load(f, tile, here.at((part * 2 + i) * amx.TILE), 64)

            def right(tile: int, part: int, j: int) -> None:
                amx.load(f, tile, there.at((part * 2 + j) * amx.TILE), 64)

            for i in range(2):  # C comes into the cache while the sums are made
                for j in range(columns):
                    f.prefetch(c.at((s * 2 + i) * ldc + j * amx.SIDE), to_write=True)
            amx.step(f, rows, columns, self.parts, left, right)
        with f.when(direct) as branch:
            for i, j, t in tiles:
                amx.store(f, t, corner(i, j), ldc * 4)
        with branch.otherwise():
            for *_, t in tiles:
                amx.store(f, t, square.at(t * amx.SIDE**2), amx.SIDE * 4)
            for i, j, t in tiles:
                self.finish(f, square.at(t * amx.SIDE**2), i * amx.SIDE, j * amx.SIDE)
        f.ret()

    def call_tile(
        self, f: Function, steps: Value, a: Pointer, b: Pointer, c: Pointer, ldc: Value,
        add: Value, rows: Value, columns: Value, bias_row: Value, bias_col: Value,
    ) -> None:  # fmt: skip
        """Write the choice of a tile of so many rows and columns, and the call."""
        given = [steps, a, b, c, ldc, add, rows, columns, bias_row, bias_col]
        with f.when(rows > amx.SIDE) as tall:
            with f.when(columns > amx.SIDE) as wide:
                f.call("tile22", None, given)
            with wide.otherwise():
                f.call("tile21", None, given)
        with tall.otherwise():
            with f.when(columns > amx.SIDE) as wide:
                f.call("tile12", None, given)
            with wide.otherwise():
                f.call("tile11", None, given)

    def finish(self, f: Function, tile: Pointer, first: int, at: int) -> None:
        """Bring a tile with an edge or a bias to C."""
        c, ldc = f.args["c"].of(F32), f.args["ldc"]
        null = Value(f, PTR, "null")
        mask = f.iota(vector(I32, amx.SIDE)) < f.convert(f.args["width"] - at, I32)
        line = f.var(f.const(vector(F32, amx.SIDE), 0))
        with f.when(f.compare("ne", f.args["bias_col"], null)):
            line.set(f.args["bias_col"].of(F32).load_masked(at, mask))
        left = least(f, f.args["height"] - first, amx.SIDE)
        with f.range(left) as i:
            value = f.var(tile.load(i * amx.SIDE, amx.SIDE) + line.get())
            with f.when(f.compare("ne", f.args["bias_row"], null)):
                one = f.splat(f.args["bias_row"].of(F32)[i + first], amx.SIDE)
                value.set(value.get() + one)
            place = (i + first) * ldc + at
            with f.when(f.args["add"] != 0):
                value.set(c.load_masked(place, mask) + value.get())
            c.store_masked(value.get(), place, mask)

    # -- the chunks --------------------------------------------------------------------------

    def pack(
        self, f: Function, words: Words, left: bool, batch: Value, first: Value, count: Value,
        to: Pointer, flag: Pointer,
    ) -> None:  # fmt: skip
        """Pack `count` rows of A (left) or columns of B from `first` on."""
        name = "a" if left else "b"
        line, along = words.get(f"{name}_row"), words.get(f"{name}_col")
        if not left:
            line, along = along, line
        source = words.pointer(name, self.e)
        source = source.at(batch * words.get(f"{name}_batch") + first * line)
        source = source.at(words.get("pc") * along)
        given = [to, source, line, along, count, words.get("kc"),
                 words.get("steps") * self.step_bytes, flag]  # fmt: skip
        f.call("pack_left" if left else "pack_right", None, given)

    def write_packing(self, left: bool) -> None:
        """A chunk of packing: some panels of the shared operand of one product of the batch."""
        f = self.module.function(
            f"packing_{left:d}", None, [("words", PTR), ("index", I64)], private=True
        )
        words = Words(f, f.args["words"], INTERFACE)
        get = words.get
        each = get("at_once")
        groups = (get("shared") + each - 1) // each
        product, group = f.args["index"] // groups, f.args["index"] % groups
        panel = product * get("shared") + group * each
        first = group * each * PANEL
        to = words.pointer("packed", "i8").at(panel * get("steps") * self.step_bytes)
        self.pack(
            f, words, left, get("first") + product, get("begin") + first,
            least(f, get("lines") - first, each * PANEL), to, flag_of(f, words),
        )  # fmt: skip
        f.ret()

    def write_compute(self, left: bool) -> None:
        """A chunk of the product: some panels of its own, which meet all shared ones.

        `left`: the shared operand is A.
        """
        f = self.module.function(
            f"compute_{left:d}", None, [("words", PTR), ("index", I64)], private=True
        )
        words = Words(f, f.args["words"], INTERFACE)
        get = words.get
        flag = f.buffer(I64, 8)
        amx.begin(f)
        product, group = f.args["index"] // get("groups"), f.args["index"] % get("groups")
        batch, size = get("first") + product, get("steps") * self.step_bytes
        panels = words.pointer("packed", "i8").at(product * get("shared") * size)
        all_own = get("n") if left else get("m")
        c = words.pointer("c", F32).at(batch * get("c_batch"))
        begins = get("pc") == 0
        add = f.select(begins, get("accumulate"), f.const(I64, 1))

        def bias(name: str, place: Value) -> Value:
            """A bias belongs to the first elements along K."""
            there = begins & f.compare("ne", get(name), Value(f, PTR, "null"))
            found = words.pointer(name, F32).at(place)
            return f.emit(PTR, f"select i1 {there.text}, ptr {found.text}, ptr null")

        start = group * get("group") * PANEL
        most = least(f, all_own - start, get("group") * PANEL)
        flag[0] = 0
        room = amx.reserve(f, shares(f, most, PANEL) * size)
        self.pack(f, words, not left, batch, start, most, room, flag)

        def multiply(i: Value, j: Value) -> None:
            at, own = get("begin") + i * PANEL, start + j
            some, count = least(f, get("lines") - i * PANEL, PANEL), least(f, most - j, PANEL)
            theirs, mine = panels.at(i * size), room.at(j // PANEL * size)
            row, column = (at, own) if left else (own, at)
            rows, columns = (some, count) if left else (count, some)
            a, b = (theirs, mine) if left else (mine, theirs)
            self.call_tile(
                f, get("steps"), a, b, c.at(row * get("c_row") + column), get("c_row"), add, rows,
                columns, bias("bias_row", row), bias("bias_col", column),
            )  # fmt: skip

        def all_of_them() -> None:
            with f.range(get("shared")) as i, f.range(0, most, PANEL) as j:
                multiply(i, j)

        def by_vectors() -> None:
            row, column = (get("begin"), start) if left else (start, get("begin"))
            rows, columns = (get("lines"), most) if left else (most, get("lines"))
            lines = GROUP * PANEL if left else LINES
            spare = amx.reserve(f, gemm.packed_size("float", lines, 1, gemm.KC) * 4)
            self.plain(f, words, batch, f.const(I64, 1), row, rows, column, columns, spare)
            amx.give_back(f, spare)

        self.unless(f, flag[0], all_of_them, by_vectors)
        amx.give_back(f, room)
        amx.end(f)
        f.ret()

    def unless(
        self, f: Function, flag: Value, then: Callable[[], None], otherwise: Callable[[], None]
    ) -> None:
        """Write what is done, and what else where a number cannot be split: of float32."""
        if not self.refuses:
            then()
            return
        with f.when(flag == 0) as fine:
            then()
        with fine.otherwise():
            otherwise()

    def plain(
        self, f: Function, words: Words, batch: Value, products: Value, row: Value, rows: Value,
        column: Value, columns: Value, room: Pointer,
    ) -> None:  # fmt: skip
        """Some rows and columns by vector instructions."""
        get = words.get
        pc = get("pc")
        begins = pc == 0

        def bias(name: str, at: Value) -> Value:
            there = begins & f.compare("ne", get(name), Value(f, PTR, "null"))
            found = words.pointer(name, F32).at(at)
            return f.emit(PTR, f"select i1 {there.text}, ptr {found.text}, ptr null")

        a = words.pointer("a", F32)
        a = a.at(batch * get("a_batch") + row * get("a_row") + pc * get("a_col"))
        b = words.pointer("b", F32)
        b = b.at(batch * get("b_batch") + pc * get("b_row") + column * get("b_col"))
        c = words.pointer("c", F32).at(batch * get("c_batch") + row * get("c_row") + column)
        add = f.select(begins, get("accumulate"), f.const(I64, 1))
        given = {
            "a": a, "b": b, "c": c, "bias_row": bias("bias_row", row),
            "bias_col": bias("bias_col", column), "packed": room, "m": rows, "n": columns,
            "k": get("kc"), "batch": products, "accumulate": add, "mode": f.const(I64, 0),
            "rows": f.const(I64, gemm.PACKED), "block": f.const(I64, gemm.KC),
            "depth": f.const(I64, gemm.KC), "chunks": f.const(I64, gemm.CHUNKS),
        }  # fmt: skip
        given = {name: given[name] if name in given else get(name) for name in gemm.INTERFACE.types}
        f.call("plain_run", None, list(given.values()))

    # -- the whole ---------------------------------------------------------------------------

    def write_run(self) -> None:
        f = INTERFACE.begin_run(self.module)
        place, flag = INTERFACE.pack(f), f.buffer(I64, 8)
        words = Words(f, place, INTERFACE)
        words.set("flag", f.emit(I64, f"ptrtoint ptr {flag.text} to i64"))
        m, n = f.args["m"], f.args["n"]
        with f.when(m <= n) as branch:
            self.write_blocks(f, words, place, flag, True, m, n)
        with branch.otherwise():
            self.write_blocks(f, words, place, flag, False, n, m)
        f.ret()

    def write_blocks(
        self, f: Function, words: Words, place: Pointer, flag: Pointer, left: bool, shared: Value,
        own: Value,
    ) -> None:  # fmt: skip
        """The loops over blocks, for an operand with `shared` lines and one with `own`."""
        k, batch = f.args["k"], f.args["batch"]
        packing, compute = (Value(f, PTR, f"@{n}_{left:d}") for n in ("packing", "compute"))
        size = shares(f, least(f, shared, LINES), PANEL) * shares(f, least(f, k, DEPTH), amx.DEPTH)
        many = f.const(I64, ROOM) // (size * self.step_bytes)
        many = f.select(many < 1, f.const(I64, 1), many)
        own_panels = shares(f, own, PANEL)
        with (
            f.range(0, batch, many) as first,
            f.range(0, k, DEPTH) as pc,
            f.range(0, shared, LINES) as begin,
        ):
            count = least(f, batch - first, many)
            lines, kc = least(f, shared - begin, LINES), least(f, k - pc, DEPTH)
            steps, panels = shares(f, kc, amx.DEPTH), shares(f, lines, PANEL)
            wanted = (own_panels * count + CHUNKS - 1) // CHUNKS
            group = least(f, least(f, wanted, own_panels), GROUP)
            at_once = least(f, (count * panels + CHUNKS - 1) // CHUNKS, GROUP)
            groups = (own_panels + group - 1) // group
            for word, amount in (
                ("first", first), ("count", count), ("lines", lines), ("begin", begin), ("pc", pc),
                ("kc", kc), ("steps", steps), ("shared", panels), ("own", own_panels),
                ("group", group), ("groups", groups), ("at_once", at_once),
            ):  # fmt: skip
                words.set(word, amount)
            flag[0] = 0
            f.call("pool_run", None, [packing, place, count * ((panels + at_once - 1) // at_once)])

            def all_of_them(amount: Value = count * groups) -> None:
                f.call("pool_run", None, [compute, place, amount])

            def by_vectors(begin: Value = begin, first: Value = first) -> None:
                zero = f.const(I64, 0)
                row, column = (begin, zero) if left else (zero, begin)
                rows, columns = (lines, own) if left else (own, lines)
                room = words.pointer("packed", F32)
                self.plain(f, words, first, count, row, rows, column, columns, room)

            self.unless(f, flag.atomic_load(), all_of_them, by_vectors)


def flag_of(f: Function, words: Words) -> Pointer:
    """Where packing notes that a number cannot be split."""
    return f.emit(PTR, f"inttoptr i64 {words.get('flag').text} to ptr").of(I64)


@functools.cache
def kernel(parts: int, e: str = F32) -> Kernel:
    """The kernel for numbers in so many parts, of operands of float32 or bfloat16."""
    amx.need()
    key = amx.key(parts, e, LINES, DEPTH, ROOM, GROUP, CHUNKS)
    if e == BF16:
        return Kernel(INTERFACE, key, lambda: AmxGemm(parts, e).build())
    plain = gemm.kernel("float")
    return Kernel(
        INTERFACE, key, lambda: AmxGemm(parts).build(), lambda: {"plain_run": plain.address}
    )


def packed_bytes(m: int, n: int, k: int, batch: int, parts: int) -> int:
    """Bytes of the room that a block of the shared operand is packed into."""
    panels = -(-min(m, n, LINES) // PANEL)
    size = panels * -(-min(k, DEPTH) // amx.DEPTH) * 2 * parts * amx.TILE
    many = min(max(1, ROOM // size), batch)
    return max(many * size, 4 * gemm.packed_size("float", n, many, gemm.KC))
