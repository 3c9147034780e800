"""Neighbouring launches of a plan as one native call (`runtime/calls.py`).

Not here: the text of `plan.run`, in which such calls stand (`plan.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .launch import Launch

Parts = dict[str, tuple[str, int]]  # arrays that are parts of others: of which, from which byte on


def calls(
    name: str,
    launches: Sequence[Launch],
    parts: Parts,
    constants: dict[str, Any],
    optional: Sequence[str],
    release: bool,
) -> Iterator[tuple[Callable[..., None], list[str]]]:
    """The native functions, and the names of arrays and scalars that each is called with.

    Args:
        name: of the plan.
        constants: arrays that stay where they are.
        optional: arrays that may be None.
        release: whether other Python threads may run meanwhile.
    """
    from .runtime.calls import MOST

    some: list[Launch] = []
    size = 0
    for launch in launches:
        words = len(launch.kernel.interface.types)
        if words > MOST:
            raise ValueError(f"{launch.kernel}: {words} arguments, {MOST} at most")
        if some and size + words > MOST:
            yield call(name, some, parts, constants, optional, release)
            some, size = [], 0
        some.append(launch)
        size += words
    if some:
        yield call(name, some, parts, constants, optional, release)


def call(
    name: str,
    launches: Sequence[Launch],
    parts: Parts,
    constants: dict[str, Any],
    optional: Sequence[str],
    release: bool,
) -> tuple[Callable[..., None], list[str]]:
    """`calls` for launches that are one call."""
    from .runtime import calls as native

    given: dict[str, int] = {}  # arguments of the call, by name
    meaning: dict[str, str] = {}
    patches: list[list[tuple[int, int, int]]] = [[], [], [], []]
    words: list[int] = []
    made = []
    for launch in launches:
        made.append((launch.kernel.invoke, len(words)))
        for what, place in zip(launch.kernel.interface.arrays, launch.arrays, strict=True):
            array, offset = (place, 0) if place is None or isinstance(place, str) else place
            while array in parts:
                array, more = parts[array]
                offset += more
            if array in constants:
                words.append(constants[array].ctypes.data + offset)
                continue
            if array is not None:
                kind = native.OPTIONAL if array in optional else native.ARRAY
                patches[kind].append((given.setdefault(array, len(given)), offset, len(words)))
                meaning.setdefault(array, what)
            words.append(0)
        for kind, numbers in ((native.INT, launch.ints), (native.FLOAT, launch.floats)):
            for number in numbers:
                if isinstance(number, str):
                    patches[kind].append((given.setdefault(number, len(given)), 0, len(words)))
                    words.append(0)
                elif kind == native.INT:
                    words.append(int(number))
                else:
                    words.append(int(np.array(number, np.float64).view(np.int64)))
    arguments = [meaning.get(k, k) for k in given]
    return native.function(name, arguments, patches, made, words, release), list(given)
