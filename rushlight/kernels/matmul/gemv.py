"""Products of a few rows with a matrix that is read along its columns: sums of products along k.

    C = alpha * A @ B + beta * D       rows of A and columns of B without gaps, D of any strides

This is matrix times vector (with the two exchanged), a layer for one example, a dot product. Up to
four rows of A meet four columns of B at a time; B is read once. A sum runs in vectors whose lanes
are added in a fixed order at the end. A and B may be of narrow floats, which are widened where they
are read, so that the time is that of their bytes; C and D are of float32 then.

Not here: when this is used, and how a long k is cut into slices (`select.py`).
"""

from __future__ import annotations

import functools
from typing import Any

from ..codegen import half
from ..codegen.interface import Interface, Kernel
from ..codegen.ir import I32, I64, PTR, Function, Module, Pointer, Value, lanes, vector
from ..runtime import threads
from .tile import lanes_of

ROWS = 4  # of A at a time
COLUMNS = 4  # of B at a time

STRIDES = {
    "outer": "elements from one product to the next, along the outer dim of the batch",
    "batch": "the same along its inner dim",
    "row": "elements from one row to the next",
    "col": "elements from one column to the next",
}
INTERFACE = Interface(
    "gemv",
    "C = alpha * A @ B + beta * D, sums along k, for few rows of A",
    arrays={
        "a": "A (m, k), rows without gaps",
        "b": "B (k, n), columns without gaps",
        "c": "C (m, n)",
        "d?": "D (m, n), or nothing",
    },
    ints={
        **{f"a_{k}": STRIDES[k] for k in ("outer", "batch", "row")},
        **{f"b_{k}": STRIDES[k] for k in ("outer", "batch", "col")},
        **{f"c_{k}": STRIDES[k] for k in STRIDES},
        **{f"d_{k}": STRIDES[k] for k in STRIDES},
        "inner": "products along the inner dim of the batch",
        "m": "rows of A",
        "n": "columns of B",
        "k": "elements of a sum",
        "col_block": "columns that a piece of work has",
        "col_blocks": "pieces of a product",
        "units": "pieces of all products, which threads share",
    },
    floats={"alpha": "factor of the product", "beta": "factor of D"},
)


def totals(f: Function, sums: list[Value]) -> list[Value]:
    """The sum of the lanes of each of some vectors."""
    many, width = len(sums), lanes(sums[0].type)  # lanes that belong to one sum
    while width > 1:
        if len(sums) > 1:  # two vectors become one, whose sums have half as many lanes
            sums = [halved(f, a, b, width) for a, b in zip(sums[::2], sums[1::2], strict=True)]
        else:
            sums = [halved(f, sums[0], None, width)]
        width //= 2
    per = many // len(sums)
    return [f.lane(x, i) for x in sums for i in range(per)]


def halved(f: Function, a: Value, b: Value | None, width: int) -> Value:
    """Lanes added to those half a sum's width further on; the sums of a, then those of b."""
    n = lanes(a.type)
    low = [i for s in range(0, n if b is None else 2 * n, width) for i in range(s, s + width // 2)]
    if len(low) == 1:
        return f.lane(a, 0) + f.lane(a, 1)
    return f.shuffle(a, b, low) + f.shuffle(a, b, [i + width // 2 for i in low])


class Gemv:
    """Writes the module of one element type; A and B may have another one, `reads`."""

    def __init__(self, e: str, reads: str) -> None:
        self.e, self.reads = e, reads
        self.w = lanes_of(e)
        self.module = Module(f"gemv_{e}" if reads == e else f"gemv_{reads}")

    def build(self) -> Module:
        threads.declare_run(self.module)
        for h in range(1, ROWS + 1):
            self.write_tile(h, 1)
            self.write_tile(h, COLUMNS)
        names = [f"ptr @tile_{h}_{c}" for c in (1, COLUMNS) for h in range(1, ROWS + 1)]
        self.module.globals["tiles"] = (
            f"@tiles = internal constant [{len(names)} x ptr] [{', '.join(names)}]"
        )
        self.write_chunk()
        INTERFACE.write(self.module, "units")
        return self.module

    def write_tile(self, h: int, together: int) -> None:
        """h rows of A by some columns of B, so many at a time."""
        e, w = self.e, self.w
        f = self.module.function(
            f"tile_{h}_{together}", None,
            [("words", PTR), ("a", PTR), ("b", PTR), ("c", PTR), ("d", PTR), ("columns", I64)],
            private=True,
        )  # fmt: skip
        word = INTERFACE.words(f.args["words"])
        a, b = (f.args[n].of(self.reads) for n in ("a", "b"))
        c, d = (f.args[n].of(e) for n in ("c", "d"))
        k, columns = word["k"], f.args["columns"]
        alpha, beta = (f.convert(word[n], e) for n in ("alpha", "beta"))
        zero = f.const(vector(e, w), 0)
        whole = k - k % w
        left = f.iota(vector(I32, w)) < f.convert(k - whole, I32)
        rows = [a.at(word["a_row"] * i) for i in range(h)]
        # Too few sums do not fill the pipeline: then every second, … vector is summed apart.
        parts = max(1, 8 // (h * together))
        with f.range(0, columns, together) as j:
            places = []
            for i in range(together):
                at = f.select(j + i < columns, j + i, columns - 1)
                places.append(b.at(at * word["b_col"]))
            sums = [[[f.var(zero) for _ in range(together)] for _ in rows] for _ in range(parts)]

            def add(part: int, lines: list[Value], others: list[Value], sums: Any = sums) -> None:
                for r, line in enumerate(lines):
                    for i, other in enumerate(others):
                        s = sums[part][r][i]
                        s.set(f.fma(line, other, s.get()))

            def read(places: list[Pointer], at: Any, mask: Value | None = None) -> list[Value]:
                return [half.load(f, place, at, w, mask) for place in places]

            double = whole - whole % (parts * w)
            with f.range(0, double, parts * w) as at:
                for part in range(parts):
                    add(part, read(rows, at + part * w), read(places, at + part * w))
            if parts > 1:
                with f.range(double, whole, w) as at:
                    add(0, read(rows, at), read(places, at))
            with f.when(whole < k):
                add(parts - 1, read(rows, whole, left), read(places, whole, left))
            for r in range(h):
                ends = [sums[0][r][i].get() for i in range(together)]
                for part in range(1, parts):
                    ends = [x + sums[part][r][i].get() for i, x in enumerate(ends)]
                for i, total in enumerate(totals(f, ends)):
                    with f.when(j + i < columns):
                        value = f.var(total * alpha)
                        with f.when(f.compare("ne", f.args["d"], Value(f, PTR, "null"))):
                            old = d[word["d_row"] * r + (j + i) * word["d_col"]]
                            value.set(f.fma(beta, old, value.get()))
                        c[word["c_row"] * r + (j + i) * word["c_col"]] = value.get()
        f.ret()

    def write_chunk(self) -> None:
        """Some columns of one product of the batch, all its rows."""
        f = self.module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
        word = INTERFACE.words(f.args["context"])
        batch, block = f.args["index"] // word["col_blocks"], f.args["index"] % word["col_blocks"]
        column = block * word["col_block"]
        columns = word["n"] - column
        columns = f.select(columns < word["col_block"], columns, word["col_block"])
        outer, inner = batch // word["inner"], batch % word["inner"]

        def matrix(name: str, step: Any) -> Pointer:
            start = outer * word[f"{name}_outer"] + inner * word[f"{name}_batch"]
            e = self.reads if name in ("a", "b") else self.e
            return word[name].of(e).at(start if step is None else start + column * word[step])

        a, b, c = matrix("a", None), matrix("b", "b_col"), matrix("c", "c_col")
        d, null = matrix("d", "d_col"), Value(f, PTR, "null")
        none = f.compare("eq", word["d"], null)
        table = Pointer(f, "@tiles", PTR)
        many = f.select(word["n"] == 1, f.const(I64, 0), ROWS)
        with f.range(0, word["m"], ROWS) as row:
            h = word["m"] - row
            h = f.select(h < ROWS, h, f.const(I64, ROWS))
            there = d.at(row * word["d_row"])
            other = f.emit(PTR, f"select i1 {none.text}, ptr {null.text}, ptr {there.text}")
            f.call_pointer(
                table[h - 1 + many], None,
                [f.args["context"], a.at(row * word["a_row"]), b, c.at(row * word["c_row"]), other,
                 columns],
            )  # fmt: skip
        f.ret()


@functools.cache
def kernel(e: str, reads: str = "") -> Kernel:
    """The kernel of an element type; `reads`: the narrow one that A and B are of."""
    return Kernel(INTERFACE, (e, reads), lambda: Gemv(e, reads or e).build())
