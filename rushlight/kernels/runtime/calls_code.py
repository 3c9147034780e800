"""The machine code of `calls.py`: what a call of these words does."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import config
from ..codegen.ir import F64, I8, I32, I64, PTR, Function, Module, Pointer, Value
from . import builtin, memory, threads, workspace
from .builtin import DATA, DIMENSIONS, field
from .few_code import NEW_FROM_DESCR, new_array
from .memory import numpy_address
from .object_code import is_null, same, the

STEP = 8
MOST = 512  # words that are copied: 4 KB of the stack
MOST_THINGS = 32
KINDS = 4  # of patches
# What the words begin with: how many patches of each kind, how many kernels, how many words are
# copied (a multiple of STEP), whether other Python threads may run meanwhile, how many arguments,
# outputs and returned things there are, bytes of workspace, whether the pool must be asked.
HEAD = ("arrays", "optional", "ints", "floats", "kernels", "copied", "release", "arguments",
        "outputs", "returned", "workspace", "asks")  # fmt: skip


def objects() -> dict[str, Any]:
    """What the code asks, of Python and of this process."""
    return {
        "Py_None": None, "Py_True": True, "ndarray": np.ndarray, "TypeError": TypeError,
        "wrong_number": "a plan was run on another number of arrays and numbers than it has",
        "pool": threads.pool(), "config": config.current, "adoption": memory.adoption,
        "ready_by_python": threads.ready, "kept": workspace.kept, "room_name": "room",
        "workspace": workspace.workspace,
    }  # fmt: skip


_objects: dict[str, Any] = {}  # held


def symbols() -> dict[str, int]:
    """Addresses of what the code needs."""
    if not _objects:
        _objects.update(objects())
    found = builtin.pythons() | {name: id(thing) for name, thing in _objects.items()}
    return {**found, "array_new": numpy_address(NEW_FROM_DESCR)}


def layout() -> tuple[Any, ...]:
    """What the code depends on beside this file."""
    return len(HEAD), STEP, MOST, MOST_THINGS, *slots()


def slots() -> tuple[int, int]:
    """Where the pool has its size and the settings have the number of threads."""
    size = builtin.slot_offset(threads.Pool, "size")
    return size, builtin.slot_offset(config.Config, "num_threads")


def build() -> Module:
    """The function `call(self, arguments, their number)`."""
    module = Module("calls")
    builtin.declare(module, objects())
    module.declare("array_new", PTR, [PTR, PTR, I32, PTR, PTR, PTR, I32, PTR])
    write_make(module)
    write_ready(module)
    write_room(module)
    write_output(module)
    f = module.function("call", PTR, [("self", PTR), ("args", PTR), ("nargs", I64)])
    null, none = the(f, "null"), the(f, "Py_None")
    args, given = f.args["args"].of(PTR), f.args["nargs"]
    table = field(f, f.args["self"], DATA).of(I64)
    word = {name: table[i] for i, name in enumerate(HEAD)}
    things = f.buffer(PTR, MOST_THINGS)
    outputs, there = table.at(len(HEAD)), f.var(given)  # how many things there are so far
    result = f.var(null)
    right = given == word["arguments"]
    with f.when(~right):
        f.call("PyErr_SetObject", None, [the(f, "TypeError"), the(f, "wrong_number")])
    ready = f.var(f.convert(right, I64))
    with f.when((ready.get() != 0) & (word["asks"] != 0)):
        ready.set(f.call("ready", I64, []))
    with f.when(ready.get() != 0):
        with f.range(given) as i:
            things[i] = args[i]
        with f.range(word["outputs"]) as k, f.when(ready.get() != 0):
            made = f.call("output", PTR, [table, outputs.at(k * 4)])
            ready.set(add(f, things, there, made))
        with f.when((ready.get() != 0) & (word["workspace"] != 0)):
            ready.set(add(f, things, there, f.call("room", PTR, [word["workspace"]])))
        with f.when(ready.get() != 0):
            returned = outputs.at(word["outputs"] * 4)
            write_kernels(f, word, returned.at(word["returned"]), things)
            with f.when(word["returned"] == 0) as nothing:
                f.call("Py_IncRef", None, [none])
                result.set(none)
            with nothing.otherwise():
                with f.when(word["returned"] == 1) as one:
                    result.set(things[returned[0]])
                    f.call("Py_IncRef", None, [result.get()])
                with one.otherwise():
                    several = f.call("PyTuple_New", PTR, [word["returned"]])
                    with f.when(~is_null(f, several)), f.range(word["returned"]) as i:
                        thing = things[returned[i]]
                        f.call("Py_IncRef", None, [thing])
                        f.call("PyTuple_SetItem", I32, [several, i, thing])
                    result.set(several)
        with f.range(given, there.get()) as i:
            f.call("Py_DecRef", None, [things[i]])
    f.ret(result.get())
    return module


def add(f: Function, things: Pointer, there: Any, made: Value) -> Value:
    """Put another thing behind the others; 0 where it was not made."""
    good = f.var(0)
    with f.when(~is_null(f, made)):
        things[there.get()] = made
        there.set(there.get() + 1)
        good.set(1)
    return good.get()  # type: ignore[no-any-return]


def write_kernels(f: Function, word: dict[str, Value], patches: Pointer, things: Pointer) -> None:
    """Copy the words, write addresses and numbers into them, and call the kernels."""
    words = f.buffer(I64, MOST)
    counts = [word[name] for name in HEAD[:KINDS]]
    calls = patches.at((counts[0] + counts[1] + counts[2] + counts[3]) * 3)
    source = calls.at(word["kernels"] * 2)
    with f.range(0, word["copied"], STEP) as i:
        words.store(source.load(i, STEP), i, aligned=True)

    def address(thing: Value, more: Value) -> Value:
        data = field(f, thing, DATA)
        return f.emit(I64, f"ptrtoint ptr {data.text} to i64") + more

    start: Any = f.const(I64, 0)
    for kind, count in enumerate(counts):
        with f.range(start, start + count) as i:
            patch = patches.at(i * 3)
            thing, place = things[patch[0]], patch[2]
            if kind == 0:
                words[place] = address(thing, patch[1])
            elif kind == 1:
                words[place] = f.const(I64, 0)
                with f.when(~same(f, thing, the(f, "Py_None"))):
                    words[place] = address(thing, patch[1])
            elif kind == 2:
                words[place] = f.call("PyLong_AsSsize_t", I64, [thing])
            else:
                words.at(place).of(F64)[0] = f.call("PyFloat_AsDouble", F64, [thing])
        start = start + count
    given = [Pointer(f, calls.text, PTR), word["kernels"], words]
    with f.when(word["release"] != 0) as branch:
        thread = f.call("PyEval_SaveThread", PTR, [])
        f.call("make", None, given)
        f.call("PyEval_RestoreThread", None, [thread])
    with branch.otherwise():
        f.call("make", None, given)


def write_make(module: Module) -> None:
    """make(calls, their number, words): the kernels, one after the other."""
    f = module.function(
        "make", None, [("calls", PTR), ("count", I64), ("words", PTR)], private=True
    )
    calls = f.args["calls"].of(PTR)
    with f.range(f.args["count"]) as i:
        at = calls.of(I64)[i * 2 + 1]
        place = f.emit(PTR, f"getelementptr i8, ptr {f.args['words'].text}, i64 {at.text}")
        f.call_pointer(calls[i * 2], None, [place])
    f.ret()


def write_ready(module: Module) -> None:
    """ready(): 1 after what `threads.ready` asks was found so, or was done; 0 with an error.

    Small ints are one object each, so what is another object is another number or a large one.
    """
    f = module.function("ready", I64, [], private=True)
    size, number = slots()
    value, good = f.buffer(PTR, 1), f.var(0)
    asked = f.call("PyContextVar_Get", I32, [the(f, "adoption"), the(f, "null"), value])
    with f.when(asked == 0):
        adopted = same(f, value[0], the(f, "Py_True"))
        f.call("Py_DecRef", None, [value[0]])
        agree = same(f, field(f, the(f, "pool"), size), field(f, the(f, "config"), number))
        with f.when(adopted & agree) as branch:
            good.set(1)
        with branch.otherwise():
            done = f.call("PyObject_CallNoArgs", PTR, [Value(f, PTR, "@ready_by_python")])
            with f.when(~is_null(f, done)):
                f.call("Py_DecRef", None, [done])
                good.set(1)
    f.ret(good.get())


def write_room(module: Module) -> None:
    """room(bytes): this thread's workspace, or null with an error."""
    f = module.function("room", PTR, [("bytes", I64)], private=True)
    nbytes, enough = f.args["bytes"], f.var(0)
    found = f.var(f.call("PyObject_GetAttr", PTR, [the(f, "kept"), the(f, "room_name")]))
    with f.when(~is_null(f, found.get())):
        with f.when(~same(f, found.get(), the(f, "Py_None"))):
            size = field(f, found.get(), DIMENSIONS).of(I64)[0]
            enough.set(f.convert(size >= nbytes, I64))
        with f.when(enough.get() == 0):
            f.call("Py_DecRef", None, [found.get()])
            number = f.call("PyLong_FromSsize_t", PTR, [nbytes])
            found.set(number)  # null as it may be
            with f.when(~is_null(f, number)):
                found.set(f.call("PyObject_CallOneArg", PTR, [the(f, "workspace"), number]))
                f.call("Py_DecRef", None, [number])
    f.ret(found.get())


def write_output(module: Module) -> None:
    """output(all words, those of one output): a new array, or null with an error."""
    f = module.function("output", PTR, [("table", PTR), ("words", PTR)], private=True)
    table, words = f.args["table"].of(I8), f.args["words"].of(I64)
    descr = f.emit(PTR, f"inttoptr i64 {words[0].text} to ptr")
    null = the(f, "null")
    strides = f.var(null)
    with f.when(words[3] != 0):
        strides.set(table.at(words[3]))
    nothing = f.const(I32, 0)
    f.ret(new_array(f, descr, words[1], table.at(words[2]), strides.get(), null, nothing))
