"""The machine code of `few.py` that makes arrays of Python's numbers.

`numbers(data, kind)`: the numbers of a list or tuple, or of one of such of one length, as an array.
All are floats or all are ints, of these very classes. `kind` None: float32 or int64, as the numbers
are; True: float32; False: int64, which floats are not made.
"""

from __future__ import annotations

from collections.abc import Callable

from ..codegen.ir import F32, F64, I32, I64, PTR, Module, Value
from . import builtin
from .builtin import DATA
from .few_code import MOST_ELEMENTS, demand_int, new_array
from .object_code import KIND, begin, demand, end, is_null, same, the

EXPORTS = ("numbers",)


def write(module: Module) -> None:
    """All functions of this file."""
    write_length(module)
    write_entry(module)
    write_numbers(module)


def write_length(module: Module) -> None:
    """length(thing): of a list or tuple; -1 of anything else."""
    f = module.function("length", I64, [("thing", PTR)], private=True)
    thing = f.args["thing"]
    kind = builtin.field(f, thing, KIND)
    n = f.var(-1)
    with f.when(same(f, kind, the(f, "list"))) as branch:
        n.set(f.call("PyList_Size", I64, [thing]))
    with branch.otherwise(), f.when(same(f, kind, the(f, "tuple"))):
        n.set(f.call("PyTuple_Size", I64, [thing]))
    f.ret(n.get())


def write_entry(module: Module) -> None:
    """entry(thing, i): what stands in a list or tuple."""
    f = module.function("entry", PTR, [("thing", PTR), ("i", I64)], private=True)
    thing, i = f.args["thing"], f.args["i"]
    found = f.var(the(f, "null"), PTR)
    with f.when(same(f, builtin.field(f, thing, KIND), the(f, "list"))) as branch:
        found.set(f.call("PyList_GetItem", PTR, [thing, i]))
    with branch.otherwise():
        found.set(f.call("PyTuple_GetItem", PTR, [thing, i]))
    f.ret(found.get())


def write_numbers(module: Module) -> None:
    f, args = begin(module, "numbers")
    data, wanted, null, zero = args[0], args[1], the(f, "null"), f.const(I64, 0)
    rows = f.call("length", I64, [data])
    demand(f, rows > 0)
    demand(f, rows <= MOST_ELEMENTS)
    first = f.call("entry", PTR, [data, zero])
    inner = f.call("length", I64, [first])
    deep = inner >= 0
    columns = f.select(deep, inner, f.const(I64, 1))
    demand(f, columns > 0)
    demand(f, columns <= MOST_ELEMENTS)
    demand(f, rows * columns <= MOST_ELEMENTS)
    leaf = f.var(first, PTR)
    with f.when(deep):
        leaf.set(f.call("entry", PTR, [first, zero]))
    kind = builtin.field(f, leaf.get(), KIND)
    floats = same(f, kind, the(f, "float"))
    demand(f, floats | same(f, kind, the(f, "int")))
    single = same(f, wanted, the(f, "Py_True")) | (floats & same(f, wanted, the(f, "Py_None")))
    demand(f, ~(floats & same(f, wanted, the(f, "Py_False"))))

    def each(do: Callable[[Value, Value], None]) -> None:
        """Write `do(place, number)` for all of them."""
        with f.range(rows) as i:
            row = f.call("entry", PTR, [data, i])
            with f.when(deep) as branch, f.range(columns) as k:
                do(i * columns + k, f.call("entry", PTR, [row, k]))
            with branch.otherwise():
                do(i, row)

    with f.when(deep), f.range(rows) as i:
        demand(f, f.call("length", I64, [f.call("entry", PTR, [data, i])]) == columns)
    def demanded(_at: Value, x: Value) -> None:
        demand_int(f, x)

    with f.when(floats) as branch:
        each(lambda _at, x: demand(f, same(f, builtin.field(f, x, KIND), the(f, "float"))))
    with branch.otherwise():
        each(demanded)
    sizes = f.buffer(I64, 2)
    sizes[0], sizes[1] = rows, columns
    nd = f.select(deep, f.const(I64, 2), f.const(I64, 1))
    descr = f.emit(
        PTR, f"select i1 {single.text}, ptr {the(f, 'float32').text}, ptr {the(f, 'int64').text}"
    )
    made = new_array(f, descr, nd, sizes, null, null, f.const(I32, 0))
    with f.when(~is_null(f, made)):
        memory = builtin.field(f, made, DATA)

        def whole(x: Value) -> Value:
            over = f.buffer(I32, 1)
            return f.call("PyLong_AsLongLongAndOverflow", I64, [x, over])  # type: ignore[no-any-return]

        def rounded(at: Value, x: Value) -> None:
            memory.of(F32)[at] = f.convert(f.call("PyFloat_AsDouble", F64, [x]), F32)

        def converted(at: Value, x: Value) -> None:
            memory.of(F32)[at] = f.convert(whole(x), F32)

        def kept(at: Value, x: Value) -> None:
            memory.of(I64)[at] = whole(x)

        with f.when(floats) as branch:
            each(rounded)
        with branch.otherwise():
            with f.when(single) as other:
                each(converted)
            with other.otherwise():
                each(kept)
    end(f, made)
