"""Processes that want the same kernel at the same moment: one makes it, the others wait for it.

The ranks of a job come to each kernel together, and so do programs that are started together: four
ranks that each compiled all kernels of a step took four times its CPU time (decision 0055). So
whoever is to make a kernel that is kept on disk takes a lock first: a byte of the file `turns` in
the cache folder, whose place is the kernel's. The operating system gives it back when a process
ends, however it ends.

Where there are no such locks (Windows, some network disks, a folder that cannot be written), each
process makes its own, which is right too and takes longer.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

# Seconds between two looks. A kernel takes 20 ms to a second.
NAP = 2e-3
# Who holds the lock may have been stopped: after so many seconds a process makes its own.
PATIENCE = 20.0


@contextlib.contextmanager
def turn(path: Path) -> Iterator[bool]:
    """Hold the right to make the file `path`. True: another process had it meanwhile, so the file
    may be there by now."""
    file = file_of_turns(path.parent)
    if file is None:
        yield False
        return
    with file:  # closing it gives the lock back
        place = int.from_bytes(hashlib.sha256(path.name.encode()).digest()[:4])
        began = time.monotonic()
        waited = False
        while not taken(file, place) and time.monotonic() - began < PATIENCE:
            waited = True
            time.sleep(NAP)
        yield waited


def file_of_turns(folder: Path) -> IO[bytes] | None:
    """The file whose bytes are locked; None where there is none."""
    if fcntl is None:
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return open(folder / "turns", "ab")
    except OSError:
        return None


def taken(file: IO[bytes], place: int) -> bool:
    """Whether the lock is ours now, or there are no locks here."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
    except (BlockingIOError, PermissionError):  # another process has it: POSIX allows both errors
        return False
    except OSError:
        return True
    return True
