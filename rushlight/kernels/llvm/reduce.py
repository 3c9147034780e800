"""Kernels that reduce: sums, sums of squares and of magnitudes, maxima and minima.

Two directions, both in fixed partitions. `along`: neighbouring elements of memory; a row is cut
into segments, each gives one number. `across`: a matrix over its rows; blocks of rows, each gives a
row of numbers. `places` is `across` for an extreme and the row it stands in. What the parts give is
put together by the caller.

float32 is summed in float64, so a sum is right to the last bits whatever its length; float64 in
short runs side by side, whose sums the caller adds pairwise.

Not here: which reduction, and when a kernel is used (`kernels/reduce_native.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import jit, native, threads
from .ir import F32, F64, I32, I64, PTR, Function, Module, Value, lanes, vector
from .lower import maximum, minimum

SEGMENT = {F32: 16384, F64: 1024}  # elements of a row that are summed to one number
BLOCK = 256  # rows that are summed to one
TILE = 8  # vectors of columns side by side
ALONG = ("x", "y", "rows", "n", "segment", "each")
ACROSS = ("x", "y", "rows", "n", "block")
PLACES = ("x", "y", "at", "rows", "n", "block")
POINTERS = {"x", "y", "at"}


class Way:
    """How values become one: what happens to each, where it starts, how two are joined."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.exact = name not in ("max", "min")  # sums, for which float32 is widened
        self.start = {"max": float("-inf"), "min": float("inf")}.get(name, 0.0)

    def made(self, f: Function, v: Value) -> Value:
        return v * v if self.name == "squares" else f.fabs(v) if self.name == "sizes" else v

    def join(self, f: Function, a: Value, b: Value) -> Value:
        if self.exact:
            return a + b
        return maximum(f, a, b) if self.name == "max" else minimum(f, a, b)

    def kept(self, e: str) -> str:
        """The type of what is kept."""
        return F64 if self.exact else e


def width_of(e: str) -> int:
    return jit.target().lanes // (2 if e == F64 else 1)


def parts_of(f: Function, v: Value, way: Way) -> list[Value]:
    """The values of a vector as they are joined: float32 that is summed, as two halves."""
    if not way.exact or v.type.endswith(f"{F64}>") or v.type == F64:
        return [way.made(f, v)]
    w = lanes(v.type)
    halves = [f.shuffle(v, None, list(range(s, s + w // 2))) for s in (0, w // 2)]
    return [way.made(f, f.convert(h, F64)) for h in halves]


def tree(f: Function, way: Way, values: list[Value]) -> Value:
    """All lanes of all values as one number, joined in a fixed order."""
    while len(values) > 1:
        pairs = zip(values[::2], values[1::2], strict=True)
        values = [way.join(f, a, b) for a, b in pairs]
    total = values[0]
    while lanes(total.type) > 1:
        half = lanes(total.type) // 2
        low = f.shuffle(total, None, list(range(half)))
        high = f.shuffle(total, None, list(range(half, 2 * half)))
        if half == 1:
            low, high = f.lane(total, 0), f.lane(total, 1)
        total = way.join(f, low, high)
    return total


def write_along(c: Function, e: str, way: Way, word: dict[str, Any]) -> None:
    """Some rows, or segments of rows, each to one number."""
    w, kept = width_of(e), way.kept(e)
    n, segment, each = word["n"], word["segment"], word["each"]
    across = (n + (segment - 1)) // segment
    cells = word["rows"] * across
    first = c.args["index"] * each
    last = c.select(first + each < cells, first + each, cells)
    loads = 4
    split = 2 if kept != e else 1
    start = c.const(vector(kept, w // split), way.start)
    filler = c.const(vector(e, w), way.start)
    with c.range(first, last) as cell:
        begin = cell % across * segment
        end = c.select(begin + segment < n, begin + segment, n)
        x = word["x"].of(e).at(cell // across * n)
        sums = [c.var(start) for _ in range(loads * split)]

        def take(v: Value, k: int, sums: Any = sums) -> None:
            for place, part in zip(sums[k * split : (k + 1) * split], parts_of(c, v, way),
                                   strict=True):  # fmt: skip
                place.set(way.join(c, place.get(), part))

        fours = end - (end - begin) % (loads * w)
        with c.range(begin, fours, loads * w) as i:
            for k in range(loads):
                take(x.load(i + k * w, w), k)
        whole = end - (end - begin) % w
        with c.range(fours, whole, w) as i:
            take(x.load(i, w), 0)
        with c.when(whole < end):
            mask = c.iota(vector(I32, w)) < c.convert(end - whole, I32)
            take(c.select(mask, x.load_masked(whole, mask), filler), 1)
        word["y"].of(kept)[cell] = tree(c, way, [s.get() for s in sums])


def write_across(c: Function, e: str, way: Way, word: dict[str, Any]) -> None:
    """A tile of columns over a block of rows of one matrix of a stack."""
    w, kept = width_of(e), way.kept(e)
    n, rows, block = word["n"], word["rows"], word["block"]
    split = 2 if kept != e else 1
    start = c.const(vector(kept, w // split), way.start)
    wide = TILE * w
    tiles = (n + (wide - 1)) // wide
    blocks = (rows + (block - 1)) // block
    index = c.args["index"]
    column = index % tiles * wide
    part = index // tiles
    matrix, top = part // blocks, part % blocks * block
    bottom = c.select(top + block < rows, top + block, rows)
    x = word["x"].of(e).at(matrix * rows * n)
    y = word["y"].of(kept).at(part * n)

    def run(at: Value, count: int, mask: Value | None) -> None:
        sums = [c.var(start) for _ in range(count * split)]
        with c.range(top, bottom) as r:
            place = x.at(r * n + at)
            for k in range(count):
                v = place.load(k * w, w) if mask is None else place.load_masked(0, mask)
                for s, p in zip(sums[k * split : (k + 1) * split], parts_of(c, v, way),
                                strict=True):  # fmt: skip
                    s.set(way.join(c, s.get(), p))
        for k, s in enumerate(sums):
            step = w // split
            if mask is None:
                y.store(s.get(), at + k * step)
            else:
                lanes_left = c.iota(vector(I64, step)) + k * step < n - at
                y.store_masked(s.get(), at + k * step, lanes_left)

    with c.when(column + wide <= n) as branch:
        run(column, TILE, None)
    with branch.otherwise():
        whole = n - (n - column) % w
        with c.range(column, whole, w) as i:
            run(i, 1, None)
        with c.when(whole < n):
            run(whole, 1, c.iota(vector(I32, w)) < c.convert(n - whole, I32))


def write_places(c: Function, e: str, way: Way, word: dict[str, Any]) -> None:
    """As `write_across` for an extreme, together with the first row it stands in."""
    w = width_of(e)
    whole_number = I64 if e == F64 else I32
    n, rows, block = word["n"], word["rows"], word["block"]
    blocks = (rows + (block - 1)) // block
    tiles = (n + (w - 1)) // w
    column = c.args["index"] % tiles * w
    part = c.args["index"] // tiles
    matrix, top = part // blocks, part % blocks * block
    bottom = c.select(top + block < rows, top + block, rows)
    x = word["x"].of(e).at(matrix * rows * n + column)
    mask = c.iota(vector(I64, w)) < n - column
    best = c.var(x.at(top * n).load_masked(0, mask))
    at = c.var(c.splat(c.convert(top, whole_number), w))
    with c.range(top + 1, bottom) as r:
        v, b = x.at(r * n).load_masked(0, mask), best.get()
        ahead = v > b if way.name == "max" else v < b
        better = ahead | ((v != v) & (b == b))
        best.set(c.select(better, v, b))
        at.set(c.select(better, c.splat(c.convert(r, whole_number), w), at.get()))
    word["y"].of(e).store_masked(best.get(), part * n + column, mask)
    word["at"].of(whole_number).store_masked(at.get(), part * n + column, mask)


def build(
    name: str, e: str, way: Way, fields: tuple[str, ...], write: Callable[..., None]
) -> Module:
    """The module of a reduction: called with its fields and the number of chunks."""
    module = Module(name)
    threads.declare_run(module)
    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    context = c.args["context"].of(PTR)
    words = context.of(I64)
    write(c, e, way, {k: (context if k in POINTERS else words)[i] for i, k in enumerate(fields)})
    c.ret()
    names = [*fields, "chunks"]
    args = [(k, PTR if k in POINTERS else I64) for k in names]
    f = module.function("run", None, args)
    packed = f.buffer(PTR, len(fields))
    for i, k in enumerate(fields):
        if k in POINTERS:
            packed[i] = f.args[k]
        else:
            packed.of(I64)[i] = f.args[k]
    f.call("pool_run", None, [Value(f, PTR, "@chunk"), packed, f.args["chunks"]])
    f.ret()
    native.entry(module, "call", "run", ["array" if k in POINTERS else "int" for k in names])
    return module


def kernel(direction: str, how: str, e: str) -> Any:
    """A Python function: `along` (x, y, rows, n, segment, each, chunks), `across` (x, y, rows, n,
    block, chunks), `places` (x, y, at, rows, n, block, chunks)."""
    fields, write = {
        "along": (ALONG, write_along),
        "across": (ACROSS, write_across),
        "places": (PLACES, write_places),
    }[direction]
    name = f"reduce_{direction}_{how}"
    imports = {**native.symbols(), **threads.run_symbol()}

    def made() -> Module:
        return build(name, e, Way(how), fields, write)

    found = jit.load((name, e, jit.target().lanes), made, ["call"], imports)
    return native.function(found["call"], name)
