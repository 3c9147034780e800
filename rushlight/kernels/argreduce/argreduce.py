"""Kernels that find where the extremes of columns stand: the largest or smallest, and the first row
it stands in.

A matrix of a stack is cut into blocks of rows; what the blocks give is put together by the caller.

Not here: when it is used (`select.py`), extremes without places (`reduce/reduction.py`).
"""

from __future__ import annotations

from typing import Any

from ..codegen.ir import F64, I32, I64, PTR, Function, Module, Value, vector
from ..runtime import builtin, jit, threads

BLOCK = 256  # rows that give one row of places, at least
FIELDS = ("x", "y", "at", "rows", "n", "block")
POINTERS = {"x", "y", "at"}


def width_of(e: str) -> int:
    return jit.target().lanes // (2 if e == F64 else 1)


def write_places(c: Function, e: str, how: str, word: dict[str, Any]) -> None:
    """A block of rows of some columns: the extreme of each column, and its first row."""
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
        ahead = v > b if how == "max" else v < b
        better = ahead | ((v != v) & (b == b))
        best.set(c.select(better, v, b))
        at.set(c.select(better, c.splat(c.convert(r, whole_number), w), at.get()))
    word["y"].of(e).store_masked(best.get(), part * n + column, mask)
    word["at"].of(whole_number).store_masked(at.get(), part * n + column, mask)


def build(name: str, how: str, e: str) -> Module:
    """The module: called with its fields and the number of chunks."""
    module = Module(name)
    threads.declare_run(module)
    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    context = c.args["context"].of(PTR)
    words = context.of(I64)
    word = {k: (context if k in POINTERS else words)[i] for i, k in enumerate(FIELDS)}
    write_places(c, e, how, word)
    c.ret()
    names = [*FIELDS, "chunks"]
    args = [(k, PTR if k in POINTERS else I64) for k in names]
    f = module.function("run", None, args)
    packed = f.buffer(PTR, len(FIELDS))
    for i, k in enumerate(FIELDS):
        if k in POINTERS:
            packed[i] = f.args[k]
        else:
            packed.of(I64)[i] = f.args[k]
    f.call("pool_run", None, [Value(f, PTR, "@chunk"), packed, f.args["chunks"]])
    f.ret()
    builtin.entry(module, "call", "run", ["array" if k in POINTERS else "int" for k in names])
    return module


def kernel(how: str, e: str) -> Any:
    """A Python function of (x, y, at, rows, n, block, chunks)."""
    name = f"places_{how}"
    imports = {**builtin.symbols(), **threads.run_symbol()}
    key = (name, e, jit.target().lanes)
    found = jit.load(key, lambda: build(name, how, e), ["call"], imports)
    return builtin.function(found["call"], name)
