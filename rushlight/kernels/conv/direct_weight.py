"""The gradient of a convolution's weight as a product whose windows are never written down.

    dw (O, K)   = sum over n of g[n] (O, P) @ x[n] seen through windows, turned (P, K)

It is computed the other way round, dw turned (K, O), from g turned (P, O): then the windows' part
are single numbers, which are read where they lie (`direct_tile.py`). g is turned once for all
chunks, unless one has all of K or g is large; the sums are turned back at the end of a chunk.

A chunk has at most SPAN of K and a panel of O for a fixed slice of the images, so that its sums lie
on the stack. What P, K, the tables of offsets and images that share positions are:
`implicit_gemm.py`.
"""

from __future__ import annotations

import functools

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import I32, I64, PTR, Function, Pointer, Value
from ..matmul import pairs as of_pairs
from ..matmul.gemm import KC
from ..runtime import threads
from . import direct_tile, turning
from .implicit_gemm import SIZES_OF_WEIGHT, Conv

SPAN = 96  # elements of windows that a chunk computes at most: whole tiles of each kind

INTERFACE = Interface(
    "conv_weight",
    "dw = the sum over images of g times the windows of x, transposed",
    arrays={
        "x": "padded images (n, groups, image)",
        "g": "gradients of the outputs (n, groups, m, p), or (p / size, groups, m, size)",
        "dw": "sums over slices of the images (slices, groups, m, k)",
        "position": "int32 (p and some more): where the window of each output position begins",
        "tap": "int64 (k): how far each element of a window lies from its beginning",
        "packed?": "workspace for g turned (n, groups, p, m up to whole vectors); without it each "
        "chunk turns what it needs",
    },
    ints=SIZES_OF_WEIGHT,
)


class Weight(Conv):
    """dw (slices, groups, M, K) from g (N, groups, M, P) and x (N, groups, image)."""

    interface = INTERFACE

    def declare_tile(self) -> None:
        threads.declare_run(self.module)
        turning.declare(self.module)
        self.most, self.height = direct_tile.shape()
        self.module.globals["direct_tiles"] = (
            f"@direct_tiles = external constant [{self.most} x ptr]"
        )

    def panels(self, f: Function, m: Value) -> tuple[Value, Value, Value, Value]:
        """Panels of at most `most` vectors of outputs: how many vectors there are, how many panels,
        the least width of one, how many are one vector wider."""
        vectors = (m + (self.w - 1)) // self.w
        panels = (vectors + (self.most - 1)) // self.most
        return vectors, panels, vectors // panels, vectors % panels

    def write_run(self, f: Function, packed: Pointer) -> None:  # type: ignore[override]
        a = f.args
        columns = self.columns(f, a["k"])
        _, panels, _, _ = self.panels(f, a["m"])
        turn, compute = Value(f, PTR, "@turn_block"), Value(f, PTR, "@compute")
        with f.when(f.compare("ne", a["packed"], Value(f, PTR, "null"))):
            blocks = (a["p"] + (KC - 1)) // KC
            f.call("pool_run", None, [turn, packed, a["n"] * a["groups"] * blocks * panels])
        f.call("pool_run", None, [compute, packed, a["slices"] * a["groups"] * columns * panels])
        f.ret()

    def columns(self, f: Function, k: Value) -> Value:
        """How many chunks there are of a panel of outputs."""
        return (k + (SPAN - 1)) // SPAN

    def write_chunks(self) -> None:
        f, index = self.chunk("turn_block")
        m, p = self.word(f, "m"), self.word(f, "p")
        vectors, panels, width, wider = self.panels(f, m)
        block, i = index // panels, index % panels
        blocks = (p + (KC - 1)) // KC
        item, pc = block // blocks, (block % blocks) * KC
        start, v = self.panel(f, i, width, wider)
        kc = self.least(f, p - pc, KC)
        to = self.packed_at(f, item, vectors, pc, start)
        self.turn_rows(f, item, pc, kc, start, v, to)
        f.ret()
        self.write_compute()

    def packed_at(
        self, f: Function, item: Value, vectors: Value, pc: Value, start: Value
    ) -> Pointer:
        """Where vectors from `start` on of a block of positions of a group of an image lie: blocks
        of kc x outputs, one after the other."""
        p = self.word(f, "p")
        kc = self.least(f, p - pc, KC)
        return self.pointer(f, "packed").at(((item * p + pc) * vectors + kc * start) * self.w)

    def turn_rows(
        self, f: Function, item: Value, pc: Value, kc: Value, start: Value, v: Value, to: Pointer
    ) -> None:
        """Turn v vectors of outputs, from `start` on, of g at the positions from pc on."""
        m, p, size, groups = (self.word(f, name) for name in ("m", "p", "size", "groups"))
        first = start * self.w
        left = self.least(f, m - first, v * self.w)
        with f.when(size < p) as shared:

            def own(image: Value, place: Value, n: Value, at: Value) -> None:
                g = self.pointer(f, "g").at(((image * groups + item % groups) * m + first) * size)
                f.call("turn", None, [to.at(at * v * self.w), g.at(place), size, left, v, n])

            self.each_image(f, pc, pc + kc, own)
        with shared.otherwise():
            g = self.pointer(f, "g").at((item * m + first) * p + pc)
            f.call("turn", None, [to, g, p, left, v, kc])

    def write_compute(self) -> None:
        e, w = self.e, self.w
        f, index = self.chunk("compute")
        names = ("m", "p", "k", "groups", "n", "image", "each")
        m, p, k, groups, n, image, each = (self.word(f, name) for name in names)
        vectors, panels, width, wider = self.panels(f, m)
        columns = self.columns(f, k)
        start, v = self.panel(f, index % panels, width, wider)
        index = index // panels
        item, first = index // columns, (index % columns) * SPAN
        group, part = item % groups, item // groups
        left = self.least(f, k - first, SPAN)
        position, tap = self.pointer(f, "position", I32), self.pointer(f, "tap", I64).at(first)
        sums = f.buffer(e, SPAN * self.most * w)
        turned = f.buffer(e, KC * self.most * w)
        is_packed = self.given(f, "packed")
        tile = Pointer(f, "@direct_tiles", PTR)[v - 1]
        begun, height = f.var(0), self.height
        with f.range(part * each, self.least(f, part * each + each, n)) as i:
            own = i * groups + group
            x = self.pointer(f, "x").at(own * image)
            with f.range(0, p, KC) as pc:
                kc = self.least(f, p - pc, KC)
                there = self.packed_at(f, own, vectors, pc, start)
                g = f.emit(PTR, f"select i1 {is_packed.text}, ptr {there.text}, ptr {turned.text}")
                with f.when(~is_packed):
                    self.turn_rows(f, own, pc, kc, start, v, turned)
                with f.range(0, left, height) as t:
                    given = [kc, x, tap.at(t), position.at(pc), g, sums.at(t * v * w),
                             begun.get(), self.least(f, left - t, height)]  # fmt: skip
                    f.call_pointer(tile, None, given)
                begun.set(f.const(I64, 1))
        dw = self.pointer(f, "dw").at((item * m + start * w) * k + first)
        f.call("turn_back", None, [dw, k, sums, v, left, m - start * w])
        f.ret()


@functools.cache
def kernel(e: str, widths: tuple[int, ...] | None = None, pairs: bool = False) -> Kernel:
    """The kernel of an element type, with tiles of these numbers of vectors of outputs, or of all;
    `pairs`: of pairs of bfloat16, each held as an element."""
    key = (e, KC, SPAN, *direct_tile.shape(), *of_pairs.key(pairs))

    def symbols() -> dict[str, int]:
        return direct_tile.symbols(e, widths, pairs) | turning.symbols(e)

    return Kernel(INTERFACE, key, lambda: Weight(e).build(), symbols)
