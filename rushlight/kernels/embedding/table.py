"""Kernels for tables: rows looked up, and rows added up at their places.

`take` copies rows of a table to where their indices stand. `place` is its transpose: the calling
thread links the rows that belong to each row of the table, in their order; then bands of the table
are written, each of its rows once: zeros, or the sum along its list. So sums have one order however
many threads there are.

Not here: when these are used; indices are known to be in range (`select.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..codegen.interface import Interface, Kernel, Words
from ..codegen.ir import BYTES, F64, I32, I64, PTR, Function, Module, Pointer, Value, vector
from ..runtime import jit, threads

TAKE = Interface(
    "embedding_take",
    "rows[k] = table[index[k]]",
    arrays={
        "table": "(n, width), dense",
        "index": "(count), int64, each in [0, n)",
        "rows": "(count, width), dense",
    },
    ints={
        "count": "indices",
        "width": "elements of a row",
        "each": "indices that a chunk has",
        "chunks": "pieces of work, which threads share",
    },
)
PLACE = Interface(
    "embedding_place",
    "table[i] = the sum of rows[k] over all k with index[k] = i, in their order; 0 where none is",
    arrays={
        "table": "(n, width), dense; all of it is written",
        "index": "(count), int64, each in [0, n)",
        "rows": "(count, width), dense",
        "links": "room for n + count int64: the first row that belongs to each row of the table, "
        "and the next one of each row; -1 ends a list",
    },
    ints={
        "count": "rows that are added",
        "n": "rows of the table",
        "width": "elements of a row",
        "each": "rows of the table that a chunk has",
        "chunks": "pieces of work, which threads share",
    },
)
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


def load(at: Any, i: Value, w: int, mask: Value | None) -> Value:
    return at.load(i, w) if mask is None else at.load_masked(i, mask)


def store(at: Any, i: Value, v: Value, mask: Value | None) -> None:
    if mask is None:
        at.store(v, i)
    else:
        at.store_masked(v, i, mask)


def fetch(f: Function, row: Pointer, width: Value) -> None:
    """Bring a row into the cache: the CPU cannot guess which comes next."""
    with f.range(0, width, 64 // BYTES[row.element]) as i:
        hints = [f.const(I32, k) for k in (0, 3, 1)]
        f.intrinsic("llvm.prefetch.p0", None, [row.at(i), *hints])


def write_take(c: Function, e: str, word: Words) -> None:
    """`each` indices: their rows of the table, one after the other."""
    w, width = width_of(e), word["width"]
    first = c.args["index"] * word["each"]
    last = c.select(first + word["each"] < word["count"], first + word["each"], word["count"])
    table, index = word["table"].of(e), word["index"].of(I64)
    with c.range(first, last) as k:
        source = table.at(index[k] * width)
        target = word["rows"].of(e).at(k * width)
        columns(c, width, w, lambda i, m: store(target, i, load(source, i, w, m), m))


def link(f: Function, word: Words) -> None:
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


def write_place(c: Function, e: str, word: Words) -> None:
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


def build(interface: Interface, e: str, write: Callable[..., None], prepare: Any) -> Module:
    module = Module(interface.name)
    threads.declare_run(module)
    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    write(c, e, interface.words(c.args["context"]))
    c.ret()
    interface.write(module, "chunks", prepare=prepare)
    return module


@functools.cache
def take(e: str) -> Kernel:
    """The lookup for an element type."""
    return Kernel(TAKE, (e,), lambda: build(TAKE, e, write_take, None))


@functools.cache
def place(e: str) -> Kernel:
    """Its transpose."""
    return Kernel(PLACE, (e,), lambda: build(PLACE, e, write_place, link))
