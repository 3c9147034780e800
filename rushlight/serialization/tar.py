"""The checkpoint format of PyTorch 0.1: a tar archive of storages, tensors and a pickle.

Reading only. Nothing is unpacked on disk. Not here: the format after it (`legacy.py`).
"""

from __future__ import annotations

import io
import struct
import tarfile
from typing import Any

import numpy as np

from ..array_memory import alone
from ..tensor import Tensor
from . import legacy
from .blocks import Block, StorageKind
from .unpickler import Unpickler, broken, shown

_MEMBERS = ("storages", "tensors", "pickle")


def begins(data: Any, at: int) -> bool:
    """Whether such an archive begins at `at` of `data`."""
    return bool(data[at + 257 : at + 262] == b"ustar")


def load(data: Any, begin: int, table: Any, place: Any, encoding: str) -> Any:
    """The object in the archive that begins at `begin` of `data`."""
    members = _members(data, begin)
    blocks = _storages(data, members["storages"], table, place)
    known: dict[Any, Any] = _tensors(data, members["tensors"], table, blocks)

    def persistent(saved_id: Any) -> Any:
        if isinstance(saved_id, tuple) and saved_id:
            return saved_id[0]  # a module class with its source, which is not looked at
        key = int(saved_id) if type(saved_id) in (str, int) else None
        found = known.get(key, blocks.get(key))
        if found is None:
            raise broken("a persistent id is unknown", shown(saved_id))
        return found

    at = members["pickle"]
    return Unpickler(data, table, persistent, position=at, encoding=encoding).load()


def _members(data: Any, begin: int) -> dict[str, int]:
    """Where the three parts begin; reading beyond the end of one stays inside the file."""
    found = {}
    try:
        with tarfile.open(fileobj=_Window(data, begin), mode="r:") as archive:
            for member in archive:
                if member.isreg() and member.name.removeprefix("./") in _MEMBERS:
                    at = begin + member.offset_data
                    if member.size > len(data) - at:
                        raise broken("the file is truncated")
                    found[member.name.removeprefix("./")] = at
    except (tarfile.TarError, OSError, ValueError, ArithmeticError, LookupError) as error:
        raise broken(f"its tar archive is malformed ({str(error)[:160]})") from error
    if len(found) != len(_MEMBERS):
        raise broken("its tar archive is not whole", ", ".join(found), ", ".join(_MEMBERS))
    return found


class _Window(io.RawIOBase):
    """The archive as a file, without a copy."""

    def __init__(self, data: Any, begin: int) -> None:
        self._data, self._begin, self._at = data, begin, 0

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = 0) -> int:
        size = len(self._data) - self._begin
        self._at = offset + (0, self._at, size)[whence]
        return self._at

    def read(self, size: int = -1) -> bytes:
        at = min(self._begin + self._at, len(self._data))
        end = len(self._data) if size < 0 else min(at + size, len(self._data))
        self._at += end - at
        return bytes(self._data[at:end])


class _Part:
    """One part of the archive: pickles one after another, with raw numbers between them."""

    def __init__(self, data: Any, at: int, table: Any) -> None:
        self.data = data
        self.at = at
        self._table = table

    def value(self) -> Any:
        reader = Unpickler(self.data, self._table, legacy.no_storage, position=self.at)
        value = reader.load()
        self.at = reader.position
        return value

    def count(self) -> int:
        count = self.value()
        if type(count) is not int or not 0 <= count <= len(self.data):
            raise broken("a number in its tar archive is wrong", shown(count))
        return count

    def numbers(self, layout: str) -> tuple[Any, ...]:
        raw = legacy.piece(self.data, self.at, struct.calcsize(layout))
        self.at += len(raw)
        return struct.unpack(layout, raw)


def _storages(data: Any, at: int, table: Any, place: Any) -> dict[Any, Block]:
    part = _Part(data, at, table)
    blocks: dict[Any, Block] = {}
    for _ in range(part.count()):
        row = part.value()
        if not isinstance(row, tuple) or len(row) != 3 or not isinstance(row[2], StorageKind):
            raise broken("a storage in its tar archive is malformed", shown(row))
        key, location, kind = row
        if type(key) is not int or type(location) is not str:
            raise broken("a storage in its tar archive is malformed", shown(row))
        (count,) = struct.unpack("<q", legacy.piece(part.data, part.at, 8))
        nbytes = count * kind.itemsize
        if not 0 <= nbytes <= len(part.data) - part.at - 8:
            raise broken("a storage in its tar archive is truncated", f"{count} elements")
        memory = None if place.is_meta(location) else np.empty(nbytes, np.uint8)
        blocks[key] = place(Block(memory, kind, nbytes), location)
        part.at = legacy.read_storage(part.data, part.at, blocks[key])
    views = part.value()
    if not isinstance(views, list):
        raise broken("the views in its tar archive are malformed", shown(views))
    for row in views:
        if not isinstance(row, tuple) or len(row) != 4 or any(type(n) is not int for n in row):
            raise broken("a view in its tar archive is malformed", shown(row))
        target, root, offset, count = row
        if root not in blocks or offset < 0 or count < 0:
            raise broken("a view in its tar archive is malformed", shown(row))
        blocks[target] = _window(blocks[root], offset, count)
    return blocks


def _window(block: Block, offset: int, count: int) -> Block:
    size = block.kind.itemsize
    if (offset + count) * size > block.nbytes():
        raise broken("a view reaches beyond its storage", f"elements {offset} to {offset + count}")
    if block.memory is None:
        return Block(None, block.kind, count * size)
    return Block(alone(block.memory[offset * size : (offset + count) * size]), block.kind)


def _tensors(data: Any, at: int, table: Any, blocks: dict[Any, Block]) -> dict[Any, Any]:
    from .rebuild import rebuild_tensor

    part = _Part(data, at, table)
    tensors: dict[Any, Tensor] = {}
    for _ in range(part.count()):
        row = part.value()
        if not isinstance(row, tuple) or len(row) != 3 or any(type(n) is not int for n in row[:2]):
            raise broken("a tensor in its tar archive is malformed", shown(row))
        key, storage, _kind = row
        if storage not in blocks:
            raise broken("a tensor in its tar archive has no storage", shown(row))
        ndim, _ = part.numbers("<ii")
        if not 0 <= ndim <= 64:
            raise broken("a tensor in its tar archive is malformed", f"{ndim} dimensions")
        size, stride = part.numbers(f"<{ndim}q"), part.numbers(f"<{ndim}q")
        (offset,) = part.numbers("<q")
        tensors[key] = rebuild_tensor(blocks[storage], offset, size, stride)
    return tensors
