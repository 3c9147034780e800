"""The machine code of `views.linked_by_python`: the same tensor, linked to what it is a view of.

The fields of tensors and links lie where Python has put their slots (`builtin.slot_offset`). It
runs with the global lock held; a version cell that nobody has asked for yet is made by Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..kernels.codegen.ir import I8, I32, I64, PTR, Function, Module, Value
from ..kernels.runtime import builtin, jit
from ..kernels.runtime.builtin import field
from ..kernels.runtime.few_code import KIND, begin, same, the
from .node import Cell, TensorBase

NAME = "linked"
TENSOR = ("_a", "_fn", "_vc", "_v", "_x")
LINK = ("chain", "made", "of", "seen")
CALLS: builtin.Calls = {  # Python's functions: what they return and take
    "Py_IncRef": (None, [PTR]), "Py_DecRef": (None, [PTR]),
    "PyType_GenericAlloc": (PTR, [PTR, I64]), "PyTuple_New": (PTR, [I64]),
    "PyTuple_SetItem": (I32, [PTR, I64, PTR]),
    "PyTuple_Size": (I64, [PTR]), "PyTuple_GetItem": (PTR, [PTR, I64]),
    "PyObject_IsTrue": (I32, [PTR]), "PyObject_CallOneArg": (PTR, [PTR, PTR]),
    "PyObject_GetAttr": (PTR, [PTR, PTR]), "PyType_IsSubtype": (I32, [PTR, PTR]),
    "PyObject_Vectorcall": (PTR, [PTR, PTR, I64, PTR]),
}  # fmt: skip


def function(
    tensor: type, view: type, cell: Callable[[Any], Cell], by_python: Callable[..., Any]
) -> Any:
    """`linked` for these classes; `cell` makes the version cell of a tensor that has none."""
    things = {
        "Py_None": None, "tuple": tuple, "Tensor": tensor, "View": view, "TensorBase": TensorBase,
        "Cell": Cell, "cell": cell, "by_python": by_python, "base": "base",
    }  # fmt: skip
    _held.append(things)
    slots = tuple((n, builtin.slot_offset(TensorBase, n)) for n in TENSOR)
    slots += tuple((n, builtin.slot_offset(view, n)) for n in LINK)
    slots += (("count", builtin.slot_offset(Cell, "count")),)
    symbols = builtin.pythons(CALLS) | {name: id(thing) for name, thing in things.items()}
    key = (NAME, slots, tuple(things))
    code = jit.load(key, lambda: build(dict(slots), things), (NAME,), symbols)
    return builtin.function(code[NAME], NAME)


_held: list[Any] = []  # what the code points to


def must(f: Function, condition: Value, otherwise: str) -> None:
    """Go on where a condition holds, else at a label."""
    on = f.name_of("on")
    f.line(f"br i1 {condition.text}, label %{on}, label %{otherwise}")
    f.label(on)


def build(slots: dict[str, int], things: dict[str, Any]) -> Module:
    """linked(viewed, array, op, kw, nr, mode)."""
    module = Module(NAME)
    builtin.declare(module, CALLS, things)
    f, args = begin(module, NAME)
    viewed, a, op, kw, nr, mode = (args[i] for i in range(6))
    null, none = the(f, "null"), the(f, "Py_None")

    def is_null(thing: Value) -> Value:
        return same(f, thing, null)

    def take(thing: Value) -> Value:
        f.call("Py_IncRef", None, [thing])
        return thing

    def put(thing: Value, name: str, value: Value) -> None:
        """Put an object into an empty slot, which takes the reference."""
        thing.of(I8).at(slots[name]).of(PTR)[0] = value

    # All that could fail comes first; what is seldom, Python does from the beginning.
    kind = field(f, viewed, KIND)
    must(f, f.call("PyType_IsSubtype", I32, [kind, the(f, "TensorBase")]) != 0, "python")
    version = f.var(field(f, viewed, slots["_vc"]))
    before = field(f, viewed, slots["_v"])
    must(f, same(f, before, none) | same(f, field(f, before, KIND), the(f, "View")), "python")
    with f.when(same(f, version.get(), none)):
        made = f.call("PyObject_CallOneArg", PTR, [the(f, "cell"), viewed])
        must(f, ~is_null(made), "failed")
        f.call("Py_DecRef", None, [made])  # the tensor holds it
        version.set(field(f, viewed, slots["_vc"]))
    must(f, same(f, field(f, version.get(), KIND), the(f, "Cell")), "python")
    of, how, old = f.var(viewed), f.var(mode), f.var(null)  # `old`: the chain so far
    with f.when(~same(f, before, none)):
        of.set(field(f, before, slots["of"]))
        with f.when(~same(f, field(f, of.get(), slots["_v"]), none)):  # itself a view by now
            base = f.call("PyObject_GetAttr", PTR, [before, the(f, "base")])
            must(f, ~is_null(base), "failed")
            f.call("Py_DecRef", None, [base])  # the link holds it
            of.set(base)
        old.set(field(f, before, slots["chain"]))
        must(f, same(f, field(f, old.get(), KIND), the(f, "tuple")), "python")
        first = field(f, before, slots["made"])
        with f.when(f.call("PyObject_IsTrue", I32, [first]) > 0):
            how.set(first)
    n = f.var(0)
    with f.when(~is_null(old.get())):
        n.set(f.call("PyTuple_Size", I64, [old.get()]))
    step = f.call("PyTuple_New", PTR, [f.const(I64, 3)])
    must(f, ~is_null(step), "failed")
    for i, thing in enumerate((op, kw, nr)):
        f.call("PyTuple_SetItem", I32, [step, f.const(I64, i), take(thing)])
    chain = f.call("PyTuple_New", PTR, [n.get() + 1])
    with f.when(is_null(chain)):
        f.call("Py_DecRef", None, [step])
    must(f, ~is_null(chain), "failed")
    with f.range(n.get()) as i:
        item = f.call("PyTuple_GetItem", PTR, [old.get(), i])
        f.call("PyTuple_SetItem", I32, [chain, i, take(item)])
    f.call("PyTuple_SetItem", I32, [chain, n.get(), step])
    link = f.call("PyType_GenericAlloc", PTR, [the(f, "View"), f.const(I64, 0)])
    with f.when(is_null(link)):
        f.call("Py_DecRef", None, [chain])
    must(f, ~is_null(link), "failed")
    put(link, "chain", chain)
    put(link, "of", take(of.get()))
    put(link, "made", take(how.get()))
    put(link, "seen", take(field(f, version.get(), slots["count"])))
    y = f.call("PyType_GenericAlloc", PTR, [the(f, "Tensor"), f.const(I64, 0)])
    with f.when(is_null(y)):
        f.call("Py_DecRef", None, [link])
    must(f, ~is_null(y), "failed")
    put(y, "_a", take(a))
    put(y, "_vc", take(version.get()))
    put(y, "_v", link)
    for name in ("_fn", "_x"):
        put(y, name, take(none))
    f.ret(y)
    f.label("python")
    count = f.const(I64, 6)
    f.ret(f.call("PyObject_Vectorcall", PTR, [the(f, "by_python"), args, count, null]))
    f.label("failed")
    f.ret(null)
    return module
