"""Kernels of bodies over rows, along an earlier dimension, and with sums over all rows.

A body (`row_body.py`) becomes a `Kernel` whose interface has its operands, with what each means.
Which rows a chunk has changes nothing. Not here: how LLVM reads a body (`rows.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..runtime import jit, threads
from . import half as half_precision
from .interface import Interface, Kernel
from .ir import F64, I64, PTR, Function, Module, Value
from .row_body import KINDS, RowBody
from .rows import Column, LongRow, Row, Together, Vectors

Words = dict[str, Any]

ROW_INTS = {
    "n": "elements of a row",
    "rows": "how many rows there are",
    "numbers": "numbers from the first to the second of several that a row has",
    "period": "rows after which the numbers that rows have in turn begin again",
    "each": "rows of a chunk",
    "chunks": "pieces of work that threads share",
}
COLUMN_INTS = {
    "n": "elements along the dimension",
    "inner": "columns side by side",
    "numbers": "numbers from the first to the second of several that a column has",
    "blocks": "blocks of columns side by side",
    "count": "blocks of columns in all",
    "each": "blocks of a chunk",
    "chunks": "pieces of work that threads share",
}


def interface(
    body: RowBody, name: str, given: Sequence[str], ints: dict[str, str],
    more: dict[str, str] | None = None,
) -> Interface:  # fmt: skip
    """What the kernel of a body is called with, of its operands those that are given, and `more`
    arrays."""
    arrays = {k: f"{KINDS[body.kinds[k]]}: {body.meanings[k]}" for k in given} | (more or {})
    return Interface(f"{name}_{body.name}", body.summary, arrays, ints | body.ints, body.floats)


def chunked(
    made: Interface, write: Callable[[Function, Words, Value], None], **how: Any
) -> Module:
    """The module of a kernel whose chunk `write(f, words, index)` writes."""
    module = Module(made.name)
    threads.declare_run(module)
    f = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    write(f, made.words(f.args["context"]), f.args["index"])
    f.ret()
    made.write(module, **({"chunks": "chunks"} | how))
    return module


@functools.cache
def row_kernel(
    body: RowBody, e: str, given: tuple[str, ...], long: bool = False, **how: Any
) -> Kernel:
    """The kernel of a body over rows of elements `e`, `long` for rows of very many; `how` goes to
    `Interface.write`."""
    made = interface(body, "rows", given, ROW_INTS)
    kinds = {k: body.kinds[k] for k in given}

    def chunk(f: Function, words: Words, index: Value) -> None:
        row = (LongRow if long else Row)(f, e, kinds, words)
        with f.range(*part(f, index, words["each"], words["rows"])) as r:
            row.enter(r)
            body.write(row)

    key = (e, given, "long") if long else (e, given)
    return Kernel(made, key, lambda: chunked(made, chunk, **how))


def columns(e: str, vectors: int) -> int:
    """Columns that `column_kernel` computes together."""
    return vectors * jit.target().lanes // (2 if e == F64 else 1)


@functools.cache
def column_kernel(
    body: RowBody, e: str, given: tuple[str, ...], vectors: int, **how: Any
) -> Kernel:
    """The kernel of the same body along an earlier dimension."""
    made = interface(body, "columns", given, COLUMN_INTS)
    kinds = {k: body.kinds[k] for k in given}

    def chunk(f: Function, words: Words, index: Value) -> None:
        column = Column(f, e, kinds, words, vectors)
        with f.range(*part(f, index, words["each"], words["count"])) as block:
            column.at(block, body.write)

    return Kernel(made, (e, given, vectors), lambda: chunked(made, chunk, **how))


SUMMING_INTS = {k: ROW_INTS[k] for k in ("n", "rows", "each", "chunks")}
TOGETHER = 2  # rows whose sums are added in registers


@functools.cache
def summing_kernel(body: RowBody, e: str, given: tuple[str, ...]) -> Kernel:
    """The kernel of a body with sums over all rows, which have a line for each chunk: when all are
    done, these are added up, in order."""
    kinds = {k: body.kinds[k] for k in given}
    sums = tuple([k for k, kind in kinds.items() if kind == "sum"])
    made = interface(body, "rows", given, SUMMING_INTS, line_arrays(sums, "chunk"))

    def chunk(f: Function, words: Words, index: Value) -> None:
        r = Together(f, e, kinds, words | {k: words[f"{k}_lines"] for k in sums})
        start, stop = part(f, index, words["each"], words["rows"])
        r.begin(index)
        whole = stop - (stop - start) % TOGETHER
        with f.range(start, whole, TOGETHER) as row:
            r.enter_all([row + k for k in range(TOGETHER)])
            body.write(r)
        with f.range(whole, stop) as row:
            r.enter_all([row])
            body.write(r)

    def finish(f: Function, words: Words) -> None:
        c = half_precision.computed(e)
        add_lines(Vectors(f, words["n"], c), sums, words, words["chunks"])

    def build() -> Module:
        return chunked(made, chunk, finish=finish if sums else None)

    return Kernel(made, (e, given), build)


def line_arrays(sums: Sequence[str], of: str) -> dict[str, str]:
    """What kernels with sums are given beside these: a line for each part of the work."""
    return {f"{k}_lines": f"room for {k} of each {of}; where there is one {of}, {k} itself"
            for k in sums}  # fmt: skip


def add_lines(v: Vectors, sums: Sequence[str], words: Words, lines: Value) -> None:
    """Add up the lines of some sums, in order, where there are several."""
    with v.f.when(lines > 1):
        for k in sums:
            total, first = words[k].of(v.c), words[f"{k}_lines"].of(v.c)
            second = first.at(v.n)
            v.each(lambda i, y=total, a=first, b=second: v.put(y, i, v.get(a, i) + v.get(b, i)))  # type: ignore[misc]
            with v.f.range(2, lines) as line:
                more = first.at(line * v.n)
                v.each(lambda i, y=total, b=more: v.put(y, i, v.get(y, i) + v.get(b, i)))  # type: ignore[misc]


def part(f: Function, index: Value, each: Value, count: Value) -> tuple[Value, Value]:
    """From where to where chunk `index` goes, of `count` things that are cut `each` by `each`."""
    start = index * each
    return start, f.select(start + each < count, start + each, count)
