"""The machine code of `Module.__getattr__` and `Module.__call__`, for what is common.

An attribute that a registry has is found there; a module without hooks calls its `forward`. All
else goes to the methods in Python, which these stand for. Programs come by here at each layer of
each step. It runs with the global lock held.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ..kernels.codegen.ir import I32, I64, PTR, Function, Module, Value
from ..kernels.runtime import builtin
from ..kernels.runtime.object_code import (
    KIND,
    called,
    compiled,
    demand,
    drop,
    is_null,
    same,
    take,
    the,
)

REGISTRIES = ("_parameters", "_modules", "_buffers")
EVERYWHERE = (  # names of `module.py`: hooks of all modules
    "_global_forward_pre_hooks", "_global_forward_hooks", "_global_backward_hooks",
    "_global_backward_pre_hooks",
)  # fmt: skip
HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


def functions(
    cls: type, names: dict[str, Any], failed: Callable[[Exception, Any], None]
) -> dict[str, Any]:
    """The two methods of a class, by their names.

    Args:
        names: the globals of `module.py`, where programs put other hooks of all modules.
        failed: is told of an error that leaves a module.
    """
    things = {
        "Py_None": None, "dict": dict, "OrderedDict": OrderedDict, "Exception": Exception,
        "getattr_in_python": vars(cls)["__getattr__"], "call_in_python": vars(cls)["__call__"],
        "failed": failed, "forward": "forward", "compiled": "_compiled_call_impl",
    }  # fmt: skip
    things |= {name: name for name in (*REGISTRIES, *HOOKS, *EVERYWHERE)}
    things["names"] = names
    found = compiled(("module_getattr", "module_call"), things, lambda: build(things))
    made = {}
    for name, signature in (("getattr", "($self, name)"), ("call", "($self, *args, **kwargs)")):
        method = f"__{name}__"
        doc = f"{method}{signature}\n--\n\n{vars(cls)[method].__doc__ or ''}"
        address = found[f"module_{name}"]
        made[method] = builtin.method(cls, address, method, doc, keywords=name == "call")
    return made


def build(things: dict[str, Any]) -> Module:
    module = Module("module")
    builtin.declare(module, things)
    write_getattr(module)
    write_call(module)
    return module


def plain_dict(f: Function, thing: Value) -> Value:
    """Whether an object is a dictionary, or an ordered one, and of no class of somebody's own."""
    kind = builtin.field(f, thing, KIND)
    return same(f, kind, the(f, "dict")) | same(f, kind, the(f, "OrderedDict"))


def write_getattr(module: Module) -> None:
    f = module.function("module_getattr", PTR, [("self", PTR), ("args", PTR), ("nargs", I64)])
    args, null = f.args["args"].of(PTR), the(f, "null")
    state = f.call("PyObject_GenericGetDict", PTR, [f.args["self"], null])
    demand(f, ~is_null(f, state), "failed")
    demand(f, f.args["nargs"] == 1, "python")
    found = f.var(null)
    for name in REGISTRIES:
        with f.when(is_null(f, found.get())):
            registry = f.call("PyDict_GetItemWithError", PTR, [state, the(f, name)])
            with f.when(~is_null(f, registry)):
                demand(f, plain_dict(f, registry), "python")
                found.set(f.call("PyDict_GetItemWithError", PTR, [registry, args[0]]))
    demand(f, ~is_null(f, found.get()), "python")
    take(f, found.get())
    drop(f, state)
    f.ret(found.get())
    f.label("python")
    f.call("PyErr_Clear", None, [])  # of what has no hash
    drop(f, state)
    given, count = f.buffer(PTR, 2, 8), f.var(1)
    given[0] = f.args["self"]
    with f.when(f.args["nargs"] == 1):  # else the method says so
        given[1] = args[0]
        count.set(2)
    call = [the(f, "getattr_in_python"), given, count.get(), null]
    f.ret(f.call("PyObject_Vectorcall", PTR, call))
    f.label("failed")
    f.ret(null)


def write_call(module: Module) -> None:
    signature = [("self", PTR), ("args", PTR), ("nargs", I64), ("names", PTR)]
    f = module.function("module_call", PTR, signature)
    null, names, me = the(f, "null"), f.args["names"], f.args["self"]
    args = f.args["args"].of(PTR)
    named = f.var(0)
    with f.when(~is_null(f, names)):
        named.set(f.call("PyTuple_Size", I64, [names]))
    count = f.args["nargs"] + named.get()
    given = f.emit(PTR, f"alloca ptr, i64 {(count + 1).text}, align 8").of(PTR)
    given[0] = me
    with f.range(count) as i:
        given[i + 1] = args[i]
    n = f.args["nargs"] + 1
    state = f.call("PyObject_GenericGetDict", PTR, [me, null])
    demand(f, ~is_null(f, state), "failed")
    for where, hooked in ((state, HOOKS), (the(f, "names"), EVERYWHERE)):
        for name in hooked:
            hooks = f.call("PyDict_GetItemWithError", PTR, [where, the(f, name)])
            demand(f, ~is_null(f, hooks), "python")
            demand(f, plain_dict(f, hooks), "python")
            demand(f, f.call("PyDict_Size", I64, [hooks]) == 0, "python")
    found = f.call("PyDict_GetItemWithError", PTR, [state, the(f, "compiled")])
    demand(f, is_null(f, found), "python")
    drop(f, state)
    call = [the(f, "forward"), given, n, names]
    result = f.call("PyObject_VectorcallMethod", PTR, call)
    with f.when(is_null(f, result)):
        write_failed(f, me)
    f.ret(result)
    f.label("python")
    f.call("PyErr_Clear", None, [])
    drop(f, state)
    f.ret(f.call("PyObject_Vectorcall", PTR, [the(f, "call_in_python"), given, n, names]))
    f.label("failed")
    f.ret(null)


def write_failed(f: Function, me: Value) -> None:
    """Tell of an error that leaves the module, which stays set."""
    with f.when(f.call("PyErr_ExceptionMatches", I32, [the(f, "Exception")]) != 0):
        parts = f.buffer(PTR, 3, 8)
        each = [parts.at(i) for i in range(3)]
        f.call("PyErr_Fetch", None, each)
        f.call("PyErr_NormalizeException", None, each)
        with f.when(~is_null(f, parts[2])):
            f.call("PyException_SetTraceback", I32, [parts[1], parts[2]])
        drop(f, called(f, the(f, "failed"), [parts[1], me]))
        f.call("PyErr_Restore", None, [parts[i] for i in range(3)])
