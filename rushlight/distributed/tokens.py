"""The secret of a job: who knows it may read its store and join it.

Three ways lead to it. A launcher gives it to its children in
RUSHLIGHT_JOB_TOKEN. Processes of one user on one machine that were
started one by one find it in a file that only this user can read, under the store's port. Processes
on several machines that were started by hand are given the same RUSHLIGHT_JOB_TOKEN by hand.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import stat
import tempfile
from pathlib import Path

VARIABLE = "RUSHLIGHT_JOB_TOKEN"


def own() -> str:
    """The token that this process was given; "" when it was given none."""
    return os.environ.get(VARIABLE, "")


def folder() -> Path:
    """Where this user's tokens lie; made for this user alone.

    Raises:
        PermissionError: somebody else made it, or may read it.
    """
    user = str(os.getuid()) if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    path = Path(tempfile.gettempdir()) / f"rushlight-{user}"
    path.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid"):
        found = path.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
            raise PermissionError(f"{path} is not a folder of this user alone; remove it")
    return path


def leave(port: int, token: str) -> None:
    """Put the token where this user's other processes on this machine find it, until the end of
    this one."""
    path = folder() / f"store-{port}"
    new = path.with_name(f"{path.name}.{os.getpid()}")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(token)
    os.replace(new, path)
    atexit.register(forget, path, token)


def forget(path: Path, token: str) -> None:
    """Remove a token's file, unless another job has written there since."""
    with contextlib.suppress(OSError):
        if path.read_text() == token:
            path.unlink()


def found(port: int) -> str:
    """The token of the store at a port: this process's own, or what its keeper has left; "" when
    there is neither, which no store takes."""
    token = own()
    if not token:
        with contextlib.suppress(OSError):
            token = (folder() / f"store-{port}").read_text()
    return token
