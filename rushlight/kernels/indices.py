"""Whether indices are in range: asked in one place, so that a compiled step can ask beforehand.

Lookups refuse an index that is out of range before they read or write by it. They ask `within`,
which looks at the numbers. While a line of a step is tried out by the compiler, whoever watches
this thread answers instead, and notes what must hold of the indices when the step runs again
(`compiler/trace.py`): the kernel in `index_flag.py` looks then.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..blocks import contextmanager
from .runtime import few

UNSIGNED = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}
_watcher: tuple[int, Callable[[Any, int, int], bool]] | None = None  # a thread, and who answers


def within(index: Any, low: int, high: int) -> bool:
    """Whether all numbers of an array of integers are at least `low` and below `high`."""
    watcher = _watcher
    if watcher is not None and watcher[0] == threading.get_ident():
        return watcher[1](index, low, high)
    return seen(index, low, high)


def seen(index: Any, low: int, high: int) -> bool:
    """The same by looking at the numbers."""
    if low == 0:
        found = few.inside(index, high)
        if found is not None:
            return found  # type: ignore[no-any-return]
    if not index.size:
        return True
    if 0 in index.strides:  # expanded: once is enough
        index = index[tuple(slice(0, 1) if not s else slice(None) for s in index.strides)]
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
