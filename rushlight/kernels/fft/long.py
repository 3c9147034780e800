"""The kernel of long Fourier transforms along rows: two rounds of short ones.

A row of n1 n2 points is a matrix x[j1, j2] of points j1 n2 + j2. Neighbours in memory are again
transforms side by side:

    T[j2, k1]        = w^(j2 k1) * sum over j1 of w_n1^(j1 k1) x[j1, j2]     written turned
    y[k1 + n1 k2]    = sum over j2 of w_n2^(j2 k2) T[j2, k1]                 in T's place

so a row of any length passes through buffers of n1 and of n2 points. Few rows are shared by
threads block by block, many as wholes. Real rows are complex ones of half their length with a
third round behind them, or in front (`rows.py` has the formulas); points k and m - k are then
vectors of neighbours, one of them reversed.

Not here: the passes (`passes.py`), when it is used (`select.py`).
"""

from __future__ import annotations

import functools

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import I64, PTR, Function, Module, Value
from ..runtime import threads
from .passes import Passes, doubled, lanes_of
from .rows import SCHEDULE, halved, packed

INTERFACE = Interface(
    "fft_long",
    "y = scale * the transform of each row of x",
    arrays={
        "x": "rows of complex numbers", "y": "rows of results; not x",
        **{f"{k}1": f"{text}, of the first round" for k, text in SCHEDULE.items()},
        **{f"{k}2": f"{text}, of the second round" for k, text in SCHEDULE.items()},
        "half?": "of real rows, w^k / 2 (conj w^k to real) for k from 1 on, (blocks, 2, lanes)",
        "packed?": "room for rows of points of which real rows are made",
        "between": "factors between them, (blocks of n2, n1, 2, lanes)",
    },
    ints={
        "rows": "rows", "x_row": "real numbers from a row of x to the next", "y_row": "and of y",
        "n1": "points of the first round", "n2": "and of the second",
        "passes1": "passes of the first round", "passes2": "and of the second",
        "blocks1": "vectors along n2", "blocks2": "vectors along n1",
        "each": "rows of a chunk; 0: a chunk is a block of one row",
    },
    floats={"scale": "factor of the results"},
)  # fmt: skip


class Long:
    """Writes the module.

    Args:
        kind: "c2c", "r2c", "full" (real, with the second half of the result) or "c2r".
    """

    def __init__(self, kind: str, e: str, radices: tuple[int, ...], back: bool) -> None:
        self.kind, self.e, self.w = kind, e, lanes_of(e)
        self.module = Module("fft_long")
        threads.declare_run(self.module)
        kinds = ("first", "middle", "end", "last")
        self.passes = Passes(self.module, e, radices, back, kinds)

    def build(self) -> Module:
        rounds = ["block1", "block2"]
        for round_ in (1, 2):
            self.write_block(round_)
        if self.kind != "c2c":
            self.write_real()
            rounds.insert(0 if self.kind == "c2r" else 2, "real")
        for name in rounds:
            c = self.chunk(f"chunk_{name}")
            index, count = c.args["index"], self.blocks(c, INTERFACE.words(c.args["context"]), name)
            c.call(name, None, [c.args["context"], index // count, index % count])
            c.ret()
        c = self.chunk("chunk")
        word = INTERFACE.words(c.args["context"])
        begin = c.args["index"] * word["each"]
        end = begin + word["each"]
        with c.range(begin, c.select(end < word["rows"], end, word["rows"])) as row:
            for name in rounds:
                with c.range(self.blocks(c, word, name)) as block:
                    c.call(name, None, [c.args["context"], row, block])
        c.ret()
        f = INTERFACE.begin_run(self.module)
        packed = INTERFACE.pack(f)
        with f.when(f.args["each"] != 0) as whole:
            chunks = (f.args["rows"] + f.args["each"] - 1) // f.args["each"]
            f.call("pool_run", None, [Value(f, PTR, "@chunk"), packed, chunks])
        with whole.otherwise():
            for name in rounds:
                count = f.args["rows"] * self.blocks(f, f.args, name)
                f.call("pool_run", None, [Value(f, PTR, f"@chunk_{name}"), packed, count])
        f.ret()
        INTERFACE.write_invoke(self.module)
        return self.module

    def blocks(self, f: Function, word: dict[str, Value], name: str) -> Value:
        """Pieces of a row in a round."""
        return f.const(I64, 1) if name == "real" else word[f"blocks{name[-1]}"]

    def chunk(self, name: str) -> Function:
        return self.module.function(name, None, [("context", PTR), ("index", I64)], private=True)

    def write_real(self) -> None:
        """What is done with a row of half the length, behind the other rounds or in front."""
        e, w, passes = self.e, self.w, self.passes
        f = self.module.function(
            "real", None, [("context", PTR), ("row", I64), ("block", I64)], private=True
        )
        f.apart = True
        word, row = INTERFACE.words(f.args["context"]), f.args["row"]
        m = word["n1"] * word["n2"]
        y = word["y"].of(e).at(row * word["y_row"])
        x = y
        if self.kind == "c2r":
            x = word["x"].of(e).at(row * word["x_row"])
            y = word["packed"].of(e).at(row * m * 2)
        first, second = x[0], x[m * 2] if self.kind == "c2r" else x[1]
        y[0], y[1 if self.kind == "c2r" else m * 2] = first + second, first - second
        if self.kind != "c2r":
            y[1] = y[m * 2 + 1] = 0.0
        half = word["half"].of(e)
        backwards = list(range(w - 1, -1, -1))
        with f.range(1, m // 2 + 1, w) as k:
            pairs = (m - k * 2) // 2 + 1  # of points that are left; the middle is its own partner
            count = f.select(pairs < w, pairs, f.const(I64, w))
            low, high = k * 2, (m - k - (w - 1)) * 2
            masks = doubled(f, count, w)
            turned = (f.shuffle(masks[1], None, backwards), f.shuffle(masks[0], None, backwards))
            a, b = passes.gather(f, x.at(low), masks)
            p, q = (f.shuffle(v, None, backwards) for v in passes.gather(f, x.at(high), turned))
            place = half.at((k - 1) * 2)
            factor = place.load(0, w), place.load(w, w)
            near, far = (packed if self.kind == "c2r" else halved)(f, (a, b), (p, q), factor)
            passes.scatter(f, y.at(low), near, masks)
            back = f.shuffle(far[0], None, backwards), f.shuffle(far[1], None, backwards)
            passes.scatter(f, y.at(high), back, turned)
            if self.kind == "full":
                passes.scatter(f, y.at((m + k) * 2), (far[0], -far[1]), masks)
                back = f.shuffle(near[0], None, backwards), -f.shuffle(near[1], None, backwards)
                passes.scatter(f, y.at((m * 2 - k - (w - 1)) * 2), back, turned)
        f.ret()

    def write_block(self, round_: int) -> None:
        """A vector of short transforms of a row."""
        e, w, passes = self.e, self.w, self.passes
        f = self.module.function(
            f"block{round_}", None, [("context", PTR), ("row", I64), ("block", I64)], private=True
        )
        f.apart = True
        word = INTERFACE.words(f.args["context"])
        row, first = f.args["row"], f.args["block"] * w
        x, y = word["x"].of(e).at(row * word["x_row"]), word["y"].of(e).at(row * word["y_row"])
        n1, n2 = word["n1"], word["n2"]
        if self.kind == "c2r":
            x = word["packed"].of(e).at(row * n1 * n2 * 2)
        room = passes.buffers(f)
        left = (n2 if round_ == 1 else n1) - first
        count = f.select(left < w, left, f.const(I64, w))
        tables = {k: word[f"{k}{round_}"] for k in (*SCHEDULE, "passes")}
        if round_ == 1:
            found = passes.transform_memory(
                f, tables, room, x.at(first * 2), n2 * 2, None, n2 * 2, count,
                f.const(e, 1),
            )  # fmt: skip
            between = word["between"].of(e).at(first * n1 * 2)
            passes.turn_out(f, found, y.at(first * n1 * 2), n1 * 2, count, n1 * 2, between)
        else:
            place = y.at(first * 2)
            passes.transform_memory(
                f, tables, room, place, n1 * 2, place, n1 * 2, count,
                f.convert(word["scale"], e),
            )  # fmt: skip
        f.ret()



@functools.cache
def kernel(kind: str, e: str, radices: tuple[int, ...], back: bool) -> Kernel:
    """The kernel of transforms "c2c", "r2c", "full" or "c2r" whose passes have these radices."""
    return Kernel(
        INTERFACE, (kind, e, radices, back), lambda: Long(kind, e, radices, back).build()
    )
