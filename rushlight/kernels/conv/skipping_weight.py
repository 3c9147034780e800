"""The gradient of a convolution's weight from images without margins.

    dw (O, K)   = sum over n of g[n] (O, P) @ x[n] seen through windows, turned (P, K)

As in `direct_weight.py`, whose bits it has, single numbers of windows are multiplied by vectors of
outputs. A tile has one element of the kernel over some channels, and goes through the positions
from which that sees the image: a list of places that is the same for all channels (`places_of`).
What is left out would have been added as zeros.

A chunk has HEIGHT channels with all elements of the kernel, and a panel of O for a fixed slice of
the images. What P, K, slices and images that share positions are: `implicit_gemm.py`.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import I32, I64, PTR, Function, Pointer, Value, vector
from ..matmul.gemm import KC
from ..matmul.tile import add_products
from ..runtime import jit, tables
from . import direct_tile, direct_weight, turning
from .implicit_gemm import SIZES_OF_WEIGHT
from .tiles import Ints, seen

Array = Any
ROWS = 400  # sums of a chunk for each output at most: they lie on the stack

INTERFACE = Interface(
    "conv_weight",
    "dw = the sum over images of g times the windows of x, transposed",
    arrays={
        "x": "images (n, groups, image), without margins",
        "g": "gradients of the outputs (n, groups, m, p), or (p / size, groups, m, size)",
        "dw": "sums over slices of the images (slices, groups, m, k)",
        "places": "int64: where in an image an element of the kernel lies, and from 2**32 on the "
        "position in its block that sees it there",
        "begin": "int32 (taps, blocks of p + 1): where the places of an element begin",
        "packed?": "workspace for g turned (n, groups, p, m up to whole vectors); without it each "
        "chunk turns what it needs",
    },
    ints=SIZES_OF_WEIGHT | {
        "taps": "kernel positions",
        "plane": "elements of a channel of an image",
    },
)


class PlaceTile(direct_tile.DirectTile):
    """Writes the tiles: one element of the kernel, for some channels, times vectors of outputs."""

    def write_tile(self, vectors: int) -> None:
        """`rows` of the channels of a tile are wanted: those past them repeat the last one. `line`:
        from the sums of a channel to those of the next."""
        w, e = self.w, self.e
        f = self.module.function(
            f"tile{vectors}", None,
            [("count", I64), ("x", PTR), ("plane", I64), ("places", PTR), ("g", PTR), ("c", PTR),
             ("line", I64), ("add", I64), ("rows", I64)], private=True,
        )  # fmt: skip
        x, g, c = (f.args[n].of(e) for n in "xgc")
        places, last = f.args["places"].of(I64), f.args["rows"] - 1
        wanted = [f.select(last < i, last, f.const(I64, i)) for i in range(direct_tile.shape()[1])]
        windows = [x.at(i * f.args["plane"]) for i in wanted]
        lines = [c.at(i * f.args["line"]) for i in wanted]
        zero = f.const(vector(e, w), 0)
        sums: list[list[Any]] = [[f.var(zero) for _ in range(vectors)] for _ in wanted]
        with f.range(0, f.args["count"], unroll=2) as i:
            both = places[i]
            at, row = both & 0xFFFFFFFF, g.at((both >> 32) * (vectors * w))
            values = [row.load(j * w, w, aligned=True) for j in range(vectors)]
            for window, own in zip(windows, sums, strict=True):
                add_products(f, window.at(at), values, own)
        self.write_sums(f, lines, sums)


class Weight(direct_weight.Weight):
    """dw (slices, groups, M, K) from g (N, groups, M, P) and x (N, groups, image)."""

    interface = INTERFACE

    def columns(self, f: Function, k: Value) -> Value:
        """How many chunks there are of a panel of outputs."""
        return (k // f.args["taps"] + (self.height - 1)) // self.height

    def write_compute(self) -> None:
        e, w, height = self.e, self.w, self.height
        f, index = self.chunk("compute")
        names = ("m", "p", "k", "groups", "n", "image", "each", "taps", "plane")
        m, p, k, groups, n, image, each, taps, plane = (self.word(f, name) for name in names)
        vectors, panels, width, wider = self.panels(f, m)
        channels = k // taps
        columns = (channels + (height - 1)) // height
        start, v = self.panel(f, index % panels, width, wider)
        index = index // panels
        item, first = index // columns, (index % columns) * height
        group, part = item % groups, item // groups
        rows = self.least(f, channels - first, height)
        places, begin = self.pointer(f, "places", I64), self.pointer(f, "begin", I32)
        blocks = (p + (KC - 1)) // KC
        sums = f.buffer(e, ROWS * self.most * w)
        turned = f.buffer(e, KC * self.most * w)
        is_packed = self.given(f, "packed")
        tile = Pointer(f, "@direct_tiles", PTR)[v - 1]
        begun = f.var(0)
        with f.range(part * each, self.least(f, part * each + each, n)) as i:
            own = i * groups + group
            x = self.pointer(f, "x").at(own * image + first * plane)
            with f.range(blocks) as block:
                pc = block * KC
                kc = self.least(f, p - pc, KC)
                there = self.packed_at(f, own, vectors, pc, start)
                g = f.emit(PTR, f"select i1 {is_packed.text}, ptr {there.text}, ptr {turned.text}")
                with f.when(~is_packed):
                    self.turn_rows(f, own, pc, kc, start, v, turned)
                with f.range(taps) as t:
                    where = t * (blocks + 1) + block
                    at = f.convert(begin[where], I64)
                    given = [f.convert(begin[where + 1], I64) - at, x, plane, places.at(at), g,
                             sums.at(t * v * w), taps * v * w, begun.get(), rows]  # fmt: skip
                    f.call_pointer(tile, None, given)
                begun.set(f.const(I64, 1))
        dw = self.pointer(f, "dw").at((item * m + start * w) * k + first * taps)
        f.call("turn_back", None, [dw, k, sums, v, rows * taps, m - start * w])
        f.ret()


@functools.lru_cache(maxsize=64)
def places_of(
    size: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, out: Ints, images: int,
    image: int,
) -> dict[str, Array]:  # fmt: skip
    """The tables `places` and `begin` of a convolution in two dimensions; positions may go on
    through several images of `image` elements."""
    down, along = (
        seen(*of) for of in zip(size, kernel, stride, padding, dilation, out, strict=True)
    )
    number, y, x = np.indices((images, *out))
    position = (number * out[0] + y) * out[1] + x
    at = number * image + (y * stride[0] - padding[0]) * size[1] + x * stride[1] - padding[1]
    ends = np.arange(0, images * out[0] * out[1] + KC, KC)
    begin, places, count = [], [], 0
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            sees = np.broadcast_to(np.outer(down[:, i], along[:, j]), position.shape)
            own = position[sees]
            begin.append(count + np.searchsorted(own, ends))
            offset = i * dilation[0] * size[1] + j * dilation[1]
            places.append(at[sees] + offset + (own % KC << 32))
            count += len(own)
    return {"places": np.concatenate(places), "begin": np.array(begin, np.int32)}


def symbols(e: str, sizes: tuple[int, ...] | None = None) -> dict[str, int]:
    """The tiles of these numbers of vectors, or of all, and what turns g and the sums."""
    table = tables.Table.of(
        ("place_tile", e, jit.target().lanes, *direct_tile.shape()), direct_tile.shape()[0]
    )
    table.fill(sizes, lambda some: PlaceTile(e).build_tiles(some))
    return {"direct_tiles": table.address} | turning.symbols(e)


@functools.cache
def kernel(e: str, widths: tuple[int, ...] | None = None) -> Kernel:
    """The kernel of an element type, with tiles of these numbers of vectors of outputs, or of
    all."""
    key = ("skipping", e, KC, ROWS, *direct_tile.shape())
    return Kernel(INTERFACE, key, lambda: Weight(e).build(), lambda: symbols(e, widths))
