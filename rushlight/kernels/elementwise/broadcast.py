"""Kernels over elements whose operands have different shapes: a bias, a channel, a column.

The result is dense, with axes (outer, inner, n); an operand is found at steps of its own along
outer and inner. Along n it is an array ("row"), elements that are apart ("far") or one number
("value"): a bias is a row with steps 0, 0, a factor for each channel a value with steps 0, 1. The
formula is written for one vector, as in `contiguous.py`. Work is cut into pieces of about `CHUNK`
elements: some whole rows, or a part of one.

Not here: how shapes become three axes, and when such a kernel is used (`select.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..codegen.ir import F64, I32, I64, PTR, Function, Module, Value, vector
from ..runtime import builtin, jit, threads
from .contiguous import (
    CHUNK,
    LONGEST,
    UNROLL,
    Operand,
    Write,
    gathered,
    lanes_for,
    load,
    place_of,
    store,
    widened,
)

TILE = 128  # rows and columns of a piece with an operand whose elements are apart
SIZES = ("rows", "inner", "n", "each", "width")  # each: rows of a piece, width: its columns


def pieces(n: int, far: bool) -> tuple[int, int]:
    """(rows, columns) of a piece of work, given the length of a row and whether an operand's
    elements are apart along it: then a piece is small in both, so that its lines of the cache are
    used whole."""
    return (TILE, TILE) if far else (max(1, CHUNK // max(1, n)), CHUNK)


def write_chunk(module: Module, write: Write, ins: Sequence[Operand], outs: Sequence[str]) -> None:
    """The function that computes piece `index`."""
    width = lanes_for(ins, outs)
    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    context = c.args["context"].of(PTR)
    given = [(e, kind) for e, kind in ins if kind != "number"]
    kinds = [e for e, _ in given] + list(outs)
    count = len(kinds)
    bases = [place_of(context[k], e) for k, e in enumerate(kinds)]
    words = context.at(count).of(I64)
    size = {name: words[k] for k, name in enumerate(SIZES)}
    steps = [(words[5 + 2 * k], words[6 + 2 * k]) for k in range(len(given))]
    apart = [words[5 + 2 * len(given) + k] for k in range(len(given))]
    numbers = [
        words.at(5 + 3 * len(given) + k).of(e)[0]
        for k, e in enumerate([e for e, kind in ins if kind == "number"])
    ]
    n = size["n"]
    across = (n + (size["width"] - 1)) // size["width"]
    top = c.args["index"] // across * size["each"]
    first = c.args["index"] % across * size["width"]
    bottom = c.select(top + size["each"] < size["rows"], top + size["each"], size["rows"])
    last = c.select(first + size["width"] < n, first + size["width"], n)
    whole = last - (last - first) % width
    with c.range(top, bottom) as row:
        outer, inner = row // size["inner"], row % size["inner"]
        places = [
            base.at(outer * s0 + inner * s1)
            for base, (s0, s1) in zip(bases[: len(given)], steps, strict=True)
        ] + [base.at(row * n) for base in bases[len(given) :]]
        fixed = iter(numbers)
        there = iter(zip(places, kinds, [*apart, *[None] * len(outs)], strict=True))
        sources: list[Any] = []  # (place, kind, step) of an array, or the value that all lanes have
        for _, kind in ins:
            if kind == "number":
                sources.append(next(fixed))
            elif kind == "value":
                place, memory, _ = next(there)
                sources.append(c.splat(load(c, place, 0, 1, kind=memory), width))
            else:
                place, memory, step_ = next(there)
                sources.append((place, memory, step_ if kind == "far" else None))
        results = list(zip(places[len(given) :], outs, strict=True))

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


def write_run(
    f: Function, pointers: Sequence[str], words: Sequence[str], numbers: Sequence[tuple[str, str]]
) -> None:
    """Put the arguments side by side and hand the pieces to the pool."""
    packed = f.buffer(PTR, len(pointers) + len(words) + len(numbers))
    for k, p in enumerate(pointers):
        packed[k] = f.args[p]
    place = packed.at(len(pointers)).of(I64)
    for k, name in enumerate(words):
        place[k] = f.args[name]
    for k, (name, e) in enumerate(numbers):
        place.at(len(words) + k).of(e)[0] = f.args[name]
    across = (f.args["n"] + (f.args["width"] - 1)) // f.args["width"]
    down = (f.args["rows"] + (f.args["each"] - 1)) // f.args["each"]
    f.call("pool_run", None, [Value(f, PTR, "@chunk"), packed, across * down])
    f.ret()


def build(name: str, write: Write, ins: Sequence[Operand], outs: Sequence[str]) -> Module:
    """The module: (inputs…, outputs…, rows, inner, n, each, width, two steps for each input, one
    along n for each, numbers…)."""
    module = Module(name)
    threads.declare_run(module)
    write_chunk(module, write, ins, outs)
    given = range(sum(kind != "number" for _, kind in ins))
    pointers = [f"x{k}" for k in given] + [f"y{k}" for k in range(len(outs))]
    words = [*SIZES, *(f"{s}{k}" for k in given for s in ("outer", "inner")),
             *(f"along{k}" for k in given)]  # fmt: skip
    numbers = [(f"c{k}", e) for k, e in enumerate([e for e, kind in ins if kind == "number"])]
    sizes = [*((p, PTR) for p in pointers), *((k, I64) for k in words), *numbers]
    f = module.function("run", None, sizes)
    write_run(f, pointers, words, numbers)
    last = ["float" if e == F64 else "int" for _, e in numbers]
    builtin.entry(module, "call", "run", ["array"] * len(pointers) + ["int"] * len(words) + last)
    return module


def kernel(key: tuple[Any, ...], write: Write, ins: Sequence[Operand], outs: Sequence[str]) -> Any:
    """The compiled kernel as a Python function."""
    name = f"broadcast_{key[0]}"
    imports = {**builtin.symbols(), **threads.run_symbol()}
    whole_key = (name, *key[1:], tuple(ins), tuple(outs))
    found = jit.load(whole_key, lambda: build(name, write, ins, outs), ["call"], imports)
    return builtin.function(found["call"], name)
