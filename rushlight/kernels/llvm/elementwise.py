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
from .ir import BYTES, F64, I1, I8, I32, I64, PTR, Function, Module, Value, vector

CHUNK = 16384  # elements: 64 KB of float32 an operand, within the second-level cache
LARGEST = 1 << 17  # elements of a chunk of a large array: fewer and longer ways through memory
PARTS = 16  # chunks that an array between these bounds is cut into
UNROLL = 4
AHEAD = 2048  # bytes between what is computed and what is fetched
RELEASE = 32768  # elements from which on other Python threads may run meanwhile

Write = Callable[..., Sequence[Value]]
Operand = tuple[str, str]  # element type, "array" or "one"


def load(f: Function, place: Any, index: Any, n: int, mask: Value | None = None) -> Value:
    """One vector of an operand; booleans are bytes in memory and bits in vectors."""
    v = place.load(index, n) if mask is None else place.load_masked(index, mask, 0)
    return v != 0 if place.element == I8 else v


def store(
    f: Function, place: Any, index: Any, v: Value, mask: Value | None = None, past: bool = False
) -> None:
    if place.element == I8:
        v = f.emit(v.type.replace(I1, I8), f"zext {v.type} {v.text} to {v.type.replace(I1, I8)}")
    if past:
        place.store_past(v, index)
    elif mask is None:
        place.store(v, index)
    else:
        place.store_masked(v, index, mask)


def lanes_for(elements: Sequence[str]) -> int:
    """Lanes of a vector in which the widest of these types fills a register."""
    wide = F64 in elements or I64 in elements
    return jit.target().lanes // 2 if wide else jit.target().lanes


def fetch_ahead(f: Function, place: Any, index: Any) -> None:
    """Ask for what is needed soon: the CPU's own look-ahead stops at the end of each page."""
    f.module.declare("llvm.prefetch.p0", None, [PTR, I32, I32, I32])
    ahead = place.at(index).at(AHEAD // BYTES[place.element])
    f.line(f"call void @llvm.prefetch.p0(ptr {ahead.text}, i32 0, i32 3, i32 1)")


def share_of(n: Any, choose: Any = lambda condition, a, b: a if condition else b) -> Any:
    """Elements of a chunk of n elements: of integers, or of values of a function being written."""
    share = (n // PARTS + (CHUNK - 1)) // CHUNK * CHUNK
    share = choose(share < CHUNK, CHUNK, share)
    return choose(share > LARGEST, LARGEST, share)


def build(
    name: str, write: Write, ins: Sequence[Operand], outs: Sequence[str], far: bool = False
) -> Module:
    """The module of a kernel: a function of (inputs…, outputs…, n) and its Python entry.

    `far` results go past the cache, straight to memory: nobody finds them there anyway.
    """
    module = Module(name)
    width = lanes_for([e for e, _ in ins] + list(outs))
    pointers = [f"x{k}" for k in range(len(ins))] + [f"y{k}" for k in range(len(outs))]
    threads.declare_run(module)

    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    context = c.args["context"].of(PTR)
    places = [context[k].of(e) for k, e in enumerate([e for e, _ in ins] + list(outs))]
    words = context.at(len(pointers)).of(I64)
    n, each = words[0], words[1]
    first = c.args["index"] * each
    last = c.select(first + each < n, first + each, n)
    ones = {
        k: c.splat(load(c, places[k], 0, 1), width)
        for k, (_, kind) in enumerate(ins)
        if kind == "one"
    }

    def step(i: Value, mask: Value | None, past: bool = False) -> None:
        values = []
        for k in range(len(ins)):
            if k not in ones and mask is None:
                fetch_ahead(c, places[k], i)
            values.append(ones[k] if k in ones else load(c, places[k], i, width, mask))
        for k, y in enumerate(write(c, *values)):
            store(c, places[len(ins) + k], i, y, mask, past)

    def part(start: Value, count: Value) -> None:
        step(start, c.iota(vector(I32, width)) < c.convert(count, I32))

    if far:
        place = places[len(ins)]
        address = c.emit(I64, f"ptrtoint ptr {place.text} to i64")
        odd = (0 - address) // BYTES[place.element] & (width - 1)  # before a whole vector's place
        last = c.select(last + odd < n, last + odd, n)
        begin = c.select(first + odd < last, first + odd, last)
        first = c.select(first == 0, 0, begin)
        with c.when(first < begin):
            part(first, begin - first)
        first = begin
    whole = last - (last - first) % width
    with c.range(first, whole, width, unroll=UNROLL) as i:
        step(i, None, far)
    with c.when(whole < last):
        part(whole, last - whole)
    if far:
        c.line("fence seq_cst")  # such stores are not in order with others
    c.ret()

    f = module.function("run", None, [*((p, PTR) for p in pointers), ("n", I64)])
    packed = f.buffer(PTR, len(pointers) + 2)
    for k, p in enumerate(pointers):
        packed[k] = f.args[p]
    share = share_of(f.args["n"], f.select)
    words = packed.at(len(pointers)).of(I64)
    words[0] = f.args["n"]
    words[1] = share
    chunks = (f.args["n"] + (share - 1)) // share
    f.call("pool_run", None, [Value(f, PTR, "@chunk"), packed, chunks])
    f.ret()
    native.entry(module, "call", "run", ["array"] * len(pointers) + ["int"],
                 release=(len(pointers), RELEASE))  # fmt: skip
    return module


def kernel(
    key: tuple[Any, ...],
    write: Write,
    ins: Sequence[Operand],
    outs: Sequence[str],
    far: bool = False,
) -> Any:
    """The compiled kernel as a Python function of (inputs…, outputs…, number of elements)."""
    name = str(key[0])
    imports = {**native.symbols(), **threads.run_symbol()}
    whole_key = (*key, tuple(ins), tuple(outs), *("far",) * far)
    found = jit.load(whole_key, lambda: build(name, write, ins, outs, far), ["call"], imports)
    return native.function(found["call"], name)
