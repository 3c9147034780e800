"""The kernel that picks one element for each index along a dimension.

    rows[o, k, i] = a[o, index[o, k, i], i]

The arrays are seen as (outer, n, inner) and (outer, count, inner). A piece of work looks at its
indices in vectors before it reads by them; where one is out of range it writes nothing and says
so, and the caller, who has made the result for this, raises. So nobody goes over them twice.

Not here: which calls come here (`gather.py`), whole slices (`along.py`).
"""

from __future__ import annotations

import functools

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import I64, PTR, Module, Pointer, Value
from ..runtime import jit, threads

PICK = Interface(
    "elements_pick",
    "rows[o, k, i] = a[o, index[o, k, i], i]",
    arrays={
        "a": "(outer, n, inner), dense",
        "index": "(outer, count, inner), dense int64",
        "rows": "(outer, count, inner), dense",
        "flag": "one int64: 1 where an index was out of range, else 0",
    },
    ints={
        "n": "elements of a along the dimension",
        "line": "count * inner",
        "inner": "elements side by side",
        "apart": "indices from one value of o to the next: `line`, or 0 for the same ones, known",
        "size": "outer * line",
        "known": "1: the indices are in range",
        "each": "elements that a chunk has",
        "chunks": "pieces of work, which threads share",
    },
)


def build(e: str, wraps: bool) -> Module:
    module = Module(PICK.name)
    threads.declare_run(module)
    f = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    word = PICK.words(f.args["context"])
    n, line, inner, size = (word[k] for k in ("n", "line", "inner", "size"))
    first = f.args["index"] * word["each"]
    last = f.select(first + word["each"] < size, first + word["each"], size)
    every = word["index"].of(I64)
    low = -n if wraps else f.const(I64, 0)

    def outside(x: Value) -> Value:
        return f.convert(f.compare("ge", x - low, n - low, unsigned=True), I64)

    w = max(2, jit.target().lanes // 2)
    many, one = f.var(f.splat(f.const(I64, 0), w)), f.var(0)
    with f.when(word["known"] == 0):
        whole = last - (last - first) % w
        with f.range(first, whole, w) as p:
            many.set(many.get() | outside(every.load(p, w)))
        with f.range(whole, last) as p:
            one.set(one.get() | outside(every[p]))
    bad = one.get() | f.intrinsic(f"llvm.vector.reduce.or.v{w}i64", I64, [many.get()])
    with f.when(bad != 0) as wrong:
        word["flag"].of(I64)[0] = f.const(I64, 1)
    with wrong.otherwise():
        outer, at = f.var(first // line), f.var(first)
        with f.repeat() as more:
            more.stop_if(at.get() >= last)
            o = outer.get()
            start, end = at.get() - o * line, last - o * line
            stop = f.select(end < line, end, line)
            source, to = word["a"].of(e).at(o * n * inner), word["rows"].of(e).at(o * line)
            index = every.at(o * word["apart"])

            def place(p: Value, index: Pointer = index) -> Value:
                j = index[p]
                return j + ((j >> 63) & n) if wraps else j

            with f.when(inner == 1) as single, f.range(start, stop, unroll=8) as p:
                to[p] = source[place(p)]
            with single.otherwise(), f.range(start // inner, (stop + inner - 1) // inner) as k:
                begin = k * inner
                left = f.select(start > begin, start, begin)
                right = f.select(stop < begin + inner, stop, begin + inner)
                with f.range(left, right, unroll=4) as p:
                    to[p] = source[place(p) * inner + (p - begin)]
            outer.set(o + 1)
            at.set((o + 1) * line)
    f.ret()
    PICK.write(module, "chunks", prepare=lambda run, args: args["flag"].of(I64).store(0))
    return module


@functools.cache
def pick(e: str, wraps: bool) -> Kernel:
    """For integers of the elements' size; `wraps`: negative indices count from the end."""
    return Kernel(PICK, (e, wraps), lambda: build(e, wraps))
