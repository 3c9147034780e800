"""Many native calls whose arrays come anew each time, in one call from Python.

`replay(head, *arrays)` first writes the data pointers of the arrays into the packed arguments of
the calls, then makes the calls, one after the other. `head` is an array of int64:

    head[0], head[1]  how many patches there are, and where
    head[2], head[3]  how many calls there are, and where
    head[4]           whether other Python threads may run meanwhile

A patch is (which array, bytes from its start, address of the word to write); a call is (address of
`invoke`, address of its packed arguments), as in `series.py`.

Not here: who lays these tables out (`compiler/native.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from ..codegen.ir import I64, PTR, Module, Value
from . import builtin, jit

HEAD = 5  # words


def build() -> Module:
    module = Module("replay")
    builtin.declare_python(module)
    f = module.function("run", None, [("table", PTR), ("count", I64)], private=True)
    table = f.args["table"].of(PTR)
    with f.range(f.args["count"]) as i:
        f.call_pointer(table[i * 2], None, [table[i * 2 + 1]])
    f.ret()

    f = module.function("call", PTR, [("self", PTR), ("args", PTR), ("nargs", I64)])
    args = f.args["args"].of(PTR)
    head = builtin.field(f, args[0], builtin.DATA).of(I64)

    def pointer(word: Value) -> Value:
        return f.emit(PTR, f"inttoptr i64 {word.text} to ptr")

    patches = pointer(head[1]).of(I64)
    with f.range(head[0]) as i:
        patch = patches.at(i * 3)
        data = builtin.field(f, args[patch[0]], builtin.DATA)
        address = f.emit(I64, f"ptrtoint ptr {data.text} to i64")
        pointer(patch[2]).of(I64)[0] = address + patch[1]
    given = [pointer(head[3]), head[2]]
    with f.when(head[4] != 0) as branch:
        thread = f.call("PyEval_SaveThread", PTR, [])
        f.call("run", None, given)
        f.call("PyEval_RestoreThread", None, [thread])
    with branch.otherwise():
        f.call("run", None, given)
    none = Value(f, PTR, "@Py_None")
    f.call("Py_IncRef", None, [none])
    f.ret(none)
    return module


@functools.cache
def kernel() -> Callable[..., None]:
    """The built-in function (head, arrays…)."""
    found = jit.load(("replay", HEAD), build, ["call"], builtin.symbols())
    return builtin.function(found["call"], "replay", __doc__ or "")  # type: ignore[no-any-return]
