"""Unpacking archives from strangers: nothing is written outside the folder that was named.

Not here: where archives come from (`utils/download.py`), and torchvision's names (`utils.py`).
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import stat
from collections.abc import Iterator
from typing import IO, Any

from ...errors import message

_ALIASES = {".tbz": ".tar.bz2", ".tbz2": ".tar.bz2", ".tgz": ".tar.gz", ".txz": ".tar.xz"}
_ARCHIVES = (".tar", ".zip")
_PACKINGS = (".bz2", ".gz", ".xz")


def kind_of(path: str | os.PathLike[str]) -> tuple[str, str | None, str | None]:
    """The ending of a file name, and the archive and the packing it stands for.

    >>> kind_of("a.tgz"), kind_of("b.tar"), kind_of("c.txt.gz")
    (('.tgz', '.tar', '.gz'), ('.tar', '.tar', None), ('.gz', None, '.gz'))
    """
    endings = pathlib.PurePath(path).suffixes
    last = endings[-1] if endings else ""
    if last in _ALIASES:
        archive, packing = _ALIASES[last][:4], _ALIASES[last][4:]
        return last, archive, packing
    if last in _ARCHIVES:
        return last, last, None
    if last in _PACKINGS:
        if len(endings) > 1 and endings[-2] in _ARCHIVES:
            return endings[-2] + last, endings[-2], last
        return last, None, last
    raise RuntimeError(
        message(
            f"Unknown compression or archive type: '{last}'" if last else f"'{path}' has no suffix",
            got=os.fspath(path),
            wanted="a name ending in one of "
            + " ".join(sorted([*_ALIASES, *_ARCHIVES, *_PACKINGS])),
        )
    )


@contextlib.contextmanager
def taking_turns(folder: str | os.PathLike[str]) -> Iterator[None]:
    """Hold a folder while files are put there: the processes of one training all ask for them.

    Without it one would read a file while another unpacks it once more. The lock is on the folder
    itself and leaves nothing behind; where the system has no such locks there is none.
    """
    os.makedirs(folder, exist_ok=True)
    try:
        import fcntl
    except ImportError:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some network disks have no locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def opener(packing: str) -> Any:
    """`open` for files packed as `.gz`, `.bz2` or `.xz`."""
    import bz2
    import gzip
    import lzma

    return {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}[packing]


def unpack(source: str, target: str, packing: str) -> None:
    """Write the content of a packed file to `target`, whole or not at all."""
    import lzma
    import zlib

    from ...serialization.atomic import replacing

    try:
        with opener(packing)(source, "rb") as packed, replacing(target) as plain:
            shutil.copyfileobj(packed, plain, 1 << 20)
    except (EOFError, zlib.error, lzma.LZMAError, OSError) as error:
        # A file of the disk has an errno; what is wrong with the packed data has none.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise _broken(source, error) from error


def extract(source: str, folder: str, archive: str, packing: str | None) -> None:
    """Extract a tar or zip archive into `folder`.

    Raises:
        RuntimeError: the archive is broken, or a member's name leads out of the folder. Members
            before it are there.
    """
    import lzma
    import tarfile
    import zipfile
    import zlib

    refused = getattr(tarfile, "FilterError", _Outside)  # new in Python 3.11.4
    os.makedirs(folder, exist_ok=True)
    try:
        if archive == ".tar":
            _tar(source, folder, packing)
        else:
            _zip(source, folder, packing)
    except (refused, _Outside) as error:
        raise RuntimeError(
            message(
                f"{source} was not extracted: a member leads outside the folder",
                got=str(error),
                wanted=f"names below {folder}",
                hint="another source of the file: archives of data have no such members",
            )
        ) from error
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, lzma.LZMAError) as error:
        raise _broken(source, error) from error


class _Outside(Exception):
    """A member's name that leads out of the folder."""


def _tar(source: str, folder: str, packing: str | None) -> None:
    import tarfile

    mode = f"r:{packing[1:]}" if packing else "r:*"
    with tarfile.open(source, mode) as tar:  # type: ignore[call-overload]
        if hasattr(tarfile, "data_filter"):
            tar.extractall(folder, filter="data")
            return
        for member in tar:  # a Python from before the filter, and the same rules
            _below(folder, member.name)
            if member.islnk():
                _below(folder, member.linkname)
            elif member.issym():
                _below(folder, os.path.join(os.path.dirname(member.name), member.linkname))
            elif not (member.isfile() or member.isdir()):
                raise _Outside(f"{member.name} is no file, folder or link")
            tar.extract(member, folder, set_attrs=False)


def _zip(source: str, folder: str, packing: str | None) -> None:
    import zipfile

    if packing is not None:
        with opener(packing)(source, "rb") as packed:
            _zip_members(packed, folder)
        return
    if not zipfile.is_zipfile(source):
        raise zipfile.BadZipFile("it is no zip file")
    with open(source, "rb") as file:
        _zip_members(file, folder)


def _zip_members(file: IO[bytes], folder: str) -> None:
    import zipfile

    from ...serialization.atomic import replacing

    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            target = _below(folder, member.filename)
            if stat.S_ISLNK(member.external_attr >> 16):
                raise _Outside(f"{member.filename} is a link")
            if member.is_dir():
                os.makedirs(target, exist_ok=True)
                continue
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with archive.open(member) as packed, replacing(target) as plain:
                shutil.copyfileobj(packed, plain, 1 << 20)


def _below(folder: str, name: str) -> str:
    """Where a member belongs; `_Outside` if that is not below `folder`, links included."""
    base = os.path.realpath(folder)
    target = os.path.realpath(os.path.join(base, name.replace("\\", "/")))
    if os.path.isabs(name) or os.path.commonpath([base, target]) != base or ":" in name[:2]:
        raise _Outside(name)
    return target


def _broken(source: str, error: Exception) -> RuntimeError:
    return RuntimeError(
        message(
            f"{source} is corrupted",
            got=f"{type(error).__name__}: {error}",
            hint="deleting it, and download=True",
        )
    )
