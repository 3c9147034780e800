"""A store in a file, for processes that share a disk and nothing else.

The file is a log: each change is a message (wire.py) of a key and a value, or of a key alone that
is forgotten. Whoever changes something locks the file, reads what is new, and writes at its end.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from typing import IO, Any

from . import wire
from .stores import HashStore

USERS = "\0users"  # how many processes have opened the file; not shown


@contextlib.contextmanager
def locked(file: IO[bytes]) -> Iterator[None]:
    """Hold a lock on a file that other processes respect, too."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        while True:
            file.seek(1 << 40)  # a byte far behind the end stands for the file
            try:
                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
                break
            except OSError:
                time.sleep(0.001)
        try:
            yield
        finally:
            file.seek(1 << 40)
            msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined]
        return
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)


class FileStore(HashStore):
    """A store in a file that all processes can read and write, on one machine or a shared disk.

    Args:
        file_name: its path; it is made if it is not there, readable by this user alone.
        world_size: how many processes use it: the last one to let go of it deletes it. Negative:
            not known; the file stays.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "meet")
        >>> one, two = FileStore(path, 2), FileStore(path, 2)
        >>> one.set("lr", "0.1")
        >>> two.get("lr")
        b'0.1'
    """

    def __init__(self, file_name: str | os.PathLike[str], world_size: int = -1) -> None:
        super().__init__()
        self._path, self._size, self._at = os.fspath(file_name), world_size, 0
        self._thread = threading.RLock()
        self._file: Any = open(  # noqa: SIM115
            os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600), "r+b", buffering=0
        )
        if world_size > 0:
            self.add(USERS, 1)

    @property
    def path(self) -> str:
        """Of the file."""
        return self._path

    @contextlib.contextmanager
    def _open(self, change: bool = True) -> Iterator[dict[str, bytes]]:
        with self._thread, locked(self._file):
            self._read()
            before = dict(self._values) if change else None
            yield self._values
            if before is not None:
                self._write(before)

    def _read(self) -> None:
        """Take over what others have written."""
        self._file.seek(self._at)
        new = self._file.read()
        at = 0
        while at + wire.LENGTH.size <= len(new):
            (size,) = wire.LENGTH.unpack_from(new, at)
            end = at + wire.LENGTH.size + size
            if end > len(new):  # a writer was killed; what it began is written over
                break
            key, *value = wire.unpacked(new[at + wire.LENGTH.size : end])
            if value:
                self._values[key.decode()] = value[0]
            else:
                self._values.pop(key.decode(), None)
            at = end
        self._at += at

    def _write(self, before: dict[str, bytes]) -> None:
        changed = [
            wire.packed([k.encode(), v]) for k, v in self._values.items() if before.get(k) != v
        ]
        changed += [wire.packed([k.encode()]) for k in before if k not in self._values]
        if changed:
            data = b"".join(changed)
            self._file.seek(self._at)
            self._file.truncate()
            self._file.write(data)
            self._at += len(data)

    def num_keys(self) -> int:
        return len(self.list_keys())

    def list_keys(self) -> list[str]:
        return [k for k in super().list_keys() if k != USERS]

    def queue_push(self, key: str, value: str | bytes) -> None:
        self._absent("queue_push")

    def queue_pop(self, key: str, block: bool = True) -> bytes:
        return self._absent("queue_pop")

    def queue_len(self, key: str) -> int:
        return self._absent("queue_len")

    def clone(self) -> FileStore:
        return FileStore(self._path, -1)

    def __del__(self) -> None:
        file = self.__dict__.pop("_file", None)
        if file is None:
            return
        self._file = file
        # At the very end nothing can be imported, not even this module's names, and the file stays.
        if sys is not None and not sys.is_finalizing():
            with contextlib.suppress(OSError):
                if self._size > 0 and self.add(USERS, -1) == 0:
                    os.unlink(self._path)
        file.close()
