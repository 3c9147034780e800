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
    """What is written into a file from its end on, as a file of its own."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._begin = file, file.seek(0, os.SEEK_END)

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._file.tell() - self._begin

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        if whence == os.SEEK_SET:
            offset += self._begin
        return self._file.seek(offset, whence) - self._begin

    def write(self, data: Any) -> int:
        return self._file.write(data)

    def flush(self) -> None:
        if not self.closed:
            self._file.flush()

    def close(self) -> None:
        """Leave the file itself open."""


class Window(io.RawIOBase):
    """Bytes in memory as a file, without a copy."""

    def __init__(self, memory: np.ndarray) -> None:
        self._memory, self._at = memory, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        start = (0, self._at, self._memory.size)[whence]
        if start + offset < 0:
            raise ValueError("negative position in a file")
        self._at = start + offset
        return self._at

    def read(self, size: int | None = -1, /) -> bytes:
        end = None if size is None or size < 0 else self._at + size
        data = self._memory[self._at : end].tobytes()
        self._at += len(data)
        return data

    def readinto(self, target: Any) -> int:
        data = self.read(len(target))
        target[: len(data)] = data
        return len(data)


class File:
    """A file of a checkpoint, mapped: what is not looked at is not read."""

    def __init__(self, path: str) -> None:
        """CheckpointError for a file that cannot be opened."""
        self.path = path
        try:
            size = os.path.getsize(path)
            self.memory = _mapped(path, size)
        except OSError as error:
            raise missing(path, error) from error

    def part(self, begin: int, length: int) -> np.ndarray:
        """Some of its bytes; CheckpointError when it is too short for them."""
        if begin + length > self.memory.size:
            raise broken(
                f"the file {os.path.basename(self.path)} is truncated",
                f"{self.memory.size} bytes",
                f"at least {begin + length}",
            )
        return self.memory[begin : begin + length]

    def object(self, begin: int, length: int) -> bytes:
        """An object as it was written, after a look that it can be read."""
        data = self.part(begin, length).tobytes()
        serialization.load(io.BytesIO(data), weights_only=False)
        return data


class StoredTensor:
    """A tensor in a file, of which boxes can be had."""

    def __init__(self, memory: np.ndarray) -> None:
        self._records: list[tuple[Reader, str, np.ndarray]] = []
        file: Any = Window(memory)
        reader = Reader(file)
        blocks: dict[str, Block] = {}

        def storage(saved_id: Any) -> Block:
            kind, key, _location, count = storage_id(saved_id)
            if key not in blocks:
                nbytes, record = count * kind.itemsize, f"data/{key}"
                at = reader._begin(record, nbytes)
                part = memory[at : at + nbytes]
                self._records.append((reader, record, part))
                blocks[key] = Block(part, kind, nbytes)
            return blocks[key]

        if _byte_order(reader) != sys.byteorder:  # seldom: read, and turned around
            file.seek(0)
            found = serialization.load(file, map_location="cpu")
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


def _mapped(path: str, nbytes: int) -> np.ndarray:
    """The bytes of a file; writing into them changes memory only."""
    if not nbytes:
        return np.empty(0, np.uint8)
    return np.memmap(path, np.uint8, "c", 0, (nbytes,)).view(np.ndarray)


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
