"""Kernels over lists of arrays: many small arrays as one long one, in one call from Python.

A list has `width` arrays a row (a parameter, its gradient and its states). Which kernel may work on
it depends on the types and layouts of hundreds of arrays, so machine code looks at them: `gather`
(an ndarray of the right type, aligned, dense, of the same shape and layout as the others of its
row; a first array in no two rows) writes a table of their addresses. A kernel is called with that
table and an array of numbers. To it, the rows are one long array, cut into chunks that the pool's
threads share; `parts` walks over the pieces of rows in a chunk.

Not here: what is done to the elements (`optim/update.py`, `multi_tensor/norm_scale.py`).
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..elementwise import contiguous
from ..runtime import builtin, jit, threads
from .interface import Interface, Kernel, Words
from .ir import F32, F64, I8, I32, I64, PTR, Function, Module, Value

TYPE, SIZE, ITEMS = 8, 16, 24  # fields of a list
DESCR, FLAGS = 56, 64  # further fields of an ndarray
BYTE_ORDER, TYPE_NUMBER = 26, 28  # fields of a dtype
C_ORDER, F_ORDER, ALIGNED, WRITEABLE = 1, 2, 0x100, 0x400
NUMBERS = {F32: 11, F64: 12}  # NumPy's numbers of types


def room(rows: int, width: int) -> int:
    """Words of a table: for each row its pointers and where it starts, and the total."""
    return (rows + 1) * (width + 1)


def interface(name: str, summary: str, row: dict[str, str], numbers: str) -> Interface:
    """The interface of a kernel over a list.

    A list has as many arrays as a model has parameters, so they are no fields of their own: the
    fields of a row are described with the table.
    """
    fields = "; ".join(f"{k}: {text}" for k, text in row.items())
    return Interface(
        name,
        summary,
        arrays={
            "table": f"int64, as `gather` writes it. Arrays of a row: {fields}",
            "numbers": numbers,
        },
        ints={
            "rows": "rows of the list",
            "total": "elements of all rows, each row counted once",
            "each": "elements that a chunk has",
            "chunks": "pieces of work, which threads share",
        },
    )


def sizes(rows: int, total: int) -> dict[str, int]:
    """The ints of a launch over a list of so many elements."""
    each = int(contiguous.share_of(total))
    return {"rows": rows, "total": total, "each": each, "chunks": -(-total // each)}


# -- from a list to a table ----------------------------------------------------------------------


def _int(f: Function, thing: Value, offset: int, type_: str = I64) -> Value:
    place = f.emit(PTR, f"getelementptr i8, ptr {thing.text}, i64 {offset}")
    return place.of(type_)[0]


def write_gather(module: Module, element: str, width: int, writes: Sequence[bool]) -> None:
    """Look at the arrays and fill the table; returns the number of elements, -1: not for us."""
    f = module.function("gather", I64, [("items", PTR), ("rows", I64), ("table", PTR)], True)
    f.apart = True
    items, table = f.args["items"].of(PTR), f.args["table"].of(I64)
    total, bad = f.var(0), f.var(0)

    def refuse_unless(condition: Value) -> None:
        bad.set(bad.get() | f.select(condition, f.const(I64, 0), 1))

    with f.repeat() as look:
        row = f.var(0)
        with f.repeat() as rows:
            rows.stop_if(row.get() >= f.args["rows"])
            arrays = [items[row.get() * width + k] for k in range(width)]
            for a in arrays:
                kind = f.emit(PTR, f"inttoptr i64 {_int(f, a, TYPE).text} to ptr")
                same = f.emit("i1", f"icmp eq ptr {kind.text}, @ndarray")
                refuse_unless(same)
            look.stop_if(bad.get() != 0)
            common = f.const(I32, C_ORDER | F_ORDER)
            dims = builtin.field(f, arrays[0], builtin.DIMENSIONS).of(I64)
            nd = _int(f, arrays[0], builtin.ND, I32)
            for a, written in zip(arrays, writes, strict=True):
                dtype = builtin.field(f, a, DESCR)
                flags = _int(f, a, FLAGS, I32)
                needed = ALIGNED | (WRITEABLE if written else 0)
                refuse_unless(_int(f, dtype, TYPE_NUMBER, I32) == NUMBERS[element])
                refuse_unless(_int(f, dtype, BYTE_ORDER, I8) == ord("="))
                refuse_unless((flags & needed) == needed)
                refuse_unless(_int(f, a, builtin.ND, I32) == nd)
                common = common & flags
            refuse_unless(common != 0)
            look.stop_if(bad.get() != 0)
            count = f.var(1)
            others = [builtin.field(f, a, builtin.DIMENSIONS).of(I64) for a in arrays[1:]]
            with f.range(f.convert(nd, I64)) as d:
                for other in others:
                    refuse_unless(other[d] == dims[d])
                count.set(count.get() * dims[d])
            entry = table.at(row.get() * (width + 1))
            for k, a in enumerate(arrays):
                entry[k] = _int(f, a, builtin.DATA)
            entry[width] = total.get()
            with f.range(row.get()) as earlier:
                refuse_unless(table[earlier * (width + 1)] != entry[0])
            total.set(total.get() + count.get())
            row.set(row.get() + 1)
        table.at(row.get() * (width + 1))[width] = total.get()
        look.stop_if(f.const(I64, 0) == 0)
    f.ret(f.select(bad.get() != 0, f.const(I64, -1), total.get()))


@functools.cache
def gather(element: str, width: int, writes: tuple[bool, ...]) -> Callable[[list[Any], Any], int]:
    """The function (list of arrays, table) that fills the table with `room` for it.

    It returns the elements of all rows, or -1 when one of the arrays is not for a kernel: of
    another type, not dense, written to but read-only (`writes` has an answer for each of a row)…
    """

    def build() -> Module:
        module = Module("gather")
        write_gather(module, element, width, writes)
        builtin.declare_python(module)
        module.declare("PyLong_FromSsize_t", PTR, [I64])
        module.globals["ndarray"] = "@ndarray = external global i8"
        f = module.function("call", PTR, [("self", PTR), ("args", PTR), ("nargs", I64)])
        args = f.args["args"].of(PTR)
        rows = f.emit(I64, f"udiv i64 {_int(f, args[0], SIZE).text}, {width}")
        table = builtin.field(f, args[1], builtin.DATA)
        total = f.call("gather", I64, [builtin.field(f, args[0], ITEMS), rows, table])
        f.ret(f.call("PyLong_FromSsize_t", PTR, [total]))
        return module

    number = ctypes.cast(ctypes.pythonapi.PyLong_FromSsize_t, ctypes.c_void_p).value
    imports = {**builtin.symbols(), "ndarray": id(np.ndarray), "PyLong_FromSsize_t": number}
    found = jit.load(("gather", element, width, writes), build, ["call"], imports)  # type: ignore[arg-type]
    return builtin.function(found["call"], "gather", gather.__doc__ or "")  # type: ignore[no-any-return]


# -- kernels -------------------------------------------------------------------------------------


def parts(
    f: Function, words: Words, index: Value, width: int
) -> Iterator[tuple[list[Value], Value, Value]]:
    """Write the loop over the pieces of a chunk: pointers of a row, first and last element. The
    body of the `for` is written once."""
    table = words["table"].of(I64)
    total, each = words["total"], words["each"]
    first = index * each
    last = f.select(first + each < total, first + each, total)
    low, high = f.var(0), f.var(words["rows"])
    with f.repeat() as halve:  # the last row that starts at `first` or before
        halve.stop_if(high.get() - low.get() <= 1)
        middle = (low.get() + high.get()) >> 1
        starts = table[middle * (width + 1) + width]
        low.set(f.select(starts <= first, middle, low.get()))
        high.set(f.select(starts <= first, high.get(), middle))
    at = f.var(first)
    with f.repeat() as rows:
        rows.stop_if(at.get() >= last)
        entry = table.at(low.get() * (width + 1))
        start, following = entry[width], entry[2 * width + 1]
        end = f.select(following < last, following, last)
        pointers = [f.emit(PTR, f"inttoptr i64 {entry[k].text} to ptr") for k in range(width)]
        yield pointers, at.get() - start, end - start
        at.set(end)
        low.set(low.get() + 1)


Chunk = Callable[[Function, Words], None]


def kernel(
    interface: Interface, key: tuple[Any, ...], chunk: Chunk
) -> Kernel:
    """The kernel whose chunks `chunk(f, words)` writes."""

    def build() -> Module:
        module = Module(interface.name)
        threads.declare_run(module)
        c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
        chunk(c, interface.words(c.args["context"]))
        c.ret()
        interface.write(module, "chunks")
        return module

    return Kernel(interface, key, build)
