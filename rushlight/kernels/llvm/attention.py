"""Attention block by block: the scores of some queries and some keys exist only on the stack.

Forward, for a block of queries (Dao et al., 2022, arXiv:2205.14135; Milakov and Gimelshein, 2018):

    for blocks of keys:  x = q k^T * scale + mask;  top' = max(top, max x);  p = exp(x - top')
                         out = out * exp(top - top') + p v;  sum likewise
    out / sum;  top + log(sum) is kept for each row

Backward computes p = exp(x - kept) anew. A chunk is one block of queries forward, all of one head
backward, whatever the number of threads. Products run in the tiles of `gemm.py`.

Not here: when this is used (`kernels/attention.py`).
"""

from __future__ import annotations

from typing import Any

from . import jit, native, vecmath
from .gemm import Gemm, tile_symbols
from .ir import I8, I64, PTR, Function, Pointer, Value, vector
from .lower import maximum
from .rows import Row

BLOCK = 64  # queries and keys of a block
DEEPEST = 256  # elements of a query or value at most

# int64 words: sizes, then (first dim, second dim, row, column) strides of each operand.
SIZES = ("second", "rows", "columns", "depth", "width", "causal", "guarded", "blocks")
ARRAYS = ("q", "k", "v", "mask", "out", "g", "dq", "dk", "dv")
WORDS = (*SIZES, *(f"{a}_{s}" for a in ARRAYS for s in ("0", "1", "row", "col")))
FORWARD = ("q", "k", "v", "mask", "out", "kept", "scale")
BACKWARD = ("q", "k", "v", "mask", "out", "kept", "scale", "g", "dq", "dk", "dv", "along")


class Attention(Gemm):
    """Writes the module of one element type and kind of mask ("none", "bool", "float")."""

    name = "attention"

    def __init__(self, e: str, mask: str, backward: bool) -> None:
        super().__init__(e)
        self.mask, self.backward = mask, backward
        self.fields = BACKWARD if backward else FORWARD

    def build(self) -> Any:
        self.declare_tile()
        self.write_pack_b()
        self.write_product()
        if self.backward:
            self.write_backward()
        else:
            self.write_forward()
        names = [*self.fields, "words", "chunks"]
        f = self.module.function("run", None, [(n, I64 if n == "chunks" else PTR) for n in names])
        packed = f.buffer(PTR, len(names))
        for i, name in enumerate(names[:-1]):
            packed[i] = f.args[name]
        f.call("pool_run", None, [Value(f, PTR, "@chunk"), packed, f.args["chunks"]])
        f.ret()
        kinds = ["array?" if n == "mask" else "array" for n in names[:-1]]
        native.entry(self.module, "call", "run", [*kinds, "int"])
        return self.module

    def write_product(self) -> None:
        """C (m x n) = A (m x k) B (k x n) (+ C): m at most BLOCK, k at most DEEPEST."""
        e, mr, nr = self.e, self.mr, self.nr
        given = ("a", "a_row", "a_col", "b", "b_row", "b_col", "c", "ldc", "m", "n", "k", "add")
        f = self.module.function(
            "product", None, [(n, PTR if n in ("a", "b", "c") else I64) for n in given],
            private=True,
        )  # fmt: skip
        a, b, c = (f.args[n].of(e) for n in "abc")
        m, n, k = (f.args[x] for x in "mnk")
        most = -(-BLOCK // mr) * mr
        rows = f.buffer(e, most * DEEPEST + 2 * self.w)
        panel = f.buffer(e, nr * DEEPEST)
        panels = (m + (mr - 1)) // mr
        height, taller = m // panels, m % panels

        def place(p: Value) -> tuple[Value, Value]:
            more = f.select(p < taller, f.const(I64, 1), 0)
            return p * height + f.select(p < taller, p, taller), height + more

        with f.range(panels) as p:
            start, h = place(p)
            source = a.at(start * f.args["a_row"])
            f.call("pack_a", None, [rows.at(p * k * mr), source, f.args["a_row"],
                                    f.args["a_col"], h, k])  # fmt: skip
        null, table = Value(f, PTR, "null"), Pointer(f, "@micro", PTR)
        with f.range(0, n, nr) as j:
            columns = f.select(n - j < nr, n - j, f.const(I64, nr))
            source = b.at(j * f.args["b_col"])
            f.call("pack_b", None, [panel, source, f.args["b_row"], f.args["b_col"], columns, k])
            with f.range(panels) as p:
                start, h = place(p)
                f.call_pointer(
                    table[h - 1], None,
                    [k, rows.at(p * k * mr), panel, c.at(start * f.args["ldc"] + j),
                     f.args["ldc"], f.args["add"], columns, null, null],
                )  # fmt: skip
        f.ret()

    # -- parts of a chunk --------------------------------------------------------------------

    def begin(self) -> Function:
        """The chunk's function; sets what the other parts read."""
        f = self.module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
        self.f = f
        context = f.args["context"].of(PTR)
        words = context[len(self.fields)].of(I64)
        self.word = {name: words[i] for i, name in enumerate(WORDS)}
        self.base = {name: context[i] for i, name in enumerate(self.fields)}
        self.scale = f.splat(self.base["scale"].of(self.e)[0], self.w)
        self.null = f.const(I64, 0)
        return f

    def of_head(self, name: str, head: Value) -> Pointer:
        """An operand's matrix of one head."""
        second = self.word["second"]
        e = I8 if name == "mask" and self.mask == "bool" else self.e
        place = head // second * self.word[f"{name}_0"] + head % second * self.word[f"{name}_1"]
        return self.base[name].of(e).at(place)

    def row(self, name: str, matrix: Pointer, i: Any) -> Pointer:
        return matrix.at(self.word[f"{name}_row"] * i)

    def product(
        self, a: Pointer, a_steps: Any, b: Pointer, b_steps: Any, c: Pointer, ldc: Any, m: Value,
        n: Value, k: Value, add: Value,
    ) -> None:  # fmt: skip
        const = [self.f.const(I64, x) for x in (*a_steps, *b_steps, ldc)]
        self.f.call("product", None, [a, *const[:2], b, *const[2:4], c, const[4], m, n, k, add])

    def steps(self, name: str) -> tuple[Value, Value]:
        return self.word[f"{name}_row"], self.word[f"{name}_col"]

    def turned(self, name: str) -> tuple[Value, Value]:
        return self.word[f"{name}_col"], self.word[f"{name}_row"]

    def block(self, start: Value, end: Value) -> Value:
        """How many of a block there are."""
        left = end - start
        return self.f.select(left < BLOCK, left, self.f.const(I64, BLOCK))

    def scores(self, r: Row, i: Value) -> Value:
        """Finished scores of a vector of a row, from the products."""
        f = self.f
        x = r.load("x", i) * self.scale
        if self.mask == "float":
            x = x + r.load("mask", i)
        elif self.mask == "bool":
            place = r.places["mask"]
            seen = place.load(i, self.w) if r.mask is None else place.load_masked(i, r.mask)
            x = f.select(seen != 0, x, f.const(vector(self.e, self.w), float("-inf")))
        return x

    def visible(self, query: Value, key: Value, columns: Value) -> Value:
        """How many of the keys from `key` on a query sees."""
        f = self.f
        seen = query + 1 - key
        seen = f.select(seen < 0, f.const(I64, 0), seen)
        seen = f.select(seen < columns, seen, columns)
        return f.select(self.word["causal"] != 0, seen, columns)

    def enter(self, x: Pointer, mask: Pointer | None, query: Value, key: Value, n: Value) -> Row:
        """A row of a block of scores."""
        r = Row(self.f, self.e, {}, {"n": n})
        r.places["x"] = x
        if mask is not None:
            r.places["mask"] = self.row("mask", mask, query).at(key)
        return r

    # -- forward -----------------------------------------------------------------------------

    def write_forward(self) -> None:
        e, f, w = self.e, self.begin(), self.word
        blocks, index = w["blocks"], f.args["index"]
        head, first = index // blocks, index % blocks * BLOCK
        q, k, v, out = (self.of_head(n, head) for n in ("q", "k", "v", "out"))
        mask = None if self.mask == "none" else self.of_head("mask", head)
        kept = self.base["kept"].of(e).at(head * w["rows"] + first)
        rows = self.block(first, w["rows"])
        q, out = self.row("q", q, first), self.row("out", out, first)
        end = self.f.select((w["causal"] != 0) & (first + rows < w["columns"]), first + rows,
                            w["columns"])  # fmt: skip
        scores = f.buffer(e, BLOCK * BLOCK)
        tops, sums = f.buffer(e, BLOCK), f.buffer(e, BLOCK)
        low = f.const(e, float("-inf"))
        with f.range(rows) as i:
            tops[i] = low
            sums[i] = 0.0
        with f.range(0, end, BLOCK) as key:
            columns = self.block(key, end)
            more = f.select(key > 0, f.const(I64, 1), 0)
            self.product(q, self.steps("q"), self.row("k", k, key), self.turned("k"), scores,
                         BLOCK, rows, columns, w["depth"], self.null)  # fmt: skip
            with f.range(rows) as i:
                seen = self.visible(first + i, key, columns)
                r = self.enter(scores.at(i * BLOCK), mask, first + i, key, seen)

                def ready(j: Value, r: Row = r) -> Value:
                    x = self.scores(r, j)
                    r.store("x", j, x)
                    return x

                old = tops[i]
                top = maximum(f, old, r.reduce("max", ready))
                tops[i] = top
                hold = f.select((w["guarded"] != 0) & (top == low), f.const(e, 0), top)
                wide = r.wide(hold)

                def power(j: Value, r: Row = r, wide: Value = wide) -> Value:
                    p = vecmath.exp(f, r.load("x", j) - wide)
                    r.store("x", j, p)
                    return p

                total = r.reduce("add", power)
                with f.range(seen, columns) as j:
                    r.places["x"][j] = 0.0
                with f.when(key > 0) as branch:
                    factor = vecmath.exp(f, old - hold)
                    sums[i] = sums[i] * factor + total
                    self.scaled(self.row("out", out, i), factor)
                with branch.otherwise():
                    sums[i] = total
            self.product(scores, (BLOCK, 1), self.row("v", v, key), self.steps("v"), out,
                         w["out_row"], rows, w["width"], columns, more)  # fmt: skip
        with f.range(rows) as i:
            total = sums[i]
            none = total == 0.0
            self.scaled(self.row("out", out, i), 1.0 / f.select(none, f.const(e, 1), total))
            top = f.select((w["guarded"] != 0) & (tops[i] == low), f.const(e, 0), tops[i])
            kept[i] = f.select(none, f.const(e, float("inf")), top + vecmath.log(f, total))
        f.ret()

    def scaled(self, line: Pointer, factor: Value) -> None:
        """A line of the result times a number."""
        r = Row(self.f, self.e, {}, {"n": self.word["width"]})
        r.places["y"] = line
        wide = r.wide(factor)
        r.each(lambda j: r.store("y", j, r.load("y", j) * wide))

    def together(self, r: Row, a: str, b: str) -> Value:
        """The sum of the products of two lines."""
        return r.reduce("add", lambda j: r.load(a, j) * r.load(b, j))

    # -- backward ----------------------------------------------------------------------------

    def write_backward(self) -> None:
        e, f, w = self.e, self.begin(), self.word
        head = f.args["index"]
        q, k, v, out, g, dq, dk, dv = (
            self.of_head(n, head) for n in ("q", "k", "v", "out", "g", "dq", "dk", "dv")
        )
        mask = None if self.mask == "none" else self.of_head("mask", head)
        kept, along = (self.base[n].of(e).at(head * w["rows"]) for n in ("kept", "along"))
        with f.range(w["rows"]) as i:  # the sum of g * out: what all weights of a row share
            r = Row(f, e, {}, {"n": w["width"]})
            r.places |= {"g": self.row("g", g, i), "out": self.row("out", out, i)}
            along[i] = self.together(r, "g", "out")
        p, d = f.buffer(e, BLOCK * BLOCK), f.buffer(e, BLOCK * BLOCK)
        with f.range(0, w["columns"], BLOCK) as key:
            columns = self.block(key, w["columns"])
            start = f.select(w["causal"] != 0, key, self.null)
            k_here, v_here = self.row("k", k, key), self.row("v", v, key)
            with f.range(start, w["rows"], BLOCK) as first:
                rows = self.block(first, w["rows"])
                q_here, g_here = self.row("q", q, first), self.row("g", g, first)
                self.product(q_here, self.steps("q"), k_here, self.turned("k"), p, BLOCK, rows,
                             columns, w["depth"], self.null)  # fmt: skip
                self.product(g_here, self.steps("g"), v_here, self.turned("v"), d, BLOCK, rows,
                             columns, w["width"], self.null)  # fmt: skip
                with f.range(rows) as i:
                    seen = self.visible(first + i, key, columns)
                    r = self.enter(p.at(i * BLOCK), mask, first + i, key, seen)
                    r.places["d"] = d.at(i * BLOCK)
                    less, level = r.wide(kept[first + i]), r.wide(along[first + i])

                    def write(
                        j: Value, r: Row = r, less: Value = less, level: Value = level
                    ) -> None:
                        weight = vecmath.exp(f, self.scores(r, j) - less)
                        r.store("x", j, weight)
                        r.store("d", j, weight * (r.load("d", j) - level) * self.scale)

                    r.each(write)
                    with f.range(seen, columns) as j:
                        r.places["x"][j] = 0.0
                        r.places["d"][j] = 0.0
                more = f.select(first > start, f.const(I64, 1), 0)
                later = f.select(key > 0, f.const(I64, 1), 0)
                self.product(p, (1, BLOCK), g_here, self.steps("g"), self.row("dv", dv, key),
                             w["dv_row"], columns, w["width"], rows, more)  # fmt: skip
                self.product(d, (1, BLOCK), q_here, self.steps("q"), self.row("dk", dk, key),
                             w["dk_row"], columns, w["depth"], rows, more)  # fmt: skip
                self.product(d, (BLOCK, 1), k_here, self.steps("k"), self.row("dq", dq, first),
                             w["dq_row"], rows, w["depth"], columns, later)  # fmt: skip
        f.ret()


def kernel(e: str, mask: str, backward: bool) -> Any:
    """The compiled kernel as a Python function of (operands..., words, chunks)."""
    key = ("attention", e, mask, backward, jit.target().lanes, BLOCK, DEEPEST)
    found = jit.load(key, lambda: Attention(e, mask, backward).build(), ["call"], tile_symbols(e))
    return native.function(found["call"], "attention_grad" if backward else "attention")
