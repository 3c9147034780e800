"""Kernels of running results: sums, products, extremes, and the places of extremes.

`along` an axis of neighbours in memory: in a vector the running results take log2(lanes) steps
(each lane joins what lies 1, 2, 4, … lanes before), and one number carries over to the next vector.
A long line is cut into segments: first what each gives alone, then, with what comes before it, its
running results. `across`: lanes are lines of their own, one row after the other.

float32 is added and multiplied in float64. Not here: when these are used (`select.py`).
"""

from __future__ import annotations

import functools
from typing import Any

from ..codegen import vecmath
from ..codegen.interface import Interface, Kernel
from ..codegen.ir import (
    F32,
    F64,
    FLOATS,
    I32,
    I64,
    PTR,
    Function,
    Module,
    Value,
    element,
    lanes,
    vector,
)
from ..codegen.lower import maximum, minimum
from ..reduce.reduction import LOWEST, least, mask_of
from ..runtime import jit, threads
from .select import COLUMNS


class Scan:
    """How running results come to be.

    Args:
        how: "add", "mul", "max", "min" or "logadd".
        e: element of the array and of the result.
        places: whether the last place of the extreme is wanted too.
        back: from the end to the start.
    """

    def __init__(self, how: str, e: str, places: bool, back: bool) -> None:
        self.how, self.e, self.places, self.back = how, e, places, back
        self.kept = F64 if how in ("add", "mul", "logadd") and e == F32 else e
        self.w = jit.target().lanes // (1 if e == F32 else 2)
        self.split = 2 if self.kept != e else 1
        self.where = I32 if e == F32 else I64

    @property
    def start(self) -> float:
        if self.how in ("add", "mul"):
            return 0 if self.how == "add" else 1
        if self.how == "logadd":
            return float("-inf")
        if self.e in FLOATS:
            return float("-inf") if self.how == "max" else float("inf")
        return LOWEST[self.e] if self.how == "max" else -1 - LOWEST[self.e]

    def join(self, f: Function, a: Value, b: Value) -> Value:
        if self.how in ("add", "mul"):
            return a + b if self.how == "add" else a * b
        if self.how == "logadd":
            return log_of_sum(f, a, b)
        if self.e in FLOATS:
            return maximum(f, a, b) if self.how == "max" else minimum(f, a, b)
        return f.select(a > b if self.how == "max" else a < b, a, b)

    def halves(self, f: Function, v: Value) -> list[Value]:
        """A vector in the type that is kept."""
        w = lanes(v.type) // self.split
        if self.split == 1:
            return [v]
        cut = [f.shuffle(v, None, list(range(k * w, (k + 1) * w))) for k in range(self.split)]
        return [f.convert(h, self.kept) if element(v.type) == self.e else h for h in cut]


def log_of_sum(f: Function, a: Value, b: Value) -> Value:
    """log(exp(a) + exp(b)); infinite where both are the same infinity."""
    more = vecmath.log1p(f, vecmath.exp(f, -f.fabs(a - b)))
    infinite = (a == b) & (f.fabs(a) == float("inf"))
    return f.select(infinite, a, maximum(f, a, b) + more)


def larger(f: Function, a: Value, b: Value) -> Value:
    return f.select(a > b, a, b)


def running(f: Function, v: Value, join: Any, start: Value) -> Value:
    """The running results of the lanes of a vector."""
    w, step = lanes(v.type), 1
    while step < w:
        order = [i if i < step else w + i - step for i in range(w)]
        v = join(f, f.shuffle(start, v, order), v)
        step *= 2
    return v


def whole_of(f: Function, v: Value, join: Any) -> Value:
    """All lanes as one."""
    while lanes(v.type) > 1:
        half = lanes(v.type) // 2
        low, high = (f.shuffle(v, None, list(range(s, s + half))) for s in (0, half))
        if half == 1:
            low, high = f.lane(v, 0), f.lane(v, 1)
        v = join(f, low, high)
    return v


class Line:
    """One line, read and written in the order of the scan."""

    def __init__(self, f: Function, scan: Scan, word: dict[str, Any], row: Value) -> None:
        self.f, self.scan, self.n = f, scan, word["n"]
        self.x = word["x"].of(scan.e).at(row * self.n)
        self.y = word["y"].of(scan.e).at(row * self.n)
        self.at = word["at"].of(I64).at(row * self.n)
        self.start = f.const(vector(scan.e, scan.w), scan.start)

    def each(self, left: Value, right: Value, write: Any) -> None:
        """`write(i, v, mask)` for the vectors from left to right; masked lanes hold the start."""
        f, w = self.f, self.scan.w
        whole = right - (right - left) % w
        with f.range(left, whole, w) as i:
            write(i, self.turned(self.x.load(self.place(i), w)), None)
        with f.when(whole < right):
            mask = mask_of(f, w, right - whole)
            first = self.n - right if self.scan.back else whole
            v = f.select(mask, self.x.load_masked(first, mask), self.start)
            write(whole, self.turned(v), mask)

    def place(self, i: Value) -> Value:
        return self.n - i - self.scan.w if self.scan.back else i

    def turned(self, v: Value) -> Value:
        w = lanes(v.type)
        return self.f.shuffle(v, None, list(range(w - 1, -1, -1))) if self.scan.back else v

    def write(self, i: Value, parts: list[Value], mask: Value | None, right: Value) -> None:
        """Running results to memory."""
        f, scan = self.f, self.scan
        if scan.back:
            parts = [self.turned(p) for p in reversed(parts)]
        first = self.place(i) if mask is None or not scan.back else self.n - right
        store_parts(f, scan, self.y, first, parts, mask)


def store_parts(f: Function, scan: Scan, place: Any, i: Value, parts: list[Value],
                mask: Value | None) -> None:  # fmt: skip
    """The vectors of one, side by side, in the array's type."""
    each = lanes(parts[0].type)
    for k, p in enumerate(parts):
        v = p if place.element == I64 and element(p.type) == I64 else f.convert(p, place.element)
        if mask is None:
            place.store(v, i + k * each)
        else:
            few = list(range(k * each, (k + 1) * each))
            own = f.shuffle(mask, None, few) if len(parts) > 1 else mask
            place.store_masked(v, i + k * each, own)


def write_totals(c: Function, scan: Scan, word: dict[str, Any]) -> None:
    """What one segment gives alone."""
    index = c.args["index"]
    left = index % word["parts"] * word["segment"]
    right = least(c, left + word["segment"], word["n"])
    line = Line(c, scan, word, index // word["parts"])
    w = scan.w // scan.split
    sums = [c.var(c.const(vector(scan.kept, w), scan.start)) for _ in range(scan.split)]

    def add(_i: Value, v: Value, _mask: Value | None) -> None:
        for s, h in zip(sums, scan.halves(c, v), strict=True):
            s.set(scan.join(c, s.get(), h))

    line.each(left, right, add)
    total = sums[0].get()
    for s in sums[1:]:
        total = scan.join(c, total, s.get())
    total = whole_of(c, total, scan.join)
    word["part"].of(scan.kept)[index] = total
    if scan.places:
        last = c.var(c.const(vector(scan.where, scan.w), 0))

        def find(i: Value, v: Value, mask: Value | None) -> None:
            hit = (v == total) | (v != v)
            hit = hit if mask is None else hit & mask
            at = c.iota(vector(scan.where, scan.w)) + c.convert(i, scan.where)
            last.set(c.select(hit, at, last.get()))

        line.each(left, right, find)
        word["partat"].of(I64)[index] = c.convert(whole_of(c, last.get(), larger), I64)


def join_totals(f: Function, scan: Scan, word: dict[str, Any]) -> None:
    """What comes before each segment, in place of what it gives."""
    part, partat = word["part"].of(scan.kept), word["partat"].of(I64)
    with f.range(word["rows"]) as row:
        before, at = f.var(f.const(scan.kept, scan.start)), f.var(0)
        with f.range(word["parts"]) as p:
            k = row * word["parts"] + p
            own, old = part[k], before.get()
            part[k] = old
            before.set(scan.join(f, old, own))
            if scan.places:
                newer = (own >= old if scan.how == "max" else own <= old) | (own != own)
                where = partat[k]
                partat[k] = at.get()
                at.set(f.select(newer, where, at.get()))


def write_along(c: Function, scan: Scan, word: dict[str, Any]) -> None:
    """The running results of a segment of a line, or of some lines."""
    index, parts = c.args["index"], word["parts"]
    left = index % parts * word["segment"]
    right = least(c, left + word["segment"], word["n"])
    first = index // parts * word["each"]
    w = scan.w // scan.split
    start = c.const(vector(scan.kept, w), scan.start)
    nowhere = c.const(vector(scan.where, scan.w), 0)
    with c.range(first, least(c, first + word["each"], word["rows"])) as row:
        line = Line(c, scan, word, row)
        carry, at = c.var(c.const(scan.kept, scan.start)), c.var(c.const(scan.where, 0))
        with c.when(parts > 1):
            carry.set(word["part"].of(scan.kept)[index])
            if scan.places:
                at.set(c.convert(word["partat"].of(I64)[index], scan.where))

        def step(i: Value, v: Value, mask: Value | None, line: Line = line, carry: Any = carry,
                 at: Any = at) -> None:  # fmt: skip
            done = []
            for h in scan.halves(c, v):
                own = running(c, h, scan.join, start)
                before = carry.get()
                done.append(scan.join(c, c.splat(before, w), own))
                carry.set(scan.join(c, before, c.lane(own, w - 1)))
            line.write(i, done, mask, right)
            if scan.places:
                hit = (v == done[0]) | (v != v)
                hit = hit if mask is None else hit & mask
                here = c.iota(vector(scan.where, scan.w)) + c.convert(i, scan.where)
                places = running(c, c.select(hit, here, nowhere), larger, nowhere)
                places = larger(c, places, c.splat(at.get(), scan.w))
                at.set(c.lane(places, scan.w - 1))
                store_parts(c, scan, line.at, i, [places], mask)

        line.each(left, right, step)


def write_across(c: Function, scan: Scan, word: dict[str, Any]) -> None:
    """The running results of some columns of one matrix of a stack; `segment` rows, n columns."""
    index, n, rows, w = c.args["index"], word["n"], word["segment"], scan.w
    tiles = word["parts"]
    left = index % tiles * COLUMNS
    count = least(c, c.const(I64, COLUMNS), n - left)
    base = index // tiles * rows * n + left
    x, y = word["x"].of(scan.e).at(base), word["y"].of(scan.e).at(base)
    at = word["at"].of(I64).at(base)
    sums, places = c.buffer(scan.kept, COLUMNS + w), c.buffer(scan.where, COLUMNS + w)
    each = w // scan.split
    with c.range(0, count, w) as i:
        for k in range(scan.split):
            sums.store(c.const(vector(scan.kept, each), scan.start), i + k * each)
        places.store(c.const(vector(scan.where, w), 0), i)
    with c.range(0, rows) as k:
        r = rows - 1 - k if scan.back else k
        here = r * n

        def step(i: Value, mask: Value | None, here: Value = here, r: Value = r) -> None:
            v = x.load(here + i, w) if mask is None else x.load_masked(here + i, mask)
            done = []
            for k, h in enumerate(scan.halves(c, v)):
                done.append(scan.join(c, sums.load(i + k * each, each), h))
                sums.store(done[-1], i + k * each)
            store_parts(c, scan, y, here + i, done, mask)
            if scan.places:
                hit = (v == done[0]) | (v != v)
                now = c.select(hit, c.splat(c.convert(r, scan.where), w), places.load(i, w))
                places.store(now, i)
                store_parts(c, scan, at, here + i, [now], mask)

        whole = count - count % w
        with c.range(0, whole, w) as i:
            step(i, None)
        with c.when(whole < count):
            step(whole, mask_of(c, w, count - whole))


def chunk(module: Module, name: str, interface: Interface, scan: Scan, write: Any) -> None:
    """A function that does one piece of the work."""
    c = module.function(name, None, [("context", PTR), ("index", I64)], private=True)
    write(c, scan, interface.words(c.args["context"]))
    c.ret()


def interface_of(direction: str, how: str, e: str) -> Interface:
    """What a scan is called with."""
    along = direction == "along"
    arrays = {
        "x": f"the array, {e} elements, dense", "y": "the running results, dense",
        "at?": "places of extremes, int64, dense", "part?": "results of segments, float64",
        "partat?": "places of segments, int64",
    }  # fmt: skip
    ints = {
        "rows": "lines", "n": "elements of a line", "segment": "elements of a segment",
        "parts": "segments of a line", "each": "lines of a chunk",
        "chunks": "chunks that threads share",
    } if along else {
        "rows": "matrices", "n": "columns of a matrix", "segment": "rows of a matrix",
        "parts": "blocks of columns of a matrix", "each": "1",
        "chunks": "chunks that threads share",
    }  # fmt: skip
    name = f"scan_{direction}_{how}"
    summary = f"y = running {how} of x {'along lines' if along else 'down columns'}"
    return Interface(name, summary, arrays, ints)


def build(interface: Interface, direction: str, scan: Scan) -> Module:
    """The module of a scan."""
    module = Module(interface.name)
    threads.declare_run(module)
    along = direction == "along"
    chunk(module, "chunk", interface, scan, write_along if along else write_across)
    if along:
        chunk(module, "total", interface, scan, write_totals)
    f = interface.begin_run(module)
    packed = interface.pack(f)
    if along:
        with f.when(f.args["parts"] > 1):
            f.call("pool_run", None, [Value(f, PTR, "@total"), packed, f.args["chunks"]])
            join_totals(f, scan, f.args)
    f.call("pool_run", None, [Value(f, PTR, "@chunk"), packed, f.args["chunks"]])
    f.ret()
    interface.write_invoke(module)
    return module


@functools.cache
def kernel(direction: str, how: str, e: str, places: bool, back: bool) -> Kernel:
    """The kernel of a scan; `places`: with the last places of extremes, `back`: from the end."""
    interface = interface_of(direction, how, e)

    def write() -> Module:
        return build(interface, direction, Scan(how, e, places, back))

    return Kernel(interface, (e, places, back), write)
