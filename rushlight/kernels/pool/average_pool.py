"""Means of windows over planes, and the way back: sums over a list of lines, then over columns.

A line of the result is the sum of some lines of the source, held on the stack, of which each column
takes the sum of its neighbours from `left` to `right`. Tables say which lines and columns, so that
windows of any size, adaptive ones, three dimensions and the transpose of all of them are one
kernel. A mean divides what comes out by the count of its window; the transpose what goes in.

Not here: the tables (`select.py`).
"""

from __future__ import annotations

import functools

from ..codegen.half import computed
from ..codegen.interface import Interface, Kernel
from ..codegen.ir import F64, I32, I64, Function, Module, Pointer, Value, vector
from ..codegen.row_kernels import Words, chunked, part
from ..codegen.rows import Vectors
from ..tuning import AVERAGE_POOL_WIDEST

INTERFACE = Interface(
    "average_pool",
    "line r of y takes the lines lines[starts[r]:starts[r + 1]] of x; column c those from left[c] "
    "to right[c]; divided by the counts",
    {
        "x": "data (planes, h, w)",
        "y": "means (planes, oh, ow), or their transpose",
        "lines": "numbers of lines of x, those of each line of y in turn",
        "starts": "where those of a line begin (oh + 1)",
        "left": "the first column of each window (ow), 32 bits",
        "right": "the column behind the last (ow), 32 bits",
        "rows_count": "what divides along lines: of y, of x in the transpose",
        "columns_count": "what divides along columns: of y, of x in the transpose",
    },
    {
        "planes": "how many planes there are",
        "h": "lines of a plane of x",
        "w": "columns of a plane of x",
        "oh": "lines of a plane of y",
        "ow": "columns of a plane of y",
        "most": "columns of the widest window",
        "each": "planes of a chunk",
        "chunks": "pieces of work that threads share",
    },
)


def gathered(v: Vectors, line: Pointer, at: Value, mask: Value) -> Value:
    """The elements of a line at some columns."""
    f, t, many = v.f, vector(v.c, v.w), f"<{v.w} x ptr>"
    text = f"getelementptr {v.c}, ptr {line.text}, {at.type} {at.text}"
    name = f"llvm.masked.gather.v{v.w}{'f64' if v.c == F64 else 'f32'}.v{v.w}p0"
    align = f.const(I32, 8 if v.c == F64 else 4)
    return f.intrinsic(name, t, [f.emit(many, text), align, mask, f.const(t, 0)])  # type: ignore[no-any-return]


@functools.cache
def kernel(e: str, transposed: bool) -> Kernel:
    """The kernel of means, or of their transpose, which divides before it adds up."""
    c = computed(e)

    def chunk(f: Function, words: Words, index: Value) -> None:
        x, y = words["x"].of(e), words["y"].of(e)
        lines, starts = words["lines"].of(I64), words["starts"].of(I64)
        left, right = words["left"].of(I32), words["right"].of(I32)
        rows_count, columns_count = words["rows_count"].of(c), words["columns_count"].of(c)
        source, target = Vectors(f, words["w"], c), Vectors(f, words["ow"], c)
        held = f.buffer(c, AVERAGE_POOL_WIDEST + source.w)
        zero = source.neutral("add")

        def divided(v: Vectors, value: Value, count: Value, i: Value) -> Value:
            return value / (v.get(columns_count, i) * count)

        with (
            f.range(*part(f, index, words["each"], words["planes"])) as plane,
            f.range(words["oh"]) as r,
        ):
            source.each(lambda i: source.put(held, i, zero))
            with f.range(starts[r], starts[r + 1]) as k:
                number = lines[k]
                line = x.at((plane * words["h"] + number) * words["w"])
                before = source.wide(rows_count[number]) if transposed else zero

                def add(i: Value, line: Pointer = line, before: Value = before) -> None:
                    value = source.get(line, i)
                    if transposed:
                        value = divided(source, value, before, i)
                    source.put(held, i, source.get(held, i) + value)

                source.each(add)
            to = y.at((plane * words["oh"] + r) * words["ow"])
            after = None if transposed else target.wide(rows_count[r])

            def write(i: Value, to: Pointer = to, after: Value | None = after) -> None:
                # what the mask leaves out has first = last = 0: nothing is read for it
                first, last = (places(f, t, i, target) for t in (left, right))
                total = f.var(zero)
                with f.range(words["most"]) as tap:
                    at = first + f.convert(tap, I32)
                    total.set(total.get() + gathered(target, held, at, at < last))
                value = total.get()
                target.put(to, i, value if after is None else divided(target, value, after, i))

            target.each(write)

    def build() -> Module:
        return chunked(INTERFACE, chunk)

    return Kernel(INTERFACE, (e, transposed), build)


def places(f: Function, table: Pointer, i: Value, v: Vectors) -> Value:
    """A vector of a table of columns."""
    return table.load(i, v.w) if v.mask is None else table.load_masked(i, v.mask)
