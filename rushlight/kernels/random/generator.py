"""Random numbers in machine code: the Mersenne Twister's words, and normals made of them.

`draw(kind)` fills an array from the twister's state: "words" (32 bits each), "floats" and
"doubles" in [0, 1). The state is NumPy's, `struct {uint32 key[624]; int pos;}`, so draws here and
draws by NumPy follow each other in one stream. `normals(plain)` turns floats into normal numbers by
the steps of `box_muller.py`, with real fused multiply-adds: the same numbers, bit for bit.
`ranged()` brings floats into a range, `swaps()` shuffles.

Nothing is shared among threads: each word follows from those before it.
Not here: when this is used (`mersenne_twister.py`, `box_muller.py`, `distributions.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..codegen.ir import F32, F64, I32, I64, PTR, Function, Module, Pointer, Value, vector
from ..runtime import builtin, jit
from . import box_muller

N, M = 624, 397
LANES = 16  # words handled at once: LLVM cuts a vector into what the CPU has
BUFFER = 1024  # words on the stack, on their way to float64
RELEASE = 32768  # numbers from which on other Python threads may run meanwhile


def signed(word: int) -> int:
    """A 32-bit word as LLVM's i32 constants are written here."""
    return word - (1 << 32) if word >> 31 else word


UPPER, LOWER, MATRIX = signed(0x80000000), 0x7FFFFFFF, signed(0x9908B0DF)
MASK_B, MASK_C = signed(0x9D2C5680), signed(0xEFC60000)


def right(f: Function, x: Value, by: int) -> Value:
    """Shift right, zeros coming in."""
    return f.binary("lshr", x, f.const(x.type, by))


# -- the twister ---------------------------------------------------------------------------------


def write_twist(module: Module) -> None:
    """twist(key): the next 624 words, in place."""
    f = module.function("twist", None, [("key", PTR)], private=True)
    key = f.args["key"].of(I32)

    def step(i: Any, following: Value, other: Value, n: int) -> None:
        y = (key.load(i, n) & UPPER) | (following & LOWER)
        odd = f.const(y.type, 0) - (following & 1)
        key.store(other ^ right(f, y, 1) ^ (odd & MATRIX), i)

    def several(first: int, last: int, distance: int) -> None:
        """Words whose partner lies at `distance`: more than a vector away, so they are ready."""
        whole = last - (last - first) % LANES
        for start, stop, n in ((first, whole, LANES), (whole, last, 1)):
            with f.range(start, stop, n) as i:
                step(i, key.load(i + 1, n), key.load(i + distance, n), n)

    several(0, N - M, M)
    several(N - M, N - 1, M - N)
    step(N - 1, key.load(0), key.load(M - 1), 1)
    f.ret()


def tempered(f: Function, y: Value) -> Value:
    """A word of the state as it is handed out."""
    y = y ^ right(f, y, 11)
    y = y ^ ((y << 7) & MASK_B)
    y = y ^ ((y << 15) & MASK_C)
    return y ^ right(f, y, 18)


def write_draw(module: Module, name: str, as_floats: bool) -> None:
    """name(state, out, n): the next n words, or floats of their low 24 bits."""
    write_twist(module)
    f = module.function(name, None, [("state", I64), ("out", PTR), ("n", I64)])
    state = f.emit(PTR, f"inttoptr i64 {f.args['state'].text} to ptr").of(I32)
    out, n = f.args["out"].of(F32 if as_floats else I32), f.args["n"]
    done = f.var(0)

    def step(start: Value, at: Value, lanes: int) -> None:
        y = tempered(f, state.load(at, lanes))
        out.store(f.convert(y & 0xFFFFFF, F32) * 2.0**-24 if as_floats else y, start)

    with f.repeat() as loop:
        first = done.get()
        loop.stop_if(first >= n)
        with f.when(state[N] >= N):
            f.call("twist", None, [state])
            state[N] = 0
        position = f.convert(state[N], I64)
        there = f.const(I64, N) - position
        count = f.select(n - first < there, n - first, there)
        whole = count - count % LANES
        with f.range(0, whole, LANES) as i:
            step(first + i, position + i, LANES)
        with f.range(whole, count) as i:
            step(first + i, position + i, 1)
        state[N] = f.convert(position + count, I32)
        done.set(first + count)
    f.ret()


def write_doubles(module: Module) -> None:
    """run(state, out, n): float64 of the low 53 bits of two words, the high one drawn first."""
    write_draw(module, "words", False)
    f = module.function("run", None, [("state", I64), ("out", PTR), ("n", I64)])
    out, n = f.args["out"].of(F64), f.args["n"]
    words = f.buffer(I32, BUFFER)
    half = LANES // 2

    def number(high: Value, low: Value) -> Value:
        to = vector(I64, half) if high.type[0] == "<" else I64
        high, low = high & 0x1FFFFF, low
        high, low = (f.emit(to, f"zext {v.type} {v.text} to {to}") for v in (high, low))
        return f.convert((high << 32) | low, F64) * 2.0**-53

    with f.range(0, n, BUFFER // 2) as start:
        count = f.select(n - start < BUFFER // 2, n - start, f.const(I64, BUFFER // 2))
        f.call("words", None, [f.args["state"], words, count * 2])
        whole = count - count % half
        with f.range(0, whole, half) as i:
            v = words.load(i * 2, LANES)
            parts = [f.shuffle(v, None, range(k, LANES, 2)) for k in (0, 1)]
            out.store(number(*parts), start + i)
        with f.range(whole, count) as i:
            out.store(number(words[i * 2], words[i * 2 + 1]), start + i)
    f.ret()


def build_draw(kind: str) -> Module:
    module = Module(f"draw_{kind}")
    if kind == "doubles":
        write_doubles(module)
    else:
        write_draw(module, "run", kind == "floats")
    builtin.entry(module, "call", "run", ["int", "array", "int"], release=False)
    return module


def draw(kind: str) -> Any:
    """The Python function (address of the state, array, count) for words, floats or doubles."""
    key = (f"draw_{kind}",)
    found = jit.load(key, lambda: build_draw(kind), ["call"], builtin.symbols())
    return builtin.function(found["call"], key[0])


def build_ranged() -> Module:
    module = Module("ranged")
    args = [("u", PTR), ("out", PTR), ("n", I64), ("low", F64), ("span", F64), ("high", F32)]
    f = module.function("run", None, args)
    u, out, n = f.args["u"].of(F32), f.args["out"].of(F32), f.args["n"]
    low = f.convert(f.args["low"], F32)
    whole = n - n % LANES
    for start, stop, lanes in ((f.const(I64, 0), whole, LANES), (whole, n, 1)):
        with f.range(start, stop, lanes) as i:
            wide = f.convert(u.load(i, lanes), F64) * f.args["span"] + f.args["low"]
            x = f.convert(wide, F32)
            out.store(f.select(x == f.args["high"], f.splat(low, lanes), x), i)
    f.ret()
    kinds = ["array", "array", "int", "float", "float", "float32"]
    builtin.entry(module, "call", "run", kinds, release=(2, RELEASE))
    return module


def ranged() -> Any:
    """The Python function (floats, result, count, low, high - low, high): in [low, high)."""
    key = ("ranged",)
    found = jit.load(key, build_ranged, ["call"], builtin.symbols())
    return builtin.function(found["call"], key[0])


def build_swaps() -> Module:
    module = Module("swaps")
    f = module.function("run", None, [("partner", PTR), ("order", PTR), ("n", I64)])
    partner, order = f.args["partner"].of(I64), f.args["order"].of(I64)
    with f.range(f.args["n"]) as i:
        j = partner[i]
        here, there = order[i], order[j]
        order[i], order[j] = there, here
    f.ret()
    kinds = ["array", "array", "int"]
    builtin.entry(module, "call", "run", kinds, release=(2, RELEASE))
    return module


def swaps() -> Any:
    """The Python function (partners, order, count): swaps place i with its partner, one by one."""
    key = ("swaps",)
    found = jit.load(key, build_swaps, ["call"], builtin.symbols())
    return builtin.function(found["call"], key[0])


# -- normal numbers ------------------------------------------------------------------------------


def horner(f: Function, x: Value, coefficients: Sequence[float]) -> Value:
    y: Any = coefficients[0]
    for c in coefficients[1:]:
        y = f.fma(x, y, c)
    return y


def log(f: Function, x: Value) -> Value:
    """log(x) for x in [2**-24, 1]."""
    word = f.bits(x, I32)
    exponent = right(f, word, 23) - 126
    fraction = f.bits((word & 0x007FFFFF) | 0x3F000000, F32)
    below = fraction < 0.707106781186547524
    e = f.convert(f.select(below, exponent - 1, exponent), F32)
    x = fraction - 1.0
    x = f.select(below, x + fraction, x)
    z = x * x
    y = horner(f, x, box_muller._LOG) * x
    y = f.fma(y, z, e * box_muller._LN2_LOW)
    y = f.fma(z, -0.5, y)
    return f.fma(e, box_muller._LN2_HIGH, x + y)


def sincos(f: Function, x: Value) -> tuple[Value, Value]:
    """(sin(x), cos(x)) for x in [0, 2 pi)."""
    octant = f.convert(x * (4 / np.pi), I32)
    octant = (octant + 1) & ~1
    turns = f.convert(octant, F32)
    for part in box_muller._QUARTER_PI:
        x = f.fma(turns, -part, x)
    z = x * x
    cosine = f.fma(horner(f, z, box_muller._COS) * z, z, z * -0.5) + 1.0
    sine = f.fma(horner(f, z, box_muller._SIN) * z, x, x)
    swap = (octant & 2) != 0
    sine, cosine = f.select(swap, cosine, sine), f.select(swap, sine, cosine)
    s = f.bits(sine, I32) ^ ((octant & 4) << 29)
    c = f.bits(cosine, I32) ^ ((~(octant - 2) & 4) << 29)
    return f.bits(s, F32), f.bits(c, F32)


def build_normals(plain: bool) -> Module:
    module = Module("normals")
    args = [("u", PTR), ("out", PTR), ("groups", I64), ("mean", F64), ("std", F64)]
    f = module.function("run", None, args)
    u, out, groups = f.args["u"].of(F32), f.args["out"].of(F32), f.args["groups"]

    def placed(x: Value) -> Value:
        """x * std + mean, in float64 as in NumPy."""
        if plain:
            return x
        return f.convert(f.convert(x, F64) * f.args["std"] + f.args["mean"], F32)

    def pair(u1: Value, u2: Value) -> tuple[Value, Value]:
        radius = f.sqrt(log(f, f.const(u1.type, 1.0) - u1) * -2.0)
        sine, cosine = sincos(f, u2 * (2 * np.pi))
        return placed(radius * cosine), placed(radius * sine)

    def one(at: Pointer, to: Pointer) -> None:
        for k, y in enumerate(pair(at.load(0, 8), at.load(8, 8))):
            to.store(y, 8 * k)

    rest: Any = 0
    if jit.target().lanes == 16:  # two groups at once
        rest = groups - groups % 2
        with f.range(0, rest, 2) as g:
            a, b = u.load(g * 16, 16), u.load(g * 16 + 16, 16)
            firsts, seconds = ([*range(k, k + 8), *range(k + 16, k + 24)] for k in (0, 8))
            y = pair(f.shuffle(a, b, firsts), f.shuffle(a, b, seconds))
            out.store(f.shuffle(*y, firsts), g * 16)
            out.store(f.shuffle(*y, seconds), g * 16 + 16)
    with f.range(rest, groups) as g:
        one(u.at(g * 16), out.at(g * 16))
    f.ret()
    builtin.entry(module, "call", "run", ["array", "array", "int", "float", "float"],
                 release=(2, RELEASE // 16))  # fmt: skip
    return module


def normals(plain: bool) -> Any:
    """The Python function (floats, result, groups of 16, mean, std); `plain`: mean 0 and std 1."""
    key = ("normals", plain)
    found = jit.load(key, lambda: build_normals(plain), ["call"], builtin.symbols())
    return builtin.function(found["call"], key[0])
