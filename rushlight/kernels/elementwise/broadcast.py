"""Kernels over elements whose operands have different shapes: a bias, a channel, a column.

The result is dense, with axes (outer, inner, n); an operand is found at steps of its own along
outer and inner. Along n it is an array ("row"), elements that are apart ("far") or one number
("value"): a bias is a row with steps 0, 0, a factor for each channel a value with steps 0, 1. The
formula is written for one vector, as in `contiguous.py`. Work is cut into pieces of about `CHUNK`
elements: some whole rows, or a part of one.

Not here: how shapes become three axes (`axes.py`), when such a kernel is used (`select.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import I32, I64, PTR, Module, Value, vector
from ..runtime import threads
from .contiguous import (
    CHUNK,
    LONGEST,
    UNROLL,
    Operand,
    Write,
    gathered,
    lanes_for,
    load,
    numbers_of,
    place_of,
    store,
    widened,
)

TILE = 128  # rows and columns of a piece with an operand whose elements are apart
ALONG = {"row": "side by side", "value": "one of a row", "far": "apart in a row"}


def pieces(n: int, far: bool) -> tuple[int, int]:
    """(rows, columns) of a piece of work, given the length of a row and whether an operand's
    elements are apart along it: then a piece is small in both, so that its lines of the cache are
    used whole."""
    return (TILE, TILE) if far else (max(1, CHUNK // max(1, n)), CHUNK)


def interface_of(
    name: str, text: str, ins: Sequence[Operand], outs: Sequence[str]
) -> Interface:
    """What a kernel of these operands and results is called with; `text` is its formula."""
    given = [(e, kind) for e, kind in ins if kind != "number"]
    arrays = {f"x{k}": f"an operand, {e} elements {ALONG[kind]}"
              for k, (e, kind) in enumerate(given)}  # fmt: skip
    arrays |= {f"y{k}": f"a result, {e} elements, dense" for k, e in enumerate(outs)}
    ints = {
        "rows": "rows of the result", "inner": "rows of the inner axis",
        "n": "elements of a row", "each": "rows of a piece", "width": "columns of a piece",
        "chunks": "pieces that threads share",
    }  # fmt: skip
    for k in range(len(given)):
        ints |= {f"outer{k}": f"step of x{k} along the outer axis",
                 f"inner{k}": "and along the inner one"}  # fmt: skip
    ints |= {f"along{k}": f"step of x{k} along a row" for k in range(len(given))}
    numbers = numbers_of(ins)
    return Interface(
        name, f"y0 = {text}, of operands that broadcast", arrays,
        ints | {k: "a number of the formula" for k, e in numbers if e == I64},
        {k: "a number of the formula" for k, e in numbers if e != I64},
    )  # fmt: skip


def write_chunk(
    module: Module, interface: Interface, write: Write, ins: Sequence[Operand], outs: Sequence[str]
) -> None:
    """The function that computes piece `index`."""
    width = lanes_for(ins, outs)
    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    words = interface.words(c.args["context"])
    given = [e for e, kind in ins if kind != "number"]
    n = words["n"]
    across = (n + (words["width"] - 1)) // words["width"]
    top = c.args["index"] // across * words["each"]
    first = c.args["index"] % across * words["width"]
    bottom = c.select(top + words["each"] < words["rows"], top + words["each"], words["rows"])
    last = c.select(first + words["width"] < n, first + words["width"], n)
    whole = last - (last - first) % width
    with c.range(top, bottom) as row:
        outer, inner = row // words["inner"], row % words["inner"]
        places: Any = iter([
            (place_of(words[f"x{k}"], e)
             .at(outer * words[f"outer{k}"] + inner * words[f"inner{k}"]), e, words[f"along{k}"])
            for k, e in enumerate(given)
        ])  # fmt: skip
        results = [(place_of(words[f"y{k}"], e).at(row * n), e) for k, e in enumerate(outs)]
        numbers = iter(numbers_of(ins))
        sources: list[Any] = []  # (place, type, step) of an array, or the value that all lanes have
        for _, kind in ins:
            if kind == "number":
                sources.append(words[next(numbers)[0]])
            elif kind == "value":
                place, memory, _ = next(places)
                sources.append(c.splat(load(c, place, 0, 1, kind=memory), width))
            else:
                place, memory, apart = next(places)
                sources.append((place, memory, apart if kind == "far" else None))

        def step(i: Value, mask: Value | None, sources: Any = sources, to: Any = results) -> None:
            values = [
                source
                if isinstance(source, Value)
                else load(c, source[0], i, width, mask, source[1])
                if source[2] is None
                else widened(c, gathered(c, source[0], i, source[2], width, mask), source[1])
                for source in sources
            ]
            for (place, kind), y in zip(to, write(c, *values), strict=True):
                store(c, place, i, y, mask, kind=kind)

        with c.range(first, whole, width, unroll=UNROLL, longest=LONGEST) as i:
            step(i, None)
        with c.when(whole < last):
            rest = c.convert(last - whole, I32)
            step(whole, c.iota(vector(I32, width)) < rest)
    c.ret()


def build(
    interface: Interface, write: Write, ins: Sequence[Operand], outs: Sequence[str]
) -> Module:
    """The module of a kernel."""
    module = Module(interface.name)
    threads.declare_run(module)
    write_chunk(module, interface, write, ins, outs)
    interface.write(module, "chunks")
    return module


def kernel(
    key: tuple[Any, ...], write: Write, ins: Sequence[Operand], outs: Sequence[str]
) -> Kernel:
    """The kernel of a formula; `key` is its name and its text."""
    interface = interface_of(f"broadcast_{key[0]}", str(key[1]), ins, outs)
    whole_key = (*key[1:], tuple(ins), tuple(outs))
    return Kernel(interface, whole_key, lambda: build(interface, write, ins, outs))
