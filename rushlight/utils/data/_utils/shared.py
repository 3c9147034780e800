"""Blocks of shared memory that go round between two processes, and arrays that lease them.

The memory is `rushlight.shared_memory`'s: on Linux a file without a name, whose descriptor travels
over the connection and is closed when it is mapped. So a block costs no descriptor, and nothing is
left behind by a crash.

An array on a block keeps a *lease* of it alive. When the last array (or view of one) dies, the
lease says so, and the owner of the block may write to it again. That is why these arrays are not
parts in the sense of `shared_memory.part_of`: to share one with a third process it is copied.

Not here: what is written into blocks (`transport.py`), who sends them (`process_pool.py`).
"""

from __future__ import annotations

import contextlib
import mmap
import os
import secrets
import socket
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ....shared_memory import blocks

PAGE = mmap.PAGESIZE
BUFFER = 256 << 10  # bytes: macOS gives a socket 8 KiB by default


class Block:
    """A piece of shared memory, mapped here. `bytes` is a uint8 array of all of it."""

    __slots__ = ("_memory", "address", "bytes", "size")

    def __init__(self, memory: Any, size: int) -> None:
        self._memory = memory
        self.size = size
        if isinstance(memory, mmap.mmap):
            self.bytes: Any = np.frombuffer(memory, np.uint8)
            self.address: int = self.bytes.__array_interface__["data"][0]
        else:
            self.address = memory.address
            self.bytes = np.asarray(_Part(memory, self.address, size))

    @classmethod
    def make(cls, size: int) -> Block:
        """A new block of at least `size` bytes."""
        size = max(PAGE, -(-size // PAGE) * PAGE)
        return cls(blocks.Block.create(size), size)

    def send(self, connection: Any) -> None:
        """Let the other end map this block: `receive` there."""
        memory = self._memory
        if sys.platform == "win32":
            connection.send_bytes(memory.link.encode())
            return
        fd = os.open(memory.link, os.O_RDWR) if memory.fd < 0 else memory.fd
        try:
            with _socket(connection) as wire:
                socket.send_fds(wire, [b"b"], [fd])
        finally:
            if fd != memory.fd:
                os.close(fd)

    @classmethod
    def receive(cls, connection: Any, size: int, private: bool = False) -> Block:
        """Map the block that the other end sends; `private` keeps what is written here here."""
        key = secrets.token_hex(8)
        if sys.platform == "win32":
            name = connection.recv_bytes().decode()
            if private:
                return cls(mmap.mmap(-1, size, tagname=name, access=mmap.ACCESS_COPY), size)
            return cls(blocks.Block(key, size, -1, name), size)
        with _socket(connection) as wire:
            got, fds, _, _ = socket.recv_fds(wire, 1, 1)
        if not got or not fds:
            raise EOFError
        if private:
            with contextlib.closing(os.fdopen(fds[0], "rb")):
                access = mmap.PROT_READ | mmap.PROT_WRITE
                return cls(mmap.mmap(fds[0], size, mmap.MAP_PRIVATE, access), size)
        block = cls(blocks.Block(key, size, fds[0]), size)
        block.sent()
        return block

    def sent(self) -> None:
        """Nobody else will be sent this block, so its descriptor may go."""
        # Elsewhere than on Linux one that is closed while it travels may arrive dead.
        if sys.platform == "linux" and self._memory.fd >= 0:
            os.close(self._memory.fd)
            self._memory.fd = -1


class Lease:
    """One use of a block, over when the last of its arrays dies; then `ended(token)` is called.

    That may happen on any thread and inside any call, so `ended` should do no more than take note.
    """

    __slots__ = ("block", "ended", "token")

    def __init__(self, block: Block, ended: Callable[[Any], None], token: Any) -> None:
        self.block, self.ended, self.token = block, ended, token

    def array(self, offset: int, nbytes: int) -> np.ndarray:
        """A writable uint8 array of a part of the block, its own root: views of it end there."""
        return np.asarray(_Part(self, self.block.address + offset, nbytes))

    def __del__(self) -> None:
        self.ended(self.token)


class _Part:
    """What NumPy asks for an array's memory, and then holds as the array's base."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, owner: Any, address: int, nbytes: int) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "data": (address, False),
            "shape": (nbytes,),
            "typestr": "|u1",
            "version": 3,
        }


def _socket(connection: Any) -> socket.socket:
    """The connection as a socket, through a descriptor of its own."""
    wire = socket.socket(fileno=os.dup(connection.fileno()))
    wire.setblocking(True)
    return wire


def roomy(connection: Any) -> None:
    """Make room in a connection for all messages that are under way at once."""
    if sys.platform != "win32":
        with _socket(connection) as wire, contextlib.suppress(OSError):
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
