"""How a shared block gets to another process: a handle that any pipe can carry.

With file descriptors (Linux) the sender keeps the block in a cloakroom, and the handle is a ticket
for it: an address and an unguessable token. Whoever unpickles the handle shows the ticket at the
sender's socket and gets the descriptor, and the cloakroom lets go. A sender that ends first leaves
what was not fetched under names made of the tokens, so a worker may put a result and exit.

With names (strategy "file_system", and macOS) the handle is a hard link to the block's file, which
the receiver renames to its own. On Windows a duplicated handle keeps the mapping alive meanwhile.

Importing this file teaches `multiprocessing` to carry parts of blocks. Read `blocks.py`
first.
"""

from __future__ import annotations

import contextlib
import errno
import multiprocessing.process
import os
import secrets
import shutil
import socket
import struct
import tempfile
import threading
from multiprocessing import reduction, util
from typing import Any

from ..errors import message
from . import blocks
from .blocks import WINDOWS, Block, Part

_TOKEN = 16  # bytes
_PATIENCE = 60.0  # seconds until a sender that does not answer counts as gone


def send(block: Block) -> tuple[Any, ...]:
    """A handle to the block; it can be received once."""
    if WINDOWS:
        return block.key, block.nbytes, "mapping", _duplicate(block)
    if block.fd >= 0:
        address, token = cloakroom.leave(block)
        return block.key, block.nbytes, "ticket", (address, token)
    name = blocks.message_link(secrets.token_hex(_TOKEN))
    os.link(block.link, name)
    return block.key, block.nbytes, "name", name


def receive(key: str, size: int, kind: str, handle: Any) -> Block:
    """The block of a handle: the one this process has already, or a new mapping of it."""
    block = Block.find(key)
    if kind == "mapping":
        block = block or Block(key, size, -1, f"rushlight-{key}")
        _close(handle)
        return block
    if kind == "name":
        if block is None:
            fd = _opened(handle)
            link = blocks.own_link(key)
            os.rename(handle, link)
            return Block(key, size, fd, link)
        with contextlib.suppress(OSError):
            os.unlink(handle)
        return block
    fd = fetch(*handle)
    if block is None:
        return Block(key, size, fd)
    os.close(fd)
    return block


class Cloakroom:
    """Blocks that were sent and not fetched yet, and the thread that hands them out."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self.lock = threading.Lock()
        self.waiting: dict[bytes, Block] = {}
        self.left: dict[bytes, str] = {}  # names under which blocks were left at exit
        self.address = ""
        self.socket: socket.socket | None = None

    def leave(self, block: Block) -> tuple[str, bytes]:
        """Keep a block; (address, token) fetches it."""
        token = secrets.token_bytes(_TOKEN)
        with self.lock:
            self.waiting[token] = block
            if self.socket is None:
                self._open()
            return self.address, token

    def _open(self) -> None:
        # An abstract address: nothing on a disk that a killed process could leave behind.
        self.address = f"rushlight-{os.getpid()}-{secrets.token_hex(8)}"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.bind("\0" + self.address)
        self.socket.listen(128)
        threading.Thread(
            target=self._serve, args=(self.socket,), name="rushlight-handover", daemon=True
        ).start()

    def _serve(self, listening: socket.socket) -> None:
        while True:
            try:
                visitor, _ = listening.accept()
            except OSError:  # too many open files; or a visitor that went away
                if not blocks.more_descriptors():
                    threading.Event().wait(0.01)
                continue
            try:  # a thread each: a visitor that is stopped in the middle keeps nobody waiting
                threading.Thread(target=self._hand_out, args=(visitor,), daemon=True).start()
            except RuntimeError:  # the interpreter is ending
                self._hand_out(visitor)

    def _hand_out(self, visitor: socket.socket) -> None:
        with visitor, contextlib.suppress(OSError):
            visitor.settimeout(_PATIENCE)
            if not _is_ours(visitor):
                return
            token = visitor.recv(_TOKEN, socket.MSG_WAITALL)
            with self.lock:
                block = self.waiting.get(token)
            if block is None:
                return
            socket.send_fds(visitor, [b"+"], [block.fd])
            if visitor.recv(1) != b"+":
                return  # it had no room for a descriptor, and may come again
            with self.lock:
                self.waiting.pop(token, None)
                name = self.left.pop(token, "")
            if name:
                os.unlink(name)

    def leave_at_exit(self, pid: int) -> None:
        """Give every block that nobody fetched a name, for receivers that come too late."""
        if pid != os.getpid() or multiprocessing.process.parent_process() is None:
            return  # nobody outlives the first process
        with self.lock:
            for token, block in self.waiting.items():
                self.left[token] = name = blocks.message_link(token.hex())
                with contextlib.suppress(OSError):
                    _name_file(block, name)

    def after_fork(self) -> None:
        """What the parent keeps is not the child's; and a copy of its socket would let visitors
        in whom nobody serves."""
        if self.socket is not None:
            self.socket.close()
        self._forget()


cloakroom = Cloakroom()


def fetch(address: str, token: bytes) -> int:
    """The descriptor of a ticket: from the sender, or from where it was left."""
    sender = int(address.split("-")[1])
    try:
        fd = _shown(address, token)
        if fd is None and blocks.more_descriptors():
            fd = _shown(address, token)
    except OSError as e:
        if e.errno == errno.EMFILE and blocks.more_descriptors():
            return fetch(address, token)
        fd = -1
    if fd is None:
        what = "no descriptor is left for shared memory of another process"
        got = f"a tensor of process {sender}; too many open files"
        raise RuntimeError(message(what, got, None, blocks.MORE_FILES))
    if fd >= 0:
        return fd
    tail = f"-message-{sender}-{token.hex()}"
    for place in (blocks.folder(), tempfile.gettempdir()):
        path = os.path.join(place, f"rushlight-{blocks.TREE}{tail}")
        if os.path.exists(path):
            fd = _opened(path)
            os.unlink(path)
            return fd
    raise FileNotFoundError(
        message(
            f"shared memory of process {sender} cannot be fetched",
            "a tensor whose sender was killed before it was received, or one received twice",
            "a sender that lives, or ends by itself",
            "send again",
        )
    )


def _shown(address: str, token: bytes) -> int | None:
    """What the sender gives for a ticket: a descriptor, or -1 for nothing. None where this process
    may not have one more."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.settimeout(_PATIENCE)
        while True:
            try:
                s.connect("\0" + address)
                break
            except BlockingIOError:  # more visitors than may wait in line
                threading.Event().wait(0.01)
        if not _is_ours(s):
            return -1
        s.sendall(token)
        answer, fds, _, _ = socket.recv_fds(s, 1, 1)
        if not answer:
            return -1
        if not fds:
            return None
        s.sendall(b"+")
        with contextlib.suppress(OSError):
            s.recv(1)  # the sender hangs up once the ticket is used up
    os.set_inheritable(fds[0], False)
    return fds[0]


# -- the pieces ----------------------------------------------------------------------------------


def _is_ours(s: socket.socket) -> bool:
    """Whether the other end belongs to the same user: anyone may connect to an abstract address."""
    size = struct.calcsize("3i")
    _, uid, _ = struct.unpack("3i", s.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return bool(uid == os.getuid())


def _opened(path: str) -> int:
    fd = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    if os.fstat(fd).st_uid != os.getuid():
        os.close(fd)
        raise PermissionError(f"{path} belongs to another user")
    return fd


def _name_file(block: Block, name: str) -> None:
    source = f"/proc/self/fd/{block.fd}"
    there = os.open(os.path.dirname(name), os.O_DIRECTORY)
    try:
        # A directory makes Python call linkat, which alone can name an unnamed file.
        os.link(source, name, src_dir_fd=there, follow_symlinks=True)
    except OSError:
        # A memfd cannot be named; there was no room in memory, so a copy goes to the disk.
        copy = os.path.join(tempfile.gettempdir(), os.path.basename(name))
        with open(source, "rb") as data, open(copy, "xb", opener=_private) as file:
            shutil.copyfileobj(data, file)
    finally:
        os.close(there)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _duplicate(block: Block) -> Any:
    import _winapi

    api: Any = _winapi
    handle = api.OpenFileMapping(api.FILE_MAP_READ, False, block.link)
    return reduction.DupHandle(handle, api.FILE_MAP_READ)  # type: ignore[attr-defined]


def _close(duplicate: Any) -> None:
    import _winapi

    _winapi.CloseHandle(duplicate.detach())  # type: ignore[attr-defined]


def rebuild_part(block: Block, offset: int, size: int) -> Part:
    """A part as it arrives. Holding its root array keeps one array for all that follow."""
    return Part(block, offset, size)


def _reduce_block(block: Block) -> Any:
    return receive, send(block)


def _reduce_part(part: Part) -> Any:
    # The pickler remembers the block, so the parts of one message share one ticket.
    return rebuild_part, (part.block, part.offset, part.nbytes)


reduction.ForkingPickler.register(Block, _reduce_block)
reduction.ForkingPickler.register(Part, _reduce_part)


def _register_exit(_: Any = None) -> None:
    # Now, not at the first ticket: that may be drawn while finalizers run (queues send at -5).
    util.Finalize(None, cloakroom.leave_at_exit, args=(os.getpid(),), exitpriority=-50)


_register_exit()
util.register_after_fork(cloakroom, _register_exit)  # a forked child starts without finalizers
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=cloakroom.after_fork)
