"""The machine code of `views.linked_by_python`: the same tensor, linked to what it is a view of.

The fields of tensors and links lie where Python has put their slots (`builtin.slot_offset`). It
runs with the global lock held; a version cell that nobody has asked for yet is made by Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..kernels.codegen.ir import I32, I64, PTR, Module, Value
from ..kernels.runtime import builtin
from ..kernels.runtime.builtin import field
from ..kernels.runtime.object_code import (
    KIND,
    begin,
    compiled,
    demand,
    drop,
    is_null,
    put,
    same,
    slots_of,
    take,
    the,
)
from .node import Cell, TensorBase

NAME = "linked"
TENSOR = ("_a", "_fn", "_vc", "_v", "_x")
LINK = ("chain", "made", "of", "seen")


def function(
    tensor: type, view: type, cell: Callable[[Any], Cell], by_python: Callable[..., Any]
) -> Any:
    """`linked` for these classes; `cell` makes the version cell of a tensor that has none."""
    things = {
        "Py_None": None, "tuple": tuple, "Tensor": tensor, "View": view, "TensorBase": TensorBase,
        "Cell": Cell, "cell": cell, "by_python": by_python, "base": "base",
    }  # fmt: skip
    slots = slots_of(TensorBase, TENSOR) | slots_of(view, LINK) | slots_of(Cell, ("count",))
    code = compiled((NAME,), things, lambda: build(slots, things), slots)
    return builtin.function(code[NAME], NAME)


def build(slots: dict[str, int], things: dict[str, Any]) -> Module:
    """linked(viewed, array, op, kw, nr, mode)."""
    module = Module(NAME)
    builtin.declare(module, things)
    f, args = begin(module, NAME)
    viewed, a, op, kw, nr, mode = (args[i] for i in range(6))
    null, none = the(f, "null"), the(f, "Py_None")

    def keep(thing: Value, name: str, value: Value) -> None:
        """Put an object into an empty slot, which takes the reference."""
        put(thing, slots[name], value)

    # All that could fail comes first; what is seldom, Python does from the beginning.
    kind = field(f, viewed, KIND)
    demand(f, f.call("PyType_IsSubtype", I32, [kind, the(f, "TensorBase")]) != 0, "python")
    version = f.var(field(f, viewed, slots["_vc"]))
    before = field(f, viewed, slots["_v"])
    demand(f, same(f, before, none) | same(f, field(f, before, KIND), the(f, "View")), "python")
    with f.when(same(f, version.get(), none)):
        made = f.call("PyObject_CallOneArg", PTR, [the(f, "cell"), viewed])
        demand(f, ~is_null(f, made), "failed")
        drop(f, made)  # the tensor holds it
        version.set(field(f, viewed, slots["_vc"]))
    demand(f, same(f, field(f, version.get(), KIND), the(f, "Cell")), "python")
    of, how, old = f.var(viewed), f.var(mode), f.var(null)  # `old`: the chain so far
    with f.when(~same(f, before, none)):
        of.set(field(f, before, slots["of"]))
        with f.when(~same(f, field(f, of.get(), slots["_v"]), none)):  # itself a view by now
            base = f.call("PyObject_GetAttr", PTR, [before, the(f, "base")])
            demand(f, ~is_null(f, base), "failed")
            drop(f, base)  # the link holds it
            of.set(base)
        old.set(field(f, before, slots["chain"]))
        demand(f, same(f, field(f, old.get(), KIND), the(f, "tuple")), "python")
        first = field(f, before, slots["made"])
        with f.when(f.call("PyObject_IsTrue", I32, [first]) > 0):
            how.set(first)
    n = f.var(0)
    with f.when(~is_null(f, old.get())):
        n.set(f.call("PyTuple_Size", I64, [old.get()]))
    step = f.call("PyTuple_New", PTR, [f.const(I64, 3)])
    demand(f, ~is_null(f, step), "failed")
    for i, thing in enumerate((op, kw, nr)):
        f.call("PyTuple_SetItem", I32, [step, f.const(I64, i), take(f, thing)])
    chain = f.call("PyTuple_New", PTR, [n.get() + 1])
    with f.when(is_null(f, chain)):
        drop(f, step)
    demand(f, ~is_null(f, chain), "failed")
    with f.range(n.get()) as i:
        item = f.call("PyTuple_GetItem", PTR, [old.get(), i])
        f.call("PyTuple_SetItem", I32, [chain, i, take(f, item)])
    f.call("PyTuple_SetItem", I32, [chain, n.get(), step])
    link = f.call("PyType_GenericAlloc", PTR, [the(f, "View"), f.const(I64, 0)])
    with f.when(is_null(f, link)):
        drop(f, chain)
    demand(f, ~is_null(f, link), "failed")
    keep(link, "chain", chain)
    keep(link, "of", take(f, of.get()))
    keep(link, "made", take(f, how.get()))
    keep(link, "seen", take(f, field(f, version.get(), slots["count"])))
    y = f.call("PyType_GenericAlloc", PTR, [the(f, "Tensor"), f.const(I64, 0)])
    with f.when(is_null(f, y)):
        drop(f, link)
    demand(f, ~is_null(f, y), "failed")
    keep(y, "_a", take(f, a))
    keep(y, "_vc", take(f, version.get()))
    keep(y, "_v", link)
    for name in ("_fn", "_x"):
        keep(y, name, take(f, none))
    f.ret(y)
    f.label("python")
    count = f.const(I64, 6)
    f.ret(f.call("PyObject_Vectorcall", PTR, [the(f, "by_python"), args, count, null]))
    f.label("failed")
    f.ret(null)
    return module
