"""The machine code of `node.made_by_python`: the same node.

The fields of a node lie where Python has put their slots (`builtin.slot_offset`). It runs with the
global lock held, and finds the user's line itself (`lines_code.py`).
"""

from __future__ import annotations

from typing import Any

from ..kernels.codegen.ir import I8, I64, PTR, Module, Value
from ..kernels.runtime import builtin
from ..kernels.runtime.object_code import begin, compiled, is_null, same, slots_of, the
from . import lines, lines_code
from .node import Node, tick

NAME = "made"
GIVEN = ("edges", "saved", "kw", "shape", "dtype")  # slots, as they are given behind the class
SLOTS = (*GIVEN, "seq", "x", "code", "lasti")
OBJECTS = (*lines_code.OBJECTS, "tick")


def function() -> Any:
    """`made` with the table of `lines.remember`."""
    slots = slots_of(Node, SLOTS)
    things = dict(zip(OBJECTS, (None, lines.by_python, tick), strict=True))
    code = compiled((NAME,), things, lambda: build(slots), slots, lines.ROOM, lines.OURS)
    arguments = ("cls", *GIVEN, "frame", "seen")
    return builtin.bound(code[NAME], NAME, lines.table, arguments)


def build(slots: dict[str, int]) -> Module:
    module = Module(NAME)
    builtin.declare(module, OBJECTS)
    f, args = begin(module, NAME)
    null, none = the(f, "null"), the(f, "Py_None")
    made = f.call("PyType_GenericAlloc", PTR, [args[0], f.const(I64, 0)])
    with f.when(is_null(f, made)):
        f.ret(made)  # with the error that is set
        f.label(f.name_of("unreached"))

    def keep(name: str, value: Value) -> None:
        """Put an object into an empty slot, which takes the reference."""
        made.of(I8).at(slots[name]).of(PTR)[0] = value

    for i, name in enumerate(GIVEN):
        value = args[1 + i]
        if name == "kw":  # the classes of nodes without parameters say None
            with f.when(~same(f, value, none)):
                f.call("Py_IncRef", None, [value])
                keep(name, value)
        else:
            f.call("Py_IncRef", None, [value])
            keep(name, value)
    f.call("Py_IncRef", None, [none])
    keep("x", none)
    keep("seq", f.call("PyObject_CallNoArgs", PTR, [the(f, "tick")]))
    frame, seen = args[1 + len(GIVEN)], args[2 + len(GIVEN)]
    code, place = lines_code.write_line(f, frame, seen)
    with f.when(is_null(f, code)):
        f.call("Py_DecRef", None, [made])
        f.ret(null)
        f.label(f.name_of("unreached"))
    keep("code", code)
    keep("lasti", place)
    f.ret(made)
    return module

