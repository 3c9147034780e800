"""Many native calls in one call from Python: a table of functions, each with its packed arguments.

Not here: what is in the table (`Series` in `kernels/plan.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from ..codegen.ir import I64, PTR, Module
from . import builtin, jit


def build() -> Module:
    """`run(table, count)`: the table has a function and the address of its words for each call."""
    module = Module("series")
    f = module.function("run", None, [("table", PTR), ("count", I64)])
    table = f.args["table"].of(PTR)
    with f.range(f.args["count"]) as i:
        f.call_pointer(table[i * 2], None, [table[i * 2 + 1]])
    f.ret()
    builtin.entry(module, "call", "run", ["array", "int"])
    return module


@functools.cache
def kernel() -> Callable[..., None]:
    """The built-in function (table as an array of int64, number of calls)."""
    found = jit.load(("series",), build, ["call"], builtin.symbols())
    return builtin.function(found["call"], "series")  # type: ignore[no-any-return]
