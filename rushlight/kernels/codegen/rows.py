"""Kernels over rows: sums and maxima of a row, and what is made of them, while it is in the cache.

A body is written once for one row, as loops over its vectors:

    def softmax(r):
        top = r.reduce("max", lambda i: r.load("x", i))
        ...
        r.each(lambda i: r.store("y", i, ...))

A sum runs in four vectors whose lanes are added in a fixed order at the end; which rows a thread
gets changes nothing. Operands are rows ("row": R x n), one line for all rows ("line": n), a number
for a row ("one": R) or a number for each of some kinds of rows in turn ("period": row % period).
Rows may be float16 or bfloat16: they are computed in float32, which all other operands are.

`Vectors` has the loops alone, for kernels whose parts are no rows (`norm/layer_norm.py`);
`module_of` writes what is around a chunk. Not here: bodies (`softmax/softmax.py`,
`loss/cross_entropy.py`), when they are used (`softmax/select.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..runtime import builtin, jit, threads
from . import half as half_precision
from .ir import F64, I32, I64, PTR, Function, Module, Pointer, Value, Variable, lanes, vector
from .lower import maximum

Body = Callable[["Row"], None]
Term = Value | tuple[Value, Value]  # what is added up: a value, or the product of two
Values = Callable[[Value], tuple[Term, ...]]


class Vectors:
    """Loops over the vectors of stretches of `n` elements, computed in the type `c`."""

    def __init__(self, f: Function, n: Value, c: str) -> None:
        self.f, self.n, self.c = f, n, c
        self.w = jit.target().lanes // (2 if c == F64 else 1)
        self.mask: Value | None = None

    def get(self, place: Pointer, i: Value) -> Value:
        """A vector; with what the mask leaves out as 0."""
        return half_precision.load(self.f, place, i, self.w, self.mask)

    def put(self, place: Pointer, i: Value, v: Value) -> None:
        half_precision.store(self.f, place, i, v, self.mask)

    def ahead(self, place: Pointer, i: Value, distance: Value) -> None:
        """Bring what lies some elements further on into the cache while this is computed."""
        hints = [self.f.const(I32, k) for k in (0, 3, 1)]
        self.f.intrinsic("llvm.prefetch.p0", None, [place.at(i + distance), *hints])

    def wide(self, v: Value) -> Value:
        """A number in every lane."""
        return self.f.splat(v, self.w)

    def number(self, value: float) -> Value:
        """A constant."""
        return self.f.const(self.c, value)

    def neutral(self, how: str) -> Value:
        return self.f.const(vector(self.c, self.w), 0.0 if how == "add" else float("-inf"))

    def combine(self, how: str, a: Value, b: Value) -> Value:
        return a + b if how == "add" else maximum(self.f, a, b)

    def tail(self, start: Value, write: Callable[[Value], None]) -> None:
        """`write` for what is left of a stretch after its whole vectors."""
        f = self.f
        with f.when(start < self.n):
            left = f.convert(self.n - start, I32)
            self.mask = f.iota(vector(I32, self.w)) < left
            write(start)
            self.mask = None

    def each(self, write: Callable[[Value], None]) -> None:
        """`write` for every vector of a stretch."""
        whole = self.n - self.n % self.w
        with self.f.range(0, whole, self.w) as i:
            write(i)
        self.tail(whole, write)

    def fours(self, count: int, how: str = "add") -> list[list[Variable]]:
        """Where `count` reductions are gathered, each in four vectors."""
        return [[self.f.var(self.neutral(how)) for _ in range(4)] for _ in range(count)]

    def take(self, place: Variable, how: str, term: Term, keep: Value | None = None) -> None:
        """Combine a value with what is gathered, or add the product of two, rounded once."""
        a = term[0] if isinstance(term, tuple) else term
        if keep is not None:
            a = self.f.select(keep, a, self.neutral(how))
        if isinstance(term, tuple):
            place.set(self.f.fma(a, term[1], place.get()))
        else:
            place.set(self.combine(how, place.get(), a))

    def gather(self, into: list[list[Variable]], values: Values, how: str = "add") -> None:
        """Take `values` over a stretch into each of `into`."""
        f, w = self.f, self.w

        def take(k: int, i: Value, keep: Value | None = None) -> None:
            for places, term in zip(into, values(i), strict=True):
                self.take(places[k], how, term, keep)

        fours = self.n - self.n % (4 * w)
        with f.range(0, fours, 4 * w) as i:
            for k in range(4):
                take(k, i + k * w)
        whole = self.n - self.n % w
        with f.range(fours, whole, w) as i:
            take(0, i)
        self.tail(whole, lambda i: take(1, i, self.mask))

    def total(self, places: list[Variable], how: str = "add") -> Value:
        """One number of four vectors: their lanes by halves."""
        f = self.f
        a, b, c, d = (p.get() for p in places)
        v = self.combine(how, self.combine(how, a, b), self.combine(how, c, d))
        while lanes(v.type) > 1:
            half = lanes(v.type) // 2
            one = f.shuffle(v, None, list(range(half)))
            other = f.shuffle(v, None, list(range(half, 2 * half)))
            if half == 1:
                one, other = f.lane(v, 0), f.lane(v, 1)
            v = self.combine(how, one, other)
        return v

    def totals(self, count: int, values: Values, how: str = "add") -> list[Value]:
        """`count` sums ("add") or maxima ("max") over a stretch, in one pass."""
        into = self.fours(count, how)
        self.gather(into, values, how)
        return [self.total(places, how) for places in into]

    def reduce(self, how: str, value: Callable[[Value], Term]) -> Value:
        """The sum ("add") or maximum ("max") of `value` over a stretch."""
        return self.totals(1, lambda i: (value(i),), how)[0]


class Row(Vectors):
    """One row of all operands while its kernel is written."""

    def __init__(self, f: Function, e: str, kinds: dict[str, str], words: Any) -> None:
        super().__init__(f, words["n"], half_precision.computed(e))
        self.e, self.kinds, self.words = e, kinds, words
        self.places: dict[str, Any] = {}

    def enter(self, row: Value) -> None:
        """Point at the operands of a row."""
        self.row = row
        for name, kind in self.kinds.items():
            if kind == "row":
                self.places[name] = self.words[name].of(self.e).at(row * self.n)
            elif kind in ("line", "one", "period"):
                base = self.words[name].of(self.c)
                self.places[name] = {
                    "line": lambda b: b,
                    "one": lambda b: b.at(row),
                    "period": lambda b: b.at(row % self.words["period"]),
                }[kind](base)

    def load(self, name: str, i: Value) -> Value:
        """A vector of a row or line; with what the mask leaves out as 0."""
        return self.get(self.places[name], i)

    def store(self, name: str, i: Value, v: Value) -> None:
        self.put(self.places[name], i, v)

    def next(self, name: str, i: Value) -> None:
        """Bring the next row's vector into the cache while this row is computed."""
        self.ahead(self.places[name], i, self.n)

    def one(self, name: str) -> Value:
        """A row's number."""
        return self.places[name][0]

    def set_one(self, name: str, v: Value) -> None:
        self.places[name][0] = v

    def has(self, name: str) -> bool:
        return name in self.kinds


class Column(Row):
    """Some columns of (outer, n, inner), vectors of them: what is a number in `Row` is a vector.

    Operands are "row", here (outer, n, inner), "one", (outer, inner), and "line", (n).
    """

    def __init__(
        self, f: Function, e: str, kinds: dict[str, str], words: Any, vectors: int
    ) -> None:
        super().__init__(f, e, kinds, words)
        self.w *= vectors

    def at(self, block: Value, body: Body) -> None:
        """Run the body on a block of columns."""
        f, inner, words = self.f, self.words["inner"], self.words
        self.column = block % words["blocks"] * self.w
        outer = block // words["blocks"] * inner
        for name, kind in self.kinds.items():
            if kind == "row":
                place = words[name].of(self.e).at(outer * self.n + self.column)
            else:
                place = words[name].of(self.c)
                place = place.at(outer + self.column) if kind == "one" else place
            self.places[name] = place
        whole = self.column + self.w <= inner
        with f.when(whole) as branch:
            body(self)
        with branch.otherwise():
            left = f.convert(inner - self.column, I32)
            self.mask = f.iota(vector(I32, self.w)) < left
            body(self)
            self.mask = None

    def load(self, name: str, i: Value) -> Value:
        if self.kinds[name] == "line":
            return self.f.splat(self.places[name][i], self.w)
        return self.get(self.places[name], i * self.words["inner"])

    def one(self, name: str) -> Value:
        return self.get(self.places[name], self.f.const(I64, 0))

    def set_one(self, name: str, v: Value) -> None:
        self.put(self.places[name], self.f.const(I64, 0), v)

    def store(self, name: str, i: Value, v: Value) -> None:
        self.put(self.places[name], i * self.words["inner"], v)

    def next(self, name: str, i: Value) -> None:
        """Nothing: the next rows are too far away."""

    def wide(self, v: Value) -> Value:
        return v

    def number(self, value: float) -> Value:
        return self.f.const(vector(self.c, self.w), value)

    def each(self, write: Callable[[Value], None]) -> None:
        with self.f.range(self.n) as i:
            write(i)

    def totals(self, count: int, values: Values, how: str = "add") -> list[Value]:
        into = [self.f.var(self.neutral(how)) for _ in range(count)]
        with self.f.range(self.n) as i:
            for place, term in zip(into, values(i), strict=True):
                self.take(place, how, term)
        return [place.get() for place in into]


Words = dict[str, Any]


def module_of(
    name: str,
    operands: Sequence[str],
    numbers: dict[str, str],
    chunk: Callable[[Function, Words, Value], None],
    finish: Callable[[Function, Words], None] | None = None,
    prepare: Callable[[Function, Words], None] | None = None,
) -> Module:
    """A kernel called with its operands, numbers and how many chunks there are.

    Args:
        operands: names of arrays.
        numbers: names of numbers, each "int" or "float" (float64).
        chunk: writes the chunk whose number it is handed.
        finish: writes what the calling thread does when all chunks are done.
        prepare: writes what it does before.
    """
    module = Module(name)
    threads.declare_run(module)
    fields = [*operands, *numbers]
    kinds = {k: PTR for k in operands} | {
        k: F64 if v == "float" else I64 for k, v in numbers.items()
    }
    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    context = c.args["context"].of(PTR)
    words = {k: context.at(i).of(kinds[k])[0] for i, k in enumerate(fields)}
    chunk(c, words, c.args["index"])
    c.ret()
    f = module.function("run", None, [*kinds.items(), ("chunks", I64)])
    if prepare is not None:
        prepare(f, dict(f.args))
    packed = f.buffer(I64, len(fields))
    for i, k in enumerate(fields):
        packed.at(i).of(kinds[k])[0] = f.args[k]
    f.call("pool_run", None, [Value(f, PTR, "@chunk"), packed, f.args["chunks"]])
    if finish is not None:
        finish(f, dict(f.args))
    f.ret()
    builtin.entry(module, "call", "run", ["array"] * len(operands) + [*numbers.values(), "int"])
    return module


def part(f: Function, index: Value, each: Value, count: Value) -> tuple[Value, Value]:
    """From where to where chunk `index` goes, of `count` things that are cut `each` by `each`."""
    start = index * each
    return start, f.select(start + each < count, start + each, count)


def build(name: str, e: str, kinds: dict[str, str], body: Body) -> Module:
    """The module of a row kernel: called with its operands, n, rows, period, rows a chunk."""

    def chunk(f: Function, words: Words, index: Value) -> None:
        row = Row(f, e, kinds, words)
        with f.range(*part(f, index, words["each"], words["rows"])) as r:
            row.enter(r)
            body(row)

    numbers = dict.fromkeys(("n", "rows", "period", "each"), "int")
    return module_of(name, list(kinds), numbers, chunk)


def kernel(body: Body, e: str, kinds: dict[str, str]) -> Any:
    """The compiled row kernel as a Python function."""
    name = f"rows_{body.__name__}"
    return compiled((name, e, tuple(kinds.items())), lambda: build(name, e, kinds, body))


def columns(e: str, vectors: int) -> int:
    """Columns that `column_kernel` computes together."""
    return vectors * jit.target().lanes // (2 if e == F64 else 1)


def column_kernel(body: Body, e: str, kinds: dict[str, str], vectors: int) -> Any:
    """The same body over columns: a function of its operands, n, inner, blocks, count (all blocks
    of columns), blocks of a chunk, chunks."""
    name = f"columns_{body.__name__}"

    def chunk(f: Function, words: Words, index: Value) -> None:
        column = Column(f, e, kinds, words, vectors)
        with f.range(*part(f, index, words["each"], words["count"])) as block:
            column.at(block, body)

    def build() -> Module:
        numbers = dict.fromkeys(("n", "inner", "blocks", "count", "each"), "int")
        return module_of(name, list(kinds), numbers, chunk)

    return compiled((name, e, tuple(kinds.items()), vectors), build)


def compiled(key: tuple[Any, ...], build: Callable[[], Module]) -> Any:
    """The Python function of a module that shares its work; `key` is all it depends on."""
    imports = {**builtin.symbols(), **threads.run_symbol()}
    found = jit.load((*key, jit.target().lanes), build, ["call"], imports)
    return builtin.function(found["call"], key[0])
