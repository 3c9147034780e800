"""`torch.FloatStorage`, `torch.LongStorage`, …: typed storages by the names of old programs.

A call gives a `TypedStorage` of the class's type, and such a storage is an instance of the class.
Read next: `storage.py`.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from . import dtypes, storage
from .storage import TypedStorage, UntypedStorage


class _LegacyStorageMeta(type):
    dtype: Any

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, TypedStorage) and instance.dtype == getattr(cls, "dtype", None)


class _LegacyStorage(metaclass=_LegacyStorageMeta):
    """Base of the classes; instances of them are TypedStorages."""

    def __new__(
        cls, *args: Any, wrap_storage: Any = None, _internal: bool = False, **kwargs: Any
    ) -> Any:
        if cls is _LegacyStorage:
            raise RuntimeError("Only child classes of _LegacyStorage can be instantiated")
        invalid = (
            f"{cls}.__new__ received an invalid combination of arguments. Expected one of:\n"
            " * no arguments\n * (int size)\n * (Sequence data)\n"
            " * (*, UntypedStorage wrap_storage)\n"
        )
        if kwargs:
            raise RuntimeError(f"{invalid}Keyword argument {next(iter(kwargs))!r} is not there")
        if len(args) > 1:
            raise RuntimeError(f"{invalid}Too many positional arguments given, {len(args)}")
        if wrap_storage is None:
            if args and not hasattr(args[0], "__index__"):
                if isinstance(args[0], str) or not hasattr(args[0], "__iter__"):
                    raise TypeError(f"new(): invalid data type '{type(args[0]).__name__}'")
                return TypedStorage(list(args[0]), dtype=cls.dtype)
            return TypedStorage(*args, dtype=cls.dtype)
        if args:
            raise RuntimeError(
                f"{invalid}No positional arguments should be given when using 'wrap_storage'"
            )
        if type(wrap_storage) is not UntypedStorage:
            raise TypeError(
                f"{invalid}Argument 'wrap_storage' must be UntypedStorage, not {type(wrap_storage)}"
            )
        return TypedStorage(wrap_storage=wrap_storage, dtype=cls.dtype)

    @classmethod
    def from_file(cls, filename: str, shared: bool = False, size: int = 0) -> Any:
        """The first `size` elements of a file; written back to it if `shared`."""
        bare = UntypedStorage.from_file(filename, shared, size * cls.dtype.itemsize)
        return TypedStorage(wrap_storage=bare, dtype=cls.dtype)

    @classmethod
    def from_buffer(cls, buffer: Any, byte_order: str | None = None, *args: Any, **kw: Any) -> Any:
        """A storage with a copy of the bytes of `buffer`, whose elements are "big" or "little".

        Args:
            count, offset: how many elements, and after how many bytes they start.
        """
        return _from_buffer(cls.dtype, buffer, byte_order, *args, **kw)


def _from_buffer(
    dtype: Any, buffer: Any, byte_order: str | None, count: int = -1, offset: int = 0
) -> Any:
    orders = {"native": sys.byteorder, "big": "big", "little": "little"}
    if byte_order is None:
        if dtype.itemsize > 1:
            raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
        byte_order = "native"
    if byte_order not in orders:
        raise ValueError(f"invalid byte_order '{byte_order}' (expected big, little, or native)")
    memory = np.frombuffer(buffer, np.uint8)
    size = memory.size
    if size and not 0 <= offset < size:
        raise ValueError(
            f"offset must be non-negative and no greater than buffer length ({size}) , but got "
            f"{offset}"
        )
    if count < 0:
        if (size - offset) % dtype.itemsize:
            raise ValueError(
                f"buffer size ({size}) must be a multiple of element size ({dtype.itemsize})"
            )
        count = (size - offset) // dtype.itemsize
    if offset + count * dtype.itemsize > size:
        raise ValueError(
            f"buffer has only {size - offset} elements after offset {offset}, but specified a "
            f"size of {count}"
        )
    taken = memory[offset : offset + count * dtype.itemsize].copy()
    bare = UntypedStorage(taken)
    if orders[byte_order] != sys.byteorder and dtype.itemsize > 1:
        bare.byteswap(dtype)
    if dtype.np == np.bool_:
        taken[...] = taken != 0
    return TypedStorage(wrap_storage=bare, dtype=dtype)


CLASSES: dict[str, Any] = {
    name: _LegacyStorageMeta(
        name, (_LegacyStorage,), {"dtype": kind, "_dtype": kind, "__module__": "torch"}
    )
    for name, kind in storage._storage_type_to_dtype_map().items()
}
_storage_classes = {UntypedStorage, TypedStorage, *CLASSES.values()}


def __getattr__(name: str) -> Any:
    if name in CLASSES:
        return CLASSES[name]
    if name == "Storage":  # of the default type, as it is set now
        return CLASSES[storage._dtype_to_storage_type_map()[dtypes.get_default_dtype()]]
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
