"""Convolution as a product whose second operand is never written down whole.

forward   y[n] (O, P) = w (O, K) @ x[n] seen through windows (K, P)
weight    dw (O, K)   = sum over n of g[n] (O, P) @ x[n] seen through windows, turned (P, K)

P counts output positions, K = channels x kernel positions. Element (k, p) of the windows is
`x[tap[k] + position[p]]`: two tables of offsets into a padded image describe any number of
dimensions, stride and dilation. Neighbouring positions are mostly neighbours in memory, so a vector
of them is one load, two masked loads at the end of a line, every second element of two loads, or a
gather (`window_vector`).

Each chunk packs what it needs of the windows on its stack and uses it for all rows of the weight,
which is packed once. Forward packs while it multiplies by the first panel of the weight, where
windows are parts of two lines at most (`window_tile.py`). Chunks depend on the shapes alone. The
weight's gradient is summed over fixed slices of the images; g is packed once for all chunks, unless
it is large.

Where images are small, a panel has positions of several: all images count as one then, of n * p
positions. A chunk brings what it computes of that to the images' own places, or reads g from there.

Not here: padding, tables and the choice (`select.py`); the tile and packing of rows
(`matmul/gemm.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import F64, I32, I64, PTR, Function, Pointer, Value, vector
from ..matmul import pairs as of_pairs
from ..matmul.gemm import KC, Gemm, narrow_symbols, tile_symbols, transposed
from ..runtime import jit
from . import window_tile

PANELS = 4  # panels of positions a chunk packs at once

FORWARD = Interface(
    "conv",
    "y = the windows of x times w (+ bias)",
    arrays={
        "x": "padded images (n, groups, image)",
        "w": "weights (groups, m, k)",
        "y": "(n, groups, m, p); a workspace where `apart` is given",
        "apart?": "the result (p / size, groups, m, size), where images share panels and n is 1",
        "bias?": "a number for each output channel (groups, m)",
        "position": "int32 (p and some more): where the window of each output position begins",
        "tap": "int64 (k): how far each element of a window lies from its beginning",
        "packed": "workspace for the weights, as large as they are",
        "w_offset?": "int64 (k): where the elements of a row of w lie, if not side by side",
    },
    ints={
        "w_row": "elements from one row of w to the next, where w_offset is given",
        "n": "images",
        "groups": "groups of channels that do not see each other",
        "m": "output channels of a group",
        "p": "output positions of an image",
        "size": "and of each of the images that share panels",
        "k": "elements of a window: input channels of a group times kernel positions",
        "image": "elements of a group's channels of an image",
    },
)
SIZES_OF_WEIGHT = {  # what all kernels of a weight's gradient are told
    "n": "images",
    "groups": "groups of channels that do not see each other",
    "m": "output channels of a group",
    "p": "output positions of an image",
    "size": "and of each of the images that share panels; p where none do",
    "k": "elements of a window: input channels of a group times kernel positions",
    "image": "elements of a group's channels of an image",
    "slices": "slices of the images",
    "each": "images of a slice",
}
WEIGHT = Interface(
    "conv_weight",
    "dw = the sum over images of g times the windows of x, transposed",
    arrays={
        "x": "padded images (n, groups, image)",
        "g": "gradients of the outputs (n, groups, m, p), or (p / size, groups, m, size)",
        "dw": "sums over slices of the images (slices, groups, m, k)",
        "position": "int32 (p and some more): where the window of each output position begins",
        "tap": "int64 (k): how far each element of a window lies from its beginning",
        "packed?": "workspace for g, as large as it is; without it each chunk packs what it needs",
    },
    ints=SIZES_OF_WEIGHT | {
        "panels": "panels of a window's elements that a chunk packs at once, PANELS at most",
    },
)
Load = Callable[[Pointer], Value]
Part = Callable[[Value, Value, Value, Value], None]


def window_vector(f: Function, index: Value, w: int, body: Callable[[Load], None]) -> None:
    """Write `body` for each way of loading x[base + index[lane]] for the lanes of a vector."""
    steps = index - f.iota(vector(I32, w))  # equal where positions are neighbours
    first, shift = f.lane(steps, 0), f.lane(steps, w - 1)
    here, there = steps == first, steps == shift
    start = f.convert(first, I64)

    def holds(mask: Value) -> Value:
        return f.intrinsic(f"llvm.vector.reduce.and.v{w}i1", "i1", [mask])

    with f.when(holds(here)) as branch:
        body(lambda base: base.load(start, w))
    with branch.otherwise():
        with f.when(holds(here | there)) as two:
            second = f.convert(shift, I64)

            def both(base: Pointer) -> Value:
                return base.load_masked(second, there, base.load_masked(start, here))

            body(both)
        with two.otherwise():
            skipping(f, index, w, body, holds)


def skipping(
    f: Function, index: Value, w: int, body: Callable[[Load], None],
    holds: Callable[[Value], Value],
) -> None:  # fmt: skip
    """`window_vector` of positions that are no neighbours: every second element of one line or two,
    as a stride of 2 takes them, comes of two or four loads; otherwise each is gathered."""
    lanes = f.iota(vector(I32, w))
    steps = index - lanes * 2
    first, shift = f.lane(steps, 0), f.lane(steps, w - 1)
    here, there = steps == first, steps == shift
    start, second = f.convert(first, I64), f.convert(shift, I64)
    halves = [[(half * w + i) // 2 for i in range(w)] for half in (0, 1)]
    evens = list(range(0, 2 * w, 2))
    own = lanes < w - 1  # of the second half: nothing is read behind the last of them
    with f.when(holds(here)) as one:

        def line(base: Pointer) -> Value:
            return f.shuffle(base.load(start, w), base.load_masked(start + w, own), evens)

        body(line)
    with one.otherwise():
        with f.when(holds(here | there)) as two:
            masks = [[f.shuffle(m, m, half) for half in halves] for m in (here, there)]

            def both(base: Pointer) -> Value:
                low = base.load_masked(second, masks[1][0], base.load_masked(start, masks[0][0]))
                high = base.load_masked(start + w, masks[0][1])
                high = base.load_masked(second + w, masks[1][1] & own, high)
                return f.shuffle(low, high, evens)

            body(both)
        with two.otherwise():
            places = f.convert(index, I64)
            everywhere = f.const(vector("i1", w), True)

            def gathered(base: Pointer) -> Value:
                e = base.element
                t, many = vector(e, w), f"<{w} x ptr>"
                text = f"getelementptr {e}, ptr {base.text}, {places.type} {places.text}"
                pointers = f.emit(many, text)
                name = f"llvm.masked.gather.v{w}{'f64' if e == F64 else 'f32'}.v{w}p0"
                align = f.const(I32, 8 if e == F64 else 4)
                return f.intrinsic(name, t, [pointers, align, everywhere, f.const(t, 0)])

            body(gathered)


class Conv(Gemm):
    """What forward and weight kernels share."""

    interface: Interface

    def build(self) -> Any:
        self.declare_tile()
        self.write_chunks()
        f = self.interface.begin_run(self.module)
        self.write_run(f, self.interface.pack(f))
        self.interface.write_invoke(self.module)
        return self.module

    def write_chunks(self) -> None:
        raise NotImplementedError

    def write_run(self, f: Function, packed: Pointer) -> None:  # type: ignore[override]
        raise NotImplementedError

    def chunk(self, name: str) -> tuple[Function, Value]:
        f = self.module.function(name, None, [("words", PTR), ("index", I64)], private=True)
        return f, f.args["index"]

    def word(self, f: Function, name: str) -> Value:
        """An argument of the kernel, from within a chunk."""
        place = f.args["words"].of(I64).at(self.interface.places[name])
        return place.of(self.interface.packed[name])[0]

    def pointer(self, f: Function, name: str, e: str | None = None) -> Pointer:
        return self.word(f, name).of(e or self.e)

    def given(self, f: Function, name: str) -> Value:
        """Whether an array is there."""
        return f.compare("ne", self.word(f, name), Value(f, PTR, "null"))

    def rows(self, f: Function, m: Value) -> tuple[Value, Value, Value]:
        """Panels of at most MR rows: their number, the least height, how many are one taller."""
        panels = (m + (self.mr - 1)) // self.mr
        return panels, m // panels, m % panels

    def panel(self, f: Function, i: Value, height: Value, taller: Value) -> tuple[Value, Value]:
        """First row and height of a panel."""
        start = i * height + f.select(i < taller, i, taller)
        return start, height + f.select(i < taller, f.const(I64, 1), 0)

    def least(self, f: Function, a: Value, b: Any) -> Value:
        b = f.const(I64, b)
        return f.select(a < b, a, b)

    def write_packed_rows(
        self, f: Function, to: Pointer, rows: Pointer, row: Value, h: Value, kc: Value
    ) -> None:
        """Pack h rows, kc long, `row` apart, by way of the stack: `pack_a` writes a little too
        much, and neighbours may be packed at the same time."""
        made, size = f.buffer(self.e, self.mr * KC + 2 * self.w), h * kc
        f.call("pack_a", None, [made, rows, row, f.const(I64, 1), h, kc])
        whole = size - size % self.w
        with f.range(0, whole, self.w) as j:
            to.store(made.load(j, self.w), j)
        with f.range(whole, size) as j:
            to[j] = made[j]

    def each_image(self, f: Function, first: Value, last: Value, body: Part) -> None:
        """Write `body(image, place, positions, at)` for each image that shares the positions from
        `first` to before `last`: which one, where in it its part begins, how long that is, and
        where it begins in those positions."""
        size = self.word(f, "size")
        with f.range(first // size, (last + (size - 1)) // size) as image:
            begin = image * size
            start = f.select(begin < first, first, begin)
            body(image, start - begin, self.least(f, last, begin + size) - start, start - first)

    def copy(
        self, f: Function, source: Pointer, step: Any, to: Pointer, to_step: Any, rows: Value,
        n: Value,
    ) -> None:  # fmt: skip
        """Copy n elements of each row; steps are those between rows."""
        whole = n - n % self.w
        rest = f.iota(vector(I32, self.w)) < f.convert(n - whole, I32)
        with f.range(rows) as r:
            x, y = source.at(r * step), to.at(r * to_step)
            with f.range(0, whole, self.w) as i:
                y.store(x.load(i, self.w), i)
            with f.when(whole < n):
                y.store_masked(x.load_masked(whole, rest), whole, rest)

    def micro(self, f: Function, h: Value, given: list[Value], table: str = "micro") -> None:
        nothing_next = [f.const(I64, 0), given[1]]  # it asks for what it reads anyway
        f.call_pointer(Pointer(f, f"@{table}", PTR)[h - 1], None, [*given, *nothing_next])


class Forward(Conv):
    """y (N, groups, M, P) from x (N, groups, image) and w (groups, M, K).

    With a table `w_offset`, element (i, k) of a group's weights lies at i * w_row + w_offset[k].
    """

    interface = FORWARD

    def declare_tile(self) -> None:
        super().declare_tile()
        for table in ("windows", "narrow"):
            self.module.globals[table] = f"@{table} = external constant [{self.mr} x ptr]"

    def write_run(self, f: Function, packed: Pointer) -> None:  # type: ignore[override]
        a = f.args
        panels, _, _ = self.rows(f, a["m"])
        blocks = (a["k"] + (KC - 1)) // KC
        span = PANELS * self.nr
        columns = (a["p"] + (span - 1)) // span
        pack, compute = Value(f, PTR, "@pack_weight"), Value(f, PTR, "@compute")
        f.call("pool_run", None, [pack, packed, a["groups"] * blocks * panels])
        f.call("pool_run", None, [compute, packed, a["n"] * a["groups"] * columns])
        f.ret()

    def packed_at(self, f: Function, group: Value, pc: Value, start: Value) -> Pointer:
        """Where rows from `start` on of a block of K lie: blocks of M x kc, one after the other."""
        m, k = self.word(f, "m"), self.word(f, "k")
        kc = self.least(f, k - pc, KC)
        return self.pointer(f, "packed").at(group * m * k + pc * m + start * kc)

    def write_chunks(self) -> None:
        f, index = self.chunk("pack_weight")
        m, k = self.word(f, "m"), self.word(f, "k")
        panels, height, taller = self.rows(f, m)
        block, i = index // panels, index % panels
        blocks = (k + (KC - 1)) // KC
        group, pc = block // blocks, (block % blocks) * KC
        start, h = self.panel(f, i, height, taller)
        kc = self.least(f, k - pc, KC)
        to = self.packed_at(f, group, pc, start)
        weights = self.pointer(f, "w").at(group * m * k)
        with f.when(self.given(f, "w_offset")) as branch:
            row, offset = self.word(f, "w_row"), self.pointer(f, "w_offset", I64)
            source = weights.at(start * row)
            with f.range(kc) as j:
                column = source.at(offset[pc + j])
                with f.range(h) as r:
                    to[j * h + r] = column[r * row]
        with branch.otherwise():
            self.write_packed_rows(f, to, weights.at(start * k + pc), k, h, kc)
        f.ret()
        self.write_compute()

    def write_compute(self) -> None:
        w, nr = self.w, self.nr
        f, index = self.chunk("compute")
        m, p, k, groups = (self.word(f, n) for n in ("m", "p", "k", "groups"))
        span = PANELS * nr
        columns = (p + (span - 1)) // span
        item, first = index // columns, (index % columns) * span
        group = item % groups
        x = self.pointer(f, "x").at(item * self.word(f, "image"))
        y = self.pointer(f, "y").at(item * m * p + first)
        position, tap = self.pointer(f, "position", I32), self.pointer(f, "tap", I64)
        panels, height, taller = self.rows(f, m)
        left = self.least(f, p - first, span)
        packs = (left + (nr - 1)) // nr
        full = (left + (w - 1)) // nr  # panels of which more than one vector is wanted
        room = f.buffer(self.e, PANELS * nr * KC)
        null = Value(f, PTR, "null")
        biased = self.given(f, "bias")
        with f.range(0, k, KC) as pc:
            kc = self.least(f, k - pc, KC)

            def pack(j: Value) -> None:
                with f.range(0, nr, w) as v:
                    index_vector = position.load(first + j * nr + v, w)
                    to = room.at(j * nr * kc + v)

                    def packed(load: Load) -> None:
                        with f.range(kc) as t:
                            to.store(load(x.at(tap[pc + t])), t * nr)

                    window_vector(f, index_vector, w, packed)

            def tile(i: Any, j: Value) -> tuple[Value, list[Value]]:
                """The height of a tile, and what computes it is given."""
                start, h = self.panel(f, f.const(I64, i), height, taller)
                rows = self.packed_at(f, group, pc, start)
                bias = self.pointer(f, "bias").at(group * m + start)
                use = biased & (pc == 0)
                chosen = f.emit(PTR, f"select i1 {use.text}, ptr {bias.text}, ptr null")
                return h, [kc, rows, room.at(j * nr * kc), y.at(start * p + j * nr), p, pc,
                           self.least(f, left - j * nr, nr), chosen, null]  # fmt: skip

            computed = 0  # panels of weights that are multiplied while windows are packed
            with f.range(packs) as j:
                if window_tile.is_fast():
                    computed, at = 1, position.at(first + j * nr)
                    h, given = tile(0, j)
                    fits = [window_tile.lines_of(f, at.load(v, w), given[6] - v, w).fits
                            for v in range(0, nr, w)]  # fmt: skip
                    with f.when(fits[0] & fits[1]) as branch:
                        place = Pointer(f, "@windows", PTR)[h - 1]
                        f.call_pointer(place, None, [*given, x, tap.at(pc), at])
                    with branch.otherwise():
                        pack(j)
                        self.micro(f, h, given)
                else:
                    pack(j)
            with f.range(computed, panels) as i:
                with f.range(full) as j:
                    self.micro(f, *tile(i, j))
                with f.range(full, packs) as j:  # a last panel of one vector
                    self.micro(f, *tile(i, j), "narrow")

        def own(image: Value, place: Value, n: Value, at: Value) -> None:
            size = self.word(f, "size")
            to = self.pointer(f, "apart").at((image * groups + group) * m * size + place)
            self.copy(f, y.at(at), p, to, size, m, n)

        with f.when(self.given(f, "apart")):
            self.each_image(f, first, first + left, own)
        f.ret()


class Weight(Conv):
    """dw (slices, groups, M, K) from g (N, groups, M, P) and x (N, groups, image)."""

    interface = WEIGHT

    def write_run(self, f: Function, packed: Pointer) -> None:  # type: ignore[override]
        a = f.args
        span = a["panels"] * self.nr
        columns = (a["k"] + (span - 1)) // span
        pack, compute = Value(f, PTR, "@pack_g"), Value(f, PTR, "@compute")
        with f.when(f.compare("ne", a["packed"], Value(f, PTR, "null"))):
            panels, _, _ = self.rows(f, a["m"])
            blocks = (a["p"] + (KC - 1)) // KC
            f.call("pool_run", None, [pack, packed, a["n"] * a["groups"] * blocks * panels])
        f.call("pool_run", None, [compute, packed, a["slices"] * a["groups"] * columns])
        f.ret()

    def packed_at(self, f: Function, item: Value, pc: Value, start: Value) -> Pointer:
        """Where rows from `start` on of a block of positions of a group of an image lie: blocks of
        M x kc, one after the other."""
        m, p = self.word(f, "m"), self.word(f, "p")
        kc = self.least(f, p - pc, KC)
        return self.pointer(f, "packed").at(item * m * p + pc * m + start * kc)

    def rows_of_g(
        self, f: Function, item: Value, pc: Value, kc: Value, start: Value, h: Value,
        joined: Pointer, body: Callable[[Pointer, Value], None],
    ) -> None:  # fmt: skip
        """Write `body(rows, steps between them)` for h rows of g from `start` on, at the positions
        from pc on; where images share positions, the rows are brought to `joined` first."""
        m, p, size, groups = (self.word(f, name) for name in ("m", "p", "size", "groups"))
        with f.when(size < p) as shared:

            def join(own: Value, place: Value, n: Value, at: Value) -> None:
                g = self.pointer(f, "g").at(((own * groups + item % groups) * m + start) * size)
                self.copy(f, g.at(place), size, joined.at(at), KC, h, n)

            self.each_image(f, pc, pc + kc, join)
            body(joined, f.const(I64, KC))
        with shared.otherwise():
            body(self.pointer(f, "g").at((item * m + start) * p + pc), p)

    def write_chunks(self) -> None:
        f, index = self.chunk("pack_g")
        m, p = self.word(f, "m"), self.word(f, "p")
        panels, height, taller = self.rows(f, m)
        block, i = index // panels, index % panels
        blocks = (p + (KC - 1)) // KC
        item, pc = block // blocks, (block % blocks) * KC
        start, h = self.panel(f, i, height, taller)
        kc = self.least(f, p - pc, KC)
        joined, to = f.buffer(self.e, self.mr * KC), self.packed_at(f, item, pc, start)
        self.rows_of_g(
            f, item, pc, kc, start, h, joined,
            lambda rows, row: self.write_packed_rows(f, to, rows, row, h, kc),
        )  # fmt: skip
        f.ret()
        self.write_compute()

    def write_compute(self) -> None:
        e, w, nr = self.e, self.w, self.nr
        f, index = self.chunk("compute")
        names = ("m", "p", "k", "groups", "n", "image", "each")
        m, p, k, groups, n, image, each = (self.word(f, name) for name in names)
        span = self.word(f, "panels") * nr
        columns = (k + (span - 1)) // span
        item, first = index // columns, (index % columns) * span
        group, part = item % groups, item // groups
        position, tap = self.pointer(f, "position", I32), self.pointer(f, "tap", I64)
        panels, height, taller = self.rows(f, m)
        left = self.least(f, k - first, span)
        packs = (left + (nr - 1)) // nr
        room = f.buffer(e, PANELS * nr * (KC + w))
        rows = f.buffer(e, self.mr * KC + 2 * w)
        joined = f.buffer(e, self.mr * KC)
        dw = self.pointer(f, "dw").at(item * m * k + first)
        null = Value(f, PTR, "null")
        is_packed = self.given(f, "packed")
        last = self.least(f, part * each + each, n)
        begun = f.var(0)
        with f.range(part * each, last) as i, f.range(0, p, KC) as pc:
            kc = self.least(f, p - pc, KC)
            x = self.pointer(f, "x").at((i * groups + group) * image)
            with f.range(0, kc, w) as t:
                index_vector = position.load(pc + t, w)

                def pack(load: Load, t: Value = t) -> None:
                    with f.range(packs) as j, f.range(0, nr, w) as v:
                        lines = []
                        for lane in range(w):
                            column = self.least(f, first + j * nr + v + lane, k - 1)
                            lines.append(load(x.at(tap[column])))
                        to = room.at(j * nr * (KC + w) + v)
                        for lane, value in enumerate(transposed(f, lines)):
                            to.store(value, (t + lane) * nr)

                window_vector(f, index_vector, w, pack)
            with f.range(panels) as r:
                start, h = self.panel(f, r, height, taller)
                place = self.packed_at(f, i * groups + group, pc, start)
                a = f.emit(PTR, f"select i1 {is_packed.text}, ptr {place.text}, ptr {rows.text}")
                with f.when(~is_packed):

                    def pack_rows(source: Pointer, row: Value, h: Value = h) -> None:
                        f.call("pack_a", None, [rows, source, row, f.const(I64, 1), h, kc])

                    self.rows_of_g(f, i * groups + group, pc, kc, start, h, joined, pack_rows)
                with f.range(packs) as j:
                    given = [kc, a, room.at(j * nr * (KC + w)), dw.at(start * k + j * nr), k,
                             begun.get(), self.least(f, left - j * nr, nr), null, null]  # fmt: skip
                    self.micro(f, h, given)
            begun.set(f.const(I64, 1))
        f.ret()


@functools.cache
def kernel(
    which: type[Conv], e: str, heights: tuple[int, ...] | None = None, narrow: bool = True,
    pairs: bool = False,
) -> Kernel:  # fmt: skip
    """`Forward` or `Weight` of an element type, with tiles for panels of these heights, or of
    all; `narrow`: a last panel may have no more than one vector of positions; `pairs`: of pairs of
    bfloat16, each held as an element."""
    key = (e, KC, PANELS, which is Forward and window_tile.is_fast(), *of_pairs.key(pairs))

    def symbols() -> dict[str, int]:
        tiles = of_pairs.tile_symbols(heights) if pairs else tile_symbols(e, heights)
        if which is Weight:
            return tiles
        some = heights if narrow else ()
        last = of_pairs.narrow_symbols(some) if pairs else narrow_symbols(e, some)
        return {**tiles, **last, **window_tile.symbols(e, heights, pairs)}

    return Kernel(which.interface, key, lambda: which(e).build(), symbols)


def lanes(e: str) -> int:
    """Columns of a tile: tables of positions end in so many copies of the last one."""
    return 2 * (jit.target().lanes // (2 if e == F64 else 1))
