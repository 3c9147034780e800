"""Many native calls in one call from Python: a table of functions, each with its packed arguments.

The table is in shares, which the pool's threads take one by one; the calls of a share come one
after the other. With several shares the pool is busy: calls within one are not shared any further.

Not here: what is in the table (`Series` in `kernels/launch.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from ..codegen.ir import I64, PTR, Module, Value
from . import builtin, jit, threads


def build() -> Module:
    """`run(table, begins, shares)`: the table has a function and the address of its words for each
    call; share k has those from begins[k] to before begins[k + 1]."""
    module = Module("series")
    threads.declare_run(module)
    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    given = c.args["context"].of(PTR)
    table, begins = given[0].of(PTR), given[1].of(I64)
    share = begins.at(c.args["index"])
    with c.range(share[0], share[1]) as i:
        c.call_pointer(table[i * 2], None, [table[i * 2 + 1]])
    c.ret()
    f = module.function("run", None, [("table", PTR), ("begins", PTR), ("shares", I64)])
    context = f.buffer(PTR, 2)
    context[0], context[1] = f.args["table"], f.args["begins"]
    f.call("pool_run", None, [Value(f, PTR, "@chunk"), context, f.args["shares"]])
    f.ret()
    builtin.entry(module, "call", "run", ["array", "array", "int"])
    return module


@functools.cache
def kernel() -> Callable[..., None]:
    """The built-in function (table and begins as arrays of int64, number of shares)."""
    imports = {**builtin.symbols(), **threads.run_symbol()}
    found = jit.load(("series", "shares"), build, ["call"], imports)
    return builtin.function(found["call"], "series")  # type: ignore[no-any-return]
