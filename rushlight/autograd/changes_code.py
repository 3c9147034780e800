"""The machine code of small steps of changes in place (`changes.py`): the same answers, and the
same notes in the cells.

`noted(tensors, name, code, lasti)` does what `all_changed` does for tensors that have a cell and
are no views; False, with nothing done, where there are others. `both_free(s, t)` says whether two
plain tensors have nothing to tell and lie as `changeable` wants it; None where that is to be looked
at. It runs with the global lock held.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels.codegen.ir import I32, I64, PTR, Module, Value
from ..kernels.runtime import builtin
from ..kernels.runtime.builtin import field
from ..kernels.runtime.object_code import (
    ALIGNED,
    CONTIGUOUS,
    FLAGS,
    KIND,
    WRITEABLE,
    begin,
    compiled,
    demand,
    demand_class,
    end,
    end_true,
    replace,
    same,
    slots_of,
    small_field,
    take,
    the,
)
from .node import Cell, TensorBase, tick

EXPORTS = ("noted", "both_free")
TENSOR = ("_a", "_fn", "_vc", "_v", "_x")
CELL = ("count", "stamp", "what", "code", "lasti")
CARRAY = CONTIGUOUS | ALIGNED | WRITEABLE


def functions(tensor_class: type, watchers: list[Any]) -> dict[str, Any]:
    """The functions, for plain tensors of a class; `watchers` look on while there are any."""
    things = {
        "Py_None": None, "Py_True": True, "Py_False": False, "tuple": tuple, "list": list,
        "ndarray": np.ndarray, "TensorBase": TensorBase, "Tensor": tensor_class, "Cell": Cell,
        "tick": tick, "watchers": watchers,
    }  # fmt: skip
    slots = slots_of(TensorBase, TENSOR) | slots_of(Cell, CELL)
    found = compiled(EXPORTS, things, lambda: build(slots, things), slots)
    return {name: builtin.function(found[name], name) for name in EXPORTS}


def build(slots: dict[str, int], things: dict[str, Any]) -> Module:
    module = Module("changes")
    builtin.declare(module, things)
    write_noted(module, slots)
    write_both_free(module, slots)
    return module


def write_noted(module: Module, slots: dict[str, int]) -> None:
    f, args = begin(module, "noted")
    tensors, given = args[0], args
    kind = field(f, tensors, KIND)
    in_list = same(f, kind, the(f, "list"))
    demand(f, in_list | same(f, kind, the(f, "tuple")))
    count = f.var(0)
    with f.when(in_list) as branch:
        count.set(f.call("PyList_Size", I64, [tensors]))
    with branch.otherwise():
        count.set(f.call("PyTuple_Size", I64, [tensors]))

    def tensor(i: Value) -> Value:
        found = f.var(the(f, "null"))
        with f.when(in_list) as branch:
            found.set(f.call("PyList_GetItem", PTR, [tensors, i]))
        with branch.otherwise():
            found.set(f.call("PyTuple_GetItem", PTR, [tensors, i]))
        return found.get()  # type: ignore[no-any-return]

    with f.range(count.get()) as i:
        t = tensor(i)
        kind = field(f, t, KIND)
        demand(f, f.call("PyType_IsSubtype", I32, [kind, the(f, "TensorBase")]) != 0)
        demand(f, same(f, field(f, t, slots["_v"]), the(f, "Py_None")))
        demand_class(f, field(f, t, slots["_vc"]), "Cell")
    with f.range(count.get()) as i:
        c = field(f, tensor(i), slots["_vc"])
        number = f.call("PyLong_AsSsize_t", I64, [field(f, c, slots["count"])]) + 1
        replace(f, c, slots["count"], f.call("PyLong_FromSsize_t", PTR, [number]))
        replace(f, c, slots["stamp"], f.call("PyObject_CallNoArgs", PTR, [the(f, "tick")]))
        for k, name in enumerate(("what", "code", "lasti")):
            replace(f, c, slots[name], take(f, given[1 + k]))
    end_true(f, "Py_False")


def write_both_free(module: Module, slots: dict[str, int]) -> None:
    f, args = begin(module, "both_free")
    none = the(f, "Py_None")
    demand(f, f.call("PyList_Size", I64, [the(f, "watchers")]) == 0)
    flags: Any = CARRAY
    for k in (0, 1):
        t = args[k]
        demand_class(f, t, "Tensor")
        for name in ("_fn", "_v", "_x"):
            demand(f, same(f, field(f, t, slots[name]), none))
        a = field(f, t, slots["_a"])
        demand_class(f, a, "ndarray")
        flags = small_field(f, a, FLAGS) & flags
    yes = flags == CARRAY
    end(f, take(f, f.select(yes, the(f, "Py_True"), the(f, "Py_False"))))
