"""Calls of kernels as words in memory: what `kernels/runtime/replay.py` reads.

A `Call` names a kernel and where each of its arrays lies: a `Place`, which is something known by a
kind and a number ("operand" 2, "temp" 0, …) and an offset in bytes. A `Table` turns calls into
words; addresses that are known go in at once, others are patched at each run.

Not here: where calls come from (`lower_plans.py`), which memory a place is (`native.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..kernels.codegen.interface import Kernel
from ..kernels.runtime import replay

RELEASE = 1 << 17  # operations and bytes from which on other Python threads may run meanwhile


class Place(NamedTuple):
    """Where an array of a call begins."""

    kind: str
    number: int
    offset: int = 0

    def moved(self, offset: int) -> Place:
        return Place(self.kind, self.number, self.offset + offset)


class Lying(NamedTuple):
    """An array: where it begins and how it lies."""

    place: Place
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: Any


Words = tuple[Place | int, ...]  # a table of addresses that is an array itself


class Call(NamedTuple):
    """One launch: for each array a place, words of its own, or None."""

    kernel: Kernel
    arrays: tuple[Place | Words | None, ...]
    ints: tuple[int, ...]
    floats: tuple[float, ...]

    def places(self) -> list[Place]:
        """All places that it reads or writes."""
        found: list[Place] = []
        for a in self.arrays:
            if a.__class__ is Place:
                found.append(a)
            elif a is not None:
                found += [p for p in a if p.__class__ is Place]  # type: ignore[misc]
        return found

    def at(self, move: Callable[[Place], Place]) -> Call:
        """The same call with other places."""

        def moved(a: Any) -> Any:
            if a.__class__ is Place:
                return move(a)
            return a if a is None else tuple([moved(p) if p.__class__ is Place else p for p in a])

        return self._replace(arrays=tuple([moved(a) for a in self.arrays]))


Locate = Callable[[Place], "int | tuple[int, int]"]


class Table:
    """The words of some calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[Call, Locate]] = []
        self.words: list[int] = []
        self.inner: list[int] = []  # places of addresses within the words
        self.patches: list[tuple[int, int, int]] = []  # (argument, offset, place in the words)

    def add(self, call: Call, locate: Locate) -> None:
        """Add a call; `locate` gives the address of a place, or (number of an argument of `replay`,
        bytes from its start)."""
        self.calls.append((call, locate))

    def _address(self, place: Place, locate: Locate) -> int:
        found = locate(place)
        if isinstance(found, int):
            return found
        self.patches.append((found[0], found[1], len(self.words)))
        return 0

    def _pack(self, call: Call, locate: Locate) -> int:
        """Pack the arguments of a call; where they begin."""
        lists: dict[int, int] = {}
        for k, a in enumerate(call.arrays):
            if a is not None and a.__class__ is not Place:
                lists[k] = 8 * len(self.words)
                for word in a:
                    known = word.__class__ is not Place
                    self.words.append(word if known else self._address(word, locate))  # type: ignore[arg-type]
        start = 8 * len(self.words)
        for k, a in enumerate(call.arrays):
            if k in lists:
                self.inner.append(len(self.words))
                self.words.append(lists[k])
            else:
                self.words.append(0 if a is None else self._address(a, locate))  # type: ignore[arg-type]
        self.words += [int(v) for v in call.ints]
        self.words += np.array(call.floats, np.float64).view(np.int64).tolist()
        return start

    def finish(self, release: bool) -> Any:
        """The array `head` of `replay`, which keeps all words alive."""
        self.words = [0] * (replay.HEAD + 2 * len(self.calls))
        at = replay.HEAD
        for call, locate in self.calls:
            start = self._pack(call, locate)
            self.words[at], self.words[at + 1] = call.kernel.invoke, start
            self.inner.append(at + 1)
            at += 2
        where = len(self.words)
        for argument, offset, place in self.patches:
            self.inner.append(len(self.words) + 2)
            self.words += [argument, offset, 8 * place]
        self.words[: replay.HEAD] = [
            len(self.patches), 8 * where, len(self.calls), 8 * replay.HEAD, int(release)
        ]  # fmt: skip
        self.inner += [1, 3]
        head = np.array(self.words, np.int64)
        head[self.inner] += head.ctypes.data
        return head


def run_on(calls: Sequence[Call], address: Callable[[Place], int]) -> None:
    """Run calls once, on memory whose addresses are known."""
    from ..kernels.runtime import threads

    table = Table()
    for call in calls:
        table.add(call, address)
    head = table.finish(True)
    threads.ready()
    replay.kernel()(head)
