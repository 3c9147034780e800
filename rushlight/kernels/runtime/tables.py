"""Tables of functions of which only those that are needed are compiled.

Microkernels come in many sizes, and a program needs few of them: a table has a place for each
size, and `fill` compiles and links what a plan is about to call. Kernels import the table's
address. A size that was not filled in must not be called: its place is null.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from . import jit

if TYPE_CHECKING:
    from ..codegen.ir import Module


_lock = threading.RLock()
_tables: dict[tuple[Any, ...], Table] = {}


class Table:
    """Addresses of the functions of sizes 1 to `count`, or 0.

    Args:
        key: what the functions are, for the cache.
        count: how many sizes there are.
    """

    def __init__(self, key: tuple[Any, ...], count: int) -> None:
        self.key, self.count = key, count
        self.places = (ctypes.c_void_p * count)()
        self.is_full = False
        jit.keep_for_ever(self.places)

    @classmethod
    def of(cls, key: tuple[Any, ...], count: int) -> Table:
        """The one table of a key."""
        with _lock:
            if key not in _tables:
                _tables[key] = cls(key, count)
            return _tables[key]

    @property
    def address(self) -> int:
        """Where the table is."""
        return ctypes.addressof(self.places)

    def fill(
        self, sizes: Sequence[int] | None, build: Callable[[Sequence[int]], Module]
    ) -> None:
        """Compile what is missing: each size by itself, or (None) all in one module.

        `build` writes a module that exports `tiles`, the addresses of the functions of some sizes.
        """
        with _lock:
            if self.is_full:
                return
            if sizes is None:
                some: Sequence[int] = range(1, self.count + 1)
                self.link((*self.key, "all"), some, build)
                self.is_full = True
                return
            for size in sizes:
                if not self.places[size - 1]:
                    self.link((*self.key, size), (size,), build)

    def link(
        self, key: tuple[Any, ...], sizes: Sequence[int], build: Callable[[Sequence[int]], Module]
    ) -> None:
        """Bring functions into the table; one that is there stays, for it may be running."""
        found = jit.load(key, lambda: build(sizes), ["tiles"])["tiles"]
        made = (ctypes.c_void_p * len(sizes)).from_address(found)
        for i, size in enumerate(sizes):
            if not self.places[size - 1]:
                self.places[size - 1] = made[i]
