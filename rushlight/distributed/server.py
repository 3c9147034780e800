"""The book-keeper of a job: one thread that keeps values, knows who is there, and makes MPI worlds.

A `Server` listens at one address and serves whoever knows its token (wire.py). It answers three
kinds of questions:

- of stores (stores.py): set, get, add, wait, queues;
- of members, the ranks of a job (world.py): who has come, who was lost (its connection ended
  without a word), what each was doing last, and meeting places with a time limit (`arrive`);
- of MPI libraries that want to become a world (pmi.py).

Everything happens in the server's own thread: `Book` needs no locks. A question that must wait is
parked, and answered when its condition holds or its time is over.
"""

from __future__ import annotations

import builtins
import contextlib
import hmac
import os
import selectors
import socket
import struct
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

from . import pmi, wire

# A client has so long to show that it knows the token, and so many may be about to: more, and those
# that came first are dropped, so that a stranger cannot take all of this process's descriptors.
PATIENCE = 10.0
STRANGERS = 256


class Connection:
    """One client: its socket, what has come in and what is still to go out."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.incoming = bytearray()
        self.outgoing = bytearray()
        self.nonce = os.urandom(wire.NONCE)
        self.known = False  # whether it has shown that it knows the token
        self.pmi_rank: int | None = None  # an MPI library's, with lines of text from now on
        self.member: int | None = None
        self.will: tuple[bytes, bytes] | None = None  # a key and its value, set when this ends
        self.born = time.monotonic()


class Parked:
    """A question that waits until `ready()` gives an answer, or until its time is over."""

    def __init__(
        self,
        connection: Connection,
        ready: Callable[[], list[bytes] | None],
        deadline: float,
        late: Callable[[], list[bytes]],
    ) -> None:
        self.connection, self.ready, self.deadline, self.late = connection, ready, deadline, late


class Member:
    """A rank of the job, as the book knows it."""

    def __init__(self, rank: int, host: str, pid: int) -> None:
        self.rank, self.host, self.pid = rank, host, pid
        self.doing, self.told = b"init_process_group", time.monotonic()
        self.left = False
        self.heard = 0  # news that it knows
        self.lost: str | None = None

    def name(self) -> str:
        return f"rank {self.rank} on {self.host} (process {self.pid})"

    def line(self) -> bytes:
        """Rank, host, process, seconds since it last spoke, state, and what it was doing."""
        state = "lost" if self.lost else "left" if self.left else "there"
        since = time.monotonic() - self.told
        return f"{self.rank}\t{self.host}\t{self.pid}\t{since:.1f}\t{state}\t".encode() + self.doing


class Book:
    """What the server knows. Methods named as commands take the fields of a message; they give the
    answer's fields, or None for a question that was parked."""

    def __init__(self) -> None:
        self.values: dict[bytes, bytes] = {}
        self.queues: dict[bytes, deque[bytes]] = {}
        self.members: dict[int, Member] = {}
        # What members must know: a rank and a text, or a text alone that ends the job. A rank that
        # has ended its program is missed by those alone who wait for it.
        self.news: list[bytes] = []
        self.failure: bytes | None = None
        self.arrived: dict[bytes, builtins.set[int]] = {}
        self.board: pmi.Board | None = None
        self.parked: list[Parked] = []

    def park(self, who: Connection, timeout: bytes, ready: Any, late: Any = None) -> Any:
        """Answer now if `ready()` gives something, otherwise when it does."""
        answer = ready()
        if answer is None:
            deadline = time.monotonic() + float(timeout)
            self.parked.append(Parked(who, ready, deadline, late or (lambda: [b"timeout"])))
        return answer

    # -- values ------------------------------------------------------------------------------------

    def set(self, who: Connection, key: bytes, value: bytes) -> Any:
        self.values[key] = value
        return [b"ok"]

    def get(self, who: Connection, timeout: bytes, key: bytes) -> Any:
        found = lambda: [b"ok", self.values[key]] if key in self.values else None  # noqa: E731
        return self.park(who, timeout, found)

    def add(self, who: Connection, key: bytes, amount: bytes) -> Any:
        try:
            total = int(self.values.get(key, b"0")) + int(amount)
        except ValueError:
            return [b"error", b"add: the value under this key is not a whole number"]
        self.values[key] = str(total).encode()
        return [b"ok", self.values[key]]

    def append(self, who: Connection, key: bytes, value: bytes) -> Any:
        self.values[key] = self.values.get(key, b"") + value
        return [b"ok"]

    def compare_set(self, who: Connection, key: bytes, expected: bytes, wanted: bytes) -> Any:
        now = self.values.get(key)
        if now is None and expected:
            return [b"ok", expected]
        if now is None or now == expected:
            self.values[key] = now = wanted
        return [b"ok", now]

    def check(self, who: Connection, *keys: bytes) -> Any:
        return [b"ok", b"1" if all(k in self.values for k in keys) else b"0"]

    def wait(self, who: Connection, timeout: bytes, *keys: bytes) -> Any:
        there = lambda: [b"ok"] if all(k in self.values for k in keys) else None  # noqa: E731
        missing = lambda: [b"timeout", *(k for k in keys if k not in self.values)]  # noqa: E731
        return self.park(who, timeout, there, missing)

    def delete(self, who: Connection, key: bytes) -> Any:
        return [b"ok", b"1" if self.values.pop(key, None) is not None else b"0"]

    def will(self, who: Connection, key: bytes, value: bytes) -> Any:
        """Set this when the connection ends, however it ends."""
        who.will = key, value
        return [b"ok"]

    def count(self, who: Connection) -> Any:
        return [b"ok", str(len(self.values)).encode()]

    def keys(self, who: Connection) -> Any:
        return [b"ok", *self.values]

    def push(self, who: Connection, key: bytes, value: bytes) -> Any:
        self.queues.setdefault(key, deque()).append(value)
        return [b"ok"]

    def pop(self, who: Connection, timeout: bytes, key: bytes) -> Any:
        def first() -> Any:
            queue = self.queues.get(key)
            return [b"ok", queue.popleft()] if queue else None

        return self.park(who, timeout, first)

    def length(self, who: Connection, key: bytes) -> Any:
        return [b"ok", str(len(self.queues.get(key, ()))).encode()]

    # -- members -----------------------------------------------------------------------------------

    def join(
        self, who: Connection, timeout: bytes, rank: bytes, size: bytes, host: bytes, pid: bytes
    ) -> Any:
        """A rank is there; answered with all hosts when all of them are."""
        r, n = int(rank), int(size)
        if r in self.members or not 0 <= r < n:
            taken = f"rank {r} of {n} has already come" if r in self.members else f"no rank {r}"
            return [b"error", taken.encode()]
        self.members[r] = Member(r, host.decode(), int(pid))
        who.member = r

        def all_there() -> Any:
            if self.failure is not None:
                return [b"error", self.failure]
            if not all(i in self.members for i in range(n)):
                return None
            hosts = [self.members[i].host for i in range(n)]
            if self.board is None:
                self.board = pmi.Board(hosts)
            return [b"ok", *(h.encode() for h in hosts)]

        late = lambda: self.missing(builtins.set(self.members), n)  # noqa: E731
        return self.park(who, timeout, all_there, late)

    def missing(self, there: builtins.set[int], n: int) -> list[bytes]:
        return [b"timeout", *(str(r).encode() for r in range(n) if r not in there)]

    def tell(self, who: Connection, doing: bytes, known: bytes) -> Any:
        """What a member does now; answered with what rank 0 does, which keeps this book, and with
        the news that it does not know yet."""
        if who.member is not None:
            member = self.members[who.member]
            member.doing, member.told = doing or member.doing, time.monotonic()
            member.heard = len(self.news)
        zero = self.members.get(0)
        keeper = b"" if zero is None else f"{zero.name()}\t".encode() + zero.doing
        return [b"ok", keeper, *self.news[int(known) :]]

    def states(self, who: Connection) -> Any:
        return [b"ok", *(m.line() for m in self.members.values())]

    def leave(self, who: Connection, together: bytes) -> Any:
        """A member ends its program, with all others or (b"0") without them."""
        if who.member is not None:
            m = self.members[who.member]
            m.left = True
            if together == b"0":
                text = f"{m.name()} has ended its program, {m.doing.decode(errors='replace')}"
                self.news.append(f"{m.rank}\t{text}".encode())
        return [b"ok"]

    def fail(self, who: Connection, text: bytes) -> Any:
        """A member says that the job cannot go on."""
        self.news.append(b"\t" + text)
        self.failure = self.failure or text
        return [b"ok"]

    def arrive(
        self, who: Connection, timeout: bytes, place: bytes, rank: bytes, *ranks: bytes
    ) -> Any:
        """Meet others: answered when all of `ranks` have come to `place`."""
        there = self.arrived.setdefault(place, builtins.set())
        there.add(int(rank))
        wanted = {int(r) for r in ranks}

        def met() -> Any:
            if wanted <= there:
                return [b"ok"]
            if self.failure is not None:
                return [b"error", self.failure]
            gone = [m for r in wanted - there if (m := self.members.get(r)) and m.left]
            return [b"error", f"{gone[0].name()} has ended its program".encode()] if gone else None

        return self.park(
            who, timeout, met,
            lambda: [b"timeout", *(str(r).encode() for r in sorted(wanted - there))],
        )  # fmt: skip

    def lost(self, who: Connection, rank: int) -> None:
        """A member's connection ended without a word."""
        m = self.members[rank]
        if m.left or m.lost:
            return
        m.lost = "its connection ended"
        since = time.monotonic() - m.told
        doing = m.doing.decode(errors="replace")
        text = f"{m.name()} is gone; it was last seen {since:.1f} s before, {doing}"
        self.fail(who, text.encode())


# What each command is called in a message, and the fewest fields that it takes.
COMMANDS = {
    b"set": 2, b"get": 2, b"add": 2, b"append": 2, b"compare_set": 3, b"check": 0, b"wait": 1,
    b"delete": 1, b"count": 0, b"keys": 0, b"push": 2, b"pop": 2, b"length": 1, b"join": 5,
    b"will": 2, b"tell": 2, b"states": 0, b"leave": 1, b"fail": 1, b"arrive": 3,
}  # fmt: skip


# A forked child (a loader's worker, say) would keep connections open that end with this process.
servers: weakref.WeakSet[Server] = weakref.WeakSet()


def forked() -> None:
    for server in servers:
        for sock in [server.listener, *(c.sock for c in server.connections)]:
            with contextlib.suppress(OSError):
                sock.close()
    servers.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forked)


class Server:
    """Listens at `host`:`port` (0: any free one) and serves clients that know `token`.

    `address` is the pair that clients connect to. The thread is a daemon; `close()` ends it.
    """

    def __init__(self, host: str, port: int, token: str, listener: Any = None) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        if listener is None:
            listener = socket.create_server((host, port), family=family, backlog=1024)
        self.listener = listener
        self.listener.setblocking(False)
        self.address = (host, self.listener.getsockname()[1])
        self.token = token
        self.book = Book()
        self.connections: set[Connection] = set()
        self.strangers: deque[Connection] = deque()  # not known yet, the first to come first
        self.mpi: dict[int, Connection] = {}
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listener, selectors.EVENT_READ, None)
        self.wake, self.woken = socket.socketpair()
        self.woken.setblocking(False)
        self.selector.register(self.woken, selectors.EVENT_READ, self.woken)
        self.closing = False
        servers.add(self)
        self.thread = threading.Thread(target=self.run, name="rushlight-store", daemon=True)
        self.thread.start()

    def close(self) -> None:
        """End the thread and all connections."""
        if not self.closing:
            # in this order: once it is closing, the thread may end by itself and close the socket
            self.wake.send(b"x")
            self.closing = True
            self.thread.join(5)

    def run(self) -> None:
        try:
            while not self.closing:
                for key, _ in self.selector.select(self.next_deadline()):
                    if key.data is None:
                        self.accept()
                    elif isinstance(key.data, Connection):
                        self.serve(key.data)
                self.answer_parked()
                self.forget_strangers()
        finally:
            for connection in list(self.connections):
                self.drop(connection)
            self.selector.unregister(self.listener)
            self.listener.close()
            self.wake.close()
            self.woken.close()
            self.selector.close()

    def next_deadline(self) -> float | None:
        times = [p.deadline for p in self.book.parked]
        if self.strangers:
            times.append(self.strangers[0].born + PATIENCE)
        return max(0.0, min(times) - time.monotonic()) if times else None

    def accept(self) -> None:
        try:
            sock, _ = self.listener.accept()
        except (BlockingIOError, ConnectionError):
            return
        except OSError:  # no descriptor is left: those go whom nobody knows
            self.forget_strangers(0)
            time.sleep(0.01)
            return
        with contextlib.suppress(OSError):
            sock.setblocking(False)
            if sock.family in (socket.AF_INET, socket.AF_INET6):
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = Connection(sock)
            self.connections.add(connection)
            self.strangers.append(connection)
            self.selector.register(sock, selectors.EVENT_READ, connection)
            self.send(connection, connection.nonce)

    def forget_strangers(self, most: int | None = None) -> None:
        """Drop clients that do not introduce themselves."""
        waiting, limit = self.strangers, time.monotonic() - PATIENCE
        most = STRANGERS if most is None else most
        while waiting and (
            waiting[0].known
            or waiting[0] not in self.connections
            or waiting[0].born < limit
            or len(waiting) > most
        ):
            first = waiting.popleft()
            if not first.known:
                self.drop(first)

    def serve(self, c: Connection) -> None:
        """Read what has come, answer what is complete; drop a client that ended or misbehaves."""
        try:
            if c.outgoing:
                self.flush(c)
            try:
                data = c.sock.recv(1 << 18)
            except (BlockingIOError, InterruptedError):
                return
            if not data:
                self.drop(c)
                return
            c.incoming += data
            self.read(c)
        except (OSError, ValueError, TypeError, LookupError, struct.error):
            self.drop(c)

    def read(self, c: Connection) -> None:
        if not c.known:
            self.introduce(c)
            if not c.known:
                return
        while c.pmi_rank is None and len(c.incoming) >= wire.LENGTH.size:
            (size,) = wire.LENGTH.unpack_from(c.incoming)
            if size > wire.LARGEST:
                raise ValueError("too long a message")
            end = wire.LENGTH.size + size
            if len(c.incoming) < end:
                return
            fields = wire.unpacked(bytes(c.incoming[wire.LENGTH.size : end]))
            del c.incoming[:end]
            self.handle(c, fields)
        while c.pmi_rank is not None and b"\n" in c.incoming:
            line, _, rest = bytes(c.incoming).partition(b"\n")
            c.incoming[:] = rest
            self.pmi_line(c, line.decode("ascii"))
        if c.pmi_rank is not None and len(c.incoming) > pmi.LONGEST_LINE:
            raise ValueError("too long a line")

    def introduce(self, c: Connection) -> None:
        """Check that a client knows the token, and show that this server does."""
        size = wire.NONCE + wire.PROOF
        if len(c.incoming) > max(size, wire.LARGEST_UNKNOWN):
            raise ValueError("a client that does not introduce itself")
        if len(c.incoming) < size:
            return
        theirs, shown = bytes(c.incoming[: wire.NONCE]), bytes(c.incoming[wire.NONCE : size])
        del c.incoming[:size]
        wanted = wire.proof(self.token, b"client", c.nonce, theirs)
        if not hmac.compare_digest(shown, wanted):
            raise ValueError("a client that does not know the token")
        c.known = True
        self.send(c, wire.proof(self.token, b"server", theirs, c.nonce))

    def handle(self, c: Connection, fields: list[bytes]) -> None:
        command, *rest = fields
        if command == b"pmi":
            c.pmi_rank = int(rest[0])
            self.mpi[c.pmi_rank] = c
            self.send(c, wire.packed([b"ok"]))
            return
        if command not in COMMANDS or len(rest) < COMMANDS[command]:
            answer: Any = [b"error", b"no such question: " + command]
        else:
            answer = getattr(self.book, command.decode())(c, *rest)
        if answer is not None:
            self.send(c, wire.packed(answer))

    def pmi_line(self, c: Connection, line: str) -> None:
        board = self.book.board
        if board is None or c.pmi_rank is None:
            raise ValueError("MPI asks before all members are there")
        for rank, text in board.answer(c.pmi_rank, line):
            if rank in self.mpi:
                self.send(self.mpi[rank], text.encode() + b"\n")

    def answer_parked(self) -> None:
        """Answer the questions whose condition holds by now, or whose time is over."""
        now = time.monotonic()
        for p in list(self.book.parked):
            answer = p.ready()
            if answer is None and now >= p.deadline:
                answer = p.late()
            if answer is not None:
                self.book.parked.remove(p)
                with contextlib.suppress(OSError):
                    self.send(p.connection, wire.packed(answer))

    def send(self, c: Connection, data: bytes) -> None:
        c.outgoing += data
        self.flush(c)

    def flush(self, c: Connection) -> None:
        with contextlib.suppress(BlockingIOError, InterruptedError):
            while c.outgoing:
                sent = c.sock.send(c.outgoing)
                del c.outgoing[:sent]
        if c in self.connections:
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if c.outgoing else 0)
            self.selector.modify(c.sock, events, c)

    def drop(self, c: Connection) -> None:
        """A client is gone: forget it, and if it was a member, tell the others."""
        if c not in self.connections:
            return
        self.connections.discard(c)
        with contextlib.suppress(KeyError, ValueError):
            self.selector.unregister(c.sock)
        c.sock.close()
        self.book.parked = [p for p in self.book.parked if p.connection is not c]
        if c.pmi_rank is not None and self.mpi.get(c.pmi_rank) is c:
            del self.mpi[c.pmi_rank]
        if c.will is not None:
            self.book.set(c, *c.will)
        if c.member is not None:
            self.book.lost(c, c.member)
