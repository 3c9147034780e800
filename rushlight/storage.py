"""Storage: the memory under a tensor, shared by its views.

A tensor's ndarray points into the memory of a *root* array, the one at the end of its `.base`
chain. Storage objects are handles made on demand; two tensors share storage when they have the
same root.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from . import dtypes
from .errors import message
from .kernels.meta import MetaArray


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
    return int(a.__array_interface__["data"][0]) if a.__class__ is not MetaArray else 0


def storage_offset(a: Any) -> int:
    """Elements between the start of the storage and the tensor's first element."""
    if a.__class__ is MetaArray or a.size == 0:
        return 0
    return (address(a) - address(root(a))) // a.itemsize


def nbytes(a: Any) -> int:
    """Size of the whole storage."""
    if a.__class__ is MetaArray:
        return int(a.nbytes)
    r = root(a)
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
        return np.ndarray(size, a.dtype, r.reshape(-1).view(np.uint8), start * a.itemsize, strides)
    shift = start - storage_offset(a)
    flat = np.lib.stride_tricks.as_strided(
        a.reshape(-1)[:1] if a.ndim == 0 else a[(0,) * a.ndim][...], (), ()
    )
    holder = _At(flat, address(a) + shift * a.itemsize, size, strides, a)
    return np.asarray(holder).view(a.dtype)


class _At:
    """An array interface at an address, keeping its owner alive."""

    def __init__(self, one: Any, at: int, shape: Any, strides: Any, owner: Any) -> None:
        self.base = owner
        kind = one.dtype if one.dtype.kind != "V" else np.dtype(f"V{one.itemsize}")
        self.__array_interface__ = {
            "data": (at, not owner.flags.writeable),
            "shape": shape,
            "strides": strides,
            "typestr": kind.str,
            "version": 3,
        }


class UntypedStorage:
    """The bytes under a tensor: `nbytes()`, `data_ptr()`, indexing, `tolist()`."""

    __module__ = "rushlight"

    def __init__(self, source: Any = 0) -> None:
        if isinstance(source, (np.ndarray, MetaArray)):
            self._root: Any = source if isinstance(source, MetaArray) else root(source)
        else:
            self._root = np.zeros(int(source), np.uint8)

    def nbytes(self) -> int:
        return nbytes(self._root)

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes()

    def size(self) -> int:
        return self.nbytes()

    __len__ = nbytes_ = size

    def data_ptr(self) -> int:
        return address(self._root)

    @property
    def _cdata(self) -> int:
        return self.data_ptr()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and self.data_ptr() == other.data_ptr()

    def __hash__(self) -> int:
        return hash(self.data_ptr())

    def bytes(self) -> Any:
        """A writable uint8 array over the memory."""
        return (
            np.ndarray((self.nbytes(),), np.uint8, self._root)
            if self._root.flags.c_contiguous
            else np.frombuffer(self._root.tobytes(), np.uint8)
        )

    def __getitem__(self, i: Any) -> Any:
        got = self.bytes()[i]
        return int(got) if isinstance(got, np.generic) else got

    def tolist(self) -> list[int]:
        return [int(v) for v in self.bytes()]

    def is_shared(self) -> bool:
        """Whether other processes can see the memory."""
        return is_shared(self._root)

    def share_memory_(self) -> Any:
        """Move the memory, and all tensors on it, to where other processes can see it."""
        from .multiprocessing.sharing import share_storage

        share_storage(self)
        return self

    @classmethod
    def _new_shared(cls, size: int, *, device: Any = None) -> Any:
        return UntypedStorage(size).share_memory_()

    @property
    def device(self) -> Any:
        from .device import CPU, META

        return META if isinstance(self._root, MetaArray) else CPU

    def __repr__(self) -> str:
        return f"[torch.storage.UntypedStorage(device={self.device}) of size {self.nbytes()}]"


class TypedStorage(UntypedStorage):
    """The elements under a tensor (the older interface)."""

    def __init__(self, source: Any, dtype: Any) -> None:
        super().__init__(source)
        self.dtype = dtype

    def size(self) -> int:
        return self.nbytes() // self.dtype.itemsize

    __len__ = size

    def untyped(self) -> UntypedStorage:
        return UntypedStorage(self._root)

    def __getitem__(self, i: Any) -> Any:
        got = self.bytes().view(self.dtype.np)[i]
        return got.item() if isinstance(got, np.generic) else got

    def tolist(self) -> list[Any]:
        return list(self.bytes().view(self.dtype.np).tolist())

    def data_type(self) -> Any:
        return dtypes.from_numpy(self.dtype.np)

    def __repr__(self) -> str:
        rows = "\n".join(f" {v}" for v in self.tolist())
        kind = f"torch.storage.TypedStorage(dtype={self.dtype!r}, device={self.device})"
        return f"{rows}\n[{kind} of size {self.size()}]"
