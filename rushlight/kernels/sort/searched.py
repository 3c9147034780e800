"""The kernel that finds where values stand in a sorted sequence, by halving, without branches.

    places[i] = how many numbers of the sequence are before values[i]

Values go down the sequence a vector at a time; how often it is halved depends on its length alone,
so there is nothing to be guessed wrongly. NaN stands behind all numbers, as in NumPy.

Not here: which calls come here (`select.py`).
"""

from __future__ import annotations

import functools

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import BYTES, FLOATS, I1, I32, I64, MANGLED, PTR, Module, Value, vector
from ..runtime import jit, threads

SEARCH = Interface(
    "search_sorted",
    "places[i] = count of sequence < values[i] (or <=)",
    arrays={
        "sequence": "(n), ascending",
        "values": "(size)",
        "places": "(size), int64",
    },
    ints={
        "n": "numbers of the sequence, one at least",
        "size": "values",
        "each": "values that a chunk has",
        "chunks": "pieces of work, which threads share",
    },
)


def build(e: str, right: bool) -> Module:
    module = Module(SEARCH.name)
    threads.declare_run(module)
    f = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    word = SEARCH.words(f.args["context"])
    sequence, values = word["sequence"].of(e), word["values"].of(e)
    places, n = word["places"].of(I64), word["n"]
    first = f.args["index"] * word["each"]
    last = f.select(first + word["each"] < word["size"], first + word["each"], word["size"])

    def before(s: Value, v: Value) -> Value:
        """Whether a number of the sequence counts."""
        found = s <= v if right else s < v
        if e in FLOATS:  # NaN is the greatest, and equal to itself
            found = found | ((v != v) if right else ((v != v) & (s == s)))
        return found

    def read(at: Value, w: int) -> Value:
        """Numbers of the sequence at places, one for each lane."""
        if w == 1:
            return sequence[at]
        text = f"getelementptr {e}, ptr {sequence.text}, {at.type} {at.text}"
        pointers, align = f.emit(f"<{w} x ptr>", text), f.const(I32, BYTES[e])
        name, kind = f"llvm.masked.gather.v{w}{MANGLED.get(e, e)}.v{w}p0", vector(e, w)
        every = f.const(vector(I1, w), True)
        return f.intrinsic(name, kind, [pointers, align, every, f.const(kind, 0)])

    def search(at: Value, w: int) -> None:
        wanted, base, left = values.load(at, w), f.var(f.const(vector(I64, w), 0)), f.var(n)
        with f.repeat() as loop:
            loop.stop_if(left.get() <= 1)
            half, here = left.get() >> 1, base.get()
            further = here + f.splat(half, w)
            base.set(f.select(before(read(further - 1, w), wanted), further, here))
            left.set(left.get() - half)
        here = base.get()
        places.store(here + f.convert(before(read(here, w), wanted), I64), at)

    w = max(2, jit.target().lanes // 2)
    whole = last - (last - first) % w
    with f.range(first, whole, w) as at:
        search(at, w)
    with f.range(whole, last) as at:
        search(at, 1)
    f.ret()
    SEARCH.write(module, "chunks")
    return module


@functools.cache
def search(e: str, right: bool) -> Kernel:
    """For a type of elements; `right`: equal numbers count."""
    return Kernel(SEARCH, (e, right), lambda: build(e, right))
