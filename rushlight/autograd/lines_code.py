"""The machine code of `lines.line_from`: it walks over the frames while it knows whose they are.

It runs with the global lock held. Where a code object is not known, it calls the function in
Python, which finds out and remembers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..kernels.codegen.ir import I32, I64, PTR, Function, Module, Value
from ..kernels.runtime import builtin, jit
from ..kernels.runtime.builtin import DATA, field
from ..kernels.runtime.few_code import begin, same, the
from .lines import OURS, ROOM

NAME = "line_from"
CALLS: builtin.Calls = {  # Python's functions: what they return and take
    "Py_IncRef": (None, [PTR]), "Py_DecRef": (None, [PTR]),
    "PyFrame_GetCode": (PTR, [PTR]), "PyFrame_GetBack": (PTR, [PTR]),
    "PyFrame_GetLasti": (I32, [PTR]), "PyLong_FromLong": (PTR, [I64]), "PyTuple_New": (PTR, [I64]),
    "PyTuple_SetItem": (I32, [PTR, I64, PTR]), "PyList_SetItem": (I32, [PTR, I64, PTR]),
    "PyObject_Vectorcall": (PTR, [PTR, PTR, I64, PTR]),
}  # fmt: skip
OBJECTS = ("Py_None", "by_python")


def function(table: np.ndarray, by_python: Callable[..., Any]) -> Any:
    """`line_from` with the table of `lines.remember`."""
    symbols = {**builtin.pythons(CALLS), "Py_None": id(None), "by_python": id(by_python)}
    code = jit.load((NAME, ROOM, OURS), build, (NAME,), symbols)
    return builtin.bound(code[NAME], NAME, table, ("frame", "seen"))


def build() -> Module:
    module = Module(NAME)
    builtin.declare(module, CALLS, OBJECTS)
    f, args = begin(module, NAME)
    table = field(f, f.args["self"], DATA).of(I64)
    null, walked = the(f, "null"), f.var(0)
    frame = f.var(args[0])  # ours from the second one on
    f.call("Py_IncRef", None, [frame.get()])
    whose, code = f.var(0), f.var(null)
    with f.repeat() as walk:
        walk.stop_if(same(f, frame.get(), null))
        code.set(f.call("PyFrame_GetCode", PTR, [frame.get()]))
        whose.set(found(f, table, code.get()))
        walk.stop_if(whose.get() != OURS)
        f.call("Py_DecRef", None, [code.get()])
        back = f.call("PyFrame_GetBack", PTR, [frame.get()])
        f.call("Py_DecRef", None, [frame.get()])
        frame.set(back)
        walked.set(1)
    result = f.var(null)
    with f.when(same(f, frame.get(), null)) as none_left:
        f.call("Py_IncRef", None, [the(f, "Py_None")])
        result.set(pair(f, the(f, "Py_None"), f.const(I64, 0)))
    with none_left.otherwise():
        with f.when(whose.get() == 0) as unknown:
            f.call("Py_DecRef", None, [code.get()])
            call = [the(f, "by_python"), f.args["args"], f.const(I64, 2), null]
            result.set(f.call("PyObject_Vectorcall", PTR, call))
        with unknown.otherwise():
            with f.when(walked.get() == 0):
                f.call("Py_IncRef", None, [code.get()])
                f.call("PyList_SetItem", I32, [args[1], f.const(I64, 0), code.get()])
            place = f.convert(f.call("PyFrame_GetLasti", I32, [frame.get()]), I64)
            result.set(pair(f, code.get(), place))
        f.call("Py_DecRef", None, [frame.get()])
    f.ret(result.get())
    return module


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


def pair(f: Function, first: Value, number: Value) -> Value:
    """(first, number), which takes the reference to `first`; null without memory."""
    made = f.call("PyTuple_New", PTR, [f.const(I64, 2)])
    with f.when(same(f, made, the(f, "null"))) as branch:
        f.call("Py_DecRef", None, [first])
    with branch.otherwise():
        f.call("PyTuple_SetItem", I32, [made, f.const(I64, 0), first])
        second = f.call("PyLong_FromLong", PTR, [number])
        f.call("PyTuple_SetItem", I32, [made, f.const(I64, 1), second])
    return made  # type: ignore[no-any-return]
