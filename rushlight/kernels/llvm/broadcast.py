"""Kernels over elements whose operands have different shapes: a bias, a channel, a column.

The result is dense, with axes (outer, inner, n); an operand is found at steps of its own along
outer and inner. Along n it is either an array ("row") or one number ("value"): a bias is a row with
steps 0, 0, a factor for each channel a value with steps 0, 1. The formula is written for one
vector, as in `elementwise.py`. Work is cut into pieces of about `CHUNK` elements: some whole rows,
or a part of one.

Not here: how shapes become three axes, and when such a kernel is used (`kernels/fused.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import jit, native, threads
from .elementwise import CHUNK, UNROLL, Operand, Write, lanes_for, load, store
from .ir import I32, I64, PTR, Function, Module, Value, vector

SIZES = ("rows", "inner", "n", "each", "width")  # each: rows of a piece, width: its columns


def pieces(n: int) -> tuple[int, int]:
    """(rows, columns) of a piece of work, given the length of a row."""
    return max(1, CHUNK // max(1, n)), CHUNK


def write_chunk(module: Module, write: Write, ins: Sequence[Operand], outs: Sequence[str]) -> None:
    """The function that computes piece `index`."""
    width = lanes_for([e for e, _ in ins] + list(outs))
    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    context = c.args["context"].of(PTR)
    count = len(ins) + len(outs)
    bases = [context[k].of(e) for k, e in enumerate([e for e, _ in ins] + list(outs))]
    words = context.at(count).of(I64)
    size = {name: words[k] for k, name in enumerate(SIZES)}
    steps = [(words[5 + 2 * k], words[6 + 2 * k]) for k in range(len(ins))]
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
            for base, (s0, s1) in zip(bases[: len(ins)], steps, strict=True)
        ] + [base.at(row * n) for base in bases[len(ins) :]]
        numbers = {
            k: c.splat(load(c, places[k], 0, 1), width)
            for k, (_, kind) in enumerate(ins)
            if kind == "value"
        }

        def step(i: Value, mask: Value | None, places: Any = places, known: Any = numbers) -> None:
            values = [
                known[k] if k in known else load(c, places[k], i, width, mask)
                for k in range(len(ins))
            ]
            for k, y in enumerate(write(c, *values)):
                store(c, places[len(ins) + k], i, y, mask)

        with c.range(first, whole, width, unroll=UNROLL) as i:
            step(i, None)
        with c.when(whole < last):
            rest = c.convert(last - whole, I32)
            step(whole, c.iota(vector(I32, width)) < rest)
    c.ret()


def write_run(f: Function, pointers: Sequence[str], numbers: Sequence[str]) -> None:
    """Put the arguments side by side and hand the pieces to the pool."""
    packed = f.buffer(PTR, len(pointers) + len(numbers))
    for k, p in enumerate(pointers):
        packed[k] = f.args[p]
    words = packed.at(len(pointers)).of(I64)
    for k, name in enumerate(numbers):
        words[k] = f.args[name]
    across = (f.args["n"] + (f.args["width"] - 1)) // f.args["width"]
    down = (f.args["rows"] + (f.args["each"] - 1)) // f.args["each"]
    f.call("pool_run", None, [Value(f, PTR, "@chunk"), packed, across * down])
    f.ret()


def build(name: str, write: Write, ins: Sequence[Operand], outs: Sequence[str]) -> Module:
    """The module: (inputs…, outputs…, rows, inner, n, each, width, two steps for each input)."""
    module = Module(name)
    threads.declare_run(module)
    write_chunk(module, write, ins, outs)
    pointers = [f"x{k}" for k in range(len(ins))] + [f"y{k}" for k in range(len(outs))]
    numbers = [*SIZES, *(f"{s}{k}" for k in range(len(ins)) for s in ("outer", "inner"))]
    f = module.function("run", None, [*((p, PTR) for p in pointers), *((k, I64) for k in numbers)])
    write_run(f, pointers, numbers)
    native.entry(module, "call", "run", ["array"] * len(pointers) + ["int"] * len(numbers))
    return module


def kernel(key: tuple[Any, ...], write: Write, ins: Sequence[Operand], outs: Sequence[str]) -> Any:
    """The compiled kernel as a Python function."""
    name = f"broadcast_{key[0]}"
    imports = {**native.symbols(), **threads.run_symbol()}
    whole_key = (name, *key[1:], tuple(ins), tuple(outs))
    found = jit.load(whole_key, lambda: build(name, write, ins, outs), ["call"], imports)
    return native.function(found["call"], name)
