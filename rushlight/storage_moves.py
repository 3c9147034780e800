"""Storages whose memory moves: every tensor and every handle that looks at it goes along.

A tensor knows its own array only, so every tensor in the process is asked whether it looks at that
memory. Used where a storage gets other memory: `multiprocessing/sharing.py`, `lazy_clones.py`.
"""

from __future__ import annotations

import gc
import itertools
import weakref
from typing import Any

import numpy as np

from .array_memory import address, nbytes, raw, root
from .autograd.node import TensorBase
from .kernels.meta import MetaArray, UnresolvedArray
from .storage import StorageBase, handles


def lookers() -> list[Any]:
    """Every tensor and every storage handle there is."""
    kinds = (TensorBase, StorageBase)
    # The type is asked, not the object: proxies answer isinstance as what they stand for.
    return [x for x in gc.get_objects() if issubclass(type(x), kinds)]


def move(fresh: dict[int, Any], looking: list[Any]) -> None:
    """Let tensors and storages look at other memory: bytes by the id of the root of before."""
    for looker in looking:
        if not isinstance(looker, TensorBase):
            key = id(getattr(looker, "_root", None))
            if key in fresh:
                looker._root = fresh[key]
                if handles.get(key) is looker:
                    handles[id(fresh[key])] = looker
        else:
            held = getattr(looker, "_a", None)
            a = raw(held)
            if not isinstance(a, np.ndarray):
                continue
            top = root(a)
            new = fresh.get(id(top))
            if new is not None:
                at = address(a) - address(top) if a.size else 0
                there = np.ndarray(a.shape, a.dtype, new, at, a.strides if a.size else None)
                looker._a = held.over(there) if held.__class__ is UnresolvedArray else there
    for key, new in fresh.items():
        if key in _numbers:
            _keep_number(new, _numbers.pop(key)[1])


class _Memory:
    """The bytes under a root array in the order of memory, whatever its dtype and strides."""

    def __init__(self, top: Any) -> None:
        self.top = top
        self.__array_interface__ = {
            "data": (address(top), not top.flags.writeable),
            "shape": (nbytes(top),),
            "typestr": "|u1",
            "version": 3,
        }


def memory(top: Any) -> Any:
    """The bytes under a root array, as an array that is a root of its own."""
    return np.asarray(_Memory(top))


# -- telling storages apart ------------------------------------------------------------------------

_numbers: dict[int, tuple[Any, int]] = {}  # by the id of a root: a reference to it, its number
_count = itertools.count(1)


def number(a: Any) -> int:
    """A number of the storage of an array, which it keeps when its memory moves."""
    top = a if a.__class__ is MetaArray else root(raw(a))
    found = _numbers.get(id(top))
    return _keep_number(top, next(_count)) if found is None else found[1]


def _keep_number(top: Any, n: int) -> int:
    key = id(top)
    _numbers[key] = (weakref.ref(top, lambda _: _numbers.pop(key, None)), n)
    return n
