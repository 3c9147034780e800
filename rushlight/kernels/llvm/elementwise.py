"""Kernels over elements: one formula, any number of inputs and outputs, one pass over memory.

`kernel(key, write, ins, outs)` compiles `write(f, *values) -> values`, which is called to write
the formula for one vector. Inputs are dense arrays of one layout ("array") or single values
("one"). Work is cut into chunks of fixed size that the pool's threads share.

Not here: which formula, and when a kernel is used (`fused.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import jit, native, threads
from .ir import F64, I1, I8, I32, I64, PTR, Function, Module, Value, vector

CHUNK = 16384  # elements: 64 KB of float32 an operand, within the second-level cache
RELEASE = 32768  # elements from which on other Python threads may run meanwhile

Write = Callable[..., Sequence[Value]]
Operand = tuple[str, str]  # element type, "array" or "one"


def load(f: Function, place: Any, index: Any, n: int, mask: Value | None = None) -> Value:
    """One vector of an operand; booleans are bytes in memory and bits in vectors."""
    v = place.load(index, n) if mask is None else place.load_masked(index, mask, 0)
    return v != 0 if place.element == I8 else v


def store(f: Function, place: Any, index: Any, v: Value, mask: Value | None = None) -> None:
    if place.element == I8:
        v = f.emit(v.type.replace(I1, I8), f"zext {v.type} {v.text} to {v.type.replace(I1, I8)}")
    if mask is None:
        place.store(v, index)
    else:
        place.store_masked(v, index, mask)


def lanes_for(elements: Sequence[str]) -> int:
    """Lanes of a vector in which the widest of these types fills a register."""
    wide = F64 in elements or I64 in elements
    return jit.target().lanes // 2 if wide else jit.target().lanes


def build(name: str, write: Write, ins: Sequence[Operand], outs: Sequence[str]) -> Module:
    """The module of a kernel: a function of (inputs…, outputs…, n) and its Python entry."""
    module = Module(name)
    width = lanes_for([e for e, _ in ins] + list(outs))
    pointers = [f"x{k}" for k in range(len(ins))] + [f"y{k}" for k in range(len(outs))]
    fields = [*pointers, "n"]
    threads.declare_run(module)

    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    context = c.args["context"].of(PTR)
    places = [context[k].of(e) for k, e in enumerate([e for e, _ in ins] + list(outs))]
    n = context.at(len(pointers)).of(I64)[0]
    first = c.args["index"] * CHUNK
    last = c.select(first + CHUNK < n, first + CHUNK, n)
    ones = {
        k: c.splat(load(c, places[k], 0, 1), width)
        for k, (_, kind) in enumerate(ins)
        if kind == "one"
    }

    def step(i: Value, mask: Value | None) -> None:
        values = [
            ones[k] if k in ones else load(c, places[k], i, width, mask) for k in range(len(ins))
        ]
        for k, y in enumerate(write(c, *values)):
            store(c, places[len(ins) + k], i, y, mask)

    whole = last - (last - first) % width
    with c.range(first, whole, width) as i:
        step(i, None)
    with c.when(whole < last):
        rest = c.convert(last - whole, I32)
        step(whole, c.iota(vector(I32, width)) < rest)
    c.ret()

    f = module.function("run", None, [*((p, PTR) for p in pointers), ("n", I64)])
    packed = f.buffer(PTR, len(fields))
    for k, p in enumerate(pointers):
        packed[k] = f.args[p]
    packed.at(len(pointers)).of(I64)[0] = f.args["n"]
    chunks = (f.args["n"] + (CHUNK - 1)) // CHUNK
    f.call("pool_run", None, [Value(f, PTR, "@chunk"), packed, chunks])
    f.ret()
    native.entry(module, "call", "run", ["array"] * len(pointers) + ["int"],
                 release=(len(pointers), RELEASE))  # fmt: skip
    return module


def kernel(key: tuple[Any, ...], write: Write, ins: Sequence[Operand], outs: Sequence[str]) -> Any:
    """The compiled kernel as a Python function of (inputs…, outputs…, number of elements)."""
    name = str(key[0])
    imports = {**native.symbols(), **threads.run_symbol()}
    whole_key = (*key, tuple(ins), tuple(outs))
    found = jit.load(whole_key, lambda: build(name, write, ins, outs), ["call"], imports)
    return native.function(found["call"], name)
