"""Kernels that reduce: the sum, product, extreme or truth of a formula of one or several operands.

Axes have two fates. The innermost axis in memory is either reduced (`along`: a vector becomes one
number) or kept (`across`: vectors are joined with vectors); around it lie up to three kept and two
reduced axes, with steps of their own for each operand, so any layout is read where it lies. Work is
cut into parts by shape alone; each part of a large cell gives a partial result, and the caller's
thread joins the parts in order, so the bits do not depend on the number of threads.

float32 is summed in float64, which is right to the last bits whatever the length. float64, and
float16 and bfloat16 (in float32), are summed in short runs whose sums are added up.

Not here: which reduction, and when a kernel is used (`select.py`), the places where
extremes stand (`argreduce/argreduce.py`).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import (
    BYTES,
    F16,
    F32,
    F64,
    FLOATS,
    I1,
    I8,
    I16,
    I32,
    I64,
    PTR,
    Function,
    Module,
    Value,
    element,
    lanes,
    vector,
    with_element,
)  # fmt: skip
from ..codegen.lower import maximum, minimum
from ..elementwise.contiguous import gathered
from ..runtime import jit, threads
from .select import ROWS, TILE

LOADS = 4  # vectors side by side in `along`
RUN = 32  # how often these are added up before the sum moves on, where the type is not widened
SIZES = ("cells", "k1", "k2", "rows", "r1", "n", "down", "wide", "across", "parts", "each",
         "chunks")  # fmt: skip
STEPS = ("a", "b", "c", "d", "e", "s")  # three kept axes, two reduced ones, the innermost
MEMORY = {"bfloat": I16, "bool": I8, "u8": I8}  # how elements lie in memory, if not as themselves
VALUES = {F16: F32, "bfloat": F32, "bool": I1, "u8": I16}  # what they are computed in
LOWEST = {I8: -(2**7), I16: -(2**15), I32: -(2**31), I64: -(2**63)}

Write = Callable[..., Sequence[Value]]


class Fold:
    """A reduction as its kernel sees it.

    Args:
        how: "add", "mul", "max", "min" or "any".
        ins: (element, kind) of each operand; along the innermost axis it is a "row", one "value"
            or "far" apart.
        write: the formula of a vector of each operand; None for the operand itself.
        wide: whether the formula is computed in the type of the sum.
        finish: what happens to the result: words among "over" (divided by a number), "root" and
            "not".
        out: element of the result.
        numbers: names of numbers that the formula is given behind the vectors.
    """

    def __init__(self, how: str, ins: Sequence[tuple[str, str]], write: Write | None, wide: bool,
                 finish: str, out: str, numbers: tuple[str, ...] = ()) -> None:  # fmt: skip
        self.how, self.ins, self.formula, self.numbers = how, ins, write, numbers
        self.finish, self.out = finish.split(), out
        values = [VALUES.get(e, e) for e, _ in ins]
        narrow = all(e in (F16, "bfloat") for e, _ in ins)
        floats = [v for v in values if v in FLOATS]
        number = max(floats or values, key=BYTES.__getitem__)
        if how == "any":
            self.kept = I8
        elif how in ("max", "min"):
            self.kept = number
        elif not floats or out == I64:
            self.kept = I64
        else:
            self.kept = F32 if narrow else F64
        self.wide = wide and self.kept in FLOATS
        self.runs = how == "add" and self.kept == number and number in FLOATS
        widest = max(BYTES[v] for v in values)
        self.width = jit.target().lanes * 4 // (max(widest, 4) if how in ("add", "mul") else widest)
        self.narrow_kept = max(1, self.width * BYTES[self.kept] // (jit.target().lanes * 4))

    def given(self, numbers: list[Value]) -> Fold:
        """The same with the numbers of the formula known."""
        fold, write = copy.copy(self), self.formula
        if write is not None and numbers:
            fold.formula = lambda f, *values: write(f, *values, *numbers)
        return fold

    @property
    def start(self) -> float:
        """The result of nothing."""
        if self.how in ("add", "any"):
            return 0
        if self.how == "mul":
            return 1
        low = float("-inf") if self.kept in FLOATS else LOWEST[self.kept]
        return low if self.how == "max" else -low if self.kept in FLOATS else -1 - low

    def join(self, f: Function, a: Value, b: Value) -> Value:
        if self.how == "add":
            return a + b
        if self.how == "mul":
            return a * b
        if self.how == "any":
            return a | b
        if self.kept in FLOATS:
            return maximum(f, a, b) if self.how == "max" else minimum(f, a, b)
        return f.select(a > b if self.how == "max" else a < b, a, b)

    def pieces(self, f: Function, v: Value) -> list[Value]:
        """A vector in the type that is kept, as several vectors where that is wider."""
        count = self.narrow_kept if lanes(v.type) > 1 else 1
        each = lanes(v.type) // count
        cut = [v] if count == 1 else [
            f.shuffle(v, None, list(range(k * each, (k + 1) * each))) for k in range(count)
        ]  # fmt: skip
        return [grown(f, p, self.kept) for p in cut]

    def terms(self, f: Function, values: list[Value]) -> list[Value]:
        """What one vector of each operand contributes."""
        if self.formula is None:
            return self.pieces(f, values[0])
        if self.wide:
            columns = zip(*[self.pieces(f, v) for v in values], strict=True)
            return [self.formula(f, *column)[0] for column in columns]
        return self.pieces(f, self.formula(f, *values)[0])

    def finished(self, f: Function, v: Value, over: Value) -> Value:
        """The result of a whole cell, in the type of the output's memory."""
        if "over" in self.finish:
            v = v / f.convert(over, self.kept)
        if "root" in self.finish:
            v = f.sqrt(v)
        if "not" in self.finish:
            v = grown(f, v == 0, I8)
        return closed(f, v, self.out)


def grown(f: Function, v: Value, to: str) -> Value:
    """In another type; a truth is 0 or 1."""
    if element(v.type) == I1 and to not in FLOATS:
        return f.emit(with_element(v.type, to), f"zext {v.type} {v.text} to "
                      f"{with_element(v.type, to)}")  # fmt: skip
    return f.convert(v, to)


def opened(f: Function, v: Value, e: str) -> Value:
    """What was read from memory, as it is computed with."""
    if e == "bool":
        return v != 0
    if e == "u8":
        wide = with_element(v.type, I16)
        return f.emit(wide, f"zext {v.type} {v.text} to {wide}")
    if e == "bfloat":
        wide = with_element(v.type, I32)
        return f.bits(f.emit(wide, f"zext {v.type} {v.text} to {wide}") << 16, F32)
    return f.convert(v, VALUES.get(e, e))


def closed(f: Function, v: Value, e: str) -> Value:
    """The reverse of `opened`; bfloat16 is rounded to even."""
    if e in (F16, "bfloat"):
        v = f.convert(v, F32)
    if e != "bfloat":
        return f.convert(v, MEMORY.get(e, e))
    bits = f.bits(v, I32)
    up = f.binary("lshr", bits, f.const(bits.type, 16)) & 1
    rounded = f.binary("lshr", bits + up + 0x7FFF, f.const(bits.type, 16))
    return f.convert(f.select(v != v, 0x7FC0, rounded), I16)


class Operand:
    """One operand while a kernel is written."""

    def __init__(self, f: Function, e: str, kind: str, base: Value, steps: dict[str, Value]):
        self.f, self.e, self.kind, self.steps = f, e, kind, steps
        self.base = base.of(MEMORY.get(e, e))

    def moved(self, *moves: tuple[str, Value]) -> Operand:
        """The operand from another place on: index i along an axis, for each (axis, i)."""
        base = self.base
        for axis, i in moves:
            base = base.at(i * self.steps[axis])
        return Operand(self.f, self.e, self.kind, base, self.steps)

    def number(self, w: int) -> Value | None:
        """Its one value of a row, in all lanes."""
        return self.f.splat(opened(self.f, self.base.load(), self.e), w) if self.kind == "value" \
            else None  # fmt: skip

    def load(self, i: Value, w: int, mask: Value | None) -> Value:
        if self.kind == "far":
            v = gathered(self.f, self.base, i, self.steps["s"], w, mask)
        else:
            v = self.base.load(i, w) if mask is None else self.base.load_masked(i, mask)
        return opened(self.f, v, self.e)


def read(row: Sequence[Operand], numbers: Sequence[Value | None], i: Value, w: int,
         mask: Value | None = None) -> list[Value]:  # fmt: skip
    """A vector of each operand."""
    return [o.load(i, w, mask) if v is None else v for o, v in zip(row, numbers, strict=True)]


def least(f: Function, a: Value, b: Value) -> Value:
    return f.select(a < b, a, b)


def tree(f: Function, fold: Fold, values: list[Value]) -> Value:
    """Some vectors as one, joined in a fixed order."""
    while len(values) > 1:
        pairs = [fold.join(f, a, b) for a, b in zip(values[::2], values[1::2], strict=False)]
        values = pairs + values[len(pairs) * 2 :]
    return values[0]


def folded(f: Function, fold: Fold, values: list[Value]) -> Value:
    """All lanes of all values as one number."""
    total = tree(f, fold, values)
    while lanes(total.type) > 1:
        half = lanes(total.type) // 2
        low = f.shuffle(total, None, list(range(half)))
        high = f.shuffle(total, None, list(range(half, 2 * half)))
        if half == 1:
            low, high = f.lane(total, 0), f.lane(total, 1)
        total = fold.join(f, low, high)
    return total


def mask_of(f: Function, w: int, count: Value) -> Value:
    """The first `count` of w lanes."""
    return f.iota(vector(I32, w)) < f.convert(count, I32)


def kept_moves(word: dict[str, Any], cell: Value) -> list[tuple[str, Value]]:
    """Where a cell lies along the kept axes."""
    k1, k2 = word["k1"], word["k2"]
    outer = cell // k2
    return [("a", outer // k1), ("b", outer % k1), ("c", cell % k2)]


def place_of(word: dict[str, Any], cell: Value) -> Value:
    """Where the result of a cell lies."""
    return sum((i * word["y" + axis] for axis, i in kept_moves(word, cell)), cell * 0)


def range_of(f: Function, word: dict[str, Any], part: Value) -> tuple[Value, Value, Value, Value]:
    """The rows and the columns of a part."""
    top = part // word["across"] * word["down"]
    left = part % word["across"] * word["wide"]
    return (top, least(f, top + word["down"], word["rows"]), left,
            least(f, left + word["wide"], word["n"]))  # fmt: skip


# -- the innermost axis is reduced ---------------------------------------------------------------


def write_along(c: Function, fold: Fold, word: dict[str, Any], operands: list[Operand]) -> None:
    """Some cells, or a part of one, each to one number."""
    parts, index = word["parts"], c.args["index"]
    part = index % parts
    first = index // parts * word["each"]
    top, bottom, left, right = range_of(c, word, part)
    start = c.const(vector(fold.kept, fold.width // fold.narrow_kept), fold.start)
    with c.range(first, least(c, first + word["each"], word["cells"])) as cell:
        here = [o.moved(*kept_moves(word, cell)) for o in operands]
        totals = [c.var(start) for _ in range(LOADS * fold.narrow_kept)]
        with c.range(top, bottom) as r:
            row = [o.moved(("d", r // word["r1"]), ("e", r % word["r1"])) for o in here]
            write_row(c, fold, row, totals, left, right)
        total = folded(c, fold, [t.get() for t in totals])
        with c.when(parts == 1) as whole:
            memory = MEMORY.get(fold.out, fold.out)
            word["y"].of(memory)[place_of(word, cell)] = fold.finished(c, total, word["over"])
        with whole.otherwise():
            word["part"].of(fold.kept)[cell * parts + part] = total


def write_row(c: Function, fold: Fold, row: list[Operand], totals: list[Any], left: Value,
              right: Value) -> None:  # fmt: skip
    """Join the elements of a row to the totals."""
    w, split = fold.width, fold.narrow_kept
    numbers = [o.number(w) for o in row]

    def take(places: list[Any], terms: list[Value]) -> None:
        for place, term in zip(places, terms, strict=True):
            place.set(fold.join(c, place.get(), term))

    def take_all(first: Value, last: Value, places: list[Any]) -> None:
        with c.range(first, last, LOADS * w) as i:
            for k in range(LOADS):
                mine = places[k * split : (k + 1) * split]
                take(mine, fold.terms(c, read(row, numbers, i + k * w, w)))

    fours = right - (right - left) % (LOADS * w)
    if fold.runs:
        start = c.const(totals[0].type, fold.start)
        with c.range(left, fours, RUN * LOADS * w) as block:
            sums = [c.var(start) for _ in totals]
            take_all(block, least(c, block + RUN * LOADS * w, fours), sums)
            take(totals, [s.get() for s in sums])
    else:
        take_all(left, fours, totals)
    whole = right - (right - left) % w
    with c.range(fours, whole, w) as i:
        take(totals[:split], fold.terms(c, read(row, numbers, i, w)))
    with c.when(whole < right):
        mask = mask_of(c, w, right - whole)
        terms = fold.terms(c, read(row, numbers, whole, w, mask))
        each = w // split
        start = c.const(totals[0].type, fold.start)
        masks = [mask] if split == 1 else [
            c.shuffle(mask, None, list(range(k * each, (k + 1) * each))) for k in range(split)
        ]  # fmt: skip
        kept = [c.select(m, t, start) for m, t in zip(masks, terms, strict=True)]
        take(totals[split : 2 * split], kept)


def join_along(f: Function, fold: Fold, word: dict[str, Any]) -> None:
    """The parts of each cell as one."""
    w, parts = fold.width // fold.narrow_kept, word["parts"]
    start = f.const(vector(fold.kept, w), fold.start)
    with f.range(word["cells"]) as cell:
        row = word["part"].of(fold.kept).at(cell * parts)
        total = f.var(start)
        whole = parts - parts % w
        with f.range(0, whole, w) as i:
            total.set(fold.join(f, total.get(), row.load(i, w)))
        with f.when(whole < parts):
            mask = mask_of(f, w, parts - whole)
            last = f.select(mask, row.load_masked(whole, mask), start)
            total.set(fold.join(f, total.get(), last))
        result = fold.finished(f, folded(f, fold, [total.get()]), word["over"])
        word["y"].of(MEMORY.get(fold.out, fold.out))[place_of(word, cell)] = result


# -- the innermost axis is kept ------------------------------------------------------------------


def write_across(c: Function, fold: Fold, word: dict[str, Any], operands: list[Operand]) -> None:
    """Some columns of some cells, or of a part of the rows of one."""
    parts, index = word["parts"], c.args["index"]
    part = index % parts
    first = index // parts * word["each"]
    top, bottom, left, right = range_of(c, word, part)
    kept = c.buffer(fold.kept, TILE + fold.width)
    with c.range(first, least(c, first + word["each"], word["cells"])) as cell:
        here = [o.moved(*kept_moves(word, cell)) for o in operands]
        with c.range(left, right, TILE) as column:
            count = least(c, c.const(I64, TILE), right - column)
            tile = [o.moved(("s", column)) for o in here]
            write_tile(c, fold, word, tile, kept, count, top, bottom)
            with c.when(parts == word["across"]) as whole:
                store(c, fold, word, kept, cell, column, count)
            with whole.otherwise():
                slot = cell * (parts // word["across"]) + part // word["across"]
                partial = word["part"].of(fold.kept).at(slot * word["n"] + column)
                each_vector(c, fold, count, lambda i, m: put(partial, kept.load(i, lanes(m.type)
                            if m is not None else kept_width(fold)), i, m))  # fmt: skip


def kept_width(fold: Fold) -> int:
    return fold.width // fold.narrow_kept


def put(place: Any, v: Value, i: Value, mask: Value | None) -> None:
    if mask is None:
        place.store(v, i)
    else:
        place.store_masked(v, i, mask)


def each_vector(c: Function, fold: Fold, count: Value,
                write: Callable[[Value, Value | None], None]) -> None:  # fmt: skip
    """`write` for each vector of what is kept."""
    w = kept_width(fold)
    whole = count - count % w
    with c.range(0, whole, w) as i:
        write(i, None)
    with c.when(whole < count):
        write(whole, mask_of(c, w, count - whole))


def write_tile(c: Function, fold: Fold, word: dict[str, Any], tile: list[Operand], kept: Any,
               count: Value, top: Value, bottom: Value) -> None:  # fmt: skip
    """Join rows `top` to `bottom` of a tile in `kept`."""
    w, split = fold.width, fold.narrow_kept
    each = w // split
    start = c.const(vector(fold.kept, each), fold.start)
    with c.range(0, count, each) as i:
        kept.store(start, i)

    def columns(rows: list[list[Operand]]) -> None:
        numbers = [[o.number(w) for o in row] for row in rows]

        def step(i: Value, mask: Value | None) -> None:
            given = [fold.terms(c, read(row, v, i, w, mask))
                     for row, v in zip(rows, numbers, strict=True)]  # fmt: skip
            for k in range(split):
                more = tree(c, fold, [terms[k] for terms in given])
                at = i + k * each
                kept.store(fold.join(c, kept.load(at, each), more), at)

        whole = count - count % w
        with c.range(0, whole, w) as i:
            step(i, None)
        with c.when(whole < count):
            step(whole, mask_of(c, w, count - whole))

    at = c.var(top)
    with c.repeat() as more:
        r = at.get()
        more.stop_if(r >= bottom)
        inner = r % word["r1"]
        run = least(c, word["r1"] - inner, bottom - r)
        block = [o.moved(("d", r // word["r1"]), ("e", inner)) for o in tile]
        many = run - run % ROWS
        with c.range(0, many, ROWS) as k:
            columns([[o.moved(("e", k + j)) for o in block] for j in range(ROWS)])
        with c.range(many, run) as k:
            columns([[o.moved(("e", k)) for o in block]])
        at.set(r + run)


def store(f: Function, fold: Fold, word: dict[str, Any], kept: Any, cell: Value, column: Value,
          count: Value) -> None:  # fmt: skip
    """Finished results to where they belong, by the module's function `store`."""
    memory = MEMORY.get(fold.out, fold.out)
    place = word["y"].of(memory).at(place_of(word, cell) + column * word["ys"])
    f.call("store", None, [kept, place, word["ys"], count, word["over"]])


def write_store(module: Module, fold: Fold) -> None:
    """The function `store`: chunks call it, and who joins their parts. Written out at both places
    it would be a quarter of the module."""
    given = [("kept", PTR), ("place", PTR), ("step", I64), ("count", I64), ("over", F64)]
    f = module.function("store", None, given, private=True)
    place = f.args["place"].of(MEMORY.get(fold.out, fold.out))
    kept, step, count = f.args["kept"].of(fold.kept), f.args["step"], f.args["count"]
    w, over = kept_width(fold), f.args["over"]

    def write(i: Value, mask: Value | None) -> None:
        put(place, fold.finished(f, kept.load(i, w), over), i, mask)

    with f.when(step == 1) as dense:
        each_vector(f, fold, count, write)
    with dense.otherwise(), f.range(0, count) as i:
        place[i * step] = fold.finished(f, kept.load(i), over)
    f.ret()


def join_across(f: Function, fold: Fold, word: dict[str, Any]) -> None:
    """The parts of each cell as one."""
    w, n, parts = kept_width(fold), word["n"], word["parts"] // word["across"]
    kept = f.buffer(fold.kept, w)
    with f.range(word["cells"]) as cell:
        first = word["part"].of(fold.kept).at(cell * parts * n)
        with f.range(0, n, w) as i:
            count = least(f, f.const(I64, w), n - i)
            mask = mask_of(f, w, count)  # of all vectors, not of the last one alone: half the code
            total = f.var(f.const(vector(fold.kept, w), fold.start))
            with f.range(0, parts) as p:
                total.set(fold.join(f, total.get(), first.at(p * n).load_masked(i, mask)))
            kept.store(total.get())
            store(f, fold, word, kept, cell, i, count)


# -- the module ----------------------------------------------------------------------------------

MEANINGS = {
    "cells": "results, but for those side by side",
    "k1": "size of the second kept axis",
    "k2": "size of the third one",
    "rows": "rows of a cell: of the two reduced axes around the innermost one",
    "r1": "size of the inner one of these",
    "n": "elements of the innermost axis",
    "down": "rows of a part",
    "wide": "columns of a part",
    "across": "parts side by side",
    "parts": "parts of a cell",
    "each": "cells of a chunk",
    "chunks": "chunks that threads share",
}
AXES = dict(zip(STEPS, ("the first kept axis", "the second kept axis", "the third kept axis",
                        "the outer reduced axis", "the inner reduced axis", "the innermost axis"),
                strict=True))  # fmt: skip


def interface_of(name: str, text: str, fold: Fold) -> Interface:
    """What a reduction is called with; `text` is its formula."""
    arrays = {f"x{k}": f"an operand, {e} elements" for k, (e, _) in enumerate(fold.ins)}
    arrays |= {"y": f"the results, {fold.out} elements", "part?": "partial results, 8 bytes each"}
    ints = {k: MEANINGS[k] for k in SIZES}
    ints |= {f"y{s}": f"step of y along {AXES[s]}" for s in ("a", "b", "c", "s")}
    for k in range(len(fold.ins)):
        ints |= {f"step_{s}{k}": f"step of x{k} along {AXES[s]}" for s in STEPS}
    floats = {"over": "what results are divided by"}
    floats |= dict.fromkeys(fold.numbers, "a number of the formula")
    return Interface(name, f"y = {fold.how} of {text or 'x0'}", arrays, ints, floats)


def build(interface: Interface, direction: str, fold: Fold) -> Module:
    """The module of a reduction."""
    module = Module(interface.name)
    threads.declare_run(module)
    write, join = {
        "along": (write_along, join_along), "across": (write_across, join_across)
    }[direction]  # fmt: skip

    if direction == "across":
        write_store(module, fold)
    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    word = interface.words(c.args["context"])
    operands = [
        Operand(c, e, kind, word[f"x{k}"], {s: word[f"step_{s}{k}"] for s in STEPS})
        for k, (e, kind) in enumerate(fold.ins)
    ]
    write(c, fold.given([word[k] for k in fold.numbers]), word, operands)
    c.ret()

    def joined(f: Function, args: dict[str, Value]) -> None:
        one = f.const(I64, 1) if direction == "along" else args["across"]
        with f.when(args["parts"] != one):
            join(f, fold, args)

    interface.write(module, "chunks", finish=joined)
    return module


def kernel(direction: str, key: tuple[Any, ...], fold: Fold) -> Kernel:
    """The kernel of a reduction; `key` is the name and the text of the formula."""
    interface = interface_of(f"reduce_{direction}_{fold.how}", str(key[1]), fold)
    whole = (*key, tuple(fold.ins), fold.wide, tuple(fold.finish), fold.out, fold.numbers)
    return Kernel(interface, whole, lambda: build(interface, direction, fold))
