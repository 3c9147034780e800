"""Kernels for tables: rows looked up, and rows added up at their places.

`take` copies rows of a table to where their indices stand. `place` is its transpose: the calling
thread links the rows that belong to each row of the table, in their order; then bands of the table
are written, each of its rows once: zeros, or the sum along its list. So sums have one order however
many threads there are.

Not here: when these are used; indices are known to be in range (`select.py`).
"""

from __future__ import annotations

from typing import Any

from ..codegen.ir import BYTES, F64, I32, I64, Function, Module, Pointer, Value, vector
from ..codegen.rows import compiled, module_of
from ..runtime import jit

OPERANDS = {
    "embedding_take": ("table", "index", "rows"),
    "embedding_place": ("table", "index", "rows", "links"),
}
AHEAD = 3  # so many rows before it is needed a row is fetched


def width_of(e: str) -> int:
    return jit.target().lanes // (2 if e == F64 else 1)


def columns(f: Function, width: Value, w: int, write: Any) -> None:
    """`write(i, mask)` for every vector of a row."""
    whole = width - width % w
    with f.range(0, whole, w) as i:
        write(i, None)
    with f.when(whole < width):
        write(whole, f.iota(vector(I32, w)) < f.convert(width - whole, I32))


def load(place: Any, i: Value, w: int, mask: Value | None) -> Value:
    return place.load(i, w) if mask is None else place.load_masked(i, mask)


def store(place: Any, i: Value, v: Value, mask: Value | None) -> None:
    if mask is None:
        place.store(v, i)
    else:
        place.store_masked(v, i, mask)


def fetch(f: Function, row: Pointer, width: Value) -> None:
    """Bring a row into the cache: the CPU cannot guess which comes next."""
    with f.range(0, width, 64 // BYTES[row.element]) as i:
        hints = [f.const(I32, k) for k in (0, 3, 1)]
        f.intrinsic("llvm.prefetch.p0", None, [row.at(i), *hints])


def write_take(c: Function, e: str, word: dict[str, Any]) -> None:
    """`each` indices: their rows of the table, one after the other."""
    w, width = width_of(e), word["width"]
    first = c.args["index"] * word["each"]
    last = c.select(first + word["each"] < word["count"], first + word["each"], word["count"])
    table, index = word["table"].of(e), word["index"].of(I64)
    with c.range(first, last) as k:
        source = table.at(index[k] * width)
        target = word["rows"].of(e).at(k * width)
        columns(c, width, w, lambda i, m: store(target, i, load(source, i, w, m), m))


def link(f: Function, word: dict[str, Any]) -> None:
    """For each row of the table the first row that belongs to it, or -1; for each row the next."""
    index, first = word["index"].of(I64), word["links"].of(I64)
    following = first.at(word["n"])
    with f.range(word["n"]) as r:
        first[r] = -1
    with f.range(word["count"]) as i:
        k = word["count"] - 1 - i
        r = index[k]
        following[k] = first[r]
        first[r] = k


def write_place(c: Function, e: str, word: dict[str, Any]) -> None:
    """`each` rows of the table: the sums along their lists."""
    w, width = width_of(e), word["width"]
    start = c.args["index"] * word["each"]
    stop = c.select(start + word["each"] < word["n"], start + word["each"], word["n"])
    table, rows, first = word["table"].of(e), word["rows"].of(e), word["links"].of(I64)
    following = first.at(word["n"])
    zero = c.const(vector(e, w), 0.0)
    with c.range(start, stop) as r:
        target = table.at(r * width)
        soon = r + AHEAD
        come = first[c.select(soon < stop, soon, r)]
        with c.when(come >= 0):
            fetch(c, rows.at(come * width), width)
        k = c.var(first[r])
        with c.when(k.get() < 0) as branch:
            columns(c, width, w, lambda i, m: store(target, i, zero, m))
        with branch.otherwise():
            source = rows.at(k.get() * width)

            def copy(i: Value, m: Value | None, source: Any = source, target: Any = target) -> None:
                store(target, i, zero + load(source, i, w, m), m)

            columns(c, width, w, copy)
            with c.repeat() as more:
                k.set(following[k.get()])
                more.stop_if(k.get() < 0)
                source = rows.at(k.get() * width)

                def add(i: Value, m: Value | None, source: Any = source, to: Any = target) -> None:
                    store(to, i, load(to, i, w, m) + load(source, i, w, m), m)

                columns(c, width, w, add)


def build(name: str, e: str, write: Any) -> Module:
    operands = OPERANDS[name]

    def chunk(f: Function, words: dict[str, Any], _index: Value) -> None:
        write(f, e, words)

    numbers = dict.fromkeys(("count", "n", "width", "each"), "int")
    prepare = link if name == "embedding_place" else None
    return module_of(name, operands, numbers, chunk, prepare=prepare)


def kernel(name: str, e: str) -> Any:
    """A Python function of (table, index, rows, count, n, width, each, chunks); place has `links`
    after rows, room for n + count numbers."""
    write = {"take": write_take, "place": write_place}[name]
    key = (f"embedding_{name}", e)
    return compiled(key, lambda: build(key[0], e, write))
