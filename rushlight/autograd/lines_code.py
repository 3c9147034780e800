"""The machine code of `lines.line_from`: it walks over the frames while it knows whose they are.

It runs with the global lock held. Where a code object is not known, it calls the function in
Python, which finds out and remembers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..kernels.codegen.ir import I32, I64, PTR, Function, Module, Value
from ..kernels.runtime import builtin
from ..kernels.runtime.builtin import DATA, field
from ..kernels.runtime.object_code import begin, compiled, is_null, the
from .lines import OURS, ROOM

NAME = "line_from"
OBJECTS = ("Py_None", "by_python")


def function(table: np.ndarray, by_python: Callable[..., Any]) -> Any:
    """`line_from` with the table of `lines.remember`."""
    things = dict(zip(OBJECTS, (None, by_python), strict=True))
    code = compiled((NAME,), things, build, ROOM, OURS)
    return builtin.bound(code[NAME], NAME, table, ("frame", "seen"))


def build() -> Module:
    module = Module(NAME)
    builtin.declare(module, OBJECTS)
    f, args = begin(module, NAME)
    code, place = write_line(f, args[0], args[1])
    result = f.var(the(f, "null"))
    with f.when(~is_null(f, code)):
        made = f.call("PyTuple_New", PTR, [f.const(I64, 2)])
        with f.when(is_null(f, made)) as branch:
            f.call("Py_DecRef", None, [code])
            f.call("Py_DecRef", None, [place])
        with branch.otherwise():
            f.call("PyTuple_SetItem", I32, [made, f.const(I64, 0), code])
            f.call("PyTuple_SetItem", I32, [made, f.const(I64, 1), place])
        result.set(made)
    f.ret(result.get())
    return module


def write_line(f: Function, start: Value, seen: Value) -> tuple[Value, Value]:
    """The line from a frame on: its code and place, both owned; null with the error that is set.
    The function's `self` is the table, and its module has what is declared here."""
    table = field(f, f.args["self"], DATA).of(I64)
    null, none, walked = the(f, "null"), the(f, "Py_None"), f.var(0)
    frame = f.var(start)  # ours from the second one on
    f.call("Py_IncRef", None, [start])
    whose, found_code, place = f.var(0), f.var(null), f.var(null)
    with f.repeat() as walk:
        walk.stop_if(is_null(f, frame.get()))
        code = f.call("PyFrame_GetCode", PTR, [frame.get()])
        found_code.set(code)
        whose.set(found(f, table, code))
        walk.stop_if(whose.get() != OURS)
        f.call("Py_DecRef", None, [code])
        back = f.call("PyFrame_GetBack", PTR, [frame.get()])
        f.call("Py_DecRef", None, [frame.get()])
        frame.set(back)
        walked.set(1)
    with f.when(is_null(f, frame.get())) as none_left:
        f.call("Py_IncRef", None, [none])
        found_code.set(none)
        place.set(f.call("PyLong_FromLong", PTR, [f.const(I64, 0)]))
    with none_left.otherwise():
        with f.when(whose.get() == 0) as unknown:
            f.call("Py_DecRef", None, [found_code.get()])
            given = f.buffer(PTR, 2)
            given[0], given[1] = start, seen
            call = [the(f, "by_python"), given, f.const(I64, 2), null]
            answer = f.call("PyObject_Vectorcall", PTR, call)
            found_code.set(null)
            with f.when(~is_null(f, answer)):
                for i, held in enumerate((found_code, place)):
                    held.set(f.call("PyTuple_GetItem", PTR, [answer, f.const(I64, i)]))
                    f.call("Py_IncRef", None, [held.get()])
                f.call("Py_DecRef", None, [answer])
        with unknown.otherwise():
            with f.when(walked.get() == 0):
                f.call("Py_IncRef", None, [found_code.get()])
                f.call("PyList_SetItem", I32, [seen, f.const(I64, 0), found_code.get()])
            lasti = f.convert(f.call("PyFrame_GetLasti", I32, [frame.get()]), I64)
            place.set(f.call("PyLong_FromLong", PTR, [lasti]))
        f.call("Py_DecRef", None, [frame.get()])
    return found_code.get(), place.get()


def found(f: Function, table: Any, code: Value) -> Value:
    """Whose a code object is; 0 where that is not known."""
    address = f.emit(I64, f"ptrtoint ptr {code.text} to i64")
    at, whose = f.var((address >> 5) & (ROOM - 1)), f.var(0)
    with f.repeat() as search:
        entry = table[at.get()]
        search.stop_if(entry == 0)
        with f.when((entry & -4) == address):
            whose.set(entry & 3)
        search.stop_if(whose.get() != 0)
        at.set((at.get() + 1) & (ROOM - 1))
    return whose.get()  # type: ignore[no-any-return]
