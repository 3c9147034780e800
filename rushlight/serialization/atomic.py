"""Writing a file so that a crash leaves the old content or the new, never half of one."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from typing import IO


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A binary file to write into that takes the place of `path` when the block ends well.

    The bytes go to a temporary file in the same folder, are brought to the disk, and the file is
    then renamed over `path`; the folder is brought to the disk too. If the block raises, `path` is
    as it was. A link is followed, the mode of an existing file is kept, and a device or pipe is
    written to directly.
    """
    target = os.path.realpath(path)
    mode = None
    with contextlib.suppress(FileNotFoundError):
        found = os.stat(target)
        mode = stat.S_IMODE(found.st_mode)
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError(21, "Is a directory", os.fspath(path))
        if not stat.S_ISREG(found.st_mode):
            with open(target, "wb") as direct:
                yield direct
            return
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name[:200]}.{secrets.token_hex(6)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(temporary, flags, 0o666)
    except FileNotFoundError as error:
        raise FileNotFoundError(
            error.errno, f"Parent directory {folder} does not exist", os.fspath(path)
        ) from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(folder)


def _sync_folder(folder: str) -> None:
    """Bring the rename itself to the disk, where the system lets a folder be opened."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
