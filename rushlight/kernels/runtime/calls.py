"""The launches of a plan in one native call: `call(*arrays, *numbers)`.

All that a launch is called with but addresses, and numbers that are not known beforehand, is
packed when the plan is made. A call copies this to the stack, writes addresses and numbers into it
and calls one kernel after the other. To hand two dozen ints to a kernel one by one took as long as
a small kernel.

The words, an array of int64 that the function has as its `self`:

    0 to 3  how many patches there are for arrays, for arrays that may be None, for ints, for floats
    4       how many kernels are called
    5       how many words are copied, a multiple of STEP
    6       whether other Python threads may run meanwhile
    7       0
    then    patches: which argument, what to add to its address (in bytes), which word to write
            calls: the address of `invoke`, where its words begin, in bytes
            the words that are copied

Not here: who packs them (`kernels/plan.py`); tables that stay where they are (`replay.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..codegen.ir import F64, I64, PTR, Module, Pointer, Value
from . import builtin, jit

HEAD, STEP = 8, 8
MOST = 512  # words that are copied: 4 KB of the stack
ARRAY, OPTIONAL, INT, FLOAT = range(4)

Patch = tuple[int, int, int]


def build() -> Module:
    """The function `call(self, arguments, their number)`."""
    module = Module("calls")
    builtin.declare_python(module)
    f = module.function(
        "make", None, [("calls", PTR), ("count", I64), ("words", PTR)], private=True
    )
    calls = f.args["calls"].of(PTR)
    with f.range(f.args["count"]) as i:
        at = calls.of(I64)[i * 2 + 1]
        place = f.emit(PTR, f"getelementptr i8, ptr {f.args['words'].text}, i64 {at.text}")
        f.call_pointer(calls[i * 2], None, [place])
    f.ret()

    f = module.function("call", PTR, [("self", PTR), ("args", PTR), ("nargs", I64)])
    args = f.args["args"].of(PTR)
    table = builtin.field(f, f.args["self"], builtin.DATA).of(I64)
    words = f.buffer(I64, MOST)
    counts = [table[k] for k in range(4)]
    patches = table.at(HEAD)
    calls = patches.at((counts[0] + counts[1] + counts[2] + counts[3]) * 3)
    source = calls.at(table[4] * 2)
    with f.range(0, table[5], STEP) as i:
        words.store(source.load(i, STEP), i, aligned=True)
    none = Value(f, PTR, "@Py_None")

    def address(given: Value, more: Value) -> Value:
        data = builtin.field(f, given, builtin.DATA)
        return f.emit(I64, f"ptrtoint ptr {data.text} to i64") + more

    start: Any = f.const(I64, 0)
    for kind, count in enumerate(counts):
        with f.range(start, start + count) as i:
            patch = patches.at(i * 3)
            handed, word = args[patch[0]], patch[2]
            if kind == ARRAY:
                words[word] = address(handed, patch[1])
            elif kind == OPTIONAL:
                words[word] = f.const(I64, 0)
                is_there = f.emit("i1", f"icmp ne ptr {handed.text}, {none.text}")
                with f.when(is_there):
                    words[word] = address(handed, patch[1])
            elif kind == INT:
                words[word] = f.call("PyLong_AsSsize_t", I64, [handed])
            else:
                words.at(word).of(F64)[0] = f.call("PyFloat_AsDouble", F64, [handed])
        start = start + count
    made = [Pointer(f, calls.text, PTR), table[4], words]
    with f.when(table[6] != 0) as branch:
        thread = f.call("PyEval_SaveThread", PTR, [])
        f.call("make", None, made)
        f.call("PyEval_RestoreThread", None, [thread])
    with branch.otherwise():
        f.call("make", None, made)
    f.call("Py_IncRef", None, [none])
    f.ret(none)
    return module


@functools.cache
def address() -> int:
    """Where the function is."""
    return jit.load(("calls", HEAD, STEP, MOST), build, ["call"], builtin.symbols())["call"]


def function(
    name: str,
    arguments: Sequence[str],
    patches: Sequence[Sequence[Patch]],
    calls: Sequence[tuple[int, int]],
    words: Sequence[int],
    release: bool,
) -> Any:
    """The built-in function of these words.

    Args:
        name: what profiles show.
        arguments: what its arguments are.
        patches: for arrays, arrays that may be None, ints and floats: (argument, bytes, word).
        calls: (address of `invoke`, where its words begin in `words`).
        words: at most MOST, with zeros where patches are.
        release: whether other Python threads may run meanwhile.
    """
    padded = [*words, *[0] * (-len(words) % STEP)]
    if len(padded) > MOST:
        raise ValueError(f"{name}: {len(padded)} words, {MOST} at most")
    head = [*map(len, patches), len(calls), len(padded), int(release), 0]
    flat = [n for kind in patches for patch in kind for n in patch]
    flat += [n for to, at in calls for n in (to, at * 8)]
    return builtin.bound(address(), name, np.array([*head, *flat, *padded], np.int64), arguments)
