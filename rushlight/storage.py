"""Storages: the bytes and elements under a tensor as objects, shared by its views.

Storage objects are handles made on demand: `handle` gives two tensors with the same memory the same
one. Not here: the memory itself (`array_memory.py`), storages of the classes of old
(`legacy_storages.py`).
"""

from __future__ import annotations

import weakref
from typing import Any, cast

import numpy as np

from . import dtypes
from .array_memory import address, alone, is_shared, nbytes, raw, root, unlocked

# `torch.storage` has had these names too.
from .array_memory import locked as locked
from .array_memory import storage_offset as storage_offset
from .array_memory import strided_view as strided_view
from .kernels.meta import MetaArray

handles: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


def handle(a: Any) -> Any:
    """The storage of an array: the same object for as long as somebody holds it."""
    owner = a if a.__class__ is MetaArray else root(raw(a))
    found = handles.get(id(owner))
    if found is None or found._root is not owner:
        found = handles[id(owner)] = UntypedStorage(owner)
    return found


class StorageBase:
    """What storages can do; `UntypedStorage` is one, and so are classes of users."""

    __module__ = "rushlight"
    is_cuda = is_sparse = is_sparse_csr = is_hpu = False
    filename: str | None = None  # of the file whose memory this is
    _root: Any

    def __new__(cls, *args: Any, **kw: Any) -> Any:
        if cls is StorageBase:
            raise RuntimeError(
                "Cannot directly construct StorageBase; subclass it and then construct that"
            )
        return object.__new__(cls)

    def __init__(self, source: Any = 0, *, device: Any = None) -> None:
        if isinstance(source, StorageBase):
            self._root = source._root
            return
        place = self._place(device)
        if isinstance(source, (np.ndarray, MetaArray)):
            self._root = source if isinstance(source, MetaArray) else root(source)
            return
        values = self._values(source, np.dtype(np.uint8))
        self._root = MetaArray(values.shape, np.uint8) if place == "meta" else values

    @staticmethod
    def _place(device: Any) -> str:
        if device is None:
            return "cpu"
        name = str(getattr(device, "type", device)).partition(":")[0]
        if name in ("cpu", "meta"):
            return name
        if name == "cuda":
            from .config import current
            from .device import device as checked

            checked(device)
            if current.cuda_as_cpu:
                return "cpu"
        raise RuntimeError(f"torch.UntypedStorage(): Storage device not recognized: {name}")

    @staticmethod
    def _values(source: Any, kind: Any) -> Any:
        """An array of `source` elements, or of the elements of `source`."""
        if hasattr(source, "__index__"):
            return np.zeros(int(source), kind)
        for v in source:
            if isinstance(v, str) or (
                not hasattr(v, "__complex__") and not hasattr(v, "__float__")
            ):
                raise RuntimeError(
                    "torch.UntypedStorage(): tried to construct a storage from a sequence "
                    f"({type(source).__name__}), but one of the items was of type "
                    f"{type(v).__name__} instead of int"
                )
        values = np.array(list(source))
        return values.astype(kind) if values.size else np.empty(0, kind)

    def nbytes(self) -> int:
        return nbytes(self._root)

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes()

    def size(self) -> int:
        return self.nbytes()

    __len__ = nbytes_ = size

    def data_ptr(self) -> int:
        unlocked(self._root)
        return address(self._root)

    @property
    def _cdata(self) -> int:
        return self.data_ptr()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StorageBase) and self.data_ptr() == other.data_ptr()

    def __hash__(self) -> int:
        return hash(self.data_ptr())

    def bytes(self) -> Any:
        """A writable uint8 array over the memory."""
        if isinstance(self._root, MetaArray):
            raise NotImplementedError("Not available for 'meta' device type")
        unlocked(self._root)
        return (
            np.ndarray((self.nbytes(),), np.uint8, self._root)
            if self._root.flags.c_contiguous
            else np.frombuffer(self._root.tobytes(), np.uint8)
        )

    def _elements(self) -> Any:
        return self.bytes()

    def _part(self, elements: Any, i: slice) -> Any:
        if i.step not in (None, 1):
            raise RuntimeError(
                f"Trying to slice with a step of {i.step}, but only a step of 1 is supported"
            )
        part = object.__new__(UntypedStorage)
        part._root = alone(elements[i])
        return part

    def __getitem__(self, i: Any) -> Any:
        elements = self._elements()
        if isinstance(i, slice):
            return self._part(elements, i)
        if not -elements.size <= i < elements.size:
            raise IndexError(f"index {i} out of range for storage of size {elements.size}")
        return elements[i].item()

    def __setitem__(self, i: Any, value: Any) -> None:
        self._elements()[i] = value

    def __iter__(self) -> Any:
        return iter(self.tolist())

    def tolist(self) -> list[Any]:
        return list(self._elements().tolist())

    def element_size(self) -> int:
        """Bytes of an element."""
        return 1

    def fill_(self, value: Any) -> Any:
        """Give all elements a value."""
        self._elements()[...] = value
        return self

    def clone(self) -> Any:
        """The same bytes in other memory."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy.__dict__.pop("filename", None)
        meta = isinstance(self._root, MetaArray)
        copy._root = self._root if meta else np.array(self.bytes())
        return copy

    __copy__ = clone

    def __deepcopy__(self, memo: dict[Any, Any]) -> Any:
        """A copy; tensors on this memory and copied with it are on the copy's memory."""
        if id(self) in memo:
            return memo[id(self)]
        made = memo[id(self)] = self.clone()
        moved = memo.get(id(self._root))
        if moved is None:
            meta = isinstance(self._root, MetaArray)
            moved = memo[id(self._root)] = self._root if meta else self._root.copy(order="K")
            memo.setdefault(id(memo), []).append(self._root)
        made._root = moved
        return made

    def new(self) -> Any:
        """An empty storage of this class."""
        return type(self)()

    def to(self, *, device: Any, non_blocking: bool = False) -> Any:
        """This storage, which is where storages are: in the CPU's memory."""
        if non_blocking:
            return self.pin_memory()
        place = self._place(device)
        if place == self.device.type:
            return self
        if place == "meta":
            return UntypedStorage(self.nbytes(), device="meta")
        return self.cpu()

    def pin_memory(self, device: Any = None) -> Any:
        """Raises: memory is pinned for an accelerator, and there is none."""
        from .config import current
        from .device import no_accelerator

        if current.cuda_as_cpu:
            return self
        raise no_accelerator()

    def cuda(self, device: Any = None, non_blocking: bool = False) -> Any:
        """Raises: there is no CUDA here."""
        from .device import usable

        usable("cuda" if device is None else device)
        return self  # the CPU stands in for one

    @classmethod
    def from_file(cls, filename: str, shared: bool = False, nbytes: int = 0) -> Any:
        """The first bytes of a file; written back to it if `shared`, which also makes the file."""
        from .storage_files import mapped

        made = object.__new__(cls)
        made._root = mapped(filename, shared, nbytes)
        if shared:
            made.filename = filename
        return made

    def copy_(self, source: Any, non_blocking: bool | None = None) -> Any:
        """Take over the elements of another storage of the same size."""
        if isinstance(source._root, MetaArray):
            raise NotImplementedError("Cannot copy out of meta tensor; no data!")
        theirs = source._elements()
        if source.size() != self.size():
            raise RuntimeError(
                f"size does not match, self was {self.nbytes()} bytes but src was "
                f"{source.nbytes()} bytes"
            )
        self._elements()[...] = theirs
        return self

    def resize_(self, size: int) -> Any:
        """Give the storage another size. Tensors that were made on it keep the memory they have."""
        size = int(size) * self.element_size()
        if isinstance(self._root, MetaArray):
            self._root = MetaArray((size,), np.uint8)
            return self
        if self.is_shared():
            raise RuntimeError("Trying to resize storage that is not resizable")
        old = self.bytes()
        try:
            fresh = np.zeros(size, np.uint8)
        except (MemoryError, ValueError) as error:
            from .autograd.call_errors import too_much

            raise too_much("resize_", error) from None
        n = min(size, old.size)
        fresh[:n] = old[:n]
        self._root = fresh
        return self

    def resizable(self) -> bool:
        """Whether `resize_` may be called."""
        return not self.is_shared()

    def untyped(self) -> Any:
        """This storage."""
        return self

    def _to(self, dtype: Any) -> Any:
        elements = self.bytes().astype(dtype.np)
        return TypedStorage(elements, dtype)

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of the class, or these bytes, as numbers, in a typed storage."""
        if dtype is None:
            return "torch.storage.UntypedStorage"
        return self._to(_typed(dtype))

    def cpu(self) -> Any:
        """This storage, which is in the CPU's memory."""
        if isinstance(self._root, MetaArray):
            raise NotImplementedError("Cannot copy out of meta tensor; no data!")
        return self

    def get_device(self) -> int:
        """-1: no device of a number."""
        return -1

    def is_pinned(self, device: Any = None) -> bool:
        """False."""
        return False

    def is_shared(self) -> bool:
        """Whether other processes can see the memory."""
        return is_shared(self._root)

    def share_memory_(self) -> Any:
        """Move the memory, and all tensors on it, to where other processes can see it."""
        if isinstance(self._root, MetaArray):
            raise RuntimeError("_share_fd_: only available on CPU")
        from .multiprocessing.sharing import share_storage

        share_storage(self)
        return self

    def _share_fd_cpu_(self) -> Any:
        self._refuse("_share_fd_")

    def _share_filename_cpu_(self) -> Any:
        self._refuse("_share_filename_")

    def _refuse(self, what: str) -> None:
        if isinstance(self._root, MetaArray):
            raise RuntimeError(f"{what}: only available on CPU")
        raise NotImplementedError(
            f"{what}: Rushlight hands memory to other processes in blocks\n"
            "  try     share_memory_(), or a tensor through torch.multiprocessing"
        )

    def _write_file(self, f: Any, is_real_file: bool, save_size: bool, element_size: int) -> None:
        if isinstance(self._root, MetaArray):
            raise NotImplementedError("Cannot copy out of meta tensor; no data!")
        if save_size:
            f.write((self.nbytes() // element_size).to_bytes(8, "little"))
        f.write(self.bytes().tobytes())

    def byteswap(self, dtype: Any) -> None:
        """Turn the bytes of each element around."""
        part = dtype.itemsize // 2 if dtype.is_complex else dtype.itemsize
        bytes_ = self.bytes()
        bytes_[...] = bytes_.reshape(-1, part)[:, ::-1].reshape(-1)

    @classmethod
    def _new_shared(cls, size: int, *, device: Any = None) -> Any:
        return UntypedStorage(size).share_memory_()

    @property
    def device(self) -> Any:
        from .device import CPU, META

        return META if isinstance(self._root, MetaArray) else CPU

    def __repr__(self) -> str:
        kind = f"[torch.storage.UntypedStorage(device={self.device}) of size {self.nbytes()}]"
        return kind if self.nbytes() > 1000 or self.device.type == "meta" else _rows(self) + kind


class UntypedStorage(StorageBase):
    """The bytes under a tensor: `nbytes()`, `data_ptr()`, indexing, `tolist()`.

    >>> storage = torch.tensor([1, 2], dtype=torch.uint8).untyped_storage()
    >>> storage.nbytes(), storage.tolist(), storage[0]
    (2, [1, 2], 1)
    >>> storage[0] = 7  # the tensor sees it
    """

    __module__ = "rushlight"


def _rows(storage: Any) -> str:
    return "".join(f" {v}\n" for v in storage.tolist())


INVALID = """TypedStorage.__init__ received an invalid combination of arguments. Expected one of:
 * (*, torch.device device, torch.dtype dtype)
 * (int size, *, torch.device device, torch.dtype dtype)
 * (Sequence data, *, torch.device device, torch.dtype dtype)
 * (*, UntypedStorage wrap_storage, torch.dtype dtype)
"""


class TypedStorage(StorageBase):
    """The elements under a tensor (the older interface).

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     storage = torch.tensor([1.5, 2.5]).storage()
    ...     print(len(storage), storage.dtype, storage.tolist())
    2 torch.float32 [1.5, 2.5]
    """

    __module__ = "rushlight"

    def __init__(
        self,
        *args: Any,
        wrap_storage: Any = None,
        dtype: Any = None,
        device: Any = None,
        _internal: bool = False,
    ) -> None:
        if len(args) == 2 and isinstance(args[0], (np.ndarray, MetaArray)):
            super().__init__(args[0])
            self.dtype = args[1]
            return
        if len(args) > 1:
            raise RuntimeError(INVALID + "  got     more than one positional argument")
        if dtype is not None and not isinstance(dtype, dtypes.dtype):
            raise TypeError(
                f"{INVALID}Argument 'dtype' must be torch.dtype, not {type(dtype).__name__}"
            )
        if wrap_storage is not None:
            if args or dtype is None or device is not None:
                raise RuntimeError(
                    f"{INVALID}  got     wrap_storage with "
                    + ("a positional argument" if args else "no dtype" if not dtype else "a device")
                )
            if not isinstance(wrap_storage, UntypedStorage):
                raise TypeError(
                    f"{INVALID}Argument 'wrap_storage' must be UntypedStorage, but got "
                    f"{type(wrap_storage)}"
                )
            self.dtype = dtype
            self._root = wrap_storage._root
            return
        self.dtype = dtype or dtypes.get_default_dtype()
        place = self._place(device)
        source = args[0] if args else 0
        if not hasattr(source, "__index__") and not isinstance(source, (list, tuple, range)):
            raise TypeError(f"{INVALID}Argument type not recognized: {type(source)}")
        if not hasattr(source, "__index__") and place == "meta":
            source = len(source)
        if place == "meta":
            self._root = MetaArray((int(cast(Any, source)) * self.dtype.itemsize,), np.uint8)
        else:
            self._root = self._values(source, self.dtype.np)

    def size(self) -> int:
        return self.nbytes() // self.dtype.itemsize

    __len__ = size

    def element_size(self) -> int:
        return self.dtype.itemsize

    def untyped(self) -> Any:
        return handle(self._root)

    @property
    def _untyped_storage(self) -> Any:
        return self.untyped()

    @property
    def _dtype(self) -> Any:
        return self.dtype

    @classmethod
    def from_file(cls, filename: str, shared: bool = False, size: int = 0) -> Any:
        """The first elements of a file: `torch.FloatStorage.from_file` and the like."""
        raise RuntimeError("from_file can only be called on derived classes")

    def pickle_storage_type(self) -> str:
        """The name of the legacy class, as files have it."""
        return _dtype_to_storage_type_map()[self.dtype]

    def _get_legacy_storage_class(self) -> Any:
        from .legacy_storages import CLASSES

        return CLASSES.get(self.pickle_storage_type())

    def _maybe_wrap_index(self, i: Any, is_stop: bool = False) -> int:
        if i is None:
            return self.size() if is_stop else 0
        if not hasattr(i, "__index__"):
            raise TypeError(f"can't index a {type(self)} with {type(i)}")
        size, i = self.size(), i.__index__()
        if is_stop:
            return max(i % size if size and i < 0 else i, 0) if i <= size else size
        if not -size <= i < size:
            raise IndexError(f"index {i} out of range for storage of size {size}")
        return i % size

    def _elements(self) -> Any:
        return self.bytes().view(self.dtype.np)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        return super().__getitem__(i)

    def data_type(self) -> Any:
        return dtypes.from_numpy(self.dtype.np)

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of the legacy class, or this storage as another type."""
        if dtype is None:
            return f"torch.{_dtype_to_storage_type_map()[self.dtype]}"
        return self._to(_typed(dtype))

    def _to(self, dtype: Any) -> Any:
        return TypedStorage(self._elements().astype(dtype.np), dtype)

    def __repr__(self) -> str:
        rows = "" if self.device.type == "meta" else _rows(self)
        kind = f"torch.storage.TypedStorage(dtype={self.dtype!r}, device={self.device})"
        return f"{rows}[{kind} of size {self.size()}]"


# What PyTorch calls inside, without its warning that typed storages are old.
for _name in (
    *("size", "nbytes", "element_size", "data_ptr", "is_shared", "share_memory_", "resize_"),
    *("pickle_storage_type", "getitem", "setitem", "deepcopy"),
):
    _public = {"getitem": "__getitem__", "setitem": "__setitem__", "deepcopy": "__deepcopy__"}
    setattr(TypedStorage, f"_{_name}", getattr(TypedStorage, _public.get(_name, _name)))


def _typed(dtype: Any) -> Any:
    """A dtype of one, or of a legacy class or its name."""
    if isinstance(dtype, dtypes.dtype):
        return dtype
    name = dtype.rpartition(".")[2] if isinstance(dtype, str) else dtype.__name__
    return _storage_type_to_dtype_map()[name]


def elements_of(source: Any, dtype: Any) -> Any:
    """The elements of a storage, which must be of this type, or bytes."""
    if isinstance(source, TypedStorage) and source.dtype != dtype:
        raise RuntimeError(
            f"Expected a Storage of type {dtypes.type_name(dtype)} or an UntypedStorage, but got "
            f"{dtypes.type_name(source.dtype)}"
        )
    held = source.bytes()
    return held[: held.size // dtype.itemsize * dtype.itemsize].view(dtype.np)


def _conversion(kind: Any) -> Any:
    def convert(self: Any) -> Any:
        return self._to(kind)

    convert.__doc__ = f"The elements as {kind!r}."
    return convert


for _name, _kind in {
    "double": dtypes.float64,
    "float": dtypes.float32,
    "half": dtypes.float16,
    "bfloat16": dtypes.bfloat16,
    "long": dtypes.int64,
    "int": dtypes.int32,
    "short": dtypes.int16,
    "char": dtypes.int8,
    "byte": dtypes.uint8,
    "bool": dtypes.bool,
    "complex_double": dtypes.complex128,
    "complex_float": dtypes.complex64,
    "float8_e5m2": dtypes.float8_e5m2,
    "float8_e4m3fn": dtypes.float8_e4m3fn,
    "float8_e5m2fnuz": dtypes.float8_e5m2fnuz,
    "float8_e4m3fnuz": dtypes.float8_e4m3fnuz,
}.items():
    setattr(StorageBase, _name, _conversion(_kind))


def _dtype_to_storage_type_map() -> dict[Any, str]:
    """The legacy storage class of each element type, by its name."""
    return {
        dtypes.float64: "DoubleStorage",
        dtypes.float32: "FloatStorage",
        dtypes.float16: "HalfStorage",
        dtypes.int64: "LongStorage",
        dtypes.int32: "IntStorage",
        dtypes.int16: "ShortStorage",
        dtypes.int8: "CharStorage",
        dtypes.uint8: "ByteStorage",
        dtypes.bool: "BoolStorage",
        dtypes.bfloat16: "BFloat16Storage",
        dtypes.complex128: "ComplexDoubleStorage",
        dtypes.complex64: "ComplexFloatStorage",
    }


def _storage_type_to_dtype_map() -> dict[str, Any]:
    """The other way round."""
    return {name: kind for kind, name in _dtype_to_storage_type_map().items()}


def __getattr__(name: str) -> Any:
    if name in ("_LegacyStorage", "_LegacyStorageMeta"):
        from . import legacy_storages

        return getattr(legacy_storages, name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
