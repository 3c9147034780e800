"""save: write an object in PyTorch's zip format, atomically.

The names in the file are PyTorch's (`torch._utils._rebuild_tensor_v2`, `torch.FloatStorage`), so
`torch.load(..., weights_only=True)` reads it. Not here: the zip container (`archive.py`).
"""

from __future__ import annotations

import collections
import enum
import hashlib
import io
import os
import pickle
import sys
import warnings
from types import FunctionType
from typing import IO, Any, ClassVar

import numpy as np

from .. import dtypes, layout, tensor_dispatch
from ..array_memory import raw
from ..device import device
from ..errors import message
from ..kernels.meta import OuterArray, SparseArray
from ..nn import Module
from ..nn.parameter import UninitializedTensorMixin
from ..ops.core.return_types import ReturnType
from ..random import Generator
from ..size import Size
from ..storage import StorageBase
from ..tensor import Buffer, Parameter, Tensor
from ..tensor_copies import state_of
from . import legacy
from .archive import Writer
from .atomic import replacing
from .blocks import NAME_OF_STORAGE, Block, Span, origin
from .classes import pytorch_state, torch_name
from .loading import FileLike
from .options import config, materializing, skipping


def save(
    obj: Any,
    f: FileLike,
    pickle_module: Any = pickle,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Write `obj` (tensors, modules' state dicts, nested plain values) into a file.

    A path is replaced atomically: after a crash the file is the old one or the new one, whole.
    Tensors that share a storage share it in the file and when loaded; a view brings its whole
    storage along, so `clone()` a small slice of a large tensor first.

    Args:
        obj: what to save.
        f: a path, or a binary file object to write to.
        pickle_module: `pickle`; others are not used.
        pickle_protocol: of the pickle inside, 2 to 5.

    Raises:
        RuntimeError: two tensors look at one storage with different dtypes.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "weights.pt")
    >>> torch.save({"w": torch.zeros(2, 3)}, path)
    >>> torch.load(path)["w"].shape
    torch.Size([2, 3])
    """
    if not 2 <= pickle_protocol <= 5:
        raise ValueError(f"save: pickle_protocol must be 2, 3, 4 or 5, got {pickle_protocol}")
    new = _use_new_zipfile_serialization
    stream = io.BytesIO()
    pickler = _Pickler(stream, pickle_protocol, views_in_ids=not new)
    try:
        pickler.dump(obj)
    except LocalObject:
        raise
    except pickle.PicklingError as error:
        raise _unsaved(error) from None

    def write(file: IO[bytes], name: str) -> None:
        if new:
            _write(file, name, stream.getvalue(), pickler.spans, not _disable_byteorder_record)
        else:
            legacy.save(file, stream.getvalue(), pickler.spans, pickler.counts)

    if isinstance(f, str | os.PathLike):
        stem = os.path.splitext(os.path.basename(os.fspath(f)))[0]
        with replacing(f) as file:
            write(file, stem or "archive")
    elif hasattr(f, "write"):
        write(f, "archive")
        if hasattr(f, "flush"):
            f.flush()
    else:
        raise AttributeError(
            message(
                "save: expected 'f' to be string, path, or a file-like object with a "
                "'write' attribute",
                got=f"a {type(f).__name__}",
                hint="save(obj, f): these look swapped" if isinstance(obj, str) else None,
            )
        )


def _write(file: IO[bytes], name: str, pickled: bytes, spans: list[Span], order: bool) -> None:
    archive = Writer(file, name)
    archive.write("data.pkl", pickled)
    archive.write(".format_version", b"1")
    archive.write(".storage_alignment", str(config.save.storage_alignment).encode())
    if order:
        archive.write("byteorder", sys.byteorder.encode())
    for key, span in enumerate(spans):
        archive.write(f"data/{key}", bytes(span.nbytes) if skipping() else span.bytes())
    archive.write("version", b"3\n")
    digest = int.from_bytes(hashlib.sha256(pickled).digest()[:16], "little")
    archive.write(".data/serialization_id", f"{digest:040d}".encode())
    archive.close()


class _Name:
    """A global of PyTorch's, written by name: what it stands for does not exist here."""

    def __init__(self, module: str, name: str) -> None:
        self.module = module
        self.name = name

    def __call__(self) -> None:  # pickle insists that what rebuilds an object is callable
        raise NotImplementedError


_V2 = _Name("torch._utils", "_rebuild_tensor_v2")
_V3 = _Name("torch._utils", "_rebuild_tensor_v3")
_META = _Name("torch._utils", "_rebuild_meta_tensor_no_storage")
_PARAMETER = _Name("torch._utils", "_rebuild_parameter")
_PARAMETER_STATE = _Name("torch._utils", "_rebuild_parameter_with_state")
_SPARSE = _Name("torch._utils", "_rebuild_sparse_tensor")
_WRAPPER = _Name("torch._utils", "_rebuild_wrapper_subclass")
_FROM_TYPE = _Name("torch._tensor", "_rebuild_from_type_v2")
_STORAGES = {d: _Name("torch", name) for d, name in NAME_OF_STORAGE.items()}
_UNTYPED = _Name("torch.storage", "UntypedStorage")
_DTYPES = {d: _Name("torch", d.name) for d in dtypes.ALL}
_DEVICE = _Name("torch", "device")
_LAYOUT = _Name("torch.serialization", "_get_layout")
_GENERATOR = _Name("torch._C", "Generator")
_SIZE = _Name("torch", "Size")


class _Storage:
    """Stands in the arguments of a rebuild function and becomes a persistent id."""

    def __init__(self, saved_id: tuple[Any, ...]) -> None:
        self.saved_id = saved_id


def _dense(
    storage: _Storage, dtype: Any, at: tuple[Any, ...], requires_grad: bool, bits: dict[str, bool]
) -> tuple[_Name, tuple[Any, ...]]:
    """What rebuilds a tensor `at` its place (offset, sizes, strides) of a storage."""
    args = (storage, *at, requires_grad, collections.OrderedDict())
    more = (bits,) if bits else ()
    if dtype in _STORAGES:
        return _V2, (*args, *more)
    return _V3, (*args, _DTYPES[dtype], *more)


def _is_fake(t: Any) -> bool:
    """Whether a tensor is a FakeTensor, whose module nobody may have imported."""
    fakes = sys.modules.get("rushlight._subclasses.fake_tensor")
    return fakes is not None and isinstance(t, fakes.FakeTensor)


_PythonPickler: Any = pickle._Pickler  # type: ignore[attr-defined]  # typeshed leaves it out


class LocalObject(pickle.PicklingError, AttributeError):
    """Something that no other program could find by its name: which of both PyTorch raises is a
    matter of Python's version and of the object."""

    __module__ = "rushlight.serialization"


def _unsaved(error: pickle.PicklingError) -> pickle.PicklingError:
    """The error of what cannot be saved, with what to save in its place."""
    text = str(error)
    local = "<locals>" in text
    if local or "<lambda>" in text:
        before, _, inside = text.rpartition(" as ")[2].partition(".<locals>")
        name = f"{before.rpartition('.')[2]}.<locals>{inside}"
        first = f"Can't pickle local object {name!r}" if local else text
        hint = "model.state_dict() in place of the model; or a class or function of a module's own"
        return LocalObject(message(first, text if local else None, hint=hint))
    error.add_note("  try     model.state_dict() in place of the model; numbers, text and lists")
    return error


class _Pickler(_PythonPickler):
    """The standard library's pickler in Python: the one in C insists on importing each name."""

    dispatch: ClassVar = dict(_PythonPickler.dispatch)

    def __init__(self, file: IO[bytes], protocol: int, views_in_ids: bool) -> None:
        super().__init__(file, protocol, fix_imports=True)
        self.spans: list[Span] = []
        self.counts: list[int] = []
        self._keep: list[Any] = []  # memory that is written after the pickle
        self._keys: dict[Any, tuple[str, Any]] = {}
        self._views_in_ids = views_in_ids
        self._with_source: set[type] = set()

    def persistent_id(self, obj: Any) -> Any:
        if isinstance(obj, StorageBase):
            kind = obj.kind if isinstance(obj, Block) else obj
            span = Span(obj.data_ptr(), obj.nbytes())
            return self._storage(span, getattr(kind, "dtype", None)).saved_id
        if self._views_in_ids and isinstance(obj, type) and issubclass(obj, Module):
            return self._class(obj)
        return obj.saved_id if type(obj) is _Storage else None

    def _class(self, cls: type) -> Any:
        """A module's class with its source, once, of a program's: the old format keeps it."""
        if cls in self._with_source or torch_name(cls) is not None:
            return None
        self._with_source.add(cls)
        found = legacy.source_of(cls)
        if found is None:
            warnings.warn(
                f"Couldn't retrieve source code for container of type {cls.__name__}. "
                "It won't be checked for correctness upon loading.",
                stacklevel=2,
            )
        return ("module", cls, *(found or (None, None)))

    def reducer_override(self, obj: Any) -> Any:
        """How tensors, dtypes, devices and sizes are written; NotImplemented for the rest."""
        if isinstance(obj, Tensor):
            if isinstance(obj, UninitializedTensorMixin):
                name = _Name("torch.nn.parameter", type(obj).__name__)
                return name, (bool(obj.requires_grad),)
            if isinstance(obj._a, SparseArray):
                return self._reduce_sparse(obj)
            if type(obj).__reduce_ex__ is not Tensor.__reduce_ex__:
                return NotImplemented  # a class that says itself how it is saved
            if _is_fake(obj):
                return self._reduce_fake(obj)
            if isinstance(obj._a, OuterArray):
                return self._reduce_outer(obj)
            return self._reduce_tensor(obj)
        if isinstance(obj, Module):
            parts: Any = obj.__reduce_ex__(self.proto)
            if isinstance(parts, tuple) and len(parts) > 2 and isinstance(parts[2], dict):
                return *parts[:2], pytorch_state(obj, parts[2]), *parts[3:]
            return parts
        if type(obj) is Generator:
            return _GENERATOR, (obj.device,), (obj.initial_seed(), None, obj.get_state())
        if type(obj) is layout.layout:
            return _LAYOUT, (repr(obj),)
        if type(obj) is layout.memory_format:
            raise TypeError(
                message("save: cannot pickle a memory_format", repr(obj), hint="saving its name")
            )
        if isinstance(obj, ReturnType):
            return _Name("torch.return_types", type(obj).__name__), (tuple(obj), {})
        if type(obj) is device:
            return (_DEVICE, obj.__reduce__()[1])
        if type(obj) is Size:
            return (_SIZE, (tuple(obj),))
        if isinstance(obj, enum.Enum) and type(obj).__reduce_ex__ is enum.Enum.__reduce_ex__:
            return type(obj), (obj.value,)  # Python before 3.11.4 would name `getattr`
        return NotImplemented

    def _reduce_tensor(self, t: Any) -> Any:
        state = state_of(t)
        if isinstance(t, Parameter):
            data: Any = t.detach()
            if type(data) is not Tensor:
                data = data.as_subclass(Tensor)
            args: tuple[Any, ...] = (data, t.requires_grad, collections.OrderedDict())
            return (_PARAMETER_STATE, (*args, state)) if state else (_PARAMETER, args)
        rebuild, args = self._parts(t)
        plain = type(t) is Tensor or type(t) is Buffer  # PyTorch's buffers have no class of theirs
        if plain and not state:
            return rebuild, args
        cls = _Name("torch", "Tensor") if plain else type(t)
        return _FROM_TYPE, (rebuild, cls, args, state)

    def _reduce_outer(self, t: Any) -> Any:
        """A tensor whose class computes for it: what it holds, in the class's own attributes."""
        kind, _ = tensor_dispatch.parts(type(t))
        if t._a.inner is None:
            rebuild = _WRAPPER
            at = (tuple(t._a.shape), tuple(t.stride()), t.storage_offset())
            args: Any = (kind, t.dtype, Size(at[0]), *at[1:], t.layout, t.device, t.requires_grad)
        else:
            rebuild, args = self._parts(Tensor._wrap(t._a.inner).requires_grad_(t.requires_grad))
        return _FROM_TYPE, (rebuild, kind, args, state_of(t))

    def _reduce_fake(self, t: Any) -> Any:
        """The tensor that a FakeTensor stands for, where only its space is written."""
        if not materializing():
            raise LocalObject(
                message(
                    "save: Can't pickle local object 'WeakValueDictionary.__init__.<locals>.remove'"
                    " (of a FakeTensor's mode)",
                    got=f"a FakeTensor of shape {tuple(t.shape)}: it has no data",
                    hint="torch.serialization.skip_data(materialize_fake_tensors=True), "
                    "which writes the space for it",
                )
            )
        memory = t.untyped_storage()
        self._keep.append(memory._root)
        span = Span(-id(memory._root), memory.nbytes())  # where no memory can be
        storage = self._storage(span, t.dtype, str(t.device))
        at = (t.storage_offset(), tuple(t.shape), tuple(t.stride()))
        return _dense(storage, t.dtype, at, bool(t.requires_grad), {})

    def _reduce_sparse(self, t: Any) -> Any:
        from ..sparse.core import parts

        kind, held = parts(t)
        dense = tuple(Tensor._wrap(a) if isinstance(a, np.ndarray) else a for a in held)
        size = 2 if kind is layout.sparse_coo else 3
        dense = (*dense[:size], Size(dense[size]), *dense[size + 1 :])
        made: tuple[Any, tuple[Any, ...]] = (_SPARSE, (kind, dense))
        if not isinstance(t, Parameter):
            return made
        return _PARAMETER, (Tensor._wrap(t._a), t.requires_grad, collections.OrderedDict())

    def _parts(self, t: Any) -> tuple[_Name, tuple[Any, ...]]:
        dtype, requires_grad = t.dtype, bool(t.requires_grad)
        if t.device.type == "meta":
            return _META, (_DTYPES[dtype], tuple(t.shape), tuple(t.stride()), requires_grad)
        a, strides = raw(t._a), tuple(t.stride())
        bits = {name: True for name in ("conj", "neg") if a is not t._a and getattr(t._a, name)}
        span, begin = origin(a)
        size = dtype.itemsize
        whole = begin % size == 0 and all(s % size == 0 and s >= 0 for s in a.strides)
        if not whole or span.address % size:  # memory of another library, cut in mid-element
            a = np.ascontiguousarray(a)
            self._keep.append(a)
            strides = tuple(s // size for s in a.strides)
            span, begin = origin(a)
        at = (begin // size, tuple(a.shape), strides)
        return _dense(self._storage(span, dtype), dtype, at, requires_grad, bits)

    def _storage(self, span: Span, dtype: Any, location: str = "cpu") -> _Storage:
        element = dtype if dtype in _STORAGES else None  # newer types are written as bytes
        width = 1 if element is None else element.itemsize
        count = span.nbytes // width
        key, before = self._keys.get(span.address, (None, element)) if count else (None, element)
        if before is not element:
            raise RuntimeError(
                message(
                    "save: Cannot save multiple tensors or storages that view the same data as "
                    "different types",
                    got=f"{before!r} and {element!r} over one storage",
                    hint="saving a clone() of one of them",
                )
            )
        if key is None:
            key = str(len(self.spans))
            self.spans.append(Span(span.address, count * width))
            self.counts.append(count)
            self._keys[span.address] = (key, element)
        name = _UNTYPED if element is None else _STORAGES[element]
        saved_id: tuple[Any, ...] = ("storage", name, key, location, count)
        return _Storage((*saved_id, None) if self._views_in_ids else saved_id)

    def save_global(self, obj: Any, name: str | None = None) -> None:
        """Write a class or function by name, the library's own under PyTorch's name for it."""
        if type(obj) is _Name:
            self._write_name(obj)
        elif (known := torch_name(obj)) is not None:
            self._write_name(_Name(*known), obj)
        else:
            super().save_global(obj, name)

    def _write_name(self, name: _Name, obj: Any = None) -> None:
        if self.proto >= 4:
            self.save(name.module)
            self.save(name.name)
            self.write(pickle.STACK_GLOBAL)
        else:
            self.write(pickle.GLOBAL + f"{name.module}\n{name.name}\n".encode())
        self.memoize(name if obj is None else obj)

    def _save_dtype(self, obj: Any) -> None:
        self.save(_DTYPES[obj])

    dispatch[_Name] = save_global
    dispatch[FunctionType] = save_global
    dispatch[dtypes.dtype] = _save_dtype
