"""float16 and bfloat16 in vectors: widened to float32 where they are read, rounded where written.

Both roundings are to the nearest, ties to even, subnormals kept. bfloat16 goes through the bits of
float32: the instruction that some CPUs have for it takes subnormals for zeros.
"""

from __future__ import annotations

from typing import Any

from ..runtime import jit
from .ir import BF16, F16, F32, F64, I16, I32, Function, Pointer, Type, Value, lanes, with_element


def computed(e: Type) -> Type:
    """The type that elements of a type are computed in."""
    return F64 if e == F64 else F32


def has_half() -> bool:
    """Whether this CPU converts float16; elsewhere LLVM would call a library."""
    return jit.target().has_half


def held_as(e: Type) -> Type:
    """The type that elements of a type are loaded and stored as."""
    return I16 if e in (F16, BF16) else e


def widened(f: Function, v: Value, e: Type) -> Value:
    """What was loaded, in the type that is computed in."""
    if e == F16:
        return f.convert(f.bits(v, F16), F32)
    if e == BF16:
        t = with_element(v.type, I32)
        return f.bits(f.emit(t, f"zext {v.type} {v.text} to {t}") << 16, F32)
    return v


def narrowed(f: Function, v: Value, e: Type) -> Value:
    """What is to be stored, rounded to the type of the elements."""
    if e == F16:
        return f.bits(f.convert(v, F16), I16)
    return rounded(f, v) if e == BF16 else v


def load(f: Function, place: Pointer, i: Any, n: int, mask: Value | None) -> Value:
    """`n` neighbouring elements, widened; 0 where the mask is not set."""
    e = place.element
    place = place.of(held_as(e))
    return widened(f, place.load(i, n) if mask is None else place.load_masked(i, mask), e)


def store(f: Function, place: Pointer, i: Any, v: Value, mask: Value | None) -> None:
    """Write a vector, rounded to the type of the elements."""
    v, place = narrowed(f, v, place.element), place.of(held_as(place.element))
    if mask is None:
        place.store(v, i)
    else:
        place.store_masked(v, i, mask)


def rounded(f: Function, v: Value) -> Value:
    """The bits of float32 values as bfloat16, in i16; a NaN stays one."""
    bits = f.bits(v, I32)
    up = f.binary("lshr", bits, f.const(bits.type, 16))
    nearest = f.binary("lshr", bits + ((up & 1) + 0x7FFF), f.const(bits.type, 16))
    return f.convert(f.select(f.compare("ne", v, v), up | 0x40, nearest), I16)


def dot_of(f: Function, place: Pointer, pairs: Value, c: Value) -> Value:
    """c plus the product of two pairs of bfloat16: of the one at a place, and of each lane's; the
    second products first. Pairs are held as float32.

    x86's instruction takes subnormals for zeros, operands and results; where there is none, the
    same is written in two steps that keep them.
    """
    if jit.target().has_dot:
        return f.broadcast("vdpbf16ps $2{1to16}, $1, $0", place, pairs, c)
    one, bits = f.splat(place.of(I32)[0], lanes(c.type)), f.bits(pairs, I32)
    c = f.fma(f.bits(one & -0x10000, F32), f.bits(bits & -0x10000, F32), c)
    return f.fma(f.bits(one << 16, F32), f.bits(bits << 16, F32), c)
