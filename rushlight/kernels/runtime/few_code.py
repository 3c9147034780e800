"""The machine code of `few.py`: built-in functions that look at ndarrays and make new ones.

A function `(self, args, nargs)` demands, one after the other, what it is for; where something else
comes it returns None at the label `refuse`, before anything was made. It runs with the global lock
held and calls no Python code, so nothing changes meanwhile.

The fields of an ndarray beside those of `builtin.py`: base 48, type of the elements 56, flags 64.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..codegen.ir import F64, I8, I32, I64, PTR, Function, Module, Pointer, Value
from . import builtin
from .builtin import DATA, DIMENSIONS, ND, STRIDES
from .memory import numpy_address
from .object_code import (
    ALIGNED,
    CONTIGUOUS,
    DESCR,
    FLAGS,
    KIND,
    WRITEABLE,
    begin,
    demand,
    demand_class,
    end,
    end_true,
    is_null,
    same,
    small_field,
    the,
)

NEW_FROM_DESCR, SET_BASE = 94, 282  # places in NumPy's table of functions: its stable ABI
MOST_DIMS = 8
MOST_ELEMENTS = 4096  # of arrays whose elements are moved: beyond, that is what takes the time
MOST_LAYOUTS, MOST_WORDS = 12, 2 * MOST_DIMS + 3  # operands of one call; i32 of each
FIRST_ODD, LAST_ODD = 17, 22  # numbers of NumPy's types with parameters: strings, dates, records
TYPE = 24  # in an element's type: kind, character, byte order, flags (a byte each), number (i32)
MOST_SIZE = 1 << 31  # of a dimension: a product of two of these is an i64
OBJECTS = {
    "Py_None": None, "Py_False": False, "Py_True": True, "tuple": tuple, "int": int, "float": float,
    "str": str, "list": list, "ndarray": np.ndarray,
}  # fmt: skip
TYPES = ("float32", "int64")
EXPORTS = ("new", "of_classes", "assigned", "apart", "layouts", "kinds")
# bytes of an element, by the numbers of NumPy's types
SIZES = {np.dtype(c).num: np.dtype(c).itemsize for c in "?bBhHiIlLqQefdFD"}


def symbols() -> dict[str, int]:
    """Addresses of what these functions need from Python and NumPy."""
    objects = {**OBJECTS, **{name: np.dtype(name) for name in TYPES}}
    numpys = {"array_new": NEW_FROM_DESCR, "array_set_base": SET_BASE}
    found = builtin.pythons() | {name: id(thing) for name, thing in objects.items()}
    return found | {name: numpy_address(place) for name, place in numpys.items()}


def build() -> Module:
    from . import few_index_code, few_list_code, few_shape_code

    module = Module("few")
    declare(module)
    write_new(module)
    write_of_classes(module)
    write_assigned(module)
    write_apart(module)
    few_shape_code.write(module)
    write_layouts(module, "layouts", True)
    write_layouts(module, "kinds", False)
    few_index_code.write(module)
    few_list_code.write(module)
    return module


def declare(module: Module) -> None:
    """What `symbols` gives."""
    builtin.declare(module, (*OBJECTS, *TYPES))
    module.declare("array_new", PTR, [PTR, PTR, I32, PTR, PTR, PTR, I32, PTR])
    module.declare("array_set_base", I32, [PTR, PTR])


# -- the parts -----------------------------------------------------------------------------------


def address_of(f: Function, a: Value) -> Value:
    """Where an ndarray's elements begin, as a number."""
    return f.emit(I64, f"ptrtoint ptr {builtin.field(f, a, DATA).text} to i64")


def demand_rows(f: Function, a: Value) -> tuple[Value, Pointer]:
    """(number of dims, sizes) of an ndarray without gaps; go on where it is one."""
    demand_class(f, a, "ndarray")
    demand(f, (small_field(f, a, FLAGS) & CONTIGUOUS) != 0)
    return f.convert(small_field(f, a, ND), I64), builtin.field(f, a, DIMENSIONS).of(I64)


def demand_int(f: Function, thing: Value) -> Value:
    """The number that an int is; go on where it is one, of 64 bits."""
    demand_class(f, thing, "int")
    over = f.buffer(I32, 1)
    number: Value = f.call("PyLong_AsLongLongAndOverflow", I64, [thing, over])
    demand(f, over[0] == 0)
    return number


def new_array(
    f: Function, descr: Value, nd: Value, sizes: Value, strides: Value, data: Value, flags: Value
) -> Value:
    """A new ndarray, or null: in memory of its own where `data` is null, in rows where `strides`
    are."""
    f.call("Py_IncRef", None, [descr])  # NumPy keeps it
    kind, none, n = the(f, "ndarray"), the(f, "null"), f.convert(nd, I32)
    made: Value = f.call("array_new", PTR, [kind, descr, n, sizes, strides, data, flags, none])
    return made


def product(f: Function, sizes: Pointer, start: Value, stop: Value) -> Value:
    """The product of sizes[start:stop]."""
    n = f.var(1)
    with f.range(start, stop) as i:
        n.set(n.get() * sizes[i])
    return n.get()  # type: ignore[no-any-return]


# -- an object of Python's ------------------------------------------------------------------------


def write_new(module: Module) -> None:
    """new(cls): `object.__new__(cls)` for a class that is made as classes are in Python."""
    f, args = begin(module, "new")
    f.ret(f.call("PyType_GenericAlloc", PTR, [args[0], f.const(I64, 0)]))


def write_of_classes(module: Module) -> None:
    """of_classes(things, classes, inner): whether the class of each of a tuple is in a set, or it
    is a tuple of things whose classes are in another set."""
    f, args = begin(module, "of_classes")
    things, classes, inner = args[0], args[1], args[2]
    demand_class(f, things, "tuple")
    answer = f.var(1)

    def all_in(some: Value, known: Value, otherwise: Any) -> None:
        with f.range(f.call("PyTuple_Size", I64, [some])) as i:
            thing = f.call("PyTuple_GetItem", PTR, [some, i])
            there = f.call("PySet_Contains", I32, [known, builtin.field(f, thing, KIND)])
            with f.when(there < 0):
                f.call("PyErr_Clear", None, [])  # of a class that has no hash
            with f.when(there != 1):
                otherwise(thing)

    def of_a_tuple(thing: Value) -> None:
        with f.when(same(f, builtin.field(f, thing, KIND), the(f, "tuple"))) as branch:
            all_in(thing, inner, lambda _: answer.set(0))
        with branch.otherwise():
            answer.set(0)

    all_in(things, classes, of_a_tuple)
    yes = f.emit(PTR, f"select i1 {(answer.get() != 0).text}, ptr @Py_True, ptr @Py_False")
    f.call("Py_IncRef", None, [yes])
    end(f, yes)


# -- copies, and whether memory is shared --------------------------------------------------------


def item_of(f: Function, descr: Value) -> Value:
    """Bytes of an element; go on where its type is one of NumPy's own."""
    number = descr.of(I8).at(TYPE).of(I64)[0] >> 32
    item = f.var(0)
    for known, size in SIZES.items():
        item.set(f.select(number == known, f.const(I64, size), item.get()))
    demand(f, item.get() > 0)
    return item.get()  # type: ignore[no-any-return]


def write_assigned(module: Module) -> None:
    """assigned(to, a): True after the elements of one small array were copied into another of its
    type and shape; both lie in rows. None for others, where nothing was done."""
    f, args = begin(module, "assigned")
    to, a = args[0], args[1]
    nd, sizes = demand_rows(f, to)
    dims, own = demand_rows(f, a)
    demand(f, dims == nd)
    demand(f, (small_field(f, to, FLAGS) & WRITEABLE) != 0)
    descr = builtin.field(f, to, DESCR)
    demand(f, same(f, builtin.field(f, a, DESCR), descr))
    item = item_of(f, descr)
    n = f.var(1)
    with f.range(nd) as i:
        demand(f, own[i] == sizes[i])
        demand(f, sizes[i] <= MOST_ELEMENTS)
        n.set(n.get() * sizes[i])
        demand(f, n.get() <= MOST_ELEMENTS)
    given = [builtin.field(f, x, DATA) for x in (to, a)]
    nbytes = n.get() * item
    f.intrinsic("llvm.memmove.p0.p0.i64", None, [*given, nbytes, Value(f, "i1", "false")])
    end_true(f)


def write_apart(module: Module) -> None:
    """apart(a, b): True where two arrays in rows have no byte of memory in common; None where they
    have, and for others."""
    f, args = begin(module, "apart")
    ends = []
    for k in (0, 1):
        nd, sizes = demand_rows(f, args[k])
        size = product(f, sizes, f.const(I64, 0), nd)
        start = address_of(f, args[k])
        ends.append((start, start + size * item_of(f, builtin.field(f, args[k], DESCR))))
    (a, after_a), (b, after_b) = ends
    demand(f, (after_a <= b) | (after_b <= a))
    end_true(f)


# -- the key of a plan ---------------------------------------------------------------------------

# What the words of one operand begin with, in three bits.
ARRAY, NONE, FALSE, TRUE, FLOAT, INT, INTS, TEXT = range(8)


def write_layouts(module: Module, name: str, values: bool) -> None:
    """layouts(*operands): bytes that differ where types, shapes, strides or alignment of ndarrays
    do, or other operands: None, bools, floats, ints, tuples of ints, short words. None for what
    else there is, and for sizes and strides beyond 32 bits. Of kinds(*operands), without `values`,
    one float is as another, and one int."""
    f, args = begin(module, name)
    count = f.args["nargs"]
    demand(f, count <= MOST_LAYOUTS)
    words = f.buffer(I32, MOST_LAYOUTS * MOST_WORDS)
    at = f.var(0)

    def put(value: Value) -> None:
        words[at.get()] = value
        at.set(at.get() + 1)

    def put_whole(value: Value) -> None:
        """A number of 64 bits."""
        put(f.convert(value & 0xFFFFFFFF, I32))
        put(f.convert(value >> 32, I32))

    def put_small(values: Pointer, n: Value) -> None:
        """Numbers that have 32 bits."""
        with f.range(n) as i:
            value = values[i]
            small = f.convert(value, I32)
            demand(f, f.convert(small, I64) == value)
            put(small)

    with f.range(count) as i:
        thing = args[i]
        kind = builtin.field(f, thing, KIND)
        with f.when(same(f, kind, the(f, "ndarray"))) as branch:
            nd = small_field(f, thing, ND)
            demand(f, nd <= MOST_DIMS)
            type_ = builtin.field(f, thing, DESCR).of(I8).at(TYPE).of(I64)[0]
            number = type_ >> 32
            demand(f, (number < FIRST_ODD) | (number > LAST_ODD))
            aligned = small_field(f, thing, FLAGS) & ALIGNED
            put((nd << 3) | (aligned << 8) | ARRAY)
            put_whole(type_)
            dims = f.convert(nd, I64)
            put_small(builtin.field(f, thing, DIMENSIONS).of(I64), dims)
            put_small(builtin.field(f, thing, STRIDES).of(I64), dims)
        with branch.otherwise():
            plain = [("Py_None", NONE), ("Py_False", FALSE), ("Py_True", TRUE)]
            write_other(f, thing, kind, plain, values, put, put_whole)
    made = f.call("PyBytes_FromStringAndSize", PTR, [words, at.get() * 4])
    end(f, made)


def write_other(
    f: Function, thing: Value, kind: Value, plain: list[tuple[str, int]], values: bool, put: Any,
    put_whole: Any,
) -> None:  # fmt: skip
    """The words of an operand that is no array."""
    if plain:
        (name, code), *rest = plain
        with f.when(same(f, thing, the(f, name))) as branch:
            put(f.const(I32, code))
        with branch.otherwise():
            write_other(f, thing, kind, rest, values, put, put_whole)
        return
    with f.when(same(f, kind, the(f, "float"))) as branch:
        put(f.const(I32, FLOAT))
        if values:
            put_whole(f.bits(f.call("PyFloat_AsDouble", F64, [thing]), I64))
    with branch.otherwise():
        with f.when(same(f, kind, the(f, "tuple"))) as other:
            n = f.call("PyTuple_Size", I64, [thing])
            demand(f, n <= MOST_DIMS)
            put((f.convert(n, I32) << 3) | INTS)
            with f.range(n) as i:
                put_whole(demand_int(f, f.call("PyTuple_GetItem", PTR, [thing, i])))
        with other.otherwise():
            with f.when(same(f, kind, the(f, "str"))) as last:
                write_text(f, thing, put)
            with last.otherwise():
                put(f.const(I32, INT))
                n = demand_int(f, thing)
                if values:
                    put_whole(n)


def write_text(f: Function, thing: Value, put: Any) -> None:
    """The words of a text: its length, and a byte in each."""
    length = f.buffer(I64, 1)
    text = f.call("PyUnicode_AsUTF8AndSize", PTR, [thing, length])
    with f.when(is_null(f, text)):
        f.call("PyErr_Clear", None, [])  # of half a surrogate
        length[0] = f.const(I64, 2 * MOST_DIMS + 1)
    n = length[0]
    demand(f, n <= 2 * MOST_DIMS)
    put((f.convert(n, I32) << 3) | TEXT)
    with f.range(n) as i:
        put(f.convert(text.of(I8)[i], I32))
