"""One connection to a job's book-keeper: connect, prove the token, ask."""

from __future__ import annotations

import hmac
import os
import socket
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

from ..errors import message
from . import wire
from .errors import DistNetworkError, DistStoreError


class Client:
    """Asks the server at `host`:`port`; any thread may, one question at a time.

    Raises:
        DistNetworkError: nobody answers there within `timeout` seconds, or not one of this job.
    """

    def __init__(
        self, host: str, port: int, token: str | Callable[[], str], timeout: float
    ) -> None:
        self.lock = threading.Lock()
        self.address = (host, port)
        self.how = (host, port, token, timeout)
        self.forked = False
        self.sock = connected(*self.how)
        clients.add(self)

    def ask(
        self, command: str, *fields: bytes | str | int | float, wait: float = 0.0
    ) -> list[bytes]:
        """The answer's fields behind "ok"; a question that waits gives its seconds in `wait`.

        Raises:
            TimeoutError: the server says that the time is over; its `args` are the answer's fields.
            DistStoreError: the server refuses.
            DistNetworkError: the connection has ended.
        """
        body = wire.packed(
            [f if isinstance(f, bytes) else str(f).encode() for f in (command, *fields)]
        )
        try:
            with self.lock:
                if self.forked:  # the connection was the parent's
                    self.sock, self.forked = connected(*self.how), False
                # The server ends a wait; this limit is for a server that hangs.
                self.sock.settimeout(wait + 60.0)
                self.sock.sendall(body)
                (size,) = wire.LENGTH.unpack(received(self.sock, wire.LENGTH.size))
                kind, *rest = wire.unpacked(received(self.sock, size))
        except OSError as why:
            raise DistNetworkError(
                message(
                    f"the store at {self.address[0]}:{self.address[1]} does not answer",
                    got=f"{type(why).__name__}: {why}",
                    hint="the process that keeps it (rank 0) has ended; its output says why",
                )
            ) from why
        if kind == b"timeout":
            raise TimeoutError(*rest)
        if kind != b"ok":
            raise DistStoreError(rest[0].decode(errors="replace") if rest else "the store refuses")
        return rest

    def lend_to_mpi(self, rank: int) -> int:
        """Give the connection to an MPI library: the number of its socket, which stays open."""
        self.ask("pmi", rank)
        self.sock.settimeout(None)
        return self.sock.fileno()

    def close(self) -> None:
        """End the connection."""
        try:  # noqa: SIM105  # at the end of the program modules are gone, contextlib as well
            self.sock.close()
        except OSError:
            pass

    def __del__(self) -> None:
        if "sock" in self.__dict__:
            self.close()


# A forked child (a loader's worker, say) would keep connections open that end with this process.
clients: weakref.WeakSet[Client] = weakref.WeakSet()


def forked() -> None:
    for client in clients:
        client.lock = threading.Lock()
        client.forked = True
        client.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forked)


def received(sock: socket.socket, size: int) -> bytes:
    """Exactly `size` bytes."""
    parts, missing = [], size
    while missing:
        part = sock.recv(min(missing, 1 << 20))
        if not part:
            raise ConnectionError("the other side has closed the connection")
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def connected(
    host: str, port: int, token: str | Callable[[], str], timeout: float
) -> socket.socket:
    """A socket to a server that knows the token; tries until `timeout` seconds are over. The token
    is asked for when somebody listens: who listens has left it."""
    deadline = time.monotonic() + timeout
    pause = 0.01
    while True:
        try:
            sock = socket.create_connection((host, port), max(0.1, deadline - time.monotonic()))
            break
        except OSError as why:
            if time.monotonic() + pause > deadline:
                raise DistNetworkError(
                    message(
                        f"no store at {host}:{port}",
                        got=f"{type(why).__name__}: {why} for {timeout:g} s",
                        wanted="rank 0 (or the launcher) listening there",
                        hint="the same MASTER_ADDR and MASTER_PORT for all, and a rank 0",
                    )
                ) from why
            time.sleep(pause)
            pause = min(2 * pause, 0.5)
    try:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.settimeout(max(1.0, deadline - time.monotonic()))
        theirs, ours = received(sock, wire.NONCE), os.urandom(wire.NONCE)
        token = token if isinstance(token, str) else token()
        sock.sendall(ours + wire.proof(token, b"client", theirs, ours))
        shown = received(sock, wire.PROOF)
        if not hmac.compare_digest(shown, wire.proof(token, b"server", ours, theirs)):
            raise ConnectionError("it does not know this job's token")
    except OSError as why:
        sock.close()
        raise DistNetworkError(refused(host, port, why)) from why
    return sock


def refused(host: str, port: int, why: Any) -> str:
    return message(
        f"the store at {host}:{port} is of another job, or takes this process for one of another",
        got=f"{type(why).__name__}: {why}",
        wanted="the same token on both sides",
        hint="start all ranks by one command, or give all of them the same secret in "
        "RUSHLIGHT_JOB_TOKEN; another job may be using this port",
    )
