"""Python functions whose body is machine code.

`function(address, name)` makes a built-in function of a compiled function with CPython's fast
calling convention (self, array of arguments, their number); a call costs 0.03 µs. `entry` writes
such a function around a kernel: it takes the data pointers out of the ndarrays, the numbers out of
ints and floats, and returns None. What it is given is not checked: the Python side in front of it
knows shapes, types and layouts.

The fields of an ndarray lie at fixed offsets (data 16, nd 24, dimensions 32, strides 40: NumPy's
stable ABI on CPython with the global lock, 64 bits).
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..codegen.ir import F32, F64, I32, I64, PTR, Function, Module, Type, Value

DATA, ND, DIMENSIONS, STRIDES = 16, 24, 32, 40
METH_FASTCALL, METH_KEYWORDS = 0x0080, 0x0002

Calls = dict[str, tuple[Type | None, list[Type]]]
PYTHON: Calls = {  # functions of Python's C API: what they return and take
    "PyBytes_FromStringAndSize": (PTR, [PTR, I64]), "PyContextVar_Get": (I32, [PTR, PTR, PTR]),
    "PyDict_GetItemWithError": (PTR, [PTR, PTR]), "PyDict_Next": (I32, [PTR, PTR, PTR, PTR]),
    "PyDict_SetItem": (I32, [PTR, PTR, PTR]), "PyDict_Size": (I64, [PTR]),
    "PyErr_Clear": (None, []), "PyErr_ExceptionMatches": (I32, [PTR]),
    "PyErr_Fetch": (None, [PTR, PTR, PTR]), "PyErr_NormalizeException": (None, [PTR, PTR, PTR]),
    "PyErr_Occurred": (PTR, []), "PyErr_Restore": (None, [PTR, PTR, PTR]),
    "PyErr_SetObject": (None, [PTR, PTR]), "PyEval_RestoreThread": (None, [PTR]),
    "PyEval_SaveThread": (PTR, []), "PyException_SetTraceback": (I32, [PTR, PTR]),
    "PyFloat_AsDouble": (F64, [PTR]), "PyFrame_GetBack": (PTR, [PTR]),
    "PyFrame_GetCode": (PTR, [PTR]), "PyFrame_GetLasti": (I32, [PTR]),
    "PyList_Append": (I32, [PTR, PTR]), "PyList_GetItem": (PTR, [PTR, I64]),
    "PyList_New": (PTR, [I64]), "PyList_SetItem": (I32, [PTR, I64, PTR]),
    "PyList_SetSlice": (I32, [PTR, I64, I64, PTR]), "PyList_Size": (I64, [PTR]),
    "PyLong_AsLongLongAndOverflow": (I64, [PTR, PTR]), "PyLong_AsSsize_t": (I64, [PTR]),
    "PyLong_FromLong": (PTR, [I64]), "PyLong_FromSsize_t": (PTR, [I64]),
    "PyNumber_Negative": (PTR, [PTR]), "PyObject_CallNoArgs": (PTR, [PTR]),
    "PyObject_CallOneArg": (PTR, [PTR, PTR]), "PyObject_GenericGetDict": (PTR, [PTR, PTR]),
    "PyObject_GetAttr": (PTR, [PTR, PTR]), "PyObject_GetItem": (PTR, [PTR, PTR]),
    "PyObject_IsTrue": (I32, [PTR]), "PyObject_Vectorcall": (PTR, [PTR, PTR, I64, PTR]),
    "PyObject_VectorcallMethod": (PTR, [PTR, PTR, I64, PTR]), "PySequence_Tuple": (PTR, [PTR]),
    "PySet_Contains": (I32, [PTR, PTR]), "PyTuple_GetItem": (PTR, [PTR, I64]),
    "PyTuple_New": (PTR, [I64]), "PyTuple_SetItem": (I32, [PTR, I64, PTR]),
    "PyTuple_Size": (I64, [PTR]), "PyType_GenericAlloc": (PTR, [PTR, I64]),
    "PyType_IsSubtype": (I32, [PTR, PTR]), "PyUnicode_AsUTF8AndSize": (PTR, [PTR, PTR]),
    "Py_DecRef": (None, [PTR]), "Py_IncRef": (None, [PTR]),
}  # fmt: skip


class MethodDef(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_new = ctypes.pythonapi.PyCFunction_NewEx
_new.restype = ctypes.py_object
_new.argtypes = (ctypes.POINTER(MethodDef), ctypes.c_void_p, ctypes.c_void_p)
_definitions: list[MethodDef] = []  # a function points to its definition for ever


def function(address: int, name: str, doc: str = "") -> Any:
    """The built-in function whose machine code is at an address."""
    definition = MethodDef(name.encode(), address, METH_FASTCALL, doc.encode())
    _definitions.append(definition)
    return _new(ctypes.byref(definition), None, None)


_new_method = ctypes.pythonapi.PyDescr_NewMethod
_new_method.restype = ctypes.py_object
_new_method.argtypes = (ctypes.py_object, ctypes.POINTER(MethodDef))


def method(cls: type, address: int, name: str, doc: str = "", keywords: bool = False) -> Any:
    """The method of a class whose machine code is at an address, as those of built-in classes are:
    it takes (self, array of arguments, their number), with `keywords` also the names of the last
    ones, which are not counted (null: none)."""
    flags = METH_FASTCALL | (METH_KEYWORDS if keywords else 0)
    definition = MethodDef(name.encode(), address, flags, doc.encode())
    _definitions.append(definition)
    return _new_method(cls, ctypes.byref(definition))


class Owner(np.ndarray):
    """An array that is the `self` of a built-in function, and keeps its definition."""

    definition: MethodDef


def bound(
    address: int, name: str, table: np.ndarray, arguments: Sequence[str], doc: str = ""
) -> Any:
    """`function` with an array as `self`; its definition lives as long as the function. `arguments`
    say what it is called with, to whoever puts another function in its place."""
    owner = table.view(Owner)
    owner.definition = MethodDef(name.encode(), address, METH_FASTCALL, doc.encode() or None)
    return _new(ctypes.byref(owner.definition), id(owner), None)


# Those that the functions around kernels need (`entry`): there are many of these.
FOR_KERNELS = ("PyLong_AsSsize_t", "PyFloat_AsDouble", "PyEval_SaveThread", "PyEval_RestoreThread",
               "Py_IncRef")  # fmt: skip


def symbols() -> dict[str, int]:
    """Addresses of what `entry` needs from Python."""
    return pythons(FOR_KERNELS) | {"Py_None": id(None)}


def pythons(names: Iterable[str] = PYTHON) -> dict[str, int]:
    """Where functions of Python's C API are."""
    return {n: place_of(n) for n in names}


@functools.cache
def place_of(name: str) -> int:
    """Where one of them is."""
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


def declare_python(module: Module) -> None:
    """What `symbols` gives."""
    declare(module, ("Py_None",), FOR_KERNELS)


def declare(module: Module, objects: Iterable[str], functions: Iterable[str] = PYTHON) -> None:
    """Functions of Python's C API, and objects that are always there."""
    for name in functions:
        module.declare(name, *PYTHON[name])
    for name in objects:
        module.globals[name] = f"@{name} = external global i8"


def field(f: Function, ndarray: Value, offset: int) -> Value:
    """A pointer field of an object."""
    place = f.emit(PTR, f"getelementptr i8, ptr {ndarray.text}, i64 {offset}")
    return f.emit(PTR, f"load ptr, ptr {place.text}, align 8")


def slot_offset(cls: Any, name: str) -> int:
    """Where the objects of a class keep what one of its `__slots__` names, in bytes."""
    thing, mark = cls.__new__(cls), object()
    setattr(thing, name, mark)
    words = cls.__basicsize__ // ctypes.sizeof(ctypes.c_void_p)
    held = list((ctypes.c_void_p * words).from_address(id(thing)))
    return held.index(id(mark)) * ctypes.sizeof(ctypes.c_void_p)


@functools.cache
def entry_of(kinds: tuple[str, ...], release: Any = True) -> int:
    """The machine code of a Python function around any kernel of these arguments (see `entry`):
    `self`, an array (`bound`), has the kernel's address."""
    from . import jit

    def build() -> Module:
        module = Module("call")
        entry(module, "call", None, kinds, release)
        return module

    return jit.load(("call", kinds, release), build, ["call"], symbols())["call"]


def entry(
    module: Module,
    name: str,
    kernel: str | None,
    kinds: Sequence[str],
    release: Any = True,
) -> Function:
    """Write the Python function `name` around the function `kernel` of the same module, or around
    the one whose address `self` begins with.

    Args:
        kinds: what each argument is: "array" (the kernel gets its data pointer), "array?" (or None:
            a null pointer), "int", "float" (float64), "float32".
        release: whether other Python threads may run meanwhile: True, False, or the position of an
            int argument and the number from which on it is worth it.
    """
    declare_python(module)
    f = module.function(name, PTR, [("self", PTR), ("args", PTR), ("nargs", I64)])
    f.as_written = True
    args = f.args["args"].of(PTR)
    values: list[Value] = []
    for i, kind in enumerate(kinds):
        given = args[i]
        if kind == "array":
            values.append(field(f, given, DATA))
        elif kind == "array?":
            none = Value(f, PTR, "@Py_None")
            is_none = f.emit("i1", f"icmp eq ptr {given.text}, {none.text}")
            pointer = f.var(Value(f, PTR, "null"))
            with f.when(~is_none):
                pointer.set(field(f, given, DATA))
            values.append(pointer.get())
        elif kind == "int":
            values.append(f.call("PyLong_AsSsize_t", I64, [given]))
        elif kind in ("float", "float32"):
            x = f.call("PyFloat_AsDouble", F64, [given])
            values.append(f.convert(x, F32) if kind == "float32" else x)
        else:
            raise ValueError(f"an argument cannot be {kind!r}")

    def run() -> None:
        if kernel is not None:
            f.call(kernel, None, values)
        else:
            f.call_pointer(field(f, f.args["self"], DATA).of(PTR)[0], None, values)

    def run_released() -> None:
        thread = f.call("PyEval_SaveThread", PTR, [])
        run()
        f.call("PyEval_RestoreThread", None, [thread])

    if release is False:
        run()
    elif release is True:
        run_released()
    else:
        position, least = release
        with f.when(values[position] >= least) as branch:
            run_released()
        with branch.otherwise():
            run()
    none = Value(f, PTR, "@Py_None")
    f.call("Py_IncRef", None, [none])
    f.ret(none)
    return f
