"""Kernels over lists of arrays that are not an optimiser's: a norm, a factor, limits.

Not here: when they are used (`select.py`), how a list is read (`codegen/tensor_lists.py`).
"""

from __future__ import annotations

from typing import Any

from ..codegen import lower, tensor_lists
from ..codegen.ir import F32, F64, I32, PTR, Function, Module, Value, lanes, vector
from ..elementwise import contiguous
from ..optim import update
from ..runtime import jit, threads


def scaled(f: Function, x: Value, factor: Value) -> list[Value]:
    return [x * factor]


def copied(f: Function, into: Value, source: Value) -> list[Value]:
    return [source]


def limited(f: Function, x: Value, low: Value, high: Value) -> list[Value]:
    return [lower.minimum(f, lower.maximum(f, x, low), high)]


def joined(f: Function, how: str, kept: Value, x: Value) -> Value:
    """One more vector in a sum of magnitudes or of squares, or in a maximum of magnitudes."""
    if how == "square":
        return f.fma(x, x, kept)
    return kept + f.fabs(x) if how == "add" else lower.maximum(f, f.fabs(x), kept)


def halves(f: Function, v: Value) -> list[Value]:
    """Two vectors of float64 with the elements of one."""
    n = lanes(v.type) // 2
    cut = [f.shuffle(v, None, list(range(k, k + n))) for k in (0, n)]
    return [f.convert(p, F64) for p in cut]


def build_norm(element: str, how: str) -> Module:
    """Each chunk writes its part: a sum in float64, in an order that its size alone decides."""
    module = Module("norm")
    threads.declare_run(module)
    n = jit.target().lanes // (1 if element == F32 else 2) * 2
    wide = vector(F64, n // 2)
    c = module.function("chunk", None, [("context", PTR), ("index", "i64")], private=True)
    words = c.args["context"].of("i64")
    parts = c.args["context"].of(PTR)[tensor_lists.WORDS].of(F64)
    kept = [c.var(c.const(wide, 0.0)) for _ in range(2)]
    for (pointer,), first, last in tensor_lists.parts(c, words, c.args["index"], 1):
        place = pointer.of(element)

        def step(i: Value, mask: Value | None, place: Any = place) -> None:
            if mask is None:
                contiguous.fetch_ahead(c, place, i)
            for k, x in enumerate(halves(c, contiguous.load(c, place, i, n, mask))):
                kept[k].set(joined(c, how, kept[k].get(), x))

        whole = last - (last - first) % n
        with c.range(first, whole, n) as i:
            step(i, None)
        with c.when(whole < last):
            step(whole, c.iota(vector(I32, n)) < c.convert(last - whole, I32))
    a, b = (k.get() for k in kept)
    while True:
        v = lower.maximum(c, a, b) if how == "max" else a + b
        half = lanes(v.type) // 2
        if not half:
            break
        if half == 1:
            a, b = c.lane(v, 0), c.lane(v, 1)
        else:
            a, b = (c.shuffle(v, None, list(range(k, k + half))) for k in (0, half))
    parts[c.args["index"]] = v
    c.ret()
    tensor_lists.entry(module, element, 1, writes=[False])
    return module


def kernel(name: str, element: str, how: str = "") -> Any:
    """The compiled kernel: see `lists.entry`; the numbers of a norm are its result."""
    if name == "norm":
        return tensor_lists.kernel((name, element, how), lambda: build_norm(element, how))
    if name == "copy":
        build = lambda: update.build(name, copied, element, 2, 0)  # noqa: E731
        return tensor_lists.kernel((name, element), build)
    write, count = (scaled, 1) if name == "scale" else (limited, 2)
    return tensor_lists.kernel(
        (name, element), lambda: update.build(name, write, element, 1, count)
    )
