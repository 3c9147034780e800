"""The launches of a plan in one native call, and whole plans: what `plan.run` is.

All that a launch is called with but addresses, and numbers that are not known beforehand, is
packed when the plan is made. A call copies this to the stack, writes addresses and numbers into it
and calls one kernel after the other. To hand two dozen ints to a kernel one by one took as long as
a small kernel.

A plan that is nothing but kernels is run so from beginning to end: the same call makes the outputs,
finds workspace, asks whether the pool of threads is ready, and returns what the plan returns. As a
function of Python it took 0.72 us for three outputs, freed again; so it takes 0.51.

The words, an array of int64 that the function has as its `self` (`HEAD`, then):

    outputs    four words each: its type, dimensions, where in the words their sizes are, in bytes,
               and where its strides are (0: in rows)
    returned   which things are returned
    patches    for arrays, arrays that may be None, ints and floats: which thing, what to add to its
               address (in bytes), which word to write
    calls      the address of `invoke`, where its words begin, in bytes
    copied     the words that are copied
    sizes      of the outputs

Things are the arguments, then the outputs, then the workspace.

Not here: what it does (`calls_code.py`); who packs the words (`kernels/plan.py`, `together.py`);
tables that stay where they are (`replay.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..meta import MetaArray, contiguous_strides
from . import builtin, calls_code, jit
from .calls_code import HEAD, MOST, MOST_THINGS, STEP

ARRAY, OPTIONAL, INT, FLOAT = range(4)

Patch = tuple[int, int, int]


class Whole(NamedTuple):
    """What makes a call all that `plan.run` is."""

    outputs: Sequence[tuple[str, MetaArray]]  # (what a kernel calls it, what it is)
    returned: Sequence[int]  # numbers of things
    workspace: int = 0  # bytes


@functools.cache
def address() -> int:
    """Where the function is."""
    key = ("calls", *calls_code.layout())
    return jit.load(key, calls_code.build, ["call"], calls_code.symbols())["call"]


def function(
    name: str,
    arguments: Sequence[str],
    patches: Sequence[Sequence[Patch]],
    calls: Sequence[tuple[int, int]],
    words: Sequence[int],
    release: bool,
    whole: Whole | None = None,
) -> Any:
    """The built-in function of these words.

    Args:
        name: what profiles show.
        arguments: what its arguments are.
        patches: for arrays, arrays that may be None, ints and floats: (thing, bytes, word).
        calls: (address of `invoke`, where its words begin in `words`).
        words: at most MOST, with zeros where patches are.
        release: whether other Python threads may run meanwhile.
        whole: of a whole plan, what it makes and returns.
    """
    padded = [*words, *[0] * (-len(words) % STEP)]
    if len(padded) > MOST:
        raise ValueError(f"{name}: {len(padded)} words, {MOST} at most")
    outputs, returned, room = whole or Whole((), ())
    things = len(arguments) + len(outputs) + 1
    if things > MOST_THINGS:
        raise ValueError(f"{name}: {things} arrays and numbers, {MOST_THINGS} at most")
    head = [*map(len, patches), len(calls), len(padded), int(release), len(arguments)]
    head += [len(outputs), len(returned), room, int(whole is not None)]
    flat = [n for kind in patches for patch in kind for n in patch]
    flat += [n for to, at in calls for n in (to, at * 8)]
    behind = len(HEAD) + 4 * len(outputs) + len(returned) + len(flat) + len(padded)
    made: list[int] = []
    sizes: list[int] = []
    for _, meta in outputs:
        nd, at = len(meta.shape), behind + len(sizes)
        usual = meta.strides == contiguous_strides(meta.shape, meta.dtype.itemsize)
        made += [id(meta.dtype), nd, 8 * at, 0 if usual else 8 * (at + nd)]
        sizes += [*meta.shape, *(() if usual else meta.strides)]
    table = np.array([*head, *made, *returned, *flat, *padded, *sizes], np.int64)
    things_called = [*arguments, *(what for what, _ in outputs)]
    found = builtin.bound(address(), name, table, things_called)
    found.__self__.types = [meta.dtype for _, meta in outputs]  # which the words point to
    return found
