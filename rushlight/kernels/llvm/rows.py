"""Kernels over rows: sums and maxima of a row, and what is made of them, while it is in the cache.

A body is written once for one row, as loops over its vectors:

    def softmax(r):
        top = r.reduce("max", lambda i: r.load("x", i))
        ...
        r.each(lambda i: r.store("y", i, ...))

A sum runs in four vectors whose lanes are added in a fixed order at the end; which rows a thread
gets changes nothing. Operands are rows ("row": R x n), one line for all rows ("line": n), a number
for a row ("one": R), a number for each of some kinds of rows in turn ("period": row % period), or
sums over the rows of a chunk ("partial": chunks x n).

Not here: when these are used and how results are combined (`kernels/rows.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import jit, native, threads, vecmath
from .ir import F64, I32, I64, PTR, Function, Module, Value, lanes, vector
from .lower import maximum

ELEMENTS = 8192  # a chunk has so many elements, or one row
Body = Callable[["Row"], None]


def rows_in_chunk(n: int) -> int:
    return max(1, ELEMENTS // max(1, n))


class Row:
    """One row of all operands while its kernel is written."""

    def __init__(self, f: Function, e: str, kinds: dict[str, str], words: Any) -> None:
        self.f, self.e, self.kinds = f, e, kinds
        self.w = jit.target().lanes // (2 if e == F64 else 1)
        self.words = words
        self.n = words["n"]
        self.first = True  # of the chunk: a value, set by the loop
        self.mask: Value | None = None
        self.places: dict[str, Any] = {}

    def enter(self, row: Value, chunk: Value, first: Value) -> None:
        """Point at the operands of a row."""
        self.row, self.first = row, first  # type: ignore[assignment]
        for name, kind in self.kinds.items():
            if kind in ("row", "line", "one", "period", "partial"):
                base = self.words[name].of(self.e)
                self.places[name] = {
                    "row": lambda b: b.at(row * self.n),
                    "line": lambda b: b,
                    "one": lambda b: b.at(row),
                    "period": lambda b: b.at(row % self.words["period"]),
                    "partial": lambda b: b.at(chunk * self.n),
                }[kind](base)

    def load(self, name: str, i: Value) -> Value:
        """A vector of a row or line; with what the mask leaves out as 0."""
        place = self.places[name]
        if self.mask is None:
            return place.load(i, self.w)
        return place.load_masked(i, self.mask)

    def store(self, name: str, i: Value, v: Value) -> None:
        if self.mask is None:
            self.places[name].store(v, i)
        else:
            self.places[name].store_masked(v, i, self.mask)

    def accumulate(self, name: str, i: Value, v: Value) -> None:
        """Add to the chunk's sums over rows."""
        old = self.load(name, i)
        zero = self.f.const(v.type, 0)
        self.store(name, i, self.f.select(self.first, zero, old) + v)  # type: ignore[arg-type]

    def one(self, name: str) -> Value:
        """A row's number."""
        return self.places[name][0]

    def set_one(self, name: str, v: Value) -> None:
        self.places[name][0] = v

    def has(self, name: str) -> bool:
        return name in self.kinds

    def number(self, value: float) -> Value:
        return self.f.const(self.e, value)

    def _tail(self, start: Value, write: Callable[[Value], None]) -> None:
        f = self.f
        with f.when(start < self.n):
            left = f.convert(self.n - start, I32)
            self.mask = f.iota(vector(I32, self.w)) < left
            write(start)
            self.mask = None

    def each(self, write: Callable[[Value], None]) -> None:
        """`write` for every vector of the row."""
        whole = self.n - self.n % self.w
        with self.f.range(0, whole, self.w) as i:
            write(i)
        self._tail(whole, write)

    def reduce(self, how: str, value: Callable[[Value], Value]) -> Value:
        """The sum ("add") or maximum ("max") of `value` over the row."""
        f, w = self.f, self.w
        neutral = f.const(vector(self.e, w), 0.0 if how == "add" else float("-inf"))

        def combine(a: Value, b: Value) -> Value:
            return a + b if how == "add" else maximum(f, a, b)

        sums = [f.var(neutral) for _ in range(4)]
        fours = self.n - self.n % (4 * w)
        with f.range(0, fours, 4 * w) as i:
            for k in range(4):
                sums[k].set(combine(sums[k].get(), value(i + k * w)))
        whole = self.n - self.n % w
        with f.range(fours, whole, w) as i:
            sums[0].set(combine(sums[0].get(), value(i)))

        def last(i: Value) -> None:
            assert self.mask is not None
            kept = f.select(self.mask, value(i), neutral)
            sums[1].set(combine(sums[1].get(), kept))

        self._tail(whole, last)
        a, b, c, d = (s.get() for s in sums)
        total = combine(combine(a, b), combine(c, d))
        while lanes(total.type) > 1:
            half = lanes(total.type) // 2
            low = f.shuffle(total, None, list(range(half)))
            high = f.shuffle(total, None, list(range(half, 2 * half)))
            if half == 1:
                low, high = f.lane(total, 0), f.lane(total, 1)
            total = combine(low, high)
        return total

    def wide(self, v: Value) -> Value:
        """A number in every lane."""
        return self.f.splat(v, self.w)


def build(name: str, e: str, kinds: dict[str, str], body: Body) -> Module:
    """The module of a row kernel: called with its operands, n, rows, period, rows a chunk."""
    module = Module(name)
    threads.declare_run(module)
    fields = [*kinds, "n", "rows", "period", "each"]
    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    context = c.args["context"].of(PTR)
    words: dict[str, Any] = {}
    for i, field in enumerate(fields):
        place = context.at(i)
        words[field] = place[0] if field in kinds else place.of(I64)[0]
    for field, kind in kinds.items():
        if kind == "number":
            words[field] = context.at(fields.index(field)).of(F64)[0]
    index = c.args["index"]
    start = index * words["each"]
    stop = c.select(start + words["each"] < words["rows"], start + words["each"], words["rows"])
    row = Row(c, e, kinds, words)
    with c.range(start, stop) as r:
        row.enter(r, index, r == start)
        body(row)
    c.ret()

    args = [(k, F64 if kind == "number" else PTR) for k, kind in kinds.items()]
    f = module.function("run", None, [*args, *((k, I64) for k in fields[len(kinds) :])])
    packed = f.buffer(I64, len(fields))
    for i, field in enumerate(fields):
        value = f.args[field]
        if value.type == PTR:
            value = f.emit(I64, f"ptrtoint ptr {value.text} to i64")
        elif value.type == F64:
            value = f.bits(value, I64)
        packed[i] = value
    each = f.args["each"]
    chunks = (f.args["rows"] + (each - 1)) // each
    f.call("pool_run", None, [Value(f, PTR, "@chunk"), packed, chunks])
    f.ret()
    python = ["float" if kind == "number" else "array" for kind in kinds.values()]
    native.entry(module, "call", "run", [*python, "int", "int", "int", "int"])
    return module


# -- bodies --------------------------------------------------------------------------------------


def softmax(r: Row) -> None:
    """exp(x - max x) / sum exp(x - max x)."""
    f = r.f
    top = r.wide(r.reduce("max", lambda i: r.load("x", i)))
    r.each(lambda i: r.store("y", i, vecmath.exp(f, r.load("x", i) - top)))
    total = r.wide(r.reduce("add", lambda i: r.load("y", i)))
    r.each(lambda i: r.store("y", i, r.load("y", i) / total))


def log_softmax(r: Row) -> None:
    """x - max x - log sum exp(x - max x)."""
    f = r.f
    top = r.wide(r.reduce("max", lambda i: r.load("x", i)))
    total = r.reduce("add", lambda i: vecmath.exp(f, r.load("x", i) - top))
    less = r.wide(vecmath.log(f, total))
    r.each(lambda i: r.store("y", i, (r.load("x", i) - top) - less))


def softmax_grad(r: Row) -> None:
    """g y - y sum(g y)."""
    total = r.wide(r.reduce("add", lambda i: r.load("g", i) * r.load("y", i)))

    def write(i: Value) -> None:
        y = r.load("y", i)
        r.store("dx", i, r.load("g", i) * y - y * total)

    r.each(write)


def log_softmax_grad(r: Row) -> None:
    """g - exp(y) sum(g)."""
    total = r.wide(r.reduce("add", lambda i: r.load("g", i)))

    def write(i: Value) -> None:
        r.store("dx", i, r.load("g", i) - vecmath.exp(r.f, r.load("y", i)) * total)

    r.each(write)


def sums(r: Row) -> None:
    """The sum of each row."""
    r.set_one("sum", r.reduce("add", lambda i: r.load("x", i)))


def squares(r: Row) -> None:
    """The sum of the squared distances of each row from a number."""
    mean = r.wide(r.one("mean"))

    def apart(i: Value) -> Value:
        d = r.load("x", i) - mean
        return d * d

    r.set_one("sum", r.reduce("add", apart))


def standardize(r: Row) -> None:
    """(x - mean) * rstd * w + b, moments for each row, w and b for each column."""
    mean, rstd = r.wide(r.one("mean")), r.wide(r.one("rstd"))

    def write(i: Value) -> None:
        y = (r.load("x", i) - mean) * rstd
        if r.has("w"):
            y = y * r.load("w", i)
        if r.has("b"):
            y = y + r.load("b", i)
        r.store("y", i, y)

    r.each(write)


def standardize_grad(r: Row) -> None:
    """rstd * (h - mean(h) - xh * mean(h * xh)) with h = g * w, and the sums for w and b."""
    f = r.f
    mean, rstd = r.wide(r.one("mean")), r.wide(r.one("rstd"))

    def scaled(i: Value) -> Value:
        g = r.load("g", i)
        return g * r.load("w", i) if r.has("w") else g

    def centred(i: Value) -> Value:
        return (r.load("x", i) - mean) * rstd

    if r.has("dx"):
        count = f.convert(r.n, r.e)
        along = r.wide(r.reduce("add", lambda i: scaled(i) * centred(i)) / count)
        level = r.wide(r.reduce("add", scaled) / count)

        def write(i: Value) -> None:
            r.store("dx", i, (scaled(i) - centred(i) * along - level) * rstd)

        r.each(write)
    if r.has("dw"):
        r.each(lambda i: r.accumulate("dw", i, r.load("g", i) * centred(i)))
    if r.has("db"):
        r.each(lambda i: r.accumulate("db", i, r.load("g", i)))


def scale_shift(r: Row) -> None:
    """x * scale + shift, a pair of numbers for each kind of row."""
    scale, shift = r.wide(r.one("scale")), r.wide(r.one("shift"))
    r.each(lambda i: r.store("y", i, r.load("x", i) * scale + shift))


def products(r: Row) -> None:
    """The sums of g and of g * (x - mean) * rstd of each row."""
    mean, rstd = r.wide(r.one("mean")), r.wide(r.one("rstd"))
    r.set_one("db", r.reduce("add", lambda i: r.load("g", i)))
    r.set_one("dw", r.reduce("add", lambda i: r.load("g", i) * ((r.load("x", i) - mean) * rstd)))


def channels_grad(r: Row) -> None:
    """((g - xh * along) - level) * scale with xh = (x - mean) * rstd."""
    names = ("mean", "rstd", "along", "level", "scale")
    mean, rstd, along, level, scale = (r.wide(r.one(n)) for n in names)

    def write(i: Value) -> None:
        xh = (r.load("x", i) - mean) * rstd
        r.store("dx", i, (r.load("g", i) - xh * along - level) * scale)

    r.each(write)


def kernel(body: Body, e: str, kinds: dict[str, str]) -> Any:
    """The compiled row kernel as a Python function."""
    name = f"rows_{body.__name__}"
    imports = {**native.symbols(), **threads.run_symbol()}
    key = (name, e, tuple(kinds.items()), jit.target().lanes)
    found = jit.load(key, lambda: build(name, e, kinds, body), ["call"], imports)
    return native.function(found["call"], name)
