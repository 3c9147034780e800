"""Kernels over lists of arrays that are not an optimiser's: a norm, a factor, limits.

Not here: when they are used (`select.py`), how a list is read (`codegen/tensor_lists.py`).
"""

from __future__ import annotations

import functools
from typing import Any

from ..codegen import lower, tensor_lists
from ..codegen.interface import Kernel, Words
from ..codegen.ir import F32, F64, I32, Function, Value, lanes, vector
from ..elementwise import contiguous
from ..optim import update
from ..runtime import jit

NORM = tensor_lists.interface(
    "multi_tensor_norm",
    "numbers[i] = the sum of |x|, the sum of x * x or the largest |x| in chunk i, in float64",
    {"x": "read"},
    "float64, one for each chunk, written",
)
SCALE = tensor_lists.interface(
    "multi_tensor_scale", "x = x * numbers[0]", {"x": "read and written"}, "the factor"
)
LIMIT = tensor_lists.interface(
    "multi_tensor_limit",
    "x = min(max(x, numbers[0]), numbers[1]); NaN stays",
    {"x": "read and written"},
    "the bounds",
)


def scaled(f: Function, x: Value, factor: Value) -> list[Value]:
    return [x * factor]


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


def write_norm(c: Function, words: Words, element: str, how: str) -> None:
    """Each chunk writes its part: a sum in float64, in an order that its size alone decides."""
    n = jit.target().lanes // (1 if element == F32 else 2) * 2
    wide = vector(F64, n // 2)
    found = words["numbers"].of(F64)
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
    found[c.args["index"]] = v


@functools.cache
def norm(element: str, how: str) -> Kernel:
    """Parts of a norm: sums of magnitudes ("add"), of squares ("square"), the largest ("max")."""
    return tensor_lists.kernel(
        NORM, (element, how), lambda c, words: write_norm(c, words, element, how)
    )


@functools.cache
def scale(element: str) -> Kernel:
    """Elements times a number, in place."""
    return update.elementwise(SCALE, (element,), scaled, element, 1, 1)


@functools.cache
def limit(element: str) -> Kernel:
    """Elements brought between two numbers, in place."""
    return update.elementwise(LIMIT, (element,), limited, element, 1, 2)
