"""Few random numbers and the array that they are in, by one native call.

`functions()` are one for each kind of `mersenne_twister.py`: uniform float32 numbers, normal ones,
whole numbers, permutations. `(shape, state, locked, ...)` gives a new array of numbers from a
stream; None where they are many or none, or `locked()` says that a thread is drawing from it. The
numbers are those of `generator.py` and `distributions.py`, bit for bit.

The global lock is held from that question to the last number, so no thread begins meanwhile.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .. import tuning
from ..codegen.ir import F32, F64, I32, I64, PTR, Function, Module, Pointer, Value
from ..runtime import builtin, few_code, jit, object_code
from . import library
from .generator import BUFFER, write_doubles, write_draw, write_transform

GROUP = 16  # normal numbers from which on they are made in groups of float32
LIBRARY = ("log1p", "sin", "cos")
# in the order of their numbers in mersenne_twister.py
KINDS = ("uniforms", "normals", "integers", "permuted")


def symbols() -> dict[str, int]:
    """Addresses of what these functions need."""
    return {**few_code.symbols(), **library.symbols(LIBRARY)}


def build() -> Module:
    module = Module("random_few")
    few_code.declare(module)
    for name in LIBRARY:
        module.declare(name, F64, [F64])
    write_draw(module, "floats", True)
    write_doubles(module, "doubles", twist=False)
    write_transform(module, "standard", True)
    write_transform(module, "scaled", False)
    write_uniforms(module)
    write_normals(module)
    write_integers(module)
    write_permuted(module)
    return module


def sizes_of(f: Function, shape: Value) -> tuple[Value, Pointer, Value]:
    """(number of dims, sizes, elements) of a tuple of ints, of few elements."""
    object_code.demand_class(f, shape, "tuple")
    nd = f.call("PyTuple_Size", I64, [shape])
    object_code.demand(f, nd <= few_code.MOST_DIMS)
    sizes, n = f.buffer(I64, few_code.MOST_DIMS), f.var(1)
    with f.range(nd) as i:
        size = few_code.demand_int(f, f.call("PyTuple_GetItem", PTR, [shape, i]))
        object_code.demand(f, size > 0)
        object_code.demand(f, size <= tuning.RANDOM_ONE_CALL)
        sizes[i] = size
        n.set(n.get() * size)
        object_code.demand(f, n.get() <= tuning.RANDOM_ONE_CALL)
    return nd, sizes, n.get()


def demand_free(f: Function, locked: Value) -> None:
    """Go on where no thread draws."""
    answer = f.call("PyObject_CallNoArgs", PTR, [locked])
    f.call("Py_DecRef", None, [answer])  # True or False, which is always there
    object_code.demand(f, object_code.same(f, answer, object_code.the(f, "Py_False")))


def demand_float(f: Function, thing: Value) -> Value:
    """The number that a float is; go on where it is one."""
    object_code.demand_class(f, thing, "float")
    return f.call("PyFloat_AsDouble", F64, [thing])  # type: ignore[no-any-return]


def filled(
    f: Function, dtype: str, nd: Value, sizes: Pointer, fill: Callable[[Value], None]
) -> None:
    """Return a new array, after `fill` has written the code that fills its memory."""
    null = object_code.the(f, "null")
    descr = object_code.the(f, dtype)
    made = few_code.new_array(f, descr, nd, sizes, null, null, f.const(I32, 0))
    with f.when(~object_code.same(f, made, null)):
        fill(builtin.field(f, made, builtin.DATA))
    object_code.end(f, made)


def write_uniforms(module: Module) -> None:
    """uniforms(shape, state, locked): float32 numbers in [0, 1)."""
    f, args = object_code.begin(module, "uniforms")
    nd, sizes, n = sizes_of(f, args[0])
    demand_free(f, args[2])
    state = builtin.field(f, args[1], builtin.DATA)
    filled(f, "float32", nd, sizes, lambda out: f.call("floats", None, [out, state, n]))


def write_normals(module: Module) -> None:
    """normals(shape, state, locked, spare, mean, std): float32 numbers. `spare` has a float64
    number that waits to be handed out, behind a 1 if there is one; fewer than a group of another
    mean than 0 are left to NumPy."""
    f, args = object_code.begin(module, "normals")
    nd, sizes, n = sizes_of(f, args[0])
    mean, std = demand_float(f, args[4]), demand_float(f, args[5])
    object_code.demand(f, (n >= GROUP) | (mean == 0))
    demand_free(f, args[2])
    state, spare = (builtin.field(f, args[k], builtin.DATA) for k in (1, 3))

    def fill(out: Value) -> None:
        with f.when(n >= GROUP) as branch:
            with f.when((mean == 0) & (std == 1)) as plain:
                write_groups(f, out, state, n, "standard", [mean, std])
            with plain.otherwise():
                write_groups(f, out, state, n, "scaled", [mean, std])
        with branch.otherwise():
            write_pairs(f, out.of(F32), state, spare.of(F64), n, std)

    filled(f, "float32", nd, sizes, fill)


def write_groups(
    f: Function, out: Value, state: Value, n: Value, transform: str, numbers: list[Value]
) -> None:
    """`generator.normal`: groups of 16, the last 16 anew where n is no multiple of 16."""
    numbers_at = out.of(F32)
    whole = n - n % GROUP
    f.call("floats", None, [out, state, n])
    f.call(transform, None, [out, out, whole // GROUP, *numbers])
    with f.when(whole < n):
        last = numbers_at.at(n - GROUP)
        f.call("floats", None, [last, state, f.const(I64, GROUP)])
        f.call(transform, None, [last, last, f.const(I64, 1), *numbers])


def write_pairs(
    f: Function, out: Pointer, state: Value, spare: Pointer, n: Value, std: Value
) -> None:
    """`distributions._pairs`: float64 numbers, two at a time, the first one that which waits."""
    begin = f.var(0)

    def put(at: Value, x: Value) -> None:
        out[at] = f.convert(x * std, F32)

    with f.when(spare[0] != 0):
        put(f.const(I64, 0), spare[1])
        spare[0] = 0.0
        begin.set(1)
    u = f.buffer(F64, 2)
    with f.range(begin.get(), n, 2) as i:
        f.call("doubles", None, [u, state, f.const(I64, 2)])
        below = f.const(F64, 0.0) - u[1]
        # Python's log1p gives the zero that it got
        log = f.select(below == 0, below, f.call("log1p", F64, [below]))
        radius, theta = f.sqrt(log * -2.0), u[0] * (2.0 * np.pi)
        put(i, radius * f.call("cos", F64, [theta]))
        second = radius * f.call("sin", F64, [theta])
        with f.when(i + 1 < n) as branch:
            put(i + 1, second)
        with branch.otherwise():
            spare[0] = 1.0
            spare[1] = second


def write_integers(module: Module) -> None:
    """integers(shape, state, locked, base, span): int64 numbers from base on, each of one word."""
    f, args = object_code.begin(module, "integers")
    nd, sizes, n = sizes_of(f, args[0])
    base, span = (few_code.demand_int(f, args[k]) for k in (3, 4))
    object_code.demand(f, span > 0)
    object_code.demand(f, span < 1 << 28)  # `distributions._BIG_SPAN`: beyond, two words each
    object_code.demand(f, (base > -(1 << 62)) & (base < 1 << 62))  # so that all of them are int64
    demand_free(f, args[2])
    state = builtin.field(f, args[1], builtin.DATA)

    def fill(memory: Value) -> None:
        out = memory.of(I64)
        with words_of(f, state, n) as (i, word):
            out[i] = f.binary("urem", word, span) + base

    filled(f, "int64", nd, sizes, fill)


@contextmanager
def words_of(f: Function, state: Value, n: Value) -> Iterator[tuple[Value, Value]]:
    """The loop over the next n words: (number, word)."""
    words = f.buffer(I32, BUFFER)
    with f.range(0, n, BUFFER) as start:
        count = f.select(n - start < BUFFER, n - start, f.const(I64, BUFFER))
        f.call("words", None, [words, state, count])
        with f.range(count) as i:
            word = words[i]
            yield start + i, f.emit(I64, f"zext {word.type} {word.text} to {I64}")


def write_permuted(module: Module) -> None:
    """permuted((n,), state, locked): 0 .. n-1 shuffled, int64, as `select.permutation` does it."""
    f, args = object_code.begin(module, "permuted")
    nd, sizes, n = sizes_of(f, args[0])
    demand_free(f, args[2])
    state = builtin.field(f, args[1], builtin.DATA)

    def fill(memory: Value) -> None:
        out = memory.of(I64)
        with f.range(n) as i:
            out[i] = i
        with words_of(f, state, n - 1) as (i, word):
            other = i + f.binary("urem", word, n - i)
            here, there = out[i], out[other]
            out[i], out[other] = there, here

    filled(f, "int64", nd, sizes, fill)


@functools.cache
def functions() -> tuple[Any, ...]:
    """The built-in functions, in the order of `KINDS`."""
    key = ("random_few", jit.target().lanes, tuning.RANDOM_ONE_CALL)
    found = jit.load(key, build, KINDS, symbols())
    return tuple(builtin.function(found[name], f"random_{name}") for name in KINDS)
