"""Kernels for tables: rows looked up, and rows added up at their places.

`take` copies rows of a table to where their indices stand. `place` is its transpose: the table is
cut into bands of rows; whoever computes a band reads all indices in order and adds those rows that
belong to it, so sums have one order however many threads there are.

Not here: when these are used; indices are known to be in range (`kernels/embedding.py`).
"""

from __future__ import annotations

from typing import Any

from . import jit, native, threads
from .ir import F64, I32, I64, PTR, Function, Module, Value, vector

FIELDS = ("table", "index", "rows", "count", "n", "width", "each")  # n: rows of the table


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


def write_take(c: Function, e: str, word: dict[str, Any]) -> None:
    """`each` indices: their rows of the table, one after the other."""
    w, width = width_of(e), word["width"]
    first = c.args["index"] * word["each"]
    last = c.select(first + word["each"] < word["count"], first + word["each"], word["count"])
    with c.range(first, last) as k:
        source = word["table"].of(e).at(word["index"].of(I64)[k] * width)
        target = word["rows"].of(e).at(k * width)
        columns(c, width, w, lambda i, m: store(target, i, load(source, i, w, m), m))


def write_place(c: Function, e: str, word: dict[str, Any]) -> None:
    """`each` rows of the table: zeros, then every row whose index is among them is added."""
    w, width = width_of(e), word["width"]
    first = c.args["index"] * word["each"]
    last = c.select(first + word["each"] < word["n"], first + word["each"], word["n"])
    table = word["table"].of(e)
    zero = c.const(vector(e, w), 0.0)
    with c.range(first, last) as r:
        target = table.at(r * width)
        columns(c, width, w, lambda i, m: store(target, i, zero, m))
    with c.range(word["count"]) as k:
        r = word["index"].of(I64)[k]
        with c.when((r >= first) & (r < last)):
            target, source = table.at(r * width), word["rows"].of(e).at(k * width)

            def add(i: Value, m: Value | None, target: Any = target, source: Any = source) -> None:
                store(target, i, load(target, i, w, m) + load(source, i, w, m), m)

            columns(c, width, w, add)


def build(name: str, e: str, write: Any) -> Module:
    module = Module(name)
    threads.declare_run(module)
    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    context = c.args["context"].of(PTR)
    words = context.of(I64)
    write(c, e, {k: context[i] if i < 3 else words[i] for i, k in enumerate(FIELDS)})
    c.ret()
    names = [*FIELDS, "chunks"]
    f = module.function("run", None, [(k, PTR if i < 3 else I64) for i, k in enumerate(names)])
    packed = f.buffer(PTR, len(FIELDS))
    for i, k in enumerate(FIELDS):
        if i < 3:
            packed[i] = f.args[k]
        else:
            packed.of(I64)[i] = f.args[k]
    f.call("pool_run", None, [Value(f, PTR, "@chunk"), packed, f.args["chunks"]])
    f.ret()
    native.entry(module, "call", "run", ["array"] * 3 + ["int"] * (len(names) - 3))
    return module


def kernel(name: str, e: str) -> Any:
    """A Python function of (table, index, rows, count, n, width, each, chunks)."""
    imports = {**native.symbols(), **threads.run_symbol()}
    write = {"take": write_take, "place": write_place}[name]
    key = (f"embedding_{name}", e, jit.target().lanes)
    found = jit.load(key, lambda: build(key[0], e, write), ["call"], imports)
    return native.function(found["call"], name)
