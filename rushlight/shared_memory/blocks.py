"""Memory that several processes see: NumPy arrays on shared blocks, with a safe lifetime.

A `Block` is a piece of shared memory; a *part* of it is a root array (uint8) that tensors or other
arrays look at. `empty` and `place` make them, `part_of` says whether an array lies on one. A part
goes through any pipe or queue of `multiprocessing` (ForkingPickler carries it; `handles.py` says
how) and is the same memory on the other side: parts that meet again in one process are one array.

    root = place([a])[0]                    # a copy of the array `a` on a block
    queue.put((part_of(root), a.shape))     # the other side: part.array().view(...)

Lifetime. On Linux a block has no name: it is an open file without a directory entry, so the kernel
frees it when the last process dropped or lost it, whatever kills them. Elsewhere, or with the
strategy "file_system", every holder (a process, or a message on its way) has a hard link of its
own to the block's file; the last link that goes frees it, and links of the dead are swept away.

Not here: tensors (`multiprocessing/reductions.py`). Nothing imports this file until memory is
shared. Read next: `handles.py`.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import mmap
import os
import secrets
import sys
import tempfile
import threading
import weakref
from collections.abc import Sequence
from multiprocessing import util
from typing import Any

import numpy as np

from ..array_memory import root
from ..errors import message

WINDOWS = sys.platform == "win32"
STRATEGIES = {"file_descriptor", "file_system"} if sys.platform == "linux" else {"file_system"}
strategy = "file_descriptor" if "file_descriptor" in STRATEGIES else "file_system"

MORE_FILES = "ulimit -n 4096, or multiprocessing.set_sharing_strategy('file_system')"
_ALIGN = 64
_MEMORY_FOLDER = "/dev/shm" if os.path.isdir("/dev/shm") else ""

# The first process that shares memory names the tree; its children inherit the name.
_ROOT = "RUSHLIGHT_SHARED_ROOT" not in os.environ
TREE = os.environ.setdefault("RUSHLIGHT_SHARED_ROOT", f"{os.getpid()}-{secrets.token_hex(4)}")


def empty(size: int) -> np.ndarray:
    """A root array of `size` bytes on a block of its own.

    >>> part_of(empty(8)).nbytes
    8
    """
    return Part(Block.create(size), 0, size).array()


def place(arrays: Sequence[Any]) -> list[np.ndarray]:
    """Copies of whole arrays side by side on one block, each a root (uint8) of its own.

    One block costs one file descriptor and one handover, however many arrays it holds.

    >>> [r.nbytes for r in place([np.zeros(3), np.ones(2, np.int8)])]
    [24, 2]
    """
    starts, end = [], 0
    for a in arrays:
        starts.append(end)
        end += -(-max(a.nbytes, 1) // _ALIGN) * _ALIGN
    block = Block.create(end)
    roots = [Part(block, at, a.nbytes).array() for at, a in zip(starts, arrays, strict=True)]
    for fresh, a in zip(roots, arrays, strict=True):
        if a.nbytes:
            np.ndarray(a.shape, a.dtype, fresh)[...] = a
    return roots


def part_of(a: Any) -> Part | None:
    """The part of a block that the memory of `a` is; None when it is private memory.

    >>> part_of(np.zeros(3)) is None
    True
    """
    base = root(a).base
    return base if base.__class__ is Part else None


class Part:
    """A range of a block. `array()` is the one root array of it in this process."""

    def __init__(self, block: Block, offset: int, size: int) -> None:
        self.block, self.offset, self.nbytes = block, offset, size

    @property
    def __array_interface__(self) -> dict[str, Any]:
        start = self.block.address + self.offset
        return {"data": (start, False), "shape": (self.nbytes,), "typestr": "|u1", "version": 3}

    def array(self) -> np.ndarray:
        """The bytes (uint8); the same array whoever asks, as long as somebody holds it."""
        where = (self.block.key, self.offset)
        with _lock:
            found = _roots.get(where)
            if found is None:
                # NumPy keeps this Part as the array's base, and so the block alive.
                found = _roots[where] = np.asarray(self)
        return found

    def __reduce__(self) -> Any:
        raise TypeError(
            message(
                "shared memory cannot be pickled outside of multiprocessing",
                "a part of a shared block",
                "a queue, pipe or argument of a process",
                "pickle a copy of the values",
            )
        )


class Block:
    """Shared memory of a size, mapped into this process until the last array on it is gone."""

    def __init__(self, key: str, size: int, fd: int, link: str = "") -> None:
        """Map the open file `fd`. `link` is this process's name of it ("" without names)."""
        self.key, self.nbytes, self.link, self._pid = key, size, link, os.getpid()
        self.fd = fd
        self._keep: Any = None
        if WINDOWS:
            named: Any = mmap.mmap
            self._keep = named(-1, max(size, 1), tagname=link)
            self.address = ctypes.addressof(ctypes.c_char.from_buffer(self._keep))
        else:
            self.address = _map(fd, max(size, 1))
            if link:  # a name is enough: descriptors are few
                os.close(fd)
                self.fd = -1
        with _lock:
            _blocks[key] = self

    @classmethod
    def create(cls, size: int) -> Block:
        """Fresh zeroed memory under the current strategy; MemoryError when there is not enough."""
        try:
            return cls._make(size)
        except OSError as e:
            what = "cannot make shared memory"
            if e.errno == errno.EMFILE:
                if more_descriptors():
                    return cls.create(size)
                raise RuntimeError(message(what, f"{size} bytes: {e}", None, MORE_FILES)) from e
            hint = f"fewer or smaller tensors, or more room in {folder()}"
            raise MemoryError(message(what, f"{size} bytes: {e}", None, hint)) from e

    @classmethod
    def _make(cls, size: int) -> Block:
        key = secrets.token_hex(8)
        if WINDOWS:
            return cls(key, size, -1, f"rushlight-{key}")
        if strategy == "file_system":
            _sweep_the_dead()
            link = own_link(key)
            fd = os.open(link, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                _reserve(fd, size)
            except OSError:
                os.close(fd)
                os.unlink(link)
                raise
            return cls(key, size, fd, link)
        return cls(key, size, _unnamed(size))

    @staticmethod
    def find(key: str) -> Block | None:
        """The block of this key if this process holds it."""
        with _lock:
            return _blocks.get(key)

    def __del__(self) -> None:
        if WINDOWS or not hasattr(self, "address") or _libc is None:
            return
        _libc.munmap(self.address, max(self.nbytes, 1))
        if self.fd >= 0:
            os.close(self.fd)
        if self.link and self._pid == os.getpid():
            _unlink(self.link)

    def _after_fork(self) -> None:
        """The child holds the block too: it needs a link of its own."""
        self._pid = os.getpid()
        if self.link and not WINDOWS:
            mine = own_link(self.key)
            with contextlib.suppress(OSError):  # the parent dropped it: mapped, but nameless
                os.link(self.link, mine)
            self.link = mine


# -- the pieces ----------------------------------------------------------------------------------

_lock = threading.RLock()
_blocks: weakref.WeakValueDictionary[str, Block] = weakref.WeakValueDictionary()
_roots: weakref.WeakValueDictionary[tuple[str, int], np.ndarray] = weakref.WeakValueDictionary()

if not WINDOWS:
    _libc = ctypes.CDLL(None, use_errno=True)
    _libc.mmap.restype = ctypes.c_void_p
    _libc.mmap.argtypes = [
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_longlong,
    ]
    _libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


def _map(fd: int, size: int) -> int:
    # Not the module mmap: its objects keep a second descriptor each.
    at = _libc.mmap(None, size, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED, fd, 0)
    if at is None or at == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "mmap failed")
    return int(at)


def _reserve(fd: int, size: int) -> None:
    """Size the file, and have the pages now: a full /dev/shm is an error here, later a SIGBUS."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(fd, 0, max(size, 1))
    else:
        os.ftruncate(fd, max(size, 1))


def _unnamed(size: int) -> int:
    """An open file in memory that no folder lists."""
    try:
        # Unlike a memfd such a file can be given a name later (handles.py needs that).
        fd = os.open(_MEMORY_FOLDER, os.O_TMPFILE | os.O_RDWR, 0o600)
    except (OSError, AttributeError):
        fd = -1
    if fd >= 0:
        try:
            _reserve(fd, size)
            return fd
        except OSError:  # containers often have a tiny /dev/shm; a memfd is not counted there
            os.close(fd)
    if size > os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"):
        # Nothing limits a memfd: reserving would take all the memory there is first.
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
    fd = os.memfd_create("rushlight")
    try:
        _reserve(fd, size)
    except OSError:
        os.close(fd)
        raise
    return fd


def more_descriptors() -> bool:
    """Raise the process's limit of open files to what it may be; whether that gave any."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 1 << 16 if hard == resource.RLIM_INFINITY else min(hard, 1 << 16)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return False
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        return True
    return False


def folder() -> str:
    """Where named blocks and messages lie."""
    return _MEMORY_FOLDER or tempfile.gettempdir()


def own_link(key: str) -> str:
    """This process's name of a block."""
    return os.path.join(folder(), f"rushlight-{TREE}-{key}-{os.getpid()}")


def message_link(token: str) -> str:
    """The name of a block in a message that is on its way."""
    return os.path.join(folder(), f"rushlight-{TREE}-message-{os.getpid()}-{token}")


def _unlink(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            state = file.read().rpartition(")")[2].split()[0]
    except (OSError, IndexError):  # no /proc
        return True
    return state not in "ZX"  # a zombie whom nobody collects has no memory


_swept = False


def _sweep_the_dead() -> None:
    """Once a process: remove links of trees whose first process was killed, and of processes of
    this tree that were."""
    global _swept
    if _swept:
        return
    _swept = True
    for name in os.listdir(folder()):
        fields = name.split("-")
        if fields[0] != "rushlight" or len(fields) < 5 or not fields[1].isdigit():
            continue
        if f"{fields[1]}-{fields[2]}" == TREE:
            gone = fields[3] != "message" and not _alive(int(fields[4]))
        else:
            gone = not _alive(int(fields[1])) and not _alive(int(fields[4]))
        if gone:
            _unlink(os.path.join(folder(), name))


def _at_exit(pid: int) -> None:
    """Links go with their process; what nobody fetched goes with the first process of the tree."""
    if WINDOWS or pid != os.getpid():
        return
    for block in list(_blocks.values()):
        if block.link:
            _unlink(block.link)
    if _ROOT:
        with contextlib.suppress(OSError):
            for name in os.listdir(folder()):
                if name.startswith(f"rushlight-{TREE}-"):
                    _unlink(os.path.join(folder(), name))


def _register_exit(_: Any = None) -> None:
    # Children of multiprocessing run finalizers alone; queues still send at -5.
    util.Finalize(None, _at_exit, args=(os.getpid(),), exitpriority=-60)


def _in_child() -> None:
    global _lock, _ROOT
    _lock, _ROOT = threading.RLock(), False
    for block in list(_blocks.values()):
        block._after_fork()


_register_exit()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
util.register_after_fork(sys.modules[__name__], _register_exit)  # it starts without finalizers
