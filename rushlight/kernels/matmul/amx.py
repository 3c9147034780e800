"""float32 products on a CPU's matrix unit (Intel's AMX), which multiplies bfloat16 numbers.

A float32 number has 24 significant bits: it is the sum of three bfloat16 numbers of 8 bits each,
without an error (`split`). Of the nine products of two such sums the six largest are computed and
summed in float32; what is left out is below 2**-24 of the product, as a rounding is:

    x * y = x1 y1 + (x1 y2 + x2 y1) + (x2 y2 + x1 y3 + x3 y1) + ...

after Henry, Tang and Heinecke, Leveraging the bfloat16 Artificial Intelligence Datatype For
Higher-Precision Computations (2019). The unit does sixteen times the work of a vector instruction
in the same time, so six products still take less than half the time of one in vectors.
`set_float32_matmul_precision("high")` leaves out the last three products, "medium" all but one.

Two things differ from float32 in vectors. Numbers from 2**110 on, infinities and NaN cannot be
split: whoever packs looks for them (`Worst`) and the product is then computed in vectors.
And the unit takes numbers below 2**-126 for zero, also as the last digits of a number: below
2**-102 an operand loses digits.

A tile is 1024 bytes: 16 rows of 64 bytes. Here the left operand is 16 rows of 32 neighbours along
k; the right one 16 rows, each of 16 columns of two neighbours along k; the result 16 x 16 floats.

Not here: whole products (`amx_gemm.py`).
"""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable
from typing import Any

from .. import tuned
from ..codegen.ir import BF16, F32, I16, I32, I64, PTR, Function, Module, Pointer, Value, vector
from ..narrow import EXACT
from ..runtime import jit
from . import amx_emulated
from .gemm import transposed

TILE = amx_emulated.TILE  # bytes
SIDE = amx_emulated.SIDE  # rows and columns of a result tile
DEPTH = 32  # elements along k of a tile
LARGEST = 0x76800000  # the bits of 2**110
ORDER = {  # which parts are multiplied, the smallest products first: neighbours share a part
    3: ((0, 2), (0, 1), (1, 1), (1, 0), (2, 0), (0, 0)),
    2: ((0, 1), (1, 0), (0, 0)),
    1: ((0, 0),),
}
# Of `set_float32_matmul_precision`; and of numbers of bfloat16, which are one part.
PARTS = {"highest": 3, "high": 2, "medium": 1, EXACT: 1}
ARCH_PRCTL, REQUEST, TILE_DATA = 158, 0x1023, 18  # Linux: ask for the registers of the unit


@functools.cache
def available() -> bool:
    """Whether this process may use the matrix unit: the CPU has it, Linux gives leave, and
    RUSHLIGHT_AMX does not forbid it. Whether it does: `tuned.choice`."""
    return tuned.setting()[0] is not False and present()


def present() -> bool:
    """Whether the CPU has the unit, and Linux gives leave to use it; or, where RUSHLIGHT_AMX says
    `emulate`, whether the CPU can compute what the unit would (`amx_emulated.py`)."""
    if tuned.emulated():
        return jit.target().lanes == SIDE and not sys.platform.startswith("win")
    features = jit.target().features.split(",")
    if not {"+amx-tile", "+amx-bf16", "+avx512bf16"} <= set(features):
        return False
    if jit.target().lanes != SIDE or not sys.platform.startswith("linux"):
        return False
    return ctypes.CDLL(None).syscall(ARCH_PRCTL, REQUEST, TILE_DATA) == 0


def need() -> None:
    """Raise where the unit cannot be used: its first instruction would end the process."""
    if not available():
        raise RuntimeError("this CPU has no matrix unit (AMX), or Linux does not allow its use")


def key(*given: Any) -> tuple[Any, ...]:
    """The key of a kernel for the unit: code that emulates it is kept under another name."""
    return (*given, "emulated") if tuned.emulated() else given


def configure(module: Module) -> None:
    """Add the shapes of all eight tiles: 16 rows of 64 bytes."""
    words = [1] + [0] * 15 + [64, 0] * 8 + [0] * 16 + [SIDE] * 8 + [0] * 8
    module.table("tile_shapes", "i8", words)
    if tuned.emulated():
        amx_emulated.write(module)


def instruct(f: Function, instruction: str, given: list[Value]) -> None:
    """Write an instruction of the unit, or the call of what computes the same."""
    if tuned.emulated():
        amx_emulated.call(f, instruction, given)
    else:
        f.intrinsic(f"llvm.x86.{instruction}", None, given)


def begin(f: Function) -> None:
    """Every chunk that uses tiles begins so: the registers belong to the thread."""
    instruct(f, "ldtilecfg", [Value(f, PTR, "@tile_shapes")])


def end(f: Function) -> None:
    """The registers are empty again, so that switching threads need not save them."""
    instruct(f, "tilerelease", [])


def number(f: Function, tile: int) -> Value:
    return f.const("i8", tile)


def zero(f: Function, tile: int) -> None:
    instruct(f, "tilezero", [number(f, tile)])


def load(f: Function, tile: int, place: Pointer, stride: Any) -> None:
    """16 rows of 64 bytes, `stride` bytes apart."""
    given = [number(f, tile), place, f.const(I64, stride)]
    instruct(f, "tileloadd64", given)


def store(f: Function, tile: int, place: Pointer, stride: Any) -> None:
    given = [number(f, tile), place, f.const(I64, stride)]
    instruct(f, "tilestored64", given)


def step(
    f: Function,
    rows: int,
    columns: int,
    parts: int,
    load_left: Callable[[int, int, int], None],
    load_right: Callable[[int, int, int], None],
) -> None:
    """32 steps of k for rows x columns (each 1 or 2) result tiles, which are tiles 0 to 3.

    `load_left(tile, part, i)` writes the loading of the i-th left tile of a part, `load_right`
    likewise. Tiles 4 and 5 are for the left, 6 and 7 for the right operand.
    """
    before = (-1, -1)
    for p, q in ORDER[parts]:
        if p != before[0]:
            for i in range(rows):
                load_left(4 + i, p, i)
        if q != before[1]:
            for j in range(columns):
                load_right(6 + j, q, j)
        before = (p, q)
        for i in range(rows):
            for j in range(columns):
                given = [number(f, n) for n in (i * 2 + j, 4 + i, 6 + j)]
                instruct(f, "tdpbf16ps", given)


def reserve(f: Function, size: Any) -> Pointer:
    """Memory of a chunk's own that begins at a cache line; too large for the stack of a thread."""
    f.module.declare("aligned_alloc", PTR, [I64, I64])
    size = f.const(I64, size) + 63 & -64
    return f.call("aligned_alloc", PTR, [f.const(I64, 64), size]).of("i8")


def give_back(f: Function, room: Pointer) -> None:
    f.module.declare("free", None, [PTR])
    f.call("free", None, [Value(f, PTR, room.text)])


# -- small things --------------------------------------------------------------------------------


def least(f: Function, a: Value, b: Any) -> Value:
    b = f.const(I64, b)
    return f.select(a < b, a, b)


def shares(f: Function, a: Value, b: int) -> Value:
    """How many parts of `b` cover `a`."""
    return (a + (b - 1)) // b


def gathered(f: Function, x: Pointer, index: Value, mask: Value) -> Value:
    """x[index] for the lanes of a vector of i32; 0 where the mask is not set."""
    places = f.convert(index, I64)
    many = f"<{SIDE} x ptr>"
    text = f"getelementptr float, ptr {x.text}, {places.type} {places.text}"
    pointers = f.emit(many, text)
    wide = vector(F32, SIDE)
    given = [pointers, f.const(I32, 4), mask, f.const(wide, 0)]
    return f.intrinsic(f"llvm.masked.gather.v{SIDE}f32.v{SIDE}p0", wide, given)


def turn(f: Function, room: Pointer, to: Pointer, parts: int) -> None:
    """Tiles of the parts, one behind the other, with 32-bit words of rows and columns exchanged.

    They go to every other tile from `to` on, as a step of a panel has them.
    """
    for part in range(parts):
        rows = [room.at(part * TILE + i * 64).of(I32).load(0, SIDE) for i in range(SIDE)]
        for i, v in enumerate(transposed(f, rows)):
            to.at(part * 2 * TILE + i * 64).of(I32).store(v)


# -- from float32 to parts -----------------------------------------------------------------------


def split(f: Function, x: Value, parts: int) -> list[Value]:
    """float32 vectors whose sum is x (3 parts) or nearly x, each with 8 significant bits.

    Veltkamp's splitting: 2**16 + 1 times x, minus the distance from x, is x rounded to 8 bits.
    """
    found = []
    for i in range(parts):
        if i == 2:
            found.append(x)  # what is left has 8 bits at most
            break
        far = x * 65537.0
        top = far - (far - x)
        found.append(top)
        if i + 1 < parts:
            x = x - top
    return found


def joined(f: Function, first: Value, second: Value) -> Value:
    """Two vectors of parts as one of 32-bit words: the first in the low half of each."""
    t = vector(I32, SIDE)
    low = f.binary("lshr", f.bits(first, t), f.const(t, 16))
    return low | (f.bits(second, t) & -65536)


def in_line(f: Function, first: Value, second: Value) -> Value:
    """Two vectors of parts as 32 bfloat16 numbers (the bits), one vector behind the other."""
    t = vector(I16, 2 * SIDE)
    a, b = (f.emit(t, f"bitcast {v.type} {v.text} to {t}") for v in (first, second))
    return f.shuffle(a, b, [2 * i + 1 for i in range(2 * SIDE)])


class Worst:
    """The largest absolute value that was seen, as bits: NaN is larger than infinity."""

    def __init__(self, f: Function) -> None:
        self.f = f
        self.seen = f.var(f.const(vector(I32, SIDE), 0))

    def look(self, x: Value) -> None:
        bits = self.f.bits(x, I32) & 0x7FFFFFFF
        self.seen.set(self.f.same("smax", bits, self.seen.get()))

    def tell(self, flag: Pointer) -> None:
        """Set the flag (an i64 word) where a number was too large."""
        f = self.f
        most = f.intrinsic(f"llvm.vector.reduce.smax.v{SIDE}i32", I32, [self.seen.get()])
        with f.when(most >= LARGEST):
            flag.atomic_store(1)


def write_pack(module: Module, parts: int, left: bool, e: str = F32) -> None:
    """`pack_left` or `pack_right`: lines of an operand as tiles, in panels of 32 lines.

    Element (i, k) is `x[i * line + k * along]`. A panel is `size` bytes; its steps of 32 along k
    lie one behind the other: two tiles of 16 lines for each part. Lines from `lines` and elements
    from `depth` on are zeros. Sets the flag where a number cannot be split.

    Elements of bfloat16 (`e`) are what the unit multiplies: they are put into their places, none is
    refused, and `line` or `along` is 1.
    """
    own = e == BF16
    f = module.function(
        "pack_left" if left else "pack_right", None,
        [("to", PTR), ("x", PTR), ("line", I64), ("along", I64), ("lines", I64), ("depth", I64),
         ("size", I64), ("flag", PTR)],
    )  # fmt: skip
    all_lines, depth, size = (f.args[n] for n in ("lines", "depth", "size"))
    line, along = f.args["line"], f.args["along"]
    worst = Worst(f)
    lanes = f.iota(vector(I32, SIDE))
    room = f.buffer("i8", 3 * TILE)
    element = I16 if own else e

    def parted(pair: list[Value], beside: bool) -> list[Value]:
        """Two vectors as 32 numbers of bfloat16 for each part: one behind the other, or beside each
        other."""
        if own:
            order = range(2 * SIDE)
            places = [i // 2 + i % 2 * SIDE for i in order] if beside else list(order)
            return [f.shuffle(pair[0], pair[1], places)]
        for v in pair:
            worst.look(v)
        halves = zip(*(split(f, v, parts) for v in pair), strict=True)
        if not beside:
            return [in_line(f, *two) for two in halves]
        return [joined(f, *two) for two in halves]
    square = f.buffer(F32, SIDE * DEPTH)

    def place(to: Pointer, part: int, i: Any) -> Pointer:
        return to.at(f.const(I64, i) * 64 + part * 2 * TILE)

    def kept(part: int, i: Any) -> Pointer:
        return room.at(f.const(I64, i) * 64 + part * TILE)

    def along_k(to: Pointer, source: Pointer, row: Any, masks: Callable[[Value], Any]) -> None:
        """Lines without gaps along k: a line of a left tile at a time."""
        with f.range(0, SIDE, unroll=4) as i:
            mask = masks(i)
            at = i * row
            if mask is None:
                pair = [source.load(at + j, SIDE) for j in (0, SIDE)]
            else:
                pair = [source.load_masked(at + j, m) for j, m in zip((0, SIDE), mask, strict=True)]
            for part, many in enumerate(parted(pair, False)):
                spot = place(to, part, i) if left else kept(part, i)
                spot.of(I16).store(many)
        if not left:
            turn(f, room, to, parts)

    def across(to: Pointer, source: Pointer, masks: Callable[[Value], Any]) -> None:
        """Neighbours are different lines: a row of a right tile, two steps of k, at a time."""
        with f.range(0, SIDE, unroll=4) as i:
            mask = masks(i)
            at = i * 2 * along
            if mask is None:
                pair = [source.load(at, SIDE), source.load(at + along, SIDE)]
            else:
                pair = [
                    source.load_masked(place, m)
                    for place, m in zip((at, at + along), mask, strict=True)
                ]
            for part, many in enumerate(parted(pair, True)):
                spot = kept(part, i) if left else place(to, part, i)
                spot.of(I16 if own else I32).store(many)
        if left:
            turn(f, room, to, parts)

    def whole(_: Value) -> None:
        return None

    def pack(k: Value, first: Value) -> None:
        """One step of 16 lines."""
        to = (
            f.args["to"]
            .of("i8")
            .at(first // (2 * SIDE) * size + first % (2 * SIDE) * (TILE // SIDE))
        )
        to = to.at(k // DEPTH * (2 * parts * TILE))
        source = f.args["x"].of(element).at(first * line + k * along)
        lines, left_over = all_lines - first, depth - k
        full = (left_over >= DEPTH) & (lines >= SIDE)

        def below(count: Value) -> Value:
            return lanes < f.convert(count, I32)

        def of_line(i: Value) -> list[Value]:
            count = f.select(i < lines, left_over, f.const(I64, 0))
            return [below(count), below(count - SIDE)]

        def of_depth(i: Value) -> list[Value]:
            return [
                below(f.select(i * 2 + j < left_over, lines, f.const(I64, 0))) for j in range(2)
            ]

        with f.when(along == 1) as by_lines:
            with f.when(full) as branch:
                along_k(to, source, line, whole)
            with branch.otherwise():
                along_k(to, source, line, of_line)
        with by_lines.otherwise():
            with f.when(line == 1) as by_depth:
                with f.when(full) as branch:
                    across(to, source, whole)
                with branch.otherwise():
                    across(to, source, of_depth)
            if own:
                return
            with by_depth.otherwise():
                step = f.splat(f.convert(along, I32), SIDE)
                with f.range(SIDE) as i:
                    for j, mask in zip((0, SIDE), of_line(i), strict=True):
                        here = gathered(f, source.at(i * line + j * along), lanes * step, mask)
                        square.store(here, i * DEPTH + j, aligned=True)
                along_k(to, square, f.const(I64, DEPTH), whole)

    steps, halves = (f.const(I64, 0), depth, DEPTH), (f.const(I64, 0), all_lines, SIDE)
    with f.when(line == 1) as branch, f.range(*steps) as k, f.range(*halves) as first:
        pack(k, first)  # neighbours in memory are packed one after the other
    with branch.otherwise(), f.range(*halves) as first, f.range(*steps) as k:
        pack(k, first)
    if not own:
        worst.tell(f.args["flag"].of(I64))
    f.ret()
