"""Whether indices are in range: asked in one place, so that a compiled step can ask beforehand.

Lookups refuse an index that is out of range before they read or write by it. They ask `within`,
which looks at the numbers. While a line of a step is tried out by the compiler, whoever watches
this thread answers instead, and notes what must hold of the indices when the step runs again
(`compiler/trace.py`): `flag` is the kernel that looks then.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .codegen.interface import Interface, Kernel
from .codegen.ir import I64, Module, Value, vector
from .runtime import jit

UNSIGNED = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}
ELEMENTS = {np.dtype(np.int64): "i64", np.dtype(np.int32): "i32"}
_watcher: tuple[int, Callable[[Any, int, int], bool]] | None = None  # a thread, and who answers


def within(index: Any, low: int, high: int) -> bool:
    """Whether all numbers of an array of integers are at least `low` and below `high`."""
    watcher = _watcher
    if watcher is not None and watcher[0] == threading.get_ident():
        return watcher[1](index, low, high)
    return seen(index, low, high)


def seen(index: Any, low: int, high: int) -> bool:
    """The same by looking at the numbers."""
    if not index.size:
        return True
    if low == 0 and index.dtype.kind in "iu":  # one pass: as unsigned numbers, negative ones are
        return int(index.view(UNSIGNED[index.itemsize]).max()) < high  # the largest
    return int(index.min()) >= low and int(index.max()) < high


def asked() -> bool:
    """Whether somebody else answers in this thread, so that asking costs no look."""
    return _watcher is not None and _watcher[0] == threading.get_ident()


@contextmanager
def answered(answer: Callable[[Any, int, int], bool]) -> Iterator[None]:
    """Let `answer(index, low, high)` stand for `within` in this thread; one at a time."""
    global _watcher
    before = _watcher
    _watcher = threading.get_ident(), answer
    try:
        yield
    finally:
        _watcher = before


FLAG = Interface(
    "index_flag",
    "flag[0] = 1 where an index is not in low..high-1",
    arrays={"index": "rows of integers", "flag": "one int64, else left as it is"},
    ints={
        "rows": "rows", "n": "indices of a row", "apart": "between rows, in elements",
        "step": "between indices of a row, in elements", "low": "the first that is in range",
        "high": "the one behind the last",
    },
)  # fmt: skip


def build(element: str) -> Module:
    module = Module("index_flag")
    f = FLAG.begin_run(module)
    word = f.args
    width = jit.target().lanes // 2
    wide = vector(I64, width)
    span = word["high"] - word["low"]
    found, many = f.var(0), f.var(f.splat(f.const(I64, 0), width), wide)

    def outside(x: Value) -> Value:
        x = f.convert(x, I64) - word["low"]
        return f.convert(f.compare("ge", x, span, unsigned=True), I64)

    with f.range(word["rows"]) as row:
        x = word["index"].of(element).at(row * word["apart"])
        dense = f.select(word["step"] == 1, word["n"] - word["n"] % width, 0)
        with f.range(0, dense, width) as i:
            many.set(many.get() | outside(x.load(i, width)))
        with f.range(dense, word["n"]) as i:
            found.set(found.get() | outside(x[i * word["step"]]))
    name = f"llvm.vector.reduce.or.v{width}i64"
    bad = found.get() | f.intrinsic(name, I64, [many.get()])
    with f.when(bad != 0):
        word["flag"].of(I64)[0] = f.const(I64, 1)
    f.ret()
    FLAG.write_entry(module, ("n", 1 << 16))
    return module


@functools.cache
def flag(element: str) -> Kernel:
    """The kernel for indices of "i64" or "i32"."""
    return Kernel(FLAG, (element,), lambda: build(element))
