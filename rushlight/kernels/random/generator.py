"""Random numbers in machine code: the Mersenne Twister's words, and distributions made of them.

`draw(kind)` fills an array from the twister's state: "words" (32 bits each), "floats" and
"doubles" in [0, 1). The state is NumPy's, `struct {uint32 key[624]; int pos;}`, so draws here and
draws by NumPy follow each other in one stream. `uniform`, `normal` and `bernoulli` draw and
transform, part by part; normal numbers take the steps of `box_muller.py`, with real fused
multiply-adds: the same numbers, bit for bit. `swaps` shuffles.

Nothing is shared among threads: each word follows from those before it.
Not here: when this is used (`select.py`, `mersenne_twister.py`); few numbers, of which the array is
made, too (`few_numbers.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import F32, F64, I32, I64, PTR, Function, Module, Pointer, Value, vector
from ..runtime import jit
from . import box_muller

STATE = "uint32: the 624 words of the twister, then the position of the next one; written"
DRAW = Interface(
    "draw",
    "out = the next numbers of a stream: words, float32 or float64 in [0, 1)",
    arrays={"out": "(n), dense, of the kernel's kind", "state": STATE},
    ints={"n": "numbers"},
    release=("n", 32768),
)
UNIFORM = Interface(
    "random_uniform",
    "out = u * (high - low) + low for u in [0, 1), rounded to float32; low where that gives high",
    arrays={"out": "(n), float32, dense", "state": STATE},
    ints={"n": "numbers"},
    floats={"low": "the least number", "high": "the upper end, not reached; both are rounded"},
)
NORMAL = Interface(
    "random_normal",
    "out = sqrt(-2 log(1 - u1)) * (cos, sin)(2 pi u2) * std + mean, in groups of 8 and 8; the last "
    "16 are drawn anew where n is no multiple of 16",
    arrays={"out": "(n), float32, dense", "state": STATE},
    ints={"n": "numbers, 16 or more"},
    floats={"mean": "rounded to float32", "std": "rounded to float32"},
)
NORMALS = Interface(
    "normals",
    "out = normal numbers made of uniform ones, group by group",
    arrays={"u": "(16 groups), float32 in [0, 1), dense", "out": "(16 groups), float32, dense"},
    ints={"groups": "groups of 16"},
    floats={"mean": "rounded to float32", "std": "rounded to float32"},
)
BERNOULLI = Interface(
    "random_bernoulli",
    "out = value where u < p, else 0, for u in [0, 1) of float64",
    arrays={"out": "(n), dense", "state": STATE},
    ints={"n": "numbers"},
    floats={"p": "the probability", "value": "rounded to the type of out"},
)
SWAPS = Interface(
    "swaps",
    "order[i], order[partner[i]] = order[partner[i]], order[i], one after the other",
    arrays={"partner": "(n), int64, each in [0, n)", "order": "(n), int64"},
    ints={"n": "swaps"},
)

N, M = 624, 397
LANES = 16  # words handled at once: LLVM cuts a vector into what the CPU has
BUFFER = 1024  # words on the stack, on their way to float64
PART = 4096  # float32 numbers that are drawn, then transformed


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


def write_draw(module: Module, name: str, as_floats: bool, twist: bool = True) -> None:
    """name(out, state, n): the next n words, or floats of their low 24 bits; `twist` unless the
    module has that already."""
    if twist:
        write_twist(module)
    f = module.function(name, None, list(DRAW.types.items()), private=name != "run")
    state = f.args["state"].of(I32)
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


def write_doubles(module: Module, name: str, twist: bool = True) -> None:
    """name(out, state, n): float64 of the low 53 bits of two words, the high one drawn first; with
    words(out, state, n)."""
    write_draw(module, "words", False, twist)
    f = module.function(name, None, list(DRAW.types.items()), private=name != "run")
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
        f.call("words", None, [words, f.args["state"], count * 2])
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
        write_doubles(module, "run")
    else:
        write_draw(module, "run", kind == "floats")
    DRAW.write_invoke(module)
    return module


@functools.cache
def draw(kind: str) -> Kernel:
    """Words, floats or doubles from a stream."""
    return Kernel(DRAW, (kind,), lambda: build_draw(kind))


@contextmanager
def drawn_parts(f: Function, draw: str, out: Pointer, n: Value) -> Iterator[tuple[Value, Value]]:
    """The loop over parts of `out`, of which the body finds each drawn: (start, count)."""
    with f.range(0, n, PART) as start:
        count = f.select(n - start < PART, n - start, f.const(I64, PART))
        f.call(draw, None, [out.at(start), f.args["state"], count])
        yield start, count


def lanewise(f: Function, n: Value) -> Any:
    """(loop, lanes) over whole vectors of n numbers, then over those left."""
    whole = n - n % LANES
    return ((f.range(0, whole, LANES), LANES), (f.range(whole, n), 1))


def build_uniform() -> Module:
    module = Module("random_uniform")
    write_draw(module, "floats", True)
    f = UNIFORM.begin_run(module)
    out = f.args["out"].of(F32)
    low, high = (f.convert(f.args[k], F32) for k in ("low", "high"))
    span, least = f.convert(high - low, F64), f.convert(low, F64)
    with drawn_parts(f, "floats", out, f.args["n"]) as (start, count):
        for loop, lanes in lanewise(f, count):
            with loop as i:
                wide = f.convert(out.load(start + i, lanes), F64) * span + least
                x = f.convert(wide, F32)
                out.store(f.select(x == high, f.splat(low, lanes), x), start + i)
    f.ret()
    UNIFORM.write_invoke(module)
    return module


@functools.cache
def uniform() -> Kernel:
    """Uniform float32 numbers in a range."""
    return Kernel(UNIFORM, (), build_uniform)


def build_bernoulli(element: str) -> Module:
    module = Module("random_bernoulli")
    write_doubles(module, "doubles")
    f = BERNOULLI.begin_run(module)
    out, n = f.args["out"].of(element), f.args["n"]
    drawn = f.buffer(F64, BUFFER)
    value = f.convert(f.args["value"], element)
    with f.range(0, n, BUFFER) as start:
        count = f.select(n - start < BUFFER, n - start, f.const(I64, BUFFER))
        f.call("doubles", None, [drawn, f.args["state"], count])
        for loop, lanes in lanewise(f, count):
            with loop as i:
                y = f.splat(value, lanes)
                hit = drawn.load(i, lanes) < f.args["p"]
                out.store(f.select(hit, y, f.const(y.type, 0)), start + i)
    f.ret()
    BERNOULLI.write_invoke(module)
    return module


@functools.cache
def bernoulli(element: str) -> Kernel:
    """A value with some probability, else 0."""
    return Kernel(BERNOULLI, (element,), lambda: build_bernoulli(element))


def build_swaps() -> Module:
    module = Module("swaps")
    f = SWAPS.begin_run(module)
    partner, order = f.args["partner"].of(I64), f.args["order"].of(I64)
    with f.range(f.args["n"]) as i:
        j = partner[i]
        here, there = order[i], order[j]
        order[i], order[j] = there, here
    f.ret()
    SWAPS.write_invoke(module)
    return module


@functools.cache
def swaps() -> Kernel:
    """Each place swapped with its partner, one by one."""
    return Kernel(SWAPS, (), build_swaps)


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


def write_normals(f: Function, u: Pointer, out: Pointer, groups: Value, plain: bool) -> None:
    """Write what turns groups of 16 uniform numbers into normal ones; `out` may be `u`."""
    if not plain:
        mean, std = (f.convert(f.convert(f.args[k], F32), F64) for k in ("mean", "std"))

    def placed(x: Value) -> Value:
        """x * std + mean, in float64 as in NumPy."""
        if plain:
            return x
        return f.convert(f.convert(x, F64) * std + mean, F32)

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


def build_normals(plain: bool) -> Module:
    module = Module("normals")
    f = NORMALS.begin_run(module)
    u, out = f.args["u"].of(F32), f.args["out"].of(F32)
    write_normals(f, u, out, f.args["groups"], plain)
    f.ret()
    NORMALS.write_invoke(module)
    return module


@functools.cache
def normals(plain: bool) -> Kernel:
    """Uniform numbers made normal; `plain`: of mean 0 and standard deviation 1."""
    return Kernel(NORMALS, (plain,), lambda: build_normals(plain))


def write_transform(module: Module, name: str, plain: bool) -> None:
    """name(u, out, groups, mean, std): `NORMALS`, within a module."""
    f = module.function(name, None, list(NORMALS.types.items()), private=True)
    write_normals(f, f.args["u"].of(F32), f.args["out"].of(F32), f.args["groups"], plain)
    f.ret()


def build_normal(plain: bool) -> Module:
    module = Module("random_normal")
    write_draw(module, "floats", True)
    write_transform(module, "normals", plain)
    f = NORMAL.begin_run(module)
    out, n, state = f.args["out"].of(F32), f.args["n"], f.args["state"]
    numbers = [f.args["mean"], f.args["std"]]
    whole = n - n % 16
    with drawn_parts(f, "floats", out, whole) as (start, count):
        here = out.at(start)
        f.call("normals", None, [here, here, count // 16, *numbers])
    with f.when(whole < n):
        last = out.at(n - 16)
        f.call("floats", None, [out.at(whole), state, n - whole])  # PyTorch draws these, too
        f.call("floats", None, [last, state, f.const(I64, 16)])
        f.call("normals", None, [last, last, f.const(I64, 1), *numbers])
    f.ret()
    NORMAL.write_invoke(module)
    return module


@functools.cache
def normal(plain: bool) -> Kernel:
    """Normal float32 numbers from a stream; `plain`: of mean 0 and standard deviation 1."""
    return Kernel(NORMAL, (plain,), lambda: build_normal(plain))
