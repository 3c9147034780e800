"""The machine code of `op_node.opened_by_python`: what a node has kept, as its rules read it.

The fields of nodes and tensors lie where Python has put their slots (`builtin.slot_offset`). It
runs with the global lock held, and no code of the user's in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels.codegen.ir import I32, I64, PTR, Function, Module, Value
from ..kernels.runtime import builtin
from ..kernels.runtime.builtin import field
from ..kernels.runtime.object_code import (
    KIND,
    begin,
    compiled,
    demand,
    demand_class,
    drop,
    end,
    is_null,
    same,
    slots_of,
    take,
    the,
)
from .node import Cell, Node, NodeExtras, TensorBase

NAME = "opened"


def function(tensors: tuple[type, type], static: frozenset[type]) -> Any:
    """`opened` for plain tensors of these classes; values of `static` classes are themselves."""
    in_order = sorted(static, key=lambda kind: kind.__name__)
    classes = {f"static{i}": kind for i, kind in enumerate(in_order)}
    things = {
        "Py_None": None, "Py_True": True, "tuple": tuple, "dict": dict, "ndarray": np.ndarray,
        "Tensor": tensors[0], "Parameter": tensors[1], "Cell": Cell, "NodeExtras": NodeExtras,
        **classes,
    }  # fmt: skip
    slots = {
        **slots_of(Node, ("x", "saved", "seq")), **slots_of(TensorBase, ("_a", "_vc")),
        **slots_of(NodeExtras, ("cells", "plain")), **slots_of(Cell, ("stamp",)),
    }  # fmt: skip
    code = compiled((NAME,), things, lambda: build(slots, things, tuple(classes)), slots)
    return builtin.function(code[NAME], NAME)


def build(slots: dict[str, int], things: dict[str, Any], static: tuple[str, ...]) -> Module:
    module = Module(NAME)
    builtin.declare(module, things)
    write_unspoilt(module, slots)
    write_value(module, slots, static)
    f, args = begin(module, NAME)
    node = args[0]
    seq = f.call("PyLong_AsSsize_t", I64, [field(f, node, slots["seq"])])
    x = field(f, node, slots["x"])
    good = f.var(1)
    with f.when(~same(f, x, the(f, "Py_None"))):
        good.set(f.call("unspoilt", I64, [x, seq]))
    demand(f, good.get() != 0)
    saved = field(f, node, slots["saved"])
    demand_class(f, saved, "tuple")
    n = f.call("PyTuple_Size", I64, [saved])
    demand(f, n > 0)
    made = f.call("PyTuple_New", PTR, [n])
    with f.when(is_null(f, made)):
        f.ret(made)  # with the error that is set
        f.label(f.name_of("unreached"))
    with f.range(n) as i, f.when(good.get() != 0):
        value = f.call("value", PTR, [f.call("PyTuple_GetItem", PTR, [saved, i]), i, seq])
        with f.when(is_null(f, value)) as unusual:
            good.set(0)
        with unusual.otherwise():
            f.call("PyTuple_SetItem", I32, [made, i, take(f, value)])
    with f.when(good.get() == 0):
        drop(f, made)
    demand(f, good.get() != 0)
    end(f, made)
    return module


def unchanged(f: Function, slots: dict[str, int], cell: Value, seq: Value) -> Value:
    """Whether what a cell stands for was not changed since tick `seq`."""
    stamp: Value = f.call("PyLong_AsSsize_t", I64, [field(f, cell, slots["stamp"])])
    return stamp <= seq


def write_unspoilt(module: Module, slots: dict[str, int]) -> None:
    """unspoilt(x, seq): whether `NodeExtras.unspoilt` is known to say True."""
    f = module.function("unspoilt", I64, [("x", PTR), ("seq", I64)], private=True)
    x, seq = f.args["x"], f.args["seq"]
    demand_class(f, x, "NodeExtras")
    demand(f, same(f, field(f, x, slots["plain"]), the(f, "Py_True")))
    cells = field(f, x, slots["cells"])
    good = f.var(1)
    with f.when(~same(f, cells, the(f, "Py_None"))):
        demand_class(f, cells, "dict")
        at, pair = f.buffer(I64, 1, 8), f.buffer(PTR, 2, 8)
        at[0] = f.const(I64, 0)
        with f.repeat() as each:
            there = f.call("PyDict_Next", I32, [cells, at, pair, pair.at(1)])
            each.stop_if((there == 0) | (good.get() == 0))
            cell = pair[1]
            with f.when(same(f, field(f, cell, KIND), the(f, "Cell"))) as known:
                good.set(f.convert(unchanged(f, slots, cell, seq), I64))
            with known.otherwise():
                good.set(0)
    f.ret(good.get())
    f.label("refuse")
    f.ret(f.const(I64, 0))


def write_value(module: Module, slots: dict[str, int], static: tuple[str, ...]) -> None:
    """value(kept, nr, seq): what a rule reads of a value, borrowed; null where it is no usual one,
    or was changed. Number 0 is the node's own output."""
    given = [("kept", PTR), ("nr", I64), ("seq", I64)]
    f = module.function("value", PTR, given, private=True)
    kept, nr, seq = f.args["kept"], f.args["nr"], f.args["seq"]
    kind, none = field(f, kept, KIND), the(f, "Py_None")
    with f.when(same(f, kept, none)):
        f.ret(kept)
        f.label(f.name_of("unreached"))
    with f.when(same(f, kind, the(f, "Tensor")) | same(f, kind, the(f, "Parameter"))):
        demand(f, nr != 0)
        cell = field(f, kept, slots["_vc"])
        with f.when(~same(f, cell, none)):
            demand_class(f, cell, "Cell")
            demand(f, unchanged(f, slots, cell, seq))
        f.ret(field(f, kept, slots["_a"]))
        f.label(f.name_of("unreached"))
    with f.when(nr == 0) as output:
        demand(f, same(f, kind, the(f, "ndarray")) | same(f, kind, the(f, "tuple")))
    with output.otherwise():
        is_static = f.var(0)
        for name in static:
            is_static.set(is_static.get() | f.convert(same(f, kind, the(f, name)), I64))
        demand(f, is_static.get() != 0)
    f.ret(kept)
    f.label("refuse")
    f.ret(the(f, "null"))
