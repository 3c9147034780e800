"""The cache on disk: files that this machine can make again, in folders for each kind.

`read` and `write` are for kernels (`jit.py`), for code of texts (`texts.py`) and for results of
trials (`compiler/trials.py`). The name of a file says all that its content depends on, so none is
ever stale. Safe against concurrent writers (a file appears whole, by renaming), truncated or
foreign files (a checksum at the front) and folders that cannot be written (then nothing is kept).
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from pathlib import Path

MAGIC = b"rushlight kernel 2\n"
KINDS = {"kernels": ".o", "texts": ".code"}  # what the names of their files have in them
refused: list[str] = []  # files that were damaged or foreign, or could not be written


def base() -> Path | None:
    """Where all is kept: RUSHLIGHT_CACHE, else in the user's cache folder; None: nowhere."""
    named = os.environ.get("RUSHLIGHT_CACHE")
    if named is not None:
        return Path(named) if named else None
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA")
    elif sys.platform == "darwin":
        home = os.path.expanduser("~/Library/Caches")
    else:
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(home) / "rushlight" if home and not home.startswith("~") else None


def folder(kind: str) -> Path | None:
    """Where files of a kind are kept; None: nowhere."""
    place = base()
    return None if place is None else place / kind


def kept_files(kind: str) -> list[Path]:
    """The files of a kind, half-written ones of ended processes among them."""
    place = folder(kind)
    if place is None or not place.is_dir():
        return []
    return sorted(p for p in place.iterdir() if KINDS[kind] in p.name and p.is_file())


def clear(kind: str) -> int:
    """Remove all files of a kind; what is in memory stays. Returns how many files went."""
    gone = 0
    for path in kept_files(kind):
        path.unlink(missing_ok=True)
        gone += 1
    return gone


def checksum(path: Path, content: bytes) -> bytes:
    """Over the content and the name that it is kept under, which stands for what it is: code under
    another kernel's name would be called with arguments that are not its own."""
    return hashlib.sha256(path.name.encode() + content).digest()


def read(path: Path) -> bytes | None:
    """What a file holds; None when there is none, or a damaged one."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    head = len(MAGIC) + 32
    if data[: len(MAGIC)] != MAGIC or checksum(path, data[head:]) != data[len(MAGIC) : head]:
        refused.append(str(path))
        return None
    return data[head:]


def write(path: Path, content: bytes) -> None:
    """Keep something; a folder that cannot be written is no error, the next process makes it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(MAGIC + checksum(path, content) + content)
        temporary.replace(path)
    except OSError as error:
        refused.append(f"{path}: {error}")
        temporary.unlink(missing_ok=True) if path.parent.is_dir() else None
