"""Many kernels in one native call: a table of functions, each with its packed arguments.

The table is in shares, which the pool's threads take one by one; the calls of a share come one
after the other. With several shares the pool is busy: calls within one are not shared any further.

Not here: what is in the table (`Series` in `kernels/launch.py`).
"""

from __future__ import annotations

import functools

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import I8, I64, PTR, Module
from . import threads

INTERFACE = Interface(
    "series",
    "calls of kernels, in each share one after the other",
    arrays={
        "table": "for each call the address of `invoke`, and where in bytes from the table's "
        "beginning its arguments are; these arguments",
        "begins": "where each share begins among the calls, and where the last one ends",
    },
    ints={"shares": "shares of the calls"},
)


def build() -> Module:
    """The module; a chunk is a share."""
    module = Module("series")
    threads.declare_run(module)
    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    words = INTERFACE.words(c.args["context"])
    table, share = words["table"], words["begins"].of(I64).at(c.args["index"])
    with c.range(share[0], share[1]) as i:
        place = table.of(I8).at(table.of(I64)[i * 2 + 1])
        c.call_pointer(table.of(PTR)[i * 2], None, [place])
    c.ret()
    INTERFACE.write(module, "shares")
    return module


@functools.cache
def kernel() -> Kernel:
    """The kernel: table and begins are arrays of int64."""
    return Kernel(INTERFACE, (), build)
