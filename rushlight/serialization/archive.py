"""The zip file around a checkpoint: records by name, uncompressed, each on a 64-byte boundary.

Not here: what the records mean (`saving.py`, `loading.py`).
"""

from __future__ import annotations

import mmap
import os
import struct
import zipfile
import zlib
from typing import IO, Any

import numpy as np

from ..errors import message
from .errors import CheckpointError
from .options import config
from .unpickler import broken

_LOCAL_HEADER = 30


class Writer:
    """Write records into `file` under the folder `name` of the archive.

    The file is only written to, from where it stands: places in the archive count from there, as
    in PyTorch's, so that it may lie behind other content, or go into a pipe.
    """

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file = file
        self._name = name
        self._at = 0
        self._directory: list[bytes] = []

    def write(self, record: str, data: bytes | memoryview) -> None:
        """Add one record, dated 1980: the same content gives the same bytes."""
        name = f"{self._name}/{record}".encode()
        size, begin = len(data), self._at
        flags = _SIZES_BEHIND | (0 if name.isascii() else _UTF8)
        big = size >= _LIMIT
        extra = struct.pack("<HHQQ", 1, 16, 0, 0) if big else b""
        header = _LOCAL_HEADER + len(name) + len(extra)
        padding = -(begin + header + 4) % config.save.storage_alignment
        extra += struct.pack("<HH", 0x4246, padding) + b"Z" * padding
        needs = 45 if big or begin >= _LIMIT else 20
        fixed = struct.pack("<HHHHH", needs, flags, zipfile.ZIP_STORED, 0, _1980)
        self._put(b"PK\3\4" + fixed + struct.pack("<IIIHH", 0, 0, 0, len(name), len(extra)))
        self._put(name + extra)
        crc = 0
        for at in range(0, size, _CHUNK):
            piece = data[at : at + _CHUNK]
            if config.save.compute_crc32:
                crc = zlib.crc32(piece, crc)
            self._put(piece)
        self._put(b"PK\7\x08" + struct.pack("<IQQ" if big else "<III", crc, size, size))
        wide = [n for n in (size, size, begin) if n >= _LIMIT]
        more = struct.pack(f"<HH{len(wide)}Q", 1, 8 * len(wide), *wide) if wide else b""
        narrow = [_narrow(n) for n in (size, size, begin)]
        made_by = 3 << 8 | needs  # on a POSIX system, as the mode of the file is given
        self._directory.append(
            b"PK\1\2"
            + struct.pack("<H", made_by)
            + fixed
            + struct.pack("<IIIHHHHH", crc, *narrow[:2], len(name), len(more), 0, 0, 0)
            + struct.pack("<II", 0o600 << 16, narrow[2])
            + name
            + more
        )

    def close(self) -> None:
        """Write the directory of the archive."""
        begin, count = self._at, len(self._directory)
        for entry in self._directory:
            self._put(entry)
        end = self._at
        if begin >= _LIMIT or count >= _MANY:
            sizes = (count, count, end - begin, begin)
            self._put(b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, *sizes))
            self._put(b"PK\6\7" + struct.pack("<IQI", 0, end, 1))
        few = count if count < _MANY else 0xFFFF
        sizes = (few, few, _narrow(end - begin), _narrow(begin))
        self._put(b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, *sizes, 0))

    def _put(self, data: bytes | memoryview) -> None:
        self._file.write(data)
        self._at += len(data)


def _narrow(n: int) -> int:
    """A number for a field of the first zip format: full where it stands in one of zip64."""
    return n if n < _LIMIT else 0xFFFFFFFF


_CHUNK = 1 << 18  # so small that checksum and copy find it in the cache
_SIZES_BEHIND, _UTF8 = 0x08, 0x800  # flags: checksum and sizes follow the data; the name's encoding
_1980 = 1 << 5 | 1  # the first of January
_LIMIT, _MANY = 0xFFFFFFFF, 0xFFFF  # what fits no more into the fields of the first zip format


# What the zip module raises for a damaged directory, beside its own error.
_DAMAGE = (ArithmeticError, LookupError, NotImplementedError, OSError, ValueError, struct.error)


class Reader:
    """Read records of the zip file `file`; all their sizes together are at most the file's."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        file.seek(0, os.SEEK_END)
        self._size = file.tell()
        self._left = self._size
        self._map: mmap.mmap | None = None
        try:
            self._zip = zipfile.ZipFile(file)
            infos = self._zip.infolist()
        except (zipfile.BadZipFile, *_DAMAGE) as error:
            why = str(error)[:160]
            raise broken(
                f"failed reading zip archive (PytorchStreamReader: {why})", f"{self._size} bytes"
            ) from error
        names = [info.filename for info in infos]
        if len(set(names)) != len(names):
            raise broken("its archive holds a record twice")
        if not names:
            raise broken("its archive is empty")
        folder = next((n[: -len("data.pkl")] for n in names if n.endswith("/data.pkl")), None)
        if folder is None:
            raise CheckpointError(
                message(
                    "load: not a checkpoint: the zip archive has no record data.pkl",
                    got=", ".join(names[:4]),
                    wanted="a file that save() wrote",
                )
            )
        if f"{folder}constants.pkl" in names:
            raise CheckpointError(
                message(
                    "load: a TorchScript archive holds a compiled program, which is not supported",
                    wanted="a file that save() wrote",
                    hint="saving the state_dict of the model in PyTorch",
                )
            )
        # PyTorch writes zeros where it was told to compute no checksums.
        self._checked = config.load.check_crc32 and any(i.CRC for i in infos)
        self._infos = {i.filename[len(folder) :]: i for i in infos if i.filename.startswith(folder)}

    def __contains__(self, record: str) -> bool:
        return record in self._infos

    def size(self, record: str) -> int:
        """Bytes of a record; CheckpointError when there is none."""
        return self._info(record).file_size

    def read(self, record: str) -> bytes:
        """The bytes of a small record, its checksum verified."""
        size = self.size(record)
        self._spend(self._begin(record, size), size)
        data = self._file.read(size)
        if len(data) != size:
            raise broken(f"its record {record} is truncated")
        self._verify(record, zlib.crc32(data))
        return data

    def memory(self, record: str, nbytes: int) -> np.ndarray:
        """The first `nbytes` of a record as a fresh, writable array, its checksum verified."""
        size = self.size(record)
        self._spend(self._begin(record, nbytes), size)
        memory = np.empty(size, np.uint8)
        target = memory.data
        crc = 0
        while len(target):
            count = _read_into(self._file, target[:_CHUNK])
            if not count:
                raise broken(f"its record {record} is truncated")
            if self._checked:
                crc = zlib.crc32(target[:count], crc)
            target = target[count:]
        self._verify(record, crc)
        return memory[:nbytes]

    def _spend(self, begin: int, size: int) -> None:
        self._left -= size
        if self._left < 0:  # records that lie over one another would multiply the file
            raise broken("the records of its archive overlap")
        self._file.seek(begin)

    def _verify(self, record: str, crc: int) -> None:
        if self._checked and crc != self._infos[record].CRC:
            raise CheckpointError(
                message(
                    f"load: corrupt checkpoint: the checksum of its record {record} is wrong: "
                    "the file was damaged after it was written",
                    got=f"{crc:08x}",
                    wanted=f"{self._infos[record].CRC:08x}",
                    hint="another copy of the file; or, to read it as it is, "
                    "torch.serialization.set_crc32_options(False)",
                )
            )

    def mapped(self, record: str, nbytes: int, path: str) -> np.ndarray:
        """The same, mapped from the file at `path`: read when used, no checksum verified.

        Writing into it changes memory only, unless the options say that it changes the file.
        """
        begin = self._begin(record, nbytes)
        if not nbytes:
            return np.empty(0, np.uint8)
        if self._map is None:
            shared = config.load.mmap_flags == getattr(mmap, "MAP_SHARED", None)
            access = mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY
            with open(path, "r+b" if shared else "rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=access)
        return np.frombuffer(self._map, np.uint8, nbytes, begin)

    def _info(self, record: str) -> zipfile.ZipInfo:
        info = self._infos.get(record)
        if info is None:
            raise broken(
                f"its archive has no record {record} (PytorchStreamReader failed finding file)"
            )
        if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1:
            raise CheckpointError(
                message(
                    f"load: record {record} is compressed or encrypted",
                    wanted="an archive as save() writes it, stored without compression",
                    hint="unpacking it and packing it again with `zip -0`",
                )
            )
        return info

    def _begin(self, record: str, nbytes: int) -> int:
        info = self._info(record)
        if nbytes > info.file_size:
            raise broken(
                f"its record {record} is too short", f"{info.file_size} bytes", f"{nbytes}"
            )
        self._file.seek(max(info.header_offset, 0))  # damage can make it negative
        header = self._file.read(_LOCAL_HEADER)
        if info.header_offset < 0 or len(header) != _LOCAL_HEADER or header[:4] != b"PK\x03\x04":
            raise broken(f"its record {record} has no header")
        name, extra = struct.unpack("<HH", header[26:30])
        encoding = "utf-8" if info.flag_bits & 0x800 else "cp437"
        if self._file.read(name) != info.orig_filename.encode(encoding, "replace"):
            raise broken(f"its record {record} goes by another name in its header")
        begin = info.header_offset + _LOCAL_HEADER + name + extra
        if begin + info.file_size > self._size:
            raise broken(f"its record {record} is truncated")
        return begin


def _read_into(file: Any, target: memoryview) -> int:
    if hasattr(file, "readinto"):
        return file.readinto(target) or 0
    piece = file.read(len(target))
    target[: len(piece)] = piece
    return len(piece)
