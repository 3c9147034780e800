"""`Tensor._lazy_clone`: clones that share memory until somebody writes (copy on write).

Both storages are then *locked*: their tensors look at the memory through arrays that cannot be
written to, and so do all views that are made of them. Whoever is about to write meets such an array
where read-only memory is refused anyway (`changes.check_inplace`), and asks `storage.unlocked`,
which gives the storage a copy of its own, or the memory itself if no other storage shares it any
more. Reading needs no test, and without lazy clones nothing is tested.

What has the memory by another way than a tensor, such as an array of NumPy's from before, writes
without asking, as in PyTorch.
"""

from __future__ import annotations

import threading
import weakref
from typing import Any

import numpy as np

from .array_memory import address, locked, raw, root
from .autograd.node import TensorBase
from .kernels.meta import UnresolvedArray
from .storage_moves import lookers, memory, move

_lock = threading.RLock()


class Shared:
    """The storages that share some memory: references to their roots, by id."""

    def __init__(self) -> None:
        self.tops: dict[int, Any] = {}

    def take(self, top: Any) -> None:
        """Let a storage be one of them."""
        key = id(top)
        self.tops[key] = weakref.ref(top, lambda _: self.leave(key))
        locked[key] = self

    def leave(self, key: int) -> None:
        """Forget a storage."""
        self.tops.pop(key, None)
        locked.pop(key, None)


def lazily_cloned(a: Any) -> Any:
    """An array on other storage over the same memory, which both storages share from now on."""
    held, a = a, raw(a)
    top = root(a)
    if not a.size or not top.flags.writeable:
        return held.copy("K")
    with _lock:
        shared: Shared | None = locked.get(id(top))
        if shared is None:
            shared = Shared()
            shared.take(top)
            for t in lookers():
                mine = raw(getattr(t, "_a", None))
                if isinstance(mine, np.ndarray) and root(mine) is top:
                    closed = read_only(mine.view())
                    before = t._a
                    t._a = before.over(closed) if before.__class__ is UnresolvedArray else closed
        other = memory(top)
        shared.take(other)
        at = address(a) - address(top)
        clone = read_only(np.ndarray(a.shape, a.dtype, other, at, a.strides))
    return held.over(clone) if held.__class__ is UnresolvedArray else clone


def read_only(a: Any) -> Any:
    """An array that refuses to be written to."""
    a.flags.writeable = False
    return a


def materialize(top: Any) -> bool:
    """Make a locked storage one that can be written to; False if it is not locked."""
    with _lock:
        shared = locked.get(id(top))
        if shared is None:
            return False
        shared.leave(id(top))
        own = memory(top)
        move({id(top): own.copy() if shared.tops else own}, lookers())
        return True


def is_lazy(t: Any) -> bool:
    """Whether a tensor's storage is locked."""
    return isinstance(t, TensorBase) and bool(locked) and id(root(raw(t._a))) in locked
