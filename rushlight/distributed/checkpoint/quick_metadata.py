"""The metadata of large checkpoints, written and read in a tenth of the time.

`pickled` writes the pickle that `metadata_file.dumped` would write, instruction by instruction.
Behind the end of it, where no reader of pickles looks, stands the same once more as JSON, with the
digest of the pickle: `indexed` and `found`. JSON is read by Python's own reader, which is quick and
executes nothing; each value is looked at as that of a pickle is. A file without it, or whose pickle
has been changed, is read as ever.
"""

from __future__ import annotations

import gc
import hashlib
import json
import struct
from collections.abc import Iterable
from typing import Any

from ... import dtypes
from ...layout import contiguous_format, strided
from ...serialization.unpickler import broken
from ...size import Size
from .metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    StorageMeta,
    TensorProperties,
    TensorStorageMetadata,
    _StorageInfo,
)

MAGIC = b"\n#RUSHLIGHT-INDEX-1"
_BY_NAME = {d.name: d for d in dtypes.ALL}


def usual(m: Metadata) -> bool:
    """Whether this is metadata as our writer makes it; others are pickled in the general way."""
    paths, places = m.planner_data, m.storage_data
    return (
        isinstance(m.storage_meta, StorageMeta)
        and type(m.storage_meta.checkpoint_id) is str
        and not m.storage_meta.modules
        and (paths is None or all(type(p) is tuple and p for p in paths.values()))
        and all(type(i) is MetadataIndex for i in places)
        and all(type(p) is _StorageInfo and not p.transform_descriptors for p in places.values())
        and all(_plain(k) for k in m.state_dict_metadata.values())
    )


def _plain(kind: Any) -> bool:
    if type(kind) is BytesStorageMetadata:
        return True
    p = kind.properties
    return (
        type(kind) is TensorStorageMetadata
        and p.layout is strided
        and p.memory_format is contiguous_format
        and not p.pin_memory
    )


# -- the pickle ------------------------------------------------------------------------------------


class _Emitter:
    """Writes pickle's instructions; what occurs again and again is in its memo from the start."""

    def __init__(self) -> None:
        self.out = [b"\x80\x04"]
        self.memo: dict[Any, bytes] = {}

    def keep(self, key: Any, made: bytes) -> None:
        """Make a value, and remember it under a key."""
        n = len(self.memo)
        self.out.append(made + b"\x940")  # MEMOIZE, POP
        self.memo[key] = b"h" + bytes([n]) if n < 256 else b"j" + struct.pack("<I", n)

    def name(self, key: Any, module: str, name: str) -> None:
        self.keep(key, _text(module) + _text(name) + b"\x93")

    def size(self, numbers: Iterable[int]) -> bytes:
        return self.memo[Size] + b"(" + b"".join(map(_int, numbers)) + b"t\x85R"

    def object(self, cls: type, **fields: bytes) -> bytes:
        inside = b"".join(self.memo[k] + v for k, v in fields.items())
        return self.memo[cls] + b")\x81}(" + inside + b"ub"


def _text(s: str) -> bytes:
    data = s.encode("utf-8", "surrogatepass")
    return b"X" + struct.pack("<I", len(data)) + data


def _int(n: int) -> bytes:
    if 0 <= n < 256:
        return b"K" + bytes([n])
    if -(2**31) <= n < 2**31:
        return b"J" + struct.pack("<i", n)
    data = n.to_bytes(n.bit_length() // 8 + 1, "little", signed=True)
    return b"\x8a" + bytes([len(data)]) + data


def _maybe(s: str | None) -> bytes:
    return b"N" if s is None else _text(s)


CLASSES = (
    Metadata, TensorStorageMetadata, TensorProperties, ChunkStorageMetadata, BytesStorageMetadata,
    MetadataIndex, StorageMeta,
)  # fmt: skip
FIELDS = (
    "state_dict_metadata planner_data storage_data storage_meta version properties size chunks "
    "offsets sizes fqn offset index relative_path length checkpoint_id save_id load_id modules"
)


def pickled(m: Metadata) -> bytes:
    """Usual metadata as a pickle of PyTorch's classes."""
    e = _Emitter()
    for cls in CLASSES:
        e.name(cls, "torch.distributed.checkpoint.metadata", cls.__name__)
    e.name(_StorageInfo, "torch.distributed.checkpoint.filesystem", "_StorageInfo")
    e.name(Size, "torch", "Size")
    for field in FIELDS.split():
        e.keep(field, _text(field))
    e.keep(strided, _text("torch.serialization") + _text("_get_layout") + b"\x93"
           + _text("torch.strided") + b"\x85R")  # fmt: skip
    e.keep(contiguous_format, _text("torch.distributed.checkpoint.metadata")
           + _text("_MEM_FORMAT_ENCODING") + b"\x93K\x00\x85R")  # fmt: skip
    kinds: dict[str, Any] = m.state_dict_metadata
    for dtype in {k.properties.dtype for k in kinds.values() if not _is_bytes(k)}:
        e.name(dtype, "torch", dtype.name)
    for path in {p.relative_path for p in m.storage_data.values()}:
        e.keep(("file", path), _text(path))
    tensors = b"".join(_text(name) + _kind(e, kind) for name, kind in kinds.items())
    paths = b"N"
    if m.planner_data is not None:
        paths = b"}(" + b"".join(
            _text(n) + b"(" + b"".join(_int(p) if type(p) is int else _text(p) for p in path) + b"t"
            for n, path in m.planner_data.items()
        ) + b"u"  # fmt: skip
    places = b"".join(
        e.object(
            MetadataIndex, fqn=_text(i.fqn), index=b"N" if i.index is None else _int(i.index),
            **({} if i.offset is None else {"offset": e.size(i.offset)}),
        )
        + e.object(
            _StorageInfo, relative_path=e.memo["file", p.relative_path], offset=_int(p.offset),
            length=_int(p.length),
        )
        for i, p in m.storage_data.items()
    )  # fmt: skip
    s: Any = m.storage_meta
    about = e.object(
        StorageMeta, checkpoint_id=_text(s.checkpoint_id), save_id=_maybe(s.save_id),
        load_id=_maybe(s.load_id), modules=b"]",
    )  # fmt: skip
    whole = e.object(
        Metadata, state_dict_metadata=b"}(" + tensors + b"u", planner_data=paths,
        storage_data=b"}(" + places + b"u", storage_meta=about, version=_maybe(m.version),
    )  # fmt: skip
    return b"".join(e.out) + whole + b"."


def _is_bytes(kind: Any) -> bool:
    return type(kind) is BytesStorageMetadata


def _kind(e: _Emitter, kind: Any) -> bytes:
    if _is_bytes(kind):
        return e.memo[BytesStorageMetadata] + b")\x81"
    p = kind.properties
    state = e.memo[p.dtype] + e.memo[strided] + (b"\x88" if p.requires_grad else b"\x89")
    state += e.memo[contiguous_format] + b"\x89"
    properties = e.memo[TensorProperties] + b")\x81(" + state + b"tb"
    chunks = b"".join(
        e.object(ChunkStorageMetadata, offsets=e.size(c.offsets), sizes=e.size(c.sizes))
        for c in kind.chunks
    )
    return e.object(
        TensorStorageMetadata, properties=properties, size=e.size(kind.size),
        chunks=b"](" + chunks + b"e",
    )  # fmt: skip


# -- the index -------------------------------------------------------------------------------------


def indexed(m: Metadata, pickle: bytes) -> bytes:
    """A pickle with the same as JSON behind it."""
    kinds: dict[str, Any] = m.state_dict_metadata
    files = sorted({p.relative_path for p in m.storage_data.values()})
    number = {path: i for i, path in enumerate(files)}
    s: Any = m.storage_meta
    text = json.dumps(
        {
            "kinds": {
                name: None if _is_bytes(k) else [
                    k.properties.dtype.name, k.properties.requires_grad, k.size,
                    [[c.offsets, c.sizes] for c in k.chunks],
                ]
                for name, k in kinds.items()
            },
            "paths": m.planner_data,
            "files": files,
            "places": [
                [i.fqn, i.offset, i.index, number[p.relative_path], p.offset, p.length]
                for i, p in m.storage_data.items()
            ],
            "about": [s.checkpoint_id, s.save_id, s.load_id],
            "version": m.version,
        },
        separators=(",", ":"),
    ).encode()  # fmt: skip
    return pickle + text + _tail(pickle, len(text))


def _tail(pickle: bytes | memoryview, size: int) -> bytes:
    return hashlib.sha256(pickle).digest() + struct.pack("<Q", size) + MAGIC


def found(data: bytes) -> Metadata | None:
    """The metadata of a file that has an index; None where there is none, or of another pickle.

    Raises:
        CheckpointError: the index is not what `indexed` writes.
    """
    length = 40 + len(MAGIC)
    if len(data) < length or not data.endswith(MAGIC):
        return None
    (size,) = struct.unpack("<Q", data[-length + 32 : -length + 40])
    begin = len(data) - length - size
    if begin < 0 or data[-length:] != _tail(memoryview(data)[:begin], size):
        return None
    collects = gc.isenabled()
    try:
        gc.disable()  # nothing of a hundred thousand new objects is garbage: half of the time
        return _made(json.loads(data[begin:-length]))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise broken("the index of its metadata is malformed", type(error).__name__) from error
    finally:
        if collects:
            gc.enable()


def _made(told: dict[str, Any]) -> Metadata:
    kinds: dict[str, Any] = {}
    for name, kind in told["kinds"].items():
        if kind is None:
            kinds[name] = BytesStorageMetadata()
            continue
        dtype, requires_grad, size, chunks = kind
        kinds[name] = TensorStorageMetadata(
            TensorProperties(_BY_NAME[dtype], requires_grad=bool(requires_grad)),
            _size(size),
            [ChunkStorageMetadata(_size(o), _size(s)) for o, s in chunks],
        )
    paths = told["paths"]
    files = told["files"]
    places: dict[MetadataIndex, _StorageInfo] = {}
    for name, at, index, file, offset, length in told["places"]:
        _size([file, offset, length, *([] if index is None else [index])])  # a look at them
        place = MetadataIndex(_str(name), None if at is None else _size(at), index)
        places[place] = _StorageInfo(files[file], offset, length)
    checkpoint_id, save_id, load_id = told["about"]
    about = StorageMeta(_str(checkpoint_id), _text_or_none(save_id), _text_or_none(load_id))
    return Metadata(
        kinds,
        None if paths is None else {name: tuple(path) for name, path in paths.items()},
        places,
        about,
        _text_or_none(told["version"]),
    )


def _str(value: Any) -> str:
    if type(value) is not str:
        raise ValueError("text")
    return value


def _text_or_none(value: Any) -> str | None:
    return None if value is None else _str(value)


def _size(numbers: Any) -> Size:
    if type(numbers) is not list or any(type(n) is not int or n < 0 for n in numbers):
        raise ValueError("a size")
    return tuple.__new__(Size, numbers)
