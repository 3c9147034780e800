"""The words of machine code about Python's objects: what is returned, and how often it is held."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rushlight.kernels.codegen.ir import I64, PTR, Function, Module, Pointer
from rushlight.kernels.runtime import builtin, jit
from rushlight.kernels.runtime import object_code as words

pytestmark = pytest.mark.skipif(not jit.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")

OBJECTS = {"Py_None": None, "Py_True": True, "Py_False": False, "int": int, "tuple": tuple}


class Held:
    """An object with two fields."""

    __slots__ = ("first", "second")


FIRST, SECOND = words.slots_of(Held, Held.__slots__).values()


def made(name: str, write: Callable[[Function, Pointer], None]) -> Any:
    """The built-in function that `write` writes."""

    def build() -> Module:
        module = Module(name)
        builtin.declare(module, OBJECTS)
        write(*words.begin(module, name))
        return module

    code = words.compiled((name,), OBJECTS, build, "a test", FIRST, SECOND)
    assert name in words.exported
    return builtin.function(code[name], name)


def test_all_functions_are_pythons() -> None:
    assert all(builtin.pythons().values())
    assert set(builtin.FOR_KERNELS) <= set(builtin.PYTHON)


def test_demands_and_ends() -> None:
    def write(f: Function, args: Pointer) -> None:
        words.demand_class(f, args[0], "int")
        words.demand(f, words.same(f, args[0], args[1]))
        words.end_true(f, "Py_False")

    same = made("same_ints", write)
    assert same(5, 5) is True
    assert same(5, 6) is False
    assert same("a", "a") is False
    assert same(True, True) is False  # of a subclass

    def other(f: Function, args: Pointer) -> None:
        words.demand_class(f, args[0], "tuple", "elsewhere")
        words.end(f, words.take(f, args[0]))
        f.label("elsewhere")
        f.ret(words.take(f, words.the(f, "Py_False")))

    given = (1, 2, object())
    elsewhere = made("or_elsewhere", other)
    assert elsewhere(given) is given
    assert elsewhere([1]) is False


def test_references() -> None:
    """Each is taken once, and what stood in a field is let go."""

    def write(f: Function, args: Pointer) -> None:
        words.replace(f, args[0], FIRST, words.take(f, args[1]))
        words.put(args[0], SECOND, words.take(f, args[1]))
        words.end_true(f)

    fill = made("fill", write)
    old, new, held = object(), object(), Held()
    held.first = old
    before = sys.getrefcount(old), sys.getrefcount(new)
    fill(held, new)
    assert held.first is held.second is new
    assert (sys.getrefcount(old), sys.getrefcount(new)) == (before[0] - 1, before[1] + 2)
    del held
    assert sys.getrefcount(new) == before[1]


def test_calls() -> None:
    def write(f: Function, args: Pointer) -> None:
        f.ret(words.called(f, args[0], [args[1], args[2]]))

    call = made("call_two", write)
    given = [object(), object()]
    before = [sys.getrefcount(o) for o in given]
    assert call(lambda *a: a, *given) == tuple(given)
    assert [sys.getrefcount(o) for o in given] == before
    with pytest.raises(ZeroDivisionError):
        call(divmod, 1, 0)

    def method(f: Function, args: Pointer) -> None:
        good = words.done(f, words.called(f, args[0], [args[1], args[2]], "Method"))
        with f.when(~good):
            f.call("PyErr_Clear", None, [])
        words.demand(f, good)
        words.end_true(f, "Py_False")

    append = made("call_method", method)
    some: list[int] = []
    assert append("append", some, 3) is True
    assert some == [3]
    assert append("missing", some, 3) is False


def test_null_and_small_fields() -> None:
    def write(f: Function, args: Pointer) -> None:
        empty = words.is_null(f, builtin.field(f, args[0], FIRST))
        words.demand(f, empty)
        words.end_true(f, "Py_False")

    is_empty = made("is_empty", write)
    held = Held()
    assert is_empty(held) is True
    held.first = 1
    assert is_empty(held) is False

    def kind(f: Function, args: Pointer) -> None:
        n = f.convert(words.small_field(f, args[0], builtin.ND), I64)
        f.ret(f.call("PyLong_FromSsize_t", PTR, [n]))

    assert [made("dims", kind)(np.zeros(s)) for s in ((), (2,), (1, 1, 3))] == [0, 1, 3]
