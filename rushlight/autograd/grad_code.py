"""The machine code of `Tensor.grad`, read and set to None, as every training step does for each
parameter. The rest, with its warnings and errors, is Python's (`tensor.py`).

It runs with the global lock held. Only what ends with a gradient may be code of the user's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..kernels.codegen.ir import I32, I64, PTR, Function, Module, Pointer, Value
from ..kernels.runtime import builtin
from ..kernels.runtime.builtin import field
from ..kernels.runtime.object_code import (
    KIND,
    begin,
    compiled,
    demand,
    demand_class,
    is_null,
    replace,
    same,
    slots_of,
    take,
    the,
)
from .node import Extras, TensorBase

EXPORTS = ("grad", "set_grad")


def functions(read: Callable[[Any], Any], write: Callable[[Any, Any], None]) -> tuple[Any, Any]:
    """What reads a tensor's gradient and what sets it, with the meaning of both in Python."""
    things = {
        "Py_None": None, "TensorBase": TensorBase, "Extras": Extras, "read": read, "write": write,
    }  # fmt: skip
    slots = slots_of(TensorBase, ("_x",)) | slots_of(Extras, ("grad",))
    found = compiled(EXPORTS, things, lambda: build(slots, things), slots)
    reading, setting = (builtin.function(found[name], name) for name in EXPORTS)
    return reading, setting


def build(slots: dict[str, int], things: dict[str, Any]) -> Module:
    module = Module("grad")
    builtin.declare(module, things)
    none = "Py_None"
    f, args = begin(module, "grad")
    kept = field(f, extras(f, args, slots), slots["grad"])
    demand(f, ~same(f, kept, the(f, none)) & ~is_null(f, kept))
    f.ret(take(f, kept))
    by_python(f, args, "read", 1)
    f, args = begin(module, "set_grad")
    demand(f, same(f, args[1], the(f, none)))
    replace(f, extras(f, args, slots), slots["grad"], take(f, the(f, none)))
    f.ret(take(f, the(f, none)))
    by_python(f, args, "write", 2)
    return module


def extras(f: Function, args: Pointer, slots: dict[str, int]) -> Value:
    """The extras of the tensor that is the first argument; Python looks where there are none."""
    kind = field(f, args[0], KIND)
    demand(f, f.call("PyType_IsSubtype", I32, [kind, the(f, "TensorBase")]) != 0)
    found = field(f, args[0], slots["_x"])
    demand(f, ~is_null(f, found))  # of a tensor that `__new__` alone has made
    demand_class(f, found, "Extras")
    return found


def by_python(f: Function, args: Pointer, name: str, count: int) -> None:
    """At the label `refuse`: what the function of Python makes of the arguments."""
    f.label("refuse")
    given = [the(f, name), args, f.const(I64, count), the(f, "null")]
    f.ret(f.call("PyObject_Vectorcall", PTR, given))
