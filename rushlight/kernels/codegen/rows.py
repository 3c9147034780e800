"""Kernels over rows: sums and maxima of a row, and what is made of them, while it is in the cache.

A body is written once for one row, as loops over its vectors:

    @row_body({"x": "row: scores", "y": "row: the result"})
    def softmax(r):
        top = r.wide(r.reduce("max", lambda i: r.load("x", i)))
        ...
        r.each(lambda i: r.store("y", i, ...))

and read by LLVM here, and by NumPy on whole arrays (`row_body.py`, which also says what the words
of a body mean). A sum runs in four vectors whose lanes are added in a fixed order at the end; which
rows a thread gets changes nothing.

`Vectors` has the loops alone; `Row` reads a body for one row, `Column` for some columns of an
earlier dimension at a time, `Together` for two rows whose sums over all rows are gathered.

Not here: bodies (`softmax/softmax.py`, `loss/cross_entropy.py`, `norm/layer_norm.py`, ...), the
kernels around them (`row_kernels.py`), and when these are used (`kernels/rows.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..runtime import jit
from . import half as half_precision
from . import vecmath
from .ir import (
    BF16,
    BYTES,
    F16,
    F64,
    I32,
    I64,
    Function,
    Pointer,
    Value,
    Variable,
    lanes,
    mangled,
    vector,
)
from .lower import maximum

Term = Value | tuple[Value, Value]  # what is added up: a value, or the product of two
BY_ROW = ("one", "ones", "index")
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

    def ahead(self, place: Pointer, i: Value, distance: Value, level: int = 1) -> None:
        """Bring what lies some elements further on into the cache while this is computed."""
        self.f.prefetch(place.at(i + distance), level=level)

    def wide(self, v: Value) -> Value:
        """A number in every lane."""
        return self.f.splat(v, self.w)

    def number(self, value: float) -> Value:
        """A constant."""
        return self.f.const(self.c, value)

    def exp(self, x: Value) -> Value:
        return vecmath.exp(self.f, x)

    def exp_below_zero(self, x: Value) -> Value:
        """exp of what is not above 0."""
        return vecmath.exp_below_zero(self.f, x)

    def log(self, x: Value) -> Value:
        return vecmath.log(self.f, x)

    def sqrt(self, x: Value) -> Value:
        return self.f.sqrt(x)

    def fabs(self, x: Value) -> Value:
        return self.f.fabs(x)

    def fma(self, a: Value, b: Value, c: Value) -> Value:
        """a * b + c, rounded once."""
        return self.f.fma(a, b, c)

    def select(self, condition: Value, a: Any, b: Any) -> Value:
        return self.f.select(condition, a, b)

    def divider(self, by: Value) -> Callable[[Value], Value]:
        """What divides by a number: a product with its inverse, for divisions of vectors take
        long."""
        inverse = self.wide(self.number(1.0) / by)
        return lambda v: v * inverse

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

    only: int | None = None  # of several rows the one whose sum is being written (`Together`)

    def __init__(self, f: Function, e: str, kinds: dict[str, str], words: Any) -> None:
        super().__init__(f, words["n"], half_precision.computed(e))
        self.e, self.kinds, self.words = e, kinds, words
        self.narrow = e in (F16, BF16)
        self.places: dict[str, Any] = {}

    def enter(self, row: Value) -> None:
        """Point at the operands of a row."""
        self.row = row
        for name, kind in self.kinds.items():
            if kind == "row":
                self.places[name] = self.words[name].of(self.e).at(row * self.n)
            elif kind in ("line", "one", "ones", "number", "index", "period"):
                base = self.words[name].of(I64 if kind == "index" else self.c)
                self.places[name] = {
                    "line": lambda b: b,
                    "one": lambda b: b.at(row),
                    "ones": lambda b: b.at(row),
                    "number": lambda b: b,
                    "index": lambda b: b.at(row),
                    "period": lambda b: b.at(row % self.words["period"]),
                }[kind](base)

    def mean(self, value: Callable[[Value], Term]) -> Value:
        """The sum of `value` over a row, divided by how many elements it has."""
        return self.reduce("add", value) / self.count

    @property
    def count(self) -> Value:
        """How many elements a row has, as a number of the type that is computed in."""
        return self.f.convert(self.n, self.c)

    def parameter(self, name: str) -> Value:
        """A number that the kernel is called with."""
        word = self.words[name]
        return word if word.type == self.c else self.f.convert(word, self.c)

    def whole(self, name: str) -> Value:
        """A whole number that the kernel is called with."""
        return self.words[name]  # type: ignore[no-any-return]

    def load(self, name: str, i: Value) -> Value:
        """A vector of a row or line; with what the mask leaves out as 0."""
        return self.get(self.places[name], i)

    def store(self, name: str, i: Value, v: Value) -> None:
        self.put(self.places[name], i, v)

    def next(self, name: str, i: Value) -> None:
        """Bring the next row's vector into the cache while this row is computed."""
        self.ahead(self.places[name], i, self.n)

    def far(self, k: int) -> Any:
        """How far the k-th of several numbers of a row is from its first."""
        return self.words["numbers"] * k if k else 0

    def one(self, name: str, k: int = 0) -> Value:
        """A row's number; the k-th of several."""
        return self.places[name][self.far(k)]

    def set_one(self, name: str, v: Value, k: int = 0) -> None:
        self.places[name][self.far(k)] = v

    def index(self, name: str) -> Value:
        """A row's whole number."""
        return self.places[name][0]

    def pick(self, name: str, at: Value) -> Value:
        """The element of a row or line at a whole number, for each row."""
        return half_precision.load(self.f, self.places[name], at, 1, None)

    def put_at(self, name: str, at: Value, v: Value) -> None:
        """Write a row's element at a whole number."""
        half_precision.store(self.f, self.places[name], at, v, None)

    def has(self, name: str) -> bool:
        return name in self.kinds


# Elements that are added up before their sum is added to others, and those before the others'.
LONG_BLOCKS = (1 << 21, 1 << 14)


class LongRow(Row):
    """A row whose sums are of blocks of blocks: of millions of elements, a sum in one piece loses
    digits."""

    def totals(self, count: int, values: Values, how: str = "add") -> list[Value]:
        return self.in_blocks(LONG_BLOCKS, count, values, how)

    def in_blocks(
        self, blocks: tuple[int, ...], count: int, values: Values, how: str
    ) -> list[Value]:
        if not blocks:
            return super().totals(count, values, how)
        f, n, block = self.f, self.n, blocks[0]
        first = f.const(self.c, 0.0 if how == "add" else float("-inf"))
        sums = [f.var(first) for _ in range(count)]
        with f.range(0, n, block) as start:
            self.n = f.select(start + block < n, f.const(I64, block), n - start)
            parts = self.in_blocks(blocks[1:], count, lambda i: values(start + i), how)
            for place, part in zip(sums, parts, strict=True):
                place.set(self.combine(how, place.get(), part))
            self.n = n
        return [place.get() for place in sums]


class Column(Row):
    """Some columns of (outer, n, inner), vectors of them: what is a number in `Row` is a vector.

    Operands are "row", here (outer, n, inner), "one", (outer, inner), "ones", (k, outer, inner),
    "index", (outer, inner), "line", (n), and "number", ().
    """

    def __init__(
        self, f: Function, e: str, kinds: dict[str, str], words: Any, vectors: int
    ) -> None:
        super().__init__(f, e, kinds, words)
        self.w *= vectors

    def at(self, block: Value, body: Callable[[Any], None]) -> None:
        """Run the body on a block of columns."""
        f, inner, words = self.f, self.words["inner"], self.words
        self.column = block % words["blocks"] * self.w
        outer = block // words["blocks"] * inner
        for name, kind in self.kinds.items():
            if kind == "row":
                place = words[name].of(self.e).at(outer * self.n + self.column)
            else:
                place = words[name].of(I64 if kind == "index" else self.c)
                place = place.at(outer + self.column) if kind in BY_ROW else place
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

    def one(self, name: str, k: int = 0) -> Value:
        if self.kinds[name] == "number":
            return self.f.splat(self.places[name][0], self.w)
        at = self.far(k)
        return self.get(self.places[name], self.f.const(I64, 0) if k == 0 else at)

    def set_one(self, name: str, v: Value, k: int = 0) -> None:
        at = self.far(k)
        self.put(self.places[name], self.f.const(I64, 0) if k == 0 else at, v)

    def index(self, name: str) -> Value:
        place = self.places[name]
        return place.load(0, self.w) if self.mask is None else place.load_masked(0, self.mask)

    def spots(self, name: str, at: Value) -> tuple[Value, Value]:
        """Pointers to the elements of each column at its whole number, and which are there."""
        f, many = self.f, f"<{self.w} x ptr>"
        if self.kinds[name] == "row":
            at = at * f.splat(self.words["inner"], self.w) + f.iota(vector(I64, self.w))
        place = self.places[name]
        text = f"getelementptr {place.element}, ptr {place.text}, {at.type} {at.text}"
        there = self.mask if self.mask is not None else f.const(vector("i1", self.w), True)
        return f.emit(many, text), there

    def pick(self, name: str, at: Value) -> Value:
        f, e = self.f, self.places[name].element
        held = half_precision.held_as(e)
        t, (pointers, there) = vector(held, self.w), self.spots(name, at)
        v = f.intrinsic(
            f"llvm.masked.gather.{mangled(t)}.v{self.w}p0", t,
            [pointers, f.const(I32, BYTES[held]), there, f.const(t, 0)],
        )  # fmt: skip
        return half_precision.widened(f, v, e)

    def put_at(self, name: str, at: Value, v: Value) -> None:
        f, e = self.f, self.places[name].element
        held = half_precision.held_as(e)
        t, (pointers, there) = vector(held, self.w), self.spots(name, at)
        v = half_precision.narrowed(f, v, e)
        f.intrinsic(
            f"llvm.masked.scatter.{mangled(t)}.v{self.w}p0", None,
            [v, pointers, f.const(I32, BYTES[held]), there],
        )  # fmt: skip

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


class Several:
    """A value of each of some rows that are computed together."""

    def __init__(self, parts: Sequence[Value]) -> None:
        self.parts = list(parts)


def each_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of values that takes `Several` too."""

    def called(*values: Any) -> Any:
        many = [v for v in values if isinstance(v, Several)]
        if not many:
            return function(*values)
        count = len(many[0].parts)
        return Several([function(*(part_of(v, k) for v in values)) for k in range(count)])

    return called


def part_of(v: Any, k: int) -> Any:
    """The value of the k-th row."""
    return v.parts[k] if isinstance(v, Several) else v


SIGNS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b, "radd": lambda a, b: b + a, "sub": lambda a, b: a - b,
    "rsub": lambda a, b: b - a, "mul": lambda a, b: a * b, "rmul": lambda a, b: b * a,
    "truediv": lambda a, b: a / b, "rtruediv": lambda a, b: b / a, "neg": lambda a: -a,
}  # fmt: skip
for _sign, _function in SIGNS.items():
    setattr(Several, f"__{_sign}__", each_of(_function))


class Together(Row):
    """Some rows at a time: what one waits for, the end of a sum, others compute over; and sums over
    all rows are added up in registers before they are kept.

    Operands of the kind "sum" have a line for each chunk. What is a number in `Row` is `Several`;
    sums over rows are added in the order of the rows, so that the bits are those of one row at
    a time.
    """

    def begin(self, index: Value) -> None:
        """Point at the sums of a chunk, and make them 0."""
        zero = self.neutral("add")
        for name, kind in self.kinds.items():
            if kind == "sum":
                place = self.words[name].of(self.c).at(index * self.n)
                self.places[name] = place
                self.each(lambda i, place=place: self.put(place, i, zero))  # type: ignore[misc]

    def enter_all(self, rows: list[Value]) -> None:
        """Point at the operands of some rows."""
        kept = {k: p for k, p in self.places.items() if self.kinds[k] == "sum"}
        found = []
        for row in rows:
            self.enter(row)
            found.append(dict(self.places))
        self.count_of_rows = len(rows)
        self.places = {
            k: [one[k] for one in found] if kind in ("row", "one") else found[0][k]
            for k, kind in self.kinds.items()
            if kind != "sum"
        } | kept

    def load(self, name: str, i: Value) -> Any:
        places = self.places[name]
        if isinstance(places, list):
            return Several([self.get(p, i) for p in places])
        return Several([self.get(places, i)] * self.count_of_rows)

    def store(self, name: str, i: Value, v: Any) -> None:
        for k, place in enumerate(self.places[name]):
            self.put(place, i, part_of(v, k))

    def next(self, name: str, i: Value) -> None:
        for place in self.places[name]:
            self.ahead(place, i, self.n * self.count_of_rows)

    def one(self, name: str, k: int = 0) -> Any:
        return Several([p[0] for p in self.places[name]])

    def set_one(self, name: str, v: Any, k: int = 0) -> None:
        for j, place in enumerate(self.places[name]):
            place[0] = part_of(v, j)

    def add_line(self, name: str, i: Value, v: Any, w: Any = None) -> None:
        place = self.places[name]
        total = self.get(place, i)
        for k in range(self.count_of_rows):
            a = part_of(v, k)
            total = total + a if w is None else self.f.fma(a, part_of(w, k), total)
        self.put(place, i, total)

    def totals(self, count: int, values: Any, how: str = "add") -> Any:
        """One row after the other; what `values` computes of the others is never used."""

        def of_row(term: Any, k: int) -> Any:
            if isinstance(term, tuple):
                return tuple([part_of(t, k) for t in term])
            return part_of(term, k)

        found = []
        for k in range(self.count_of_rows):
            self.only = k
            found.append(super().totals(
                count, lambda i, k=k: tuple([of_row(t, k) for t in values(i)]), how  # type: ignore[misc]
            ))  # fmt: skip
        self.only = None
        return [Several(column) for column in zip(*found, strict=True)]

    def wide(self, v: Any) -> Any:
        return each_of(super().wide)(v)

    def sqrt(self, x: Any) -> Any:
        return each_of(self.f.sqrt)(x)

    def fma(self, a: Any, b: Any, c: Any) -> Any:
        return each_of(self.f.fma)(a, b, c)
