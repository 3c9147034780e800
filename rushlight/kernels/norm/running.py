"""The kernel of running statistics: two averages moved towards what a batch has, in place.

Every product and sum is rounded by itself, in the order of NumPy's passes over whole arrays
(`reference.moved`), so the numbers are the same to the last bit. There is one number for each
channel: one thread does it.

Not here: when this computes them (`select.py`).
"""

from __future__ import annotations

import functools

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import Module
from ..codegen.rows import Vectors

MOVED = Interface(
    "running_statistics",
    "a = a * kept + new_a * by_a, b = b * kept + new_b * by_b",
    arrays={
        "a": "n elements, read and written", "b": "likewise, in other memory",
        "new_a": "n elements", "new_b": "likewise",
    },
    ints={"n": "elements of each"},
    floats={
        "kept": "the part that stays", "by_a": "factor of what comes to a",
        "by_b": "factor of what comes to b",
    },
)  # fmt: skip


def build(element: str) -> Module:
    module = Module(MOVED.name)
    f = MOVED.begin_run(module)
    v = Vectors(f, f.args["n"], element)
    kept, by_a, by_b = (v.wide(f.convert(f.args[k], element)) for k in ("kept", "by_a", "by_b"))
    for name, by in (("a", by_a), ("b", by_b)):
        old, new = f.args[name].of(element), f.args[f"new_{name}"].of(element)
        v.each(lambda i, old=old, new=new, by=by: v.put(  # type: ignore[misc]
            old, i, v.get(old, i) * kept + v.get(new, i) * by
        ))  # fmt: skip
    f.ret()
    MOVED.write_invoke(module)
    return module


@functools.cache
def moved(element: str) -> Kernel:
    """The kernel for elements "float" or "double"."""
    return Kernel(MOVED, (element,), lambda: build(element))
