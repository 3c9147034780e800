"""The machine code of `engine.walk_by_python`: the same dictionary.

Nodes, outputs of nodes and plain leaves are counted here, their fields where Python has put their
slots (`builtin.slot_offset`). What is anything else goes to the function in Python, alone. It runs
with the global lock held; only the hash of a leaf of the user's own class may be code of the user.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..kernels.codegen.ir import I32, I64, PTR, Function, Module, Value
from ..kernels.runtime import builtin
from ..kernels.runtime.builtin import field
from ..kernels.runtime.object_code import KIND, begin, compiled, is_null, same, slots_of, the
from .node import Node, Out

NAME = "walk"
FIELDS = ("shape", "dtype", "edges")  # of a node, as they stand in a slot behind count and gradient
FIRST_FIELD = 2
OBJECTS = ("Py_None", "tuple", "Tensor", "Parameter", "Node", "Out", "alone", "by_python")


def function(
    tensor: type, parameter: type, alone: tuple[Any, ...], by_python: Callable[..., Any]
) -> Any:
    """`walk` for leaves of these classes; `alone` is the slot of a leaf with one gradient to come,
    `by_python` counts some edges."""
    each = (None, tuple, tensor, parameter, Node, Out, alone, by_python)
    things = dict(zip(OBJECTS, each, strict=True))
    slots, node = slots_of(Node, FIELDS), builtin.slot_offset(Out, "node")
    code = compiled((NAME,), things, lambda: build(slots, node), slots, node)
    return builtin.function(code[NAME], NAME)


def build(places: dict[str, int], node_of_output: int) -> Module:
    module = Module(NAME)
    builtin.declare(module, OBJECTS)
    write_count(module, places, node_of_output)
    f, args = begin(module, NAME)
    slots, stack = args[0], args[1]
    one = f.call("PyLong_FromLong", PTR, [f.const(I64, 1)])
    failed = f.var(0)
    with f.repeat() as walk:
        n = f.call("PyList_Size", I64, [stack])
        walk.stop_if((n <= 0) | (failed.get() != 0))
        edges = f.call("PyList_GetItem", PTR, [stack, n - 1])
        f.call("Py_IncRef", None, [edges])
        f.call("PyList_SetSlice", I32, [stack, n - 1, n, the(f, "null")])
        is_tuple = same(f, field(f, edges, KIND), the(f, "tuple"))
        with f.when(~is_tuple) as branch:
            failed.set(failed.get() | by_python(f, edges, slots, stack))
        with branch.otherwise(), f.range(f.call("PyTuple_Size", I64, [edges])) as i:
            e = f.call("PyTuple_GetItem", PTR, [edges, i])
            with f.when((failed.get() == 0) & ~same(f, e, the(f, "Py_None"))):
                failed.set(failed.get() | f.call("count", I64, [e, slots, stack, one]))
        f.call("Py_DecRef", None, [edges])
    f.call("Py_DecRef", None, [one])
    answer = f.select(failed.get() != 0, the(f, "null"), the(f, "Py_None"))
    f.call("Py_IncRef", None, [answer])  # (of null: nothing)
    f.ret(answer)
    return module


def by_python(f: Function, edges: Value, slots: Value, stack: Value) -> Value:
    """Some edges by the function in Python; 1 where that failed."""
    given = f.buffer(PTR, 3)
    given[0], given[1], given[2] = edges, slots, stack
    call = [the(f, "by_python"), given, f.const(I64, 3), the(f, "null")]
    made = f.call("PyObject_Vectorcall", PTR, call)
    bad = f.var(1)
    with f.when(~is_null(f, made)):
        f.call("Py_DecRef", None, [made])
        bad.set(0)
    return bad.get()  # type: ignore[no-any-return]


def write_count(module: Module, places: dict[str, int], node_of_output: int) -> None:
    """count(edge, slots, stack, the number 1): 1 where it failed, with the error set."""
    f = module.function(
        "count", I64, [("edge", PTR), ("slots", PTR), ("stack", PTR), ("one", PTR)], private=True
    )
    edge, slots, stack = f.args["edge"], f.args["slots"], f.args["stack"]
    bad = f.var(0)

    def failing(status: Value) -> None:
        """What a function of Python's has answered: below 0 where it failed."""
        bad.set(bad.get() | f.convert(status < 0, I64))

    kind = field(f, edge, KIND)
    e = f.var(edge)  # an output stands for its node, with which it has the slot in common
    with f.when(same(f, kind, the(f, "Out"))):
        e.set(field(f, edge, node_of_output))
    slot = f.call("PyDict_GetItemWithError", PTR, [slots, e.get()])
    alone = the(f, "alone")
    with f.when(~is_null(f, slot)) as known:
        with f.when(same(f, slot, alone)) as leaf:
            bad.set(other(f, edge, slots, stack))
        with leaf.otherwise():
            first = f.const(I64, 0)
            n = f.call("PyLong_AsSsize_t", I64, [f.call("PyList_GetItem", PTR, [slot, first])])
            more = f.call("PyLong_FromLong", PTR, [n + 1])
            failing(f.call("PyList_SetItem", I32, [slot, first, more]))
    with known.otherwise():
        failed = ~is_null(f, f.call("PyErr_Occurred", PTR, []))
        bad.set(f.convert(failed, I64))  # of a hash, which nobody has asked yet
    with f.when(is_null(f, slot) & (bad.get() == 0)):
        is_leaf = same(f, kind, the(f, "Parameter")) | same(f, kind, the(f, "Tensor"))
        with f.when(is_leaf) as leaf:
            failing(f.call("PyDict_SetItem", I32, [slots, edge, alone]))
        with leaf.otherwise():
            kind = field(f, e.get(), KIND)
            is_node = f.call("PyType_IsSubtype", I32, [kind, the(f, "Node")]) != 0
            ready = f.var(f.convert(is_node, I64))
            with f.when(is_node):
                for place in places.values():  # one that is not whole yet: Python says so
                    there = ~is_null(f, field(f, e.get(), place))
                    ready.set(ready.get() & f.convert(there, I64))
            with f.when(ready.get() != 0) as node:
                write_new_slot(f, e.get(), places, failing)
            with node.otherwise():
                bad.set(other(f, edge, slots, stack))
    f.ret(bad.get())


def write_new_slot(
    f: Function, node: Value, places: dict[str, int], failing: Callable[[Value], None]
) -> None:
    """A slot for a node that comes for the first time, and its edges on the stack."""
    slots, stack, one = f.args["slots"], f.args["stack"], f.args["one"]
    made = f.call("PyList_New", PTR, [f.const(I64, FIRST_FIELD + len(FIELDS))])
    with f.when(is_null(f, made)) as branch:
        failing(f.const(I64, -1))
    with branch.otherwise():
        values = [one, the(f, "Py_None"), *(field(f, node, places[n]) for n in FIELDS)]
        for i, value in enumerate(values):
            f.call("Py_IncRef", None, [value])
            f.call("PyList_SetItem", I32, [made, f.const(I64, i), value])
        failing(f.call("PyDict_SetItem", I32, [slots, node, made]))
        f.call("Py_DecRef", None, [made])
        failing(f.call("PyList_Append", I32, [stack, values[-1]]))


def other(f: Function, edge: Value, slots: Value, stack: Value) -> Value:
    """One edge by the function in Python; 1 where that failed."""
    bad = f.var(1)
    edges = f.call("PyTuple_New", PTR, [f.const(I64, 1)])
    with f.when(~is_null(f, edges)):
        f.call("Py_IncRef", None, [edge])
        f.call("PyTuple_SetItem", I32, [edges, f.const(I64, 0), edge])
        bad.set(by_python(f, edges, slots, stack))
        f.call("Py_DecRef", None, [edges])
    return bad.get()  # type: ignore[no-any-return]
