"""Many kernels in one native call: a table of functions, each with its packed arguments.

The table is in shares, which the pool's threads take one by one; the calls of a share come one
after the other. With several shares the pool is busy: calls within one are not shared any further.
The table is made once for all arrays: who runs a call copies its arguments and adds the addresses.

Not here: what is in the table (`Series` in `kernels/launch.py`).
"""

from __future__ import annotations

import functools

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import I64, PTR, Module
from . import threads

MOST = 64  # words of the arguments of a call
# Words of each call at the beginning of the table: the function, where in the table its arguments
# begin, how many there are, where the pairs (argument, number of an array) begin that say which
# addresses are added, and how many there are.
HEAD = ("invoke", "words", "count", "patches", "patched")


@functools.cache
def interface(arrays: int) -> Interface:
    """Of a series on so many arrays."""
    return Interface(
        "series",
        "calls of kernels, in each share one after the other",
        arrays={
            "table": f"for each call {', '.join(HEAD)}; what these lead to",
            "begins": "where each share begins among the calls, and where the last one ends",
            **{f"array{i}?": "one that calls read or write" for i in range(arrays)},
        },
        ints={"shares": "shares of the calls"},
    )


def build(arrays: int) -> Module:
    """The module; a chunk is a share."""
    module, given = Module("series"), interface(arrays)
    threads.declare_run(module)
    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    words = given.words(c.args["context"])
    table, share = words["table"].of(I64), words["begins"].of(I64).at(c.args["index"])
    addresses = c.args["context"].of(I64).at(given.places["array0"])
    room = c.buffer(I64, MOST)
    with c.range(share[0], share[1]) as i:
        head = table.at(i * len(HEAD))
        arguments, patches = table.at(head[1]), table.at(head[3])
        with c.range(head[2]) as k:
            room[k] = arguments[k]
        with c.range(head[4]) as k:
            patch = patches.at(k * 2)
            room[patch[0]] = room[patch[0]] + addresses[patch[1]]
        c.call_pointer(head.of(PTR)[0], None, [room])
    c.ret()
    given.write(module, "shares")
    return module


@functools.cache
def kernel(arrays: int) -> Kernel:
    """The kernel of series on so many arrays: table and begins are arrays of int64."""
    return Kernel(interface(arrays), (arrays, MOST), lambda: build(arrays))
