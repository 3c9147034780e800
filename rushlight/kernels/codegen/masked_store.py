"""Stores of the lanes of a mask, where the CPU has no fast instruction for them.

AVX-512 has one. AVX2's (vmaskmovps) takes as long as 20 to 40 additions on AMD's CPUs, whatever the
mask is; for types of 8 and 16 bits, and on ARM, LLVM writes a branch for each lane. Most masks are
that of the last vector of a line, so:

    all lanes set:          an ordinary store
    none:                   nothing
    the first ones (11110…): stores of half the vector, a quarter, …, by the bits of their number
    others:                 the instruction, or LLVM's branches

Nanoseconds of a store of 8 float32, EPYC 7003, all set, 6 first ones, none: 4.9, 10.3, 6.8 by the
instruction.
"""

from __future__ import annotations

from .ir import BYTES, I1, I32, PTR, Function, Module, Type, Value, element, lanes, mangled, vector


def write(module: Module, type_: Type, by_instruction: bool) -> None:
    """Write the function `masked_store_v8f32(to, value, mask)`, say, into a module."""
    name = mangled(type_)
    n = lanes(type_)
    mask = vector(I1, n)
    f = module.function(
        f"masked_store_{name}", None, [("to", PTR), ("value", type_), ("mask", mask)], private=True
    )
    f.merged = True
    if by_instruction:
        store(f, f.args["mask"])
        f.ret()
        return
    bits = f.emit(f"i{n}", f"bitcast {mask} {f.args['mask'].text} to i{n}")
    with f.when(f.compare("eq", bits, -1)) as branch:
        f.args["to"].of(element(type_)).store(f.args["value"])
    with branch.otherwise(), f.when(bits != 0):
        f.call(f"some_lanes_{name}", None, [f.args["to"], f.args["value"], bits])
    f.ret()
    write_some(module, type_)


def write_some(module: Module, type_: Type) -> None:
    """Some lanes, but not all: a function of its own, for this is a line's end."""
    e, n = element(type_), lanes(type_)
    f = module.function(
        f"some_lanes_{mangled(type_)}", None,
        [("to", PTR), ("value", type_), ("bits", f"i{n}")], private=True,
    )  # fmt: skip
    f.apart = True
    bits = f.args["bits"] if n == 32 else f.extended(f.args["bits"], I32)
    with f.when(f.compare("eq", bits & (bits + 1), 0)) as branch:  # the first ones
        to, rest, left = f.var(f.args["to"].of(e)), f.args["value"], f.var(bits)
        half = n // 2
        while half:
            low, high = (
                f.shuffle(rest, None, list(range(at, at + half))) if half > 1 else f.lane(rest, at)
                for at in (0, half)
            )
            following = f.var(low)
            with f.when(left.get() >> (half - 1) & 1 != 0):
                to.get().store(low)
                to.set(to.get().at(half))
                left.set(left.get() >> half)
                following.set(high)
            rest = following.get()
            half //= 2
    with branch.otherwise():
        powers = ", ".join(f"{I32} {1 << i}" for i in range(n))
        mask = f.splat(bits, n) & Value(f, vector(I32, n), f"<{powers}>")
        store(f, mask != 0)
    f.ret()


def store(f: Function, mask: Value) -> None:
    """LLVM's masked store."""
    value = f.args["value"]
    align = f.const(I32, BYTES[element(value.type)])
    name = f"llvm.masked.store.{mangled(value.type)}.p0"
    f.intrinsic(name, None, [value, f.args["to"], align, mask])
