"""The file `.metadata`: a pickle of the classes of `metadata.py`, as PyTorch writes and reads it.

It is read by the closed interpreter of `serialization/unpickler.py` with a table of these classes:
whatever a file says, nothing is imported and nothing is called but what stands here.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from ... import torch_names
from ...dtypes import dtype
from ...errors import message
from ...layout import layout
from ...serialization.errors import CheckpointError
from ...serialization.names import Table
from ...serialization.saving import _Pickler
from ...serialization.standard import entry as standard_entry
from ...serialization.unpickler import Known, Unpickler, broken, shown
from ...size import Size
from . import metadata as md
from . import quick_metadata
from .storage import WriteResult

VERSION = "1.0.0"
# A file beside the metadata: what we write, and PyTorch. Never one of another folder.
PLAIN_NAME = re.compile(r"[^/\\\0]+")


def dumped(value: Any) -> bytes:
    """Metadata, or plain values, as a pickle that names PyTorch's classes."""
    file = io.BytesIO()
    pickler = _Pickler(file, 4, views_in_ids=False)
    pickler.dump(value)
    return file.getvalue()


def loaded(data: bytes) -> Any:
    """What `dumped`, or PyTorch, wrote; CheckpointError for anything else."""
    plain = Table(True)

    def find(module: str, name: str) -> Known:
        known = _TABLE.get(f"{module}.{name}")
        if known is None and module.startswith("pathlib"):
            known = standard_entry(module, name)
        return known or plain(module, name)

    def persistent(saved_id: Any) -> Any:
        raise broken("its metadata holds a storage")

    return Unpickler(data, find, persistent).load()


def written(metadata: md.Metadata) -> bytes:
    """The file of a checkpoint's metadata."""
    if not quick_metadata.usual(metadata):
        return dumped(metadata)
    return quick_metadata.indexed(metadata, quick_metadata.pickled(metadata))


def read(path: str | os.PathLike[str]) -> md.Metadata:
    """The metadata of a checkpoint.

    Raises:
        FileNotFoundError: there is none.
        CheckpointError: it is damaged, or holds what no checkpoint holds.
    """
    path = os.fspath(path)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError as error:
        folder = os.path.dirname(path)
        there = sorted(os.listdir(folder))[:4] if os.path.isdir(folder) else None
        raise FileNotFoundError(
            error.errno,
            message(
                "load: there is no checkpoint here",
                got="no such folder" if there is None else f"a folder with {there or 'nothing'}",
                wanted="the file .metadata, which a save writes when all else is there",
            ),
            path,
        ) from None
    try:
        found = quick_metadata.found(data) or loaded(data)
        if not isinstance(found, md.Metadata):
            raise broken("its metadata is something else", shown(found))
        _check(found)
    except CheckpointError as error:
        raise CheckpointError(f"{error}\n  file    {path}") from error.__cause__
    return found


def _check(found: md.Metadata) -> None:
    """CheckpointError unless the parts of the metadata are what they should be."""
    names = found.state_dict_metadata
    for name, kind in names.items():
        if type(name) is not str or not isinstance(kind, md.STORAGE_TYPES):
            raise broken("its metadata names what is no tensor and no object", shown(name))
        if isinstance(kind, md.TensorStorageMetadata):
            for chunk in kind.chunks:
                if len(chunk.offsets) != len(kind.size) or len(chunk.sizes) != len(kind.size):
                    raise broken(f"a chunk of {name!r} has another number of dimensions")
    paths = found.planner_data
    if paths is not None and not isinstance(paths, dict):
        raise broken("its metadata has no paths", shown(paths))
    for path in (paths or {}).values():
        if type(path) not in (tuple, list) or not all(type(p) in (str, int) for p in path):
            raise broken("its metadata has a path that is none", shown(path))
        if any(type(p) is int and not 0 <= p < 10**6 for p in path):
            raise broken("its metadata has a place far out in a list", shown(path))
    places = found.storage_data
    if not isinstance(places, dict):
        raise broken("its metadata does not say where the values are")
    for index, info in places.items():
        if not isinstance(index, md.MetadataIndex) or not isinstance(info, md._StorageInfo):
            raise broken("its metadata does not say where a value is", shown(index))
        if not _name(info.relative_path):
            raise broken("relative_path of a _StorageInfo is impossible", shown(info.relative_path))


def _is(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: type(value) in kinds


def _list_of(kind: type) -> Callable[[Any], bool]:
    return lambda value: type(value) is list and all(type(v) is kind for v in value)


def _extent(value: Any) -> bool:
    return type(value) is Size and all(0 <= n < 2**62 for n in value)


def _name(value: Any) -> bool:
    return type(value) is str and value not in (".", "..") and bool(PLAIN_NAME.fullmatch(value))


def _offset(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**62


def _anything(value: Any) -> bool:
    return True


_NONE = type(None)
_FIELDS: dict[type, dict[str, Callable[[Any], bool]]] = {
    md.ChunkStorageMetadata: {"offsets": _extent, "sizes": _extent},
    md.TensorStorageMetadata: {
        "properties": _is(md.TensorProperties),
        "size": _extent,
        "chunks": _list_of(md.ChunkStorageMetadata),
    },
    md.BytesStorageMetadata: {},
    md.StorageMeta: dict.fromkeys(("checkpoint_id", "save_id", "load_id", "modules"), _anything),
    md.Metadata: {
        "state_dict_metadata": _is(dict),
        "planner_data": _anything,
        "storage_data": _anything,
        "storage_meta": _is(md.StorageMeta, _NONE),
        "version": _is(str, _NONE),
    },
    md.MetadataIndex: {
        "fqn": _is(str),
        "offset": lambda v: v is None or _extent(v),
        "index": lambda v: v is None or _offset(v),
    },
    md._StorageInfo: {
        "relative_path": _name,
        "offset": _offset,
        "length": _offset,
        "transform_descriptors": lambda v: v is None or type(v) in (list, tuple),
    },
    WriteResult: {
        "index": _is(md.MetadataIndex),
        "size_in_bytes": _offset,
        "storage_data": _anything,
    },
}


def _filler(cls: type) -> Callable[[Any, Any], None]:
    """Sets the fields of an object of `cls`, after a look at each."""
    checks = _FIELDS[cls]
    must = {f.name for f in fields(cls)} - set(vars(cls))  # those without a default

    def fill(target: Any, state: Any) -> None:
        if not isinstance(state, dict) or not must <= state.keys() <= checks.keys():
            raise broken(f"a {cls.__name__} has other fields", shown(state))
        for name, value in state.items():
            if not checks[name](value):
                raise broken(f"{name} of a {cls.__name__} is impossible", shown(value))
        target.__dict__.update(state)

    return fill


def _properties(target: Any, state: Any) -> None:
    kinds = (dtype, layout, bool, md._MEM_FORMAT_ENCODING, bool)
    if type(state) is not tuple or [*map(type, state)] != [*kinds]:
        raise broken("the type of a tensor is impossible", shown(state))
    target.__setstate__(state)


def _member(cls: Any, name: Any) -> Any:
    """A member of the one enumeration of these files, which Python 3.11 up to 3.11.3 pickles as a
    call of `getattr`."""
    kind = md._MEM_FORMAT_ENCODING
    if cls is not kind or name not in kind.__members__:
        raise broken("its metadata asks for an attribute", shown(name))
    return kind[name]


def _table() -> dict[str, Known]:
    def maker(cls: Any) -> Callable[[], Any]:
        return lambda: cls.__new__(cls)

    found = {cls: Known(cls, new=maker(cls), build=_filler(cls)) for cls in _FIELDS}
    kind = md.TensorProperties
    found[kind] = Known(kind, new=maker(kind), build=_properties)
    found[md._MEM_FORMAT_ENCODING] = Known(md._MEM_FORMAT_ENCODING, call=md._MEM_FORMAT_ENCODING)
    table = {
        f"{torch_names.shown(torch_names.own(cls.__module__))}.{cls.__qualname__}": known
        for cls, known in found.items()
    }
    table["builtins.getattr"] = Known(getattr, call=_member)
    return table


_TABLE = _table()
