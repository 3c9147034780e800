"""Zip archives of records, as `torch.PyTorchFileWriter` and `PyTorchFileReader` make them.

What programs do that put other records into such archives. Files of tensors: `archive.py`.
"""

from __future__ import annotations

import contextlib
import os
import zipfile
from collections.abc import Iterator
from typing import IO, Any

from ..errors import message

SIGNATURE = b"PK\x03\x04"


def _is_zipfile(f: IO[bytes]) -> bool:
    """Whether a file begins as a zip archive does, here; its position is left as it is."""
    start = f.tell()
    begins = f.read(len(SIGNATURE))
    f.seek(start)
    return begins == SIGNATURE


class PyTorchFileWriter:
    """Writes records into a zip archive, uncompressed, under one folder."""

    def __init__(self, file: str | os.PathLike[str] | IO[bytes], **options: Any) -> None:
        stem = "archive"
        if isinstance(file, str | os.PathLike):
            stem = os.path.splitext(os.path.basename(os.fspath(file)))[0] or stem
        self._folder, self._file = stem, file
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_STORED)

    def write_record(self, name: str, data: Any, size: int) -> None:
        """Add a record: the first `size` bytes of `data`, which are bytes or a storage."""
        data = data.bytes() if hasattr(data, "bytes") else data
        self._zip.writestr(f"{self._folder}/{name}", bytes(memoryview(data)[:size]))

    def archive_name(self) -> str:
        """The folder that the records are in."""
        return self._folder

    def write_end_of_file(self) -> None:
        """Finish the archive."""
        self._zip.close()
        if hasattr(self._file, "flush"):
            self._file.flush()


class PyTorchFileReader:
    """Reads records of a zip archive whose files are in one folder."""

    def __init__(self, file: str | os.PathLike[str] | IO[bytes]) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
        except zipfile.BadZipFile as error:
            raise RuntimeError(
                message(f"PytorchStreamReader failed reading zip archive: {error}", got=repr(file))
            ) from error
        names = self._zip.namelist()
        self._folder = names[0].partition("/")[0] if names else ""

    def get_record(self, name: str) -> bytes:
        """The bytes of a record."""
        try:
            return self._zip.read(f"{self._folder}/{name}")
        except KeyError:
            raise RuntimeError(
                f"PytorchStreamReader failed locating file {name}: file not found"
            ) from None

    def has_record(self, name: str) -> bool:
        """Whether there is a record of this name."""
        return f"{self._folder}/{name}" in self._zip.NameToInfo

    def get_all_records(self) -> list[str]:
        """The names of all records."""
        return [n.removeprefix(f"{self._folder}/") for n in self._zip.namelist()]


@contextlib.contextmanager
def _open_zipfile_writer(name_or_buffer: Any) -> Iterator[PyTorchFileWriter]:
    """A writer, whose archive is finished at the end of the block."""
    if not isinstance(name_or_buffer, str | os.PathLike) and not callable(
        getattr(name_or_buffer, "write", None)
    ):
        kind = type(name_or_buffer).__name__
        raise AttributeError(f"Buffer of {kind} has no callable attribute 'write'")
    writer = PyTorchFileWriter(name_or_buffer)
    yield writer
    writer.write_end_of_file()


@contextlib.contextmanager
def _open_zipfile_reader(name_or_buffer: Any) -> Iterator[PyTorchFileReader]:
    """A reader of an archive."""
    yield PyTorchFileReader(name_or_buffer)
