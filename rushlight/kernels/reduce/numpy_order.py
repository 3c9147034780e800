"""Sums and products in the order in which NumPy and its BLAS add, for arrays so small that eager
calls leave them to NumPy: a compiled step computes them without a call of Python, to the same bits.

* "along": y[j] = x[0, j] + x[1, j] + …, one row after the other;
* "pairs": the sum of a row, pairwise in blocks of 128 as NumPy's loops do;
* "row": a row's product, largest or smallest number, one number after the other;
* "place": where the first of a row's largest or smallest numbers stands, or its first NaN;
* "lanes": rows of A times a vector, eight sums at a time, as OpenBLAS does where both lie along k.

Whether an order is that of this machine's NumPy is tried out before it is used
(`compiler/sums.py`). Not here: sums of large arrays (`reduction.py`), which are more exact.
"""

from __future__ import annotations

from typing import Any

from ..codegen import lower
from ..codegen.interface import Interface, Kernel
from ..codegen.ir import F32, F64, I32, I64, PTR, Function, Module, Value, vector
from ..runtime import jit, threads

BLOCK, WAYS = 128, 8  # of NumPy's pairwise sums
SUMS = Interface(
    "sums_in_order",
    "y = the sums of numbers of x, in a fixed order",
    arrays={"x": "the numbers", "y": "the sums, side by side"},
    ints={
        "rows": "sums", "n": "numbers of a sum", "step": "between numbers of a sum, in elements",
        "apart": "between the first numbers of two sums", "chunks": "1",
    },
)  # fmt: skip
DOTS = Interface(
    "dots_in_order",
    "y = the products of rows of A with a vector, in a fixed order",
    arrays={"a": "rows, each dense", "b": "the vector, dense", "y": "the products, side by side"},
    ints={"rows": "products", "n": "numbers of a row", "apart": "between rows", "chunks": "1"},
)


def begun(module: Module, interface: Interface) -> tuple[Function, dict[str, Value]]:
    threads.declare_run(module)
    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    return c, interface.words(c.args["context"])


# Of two zeros the later one is the largest, as in NumPy's loops.
STEPS: dict[str, Any] = {
    "add": lambda f, a, b: a + b, "multiply": lambda f, a, b: a * b,
    "maximum": lower.maximum, "minimum": lower.minimum,
}  # fmt: skip


def along(element: str, first: bool, op: str = "add") -> Module:
    """Sums side by side: one row after the other is added to all of them."""
    module = Module("sums_along")
    step = STEPS[op]
    c, words = begun(module, SUMS)
    width = jit.target().lanes // (2 if element in (F64, I64) else 1)
    x, y = words["x"].of(element), words["y"].of(element)
    rows = words["rows"]

    def part(j: Value, mask: Value | None) -> None:
        def read(i: Any) -> Value:
            at = i * words["step"] + j
            return x.load(at, width) if mask is None else x.load_masked(at, mask, 0)

        kind = vector(element, width)
        total = c.var(read(c.const(I64, 0)) if first else c.const(kind, 0), kind)
        with c.range(1 if first else 0, words["n"]) as i:
            total.set(step(c, total.get(), read(i)))
        if mask is None:
            y.store(total.get(), j)
        else:
            y.store_masked(total.get(), j, mask)

    whole = rows - rows % width
    with c.range(0, whole, width) as j:
        part(j, None)
    with c.when(whole < rows):
        part(whole, c.iota(vector(I32, width)) < c.convert(rows - whole, I32))
    c.ret()
    SUMS.write(module, "chunks")
    return module


def write_pairwise(module: Module, element: str, dense: bool = False) -> None:
    """The sum of n numbers that are `step` apart, as NumPy's loops add them. Those that lie `dense`
    are read eight at a time."""
    f = module.function("pairwise", element, [("x", PTR), ("n", I64), ("step", I64)], private=True)
    x, n, step = f.args["x"].of(element), f.args["n"], f.args["step"]
    step = f.const(I64, 1) if dense else step
    wide = vector(element, WAYS)
    result = f.var(f.const(element, -0.0), element)
    with f.when(n < WAYS) as short, f.range(n) as i:
        result.set(result.get() + x[i * step])
    with short.otherwise():
        with f.when(n <= BLOCK) as block:
            whole = n - n % WAYS
            if dense:
                eight = f.var(x.load(0, WAYS), wide)
                with f.range(WAYS, whole, WAYS) as i:
                    eight.set(eight.get() + x.load(i, WAYS))
                r = [f.lane(eight.get(), k) for k in range(WAYS)]
            else:
                sums = [f.var(x[step * k], element) for k in range(WAYS)]
                with f.range(WAYS, whole, WAYS) as i:
                    for k, s in enumerate(sums):
                        s.set(s.get() + x[(i + k) * step])
                r = [s.get() for s in sums]
            result.set(((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7])))
            with f.range(whole, n) as i:
                result.set(result.get() + x[i * step])
        with block.otherwise():
            half = n // 2
            left = half - half % WAYS
            low = f.call("pairwise", element, [f.args["x"], left, step])
            place = Value(f, PTR, x.at(left * step).text)
            result.set(low + f.call("pairwise", element, [place, n - left, step]))
    f.ret(result.get())


def in_a_row(element: str, op: str) -> Module:
    """What a row comes to, number by number from the first one on."""
    module = Module("sums_in_a_row")
    c, words = begun(module, SUMS)
    x, y, n, step = words["x"].of(element), words["y"].of(element), words["n"], words["step"]
    with c.range(words["rows"]) as r:
        row = x.at(r * words["apart"])
        total = c.var(row[0], element)
        with c.range(1, n) as i:
            total.set(STEPS[op](c, total.get(), row[i * step]))
        y[r] = total.get()
    c.ret()
    SUMS.write(module, "chunks")
    return module


def places(element: str, op: str) -> Module:
    """The first place of the largest or smallest number of each row; NaN is found before all."""
    module = Module("places_in_order")
    c, words = begun(module, SUMS)
    x, y, n, step = words["x"].of(element), words["y"].of(I64), words["n"], words["step"]
    with c.range(words["rows"]) as r:
        row = x.at(r * words["apart"])
        best, at = c.var(row[0], element), c.var(c.const(I64, 0), I64)
        with c.range(1, n) as i:
            v, b = row[i * step], best.get()
            better = v > b if op == "maximum" else v < b
            with c.when((better | (v != v)) & (b == b)):
                best.set(v)
                at.set(i)
        y[r] = at.get()
    c.ret()
    SUMS.write(module, "chunks")
    return module


def pairs(element: str, first: bool) -> Module:
    """Sums of rows."""
    module = Module("sums_pairs")
    write_pairwise(module, element)
    c, words = begun(module, SUMS)
    x, y, n, step = words["x"].of(element), words["y"].of(element), words["n"], words["step"]
    with c.range(words["rows"]) as r:
        row = x.at(r * words["apart"])
        if first:
            rest = Value(c, PTR, row.at(step).text)
            y[r] = row[0] + c.call("pairwise", element, [rest, n - 1, step])
        else:
            start = Value(c, PTR, row.text)
            # NumPy adds it to the zero that is there: of negative zeros the sum is 0.0
            y[r] = c.const(element, 0.0) + c.call("pairwise", element, [start, n, step])
    c.ret()
    SUMS.write(module, "chunks")
    return module


def lanes(element: str) -> Module:
    """Rows times a vector: eight sums (of float64 four), which are added in halves, then pairs."""
    module = Module("dots_lanes")
    c, words = begun(module, DOTS)
    width = 8 if element == F32 else 4
    a, b, y, n = words["a"].of(element), words["b"].of(element), words["y"].of(element), words["n"]
    kind = vector(element, width)
    with c.range(words["rows"]) as r:
        row = a.at(r * words["apart"])
        total = c.var(c.const(kind, 0.0), kind)
        with c.range(0, n, width) as i:
            total.set(c.fma(row.load(i, width), b.load(i, width), total.get()))
        v = total.get()
        parts = [c.lane(v, k) for k in range(width)]
        while len(parts) > 4:
            half = len(parts) // 2
            parts = [parts[k] + parts[k + half] for k in range(half)]
        while len(parts) > 1:
            parts = [parts[k] + parts[k + 1] for k in range(0, len(parts), 2)]
        y[r] = parts[0]
    c.ret()
    DOTS.write(module, "chunks")
    return module


def kernel(way: str, element: str, first: bool = False, op: str = "add") -> Kernel:
    """The kernel of a way; `first`: a sum begins with its first number, not with zero."""
    if way == "lanes":
        return Kernel(DOTS, (way, element), lambda: lanes(element))
    if way == "row":
        return Kernel(SUMS, (way, element, op), lambda: in_a_row(element, op))
    if way == "place":
        return Kernel(SUMS, (way, element, op), lambda: places(element, op))
    if way == "along":
        return Kernel(SUMS, (way, element, first, op), lambda: along(element, first, op))
    return Kernel(SUMS, (way, element, first), lambda: pairs(element, first))
