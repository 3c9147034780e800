"""One item in a file of a checkpoint: a tensor or object in `torch.save`'s form, part of a file.

Of a tensor only what is asked for is read: its storage is mapped, and a box of it copied. Where all
of it is wanted, its checksum is verified first.
"""

from __future__ import annotations

import io
import os
import sys
import zlib
from typing import IO, Any

import numpy as np

from ... import serialization
from ...errors import message
from ...serialization import CheckpointError
from ...serialization.archive import Reader
from ...serialization.blocks import Block
from ...serialization.loading import _byte_order, storage_id
from ...serialization.names import Table
from ...serialization.unpickler import Unpickler, broken, shown
from ...tensor import Tensor

_CHUNK = 1 << 18


class Section(io.RawIOBase):
    """Part of a file as a file: for reading its `length` bytes, or for writing behind `begin`."""

    def __init__(self, file: IO[bytes], begin: int, length: int | None = None) -> None:
        self._file, self._begin, self._length = file, begin, length
        file.seek(begin)

    def readable(self) -> bool:
        return self._length is not None

    def writable(self) -> bool:
        return self._length is None

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._file.tell() - self._begin

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        if whence == os.SEEK_CUR:
            offset += self.tell()
        elif whence == os.SEEK_END:
            if self._length is None:
                return self._file.seek(0, os.SEEK_END) - self._begin
            offset += self._length
        if offset < 0:
            raise ValueError("negative position in a file")
        return self._file.seek(self._begin + offset) - self._begin

    def readinto(self, target: Any) -> int:
        left = max(0, (self._length or 0) - self.tell())
        return self._file.readinto(memoryview(target)[:left]) or 0  # type: ignore[attr-defined]

    def write(self, data: Any) -> int:
        return self._file.write(data)

    def flush(self) -> None:
        if not self.closed:
            self._file.flush()

    def close(self) -> None:
        """Leave the file itself open."""


def section(file: IO[bytes], begin: int, length: int, path: str) -> Section:
    """A part of a file that was written; CheckpointError when the file is too short for it."""
    size = os.fstat(file.fileno()).st_size
    if begin + length > size:
        raise broken(
            f"the file {os.path.basename(path)} is truncated",
            f"{size} bytes",
            f"at least {begin + length}",
        )
    return Section(file, begin, length)


def read_object(file: IO[bytes], begin: int, length: int, path: str) -> io.BytesIO:
    """An object as it was written, after a look that it can be read."""
    data = section(file, begin, length, path).read()
    serialization.load(io.BytesIO(data), weights_only=False)
    return io.BytesIO(data)


class StoredTensor:
    """A tensor in a file, of which boxes can be had."""

    def __init__(self, file: IO[bytes], begin: int, length: int, path: str) -> None:
        self._records: list[tuple[Reader, str, np.ndarray]] = []
        part: Any = section(file, begin, length, path)
        reader = Reader(part)
        foreign = _byte_order(reader) != sys.byteorder
        blocks: dict[str, Block] = {}

        def storage(saved_id: Any) -> Block:
            kind, key, _location, count = storage_id(saved_id)
            if key not in blocks:
                nbytes, record = count * kind.itemsize, f"data/{key}"
                at = reader._begin(record, nbytes)
                memory = _mapped(path, begin + at, nbytes)
                self._records.append((reader, record, memory))
                blocks[key] = Block(memory, kind, nbytes)
            return blocks[key]

        if foreign:  # seldom: read, and turned around
            part.seek(0)
            found = serialization.load(part, map_location="cpu")
        else:
            found = Unpickler(reader.read("data.pkl"), Table(True), storage).load()
        if not isinstance(found, Tensor):
            raise broken("an object is where a tensor should be", shown(found))
        self.tensor = found.detach()

    def verify(self) -> None:
        """CheckpointError when a checksum is wrong."""
        for reader, record, memory in self._records:
            size = reader.size(record)
            if not reader._checked or size != memory.nbytes:
                continue
            crc = 0
            for at in range(0, size, _CHUNK):
                crc = zlib.crc32(memory[at : at + _CHUNK].data, crc)
            reader._verify(record, crc)


def _mapped(path: str, begin: int, nbytes: int) -> np.ndarray:
    if not nbytes:
        return np.empty(0, np.uint8)
    return np.memmap(path, np.uint8, "c", begin, (nbytes,)).view(np.ndarray)


def missing(path: str, error: OSError) -> CheckpointError:
    """The error of a file that the metadata names and that cannot be opened."""
    folder, name = os.path.split(path)
    return CheckpointError(
        message(
            f"load: corrupt checkpoint: its file {name} cannot be opened",
            got=f"{type(error).__name__}: {error.strerror}, in {folder}",
            wanted="all files that the save wrote, in one folder",
            hint="copying the whole folder, .metadata and all .distcp files",
        )
    )
