"""The memory under an array: who owns it, where it begins, how large it is, views of any strides.

A tensor's ndarray points into the memory of a *root* array, the one at the end of its `.base`
chain; two tensors share memory when they have the same root. Not here: the storages that programs
see (`storage.py`), memory that moves (`storage_moves.py`) or is shared until somebody writes
(`lazy_clones.py`).
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from .errors import message
from .kernels.meta import MetaArray, OuterArray, UnresolvedArray


def root(a: Any) -> Any:
    """The array that owns (or first wrapped) the memory of `a`."""
    while True:
        base = a.base
        if isinstance(base, np.ndarray):
            a = base
        elif (
            base is not None
            and isinstance(getattr(base, "base", None), np.ndarray)
            and not isinstance(base, memoryview)
        ):
            a = base.base  # NumPy's as_strided leaves a small holder in between
        else:
            return a


def address(a: Any) -> int:
    """Address of the first element."""
    if a.__class__ is MetaArray:
        return 0
    return int(raw(a).__array_interface__["data"][0])


def raw(a: Any) -> Any:
    """The memory of an array that is read otherwise than it is stored; others as they are."""
    return a.raw if a.__class__ is UnresolvedArray else a


# The storages that share their memory with lazy clones (`lazy_clones.py`), by the id of the root.
locked: dict[int, Any] = {}


def unlocked(a: Any) -> bool:
    """Give a storage that shares its memory with lazy clones memory of its own, and let its tensors
    look at that; False if it has its own."""
    if not locked:
        return False
    from .lazy_clones import materialize

    return materialize(root(raw(a)))


def storage_offset(a: Any) -> int:
    """Elements between the start of the storage and the tensor's first element."""
    if a.__class__ is OuterArray:
        return int(a.offset)
    if a.__class__ is MetaArray or a.size == 0:
        return 0
    a = raw(a)
    return (address(a) - address(root(a))) // a.itemsize


def nbytes(a: Any) -> int:
    """Size of the whole storage."""
    if a.__class__ is MetaArray:
        return int(a.nbytes)
    r = root(raw(a))
    if r.size == 0:
        return 0
    return int(sum((n - 1) * abs(s) for n, s in zip(r.shape, r.strides, strict=True)) + r.itemsize)


def is_shared(a: Any) -> bool:
    """Whether other processes can see the memory of `a`."""
    # It is not there: nobody has shared anything.
    blocks = sys.modules.get("rushlight.shared_memory.blocks")
    return blocks is not None and a.__class__ is not MetaArray and blocks.part_of(a) is not None


def strided_view(a: Any, size: tuple[int, ...], stride: tuple[int, ...], offset: int | None) -> Any:
    """A view of the storage of `a`; RuntimeError when it would leave the storage."""
    if len(size) != len(stride):
        raise RuntimeError(
            f"mismatch in length of strides and shape: {len(stride)} and {len(size)}"
        )
    if any(s < 0 for s in stride):
        raise RuntimeError(
            "as_strided: Negative strides are not supported at the moment, "
            f"got strides: {list(stride)}"
        )
    if a.__class__ is MetaArray:
        return MetaArray(size, a.dtype, tuple(s * a.itemsize for s in stride))
    start = storage_offset(a) if offset is None else offset
    if 0 in size:
        return np.empty(size, a.dtype)
    end = start + sum((n - 1) * s for n, s in zip(size, stride, strict=True)) + 1
    have = nbytes(a) // a.itemsize
    if end > have or start < 0:
        raise RuntimeError(
            message(
                f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {start}, "
                f"and itemsize {a.itemsize} requiring a storage size of {end * a.itemsize} are "
                f"out of bounds for storage of size {nbytes(a)}"
            )
        )
    r = root(a)
    strides = tuple(s * a.itemsize for s in stride)
    if r.flags.c_contiguous and r.dtype.kind != "V":
        memory = r.reshape(-1).view(np.uint8)
        memory.flags.writeable = a.flags.writeable
        return np.ndarray(size, a.dtype, memory, start * a.itemsize, strides)
    shift = start - storage_offset(a)
    holder = _At(a.dtype, address(a) + shift * a.itemsize, size, strides, a)
    return np.asarray(holder).view(a.dtype)


class _At:
    """An array interface at an address, keeping its owner alive."""

    def __init__(self, dtype: Any, at: int, shape: Any, strides: Any, owner: Any) -> None:
        self.base = owner
        kind = dtype if dtype.kind not in "VW" else np.dtype(f"V{dtype.itemsize}")
        self.__array_interface__ = {
            "data": (at, not owner.flags.writeable),
            "shape": shape,
            "strides": strides,
            "typestr": kind.str,
            "version": 3,
        }


def alone(bytes_: Any) -> Any:
    """A part of an array of bytes as memory that is a storage of its own: a memoryview in between
    ends the chain of arrays."""
    return np.frombuffer(memoryview(bytes_), np.uint8) if bytes_.size else bytes_.copy()
