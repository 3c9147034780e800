"""Moving storages to shared memory: what `share_memory_` does.

All tensors of a storage must move together. A tensor knows its own array only, so unless the array
is held by nobody else, every tensor in the process is asked whether it looks at the same memory.

Read `rushlight/shared_memory/blocks.py` first; how shared tensors travel is in `reductions.py`.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..array_memory import root
from ..autograd.node import TensorBase
from ..kernels.meta import MetaArray
from ..shared_memory.blocks import part_of, place
from ..storage import StorageBase
from ..storage_moves import lookers, memory, move

_lock = threading.RLock()


def share_tensors(tensors: Iterable[TensorBase]) -> None:
    """Move the storages of all these tensors to one shared block (those that are private)."""
    a: Any
    with _lock:
        moving: dict[int, Any] = {}
        found: list[Any] = []
        everybody = False
        for t in tensors:
            a = t._a
            if a.__class__ is MetaArray or part_of(a) is not None:
                continue
            top: Any = root(a)
            moving[id(top)] = top
            found.append(t)
            del a, top  # they would count
            everybody = everybody or not _alone(t, moving)
        _move(moving, lookers() if everybody else found)


def share_storage(storage: StorageBase) -> None:
    """Move one storage, and every tensor on it."""
    with _lock:
        top = storage._root
        if top.__class__ is not MetaArray and part_of(top) is None:
            _move({id(top): top}, lookers())


def _move(moving: dict[int, Any], looking: list[Any]) -> None:
    if not moving:
        return
    fresh = dict(zip(moving, place([memory(top) for top in moving.values()]), strict=True))
    move(fresh, looking)


# -- is a tensor the only one on its storage? ----------------------------------------------------


def _alone(t: Any, moving: dict[int, Any]) -> bool:
    """Whether nothing but this tensor refers to its memory: told from reference counts.

    Wrong answers are wrong in one direction only: then everybody is asked."""
    a = t._a
    counts = [sys.getrefcount(a)]
    while isinstance(a.base, np.ndarray):
        a = a.base
        counts.append(sys.getrefcount(a))
    # The last one is in `moving` too.
    limits = [_HELD] if len(counts) == 1 else [_HELD - 1, *[_HELD - 1] * (len(counts) - 2), _HELD]
    return id(a) in moving and all(c <= n for c, n in zip(counts, limits, strict=True))


class _Probe:
    __slots__ = ("_a",)
    _a: Any


def _references_of_one_that_is_alone() -> int:
    """What `_alone` counts for an array held by one slot and by `moving`."""
    t = _Probe()
    t._a = np.empty(1)
    moving = {id(t._a): t._a}
    a = t._a
    return sys.getrefcount(a) if moving else 0


_HELD = _references_of_one_that_is_alone()
