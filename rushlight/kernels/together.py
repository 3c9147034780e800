"""Neighbouring launches of a plan, or all of it, as one native call (`runtime/calls.py`).

Not here: the text of `plan.run`, in which such calls stand (`plan.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .launch import Launch
from .meta import MetaArray

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
    given: dict[str, int] = {}  # arguments of the call, by name
    native, meaning, packed = pack(launches, parts, constants, optional, given)
    arguments = [meaning.get(k, k) for k in given]
    return native.function(name, arguments, *packed, release), list(given)


def whole(
    name: str,
    launches: Sequence[Launch],
    parts: Parts,
    constants: dict[str, Any],
    given: Sequence[str],
    optional: Sequence[str],
    outputs: dict[str, MetaArray],
    returned: Sequence[str],
    workspace: int,
    release: bool,
) -> Callable[..., Any] | None:
    """A plan that is these launches alone, as one native function of all that `given` names; None
    where it has too many words, or too many arrays and numbers.

    Args:
        outputs: arrays that it makes, by name.
        returned: names of arrays.
        workspace: bytes, as the array `_room`.
    """
    from .runtime.calls_code import MOST, MOST_THINGS

    names = [*given, *outputs, "_room"]
    words = sum(len(launch.kernel.interface.types) for launch in launches)
    if words > MOST or len(names) > MOST_THINGS:
        return None
    places = {k: i for i, k in enumerate(names)}
    native, meaning, packed = pack(launches, parts, constants, optional, places)
    called = [(meaning.get(k, k), meta) for k, meta in outputs.items()]
    made = native.Whole(called, [places[k] for k in returned], workspace)
    arguments = [meaning.get(k, k) for k in given]
    function: Any = native.function(name, arguments, *packed, release, made)
    function.__self__.constants = constants  # to which the words point
    return function  # type: ignore[no-any-return]


def pack(
    launches: Sequence[Launch],
    parts: Parts,
    constants: dict[str, Any],
    optional: Sequence[str],
    given: dict[str, int],
) -> tuple[Any, dict[str, str], tuple[Any, ...]]:
    """The module `calls`; what kernels call the arrays; and patches, calls and words of some
    launches. `given` are the numbers of things, by name, to which others are added."""
    from .runtime import calls as native

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
                thing = given.setdefault(array, len(given))
                patches[kind].append((thing, offset, len(words)))
                meaning.setdefault(array, what)
            words.append(0)
        for kind, numbers in ((native.INT, launch.ints), (native.FLOAT, launch.floats)):
            for number in numbers:
                if isinstance(number, str):
                    thing = given.setdefault(number, len(given))
                    patches[kind].append((thing, 0, len(words)))
                    words.append(0)
                elif kind == native.INT:
                    words.append(int(number))
                else:
                    words.append(int(np.array(number, np.float64).view(np.int64)))
    return native, meaning, (patches, made, words)
