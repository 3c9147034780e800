"""Kernels that find where the extremes of columns stand: the largest or smallest, and the first row
it stands in.

A matrix of a stack is cut into blocks of rows; what the blocks give is put together by the caller.

Not here: when it is used (`select.py`), extremes without places (`reduce/reduction.py`).
"""

from __future__ import annotations

import functools
from typing import Any

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import F64, I32, I64, PTR, Function, Module, vector
from ..runtime import jit, threads

BLOCK = 256  # rows that give one row of places, at least


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


def interface_of(how: str, e: str) -> Interface:
    """What the kernel is called with."""
    return Interface(
        f"argreduce_{how}", f"y, at = {how} of the columns of x, and the first rows they stand in",
        {
            "x": f"matrices (rows, n) one behind the other, {e} elements, dense",
            "y": "the extreme of each block of rows, dense",
            "at": f"the rows they stand in, {'int64' if e == F64 else 'int32'}",
        },
        {
            "rows": "rows of a matrix", "n": "columns of a matrix",
            "block": "rows that give one row of results", "chunks": "chunks that threads share",
        },
    )  # fmt: skip


def build(interface: Interface, how: str, e: str) -> Module:
    """The module of the kernel."""
    module = Module(interface.name)
    threads.declare_run(module)
    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    write_places(c, e, how, interface.words(c.args["context"]))
    c.ret()
    interface.write(module, "chunks")
    return module


@functools.cache
def kernel(how: str, e: str) -> Kernel:
    """The kernel for "max" or "min" of elements of a type."""
    interface = interface_of(how, e)
    return Kernel(interface, (e,), lambda: build(interface, how, e))
