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

Not here: tables, workspace and the choice (`select.py`).
"""

from __future__ import annotations

import functools
from typing import Any

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import F32, I16, I32, I64, PTR, Function, Module, Pointer, Value, vector
from ..matmul import amx
from ..matmul.amx import DEPTH, SIDE, TILE, least, shares
from ..matmul.gemm import transposed
from ..runtime import threads
from .implicit_gemm import Conv

PANEL = 32  # positions, channels or outputs of a panel
WIDE = vector(F32, SIDE)
IMAGE = {  # arrays and ints of both kernels
    "x": "images (all, groups, c, h, w)",
    "image": "workspace for the split images",
    "flag": "workspace, an int64: 1 where a number could not be split, and y is not computed",
    "first": "int32 (2 steps): which output position is the first that counts of 16",
    "mask": "int32 (2 steps): which of 16 positions count, a bit each",
    "tap": "int64 (taps): how far each tap lies from its position, in pixels",
}
SIZES = {
    "n": "images that are computed",
    "first_image": "images before them; 0: the flag is cleared",
    "groups": "groups of channels that do not see each other",
    "c": "input channels of a group",
    "o": "output channels of a group",
    "h": "lines of an image",
    "w": "columns of an image",
    "padding_h": "lines of zeros above an image",
    "padding_w": "columns of zeros before an image",
    "stride_h": "lines from one window to the next",
    "stride_w": "columns from one window to the next",
    "grid_h": "lines of an image that holds every stride_h-th line",
    "grid_w": "columns of an image that holds every stride_w-th column",
    "pixels": "pixels of all such images and some more, a multiple of 32",
    "p": "output positions of an image",
    "steps": "panels of 32 positions, those at the ends of lines among them",
    "taps": "kernel positions",
}
FORWARD = Interface(
    "amx_conv",
    "y = the windows of x times w (+ bias), on the matrix unit",
    arrays={
        **IMAGE,
        "weights": "all weights",
        "packed": "workspace for the split weights",
        "y": "(all, groups, o, p)",
        "bias?": "a number for each output channel (groups, o)",
        "w_offset": "int64 (taps): where the taps of a weight lie",
    },
    ints={
        **SIZES,
        "w_row": "elements from an output channel of the weights to the next",
        "w_col": "elements from an input channel of the weights to the next",
        "group_weights": "elements of a group's weights",
        "each": "panels of positions that a chunk computes",
    },
)
WEIGHT = Interface(
    "amx_conv_weight",
    "dw = the sum over images of the windows of x times g, on the matrix unit",
    arrays={
        **IMAGE,
        "g": "gradients of the outputs (all, groups, o, p)",
        "packed": "workspace for the split gradients",
        "dw": "sums over slices of the images (slices, groups, o, c, taps)",
    },
    ints={
        **SIZES,
        "slices": "slices of the images",
        "each": "images of a slice",
        "together": "images whose taps are computed one after the other",
    },
)


class AmxConv(Conv):
    """What both kernels share: the module, the walk through an image, masks of positions."""

    def __init__(self, parts: int) -> None:
        super().__init__(F32)
        self.parts = parts
        self.step_bytes = 2 * parts * TILE
        self.module.name = f"{self.interface.name}_{parts}"

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
        item_of_all = word("first_image") * word("groups") + item
        source = self.pointer(f, "x").at((item_of_all * c + c0) * word("h") * word("w"))
        worst = amx.Worst(f)
        lanes = f.iota(vector(I32, SIDE))
        at = f.var(0)
        room = f.buffer(F32, SIDE * PANEL)
        phases = f.range(word("stride_h")), f.range(word("stride_w"))
        with phases[0] as fy, phases[1] as fx, f.range(word("grid_h")) as qy:
            y = qy * word("stride_h") + fy - word("padding_h")
            inside = (y >= 0) & (y < word("h"))
            line = source.at(y * word("w"))
            with f.range(0, word("grid_w"), self.across) as qx:
                self.write_line(f, word, item, block, line, inside, at.get() + qx, fx, qx, worst,
                                lanes, room, c - c0)  # fmt: skip
            at.set(at.get() + word("grid_w"))
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
        sw = word("stride_w")
        x = qx * sw + fx - word("padding_w")
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

    Element (o, c, tap t) of a group's weights lies at o * w_row + c * w_col + w_offset[t].
    """

    interface = FORWARD

    def write_run(self, f: Function, packed: Pointer) -> None:  # type: ignore[override]
        a = f.args
        blocks, panels = shares(f, a["c"], DEPTH), shares(f, a["o"], PANEL)
        spans = (a["n"] * a["steps"] + a["each"] - 1) // a["each"]
        chunks = [
            ("pack_image", a["n"] * a["groups"] * blocks),
            ("pack_weight", a["groups"] * panels * blocks),
            ("compute", a["groups"] * panels * spans),
        ]
        with f.when(a["first_image"] == 0):  # weights stay packed for later images
            a["flag"].of(I64).atomic_store(0)
            f.call("pool_run", None, [Value(f, PTR, "@pack_weight"), packed, chunks[1][1]])
        f.call("pool_run", None, [Value(f, PTR, "@pack_image"), packed, chunks[0][1]])
        with f.when(a["flag"].of(I64).atomic_load() == 0):
            f.call("pool_run", None, [Value(f, PTR, "@compute"), packed, chunks[2][1]])
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
        source = source.at(o0 * word("w_row") + c0 * word("w_col"))
        offset = self.pointer(f, "w_offset", I64)
        to = self.pointer(f, "packed", "i8").at(index * word("taps") * self.step_bytes)
        outputs, depth = least(f, word("o") - o0, PANEL), least(f, word("c") - c0, DEPTH)
        with f.range(word("taps")) as t:
            given = [to.at(t * self.step_bytes), source.at(offset[t]), word("w_row"), word("w_col"),
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
                    with f.when(self.given(f, "bias")):
                        bias = self.pointer(f, "bias").at(f.args["group"] * word("o") + o0)
                        value.set(value.get() + f.splat(bias[r], SIDE))
                    dense = f.intrinsic(
                        f"llvm.experimental.vector.compress.v{SIDE}f32", WIDE,
                        [value.get(), mask, f.const(WIDE, 0)],
                    )  # fmt: skip
                    y.store_masked(dense, (o0 + r) * word("p") + first, store)


class Weight(AmxConv):
    """dw (slices, groups, O, C, taps) from x (N, groups, C, H, W) and g (N, groups, O, P)."""

    interface = WEIGHT
    across = PANEL

    def write_run(self, f: Function, packed: Pointer) -> None:  # type: ignore[override]
        a = f.args
        items = a["n"] * a["groups"]
        channels, outputs = shares(f, a["c"], PANEL), shares(f, a["o"], PANEL)
        with f.when(a["first_image"] == 0):
            a["flag"].of(I64).atomic_store(0)
        f.call("pool_run", None, [Value(f, PTR, "@pack_image"), packed, items * a["c"]])
        f.call("pool_run", None, [Value(f, PTR, "@pack_output"), packed, items * outputs])
        with f.when(a["flag"].of(I64).atomic_load() == 0):
            many = a["groups"] * channels * outputs * a["slices"]
            f.call("pool_run", None, [Value(f, PTR, "@compute"), packed, many])
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
        all_pixels = word("stride_h") * word("stride_w") * word("grid_h") * word("grid_w")
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
        item_of_all = word("first_image") * word("groups") + item
        source = self.pointer(f, "g").at((item_of_all * word("o") + o0) * p)
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


@functools.cache
def kernel(which: type[AmxConv], parts: int) -> Kernel:
    """`Forward` or `Weight` with numbers split into so many parts."""

    def build() -> Module:
        amx.need()
        module: Module = which(parts).build()
        return module

    return Kernel(which.interface, amx.key(parts), build)
