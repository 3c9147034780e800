"""Convolution by vectors of output channels, which reads windows where they lie and skips margins.

    y[n] (P, O) = sum over k of x[n] seen through windows (P, K) * w turned (K, O)

A tile is a block of neighbouring output positions, a part of a row or some short rows, times two
vectors of output channels: a row of the weights, turned, is multiplied by single numbers of the
image, which need no packing and no margin around the image. What lies in the margin for a whole
tile is left out, what does for some of its positions is multiplied for the others alone
(`tiles.py`). In a plane of 14 x 14 that saves a tenth of the products of a 3 x 3 kernel, in one of
7 x 7 nearly a fifth.

Chunks are a band of an image's tiles, or some small images, times a panel of output channels; their
sums lie on the stack, and are turned back when they are finished. Sums are those of
`implicit_gemm.py`, in blocks of KC, bit for bit: what is left out would have been added as zeros.
(An infinite weight times such a zero would be NaN: as in PyTorch, no margin makes one.)
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import I32, I64, PTR, Function, Pointer, Value, vector
from ..matmul.gemm import KC
from ..matmul.tile import FOLDED, add_products, add_products_of, lanes_of
from ..runtime import jit, threads
from . import tiles, turning
from .implicit_gemm import Conv

BAND = 128  # output positions of a chunk at most: their sums fit the first-level cache
VECTORS = 2  # of output channels

INTERFACE = Interface(
    "conv",
    "y = the windows of x times w (+ bias)",
    arrays={
        "x": "images (n, groups, image), without margins",
        "w": "weights (groups, m, k)",
        "y": "(n, groups, m, p)",
        "bias?": "a number for each output channel (groups, m)",
        "tiles": "int32 (tiles, 4): a tile's shape, where its first window begins in an image, its "
        "first output position, and which elements it multiplies",
        "begin": "int32 (ways, blocks of k + 1): where these elements begin in the next three",
        "offset": "int32: how far elements of a row lie from the window's beginning",
        "row": "int32: where their weights lie, turned",
        "kind": "int32: how many elements there are, and for which positions each is multiplied",
        "packed": "workspace for the weights turned (groups, panels, k, channels of a panel)",
        "w_offset?": "int64 (k): where the elements of a row of w lie, if not side by side",
    },
    ints={
        "w_row": "elements from one row of w to the next, where w_offset is given",
        "n": "images",
        "groups": "groups of channels that do not see each other",
        "m": "output channels of a group",
        "p": "output positions of an image",
        "k": "elements of a window: input channels of a group times kernel positions",
        "image": "elements of a group's channels of an image",
        "count": "tiles of an image",
        "each": "tiles of a band",
        "together": "images of a chunk; 1 where these have several bands",
        "pitch": "elements of the image from a row of windows to the next",
        "spread": "elements of the image from one element of a row of a window to the next",
        "line": "output positions of a row",
    },
)


class Forward(Conv):
    """y (N, groups, M, P) from x (N, groups, image) and w (groups, M, K).

    Args:
        e: type of the elements.
        shapes: of the tiles.
        step: elements of the image from one window of a row to the next.
    """

    interface = INTERFACE

    def __init__(self, e: str, shapes: Sequence[tiles.Shape], step: int) -> None:
        super().__init__(e)
        self.shapes, self.step = shapes, step
        self.lanes = VECTORS * self.w

    def declare_tile(self) -> None:
        threads.declare_run(self.module)
        turning.declare(self.module)
        for i, shape in enumerate(self.shapes):
            self.write_tile(f"tile{i}", shape)
        listed = ", ".join(f"ptr @tile{i}" for i in range(len(self.shapes)))
        self.module.globals["tiles"] = f"@tiles = constant [{len(self.shapes)} x ptr] [{listed}]"

    def panels(self, f: Function, m: Value) -> Value:
        """Panels of output channels; the last may be a part of one."""
        return (m + (self.lanes - 1)) // self.lanes

    def write_run(self, f: Function, packed: Pointer) -> None:  # type: ignore[override]
        a = f.args
        panels = a["groups"] * self.panels(f, a["m"])
        blocks = (a["k"] + (KC - 1)) // KC
        bands = (a["count"] + (a["each"] - 1)) // a["each"]
        turn, compute = Value(f, PTR, "@turn_block"), Value(f, PTR, "@compute")
        f.call("pool_run", None, [turn, packed, panels * blocks])
        images = (a["n"] + (a["together"] - 1)) // a["together"]
        f.call("pool_run", None, [compute, packed, panels * images * bands])
        f.ret()

    def write_chunks(self) -> None:
        self.write_turn()
        self.write_compute()

    def write_turn(self) -> None:
        """A block of K of a panel of rows of w becomes as many rows of a panel's channels."""
        lanes = self.lanes
        f, index = self.chunk("turn_block")
        m, k = self.word(f, "m"), self.word(f, "k")
        blocks, panels = (k + (KC - 1)) // KC, self.panels(f, m)
        item, first = index // blocks, (index % blocks) * KC
        group, start = item // panels, (item % panels) * lanes
        kc, last = self.least(f, k - first, KC), m - start - 1
        to = self.pointer(f, "packed").at((item * k + first) * lanes)
        weights = self.pointer(f, "w").at(group * m * k)
        with f.when(self.given(f, "w_offset")) as branch:
            row = self.word(f, "w_row")
            offset = self.pointer(f, "w_offset", I64).at(first)
            source = weights.at(start * row)
            with f.range(kc) as j:
                column = source.at(offset[j])
                with f.range(lanes) as r:
                    to[j * lanes + r] = column[f.select(last < r, last, r) * row]
        with branch.otherwise():
            source, v = weights.at(start * k + first), f.const(I64, VECTORS)
            f.call("turn", None, [to, source, k, self.least(f, m - start, lanes), v, kc])
        f.ret()

    def write_tile(self, name: str, shape: tiles.Shape) -> None:
        """The sums of a tile over `count` elements of windows."""
        e, w, lanes = self.e, self.w, self.lanes
        f = self.module.function(
            name, None,
            [("count", I64), ("offset", PTR), ("row", PTR), ("kind", PTR), ("x", PTR),
             ("pitch", I64), ("spread", I64), ("w", PTR), ("sums", PTR), ("line", I64),
             ("add", I64), ("bias", PTR)], private=True,
        )  # fmt: skip
        x, weights, to = (f.args[n].of(e) for n in ("x", "w", "sums"))
        offset, row, kind = (f.args[n].of(I32) for n in ("offset", "row", "kind"))
        lines = [x.at(f.args["pitch"] * r) for r in range(shape.rows)]
        zero = f.const(vector(e, w), 0)
        places = [(r, s) for r in range(shape.rows) for s in range(shape.columns)]
        add = add_products if len(places) < FOLDED else add_products_of
        sums: list[list[Any]] = [[f.var(zero) for _ in range(VECTORS)] for _ in places]

        with f.range(f.args["count"]) as i:
            at = f.convert(offset[i], I64)
            channels = weights.at(f.convert(row[i], I64))
            which = kind[i]

            def multiply(number: int) -> None:
                """Elements of this kind, or of a later one."""
                if number + 1 < len(shape.kinds):
                    with f.when(which == number) as branch:
                        products(shape.kinds[number])
                    with branch.otherwise():
                        multiply(number + 1)
                else:
                    products(shape.kinds[number])

            def products(elements: tuple[int, ...]) -> None:
                for nr, wanted in enumerate(elements):
                    if wanted:
                        own = channels.at(nr * lanes)
                        values = [own.load(j * w, w, aligned=True) for j in range(VECTORS)]
                        # (LLVM is not to see that the next element is multiplied by the same
                        # numbers, one position further: it would keep them all)
                        windows = [line.at(at + f.args["spread"] * nr) for line in lines]
                    for (r, s), total in zip(places, sums, strict=True):
                        if wanted >> (r * shape.columns + s) & 1:
                            add(f, windows[r].at(s * self.step), values, total)

            multiply(0)
        with f.when(f.compare("ne", f.args["bias"], Value(f, PTR, "null"))):
            bias = f.args["bias"].of(e)
            for j in range(VECTORS):
                more = bias.load(j * w, w)
                for own in sums:
                    own[j].set(own[j].get() + more)
        homes = [to.at((f.args["line"] * r + s) * lanes) for r, s in places]
        with f.when(f.args["add"] != 0):
            for home, own in zip(homes, sums, strict=True):
                for j in range(VECTORS):
                    own[j].set(home.load(j * w, w, aligned=True) + own[j].get())
        for home, own in zip(homes, sums, strict=True):
            for j in range(VECTORS):
                home.store(own[j].get(), j * w, aligned=True)
        f.ret()

    def write_compute(self) -> None:
        e, lanes = self.e, self.lanes
        f, index = self.chunk("compute")
        m, p, k, n, groups = (self.word(f, name) for name in ("m", "p", "k", "n", "groups"))
        names = ("count", "each", "line", "together")
        count, each, line, together = (self.word(f, name) for name in names)
        table, begin = self.pointer(f, "tiles", I32), self.pointer(f, "begin", I32)
        entries = [self.pointer(f, name, I32) for name in ("offset", "row", "kind")]
        bands, panels = (count + (each - 1)) // each, self.panels(f, m)
        item, band = index // bands, index % bands
        shares = (n + (together - 1)) // together
        panel, image = item // shares, (item % shares) * together
        images = self.least(f, n - image, together)
        group, start = panel // panels, (panel % panels) * lanes
        left = self.least(f, m - start, lanes)
        first = band * each
        last = self.least(f, first + each, count)
        size = self.word(f, "image")
        x = self.pointer(f, "x").at((image * groups + group) * size)
        weights = self.pointer(f, "packed").at(panel * k * lanes)
        sums, bias = f.buffer(e, BAND * lanes), f.buffer(e, lanes)
        biased = self.given(f, "bias")
        with f.when(biased):
            source = self.pointer(f, "bias").at(group * m + start)
            with f.range(left) as i:
                bias[i] = source[i]
        blocks = (k + (KC - 1)) // KC
        begun = f.convert(table[first * 4 + 2], I64)
        with f.range(blocks) as block, f.range(images) as i, f.range(first, last) as t:
            shape, corner, place, way = (f.convert(table[t * 4 + nr], I64) for nr in range(4))
            where = way * (blocks + 1) + block
            entry = f.convert(begin[where], I64)
            use = biased & (block == 0)
            chosen = f.emit(PTR, f"select i1 {use.text}, ptr {bias.text}, ptr null")
            own = x.at(i * (groups * size) + corner)
            f.call_pointer(
                Pointer(f, "@tiles", PTR)[shape], None,
                [f.convert(begin[where + 1], I64) - entry, *(one.at(entry) for one in entries),
                 own, self.word(f, "pitch"), self.word(f, "spread"), weights,
                 sums.at((i * p + place - begun) * lanes), line, block, chosen],
            )  # fmt: skip
        ended = f.var(p)
        with f.when(last < count):
            ended.set(f.convert(table[last * 4 + 2], I64))
        y = self.pointer(f, "y").at(((image * groups + group) * m + start) * p + begun)
        positions = ended.get() - begun
        with f.range(images) as i:
            own = sums.at(i * positions * lanes)  # of all positions, where there are several images
            given = [y.at(i * (groups * m * p)), p, own, f.const(I64, VECTORS), positions, left]
            f.call("turn_back", None, given)
        f.ret()


def is_fast(step: int) -> bool:
    """Whether this takes less time than windows that are packed, where neighbouring windows are so
    many elements apart. AVX2 has tiles of 6 positions: with a stride, for which lines are shorter,
    most have too few sums to keep both of its units busy."""
    lanes = jit.target().lanes
    return lanes == 16 or (lanes == 8 and step == 1)


def channels_of(e: str) -> int:
    """Output channels of a panel."""
    return VECTORS * lanes_of(e)


@functools.cache
def kernel(e: str, shapes: tuple[tiles.Shape, ...], step: int) -> Kernel:
    """The kernel of an element type for tiles of these shapes; `step`: see `Forward`."""
    key = ("skipping", e, KC, BAND, step, *shapes)
    return Kernel(
        INTERFACE, key, lambda: Forward(e, shapes, step).build(), lambda: turning.symbols(e)
    )
