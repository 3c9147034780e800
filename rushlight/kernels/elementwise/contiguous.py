"""Kernels over elements: one formula, any number of inputs and outputs, one pass over memory.

`kernel(key, write, ins, outs)` is the kernel of `write(f, *values) -> values`, which is called to
write the formula for one vector. Inputs are dense arrays of one layout ("array"), single values
in memory ("one") or Python's numbers ("number"). Work is cut into chunks, by its size alone, that
the pool's threads share.

Not here: which formula, and when a kernel is used (`select.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import (
    BF16,
    BYTES,
    F16,
    F32,
    F64,
    I1,
    I8,
    I16,
    I32,
    I64,
    PTR,
    Function,
    Module,
    Pointer,
    Value,
    mangled,
    vector,
)
from ..runtime import jit, threads

CHUNK = 16384  # elements: 64 KB of float32 an operand, within the second-level cache
LARGEST = 1 << 17  # elements of a chunk of a large array: fewer and longer ways through memory
PARTS = 16  # chunks that an array between these bounds is cut into
UNROLL = 2  # as quick as 4, and made in less time (decision 0054)
LONGEST = 64  # lines of a loop that is unrolled: a longer one only takes longer to compile
AHEAD = 2048  # bytes between what is computed and what is fetched

# Types in memory that are another one in registers: a boolean is a byte and a bit, integers of less
# than 32 bits are computed in 32, half precision in float32.
BOOL, S8, U8, S16 = I8, "s8", "u8", I16
NARROW = {S8: I8, U8: I8, S16: I16, F16: I16, BF16: I16}  # and as what they are loaded
Write = Callable[..., Sequence[Value]]
Operand = tuple[str, str]  # type in memory; "array", "one" or, of F64 and I64, "number"


def place_of(pointer: Value, kind: str) -> Pointer:
    """A pointer to elements of a type in memory."""
    return pointer.of(NARROW.get(kind, kind))


def load(
    f: Function, place: Any, index: Any, n: int, mask: Value | None = None, kind: str = ""
) -> Value:
    """One vector of an operand of type `kind`, as it is in registers."""
    v = place.load(index, n) if mask is None else place.load_masked(index, mask, 0)
    return widened(f, v, kind or place.element)


def gathered(f: Function, place: Any, i: Value, step: Value, n: int, mask: Value | None) -> Value:
    """n elements that are `step` apart."""
    pointers, t = f"<{n} x ptr>", vector(place.element, n)
    at = (f.iota(vector(I64, n)) + i) * step
    where = f.emit(pointers, f"getelementptr {place.element}, ptr {place.text}, {at}")
    every = f.const(vector(I1, n), True) if mask is None else mask
    name = f"llvm.masked.gather.{mangled(t)}.v{n}p0"
    return f.intrinsic(name, t, [where, f.const(I32, BYTES[place.element]), every, f.const(t, 0)])


def widened(f: Function, v: Value, kind: str) -> Value:
    """What is in memory as type `kind`, as it is in registers."""
    if kind == BOOL:
        return v != 0
    if kind == F16:
        return f.convert(f.bits(v, F16), F32)
    if kind == BF16:
        return f.bits(f.extended(v, I32) << 16, F32)
    if kind in NARROW:
        return f.extended(v, I32) if kind == U8 else f.convert(v, I32)
    return v


def narrowed(f: Function, v: Value, kind: str) -> Value:
    """What is in registers, as it is in memory as type `kind`; floats rounded to nearest even."""
    if kind == BOOL:
        return f.extended(v, I8)
    if kind == F16:
        return f.bits(f.convert(v, F16), I16)
    if kind == BF16:  # in integers: CPUs' own instruction makes 0 of subnormal numbers
        bits = f.bits(v, I32)
        upper = f.binary("lshr", bits, f.const(bits.type, 16))
        rounded = f.binary("lshr", bits + ((upper & 1) + 0x7FFF), f.const(bits.type, 16))
        return f.convert(f.select(v != v, upper | 0x40, rounded), I16)
    if kind in NARROW:
        return f.convert(v, NARROW[kind])
    return v


def store(
    f: Function,
    place: Any,
    index: Any,
    v: Value,
    mask: Value | None = None,
    past: bool = False,
    kind: str = "",
) -> None:
    """Write one vector of a result of type `kind`; `past` the cache where that is wanted."""
    v = narrowed(f, v, kind or place.element)
    if past:
        place.store_past(v, index)
    elif mask is None:
        place.store(v, index)
    else:
        place.store_masked(v, index, mask)


def lanes_for(ins: Sequence[Operand], outs: Sequence[str]) -> int:
    """Lanes of a vector in which the widest of these types fills a register."""
    elements = [e for e, kind in ins if kind != "number"] + list(outs)
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


def interface_of(
    name: str, text: str, ins: Sequence[Operand], outs: Sequence[str]
) -> Interface:
    """What a kernel of these operands and results is called with; `text` is its formula."""
    summary = {"array": "an operand, {} elements", "one": "an operand of one {} element"}
    given = [(e, kind) for e, kind in ins if kind != "number"]
    arrays = {f"x{k}": summary[kind].format(e) for k, (e, kind) in enumerate(given)}
    arrays |= {f"y{k}": f"a result, {e} elements" for k, e in enumerate(outs)}
    ints = {
        "n": "elements of a result", "each": "elements of a chunk",
        "chunks": "chunks that threads share",
    }  # fmt: skip
    numbers = numbers_of(ins)
    return Interface(
        name, f"y0 = {text}, of each element", arrays,
        ints | {k: "a number of the formula" for k, e in numbers if e == I64},
        {k: "a number of the formula" for k, e in numbers if e != I64},
    )  # fmt: skip


def numbers_of(ins: Sequence[Operand]) -> list[tuple[str, str]]:
    """(name, type) of the operands that are numbers."""
    return [(f"c{k}", e) for k, e in enumerate(e for e, kind in ins if kind == "number")]


def build(
    interface: Interface,
    write: Write,
    ins: Sequence[Operand],
    outs: Sequence[str],
    far: bool = False,
) -> Module:
    """The module of a kernel.

    `far` results go past the cache, straight to memory: nobody finds them there anyway.
    """
    module = Module(interface.name)
    width = lanes_for(ins, outs)
    threads.declare_run(module)

    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    words = interface.words(c.args["context"])
    n, each = words["n"], words["each"]
    first = c.args["index"] * each
    last = c.select(first + each < n, first + each, n)
    results = [(place_of(words[f"y{k}"], e), e) for k, e in enumerate(outs)]
    numbers = iter(numbers_of(ins))
    given = iter([
        (place_of(words[f"x{k}"], e), e)
        for k, e in enumerate(e for e, kind in ins if kind != "number")
    ])  # fmt: skip
    sources: list[Any] = []  # (place, type) of an array, or the value that all lanes have
    for _, kind in ins:
        if kind == "number":
            sources.append(words[next(numbers)[0]])
        elif kind == "one":
            place, memory = next(given)
            sources.append(c.splat(load(c, place, 0, 1, kind=memory), width))
        else:
            sources.append(next(given))

    def step(i: Value, mask: Value | None, past: bool = False) -> None:
        values = []
        for source in sources:
            if isinstance(source, Value):
                values.append(source)
                continue
            if mask is None:
                fetch_ahead(c, source[0], i)
            values.append(load(c, source[0], i, width, mask, source[1]))
        for (place, kind), y in zip(results, write(c, *values), strict=True):
            store(c, place, i, y, mask, past, kind)

    def part(start: Value, count: Value) -> None:
        step(start, c.iota(vector(I32, width)) < c.convert(count, I32))

    if far:
        place = results[0][0]
        address = c.emit(I64, f"ptrtoint ptr {place.text} to i64")
        odd = (0 - address) // BYTES[place.element] & (width - 1)  # before a whole vector's place
        last = c.select(last + odd < n, last + odd, n)
        begin = c.select(first + odd < last, first + odd, last)
        first = c.select(first == 0, 0, begin)
        with c.when(first < begin):
            part(first, begin - first)
        first = begin
    whole = last - (last - first) % width
    with c.range(first, whole, width, unroll=UNROLL, longest=LONGEST) as i:
        step(i, None, far)
    with c.when(whole < last):
        part(whole, last - whole)
    if far:
        c.line("fence seq_cst")  # such stores are not in order with others
    c.ret()
    interface.write(module, "chunks")
    return module


def kernel(
    key: tuple[Any, ...],
    write: Write,
    ins: Sequence[Operand],
    outs: Sequence[str],
    far: bool = False,
) -> Kernel:
    """The kernel of a formula; `key` is its name and its text."""
    interface = interface_of(str(key[0]), str(key[1]), ins, outs)
    whole_key = (*key[1:], tuple(ins), tuple(outs), *("far",) * far)
    return Kernel(interface, whole_key, lambda: build(interface, write, ins, outs, far))
