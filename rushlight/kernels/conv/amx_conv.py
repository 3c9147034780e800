"""Convolutions of float32 on the matrix unit (`matmul/amx.py`), straight from a split image.

forward   y[n] (positions, O) = sum over taps of image[n] (positions + tap, C) @ w[tap] (C, O)
weight    dw[tap] (C, O) = sum over n of image[n] (C, positions + tap) @ g[n] (positions, O)

The image is padded and split into its parts once. For `Forward` 32 channels of a pixel lie together
(64 bytes): 16 neighbouring positions under a tap are a tile without packing. For `Weight` the
positions of a channel lie together, and so are a tile too. A stride s cuts the image into s x s
images of every s-th pixel, in each of which a tap has stride 1.

Positions run through the lines of such an image, the few at the end of each line that are none
among them: two tables say which of 16 positions count (`mask`) and where the first belongs
(`first`).

Not here: tables, room and the choice (`select_amx.py`).
"""

from __future__ import annotations

from typing import Any

from ..codegen.ir import F32, I16, I32, I64, PTR, Function, Pointer, Value, vector
from ..matmul import amx
from ..matmul.amx import DEPTH, SIDE, TILE, least, shares
from ..matmul.gemm import transposed
from ..runtime import builtin, jit, threads
from .implicit_gemm import Conv

PANEL = 32  # positions, channels or outputs of a panel
WIDE = vector(F32, SIDE)
IMAGE = (
    ("x", "array"), ("image", "array"), ("flag", "array"), ("n", "int"), ("groups", "int"),
    ("c", "int"), ("o", "int"), ("h", "int"), ("w", "int"), ("ph", "int"), ("pw", "int"),
    ("sh", "int"), ("sw", "int"), ("hq", "int"), ("wq", "int"), ("pixels", "int"), ("p", "int"),
    ("steps", "int"), ("taps", "int"), ("first", "array"), ("mask", "array"), ("tap", "array"),
)  # fmt: skip


class AmxConv(Conv):
    """What both kernels share: the module, the walk through an image, masks of positions."""

    def __init__(self, parts: int) -> None:
        super().__init__(F32)
        self.parts = parts
        self.step_bytes = 2 * parts * TILE
        self.module.name = f"{self.name}_{parts}"

    def declare_tile(self) -> None:
        threads.declare_run(self.module)
        amx.configure(self.module)

    def write_image(self, channels: int) -> None:
        """A chunk of packing: `channels` channels of an image, line by line of its parts.

        Lines are written in ascending order: what one writes beyond its end the next one replaces.
        """
        f, index = self.chunk("pack_image")
        word = self.words(f)
        c, blocks = word("c"), shares(f, word("c"), channels)
        item, block = index // blocks, index % blocks  # item: image and group
        c0 = block * channels
        source = self.pointer(f, "x").at((item * c + c0) * word("h") * word("w"))
        worst = amx.Worst(f)
        lanes = f.iota(vector(I32, SIDE))
        at = f.var(0)
        room = f.buffer(F32, SIDE * PANEL)
        with f.range(word("sh")) as fy, f.range(word("sw")) as fx, f.range(word("hq")) as qy:
            y = qy * word("sh") + fy - word("ph")
            inside = (y >= 0) & (y < word("h"))
            line = source.at(y * word("w"))
            with f.range(0, word("wq"), self.across) as qx:
                self.write_line(f, word, item, block, line, inside, at.get() + qx, fx, qx, worst,
                                lanes, room, c - c0)  # fmt: skip
            at.set(at.get() + word("wq"))
        self.write_end(f, word, item, block)
        worst.tell(self.pointer(f, "flag", I64))
        f.ret()

    across = SIDE  # pixels that `write_line` writes at once

    def write_line(self, f: Function, word: Any, *given: Any) -> None:
        raise NotImplementedError

    def write_end(self, f: Function, word: Any, item: Value, block: Value) -> None:
        """What an image has behind its pixels."""

    def words(self, f: Function) -> Any:
        return lambda name: self.word(f, name)

    def loaded(
        self, f: Function, word: Any, line: Pointer, qx: Value, fx: Value, lanes: Value,
        there: Value,
    ) -> Value:  # fmt: skip
        """16 pixels of a line of the unpadded image from grid column qx on; zeros outside."""
        sw = word("sw")
        x = qx * sw + fx - word("pw")
        step = f.convert(sw, I32)
        place = f.convert(x, I32) + lanes * step
        good = (place >= 0) & (place < f.convert(word("w"), I32))
        good = f.select(there, good, f.const(vector("i1", SIDE), False))
        found = f.var(f.const(WIDE, 0))
        with f.when(sw == 1) as near:
            found.set(line.load_masked(x, good))
        with near.otherwise():
            found.set(amx.gathered(f, line, place, good))
        return found.get()

    def counted(self, f: Function, group: Value) -> tuple[Value, Value]:
        """(first, mask) of 16 positions."""
        mask = self.pointer(f, "mask", I32)[group]
        bits = f.emit(I16, f"trunc i32 {mask.text} to i16")
        lanes = f.emit(vector("i1", SIDE), f"bitcast i16 {bits.text} to <{SIDE} x i1>")
        return f.convert(self.pointer(f, "first", I32)[group], I64), lanes


class Forward(AmxConv):
    """y (N, groups, O, P) from x (N, groups, C, H, W) and w.

    Element (o, c, tap t) of a group's weights lies at o * row + c * col + places[t].
    """

    name = "amx_conv"
    kinds = (
        *IMAGE, ("weights", "array"), ("packed", "array"), ("y", "array"), ("bias", "array?"),
        ("places", "array"), ("row", "int"), ("col", "int"), ("group_weights", "int"),
        ("first_image", "int"), ("each", "int"),
    )  # fmt: skip

    def write_run(self, f: Function, place: Pointer) -> None:  # type: ignore[override]
        a = f.args
        blocks, panels = shares(f, a["c"], DEPTH), shares(f, a["o"], PANEL)
        spans = (a["n"] * a["steps"] + a["each"] - 1) // a["each"]
        chunks = [
            ("pack_image", a["n"] * a["groups"] * blocks),
            ("pack_weight", a["groups"] * panels * blocks),
            ("compute", a["groups"] * panels * spans),
        ]
        with f.when(a["first_image"] == 0):  # weights stay packed for later images
            f.call("pool_run", None, [Value(f, PTR, "@pack_weight"), place, chunks[1][1]])
        f.call("pool_run", None, [Value(f, PTR, "@pack_image"), place, chunks[0][1]])
        with f.when(a["flag"].of(I64).atomic_load() == 0):
            f.call("pool_run", None, [Value(f, PTR, "@compute"), place, chunks[2][1]])
        f.ret()

    def write_chunks(self) -> None:
        amx.write_pack(self.module, self.parts, False)
        self.write_image(DEPTH)
        self.write_weight()
        self.write_compute()

    def image_at(self, f: Function, item: Value, block: Value) -> Pointer:
        """32 channels of an image: parts, pixels, channels."""
        blocks = shares(f, self.word(f, "c"), DEPTH)
        size = self.word(f, "pixels") * (64 * self.parts)
        return self.pointer(f, "image", "i8").at((item * blocks + block) * size)

    def write_line(  # type: ignore[override]
        self, f: Function, word: Any, item: Value, block: Value, line: Pointer, inside: Value,
        at: Value, fx: Value, qx: Value, worst: amx.Worst, lanes: Value, room: Pointer, left: Value,
    ) -> None:  # fmt: skip
        """16 pixels of 32 channels: turned, then each pixel's channels are split."""
        plane = word("h") * word("w")
        for half in (0, SIDE):
            rows = []
            for j in range(half, half + SIDE):
                there = inside & (left > j)
                rows.append(self.loaded(f, word, line.at(plane * j), qx, fx, lanes, there))
            for i, v in enumerate(transposed(f, rows)):
                room.store(v, i * PANEL + half, aligned=True)
        to = self.image_at(f, item, block).at(at * 64)
        with f.range(0, SIDE, unroll=4) as i:
            pair = [room.load(i * PANEL + j, SIDE, aligned=True) for j in (0, SIDE)]
            for v in pair:
                worst.look(v)
            split = zip(*(amx.split(f, v, self.parts) for v in pair), strict=True)
            for part, two in enumerate(split):
                spot = to.at((word("pixels") * part + i) * 64)
                spot.of(I16).store(amx.in_line(f, *two), aligned=True)

    def write_weight(self) -> None:
        """A chunk of packing: the taps of 32 outputs and 32 channels."""
        f, index = self.chunk("pack_weight")
        word = self.words(f)
        blocks, panels = shares(f, word("c"), DEPTH), shares(f, word("o"), PANEL)
        block, panel, group = index % blocks, index // blocks % panels, index // (blocks * panels)
        c0, o0 = block * DEPTH, panel * PANEL
        source = self.pointer(f, "weights").at(group * word("group_weights"))
        source = source.at(o0 * word("row") + c0 * word("col"))
        places = self.pointer(f, "places", I64)
        to = self.pointer(f, "packed", "i8").at(index * word("taps") * self.step_bytes)
        outputs, depth = least(f, word("o") - o0, PANEL), least(f, word("c") - c0, DEPTH)
        with f.range(word("taps")) as t:
            given = [to.at(t * self.step_bytes), source.at(places[t]), word("row"), word("col"),
                     outputs, depth, f.const(I64, 0), self.pointer(f, "flag", I64)]  # fmt: skip
            f.call("pack_right", None, given)
        f.ret()

    def write_compute(self) -> None:
        """A chunk: 32 outputs at some panels of 32 positions, which may be of several images."""
        f, index = self.chunk("compute")
        word = self.words(f)
        amx.begin(f)
        panels, total = shares(f, word("o"), PANEL), word("n") * word("steps")
        spans = (total + word("each") - 1) // word("each")
        panel, rest = index % panels, index // panels
        group, span = rest // spans, rest % spans
        last = least(f, (span + 1) * word("each"), total)
        square = f.buffer(F32, PANEL * PANEL)
        with f.range(span * word("each"), last) as q:
            n, step = q // word("steps"), q % word("steps")
            given = [f.args["words"], n, group, panel, step, square]
            with f.when(word("o") - panel * PANEL > SIDE) as wide:
                f.call("tile2", None, given)
            with wide.otherwise():
                f.call("tile1", None, given)
        amx.end(f)
        f.ret()
        for columns in (1, 2):
            self.write_tile(columns)

    def write_tile(self, columns: int) -> None:
        """32 positions of one image and 16 or 32 outputs."""
        names = ("n", "group", "panel", "step")
        f = self.module.function(
            f"tile{columns}", None,
            [("words", PTR), *((n, I64) for n in names), ("square", PTR)], private=True,
        )  # fmt: skip
        word = self.words(f)
        n, group, panel, step = (f.args[x] for x in names)
        square = f.args["square"].of(F32)
        blocks, taps = shares(f, word("c"), DEPTH), word("taps")
        panels = shares(f, word("o"), PANEL)
        weights = self.pointer(f, "packed", "i8").at(
            (group * panels + panel) * blocks * taps * self.step_bytes
        )
        image = self.image_at(f, n * word("groups") + group, f.const(I64, 0)).at(
            step * (PANEL * 64)
        )
        part_bytes = word("pixels") * 64
        tap = self.pointer(f, "tap", I64)
        for t in range(4):
            amx.zero(f, t)
        with f.range(blocks) as b, f.range(taps) as t:
            here = image.at(b * part_bytes * self.parts + tap[t] * 64)
            there = weights.at((b * taps + t) * self.step_bytes)

            def left(tile: int, part: int, i: int) -> None:
                amx.load(f, tile, here.at(part_bytes * part + i * TILE), 64)

            def right(tile: int, part: int, j: int) -> None:
                amx.load(f, tile, there.at((part * 2 + j) * TILE), 64)

            amx.step(f, 2, columns, self.parts, left, right)
        for i in range(2):
            for j in range(columns):
                amx.store(f, i * 2 + j, square.at((i * 2 + j) * SIDE**2), 64)
        self.write_out(f, columns)
        f.ret()

    def write_out(self, f: Function, columns: int) -> None:
        """The tiles, turned, without the positions that are none, to y."""
        word = self.words(f)
        square, lanes = f.args["square"].of(F32), f.iota(vector(I32, SIDE))
        n = f.args["n"] + word("first_image")
        y = self.pointer(f, "y").at((n * word("groups") + f.args["group"]) * word("o") * word("p"))
        for i in range(2):
            first, mask = self.counted(f, f.args["step"] * 2 + i)
            bits = f.emit(I16, f"bitcast <{SIDE} x i1> {mask.text} to i16")
            many = f.convert(f.same("ctpop", bits), I32)
            store = lanes < many
            for j in range(columns):
                tile = square.at((i * 2 + j) * SIDE**2)
                rows = [tile.load(r * SIDE, SIDE, aligned=True) for r in range(SIDE)]
                for r, v in enumerate(transposed(f, rows)):
                    tile.store(v, r * SIDE, aligned=True)
                o0 = f.args["panel"] * PANEL + j * SIDE
                with f.range(least(f, word("o") - o0, SIDE)) as r:
                    value = f.var(tile.load(r * SIDE, SIDE, aligned=True))
                    with f.when(word("bias") != 0):
                        bias = self.pointer(f, "bias").at(f.args["group"] * word("o") + o0)
                        value.set(value.get() + f.splat(bias[r], SIDE))
                    dense = f.intrinsic(
                        f"llvm.experimental.vector.compress.v{SIDE}f32", WIDE,
                        [value.get(), mask, f.const(WIDE, 0)],
                    )  # fmt: skip
                    y.store_masked(dense, (o0 + r) * word("p") + first, store)


class Weight(AmxConv):
    """dw (slices, groups, O, C, taps) from x (N, groups, C, H, W) and g (N, groups, O, P)."""

    name = "amx_conv_weight"
    kinds = (
        *IMAGE, ("g", "array"), ("packed", "array"), ("dw", "array"), ("slices", "int"),
        ("each", "int"), ("together", "int"),
    )  # fmt: skip
    across = PANEL

    def write_run(self, f: Function, place: Pointer) -> None:  # type: ignore[override]
        a = f.args
        items = a["n"] * a["groups"]
        channels, outputs = shares(f, a["c"], PANEL), shares(f, a["o"], PANEL)
        f.call("pool_run", None, [Value(f, PTR, "@pack_image"), place, items * a["c"]])
        f.call("pool_run", None, [Value(f, PTR, "@pack_output"), place, items * outputs])
        with f.when(a["flag"].of(I64).atomic_load() == 0):
            many = a["groups"] * channels * outputs * a["slices"]
            f.call("pool_run", None, [Value(f, PTR, "@compute"), place, many])
        f.ret()

    def write_chunks(self) -> None:
        self.write_image(1)
        self.write_output()
        self.write_compute()

    def image_at(self, f: Function, item: Value) -> Pointer:
        """A group of an image: parts, channels (a multiple of 32), pixels of 2 bytes."""
        channels = shares(f, self.word(f, "c"), PANEL) * PANEL
        size = channels * self.word(f, "pixels") * (2 * self.parts)
        return self.pointer(f, "image", "i8").at(item * size)

    def channel_at(self, f: Function, item: Value, part: int, channel: Any) -> Pointer:
        channels = shares(f, self.word(f, "c"), PANEL) * PANEL
        place = (channels * part + channel) * self.word(f, "pixels") * 2
        return self.image_at(f, item).at(place)

    def write_line(  # type: ignore[override]
        self, f: Function, word: Any, item: Value, block: Value, line: Pointer, inside: Value,
        at: Value, fx: Value, qx: Value, worst: amx.Worst, lanes: Value, room: Pointer, left: Value,
    ) -> None:  # fmt: skip
        """32 pixels of a channel."""
        pair = [self.loaded(f, word, line, qx + j, fx, lanes, inside) for j in (0, SIDE)]
        for v in pair:
            worst.look(v)
        split = zip(*(amx.split(f, v, self.parts) for v in pair), strict=True)
        for part, two in enumerate(split):
            spot = self.channel_at(f, item, part, block).at(at * 2)
            spot.of(I16).store(amx.in_line(f, *two))

    def write_end(self, f: Function, word: Any, item: Value, block: Value) -> None:
        """Zeros behind the pixels: positions that are none meet them."""
        all_pixels = word("sh") * word("sw") * word("hq") * word("wq")
        for part in range(self.parts):
            to = self.channel_at(f, item, part, block).of(I16)
            zeros = f.const(vector(I16, SIDE), 0)
            with f.range(all_pixels, word("pixels") - SIDE, SIDE) as i:
                to.store(zeros, i)
            to.store(zeros, word("pixels") - SIDE)  # and no further: neighbours may be there

    def write_output(self) -> None:
        """A chunk of packing: 32 channels of the output's gradient, its positions along k."""
        f, index = self.chunk("pack_output")
        word = self.words(f)
        outputs = shares(f, word("o"), PANEL)
        item, panel = index // outputs, index % outputs
        p = word("p")
        o0 = panel * PANEL
        source = self.pointer(f, "g").at((item * word("o") + o0) * p)
        to = self.pointer(f, "packed", "i8").at(index * word("steps") * self.step_bytes)
        worst = amx.Worst(f)
        room = f.buffer("i8", self.parts * TILE)
        with f.range(word("steps")) as s, f.range(0, PANEL, SIDE) as half:
            groups = [self.counted(f, s * 2 + j) for j in (0, 1)]
            with f.range(0, SIDE, unroll=4) as i:
                there = o0 + half + i < word("o")
                pair = []
                for first, mask in groups:
                    good = f.select(there, mask, f.const(vector("i1", SIDE), False))
                    spot = source.at((half + i) * p + first)
                    pair.append(
                        f.intrinsic(
                            f"llvm.masked.expandload.v{SIDE}f32", WIDE,
                            [spot, good, f.const(WIDE, 0)],
                        )
                    )  # fmt: skip
                for v in pair:
                    worst.look(v)
                split = zip(*(amx.split(f, v, self.parts) for v in pair), strict=True)
                for part, two in enumerate(split):
                    room.at(i * 64 + part * TILE).of(I16).store(amx.in_line(f, *two))
            tile = to.at(s * self.step_bytes + half * (TILE // SIDE))
            amx.turn(f, room, tile, self.parts)
        worst.tell(self.pointer(f, "flag", I64))
        f.ret()

    def write_compute(self) -> None:
        """A chunk: 32 channels and 32 outputs, all taps, over a slice of the images."""
        f, index = self.chunk("compute")
        word = self.words(f)
        amx.begin(f)
        taps, groups = word("taps"), word("groups")
        channels, outputs = shares(f, word("c"), PANEL), shares(f, word("o"), PANEL)
        slices = word("slices")
        slice_, rest = index % slices, index // slices
        out, rest = rest % outputs, rest // outputs
        channel, group = rest % channels, rest // channels
        sums = amx.reserve(f, taps * (4 * TILE)).of(F32)
        stop = least(f, (slice_ + 1) * word("each"), word("n"))
        tap, apart = self.pointer(f, "tap", I64), word("pixels") * 2
        part_bytes = channels * PANEL * apart
        begin = slice_ * word("each")
        with f.range(begin, stop, word("together")) as n0, f.range(taps) as t:
            kept = sums.at(t * TILE)
            with f.when(n0 == begin) as fresh:
                for i in range(4):
                    amx.zero(f, i)
            with fresh.otherwise():
                for i in range(4):
                    amx.load(f, i, kept.at(i * SIDE**2), 64)
            with f.range(n0, least(f, n0 + word("together"), stop)) as n:
                item = n * groups + group
                image = self.channel_at(f, item, 0, channel * PANEL).at(tap[t] * 2)
                other = self.pointer(f, "packed", "i8").at(
                    (item * outputs + out) * word("steps") * self.step_bytes
                )
                with f.range(word("steps")) as s:
                    here, there = image.at(s * (PANEL * 2)), other.at(s * self.step_bytes)

                    def left(tile: int, part: int, i: int) -> None:
                        amx.load(f, tile, here.at(part_bytes * part + apart * (i * SIDE)), apart)

                    def right(tile: int, part: int, j: int) -> None:
                        amx.load(f, tile, there.at((part * 2 + j) * TILE), 64)

                    amx.step(f, 2, 2, self.parts, left, right)
            for i in range(4):
                amx.store(f, i, kept.at(i * SIDE**2), 64)
        c0, o0 = channel * PANEL, out * PANEL
        dw = self.pointer(f, "dw").at((slice_ * groups + group) * word("o") * word("c") * taps)
        many_c, many_o = least(f, word("c") - c0, PANEL), least(f, word("o") - o0, PANEL)
        with f.range(many_o) as o, f.range(many_c) as c:
            tile = c // SIDE * 2 + o // SIDE
            spot = tile * SIDE**2 + c % SIDE * SIDE + o % SIDE
            to = dw.at(((o0 + o) * word("c") + c0 + c) * taps)
            with f.range(taps) as t:
                to[t] = sums[t * TILE + spot]
        amx.give_back(f, sums)
        amx.end(f)
        f.ret()


def kernel(which: type[AmxConv], parts: int) -> Any:
    """A compiled kernel as a Python function of the parameters in its `kinds`."""
    amx.need()
    key = (which.name, parts)
    symbols = {**builtin.symbols(), **threads.run_symbol()}
    found = jit.load(key, lambda: which(parts).build(), ["call"], symbols)
    return builtin.function(found["call"], which.name)
