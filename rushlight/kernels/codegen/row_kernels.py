"""Kernels of bodies over rows, along an earlier dimension, and with sums over all rows.

A body (`row_body.py`) becomes a `Kernel` whose interface has its operands, with what each means.
Which rows a chunk has changes nothing. Kernels of rows may have a formula in front (`OfRows`).
Not here: how LLVM reads a body (`rows.py`, `row_front.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..runtime import jit, threads
from . import half as half_precision
from .interface import Interface, Kernel
from .ir import F64, I64, PTR, Function, Module, Value
from .row_body import KINDS, RowBody
from .rows import Column, LongRow, Row, Together, Vectors

if TYPE_CHECKING:
    from .row_front import Front

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
    more: dict[str, str] | None = None, front: Front | None = None,
) -> Interface:  # fmt: skip
    """What the kernel of a body is called with, of its operands those that are given, `more`
    arrays, and what the formula in front takes."""
    arrays = {k: f"{KINDS[body.kinds[k]]}: {body.meanings[k]}" for k in given} | (more or {})
    ints, floats, summary = ints | body.ints, body.floats, body.summary
    if front is not None:
        arrays |= front.arrays(given)
        ints, floats = ints | front.numbers(True), floats | front.numbers(False)
        name, summary = f"{name}_formula", f"{summary} In front: {front.text}"
    return Interface(f"{name}_{body.name}", summary, arrays, ints, floats)


@dataclass(frozen=True)
class OfRows:
    """What a kernel over rows is, so that one with a formula in front can take its place.

    Attributes:
        body: its body; e: the elements of its rows; given: the operands that it is given.
        behind: gives the kernel with a formula in front.
    """

    body: RowBody
    e: str
    given: tuple[str, ...]
    behind: Callable[[Front], Kernel]


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
    made = row_kernel_behind(None, body, e, given, long, **how)
    made.rows = OfRows(body, e, given, lambda front: row_kernel_behind(
        front, body, e, given, long, **how))  # fmt: skip
    return made


def row_kernel_behind(
    front: Front | None, body: RowBody, e: str, given: tuple[str, ...], long: bool, **how: Any
) -> Kernel:
    """The kernel of a body over rows with a formula in front of it, if any."""
    made = interface(body, "rows", given, ROW_INTS, front=front)
    kinds = {k: body.kinds[k] for k in given}

    several = 1 if long or front is None else body.together
    base = LongRow if long else Together if several > 1 else Row

    def chunk(f: Function, words: Words, index: Value) -> None:
        r = reader(base, front)(f, e, kinds, words)
        start, stop = part(f, index, words["each"], words["rows"])
        in_turn(r, start, stop, several, body, front)

    key = (e, given, *("long",) * long, *((several, *front.key) if front is not None else ()))
    return Kernel(made, key, lambda: chunked(made, chunk, **how))


def in_turn(
    r: Any, start: Value, stop: Value, several: int, body: RowBody, front: Front | None
) -> None:
    """Write a body for each row, or for `several` rows at a time and those that are left."""

    def rows(them: list[Value]) -> None:
        if isinstance(r, Together):
            r.enter_all(them)
        else:
            r.enter(them[0])
        if front is None:
            body.write(r)
        else:
            r.begin_front(them)
            body.write(r)
            r.end_front()

    whole = start
    if several > 1:
        whole = stop - (stop - start) % several
        with r.f.range(start, whole, several) as row:
            rows([row + k for k in range(several)])
    with r.f.range(whole, stop) as row:
        rows([row])


def reader(base: type[Row], front: Front | None) -> Any:
    """What makes a reader, with a formula in front of it, if any."""
    if front is None:
        return base
    from .row_front import fronted

    made: Any = fronted  # (classes are hashable, whatever a cached function's type says of them)
    return functools.partial(made(base), front)


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
    made = summing_kernel_behind(None, body, e, given)
    made.rows = OfRows(body, e, given, lambda front: summing_kernel_behind(front, body, e, given))
    return made


def summing_kernel_behind(
    front: Front | None, body: RowBody, e: str, given: tuple[str, ...]
) -> Kernel:
    """The same with a formula in front of it, if any."""
    kinds = {k: body.kinds[k] for k in given}
    sums = tuple([k for k, kind in kinds.items() if kind == "sum"])
    made = interface(body, "rows", given, SUMMING_INTS, line_arrays(sums, "chunk"), front)

    def chunk(f: Function, words: Words, index: Value) -> None:
        words |= {k: words[f"{k}_lines"] for k in sums}
        r = reader(Together, front)(f, e, kinds, words)
        start, stop = part(f, index, words["each"], words["rows"])
        r.begin(index)
        in_turn(r, start, stop, TOGETHER, body, front)

    def finish(f: Function, words: Words) -> None:
        c = half_precision.computed(e)
        add_lines(Vectors(f, words["n"], c), sums, words, words["chunks"])

    def build() -> Module:
        return chunked(made, chunk, finish=finish if sums else None)

    return Kernel(made, (e, given, *(front.key if front is not None else ())), build)


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
