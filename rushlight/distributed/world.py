"""A process as one of a world: how it joins, what it tells the others, and what it hears of them.

All ranks are connected to a book-keeper (server.py), a thread of rank 0. It sees at once when a
rank's connection ends, and keeps what each rank says of itself: the collective that it is in, and
the line of the program where its main thread stands. So a rank that is gone, hangs or does
something else is named by all others.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from ..autograd import node
from ..errors import message
from . import mpi, wire
from .client import Client
from .errors import DistBackendError, DistError
from .server import Server
from .stores import Store

# How often a rank tells where it is, in seconds; more seldom among many.
TELL_EVERY = 0.1
# How long a rank waits for the others when it ends, before it goes without them.
FAREWELL = 5.0


class World:
    """The processes that this one computes with; there is at most one in the life of a process.

    Attributes:
        rank, size: this process and how many there are.
        hosts: the name of each rank's machine.
        mpi, comm: mpi4py's module, and a communicator of all ranks in their order.
        failure: why the job cannot go on; None while it can.
    """

    def __init__(self, store: Store, rank: int, size: int, timeout: float) -> None:
        self.rank, self.size = rank, size
        self.groups = 0  # default groups so far, less one
        self.failure: str | None = None
        self.doing: Any = "starting"  # text, or what turns into it
        self.main = threading.main_thread().ident
        self.server: Server | None = None
        self.ended = threading.Event()
        deadline = time.monotonic() + timeout
        host, port, token = self._meet(store, rank)
        self.member = Client(host, port, token, timeout)
        self.desk = Client(host, port, token, timeout)  # for questions that wait
        try:
            self.hosts = [h.decode() for h in self._join(max(1.0, deadline - time.monotonic()))]
        except TimeoutError as why:
            raise missing("init_process_group", [int(r) for r in why.args], size, timeout) from None
        started = mpi.started_by_mpiexec()
        if started is None and size > 1:  # alone, MPI asks nobody
            self._lent = Client(host, port, token, timeout)
            mpi._joined.append(self._lent)
            self.mpi = mpi.initialize(self._lent.lend_to_mpi(rank), rank, size)
        else:
            self.mpi = mpi.initialize(None, rank, size)
        self.comm = self._ordered(self.mpi.COMM_WORLD)
        self.watcher = threading.Thread(target=self._watch, name="rushlight-watcher", daemon=True)
        self.watcher.start()
        self.wait(mpi.all_done([self.comm.Ibarrier()]), timeout, "init_process_group")
        if self.local_rank == 0:
            mpi.unlink_shared_memory()
        if started is None:
            mpi.skip_destructors()
        atexit.register(self.end)

    def _meet(self, store: Store, rank: int) -> tuple[str, int, str]:
        """Where the book-keeper listens, and its token; rank 0 starts it and tells the others."""
        if rank == 0:
            host = getattr(store, "host", None) or "127.0.0.1"
            self.server = Server(host, 0, wire.new_token())
            found = f"{host} {self.server.address[1]} {self.server.token} {socket.gethostname()}"
            store.set("world", found)
        host, port, token, name = store.get("world").decode().split(" ")
        if host in ("127.0.0.1", "localhost", "::1") and name != socket.gethostname():
            raise DistBackendError(
                message(
                    "this rank is on another machine than rank 0, which listens to its own alone",
                    got=f"rank 0 on {name} at {host}; this one on {socket.gethostname()}",
                    hint='init_method="tcp://ADDRESS-OF-RANK-0:PORT", or MASTER_ADDR',
                )
            )
        return host, int(port), token

    def _join(self, timeout: float) -> list[bytes]:
        host = socket.gethostname()
        return self.member.ask(
            "join", timeout, self.rank, self.size, host, os.getpid(), wait=timeout
        )

    def _ordered(self, comm: Any) -> Any:
        """A communicator of our own in which ranks are ours, whatever mpiexec has numbered."""
        if comm.size != self.size:
            raise DistBackendError(
                message(
                    "MPI's world has another size than the process group",
                    got=f"{comm.size} processes in MPI's world, world_size={self.size}",
                    hint="mpiexec -n with the world size, or none of its variables (PMI_RANK, ...)",
                )
            )
        return comm.Split(0, self.rank)

    @property
    def local_rank(self) -> int:
        """How many ranks before this one are on its machine."""
        return self.hosts[: self.rank].count(self.hosts[self.rank])

    # -- hearing and telling -------------------------------------------------------------------

    def _watch(self) -> None:
        """Tell the book what this rank does, and hear what has failed; a thread's whole life."""
        pause = TELL_EVERY * max(1, self.size / 64)
        heard, told = 0, ""
        while not self.ended.wait(pause):
            now = self.standing()
            try:
                new = self.member.ask("tell", "" if now == told else now, heard)
            except DistError as why:
                if not self.ended.is_set():
                    self.failure = f"rank 0, which keeps the job's book, is gone ({why.__cause__})"
                return
            told, heard = now, heard + len(new)
            if new and self.failure is None:
                self.failure = new[0].decode(errors="replace")

    def standing(self) -> str:
        """What this rank is doing, and the user's line where its main thread is."""
        frame = sys._current_frames().get(self.main)  # type: ignore[arg-type]
        code, at = node.line_from(frame, [None]) if frame is not None else (None, 0)
        return f"{self.doing}, at {node.show_line(code, at)}"

    def failed(self) -> None:
        """Raise when the job cannot go on."""
        if self.failure is not None:
            raise self.broken(str(self.doing))

    def broken(self, what: str) -> DistBackendError:
        """The error of a collective that a failure ended."""
        return DistBackendError(
            message(
                f"{what} cannot be carried out: {self.failure}",
                got=f"rank {self.rank} of {self.size} waits in {what}",
                hint="the output of the rank that is named says why it ended; "
                "start the job again from its last checkpoint",
            )
        )

    def states(self) -> dict[int, str]:
        """What each rank was last doing, in words."""
        found = {}
        for line in self.desk.ask("states"):
            rank, host, pid, since, state, doing = line.decode(errors="replace").split("\t", 5)
            there = "" if state == "there" else f"{state}; "
            found[int(rank)] = (
                f"rank {rank} on {host} (process {pid}): {there}{doing}; told {since} s ago"
            )
        return found

    # -- waiting -------------------------------------------------------------------------------

    def wait(
        self, done: Callable[[], bool], timeout: float, what: Any, patient: bool = False
    ) -> None:
        """Wait until `done()`: MPI's requests (`mpi.all_done`), or what others have written.

        Raises:
            DistBackendError: a rank is gone, or the time is over; the text names who does what.
        """
        self.failed()
        try:
            if mpi.wait(done, time.monotonic() + timeout, self.failed, patient):
                return
        except self.mpi.Exception as why:
            self.failed()
            raise DistBackendError(message(f"{what} failed in MPI", got=str(why))) from why
        error = self.late(str(what), timeout)
        self.give_up(f"rank {self.rank} waited {timeout:g} s in {what}, in vain")
        raise error

    def give_up(self, why: str) -> None:
        """The job cannot go on: tell the others, and let nothing begin any more."""
        if self.failure is None:
            self.failure = why
            with contextlib.suppress(DistError):
                self.desk.ask("fail", why)

    def late(self, what: str, timeout: float) -> DistBackendError:
        """The error of a collective whose time is over."""
        with contextlib.suppress(DistError):
            self.member.ask("tell", self.standing(), 0)
        try:
            found = [text for rank, text in sorted(self.states().items()) if rank != self.rank]
        except DistError as why:
            found = [str(why)]
        return DistBackendError(
            message(
                f"Timed out: {what} did not end within {timeout:g} s, on rank {self.rank} "
                f"of {self.size}",
                got="\n".join(found),
                wanted="the same call on all ranks of the group",
                hint="a rank that computes longer needs a longer `timeout` in init_process_group; "
                "one that stands elsewhere took another branch of the program",
            )
        )

    def arrive(self, place: str, ranks: list[int], timeout: float) -> None:
        """Meet other ranks at a named place, without MPI: what must not hang comes behind it.

        Raises:
            DistBackendError: some did not come in time; they are named.
        """
        self.failed()
        try:
            self.desk.ask("arrive", timeout, place, self.rank, *ranks, wait=timeout)
        except TimeoutError as why:
            raise self.absent(place, [int(r) for r in why.args], timeout) from None
        except DistError as why:
            self.failure = self.failure or str(why)
            raise self.broken(place) from why

    def absent(self, place: str, ranks: list[int], timeout: float) -> DistBackendError:
        states = self.states()
        return DistBackendError(
            message(
                f"{place}: ranks {', '.join(map(str, ranks))} have not come within {timeout:g} s",
                got="\n".join(states.get(r, f"rank {r}: unknown") for r in ranks),
                wanted="the same call on all ranks",
            )
        )

    def end(self) -> None:
        """Leave: after all others have come to their end, MPI is finalized; otherwise it is not,
        for that would wait for ever."""
        if self.ended.is_set():
            return
        together = False
        if self.failure is None:
            with contextlib.suppress(DistError):
                self.arrive("the end of the program", list(range(self.size)), FAREWELL)
                together = True
        self.ended.set()
        with contextlib.suppress(DistError):
            self.member.ask("leave")
        if together:
            mpi.finalize(self.mpi)
        if self.server is not None:
            self._until_all_know(self.server.book, FAREWELL if together else 10 * TELL_EVERY)
            self.server.close()

    def _until_all_know(self, book: Any, limit: float) -> None:
        """Keep the book open until the others have left, or have heard why the job failed."""
        deadline = time.monotonic() + limit
        while time.monotonic() < deadline:
            others = [m for m in book.members.values() if not (m.left or m.lost)]
            if all(m.heard == len(book.failures) > 0 for m in others):
                return
            time.sleep(0.005)


def missing(what: str, ranks: list[int], size: int, timeout: float) -> DistBackendError:
    """The error of ranks that never came."""
    return DistBackendError(
        message(
            f"{what}: {len(ranks)} of {size} ranks have not come within {timeout:g} s",
            got=f"missing: rank {', '.join(map(str, ranks))}",
            hint="start them with the same MASTER_ADDR, MASTER_PORT and WORLD_SIZE; their output "
            "says why they do not come",
        )
    )
