"""The machine code of `leaves.first_gradient`: the same tests as in Python, and the same Tensor.

Fields of ndarrays lie where NumPy's stable ABI says, those of tensors where Python has put their
slots (`builtin.slot_offset`). It runs with the global lock held and calls no Python code. Where a
test fails, it returns False, before anything was made.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels.codegen.ir import I64, PTR, Function, Module, Value
from ..kernels.runtime import builtin
from ..kernels.runtime.builtin import DIMENSIONS, ND, STRIDES, field
from ..kernels.runtime.object_code import (
    BASE,
    DESCR,
    begin,
    compiled,
    demand,
    demand_class,
    end_true,
    is_null,
    put,
    replace,
    same,
    slots_of,
    small_field,
    take,
    the,
)
from .node import Extras, TensorBase

NAME = "first_gradient"
UNUSED = ("grad", "hooks", "post_hooks", "accumulator")  # of Extras: None in a leaf without history


TENSOR = ("_a", "_fn", "_vc", "_v", "_x")


def function(tensor_class: type) -> Any:
    """`first_gradient`, which makes tensors of a class."""
    things = {
        "Py_None": None, "Py_True": True, "Py_False": False, "ndarray": np.ndarray,
        "Tensor": tensor_class, "Extras": Extras,
    }  # fmt: skip
    slots, extras = slots_of(TensorBase, TENSOR), slots_of(Extras, UNUSED)
    code = compiled((NAME,), things, lambda: build(slots, extras, things), slots, extras)
    return builtin.function(code[NAME], NAME)


def build(slots: dict[str, int], extras: dict[str, int], things: dict[str, Any]) -> Module:
    module = Module(NAME)
    builtin.declare(module, things)
    f, args = begin(module, NAME)
    leaf, g = args[0], args[1]
    none = the(f, "Py_None")
    demand_class(f, g, "ndarray")
    x, a = field(f, leaf, slots["_x"]), field(f, leaf, slots["_a"])
    demand_class(f, x, "Extras")
    for offset in extras.values():
        demand(f, same(f, field(f, x, offset), none))
    demand_class(f, a, "ndarray")
    demand(f, same(f, field(f, g, DESCR), field(f, a, DESCR)))
    demand(f, is_null(f, field(f, g, BASE)))
    nd = small_field(f, g, ND)
    demand(f, nd == small_field(f, a, ND))
    for offset in (DIMENSIONS, STRIDES):
        demand(f, equal(f, field(f, g, offset), field(f, a, offset), f.convert(nd, I64)))
    made = f.call("PyType_GenericAlloc", PTR, [the(f, "Tensor"), f.const(I64, 0)])
    with f.when(is_null(f, made)):
        f.ret(made)  # with the error that is set
        f.label(f.name_of("unreached"))
    for name, offset in slots.items():
        put(made, offset, take(f, g if name == "_a" else none))
    replace(f, x, extras["grad"], made)
    end_true(f, "Py_False")
    return module


def equal(f: Function, left: Value, right: Value, n: Value) -> Value:
    """Whether two arrays of n numbers have the same ones."""
    differ = f.var(0)
    with f.range(n) as i:
        differ.set(differ.get() | (left.of(I64)[i] ^ right.of(I64)[i]))
    return differ.get() == 0  # type: ignore[no-any-return]
