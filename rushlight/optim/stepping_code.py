"""The machine code of what an optimizer does for each parameter (`stepping.py`, `optimizer.py`).

`collected(params, state, names, plain)` gathers what a step of parameters of the common sort needs:
(arrays, counts, stepped), the list that an update takes, the arrays of the numbers of steps, and
the parameters that have a gradient. None, with nothing done, where one is of another sort: of a
class that is not plain, without state, of another type, or after another number of steps.

`counted(counts, value)` writes a number into all of these arrays. `forgotten(params, plain)` lets
their gradients go and returns those parameters for which more is to be done.

It runs with the global lock held. Only what ends with a gradient may be code of the user's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.autograd.node import LEAF, Extras, TensorBase
from rushlight.kernels.codegen.ir import I32, I64, PTR, Function, Module, Value
from rushlight.kernels.runtime import builtin
from rushlight.kernels.runtime.builtin import DATA, ND, field
from rushlight.kernels.runtime.object_code import (
    DESCR,
    FLAGS,
    KIND,
    WRITEABLE,
    begin,
    compiled,
    demand,
    demand_class,
    drop,
    end,
    is_null,
    replace,
    same,
    slots_of,
    small_field,
    take,
    the,
)

EXPORTS = ("collected", "counted", "forgotten")
SLOTS = ("_a", "_fn", "_x")


def functions(tensor_class: type) -> dict[str, Any]:
    """The functions; states and gradients are tensors of this class."""
    things = {
        "Py_None": None, "Py_True": True, "list": list, "tuple": tuple, "dict": dict,
        "ndarray": np.ndarray, "Tensor": tensor_class, "Extras": Extras, "LEAF": LEAF,
        "step": "step", "float32": np.dtype(np.float32),
    }  # fmt: skip
    slots = slots_of(TensorBase, SLOTS) | slots_of(Extras, ("grad",))
    found = compiled(EXPORTS, things, lambda: build(slots, things), slots)
    return {name: builtin.function(found[name], name) for name in EXPORTS}


def build(slots: dict[str, int], things: dict[str, Any]) -> Module:
    module = Module("stepping")
    builtin.declare(module, things)
    write_collect(module, slots)
    write_collected(module)
    write_counted(module)
    write_forgotten(module, slots)
    return module


def known(f: Function, classes: Value, thing: Value) -> Value:
    """Whether the class of a thing is in a set."""
    there = f.call("PySet_Contains", I32, [classes, field(f, thing, KIND)])
    with f.when(there < 0):
        f.call("PyErr_Clear", None, [])  # of a class that has no hash
    return there == 1  # type: ignore[no-any-return]


def demand_there(f: Function, thing: Value) -> None:
    """Go on where a pointer is not null; a lookup that failed has said nothing."""
    missing = is_null(f, thing)
    with f.when(missing):
        f.call("PyErr_Clear", None, [])
    demand(f, ~missing)


def demand_added(f: Function, list_: Value, thing: Value) -> None:
    """Put a thing at the end of a list; go on where there was room."""
    status = f.call("PyList_Append", I32, [list_, thing])
    with f.when(status != 0):
        f.call("PyErr_Clear", None, [])
    demand(f, status == 0)


def write_collect(module: Module, slots: dict[str, int]) -> None:
    """collect(p, state, names, plain, arrays, counts, stepped): 1 where a parameter was added, or
    has no gradient; 0 where it is of another sort."""
    names = ("p", "state", "names", "plain", "arrays", "counts", "stepped")
    f = module.function("collect", I64, [(n, PTR) for n in names], private=True)
    p, state, wanted, plain, arrays, counts, stepped = (f.args[n] for n in names)
    none, zero = the(f, "Py_None"), f.const(I64, 0)
    demand(f, known(f, plain, p))
    grad, x = f.var(none), field(f, p, slots["_x"])
    with f.when(same(f, field(f, x, KIND), the(f, "Extras"))):
        grad.set(field(f, x, slots["grad"]))
    with f.when(same(f, grad.get(), none)):
        fn = field(f, p, slots["_fn"])  # of a result there is a warning
        demand(f, same(f, fn, the(f, "LEAF")) | same(f, fn, none))
        f.ret(f.const(I64, 1))
        f.label(f.name_of("unreached"))
    demand_class(f, grad.get(), "Tensor")
    held = f.call("PyDict_GetItemWithError", PTR, [state, p])
    demand_there(f, held)
    demand_class(f, held, "dict")

    def array_of(name: Value) -> Value:
        """The array of a state that is a plain tensor."""
        tensor = f.call("PyDict_GetItemWithError", PTR, [held, name])
        demand_there(f, tensor)
        demand_class(f, tensor, "Tensor")
        return field(f, tensor, slots["_a"])

    count = array_of(the(f, "step"))
    demand_class(f, count, "ndarray")
    demand(f, small_field(f, count, ND) == 0)
    demand(f, same(f, field(f, count, DESCR), the(f, "float32")))
    demand(f, (small_field(f, count, FLAGS) & WRITEABLE) != 0)
    a = field(f, p, slots["_a"])
    demand_class(f, a, "ndarray")
    with f.when(f.call("PyList_Size", I64, [counts]) > 0):  # those of the first one
        first = f.call("PyList_GetItem", PTR, [counts, zero])
        number = [field(f, c, DATA).of(I32)[0] for c in (first, count)]
        demand(f, number[0] == number[1])
        first = f.call("PyList_GetItem", PTR, [arrays, zero])
        demand(f, same(f, field(f, first, DESCR), field(f, a, DESCR)))
    demand_added(f, counts, count)
    demand_added(f, stepped, p)
    demand_added(f, arrays, a)
    demand_added(f, arrays, field(f, grad.get(), slots["_a"]))
    with f.range(f.call("PyTuple_Size", I64, [wanted])) as i:
        demand_added(f, arrays, array_of(f.call("PyTuple_GetItem", PTR, [wanted, i])))
    f.ret(f.const(I64, 1))
    f.label("refuse")
    f.ret(zero)


def write_collected(module: Module) -> None:
    f, args = begin(module, "collected")
    params, state, names, plain = (args[i] for i in range(4))
    demand_class(f, params, "list")
    demand_class(f, names, "tuple")
    n = f.call("PyList_Size", I64, [params])
    lists = [f.call("PyList_New", PTR, [f.const(I64, 0)]) for _ in range(3)]
    good = f.var(1)
    for made in lists:
        with f.when(is_null(f, made)):
            good.set(0)
    with f.range(n) as i, f.when(good.get() != 0):
        p = f.call("PyList_GetItem", PTR, [params, i])
        good.set(f.call("collect", I64, [p, state, names, plain, *lists]))
    result = f.var(the(f, "null"))
    with f.when(good.get() != 0):
        result.set(f.call("PyTuple_New", PTR, [f.const(I64, 3)]))
    with f.when(is_null(f, result.get())) as refused:
        for made in lists:
            drop(f, made)
        f.call("PyErr_Clear", None, [])
        f.line("br label %refuse")
        f.label(f.name_of("unreached"))
    with refused.otherwise():
        for i, made in enumerate(lists):
            f.call("PyTuple_SetItem", I32, [result.get(), f.const(I64, i), made])
    end(f, result.get())


def write_counted(module: Module) -> None:
    f, args = begin(module, "counted")
    counts, value = args[0], field(f, args[1], DATA).of(I32)[0]
    with f.range(f.call("PyList_Size", I64, [counts])) as i:
        count = f.call("PyList_GetItem", PTR, [counts, i])
        field(f, count, DATA).of(I32)[0] = value
    f.ret(take(f, the(f, "Py_None")))


def write_forgotten(module: Module, slots: dict[str, int]) -> None:
    f, args = begin(module, "forgotten")
    params, plain, none = args[0], args[1], the(f, "Py_None")
    demand_class(f, params, "list")
    others = f.call("PyList_New", PTR, [f.const(I64, 0)])
    demand_there(f, others)
    bad = f.var(0)
    with f.range(f.call("PyList_Size", I64, [params])) as i:
        p = f.call("PyList_GetItem", PTR, [params, i])
        done = f.var(f.convert(is_null(f, p), I64))
        with f.when(done.get() != 0):  # whoever had the last gradient has shortened the list
            f.call("PyErr_Clear", None, [])
        with f.when(done.get() == 0), f.when(known(f, plain, p)):
            x = field(f, p, slots["_x"])
            with f.when(same(f, field(f, x, KIND), the(f, "Extras"))):
                replace(f, x, slots["grad"], take(f, none))
                done.set(1)
        with f.when(done.get() == 0):
            bad.set(bad.get() | f.convert(f.call("PyList_Append", I32, [others, p]), I64))
    with f.when(bad.get() != 0):
        drop(f, others)
        f.ret(the(f, "null"))
        f.label(f.name_of("unreached"))
    end(f, others)
