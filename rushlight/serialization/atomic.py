"""Writing a file so that a crash leaves the old content or the new, never half of one.

A process that is killed in mid-write leaves its temporary file behind; the next `replacing` of the
same file removes it. Whether the writer of a temporary file still lives is told by a lock on it,
which the system takes back when a process ends, however it ends.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from typing import IO

if sys.platform != "win32":
    import fcntl


class NoFolder(FileNotFoundError, RuntimeError):
    """There is no folder to save into: PyTorch raises RuntimeError, Python FileNotFoundError."""

    def __str__(self) -> str:
        return str(self.strerror)


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A binary file to write into that takes the place of `path` when the block ends well.

    The bytes go to a temporary file in the same folder, are brought to the disk, and the file is
    then renamed over `path`; the folder is brought to the disk too. If the block raises, `path` is
    as it was. A symbolic link is followed; mode and, where allowed, owner of an existing file are
    kept, a file that may not be written is refused, and a device or pipe is written to directly.
    Other hard links to the old file keep the old content.
    """
    target = os.path.realpath(path)
    found = None
    with contextlib.suppress(FileNotFoundError):
        found = os.stat(target)
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError(21, "Is a directory", os.fspath(path))
        if not stat.S_ISREG(found.st_mode):
            with open(target, "wb") as direct:
                yield direct
            return
        if not os.access(target, os.W_OK):
            raise PermissionError(13, "Permission denied", os.fspath(path))
    folder, name = os.path.split(target)
    stem = "." + os.fsdecode(os.fsencode(name)[:200])  # a name has at most 255 bytes
    _remove_leftovers(folder, stem)
    try:
        descriptor, temporary = _create(folder, stem)
    except FileNotFoundError as error:
        raise NoFolder(
            error.errno, f"Parent directory {os.fsdecode(folder)} does not exist.", os.fspath(path)
        ) from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if found is not None:
                _keep_mode(file.fileno(), temporary, found)
            if sys.platform != "win32":  # renamed while still locked: nobody takes it for left over
                os.replace(temporary, target)
        if sys.platform == "win32":
            os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(folder)


def _create(folder: str, stem: str) -> tuple[int, str]:
    """A new, locked temporary file."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        temporary = os.path.join(folder, f"{stem}.{secrets.token_hex(6)}.tmp")
        descriptor = os.open(temporary, flags, 0o666)
        if _lock(descriptor) is not False:
            return descriptor, temporary
        os.close(descriptor)  # another writer, cleaning up, has it: before we could lock it


def _lock(descriptor: int) -> bool | None:
    """Lock a file; False when it is locked or no longer there, None where there are no locks."""
    if sys.platform == "win32":
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return os.fstat(descriptor).st_nlink > 0


def _remove_leftovers(folder: str, stem: str) -> None:
    """Remove the temporary files of writers of the same file that no longer live."""
    if sys.platform == "win32":
        return
    pattern = re.compile(re.escape(stem) + r"\.[0-9a-f]{12}\.tmp")
    with contextlib.suppress(OSError):
        names = [name for name in os.listdir(folder) if pattern.fullmatch(name)]
        for name in names:
            path = os.path.join(folder, name)
            with contextlib.suppress(OSError):
                descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
                try:
                    if _lock(descriptor):
                        os.unlink(path)
                finally:
                    os.close(descriptor)


def _keep_mode(descriptor: int, temporary: str, found: os.stat_result) -> None:
    if hasattr(os, "fchown"):
        with contextlib.suppress(OSError):  # only the superuser may give files away
            if (found.st_uid, found.st_gid) != (os.geteuid(), os.getegid()):
                os.fchown(descriptor, found.st_uid, found.st_gid)
    os.chmod(temporary, stat.S_IMODE(found.st_mode))


def _sync_folder(folder: str) -> None:
    """Bring the rename itself to the disk, where the system lets a folder be opened."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
