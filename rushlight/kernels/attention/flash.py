"""Attention block by block: the scores of some queries and some keys exist only on the stack.

Forward, for a block of queries (Dao et al., 2022, arXiv:2205.14135; Milakov and Gimelshein, 2018):

    for blocks of keys:  x = k q^T * scale + mask;  top' = max(top, max x);  p = exp(x - top')
                         out = out * exp(top - top') + p^T v;  sum likewise
    out / sum;  top + log(sum) is kept for each query

Scores have a line for each key, with the queries side by side: maxima and sums over keys then run
down the lines, a vector of queries at a time, and every product reads its operands as they lie but
one, the queries, which are turned once. On the diagonal of causal attention the first half of a
block's queries sees half of its keys: products leave out what none of them sees.

Backward computes p = exp(x - kept) anew. The rounding of `kept`, which is as large as the largest
score, is then a relative error of all weights of a query. Where the work is small, kernels are
`exact`, so that they are as close as NumPy with the matrix of scores: backward goes over the scores
once before, for the sum of these weights and for what they share; sums divide, instead of inverses
that multiply; queries are scaled, instead of scores; and products add few terms in a row.

A chunk is one block of queries forward, all of one head backward, whatever the number of threads.
Products run in the tiles of `matmul/small_gemm.py`.

Not here: when this is used (`select.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..codegen import vecmath
from ..codegen.interface import Interface, Kernel
from ..codegen.ir import BYTES, F32, F64, I8, I64, PTR, Function, Pointer, Value, vector
from ..codegen.lower import maximum
from ..codegen.rows import Row, Vectors
from ..matmul.small_gemm import SmallGemm, tile_symbols
from ..matmul.tile import LINE
from ..tuning import ATTENTION_DEEPEST as DEEPEST

BLOCK = 64  # queries and keys of a block
HALF = 32  # queries at most that are computed at once on the diagonal, for the first see fewer keys
FEW, PARTS = 16, (4, 8)  # terms of short products; exact kernels add 4 of these in a row, else 8
LEAST = {F32: -87.0, F64: -708.0}  # below, e**x is taken for 0
# Before each tile, rows of every matrix of the next chunk are asked for (decision 0061): so many
# that a block of 64 is asked for by the tiles of a block on the diagonal.
ASKED_FORWARD, ASKED_BACKWARD = 5, 2
SEEN, GRADIENTS = ("q", "k", "v", "out"), ("g", "dq", "dk", "dv")
TOGETHER = 4  # lines whose exponentials are computed at once

QUERIES, KEYS, VALUES = "(queries, depth)", "(keys, depth)", "(keys, width)"


def interface(backward: bool) -> Interface:
    """What the kernel of a direction is called with; every operand has two leading dims."""
    arrays = {
        "q": f"queries, {QUERIES}", "k": f"keys, {KEYS}", "v": f"values, {VALUES}",
        "mask?": "(queries, keys): added to the scores, or bool: False hides",
        "out": "the result, (queries, width)",
    }  # fmt: skip
    if backward:
        arrays |= {
            "g": "gradient of the result", "dq": "gradient of q", "dk": "gradient of k",
            "dv": "gradient of v",
        }  # fmt: skip
    names = [name.removesuffix("?") for name in arrays]
    arrays["kept"] = "logarithm of the sum of exp(scores) of each query, without gaps"
    if backward:
        arrays["along"] = "workspace of the size of kept, of exact kernels twice that"
    steps = {"batch": "first dim", "head": "second dim", "row": "row", "col": "column"}
    return Interface(
        "attention_backward" if backward else "attention",
        "dq, dk, dv of softmax(q k^T * scale + mask) v" if backward
        else "out = softmax(q k^T * scale + mask) v",
        arrays,
        {
            "heads": "size of the second dim",
            "rows": "queries",
            "columns": "keys",
            "depth": "elements of a query",
            "width": "elements of a value",
            "causal": "1: query i sees keys up to i",
            "guarded": "1: a query may see nothing",
            "blocks": "blocks of queries",
            "chunks": "pieces of work that threads share: blocks of queries, or heads",
            **{f"{n}_{s}": f"elements of {n} from one {text} to the next"
               for n in names for s, text in steps.items()},
        },
        {"scale": "factor of the scores"},
    )  # fmt: skip


FORWARD, BACKWARD = interface(False), interface(True)


class Attention(SmallGemm):
    """Writes the module of one element type and kind of mask ("none", "bool", "float")."""

    def __init__(self, e: str, mask: str, backward: bool, exact: bool) -> None:
        super().__init__(e)
        self.mask, self.backward, self.exact = mask, backward, exact
        self.interface = BACKWARD if backward else FORWARD
        self.low = float("-inf")
        self.matrices = (*SEEN, *(GRADIENTS if backward else ()))
        # halves begin where panels do, or in the middle of one
        self.half = HALF if self.nr % HALF == 0 else HALF // self.nr * self.nr

    def build(self) -> Any:
        self.declare_tiles()
        self.write_ask()
        self.write_product("product_of_part" if self.exact else "product")
        if self.exact:
            self.write_product_by_parts()
        if self.backward:
            self.write_backward()
        else:
            self.write_forward()
        self.interface.write(self.module, "chunks")
        return self.module

    def write_product(self, name: str) -> None:
        """C (m x n) = alpha * A (m x k) B (k x n) (+ C); panels of NR columns of B are `b_panel`
        elements apart."""
        e, w, nr = self.e, self.w, self.nr
        f = self.product_function(name)
        a, b, c = (f.args[n].of(e) for n in "abc")
        a_row, c_row, m, n = (f.args[x] for x in ("a_row", "c_row", "m", "n"))
        heights, table = Pointer(f, self.most, I64), Pointer(f, "@tiles", PTR)
        fresh = f.compare("eq", f.args["add"], 0)
        with f.range(0, n, nr) as j:
            width = f.select(n - j < nr, n - j, f.const(I64, nr))
            v = (width + (w - 1)) // w - 1
            most = heights[v]
            panels = (m + most - 1) // most
            height, taller = m // panels, m % panels
            panel = b.at(j // nr * f.args["b_panel"])
            start = f.var(0)
            with f.range(panels) as p:
                f.call("ask", None, [f.args["next"]])
                h = height + f.select(p < taller, f.const(I64, 1), 0)
                to = c.at(start.get() * c_row + j)
                old = f.emit(PTR, f"select i1 {fresh.text}, ptr null, ptr {to.text}")
                f.call_pointer(
                    table[v * self.heights[0] + h - 1], None,
                    [f.args["k"], a.at(start.get() * a_row), a_row, f.args["a_col"], panel,
                     f.args["b_row"], to, c_row, old, c_row, width, f.args["alpha"],
                     f.const(e, 1.0)],
                )  # fmt: skip
                start.set(start.get() + h)
        f.ret()

    def product_function(self, name: str) -> Function:
        given = ("a", "a_row", "a_col", "b", "b_row", "b_panel", "c", "c_row", "m", "n", "k", "add")
        return self.module.function(
            name, None, [*((n, PTR if n in ("a", "b", "c") else I64) for n in given),
                         ("alpha", self.e), ("next", PTR)], private=True,
        )  # fmt: skip

    def write_product_by_parts(self) -> None:
        """The same where few terms are added one after the other, and then their sums.
        `product_of_part` is the function above."""
        f = self.product_function("product")
        args, (a, b, c) = f.args, (f.args[n].of(self.e) for n in "abc")
        k, (few, part, parts) = args["k"], (f.const(I64, n) for n in (FEW, *PARTS))
        part = f.select(k <= few, part, parts)
        with f.range(0, k, part) as at:
            f.call("product_of_part", None, [
                a.at(at * args["a_col"]), args["a_row"], args["a_col"],
                b.at(at * args["b_row"]), args["b_row"], args["b_panel"], c, args["c_row"],
                args["m"], args["n"], f.select(k - at < part, k - at, part),
                f.select(at > 0, f.const(I64, 1), args["add"]), args["alpha"], args["next"],
            ])  # fmt: skip
        f.ret()

    # -- what the next chunk reads and writes --------------------------------------------------

    def write_ask(self) -> None:
        """Ask for some rows of each matrix of `following`."""
        f = self.module.function("ask", None, [("next", PTR)], private=True)
        words, places = (f.args["next"].of(e) for e in (I64, PTR))
        with f.range(ASKED_BACKWARD if self.backward else ASKED_FORWARD):
            row = words[0]
            with f.when(row < words[1]):
                for i in range(2, 2 + 3 * len(self.matrices), 3):
                    line = places[i].of(I8).at(row * words[i + 1])
                    with f.range(0, words[i + 2], LINE) as at:
                        f.prefetch(line.at(at), level=2)
                words[0] = row + 1
        f.ret()

    def following(self, there: Value, head: Value, first: Value) -> Pointer:
        """The words from which `ask` takes what a block of the next chunk, if it is there, begins
        with: the row that is next, how many there are, then of each matrix where its rows begin,
        the bytes from one to the next, and their length."""
        f, word, size = self.f, self.word, BYTES[self.e]
        words = f.buffer(I64, 2 + 3 * len(self.matrices))
        words[0] = 0
        words[1] = f.select(there, self.block(first, word["rows"]), f.const(I64, 0))
        for i, name in enumerate(self.matrices):
            at = 2 + 3 * i
            words.of(PTR)[at] = self.row(name, self.of_head(name, head), first)
            words[at + 1] = word[f"{name}_row"] * size
            words[at + 2] = word["depth" if name[-1] in "qk" else "width"] * size
        return words

    # -- parts of a chunk --------------------------------------------------------------------

    def begin(self) -> Function:
        """The chunk's function; sets what the other parts read."""
        f = self.module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
        self.f = f
        self.word = self.interface.words(f.args["context"])
        self.scale = f.convert(self.word["scale"], self.e)
        self.null = f.const(I64, 0)
        return f

    def of_head(self, name: str, head: Value) -> Pointer:
        """An operand's matrix of one head."""
        heads, word = self.word["heads"], self.word
        e = I8 if name == "mask" and self.mask == "bool" else self.e
        place = head // heads * word[f"{name}_batch"] + head % heads * word[f"{name}_head"]
        return word[name].of(e).at(place)

    def row(self, name: str, matrix: Pointer, i: Any) -> Pointer:
        return matrix.at(self.word[f"{name}_row"] * i)

    def product(
        self, a: Pointer, a_steps: Any, b: Pointer, b_steps: Any, c: Pointer, c_row: Any,
        sizes: tuple[Value, Value, Value], add: Value, alpha: Any = 1.0,
    ) -> None:  # fmt: skip
        f = self.f
        a_row, a_col, b_row, b_panel, ldc = (f.const(I64, x) for x in (*a_steps, *b_steps, c_row))
        f.call("product", None, [a, a_row, a_col, b, b_row, b_panel, c, ldc, *sizes, add,
                                 f.const(self.e, alpha), self.next])  # fmt: skip

    def as_it_lies(self, name: str) -> tuple[Value, int]:
        return self.word[f"{name}_row"], self.nr

    def lines(self) -> Pointer:
        """Room for what is turned: whole panels."""
        return self.f.buffer(self.e, -(-BLOCK // self.nr) * self.nr * DEEPEST)

    def turned(self, to: Pointer, name: str, x: Pointer, rows: Value, depth: Value) -> Any:
        """Some rows of an operand as panels of columns; their steps."""
        f, step = self.f, self.word[f"{name}_row"]
        with f.range(0, rows, self.nr) as j:
            columns = f.select(rows - j < self.nr, rows - j, f.const(I64, self.nr))
            f.call("turn", None, [to.at(j * depth), x.at(step * j), f.const(I64, 1), step, columns,
                                  depth])  # fmt: skip
        return self.nr, depth * self.nr

    def queries_turned(self, to: Pointer, q: Pointer, rows: Value) -> tuple[Any, Value]:
        """Some queries as panels of columns; their steps, and the factor of their products: exact
        kernels scale the queries instead, whose roundings are many and small."""
        f, depth = self.f, self.word["depth"]
        steps = self.turned(to, "q", q, rows, depth)
        if not self.exact:
            return steps, self.scale
        with f.range(0, rows, self.nr) as j:
            panel = Vectors(f, depth * self.nr, self.e)
            place, scale = to.at(j * depth), panel.wide(self.scale)
            panel.each(lambda i: panel.put(place, i, panel.get(place, i) * scale))
        return steps, f.const(self.e, 1.0)

    def columns_of(self, panels: Pointer, start: Value, steps: Any) -> Pointer:
        """Where the half that begins at `start` lies in what is turned."""
        return panels.at(start // self.nr * steps[1] + start % self.nr)

    def block(self, start: Value, end: Value) -> Value:
        """How many of a block there are."""
        left = end - start
        return self.f.select(left < BLOCK, left, self.f.const(I64, BLOCK))

    def diagonal(self, first: Value, key: Value) -> Value:
        """Whether no query of a block sees all of its keys. Exact kernels compute them all: how
        many terms they add in a row is a matter of all keys."""
        if self.exact:
            return self.f.const("i1", False)
        return (self.word["causal"] != 0) & (first == key)

    def seen_together(
        self, diagonal: Value, rows: Value, columns: Value,
        body: Callable[[Value, tuple[Value, Value]], None],
    ) -> None:  # fmt: skip
        """`body(start, (queries, keys))` for all queries of a block; on the diagonal for one half
        and then the other, with the keys that these may see, or the last vector of them may."""
        f = self.f
        each = f.select(diagonal & (rows > self.half), f.const(I64, self.half), rows)
        with f.range(0, rows, each) as start:
            left = rows - start
            some = f.select(left < each, left, each)
            end = start + (some + (self.w - 1)) // self.w * self.w
            seen = f.select(diagonal & (end < columns), end, columns)
            body(start, (some, seen))

    def seeing_together(
        self, diagonal: Value, rows: Value, columns: Value,
        body: Callable[[Value, Value, tuple[Value, Value]], None],
    ) -> None:  # fmt: skip
        """`body(start, first, (keys, queries))` for all keys of a block; on the diagonal for one
        half and then the other, with the queries from `first` on, which may see these."""
        f = self.f
        each = f.select(diagonal & (columns > self.half), f.const(I64, self.half), columns)
        with f.range(0, columns, each) as start:
            left = columns - start
            some = f.select(left < each, left, each)
            first = f.select(diagonal, f.select(start < rows, start, rows), self.null)
            body(start, first, (some, rows - first))

    def masked(
        self, x: Pointer, mask: Pointer | None, first: Value, key: Value, sizes: Any
    ) -> None:
        """Scores with the mask."""
        if mask is None:
            return
        f, (rows, columns) = self.f, sizes
        with f.range(rows) as i:
            line = self.row("mask", mask, first + i).at(key)
            with f.range(columns) as j:
                place = x.at(j * BLOCK + i)
                if self.mask == "float":
                    place[0] = place[0] + line[j]
                else:
                    place[0] = f.select(line[j] != 0, place[0], f.const(self.e, self.low))

    def visible(self, x: Pointer, query: Value, key: Value, columns: Value) -> Value:
        """How many keys of a block any of the queries from `query` on sees; -inf where one of them
        does not. x: their scores, a vector for each key."""
        f, w = self.f, self.w

        def kept(n: Value) -> Value:
            n = f.select(n < 0, f.const(I64, 0), n)
            return f.select(n < columns, n, columns)

        limit = f.var(columns)
        with f.when(self.word["causal"] != 0):
            limit.set(kept(query + w - key))
            lanes = f.iota(vector(I64, w)) + f.splat(query, w)
            with f.range(kept(query + 1 - key), limit.get()) as j:
                seen = lanes >= f.splat(key + j, w)
                old = x.load(j * BLOCK, w)
                x.store(f.select(seen, old, f.const(old.type, self.low)), j * BLOCK)
        return limit.get()

    def power(self, x: Value) -> Value:
        """e**x for x <= 0, and 0 where that has no normal number: those take a hundred cycles."""
        f = self.f
        tiny = x < LEAST[self.e]
        zero = f.const(x.type, 0)
        return f.select(tiny, zero, vecmath.exp(f, f.select(tiny, zero, x)))

    def over(self, count: Value, body: Callable[[int, Value], None]) -> None:
        """`body(part, line)` for each line, several at once; `part` is 0 for those left over."""
        f = self.f
        most = count - count % TOGETHER
        with f.range(0, most, TOGETHER) as j:
            for part in range(TOGETHER):
                body(part, j + part)
        with f.range(most, count) as j:
            body(0, j)

    def combined(self, sums: list[Any], how: Callable[[Any, Any], Value]) -> Value:
        a, b, c, d = (s.get() for s in sums)
        return how(how(a, b), how(c, d))

    def emptied(self, x: Pointer, start: Value, stop: Value) -> None:
        with self.f.range(start, stop) as j:
            x.store(self.f.const(vector(self.e, self.w), 0), j * BLOCK)

    # -- forward -----------------------------------------------------------------------------

    def write_forward(self) -> None:
        e, f, w, lanes = self.e, self.begin(), self.word, self.w
        blocks, index = w["blocks"], f.args["index"]
        after = index + 1
        self.next = self.following(after < w["chunks"], after // blocks, after % blocks * BLOCK)
        head, first = index // blocks, index % blocks * BLOCK
        q, k, v, out = (self.of_head(n, head) for n in ("q", "k", "v", "out"))
        mask = None if self.mask == "none" else self.of_head("mask", head)
        kept = self.word["kept"].of(e).at(head * w["rows"] + first)
        rows = self.block(first, w["rows"])
        q, out = self.row("q", q, first), self.row("out", out, first)
        last = first + rows
        end = f.select((w["causal"] != 0) & (last < w["columns"]), last, w["columns"])
        queries, scores = self.lines(), f.buffer(e, BLOCK * BLOCK)
        tops, sums, factors = (f.buffer(e, BLOCK) for _ in range(3))
        kind = vector(e, lanes)
        low, zero, none = f.const(kind, self.low), f.const(kind, 0), f.const(I64, 0)
        with f.range(0, rows, lanes) as i:
            tops.store(low, i)
            sums.store(zero, i)
        guarded = f.splat(w["guarded"] != 0, lanes)
        q_steps, scale = self.queries_turned(queries, q, rows)

        def larger(a: Any, b: Any) -> Value:
            return maximum(f, a, b)

        with f.range(0, end, BLOCK) as key:
            columns = self.block(key, end)
            more = f.select(key > 0, f.const(I64, 1), 0)
            diagonal = self.diagonal(first, key)
            k_here, v_here = self.row("k", k, key), self.row("v", v, key)

            def scored(start: Value, sizes: Any, k_here: Pointer = k_here) -> None:
                some, seen = sizes
                here = self.columns_of(queries, start, q_steps)
                self.product(k_here, (w["k_row"], 1), here, q_steps, scores.at(start), BLOCK,
                             (seen, some, w["depth"]), none, scale)  # fmt: skip

            def gathered(
                start: Value, sizes: Any, v_here: Pointer = v_here, more: Value = more
            ) -> None:
                some, seen = sizes
                self.product(scores.at(start), (1, BLOCK), v_here, self.as_it_lies("v"),
                             self.row("out", out, start), w["out_row"], (some, w["width"], seen),
                             more)  # fmt: skip

            self.seen_together(diagonal, rows, columns, scored)
            self.masked(scores, mask, first, key, (rows, columns))
            with f.range(0, rows, lanes) as i:
                x = scores.at(i)
                seen = self.visible(x, first + i, key, columns)
                found = [f.var(low) for _ in range(TOGETHER)]
                self.over(seen, lambda part, j, x=x, found=found: found[part].set(  # type: ignore[misc]
                    larger(found[part].get(), x.load(j * BLOCK, lanes))))  # fmt: skip
                old = tops.load(i, lanes)
                top = larger(old, self.combined(found, larger))
                hold = f.select(guarded & (top == low), zero, top)
                total = [f.var(zero) for _ in range(TOGETHER)]

                def power(
                    part: int, j: Value, x: Pointer = x, hold: Value = hold, total: Any = total
                ) -> None:
                    p = self.power(x.load(j * BLOCK, lanes) - hold)
                    x.store(p, j * BLOCK)
                    total[part].set(total[part].get() + p)

                self.over(seen, power)
                self.emptied(x, seen, columns)
                factor = self.power(old - hold)
                tops.store(top, i)
                factors.store(factor, i)
                whole = self.combined(total, lambda a, b: a + b)
                # the first block has nothing before it, not even where top is -inf
                before = f.select(key > 0, sums.load(i, lanes) * factor, zero)
                sums.store(before + whole, i)
            with f.when(key > 0), f.range(rows) as i:
                self.scaled(self.row("out", out, i), factors[i])
            self.seen_together(diagonal, rows, columns, gathered)
        with f.range(0, rows, lanes) as i:
            sum_ = sums.load(i, lanes)
            empty = sum_ == 0.0
            whole = f.select(empty, f.const(kind, 1), sum_)
            factors.store(whole if self.exact else 1.0 / whole, i)
            top = tops.load(i, lanes)
            top = f.select(guarded & (top == low), zero, top)
            level = f.select(empty, f.const(kind, float("inf")), top + vecmath.log(f, sum_))
            kept.store_masked(level, i, self.there(rows - i))
        with f.range(rows) as i:
            self.scaled(self.row("out", out, i), factors[i], divide=self.exact)
        f.ret()

    def there(self, count: Value) -> Value:
        """The lanes below `count`."""
        return self.f.iota(vector(I64, self.w)) < self.f.splat(count, self.w)

    def scaled(self, line: Pointer, factor: Value, divide: bool = False) -> None:
        """A line of the result times a number, or divided by it."""
        r = Row(self.f, self.e, {}, {"n": self.word["width"]})
        r.places["y"] = line
        wide = r.wide(factor)

        def write(j: Value) -> None:
            y = r.load("y", j)
            r.store("y", j, y / wide if divide else y * wide)

        r.each(write)

    # -- backward ----------------------------------------------------------------------------

    def write_backward(self) -> None:
        e, f, w, lanes = self.e, self.begin(), self.word, self.w
        head = f.args["index"]
        self.next = self.following(head + 1 < w["chunks"], head + 1, self.null)
        q, k, v, out, g, dq, dk, dv = (
            self.of_head(n, head) for n in ("q", "k", "v", "out", "g", "dq", "dk", "dv")
        )
        mask = None if self.mask == "none" else self.of_head("mask", head)
        kept = w["kept"].of(e).at(head * w["rows"])
        along = w["along"].of(e).at(head * w["rows"] * (2 if self.exact else 1))
        sums = along.at(w["rows"])  # of the weights of each query, in exact kernels
        p, d = f.buffer(e, BLOCK * BLOCK), f.buffer(e, BLOCK * BLOCK)
        queries, given = self.lines(), self.lines()
        scale, none = f.splat(self.scale, lanes), f.const(I64, 0)
        depth, width = w["depth"], w["width"]

        def products(first: Value, key: Value, rows: Value, columns: Value) -> None:
            """Scores with the mask, and g v^T, of a block of queries and one of keys."""
            q_steps, factor = self.queries_turned(queries, self.row("q", q, first), rows)
            g_steps = self.turned(given, "g", self.row("g", g, first), rows, width)
            k_here, v_here = self.row("k", k, key), self.row("v", v, key)

            def multiplied(start: Value, sizes: Any) -> None:
                some, seen = sizes
                q_part = self.columns_of(queries, start, q_steps)
                g_part = self.columns_of(given, start, g_steps)
                self.product(k_here, (w["k_row"], 1), q_part, q_steps, p.at(start), BLOCK,
                             (seen, some, depth), none, factor)  # fmt: skip
                self.product(v_here, (w["v_row"], 1), g_part, g_steps, d.at(start), BLOCK,
                             (seen, some, width), none)  # fmt: skip

            self.seen_together(self.diagonal(first, key), rows, columns, multiplied)
            self.masked(p, mask, first, key, (rows, columns))

        # what all weights of a query share: the sum of weights times g v^T, which is that of g out
        if self.exact:
            self.write_sums(products, p, d, kept, along, sums)
        else:
            with f.range(w["rows"]) as i:
                r = Row(f, e, {}, {"n": w["width"]})
                r.places |= {"g": self.row("g", g, i), "out": self.row("out", out, i)}
                along[i] = r.reduce("add", lambda j, r=r: r.load("g", j) * r.load("out", j))  # type: ignore[misc]
        with f.range(0, w["columns"], BLOCK) as key:
            columns = self.block(key, w["columns"])
            start = f.select(w["causal"] != 0, key, self.null)
            with f.range(start, w["rows"], BLOCK) as first:
                rows = self.block(first, w["rows"])
                q_here, g_here = self.row("q", q, first), self.row("g", g, first)
                k_here = self.row("k", k, key)
                if self.exact:  # one block of each is still there
                    with f.when((w["rows"] > BLOCK) | (w["columns"] > BLOCK)):
                        products(first, key, rows, columns)
                else:
                    products(first, key, rows, columns)
                with f.range(0, rows, lanes) as i:
                    x, y = p.at(i), d.at(i)
                    seen = self.visible(x, first + i, key, columns)
                    there = self.there(rows - i)
                    less, level = (a.load_masked(first + i, there) for a in (kept, along))
                    total = sums.load_masked(first + i, there) if self.exact else None

                    def write(
                        _part: int, j: Value, x: Pointer = x, y: Pointer = y, less: Value = less,
                        level: Value = level, total: Value | None = total,
                    ) -> None:  # fmt: skip
                        weight = self.power(x.load(j * BLOCK, lanes) - less)
                        weight = weight if total is None else weight / total
                        x.store(weight, j * BLOCK)
                        y.store(weight * (y.load(j * BLOCK, lanes) - level) * scale, j * BLOCK)

                    self.over(seen, write)
                    self.emptied(x, seen, columns)
                    self.emptied(y, seen, columns)
                more = f.select(first > start, f.const(I64, 1), 0)
                later = f.select(key > 0, f.const(I64, 1), 0)
                diagonal = self.diagonal(first, key)

                def of_keys(
                    start: Value, begin: Value, sizes: Any, more: Value = more, key: Value = key,
                    q_here: Pointer = q_here, g_here: Pointer = g_here,
                ) -> None:  # fmt: skip
                    some, seeing = sizes
                    for scores, name, rows_of, to, matrix, wide in (
                        (p, "g", g_here, "dv", dv, width), (d, "q", q_here, "dk", dk, depth),
                    ):  # fmt: skip
                        self.product(
                            scores.at(start * BLOCK + begin), (BLOCK, 1),
                            self.row(name, rows_of, begin), self.as_it_lies(name),
                            self.row(to, matrix, key + start), w[f"{to}_row"],
                            (some, wide, seeing), more,
                        )  # fmt: skip

                def of_queries(
                    start: Value, sizes: Any, later: Value = later, k_here: Pointer = k_here,
                    first: Value = first,
                ) -> None:  # fmt: skip
                    some, seen = sizes
                    self.product(d.at(start), (1, BLOCK), k_here, self.as_it_lies("k"),
                                 self.row("dq", dq, first + start), w["dq_row"],
                                 (some, depth, seen), later)  # fmt: skip

                self.seeing_together(diagonal, rows, columns, of_keys)
                self.seen_together(diagonal, rows, columns, of_queries)
        f.ret()

    def write_sums(
        self, products: Any, p: Pointer, d: Pointer, kept: Pointer, along: Pointer, sums: Pointer
    ) -> None:
        """Of each query the sum of the weights exp(x - kept), which is 1 but for the rounding of
        `kept` (1 of a query that sees nothing), and the mean of g v^T by these weights."""
        f, w, lanes = self.f, self.word, self.w
        kind = vector(self.e, lanes)
        zero, one = f.const(kind, 0.0), f.const(kind, 1.0)
        totals, levels = f.buffer(self.e, BLOCK), f.buffer(self.e, BLOCK)
        with f.range(0, w["rows"], BLOCK) as first:
            rows = self.block(first, w["rows"])
            with f.range(0, BLOCK, lanes) as i:
                totals.store(zero, i)
                levels.store(zero, i)
            end = f.select(w["causal"] != 0, first + rows, w["columns"])
            end = f.select(end < w["columns"], end, w["columns"])
            with f.range(0, end, BLOCK) as key:
                columns = self.block(key, w["columns"])
                products(first, key, rows, columns)
                with f.range(0, rows, lanes) as i:
                    x, y = p.at(i), d.at(i)
                    less = kept.load_masked(first + i, self.there(rows - i))
                    seen = self.visible(x, first + i, key, columns)
                    weights, means = ([f.var(zero) for _ in range(TOGETHER)] for _ in range(2))

                    def add(
                        part: int, j: Value, x: Pointer = x, y: Pointer = y, less: Value = less,
                        weights: Any = weights, means: Any = means,
                    ) -> None:  # fmt: skip
                        power = self.power(x.load(j * BLOCK, lanes) - less)
                        weights[part].set(weights[part].get() + power)
                        means[part].set(f.fma(power, y.load(j * BLOCK, lanes), means[part].get()))

                    self.over(seen, add)
                    for to, parts in ((totals, weights), (levels, means)):
                        more = self.combined(parts, lambda a, b: a + b)
                        to.store(to.load(i, lanes) + more, i)
            with f.range(0, rows, lanes) as i:
                there, total = self.there(rows - i), totals.load(i, lanes)
                total = f.select(total == 0.0, one, total)
                sums.store_masked(total, first + i, there)
                along.store_masked(levels.load(i, lanes) / total, first + i, there)


@functools.cache
def kernel(e: str, mask: str, backward: bool, exact: bool = False) -> Kernel:
    """The kernel of an element type and a kind of mask: "none", "bool" or "float"; `exact` for
    small work."""
    return Kernel(
        BACKWARD if backward else FORWARD, (e, mask, exact, PARTS, BLOCK, HALF, DEEPEST),
        lambda: Attention(e, mask, backward, exact).build(), lambda: tile_symbols(e),
    )  # fmt: skip
